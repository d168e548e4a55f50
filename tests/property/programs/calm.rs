//! Makes random programs exact: what leaves the numbers that all formats hold is clamped or left out.

use super::evaluate::{self, Inexact};
use super::program::{
    Access, Assign, Class, Condition, Element, Expr, Kind, Part, Product, Program, Side, Stage, Stmt, Target, Test,
};
use std::collections::BTreeMap;

/// Changes the statements whose results leave what all formats hold, until all results are exact.
pub fn calm(program: &mut Program) {
    let mut known = BTreeMap::<u32, u32>::new();
    while let Some(Inexact(id)) = program
        .shapes
        .iter()
        .find_map(|shape| evaluate::run(program, shape, evaluate::contents(program, shape)).err())
    {
        let times = known.entry(id).or_default();
        *times += 1;
        for at in 0..program.stages.len() {
            let mut body = std::mem::take(&mut program.stages[at].body);
            let calm = Calm {
                program,
                stage: &program.stages[at],
                id,
                times: *times,
            };
            calm.statements(&mut body);
            program.stages[at].body = body;
        }
    }
}

struct Calm<'p> {
    program: &'p Program,
    stage: &'p Stage,
    /// The statement to change.
    id: u32,
    /// How often it was changed, this time included.
    times: u32,
}

