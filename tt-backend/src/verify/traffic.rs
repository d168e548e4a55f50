//! What goes through every circular buffer, in order: the same after every pass from C3 on.
//!
//! `sight` proves of Flow IR that every use finds the definitions which the source says. Which version a use finds is
//! decided by the pushes of the producer and the pops of the consumer before it. So a program that pushes, uses and pops the
//! versions of a buffer in the order of Flow IR, under the same loops and branches, finds the same definitions.
//!
//! The order is a line of text for each end of a buffer: `+` a version is pushed, `u` the front one is used, `-` it is
//! popped, `[..]` a loop, `(..|..)` a branch. Uses without anything between them are one; loops and branches without
//! traffic do not count, nor do loops and branches of the compiler's own, which `progress` counts. What the last turn of a loop alone does
//! comes behind the loop.
//!
//! Transfers of one tensor by reader and writer are ordered by tokens, and by what compute stands between
//! (`passes::c3_build_dataflow::order`). So there is such a line too for each tensor that one of them moves, of its transfers among
//! the tokens that this processor passes on and takes; and one of compute, of the versions that it waits for and those that it
//! hands to be stored.
//!
//! ```text
//!  read a; for k < n { y += a }; release a      ⟹    pushed +      taken [u]-
//!  write v to x; read w from x after stored      ⟹    x by the writer u+      by the reader -u
//! ```

mod line;
mod transfers;

pub use self::line::Step;
use self::line::{Line, Within};
use self::transfers::Transfers;
use super::event::CbStep;
use super::steps::{Context, Head, Steps};
use super::{Proof, fault};
use crate::device::{Program, Programs, Turn};
use crate::flow::{Buffer, BufferId, BufferKind};
use crate::ir::{Kind, Stmt, operations};
use std::collections::BTreeSet;
use tt_lang::ir::ParamId;
use tt_plan::Role;

/// The traffic of all buffers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traffic {
    /// By buffer: what is pushed, what is taken.
    lines: Vec<[Line; 2]>,
    /// The kind of every buffer.
    kinds: Vec<BufferKind>,
    /// Of reader and writer.
    transfers: [Transfers; 2],
    /// What compute waits for and what it hands on: each by its buffer.
    handed_on: Line,
    /// The loops and branches around what comes next.
    path: Vec<Within>,
    /// Loops and branches so far.
    count: usize,
    /// The buffers whose uses are not told of.
    untold: BTreeSet<BufferId>,
    /// By buffer: the pages of a version, and how many have been pushed of one that is not complete.
    pages: Vec<[i64; 2]>,
}

impl Traffic {
    /// Of these buffers.
    pub fn new(buffers: &[Buffer]) -> Traffic {
        Traffic {
            lines: vec![Default::default(); buffers.len()],
            kinds: buffers.iter().map(|buffer| buffer.kind).collect(),
            pages: buffers
                .iter()
                .map(|buffer| [buffer.version_tiles().into(), 0])
                .collect(),
            ..Traffic::default()
        }
    }

    /// Of the programs of a kernel, as they are written.
    ///
    /// # Errors
    /// Steps that are not understood.
    pub fn of(buffers: &[Buffer], programs: &[Program; 3]) -> Proof<Traffic> {
        programs.iter().try_fold(Traffic::new(buffers), |traffic, program| {
            let args = &program.args;
            traffic.and(&program.body, Context { buffers, args })
        })
    }

    /// Of the programs between D1 and E1.
    ///
    /// # Errors
    /// Steps that are not understood.
    pub fn of_stage<R: Steps, C: Steps, W: Steps>(buffers: &[Buffer], programs: &Programs<R, C, W>) -> Proof<Traffic> {
        let context = Context { buffers, args: &[] };
        Traffic::new(buffers)
            .and(&programs.reader, context)?
            .and(&programs.compute, context)?
            .and(&programs.writer, context)
    }

    /// This, and that of one more program.
    fn and<S: Steps>(mut self, body: &[Stmt<S>], context: Context) -> Proof<Traffic> {
        self.body(body, context, 1)?;
        Ok(self)
    }

