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
//! persistent loop around everything is such a loop too. What a program does in the last turn alone may leave something else.
//!
//! ```text
//!  reader   for k #3 { reserve a 8; push a 8 }          a: 0 of 16 pages
//!  compute  for k #3 { wait a 8; pop a 8 }        ⟹     +8, −8: 0 of 16 again, so it holds for every k
//! ```

use super::event::CbStep;
use super::steps::{Asked, Context, Item, Place, Steps, items};
use super::traffic::Traffic;
use super::{Proof, fault, unproved};
use crate::device::{Device, Origin, Parts, Programs};
use crate::flow::{Buffer, BufferId};
use crate::pipeline::Unit;
use std::collections::BTreeSet;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::hash::HashMap;
use tt_lang::ir::Kernel;
use tt_plan::Role;

const ROLES: [Role; 3] = [Role::Reader, Role::Compute, Role::Writer];

/// What must hold of a kernel's programs between D1 and E1.
///
/// # Errors
/// What does not hold, as a fault of the compiler.
pub fn proved<R: Steps, C: Steps, W: Steps, A>(
    unit: &Unit<Parts<Programs<R, C, W>, A>>,
) -> Result<(), Vec<Diagnostic>> {
    proved_of(&unit.facts.source, &unit.program)
}

/// As [`proved`], of the programs alone.
///
/// # Errors
/// As [`proved`].
pub fn proved_of<R: Steps, C: Steps, W: Steps, A>(
    source: &Kernel,
    parts: &Parts<Programs<R, C, W>, A>,
) -> Result<(), Vec<Diagnostic>> {
    let Parts {
        buffers,
        programs,
        traffic,
        ..
    } = parts;
    let context = Context { buffers, args: &[] };
    let items = || {
        Ok([
            items(&programs.reader, context)?,
            items(&programs.compute, context)?,
            items(&programs.writer, context)?,
        ])
    };
    let proof = items().and_then(|items| joint(buffers, &items));
    let proof = proof.and_then(|()| Traffic::of_stage(buffers, programs)?.is(traffic, buffers));
    proof.map_err(|fault| vec![unproved(source.span, &fault)])
}

/// Proves that the programs of `device` make progress.
pub fn prove(device: &Device) -> Proof {
    let [reader, compute, writer] = device.programs.each_ref().map(|program| {
        let context = Context {
            buffers: &device.buffers,
            args: &program.args,
        };
        items(&program.body, context)
    });
    joint(&device.buffers, &[reader?, compute?, writer?])?;
    Traffic::of(&device.buffers, &device.programs)?.is(&device.traffic, &device.buffers)
}

/// Proves that these programs make progress over `buffers`.
fn joint(buffers: &[Buffer], programs: &[Vec<Item>; 3]) -> Proof {
    one_producer_one_consumer(buffers, programs)?;
    let mut run = Joint {
        buffers,
        available: vec![0; buffers.len()],
    };
    run.level(&programs.each_ref().map(Vec::as_slice))
}

fn one_producer_one_consumer(buffers: &[Buffer], programs: &[Vec<Item>; 3]) -> Proof {
    let of_programs = programs.each_ref().map(|items| {
        let mut ends = vec![[false; 2]; buffers.len()];
        used(items, &mut ends);
        ends
    });
    for (id, buffer) in buffers.iter().enumerate() {
        for (end, what) in ["producers", "consumers"].iter().enumerate() {
            let count = of_programs.iter().filter(|ends| ends[id][end]).count();
            if count > 1 {
                return fault(format!("{} has {count} {what}", buffer.name));
            }
        }
    }
    Ok(())
}

/// Which buffers these steps fill, and which they empty.
fn used(items: &[Item], ends: &mut [[bool; 2]]) {
    for item in items {
        match item {
            Item::Cb(step, buffer, _) => {
                let Some([fills, empties]) = ends.get_mut(buffer.0) else {
                    continue;
                };
                match step {
                    CbStep::Reserve | CbStep::Push => *fills = true,
                    CbStep::Wait | CbStep::Pop => *empties = true,
                }
            }
            Item::Tiles(_, body) => used(body, ends),
            Item::Loop(_, _, body, last) => {
                used(body, ends);
                last.iter().for_each(|last| used(last, ends));
            }
            Item::If(_, _, then, otherwise) | Item::Turns(then, otherwise) => {
                used(then, ends);
                used(otherwise, ends);
            }
        }
    }
}

