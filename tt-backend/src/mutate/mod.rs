//! Mutants of the program: what the three kernels and the plan might be if some pass were wrong, each by one mistake.
//!
//! A mutant is a [`Device`] as it leaves E1, with one thing changed: a statement left out, done twice, or moved; another
//! number, buffer, template or function; another format, depth or argument. [`mutants`] makes them all, always in the
//! same order. Who made the mistake does not matter, so a pass that does not exist yet is covered as well.
//!
//! Each must be refused by the verifier, or be noticed by the emulator, or change nothing: `cargo xtask conformance
//! ir-mutations` sees to that. Of those that change nothing `same` knows most by the statements alone.

mod calls;
mod everywhere;
mod launch;
mod same;
mod statements;
mod tree;

use crate::device::{Device, print};
use same::Why;
use std::fmt;
use tree::Place;
use tt_lang::ir::Kernel;

macro_rules! kinds {
    ($($kind:ident $title:literal;)*) => {
        /// What is wrong with a mutant.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum Kind { $($kind),* }

        impl Kind {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind),*];

            /// What it is, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Kind::$kind => $title),* }
            }
        }
    };
}

kinds! {
    LeftOut "left out";
    Twice "done twice";
    Swapped "exchanged with the next";
    BeforeParent "moved before the loop or branch around it";
    BehindParent "moved behind the loop or branch around it";
    IntoNext "moved into the loop or branch behind it";
    Sides "sides of a branch exchanged";
    Always "a side of a branch taken always";
    Rounds "a loop with a round more or less";
    Integer "an integer one more or less";
    Zero "0 for a computed integer";
    Operator "another operator";
    Exchanged "arguments exchanged";
    Buffer "another buffer";
    Tensor "another tensor";
    Number "another number";
    Template "other template arguments";
    Function "another function of the family";
    Operation "another operation, with its init";
    Everywhere "the same mistake in every such statement";
    Format "another format of a buffer";
    Depth "a version less of a buffer";
    Pages "a buffer's pages, in the plan only";
    Index "indices of two buffers exchanged";
    Unpack "a buffer unpacked the other way";
    Value "another value of an argument";
    Order "arguments exchanged, in the plan only";
    Bindings "accessors exchanged";
    Engine "engines configured otherwise";
    Grid "another grid";
}

/// A mutant's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// What is wrong.
    pub kind: Kind,
    /// Where: a program's name, or `plan`.
    pub program: &'static str,
    /// With what: the function, or the kind of statement.
    pub subject: String,
    /// The functions, variables and buffers that the statement mentions, or the argument that the plan does.
    pub mentions: Vec<String>,
    /// What was there, what is there now, and the place.
    pub detail: String,
    /// Why it changes nothing, where that shows in the program.
    pub same: Option<&'static str>,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.program, self.kind.title(), self.detail)
    }
}

/// Makes a mutant; none where it is no program, since something is used there that is declared nowhere.
pub type Make<'a> = Box<dyn FnOnce() -> Option<Device> + 'a>;

/// Names every mutant of `device`, which was made of `kernel`, and hands it to `visit` with what makes it.
pub fn mutants(kernel: &Kernel, device: &Device, visit: &mut dyn FnMut(Mutant, Make)) {
    let mut maker = Maker { kernel, device, visit };
    for place in tree::places(device) {
        statements::of(&mut maker, &place);
        calls::of(&mut maker, &place);
    }
    calls::operations(&mut maker);
    everywhere::of(&mut maker);
    launch::of(&mut maker);
}

/// What the modules here make mutants with.
struct Maker<'a> {
    kernel: &'a Kernel,
    device: &'a Device,
    visit: &'a mut dyn FnMut(Mutant, Make),
}

impl Maker<'_> {
    /// The mutant that `change` makes of the statement at `place`.
    fn at(&mut self, kind: Kind, place: &Place, note: &str, same: Why, change: impl FnOnce(&mut Device)) {
        let Some(node) = place.get(self.device) else { return };
        let Some(program) = self.device.programs.get(place.program()) else {
            return;
        };
        let text = print::statement(self.kernel, self.device, node);
        let arrow = if note.is_empty() { "" } else { " → " };
        let mutant = Mutant {
            kind,
            program: program.role.name(),
            subject: tree::name(node).to_string(),
            mentions: tree::mentions(self.device, node),
            detail: format!("{text}{arrow}{note} [{place}]"),
            same,
        };
        self.make(mutant, change);
    }

    fn make(&mut self, mutant: Mutant, change: impl FnOnce(&mut Device)) {
        let healthy = self.device;
        let make = || {
            let mut device = healthy.clone();
            change(&mut device);
            tree::is_closed(&device).then_some(device)
        };
        (self.visit)(mutant, Box::new(make));
    }
}

#[cfg(test)]
mod tests;
