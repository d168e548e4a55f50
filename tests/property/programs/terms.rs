//! The integers that the statements of a program name: loop variables, scalars and others, wherever they stand.

use super::program::{Access, Assign, At, Condition, Expr, Moved, Part, Reach, Shown, Side, Stmt, Target, Term, Test};

impl Stmt {
    /// Calls `visit` for the integers of it and all inside it.
    pub fn terms(&mut self, visit: &mut impl FnMut(&mut Term)) {
        match self {
            Stmt::Copy { from, to, rows, .. } => {
                rows.iter_mut().for_each(|at| at.terms(visit));
                for side in [from, to] {
                    match side {
                        Side::Block(part) => part.terms(visit),
                        Side::Tensor(_, index, at) => {
                            visit(index);
                            at.iter_mut().for_each(|at| at.terms(visit));
                        }
                    }
                }
            }
            Stmt::Transpose { from, to, .. } => [from, to].into_iter().for_each(|part| part.terms(visit)),
            Stmt::Gemm { a, b, acc, .. } => [a, b, acc].into_iter().for_each(|part| part.terms(visit)),
            Stmt::Fill { to, .. } => to.terms(visit),
            Stmt::Parallel { assigns, .. } => assigns.iter_mut().for_each(|assign| assign.terms(visit)),
            Stmt::Reduce {
                from, to, positions, ..
            } => {
                [from].into_iter().chain(to).for_each(|part| part.terms(visit));
                positions.iter_mut().for_each(|(_, base)| visit(base));
            }
            Stmt::Print(items) => {
                for item in items {
                    match item {
                        Shown::Integer(term) => visit(term),
                        Shown::Truth(cond) => cond.terms(visit),
                        Shown::Text(_) | Shown::Number(_) | Shown::Block(_) => {}
                    }
                }
            }
            Stmt::Assert { cond, .. } => cond.terms(visit),
            Stmt::For { count, body, .. } => {
                visit(count);
                body.iter_mut().for_each(|stmt| stmt.terms(visit));
            }
            Stmt::If { cond, then, otherwise } => {
                cond.terms(visit);
                then.iter_mut().chain(otherwise).for_each(|stmt| stmt.terms(visit));
            }
        }
    }
}

impl Condition {
    fn terms(&mut self, visit: &mut impl FnMut(&mut Term)) {
        match self {
            Condition::Compare(a, _, b) => [a, b].into_iter().for_each(visit),
            Condition::Numbers(a, ..) => visit(a),
            Condition::And(a, b) | Condition::Or(a, b) => [a, b].into_iter().for_each(|part| part.terms(visit)),
            Condition::Not(a) => a.terms(visit),
        }
    }
}

impl At {
    fn terms(&mut self, visit: &mut impl FnMut(&mut Term)) {
        match self {
            At::Number(_) => {}
            At::Rest(_, term) | At::Is(term) => visit(term),
        }
    }
}

impl Part {
    pub fn terms(&mut self, visit: &mut impl FnMut(&mut Term)) {
        self.of_stack
            .iter_mut()
            .chain(&mut self.at)
            .for_each(|at| at.terms(visit));
    }
}

impl Assign {
    fn terms(&mut self, visit: &mut impl FnMut(&mut Term)) {
        match &mut self.target {
            Target::Block(part) => part.terms(visit),
            Target::Row(part, at) | Target::Column(part, at) => {
                part.terms(visit);
                at.terms(visit);
            }
            Target::Tensor(_, index) => visit(index),
        }
        self.value.terms(visit);
    }
}

impl Test {
    fn terms(&mut self, visit: &mut impl FnMut(&mut Term)) {
        match self {
            Test::Mask(sum, _) => sum.terms.iter_mut().for_each(|(_, term)| visit(term)),
            Test::Compare(_, parts) => parts.iter_mut().for_each(|part| part.terms(visit)),
            Test::Both(_, parts) => parts.iter_mut().for_each(|part| part.terms(visit)),
            Test::Not(of) => of.terms(visit),
        }
    }
}

impl Expr {
    fn terms(&mut self, visit: &mut impl FnMut(&mut Term)) {
        match self {
            Expr::Tensor(_, index, reach) => {
                visit(index);
                if let Reach::Row(row) = reach {
                    visit(row);
                }
            }
            Expr::Block(part, access) => {
                part.terms(visit);
                match access {
                    Access::Row(at) | Access::Column(at) | Access::RowDown(at) | Access::ColumnAlong(at) => {
                        at.terms(visit);
                    }
                    Access::One(row, column) => [row, column].into_iter().for_each(|at| at.terms(visit)),
                    Access::Moved(Moved { more, .. }) => more.iter_mut().for_each(|(_, term)| visit(term)),
                    Access::Here | Access::Transposed | Access::Paced(_) => {}
                }
            }
            Expr::Unary(_, a) | Expr::Clamp(a, _) | Expr::Cast(_, a) | Expr::Written(_, a) => a.terms(visit),
            Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|part| part.terms(visit)),
            Expr::Ternary(_, parts) => parts.iter_mut().for_each(|part| part.terms(visit)),
            Expr::Truth(test) => test.terms(visit),
            Expr::Choice(_, test, parts) => {
                test.terms(visit);
                parts.iter_mut().for_each(|part| part.terms(visit));
            }
            Expr::Sum(sum) => sum.terms.iter_mut().for_each(|(_, term)| visit(term)),
            Expr::Number(_) | Expr::Whole(_) | Expr::Alpha => {}
        }
    }
}