/// How far one program is at one level.
struct Cursor<'a> {
    /// The level, and within it the loops of tiles entered: statements, the next one, and how often they are run again.
    frames: Vec<(&'a [Item], usize, u32)>,
    /// Where in the level each loop or branch comes last.
    last: HashMap<Place, usize>,
}

impl<'a> Cursor<'a> {
    fn new(level: &'a [Item]) -> Cursor<'a> {
        let mut last = HashMap::default();
        for (at, item) in level.iter().enumerate() {
            places(item, &mut |place| {
                last.insert(place, at);
            });
        }
        Cursor {
            frames: vec![(level, 0, 0)],
            last,
        }
    }

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
        let Some(((_, at, _), entered)) = self.frames.split_first() else {
            return false;
        };
        let is_ahead = self.last.get(&place).is_some_and(|last| last >= at);
        is_ahead
            || entered.iter().any(|(items, at, again)| {
                let from = if *again > 0 { 0 } else { *at };
                let mut is_there = false;
                let ahead = items.get(from..).unwrap_or(&[]).iter();
                ahead.for_each(|item| places(item, &mut |found| is_there |= found == place));
                is_there
            })
    }
}

/// The loops and branches of this level in `item`.
fn places(item: &Item, visit: &mut impl FnMut(Place)) {
    match item {
        Item::Tiles(_, body) => body.iter().for_each(|item| places(item, visit)),
        Item::Cb(..) | Item::Loop(..) | Item::If(..) | Item::Turns(..) => item.place().into_iter().for_each(visit),
    }
}

/// The three programs running together.
struct Joint<'a> {
    buffers: &'a [Buffer],
    /// Pages that every buffer holds.
    available: Vec<i64>,
}

