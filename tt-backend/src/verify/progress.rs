//! Progress: the three programs neither starve nor overflow with the depths chosen, for all extents.
//!
//! Reader, compute and writer are deterministic processes that meet only in FIFO buffers, each with one producer and one
//! consumer. A call that can go on stays able to until it does: nobody else takes the room or the pages it waits for. So
//! all interleavings make the same moves in the end, and **one complete schedule proves that none deadlocks**. (Compute is
//! three threads on the device; running it as one is one of their interleavings. Their own handover, the destination
//! registers, is the subject of `protocol`.)
//!
//! The schedule found here: every program runs its calls until one blocks or it stands at a loop or branch of the user's
//! program. Such a statement came from one place of Flow IR, its [`Origin`], and the programs that take part in it all
//! have it, in the same order, between the same bounds or on the same condition. The earliest one is entered together. A loop's body must leave every buffer as full as it
//! was, so by induction it completes for every count, zero included; the two sides of a branch must leave the same. The
//! persistent loop around everything is such a loop too.
//!
//! ```text
//!  reader   for k #3 { reserve a 8; push a 8 }          a: 0 of 16 pages
//!  compute  for k #3 { wait a 8; pop a 8 }        ⟹     +8, −8: 0 of 16 again, so it holds for every k
//! ```

use super::event::CbStep;
use super::{Proof, fault};
use crate::device::{Argument, Bits, Calls, Device, Expr, Leaf, Loop, Origin, Program, Scope};
use crate::flow::BufferId;
use crate::ir::{Kind, Stmt};
use std::collections::BTreeSet;
use std::fmt;
use tt_plan::Role;

const ROLES: [Role; 3] = [Role::Reader, Role::Compute, Role::Writer];

/// Where the programs meet: the loop over the blocks, or a loop or branch of the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// The loop over the blocks.
    Blocks,
    /// A statement of Flow IR.
    Statement(Origin),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Blocks => write!(f, "the loop over the blocks"),
            Place::Statement(Origin(number)) => write!(f, "statement {number}"),
        }
    }
}

/// The bounds of a loop or the condition of a branch, with runtime arguments as what they are bound to: they must be the same
/// in every program that takes part.
type Asked = String;

/// What matters of a program: its buffer calls under its loops and branches.
#[derive(Debug, Clone, PartialEq)]
enum Item {
    /// A call.
    Cb(CbStep, BufferId, i64),
    /// A loop of tiles: how often, and what.
    Tiles(u32, Vec<Item>),
    /// A loop that the programs run together: over what, and what.
    Loop(Place, Asked, Vec<Item>),
    /// A branch that they take together: on what condition, and what.
    If(Place, Asked, Vec<Item>, Vec<Item>),
}

impl Item {
    fn place(&self) -> Option<Place> {
        match self {
            Item::Loop(place, ..) | Item::If(place, ..) => Some(*place),
            Item::Cb(..) | Item::Tiles(..) => None,
        }
    }
}

/// Proves that the programs of `device` make progress.
pub fn prove(device: &Device) -> Proof {
    one_producer_one_consumer(device)?;
    let [reader, compute, writer] = &device.programs;
    let of = |program: &Program| items(&program.body, &program.args);
    let programs = [of(reader)?, of(compute)?, of(writer)?];
    let mut run = Joint {
        device,
        available: vec![0; device.buffers.len()],
    };
    run.level(&[&programs[0], &programs[1], &programs[2]])
}

fn items(body: &[Stmt<Calls<Bits>>], args: &[Argument]) -> Proof<Vec<Item>> {
    let mut out = Vec::new();
    for stmt in body {
        match &stmt.kind {
            Kind::Op(Leaf::Call(call)) => {
                let Some(step) = CbStep::of(call.function) else {
                    continue;
                };
                match call.args.as_slice() {
                    [Expr::Buffer(buffer), Expr::Int(pages)] => out.push(Item::Cb(step, *buffer, *pages)),
                    args => return fault(format!("{}({args:?})", call.function.name)),
                }
            }
            Kind::Op(Leaf::Let { .. } | Leaf::Advance { .. }) => {}
            Kind::Loop(Loop::Blocks, body) => out.push(Item::Loop(Place::Blocks, Asked::new(), items(body, args)?)),
            Kind::Loop(Loop::Over { start, end, origin, .. }, body) => {
                let bounds = format!("{}..{}", asked(start, args), asked(end, args));
                out.push(Item::Loop(Place::Statement(*origin), bounds, items(body, args)?));
            }
            Kind::Loop(Loop::Tiles { name: _, end, step }, body) => {
                let body = items(body, args)?;
                if !body.is_empty() {
                    out.push(Item::Tiles(end.div_ceil((*step).max(1)), body));
                }
            }
            Kind::If(branch, then, otherwise) => {
                let (then, otherwise) = (items(then, args)?, items(otherwise, args)?);
                match branch.origin {
                    Some(origin) => {
                        let cond = asked(&branch.cond, args);
                        out.push(Item::If(Place::Statement(origin), cond, then, otherwise));
                    }
                    None if then.is_empty() && otherwise.is_empty() => {}
                    None => return fault("a buffer call under a condition that the compiler made"),
                }
            }
            Kind::Group(Scope, body) => out.extend(items(body, args)?),
        }
    }
    Ok(out)
}