    /// What is done so many `times`, by loops of the compiler's own around it.
    fn body<S: Steps>(&mut self, body: &[Stmt<S>], context: Context, times: i64) -> Proof {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(op) => {
                    S::uses(op, |buffer| {
                        if !self.untold.contains(&buffer) {
                            self.step(Step::Use, buffer);
                        }
                    });
                    if let Some((role, tensor)) = S::moves(op) {
                        self.moves(role, tensor);
                    }
                    match S::step(op, context)? {
                        Some((CbStep::Push, buffer, pages)) => self.pushed(buffer, pages.saturating_mul(times)),
                        Some((CbStep::Pop, buffer, _)) => self.step(Step::Pop, buffer),
                        Some((CbStep::Wait, buffer, _)) => self.received(buffer),
                        Some((CbStep::Reserve, ..)) | None => {}
                    }
                }
                Kind::Group(group, body) => self.body(body, context, times.saturating_mul(S::times(group).into()))?,
                Kind::Loop(head, body) => match S::head(head, context) {
                    Head::Users(..) => {
                        self.enter_loop();
                        self.body(body, context, times)?;
                        self.leave();
                        self.last_turn(body, context, times)?;
                    }
                    Head::Blocks => self.body(body, context, times)?,
                    Head::Tiles(count) => self.body(body, context, times.saturating_mul(count.into()))?,
                },
                Kind::If(branch, then, _) if S::turn(branch) == Some(Turn::BeforeLast) => {
                    self.body(then, context, times)?
                }
                Kind::If(branch, then, otherwise) => match S::branch(branch, context) {
                    Some(_) => {
                        self.enter_branch();
                        self.body(then, context, times)?;
                        self.other_side();
                        self.body(otherwise, context, times)?;
                        self.leave();
                    }
                    None => {
                        self.body(then, context, times)?;
                        self.body(otherwise, context, times)?;
                    }
                },
            }
        }
        Ok(())
    }

    /// What the last turn of a loop does is done behind it: of what every turn uses, it uses the same version.
    fn last_turn<S: Steps>(&mut self, body: &[Stmt<S>], context: Context, times: i64) -> Proof {
        for stmt in body {
            if let Kind::If(branch, then, otherwise) = &stmt.kind
                && S::turn(branch) == Some(Turn::BeforeLast)
            {
                let mut untold = BTreeSet::new();
                operations(then, &mut |op| S::uses(op, |buffer| untold.extend([buffer])));
                let outer = std::mem::replace(&mut self.untold, untold);
                self.body(otherwise, context, times)?;
                self.untold = outer;
            }
        }
        Ok(())
    }

    /// So many pages of a buffer have been pushed: a version is, where they complete it.
    fn pushed(&mut self, buffer: BufferId, pages: i64) {
        let Some([version, so_far]) = self.pages.get_mut(buffer.0) else {
            return;
        };
        *so_far = so_far.saturating_add(pages);
        if *so_far >= *version {
            *so_far = 0;
            self.step(Step::Push, buffer);
        }
    }

    /// A loop begins.
    pub fn enter_loop(&mut self) {
        self.path.push(Within::Loop(self.count));
        self.count += 1;
    }

    /// The first side of a branch begins.
    pub fn enter_branch(&mut self) {
        self.path.push(Within::Then(self.count));
        self.count += 1;
    }

    /// The other side of the branch begins.
    pub fn other_side(&mut self) {
        if let Some(Within::Then(number)) = self.path.pop() {
            self.path.push(Within::Else(number));
        }
    }

    /// The loop or branch ends.
    pub fn leave(&mut self) {
        self.path.pop();
    }

    /// What becomes of a version of `buffer`.
    pub fn step(&mut self, step: Step, BufferId(buffer): BufferId) {
        if let Some([pushed, taken]) = self.lines.get_mut(buffer) {
            let line = if step == Step::Push { pushed } else { taken };
            line.step(step, &self.path);
        }
        match self.kinds.get(buffer) {
            Some(BufferKind::Outgoing) if step == Step::Push => self.handed_on.word(&format!("+{buffer} "), &self.path),
            Some(token @ BufferKind::Token(_)) => {
                let [from, to] = token.ends();
                let role = if step == Step::Push { from } else { to };
                if let Some((transfers, path)) = self.of_role(role) {
                    transfers.token(step, path);
                }
            }
            Some(
                BufferKind::Incoming
                | BufferKind::Local
                | BufferKind::Outgoing
                | BufferKind::Shifted
                | BufferKind::Constant(_)
                | BufferKind::Scratch(_),
            )
            | None => {}
        }
    }

    /// Compute waits for a version of `buffer`, if that is one that the reader reads.
    pub fn received(&mut self, BufferId(buffer): BufferId) {
        if self.kinds.get(buffer) == Some(&BufferKind::Incoming) {
            self.handed_on.word(&format!("w{buffer} "), &self.path);
        }
    }

    /// A processor moves elements of a tensor.
    pub fn moves(&mut self, role: Role, tensor: ParamId) {
        if let Some((transfers, path)) = self.of_role(role) {
            transfers.transfer(tensor, path);
        }
    }

    /// The transfers of reader or writer, at this place.
    fn of_role(&mut self, role: Role) -> Option<(&mut Transfers, &[Within])> {
        let [reader, writer] = &mut self.transfers;
        let transfers = match role {
            Role::Reader => reader,
            Role::Writer => writer,
            Role::Compute => return None,
        };
        Some((transfers, &self.path))
    }

    /// Proves that this is the traffic `expected`, as Flow IR has it.
    ///
    /// # Errors
    /// The first buffer where it is not.
    pub fn is(self, expected: &Traffic, buffers: &[Buffer]) -> Proof {
        for ((found, expected), buffer) in self.lines.iter().zip(&expected.lines).zip(buffers) {
            // The tiles of a constant are made once, and not by Flow IR.
            if matches!(buffer.kind, BufferKind::Constant(_)) {
                continue;
            }
            for ((found, expected), what) in found.iter().zip(expected).zip(["pushed", "taken"]) {
                let [found, expected] = [found, expected].map(|line| line.clone().closed());
                if found != expected {
                    return fault(format!(
                        "versions of {} are {what} as {found:?} where Flow IR has {expected:?}",
                        buffer.name
                    ));
                }
            }
        }
        for ((found, expected), by) in self.transfers.iter().zip(&expected.transfers).zip(["reader", "writer"]) {
            found.are(expected, by)?;
        }
        let [found, expected] = [&self, expected].map(|traffic| traffic.handed_on.clone().closed());
        if found != expected {
            return fault(format!(
                "compute waits for what is read and hands on what is stored as {found:?} where Flow IR has {expected:?}"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
