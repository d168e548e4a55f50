//! A kernel as the launcher carries it: Tile IR as text, and what the compiler made of it, sources, plan and the entry points
//! of what was compiled ahead of time, or why it refused.

use crate::{Error, ErrorKind, Result};
use std::fmt;
use std::sync::OnceLock;
use tt_plan::{Plan, Signature, TunedVariant, Tuning, TuningKey, Way};

/// The C++ that was emitted for a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sources {
    /// The kernel that brings blocks into L1.
    pub reader: &'static str,
    /// The kernel that computes.
    pub compute: &'static str,
    /// The kernel that takes blocks out of L1.
    pub writer: &'static str,
    /// A stand-alone host program.
    pub host: &'static str,
    /// The kernels of the stages after the first.
    pub later: &'static [StageSources],
}

/// The C++ that was emitted for a stage after the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageSources {
    /// The kernel that brings blocks into L1.
    pub reader: &'static str,
    /// The kernel that computes.
    pub compute: &'static str,
    /// The kernel that takes blocks out of L1.
    pub writer: &'static str,
}

/// A kernel's entry point in an object that was compiled ahead of time for the emulator.
pub type EntryPoint = tt_emulator::abi::KernelEntry;

/// An object compiled ahead of time and linked into the program.
///
/// Its code runs when the kernel is launched, so that safe code cannot name one:
///
/// ```compile_fail,E0133
/// unsafe extern "C" fn any(_: *const tt_host::KernelApi) {}
/// const OBJECT: tt_host::Precompiled = tt_host::Precompiled::new("key", any);
/// ```
#[derive(Clone, Copy)]
pub struct Precompiled {
    key: &'static str,
    entry: EntryPoint,
}

impl Precompiled {
    /// The object with the key `key`, the hash of everything it was compiled from, that starts at `entry`.
    ///
    /// # Safety
    /// Launches of the kernel that has this key call `entry`: it must be the entry point of the object that was compiled from
    /// that kernel.
    pub const unsafe fn new(key: &'static str, entry: EntryPoint) -> Precompiled {
        Precompiled { key, entry }
    }

    pub(crate) fn key(&self) -> &'static str {
        self.key
    }

    pub(crate) fn entry(&self) -> EntryPoint {
        self.entry
    }
}

impl Sources {
    /// Those of a kernel that the compiler refuses.
    pub const NONE: Sources = Sources {
        reader: "",
        compute: "",
        writer: "",
        host: "",
        later: &[],
    };

    /// Those of the stage number `stage`.
    pub(crate) fn stage(&self, stage: usize) -> Option<StageSources> {
        match stage.checked_sub(1) {
            None => Some(StageSources {
                reader: self.reader,
                compute: self.compute,
                writer: self.writer,
            }),
            Some(later) => self.later.get(later).copied(),
        }
    }
}

/// A kernel; one static per `#[tt::kernel]`.
pub struct Kernel {
    name: &'static str,
    tile: &'static [u8],
    outcome: Outcome,
    /// Its constants of the option `variants`.
    chosen: &'static [(&'static str, i64)],
    /// The other kernels that were compiled from the same text.
    others: &'static [&'static Kernel],
    way: Way,
    /// Its crate, modules and name, and what was measured of the kernels of its package.
    tuning: Option<(&'static str, &'static str)>,
    tuned: OnceLock<Result<Tuning>>,
    loaded: OnceLock<Result<Loaded>>,
    signature: OnceLock<Result<Signature>>,
}

/// A plan that was read.
struct Loaded {
    plan: Plan,
    /// Its stages, each a plan of its own.
    stages: Vec<Plan>,
}

/// What the compiler said to a kernel.
enum Outcome {
    Compiled {
        sources: Sources,
        plan: &'static str,
        precompiled: &'static [Precompiled],
    },
    /// Why it refused, one line or more for each reason.
    Refused(&'static str),
}

impl Kernel {
    /// The kernel `name` with its artifact; `tile` is its Tile IR [as it is stored](tt_lang::ir::Kernel::stored).
    pub const fn new(
        name: &'static str,
        sources: Sources,
        plan: &'static str,
        tile: &'static [u8],
        precompiled: &'static [Precompiled],
    ) -> Kernel {
        let outcome = Outcome::Compiled {
            sources,
            plan,
            precompiled,
        };
        Kernel::with(name, tile, outcome)
    }

    /// The kernel `name`, which the compiler refuses for the reasons `why`: it has a reference and nothing to run.
    pub const fn refused(name: &'static str, tile: &'static [u8], why: &'static str) -> Kernel {
        Kernel::with(name, tile, Outcome::Refused(why))
    }