/// An expression with what runtime arguments are bound to.
fn asked(expr: &Expr<Bits>, args: &[Argument]) -> Asked {
    match expr {
        Expr::Name(name) => match args.iter().find(|arg| arg.name == *name) {
            Some(arg) => format!("{:?}", arg.value),
            None => name.clone(),
        },
        Expr::Binary(op, a, b) => format!("({} {op} {})", asked(a, args), asked(b, args)),
        Expr::Int(_)
        | Expr::Bool(_)
        | Expr::Value(_)
        | Expr::Buffer(_)
        | Expr::PageBytes(_)
        | Expr::Accessor(_)
        | Expr::Constant(_)
        | Expr::Call(_) => format!("{expr:?}"),
    }
}

fn one_producer_one_consumer(device: &Device) -> Proof {
    for (id, buffer) in device.buffers.iter().enumerate() {
        for (end, steps) in [
            ("producers", [CbStep::Reserve, CbStep::Push]),
            ("consumers", [CbStep::Wait, CbStep::Pop]),
        ] {
            let mut count = 0;
            for program in &device.programs {
                if uses(&items(&program.body, &program.args)?, BufferId(id), &steps) {
                    count += 1;
                }
            }
            if count > 1 {
                return fault(format!("{} has {count} {end}", buffer.name));
            }
        }
    }
    Ok(())
}

fn uses(items: &[Item], buffer: BufferId, steps: &[CbStep]) -> bool {
    items.iter().any(|item| match item {
        Item::Cb(step, of, _) => *of == buffer && steps.contains(step),
        Item::Tiles(_, body) | Item::Loop(_, _, body) => uses(body, buffer, steps),
        Item::If(_, _, then, otherwise) => uses(then, buffer, steps) || uses(otherwise, buffer, steps),
    })
}

/// How far one program is at one level.
struct Cursor<'a> {
    /// The level, and within it the loops of tiles entered: statements, the next one, and how often they are run again.
    frames: Vec<(&'a [Item], usize, u32)>,
}

impl<'a> Cursor<'a> {
    /// What comes next; loops of tiles are entered and left on the way.
    fn next(&mut self) -> Option<&'a Item> {
        loop {
            let (items, at, again) = self.frames.last_mut()?;
            match items.get(*at) {
                Some(Item::Tiles(count, body)) => {
                    *at += 1;
                    if *count > 0 {
                        self.frames.push((body, 0, count - 1));
                    }
                }
                Some(item) => return Some(item),
                None if *again > 0 => {
                    *at = 0;
                    *again -= 1;
                }
                None => drop(self.frames.pop()),
            }
        }
    }

    fn advance(&mut self) {
        if let Some((_, at, _)) = self.frames.last_mut() {
            *at += 1;
        }
    }

    /// Whether this loop or branch is yet to come.
    fn expects(&self, place: Place) -> bool {
        self.frames.iter().any(|(items, at, again)| {
            let from = if *again > 0 { 0 } else { *at };
            contains(items.get(from..).unwrap_or(&[]), place)
        })
    }
}

fn contains(items: &[Item], place: Place) -> bool {
    items.iter().any(|item| match item {
        Item::Tiles(_, body) => contains(body, place),
        _ => item.place() == Some(place),
    })
}

/// The three programs running together.
struct Joint<'a> {
    device: &'a Device,
    /// Pages that every buffer holds.
    available: Vec<i64>,
}

