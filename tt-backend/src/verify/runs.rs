//! What is kept over runs of blocks is what every block of the run would read.
//!
//! A version of such a buffer ([`Kept::While`](crate::flow::Kept)) stays until one of some variables of the grid is another than in the
//! block before. `progress` proves that there is one version before and after every block, and `traffic` that the branch which
//! replaces it stands where Flow IR has it. Here is proved of every program that has an end of the buffer that
//!
//! - all it does to the buffer in a block is one branch, before anything else of the block mentions it, on the condition that one of the
//!   variables is another than in the block before;
//! - what is read there mentions no other variable of the grid;
//! - what a variable was is [`BEFORE_ALL`] before the first block, which is no coordinate, and its value after every block: so the first
//!   block takes the branch, and the version that was there before it, of which nothing is written, is never used.
//!
//! ```text
//!  int32_t by_before = -1;
//!  for block_id { by = ..; if (by != by_before) { pop a; wait a; } .. by_before += by - by_before; }
//! ```

use super::event::CbStep;
use super::{Proof, fault};
use crate::device::{Bits, Calls, Device, Expr, Leaf, Loop, Operator, Program};
use crate::flow::{BEFORE_ALL, Buffer, BufferId, Unchanged};
use crate::ir::{Kind, Stmt, operations, visit};
use std::collections::BTreeSet;
use tt_lang::ir::{Kernel, VarId};

type Body = [Stmt<Calls<Bits>>];

/// Proves it of `device`, of this kernel.
pub fn prove(kernel: &Kernel, device: &Device) -> Proof {
    for (id, buffer) in device.buffers.iter().enumerate() {
        if buffer.kept_while().is_empty() {
            continue;
        }
        for program in &device.programs {
            let run = Run {
                kernel,
                device,
                id: BufferId(id),
                buffer,
            };
            run.is_of(program)?;
        }
    }
    Ok(())
}

/// A buffer that is kept over runs of blocks.
struct Run<'a> {
    kernel: &'a Kernel,
    device: &'a Device,
    id: BufferId,
    buffer: &'a Buffer,
}

impl<'a> Run<'a> {
    fn is_of(&self, program: &'a Program) -> Proof {
        if steps(&program.body, self.id) == 0 {
            return Ok(());
        }
        let name = &self.buffer.name;
        let is_blocks = |stmt: &&Stmt<Calls<Bits>>| matches!(stmt.kind, Kind::Loop(Loop::Blocks { .. }, _));
        let blocks = program.body.iter().find(is_blocks).map(|stmt| &stmt.kind);
        let Some(Kind::Loop(_, block)) = blocks else {
            return fault(format!("{name} is kept over runs of blocks that there are not"));
        };
        let condition = self.condition();
        // Others may begin on the same condition elsewhere.
        let is_begin = |stmt: &Stmt<Calls<Bits>>| {
            matches!(&stmt.kind, Kind::If(branch, then, _)
                if branch.cause.origin().is_some() && Some(&branch.cond) == condition.as_ref() && steps(then, self.id) > 0)
        };
        let at = block.iter().position(is_begin);
        let begin = at.and_then(|at| Some((block.get(..at)?, block.get(at)?, block.get(at.saturating_add(1)..)?)));
        let Some((before, begin, after)) = begin else {
            return fault(format!("nothing in a block asks whether a run of {name} begins"));
        };
        let Kind::If(_, then, otherwise) = &begin.kind else {
            return fault(format!("no branch begins a run of {name}"));
        };
        if mentions(before, self.id) || mentions(otherwise, self.id) || steps(after, self.id) > 0 {
            return fault(format!("{name} is not what its run begins with"));
        }
        self.names_no_other(then)?;
        let first = program.body.iter().take_while(|stmt| !is_blocks(stmt));
        let first: Vec<&Stmt<Calls<Bits>>> = first.collect();
        let mut unchanged = self.buffer.kept_while().iter();
        unchanged.try_for_each(|unchanged| self.follows(*unchanged, program, &first, after))
    }