impl Calm<'_> {
    fn statements(&self, body: &mut Vec<Stmt>) {
        body.retain_mut(|stmt| self.statement(stmt));
    }

    /// Whether the statement stays.
    fn statement(&self, stmt: &mut Stmt) -> bool {
        match stmt {
            Stmt::For { body, .. } => self.statements(body),
            Stmt::If { then, otherwise, .. } => {
                self.statements(then);
                self.statements(otherwise);
            }
            Stmt::Parallel { assigns, .. } => {
                for assign in assigns.iter_mut().filter(|assign| assign.id == self.id) {
                    let element = self.program.element(self.stage, assign.target);
                    // First the operands are kept small, then the target is forgotten, then little is left of the value.
                    match self.times {
                        1 => self.clamp_reads(&mut assign.value, 4),
                        2 => assign.op = "=",
                        3 => self.clamp_reads(&mut assign.value, 2),
                        4 => (assign.op, assign.value) = ("=", self.first_read(&assign.value, element)),
                        _ => assign.value = one(element.kind()),
                    }
                }
            }
            Stmt::Copy { id, class, to, .. } if *id == self.id => match *to {
                Side::Block(to) => *stmt = ones(*class, to),
                Side::Tensor(..) => return false,
            },
            Stmt::Transpose { id, class, to, .. } if *id == self.id => {
                *stmt = ones(*class, *to);
            }
            Stmt::Gemm { id, acc, form, .. } if *id == self.id => {
                if self.times == 1 && *form != Product::Clears {
                    *form = Product::Clears;
                } else {
                    *stmt = ones(Class::Main, *acc);
                }
            }
            Stmt::Reduce {
                id,
                fold,
                into,
                to,
                positions,
                clear,
                ..
            } if *id == self.id => match (self.times, *to, *positions) {
                (1, Some(_), None) => *fold = "absmax",
                (1 | 2, ..) => *clear = true,
                (_, Some(to), Some((places, _))) => *stmt = self.both_ones(*into, [to, Part::whole(places)]),
                (_, Some(to), None) => *stmt = ones(*into, to),
                (_, None, _) => {}
            },
            // Once it says the opposite; what holds at times only says nothing.
            Stmt::Assert { id, cond } if *id == self.id => match self.times {
                1 => *cond = Condition::Not(Box::new(cond.clone())),
                _ => return false,
            },
            Stmt::Assert { .. }
            | Stmt::Print(_)
            | Stmt::Copy { .. }
            | Stmt::Transpose { .. }
            | Stmt::Gemm { .. }
            | Stmt::Reduce { .. }
            | Stmt::Fill { .. } => {}
        }
        true
    }

    /// Both results of a reduction.
    fn both_ones(&self, class: Class, parts: [Part; 2]) -> Stmt {
        let assigns = parts.map(|part| Assign {
            id: self.id,
            target: Target::Block(part),
            op: "=",
            value: one(self.stage.blocks[part.block].element.kind()),
        });
        let assigns = assigns.into();
        Stmt::Parallel { class, assigns }
    }

    /// Keeps the numbers small that are read or made of integers.
    fn clamp_reads(&self, expr: &mut Expr, limit: i32) {
        let kind = |expr: &Expr| self.program.kind(self.stage, expr);
        let clamp = |expr: &mut Expr| *expr = Expr::Clamp(Box::new(expr.clone()), limit);
        let clamp_in = |parts: &mut [Expr]| parts.iter_mut().for_each(|part| self.clamp_reads(part, limit));
        match expr {
            Expr::Block(..) | Expr::Tensor(..) if kind(expr) == Kind::Number => clamp(expr),
            Expr::Cast(Element::F32, a) if kind(a) == Kind::Small => clamp(expr),
            Expr::Cast(to, a) => {
                self.clamp_reads(a, limit);
                if to.kind() == Kind::Number && matches!(kind(a), Kind::Integer | Kind::Unsigned) && a.reads() {
                    clamp(a);
                }
            }
            Expr::Unary(_, a) | Expr::Clamp(a, _) | Expr::Written(_, a) => self.clamp_reads(a, limit),
            Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|part| self.clamp_reads(part, limit)),
            Expr::Ternary(_, parts) => clamp_in(&mut parts[..]),
            Expr::Choice(_, test, parts) => {
                self.clamp_tested(test, limit);
                clamp_in(&mut parts[..]);
            }
            Expr::Truth(test) => self.clamp_tested(test, limit),
            Expr::Block(..) | Expr::Tensor(..) | Expr::Number(_) | Expr::Whole(_) | Expr::Alpha | Expr::Sum(_) => {}
        }
    }

    /// The same of what is compared.
    fn clamp_tested(&self, test: &mut Test, limit: i32) {
        match test {
            Test::Mask(..) => {}
            Test::Compare(_, parts) => parts.iter_mut().for_each(|part| self.clamp_reads(part, limit)),
            Test::Both(_, parts) => parts.iter_mut().for_each(|part| self.clamp_tested(part, limit)),
            Test::Not(of) => self.clamp_tested(of, limit),
        }
    }

    /// The first element that is read, as one of type `to`, and small.
    fn first_read(&self, expr: &Expr, to: Element) -> Expr {
        let mut first = None;
        expr.walk(&mut |part| {
            if first.is_none() && part.is_read() {
                // Without its mask it is read where it is.
                first = Some(match part {
                    Expr::Block(part, Access::Moved(_) | Access::Paced(_)) => Expr::Block(*part, Access::Here),
                    read => read.clone(),
                });
            }
        });
        let Some(read) = first else {
            return one(to.kind());
        };
        let small = |expr| Expr::Clamp(Box::new(expr), 2);
        match (self.program.kind(self.stage, &read), to.kind()) {
            (from, Kind::Small) if from != Kind::Number => Expr::Cast(to, Box::new(read)),
            (_, Kind::Small) => Expr::Cast(to, Box::new(small(read))),
            (from, kind) if from == kind => small(read),
            (Kind::Integer | Kind::Unsigned, Kind::Number) => Expr::Cast(Element::F32, Box::new(small(read))),
            (_, Kind::Number) => small(Expr::Cast(Element::F32, Box::new(read))),
            (_, Kind::Integer | Kind::Unsigned) => small(Expr::Cast(to, Box::new(read))),
        }
    }
}

fn ones(class: Class, to: Part) -> Stmt {
    Stmt::Fill { class, to, value: 1 }
}

fn one(kind: Kind) -> Expr {
    match kind {
        Kind::Number => Expr::Number(1),
        Kind::Integer | Kind::Unsigned | Kind::Small => Expr::Whole(1),
    }
}