impl Joint<'_> {
    /// Runs one level to its end.
    fn level(&mut self, level: &[&[Item]; 3]) -> Proof {
        let mut cursors = level.map(|items| Cursor {
            frames: vec![(items, 0, 0)],
        });
        loop {
            while cursors.iter_mut().any(|cursor| self.greedy(cursor)) {}
            let standing: [Option<&Item>; 3] = cursors.each_mut().map(Cursor::next);
            if standing.iter().all(Option::is_none) {
                return Ok(());
            }
            let Some(place) = standing.iter().flatten().filter_map(|item| item.place()).min() else {
                return fault(format!("no program can go on: {}", self.describe(&standing)));
            };
            for (at, cursor) in cursors.iter().enumerate() {
                let here = standing[at].is_some_and(|item| item.place() == Some(place));
                if !here && cursor.expects(place) {
                    return fault(format!(
                        "not all programs reach {place} together: {}",
                        self.describe(&standing)
                    ));
                }
            }
            let here = standing.map(|item| item.filter(|item| item.place() == Some(place)));
            self.enter(place, &here)?;
            for (cursor, item) in cursors.iter_mut().zip(here) {
                if item.is_some() {
                    cursor.advance();
                }
            }
        }
    }

    /// Runs one program until it blocks or stands at a loop or branch; whether it moved.
    fn greedy(&mut self, cursor: &mut Cursor) -> bool {
        let mut moved = false;
        while let Some(Item::Cb(step, buffer, pages)) = cursor.next() {
            if !self.step(*step, *buffer, *pages) {
                break;
            }
            cursor.advance();
            moved = true;
        }
        moved
    }

    /// Takes a step, if it can be taken.
    fn step(&mut self, step: CbStep, buffer: BufferId, pages: i64) -> bool {
        let (Some(available), Some(of)) = (self.available.get_mut(buffer.0), self.device.buffers.get(buffer.0)) else {
            return false;
        };
        let capacity = i64::from(of.pages());
        match step {
            CbStep::Reserve => capacity - *available >= pages,
            CbStep::Wait => *available >= pages,
            CbStep::Push if *available + pages > capacity => false,
            CbStep::Push => {
                *available += pages;
                true
            }
            CbStep::Pop if *available < pages => false,
            CbStep::Pop => {
                *available -= pages;
                true
            }
        }
    }

    /// Runs the loop or branch that the programs stand at.
    fn enter(&mut self, place: Place, here: &[Option<&Item>; 3]) -> Proof {
        let before = self.available.clone();
        let mut bodies: [[&[Item]; 3]; 2] = [[&[]; 3]; 2];
        let (mut loops, mut branches) = (false, false);
        for (at, item) in here.iter().enumerate() {
            match item {
                Some(Item::Loop(_, _, body)) => {
                    loops = true;
                    bodies[0][at] = body;
                }
                Some(Item::If(_, _, then, otherwise)) => {
                    branches = true;
                    bodies[0][at] = then;
                    bodies[1][at] = otherwise;
                }
                Some(Item::Cb(..) | Item::Tiles(..)) | None => {}
            }
        }
        let asked = here.iter().flatten().filter_map(|item| match item {
            Item::Loop(_, asked, _) | Item::If(_, asked, ..) => Some(asked),
            Item::Cb(..) | Item::Tiles(..) => None,
        });
        let asked: BTreeSet<&Asked> = asked.collect();
        if asked.len() > 1 && loops != branches {
            return fault(format!("{place} is not the same in all programs: {asked:?}"));
        }
        self.level(&bodies[0])?;
        let after = self.available.clone();
        match (loops, branches) {
            (true, false) if after != before => {
                let what = match place {
                    Place::Blocks => "a block".to_string(),
                    Place::Statement(Origin(number)) => format!("an iteration of loop {number}"),
                };
                fault(format!(
                    "{what} leaves buffers with {after:?} pages that had {before:?}"
                ))
            }
            (true, false) => Ok(()),
            (false, true) => {
                self.available = before;
                self.level(&bodies[1])?;
                if self.available != after {
                    return fault(format!(
                        "the sides of {place} leave buffers with {after:?} and {:?} pages",
                        self.available
                    ));
                }
                Ok(())
            }
            _ => fault(format!("{place} is a loop in one program and a branch in another")),
        }
    }

    fn describe(&self, standing: &[Option<&Item>; 3]) -> String {
        let each = standing.iter().zip(ROLES).map(|(item, role)| {
            let what = match item {
                None => "is done".to_string(),
                Some(Item::Cb(step, buffer, pages)) => {
                    let (name, capacity) = self
                        .device
                        .buffers
                        .get(buffer.0)
                        .map_or(("?", 0), |buffer| (buffer.name.as_str(), buffer.pages()));
                    let held = self.available.get(buffer.0).copied().unwrap_or_default();
                    format!("is at {step:?} of {pages} pages of {name}, which holds {held} of {capacity}")
                }
                Some(Item::Loop(place, ..) | Item::If(place, ..)) => format!("is at {place}"),
                Some(Item::Tiles(..)) => "is at a loop of tiles".to_string(),
            };
            format!("{} {what}", role.name())
        });
        each.collect::<Vec<_>>().join("; ")
    }
}