    const fn with(name: &'static str, tile: &'static [u8], outcome: Outcome) -> Kernel {
        Kernel {
            name,
            tile,
            outcome,
            chosen: &[],
            others: &[],
            way: Way::Written,
            tuning: None,
            tuned: OnceLock::new(),
            loaded: OnceLock::new(),
            signature: OnceLock::new(),
        }
    }

    /// The same kernel as that of several variants which has these constants; `others` are those that have others.
    pub const fn chosen(self, chosen: &'static [(&'static str, i64)], others: &'static [&'static Kernel]) -> Kernel {
        let mut kernel = self;
        kernel.chosen = chosen;
        kernel.others = others;
        kernel
    }

    /// The same kernel as one that was compiled to run in another way.
    pub const fn in_way(self, way: Way) -> Kernel {
        let mut kernel = self;
        kernel.way = way;
        kernel
    }

    /// The same kernel, `path` with its crate and modules, with what [was measured](Tuning) of the kernels of its package.
    pub const fn tuned(self, path: &'static str, tuning: &'static str) -> Kernel {
        let mut kernel = self;
        kernel.tuning = Some((path, tuning));
        kernel
    }

    /// What was measured of its variants where a launch has the key that `key` makes of its path; the fastest first.
    pub(crate) fn measured(&self, key: impl FnOnce(&str) -> Option<TuningKey>) -> Result<&[TunedVariant]> {
        let Some((path, text)) = self.tuning else {
            return Ok(&[]);
        };
        let read =
            || Tuning::from_json(text).map_err(|error| self.damaged(&format!("its tuning does not load: {error}")));
        let tuning = self.tuned.get_or_init(read).as_ref().map_err(Error::clone)?;
        let launch = key(path).and_then(|key| tuning.of(&key));
        Ok(launch.map_or(&[], |launch| &launch.variants))
    }

    /// Whether the compiler refuses it.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.outcome, Outcome::Refused(_))
    }

    /// Its constants of the option `variants`, each with its value here.
    pub fn constants(&self) -> &'static [(&'static str, i64)] {
        self.chosen
    }

    /// The way it runs in.
    pub(crate) fn way(&self) -> Way {
        self.way
    }

    /// All variants of it, which is the first.
    pub fn variants(&self) -> impl Iterator<Item = &Kernel> {
        std::iter::once(self).chain(self.others.iter().copied())
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The emitted C++; empty where the compiler refused.
    pub fn sources(&self) -> Sources {
        match &self.outcome {
            Outcome::Compiled { sources, .. } => *sources,
            Outcome::Refused(_) => Sources::NONE,
        }
    }

    /// Its plan. The first call reads it and makes the objects compiled ahead of time known to the emulator.
    pub(crate) fn plan(&self) -> Result<&Plan> {
        self.loaded().map(|loaded| &loaded.plan)
    }

    /// The plan of each of its stages.
    pub(crate) fn stages(&self) -> Result<&[Plan]> {
        self.loaded().map(|loaded| loaded.stages.as_slice())
    }

    fn loaded(&self) -> Result<&Loaded> {
        let load = || match &self.outcome {
            Outcome::Compiled {
                plan,
                precompiled,
                sources,
            } => {
                crate::emulator::register(precompiled);
                let plan = Plan::from_json(plan).map_err(|error| self.damaged(&error.to_string()))?;
                let stages = plan.stages();
                if stages.len() != sources.later.len().saturating_add(1) {
                    return Err(self.damaged("its plan and its sources have not as many stages"));
                }
                Ok(Loaded { plan, stages })
            }
            Outcome::Refused(why) => {
                let name = self.name;
                let message = format!("kernel `{name}` has a reference only, since the compiler refuses it:\n{why}");
                Err(Error::new(ErrorKind::Kernel, message))
            }
        };
        self.loaded.get_or_init(load).as_ref().map_err(Error::clone)
    }

    /// What is passed to it, read off its Tile IR: also a kernel without a plan has this.
    pub(crate) fn signature(&self) -> Result<&Signature> {
        let read = || {
            let signature = Signature::of(&self.tile()?);
            signature.ok_or_else(|| self.damaged("an extent in its Tile IR is no formula"))
        };
        self.signature.get_or_init(read).as_ref().map_err(Error::clone)
    }

    /// Its Tile IR.
    pub(crate) fn tile(&self) -> Result<tt_lang::ir::Kernel> {
        let tile = tt_lang::ir::Kernel::of_stored(self.tile);
        tile.map_err(|error| self.damaged(&format!("its Tile IR does not load: {error}")))
    }

    /// An error about the artifact itself.
    pub(crate) fn damaged(&self, what: &str) -> Error {
        Error::new(
            ErrorKind::Kernel,
            format!("the artifact of kernel `{}` is damaged: {what}", self.name),
        )
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