    fn variable(&self, var: VarId) -> Option<&'a str> {
        self.device.variables.get(var.index()).map(String::as_str)
    }

    /// One of the variables is another than in the block before.
    fn condition(&self) -> Option<Expr<Bits>> {
        let changes = self.buffer.kept_while().iter().map(|Unchanged { axis, before }| {
            let [now, before] = [axis, before].map(|var| Expr::name(self.variable(*var).unwrap_or_default()));
            Expr::operation(Operator::NotEqual, now, before)
        });
        changes.reduce(|a, b| Expr::operation(Operator::Or, a, b))
    }

    /// Nothing here depends on a variable of the grid by which runs are not told apart.
    fn names_no_other(&self, body: &Body) -> Proof {
        let told_apart: BTreeSet<VarId> = self
            .buffer
            .kept_while()
            .iter()
            .map(|unchanged| unchanged.axis)
            .collect();
        let others = self.kernel.grid.axes.iter().map(|(var, _)| *var);
        let others: BTreeSet<&str> = others
            .filter(|var| !told_apart.contains(var))
            .filter_map(|var| self.variable(var))
            .collect();
        let mut found = None;
        let mut part = |part: &Expr<Bits>| {
            if let Expr::Name(name) = part
                && let Some(other) = others.get(name.as_str())
            {
                found = Some(*other);
            }
        };
        visit(body, &mut |stmt| match &stmt.kind {
            Kind::Op(Leaf::Call(call) | Leaf::Define { call, .. }) => {
                call.args.iter().for_each(|arg| arg.walk(&mut part))
            }
            Kind::Op(Leaf::Let { value, .. } | Leaf::Advance { value, .. }) => value.walk(&mut part),
            Kind::If(branch, ..) => branch.cond.walk(&mut part),
            Kind::Loop(Loop::Over { start, end, .. }, _) => {
                [start, end].into_iter().for_each(|bound| bound.walk(&mut part))
            }
            Kind::Loop(Loop::Blocks { .. } | Loop::Tiles { .. }, _) | Kind::Group(..) => {}
        });
        match found {
            None => Ok(()),
            Some(other) => fault(format!(
                "what is read of {} depends on {other}, which changes in a run",
                self.buffer.name
            )),
        }
    }

    /// What a variable was in the block before is set before the `first` block to what it is in none, and `after` the branch to what it is.
    fn follows(&self, of: Unchanged, program: &Program, first: &[&Stmt<Calls<Bits>>], after: &Body) -> Proof {
        let [Some(now), Some(was)] = [of.axis, of.before].map(|var| self.variable(var)) else {
            return fault(format!("{} is kept by a variable that there is not", self.buffer.name));
        };
        let begins = |stmt: &&&Stmt<Calls<Bits>>| matches!(stmt.op(), Some(Leaf::Let { name, value: Expr::Int(BEFORE_ALL), .. }) if name == was);
        let difference = Expr::binary(Operator::Sub, Expr::name(now), Expr::name(was));
        let becomes = |stmt: &&Stmt<Calls<Bits>>| matches!(stmt.op(), Some(Leaf::Advance { name, value }) if name == was && *value == difference);
        let (mut lets, mut changes) = (0, 0);
        operations(&program.body, &mut |leaf| match leaf {
            Leaf::Let { name, .. } => lets += usize::from(name == was),
            Leaf::Advance { name, .. } => changes += usize::from(name == was || name == now),
            Leaf::Call(_) | Leaf::Define { .. } => {}
        });
        let is_followed = first.iter().filter(begins).count() == 1 && after.iter().filter(becomes).count() == 1;
        match is_followed && (lets, changes) == (1, 1) {
            true => Ok(()),
            false => fault(format!("{was} is not what {now} was in the block before")),
        }
    }
}

/// How many steps of the protocol are taken of a buffer.
fn steps(body: &Body, id: BufferId) -> usize {
    let mut count = 0;
    operations(body, &mut |leaf| {
        if let Leaf::Call(call) = leaf
            && CbStep::of(call.function).is_some()
        {
            count += usize::from(call.args.first() == Some(&Expr::Buffer(id)));
        }
    });
    count
}

/// Whether something here is done to a buffer.
fn mentions(body: &Body, id: BufferId) -> bool {
    let mut found = false;
    operations(body, &mut |leaf| {
        crate::device::uses::buffers(leaf, &mut |buffer| found |= buffer == id)
    });
    found
}

#[cfg(test)]
mod tests;