impl Joint<'_> {
    /// Runs one level to its end.
    fn level(&mut self, level: &[&[Item]; 3]) -> Proof {
        let mut cursors = level.map(Cursor::new);
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
        let (Some(available), Some(of)) = (self.available.get_mut(buffer.0), self.buffers.get(buffer.0)) else {
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
        let (mut loops, mut branches, mut has_last) = (false, false, false);
        for (at, item) in here.iter().enumerate() {
            match item {
                Some(Item::Loop(_, _, body, last)) => {
                    loops = true;
                    has_last |= last.is_some();
                    bodies[0][at] = body;
                    bodies[1][at] = last.as_ref().unwrap_or(body);
                }
                Some(Item::If(_, _, then, otherwise)) => {
                    branches = true;
                    bodies[0][at] = then;
                    bodies[1][at] = otherwise;
                }
                Some(Item::Cb(..) | Item::Tiles(..) | Item::Turns(..)) | None => {}
            }
        }
        let asked = here.iter().flatten().filter_map(|item| match item {
            Item::Loop(_, asked, ..) | Item::If(_, asked, ..) => Some(asked),
            Item::Cb(..) | Item::Tiles(..) | Item::Turns(..) => None,
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
            // Nothing comes round after the last turn, of which there is one (`walk`).
            (true, false) if has_last => self.level(&bodies[1]),
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
                        .buffers
                        .get(buffer.0)
                        .map_or(("?", 0), |buffer| (buffer.name.as_str(), buffer.pages()));
                    let held = self.available.get(buffer.0).copied().unwrap_or_default();
                    format!("is at {step:?} of {pages} pages of {name}, which holds {held} of {capacity}")
                }
                Some(Item::Loop(place, ..) | Item::If(place, ..)) => format!("is at {place}"),
                Some(Item::Tiles(..)) => "is at a loop of tiles".to_string(),
                Some(Item::Turns(..)) => "is at turns of no loop".to_string(),
            };
            format!("{} {what}", role.name())
        });
        each.collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Compute, ComputeOp, Move, Moves, Protocol, SourceLoop};
    use crate::ir::{Kind, Stmt};
    use crate::passes::d1_split_kernel::Split;
    use crate::passes::split_conditions::Tile;
    use crate::passes::*;
    use tt_lang::ir::IntExpr;

    const KERNEL: &str = "#[tt::kernel] fn carried<const M: usize, const N: usize>(
            a: &Tensor<bf16, M, N>, o: &mut Tensor<bf16, M, N>) {
        let by = T.Kernel(M.div_ceil(32));
        let x = T.alloc_shared::<bf16>(32, 32);
        for k in 0..N.div_ceil(32) {
            T.copy(a[(by * 32, k * 32)], x);
            T.copy(x, o[(by * 32, k * 32)]);
        }
    }";

    fn split() -> Unit<Parts<Split, ()>> {
        let function = syn::parse_str(KERNEL).expect("the kernel is Rust");
        let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
        let unit = Tile::of(&parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel"));
        macro_rules! through {
            ($($pass:ident)+) => {{
                $(let unit = ($pass::PASS.run)(unit).expect(stringify!($pass));)+
                unit
            }};
        }
        through!(split_conditions orient_vectors a1_infer_layout a2_propagate_layout b1_partition_work b2_grid_to_cores
            c1_lower_shared_to_cb pad_tiles c2_lower_tile_intrinsics c3_build_dataflow d1_split_kernel)
    }

    /// What is said of the programs when `change` has changed them.
    fn said(change: impl FnOnce(&mut Split)) -> String {
        let mut unit = split();
        change(&mut unit.program.programs);
        let errors = proved(&unit).expect_err("it must not pass");
        errors[0].notes.join("; ")
    }

    fn innermost<S: crate::ir::Stage<Loop = SourceLoop>>(body: &mut Vec<Stmt<S>>) -> &mut Vec<Stmt<S>> {
        let at = body.iter().position(|stmt| matches!(stmt.kind, Kind::Loop(..)));
        match at {
            None => body,
            Some(at) => match &mut body[at].kind {
                Kind::Loop(_, body) => innermost(body),
                _ => unreachable!("it was found as a loop"),
            },
        }
    }

    #[test]
    fn what_d1_must_not_make_is_refused_after_it() {
        assert!(proved(&split()).is_ok());
        let without = |split: &mut Split, step: Protocol| {
            let body = innermost::<Compute<Protocol>>(&mut split.compute);
            let before = body.len();
            body.retain(|stmt| stmt.kind != Kind::Op(ComputeOp::Plain(step)));
            assert_eq!(body.len() + 1, before, "{step:?} stands there once");
        };
        let x = BufferId(0);
        let lost = said(|split| without(split, Protocol::Release(x)));
        assert!(lost.contains("leaves buffers"), "{lost}");
        let too_soon = said(|split| {
            let body = innermost::<Compute<Protocol>>(&mut split.compute);
            let release = Kind::Op(ComputeOp::Plain(Protocol::Release(x)));
            let at = body
                .iter()
                .position(|stmt| stmt.kind == release)
                .expect("x is released");
            let release = body.remove(at);
            body.insert(1, release);
        });
        assert!(
            too_soon.contains("are taken as \"[-u]\" where Flow IR has \"[u-]\""),
            "{too_soon}"
        );
        let starved = said(|split| {
            let body = innermost::<Moves>(&mut split.reader);
            body.retain(|stmt| stmt.kind != Kind::Op(Move::Protocol(Protocol::Publish(x))));
        });
        assert!(starved.contains("no program can go on"), "{starved}");
        let longer = said(|split| {
            let Kind::Loop(SourceLoop::Blocks, body) = &mut split.reader[0].kind else {
                panic!("the loop over the blocks");
            };
            let Kind::Loop(SourceLoop::Over { end, .. }, _) = &mut body[0].kind else {
                panic!("the user's loop");
            };
            *end = IntExpr::Const(7);
        });
        assert!(longer.contains("is not the same in all programs"), "{longer}");
    }
}
