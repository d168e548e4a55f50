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
//! have it, in the same order. The earliest one is entered together. A loop's body must leave every buffer as full as it
//! was, so by induction it completes for every count, zero included; the two sides of a branch must leave the same. The
//! persistent loop around everything is such a loop too.
//!
//! ```text
//!  reader   for k #3 { reserve a 8; push a 8 }          a: 0 of 16 pages
//!  compute  for k #3 { wait a 8; pop a 8 }        ⟹     +8, −8: 0 of 16 again, so it holds for every k
//! ```

use super::event::CbStep;
use super::{Proof, fault};
use crate::device::{Device, Expr, Leaf, Node, Origin};
use crate::flow::BufferId;
use tt_plan::Role;

const ROLES: [Role; 3] = [Role::Reader, Role::Compute, Role::Writer];

/// What matters of a program: its buffer calls under its loops and branches.
#[derive(Debug, Clone, PartialEq)]
enum Item {
    /// A call.
    Cb(CbStep, BufferId, i64),
    /// A loop of tiles: how often, and what.
    Tiles(u32, Vec<Item>),
    /// A loop of the user's.
    Loop(Origin, Vec<Item>),
    /// A branch of the user's.
    If(Origin, Vec<Item>, Vec<Item>),
}

impl Item {
    fn origin(&self) -> Option<Origin> {
        match self {
            Item::Loop(origin, _) | Item::If(origin, ..) => Some(*origin),
            Item::Cb(..) | Item::Tiles(..) => None,
        }
    }
}

/// Proves that the programs of `device` make progress.
pub fn prove(device: &Device) -> Proof {
    one_producer_one_consumer(device)?;
    let part = |nodes: fn(&crate::device::Program) -> &Vec<Node<Leaf>>| -> Proof<[Vec<Item>; 3]> {
        let [reader, compute, writer] = &device.programs;
        Ok([items(nodes(reader))?, items(nodes(compute))?, items(nodes(writer))?])
    };
    let mut run = Joint {
        device,
        available: vec![0; device.buffers.len()],
    };
    run.level(&slices(&part(|program| &program.before)?))?;
    let before = run.available.clone();
    run.level(&slices(&part(|program| &program.body)?))?;
    if run.available != before {
        return fault(format!(
            "a block leaves buffers with {:?} pages that had {before:?}",
            run.available
        ));
    }
    run.level(&slices(&part(|program| &program.after)?))
}

fn slices(items: &[Vec<Item>; 3]) -> [&[Item]; 3] {
    [&items[0], &items[1], &items[2]]
}

fn items(nodes: &[Node<Leaf>]) -> Proof<Vec<Item>> {
    let mut out = Vec::new();
    for node in nodes {
        match node {
            Node::Leaf(Leaf::Call(call)) => {
                let Some(step) = CbStep::of(call.function) else {
                    continue;
                };
                match call.args.as_slice() {
                    [Expr::Buffer(buffer), Expr::Int(pages)] => out.push(Item::Cb(step, *buffer, *pages)),
                    args => return fault(format!("{}({args:?})", call.function.name)),
                }
            }
            Node::Leaf(Leaf::Let { .. } | Leaf::Advance { .. }) | Node::Source(_) => {}
            Node::Loop { body, origin, .. } => out.push(Item::Loop(*origin, items(body)?)),
            Node::If {
                then,
                otherwise,
                origin,
                ..
            } => {
                out.push(Item::If(*origin, items(then)?, items(otherwise)?));
            }
            Node::Tiles {
                name: _,
                end,
                step,
                body,
            } => {
                let body = items(body)?;
                if !body.is_empty() {
                    out.push(Item::Tiles(end.div_ceil((*step).max(1)), body));
                }
            }
            Node::When { then, otherwise, .. } => {
                if !items(then)?.is_empty() || !items(otherwise)?.is_empty() {
                    return fault("a buffer call under a condition that the compiler made");
                }
            }
            Node::Scope(body) => out.extend(items(body)?),
        }
    }
    Ok(out)
}

fn one_producer_one_consumer(device: &Device) -> Proof {
    for (id, buffer) in device.buffers.iter().enumerate() {
        for (end, steps) in [
            ("producers", [CbStep::Reserve, CbStep::Push]),
            ("consumers", [CbStep::Wait, CbStep::Pop]),
        ] {
            let mut count = 0;
            for program in &device.programs {
                let all = [&program.before, &program.body, &program.after].map(|nodes| items(nodes));
                for part in all {
                    if uses(&part?, BufferId(id), &steps) {
                        count += 1;
                        break;
                    }
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
        Item::Tiles(_, body) | Item::Loop(_, body) => uses(body, buffer, steps),
        Item::If(_, then, otherwise) => uses(then, buffer, steps) || uses(otherwise, buffer, steps),
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

    /// Whether a loop or branch of this origin is yet to come.
    fn expects(&self, origin: Origin) -> bool {
        self.frames.iter().any(|(items, at, again)| {
            let from = if *again > 0 { 0 } else { *at };
            contains(items.get(from..).unwrap_or(&[]), origin)
        })
    }
}

fn contains(items: &[Item], origin: Origin) -> bool {
    items.iter().any(|item| match item {
        Item::Tiles(_, body) => contains(body, origin),
        _ => item.origin() == Some(origin),
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
            let Some(origin) = standing.iter().flatten().filter_map(|item| item.origin()).min() else {
                return fault(format!("no program can go on: {}", self.describe(&standing)));
            };
            for (at, cursor) in cursors.iter().enumerate() {
                let here = standing[at].is_some_and(|item| item.origin() == Some(origin));
                if !here && cursor.expects(origin) {
                    return fault(format!(
                        "not all programs reach statement {} together: {}",
                        origin.0,
                        self.describe(&standing)
                    ));
                }
            }
            let here = standing.map(|item| item.filter(|item| item.origin() == Some(origin)));
            self.enter(origin, &here)?;
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
    fn enter(&mut self, origin: Origin, here: &[Option<&Item>; 3]) -> Proof {
        let before = self.available.clone();
        let mut bodies: [[&[Item]; 3]; 2] = [[&[]; 3]; 2];
        let (mut loops, mut branches) = (false, false);
        for (at, item) in here.iter().enumerate() {
            match item {
                Some(Item::Loop(_, body)) => {
                    loops = true;
                    bodies[0][at] = body;
                }
                Some(Item::If(_, then, otherwise)) => {
                    branches = true;
                    bodies[0][at] = then;
                    bodies[1][at] = otherwise;
                }
                Some(Item::Cb(..) | Item::Tiles(..)) | None => {}
            }
        }
        self.level(&bodies[0])?;
        let after = self.available.clone();
        match (loops, branches) {
            (true, false) if after != before => fault(format!(
                "an iteration of loop {} leaves buffers with {after:?} pages that had {before:?}",
                origin.0
            )),
            (true, false) => Ok(()),
            (false, true) => {
                self.available = before;
                self.level(&bodies[1])?;
                if self.available != after {
                    return fault(format!(
                        "the sides of branch {} leave buffers with {after:?} and {:?} pages",
                        origin.0, self.available
                    ));
                }
                Ok(())
            }
            _ => fault(format!(
                "statement {} is a loop in one program and a branch in another",
                origin.0
            )),
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
                Some(item) => format!("is at statement {}", item.origin().map_or(0, |origin| origin.0)),
            };
            format!("{} {what}", role.name())
        });
        each.collect::<Vec<_>>().join("; ")
    }
}
