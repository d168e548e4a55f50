//! What the statements of a program read and write.

use super::program::{Class, Expr, Part, Product, Program, Role, Shown, Side, Stage, Stmt, Target, Tensor, Term};

/// What a statement does with a block or tensor.
#[derive(Debug, Clone, Copy)]
pub enum Use {
    Read(usize),
    /// All of it, or what was there stays.
    Write(usize, bool),
    From(usize, Term),
    Into(usize, Term),
}

impl Stage {
    /// What a statement by itself does, in order.
    pub fn uses(&self, stmt: &Stmt, visit: &mut impl FnMut(Use)) {
        let write = |part: Part, extent| Use::Write(part.block, self.is_whole(part, extent));
        match stmt {
            Stmt::Copy { class, from, to, .. } => {
                match *from {
                    Side::Block(part) => visit(Use::Read(part.block)),
                    Side::Tensor(tensor, index, _) => visit(Use::From(tensor, index)),
                }
                match *to {
                    Side::Block(part) => visit(write(part, self.extent(*class))),
                    Side::Tensor(tensor, index, _) => visit(Use::Into(tensor, index)),
                }
            }
            Stmt::Transpose { class, from, to, .. } => {
                visit(Use::Read(from.block));
                visit(write(*to, self.extent(*class)));
            }
            Stmt::Fill { class, to, .. } => visit(write(*to, self.extent(*class))),
            Stmt::Parallel { class, assigns } => {
                for assign in assigns {
                    assign.value.walk(&mut |part| match part {
                        Expr::Block(part, _) => visit(Use::Read(part.block)),
                        Expr::Tensor(tensor, index, _) => visit(Use::From(*tensor, *index)),
                        _ => {}
                    });
                    let is_plain = assign.op == "=";
                    visit(match assign.target {
                        Target::Block(part) => {
                            Use::Write(part.block, is_plain && self.is_whole(part, self.extent(*class)))
                        }
                        Target::Row(part, _) | Target::Column(part, _) => Use::Write(part.block, false),
                        Target::Tensor(tensor, index) => Use::Into(tensor, index),
                    });
                }
            }
            Stmt::Gemm { a, b, acc, form, .. } => {
                visit(Use::Read(a.block));
                visit(Use::Read(b.block));
                let is_whole = self.is_whole(*acc, self.extent(Class::Main));
                visit(Use::Write(acc.block, *form == Product::Clears && is_whole));
            }
            Stmt::Reduce {
                from,
                into,
                to,
                positions,
                clear,
                ..
            } => {
                visit(Use::Read(from.block));
                to.iter()
                    .for_each(|to| visit(Use::Write(to.block, *clear && self.is_whole(*to, self.extent(*into)))));
                positions.iter().for_each(|(to, _)| visit(Use::Write(*to, *clear)));
            }
            Stmt::Print(items) => {
                for item in items {
                    if let Shown::Block(block) = item {
                        visit(Use::Read(*block));
                    }
                }
            }
            Stmt::Assert { .. } | Stmt::For { .. } | Stmt::If { .. } => {}
        }
    }

    /// What all statements do.
    pub fn all_uses(&self, visit: &mut impl FnMut(Use)) {
        self.body
            .iter()
            .for_each(|stmt| stmt.walk(&mut |stmt| self.uses(stmt, visit)));
    }
}

impl Program {
    /// The tensors that statements name, and those that extents must be read off.
    pub fn used(&self) -> Vec<bool> {
        let mut tensors = vec![false; self.tensors.len()];
        let mut steps = false;
        for stage in &self.stages {
            stage.all_uses(&mut |used| {
                if let Use::From(tensor, _) | Use::Into(tensor, _) = used {
                    tensors[tensor] = true;
                }
            });
            let mut count = |stmt: &Stmt| {
                if let Stmt::For { count, .. } = stmt {
                    steps |= *count == Term::Steps;
                }
            };
            stage.body.iter().for_each(|stmt| stmt.walk(&mut count));
        }
        // K is read off one of these.
        let has_k = |tensor: &Tensor| tensor.class.is_operand();
        if steps && !self.tensors.iter().zip(&tensors).any(|(t, used)| *used && has_k(t)) {
            let first = self.tensors.iter().position(has_k);
            first.into_iter().for_each(|first| tensors[first] = true);
        }
        // The others are read off one that a launch passes.
        if !self
            .tensors
            .iter()
            .zip(&tensors)
            .any(|(t, used)| *used && t.tells_extents())
        {
            let first = self.tensors.iter().position(Tensor::tells_extents);
            first.into_iter().for_each(|first| tensors[first] = true);
        }
        tensors
    }

    /// The tensors that a launch passes, in order.
    pub fn parameters(&self) -> Vec<usize> {
        let used = self.used();
        let is_passed = |at: &usize| used[*at] && self.tensors[*at].role != Role::Temporary;
        (0..self.tensors.len()).filter(is_passed).collect()
    }
}
