//! split_conditions: choices that are the same for a whole block become branches.
//!
//! Before: Tile IR as parsed. After: no element expression chooses by one of the first few conditions that are uniform over the block (integer
//! scalars, extents, grid and loop variables, numbers known at launch); each such choice is a branch around its statement, so
//! that only the branch taken is read, as the language says. Conditions over parallel indices and elements stay.
//!
//! ```text
//!  for (i, j) in Parallel { x = if n > 2 { a } else { b } }   ⟹   if n > 2 { Parallel { x = a } } else { Parallel { x = b } }
//! ```

use crate::codes;
use crate::pipeline::{Form, Pass};
use crate::verify::tile::{chooses_by_elements, holds_elements, keeps};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Assign, BoolExpr, Element, ElementKind, Kernel, Spanned, Stmt, StmtKind, VarId};

/// Conditions in one statement: each doubles the statements that are written.
const MOST_CONDITIONS: usize = 4;

/// The pass.
pub const PASS: Pass<Tile, Tile> = Pass {
    name: "split_conditions",
    does: "choices that are the same for a whole block become branches",
    run: |Tile { source, kernel }| {
        let kernel = run(&kernel)?;
        Ok(Tile { source, kernel })
    },
    check: |tile| keeps(tile, [holds_elements, chooses_by_elements]),
};

/// Tile IR.
#[derive(Debug, Clone)]
pub struct Tile {
    /// As parsed.
    pub source: Kernel,
    /// As it is compiled.
    pub kernel: Kernel,
}

impl Tile {
    /// A kernel as parsed.
    pub fn of(source: &Kernel) -> Tile {
        Tile {
            source: source.clone(),
            kernel: source.clone(),
        }
    }
}

impl Form for Tile {
    const NAME: &'static str = "Tile IR";

    fn text(&self) -> Option<String> {
        Some(self.kernel.to_string())
    }
}

/// Runs the pass.
pub fn run(kernel: &Kernel) -> Result<Kernel, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let body = statements(&kernel.body, &mut errors);
    if errors.is_empty() {
        Ok(Kernel { body, ..kernel.clone() })
    } else {
        Err(errors)
    }
}

fn statements(body: &[Stmt], errors: &mut Vec<Diagnostic>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for stmt in body {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Fill { block, value } => {
                let make = |value: &Element| {
                    let (block, value) = (block.clone(), value.clone());
                    StmtKind::Fill { block, value }
                };
                match condition(value, &[]) {
                    None => out.push(stmt.clone()),
                    Some(_) => out.extend(branches(value, &[], MOST_CONDITIONS, &make, stmt, errors)),
                }
            }
            StmtKind::Parallel { indices, assigns } => {
                let variables: Vec<VarId> = indices.iter().map(|(var, _)| *var).collect();
                let parallel = |assigns: Vec<Assign>| StmtKind::Parallel {
                    indices: indices.clone(),
                    assigns,
                };
                let mut plain = Vec::new();
                for assign in assigns {
                    if condition(&assign.value, &variables).is_none() {
                        plain.push(assign.clone());
                        continue;
                    }
                    if !plain.is_empty() {
                        let kind = parallel(std::mem::take(&mut plain));
                        out.push(Stmt { kind, span });
                    }
                    let make = |value: &Element| {
                        parallel(vec![Assign {
                            value: value.clone(),
                            ..assign.clone()
                        }])
                    };
                    out.extend(branches(
                        &assign.value,
                        &variables,
                        MOST_CONDITIONS,
                        &make,
                        stmt,
                        errors,
                    ));
                }
                if !plain.is_empty() {
                    let kind = parallel(plain);
                    out.push(Stmt { kind, span });
                }
            }
            StmtKind::For {
                var,
                start,
                end,
                kind,
                body,
            } => out.push(Stmt {
                kind: StmtKind::For {
                    var: *var,
                    start: start.clone(),
                    end: end.clone(),
                    kind: *kind,
                    body: statements(body, errors),
                },
                span,
            }),
            StmtKind::If { cond, then, otherwise } => out.push(Stmt {
                kind: StmtKind::If {
                    cond: cond.clone(),
                    then: statements(then, errors),
                    otherwise: statements(otherwise, errors),
                },
                span,
            }),
            StmtKind::Copy { .. }
            | StmtKind::Gemm { .. }
            | StmtKind::Reduce { .. }
            | StmtKind::ReduceArg { .. }
            | StmtKind::Transpose { .. }
            | StmtKind::Fetch { .. }
            | StmtKind::Print { .. }
            | StmtKind::Assert { .. } => out.push(stmt.clone()),
        }
    }
    out
}

/// The statement made of `value`, under a branch for each uniform condition in it.
fn branches(
    value: &Element,
    indices: &[VarId],
    budget: usize,
    make: &dyn Fn(&Element) -> StmtKind,
    stmt: &Stmt,
    errors: &mut Vec<Diagnostic>,
) -> Option<Stmt> {
    let span = stmt.span;
    let Some(cond) = condition(value, indices) else {
        return Some(Stmt {
            kind: make(value),
            span,
        });
    };
    if let BoolExpr::Const(holds) = cond.value {
        let value = decided(value, indices, &cond.value, holds);
        return branches(&value, indices, budget, make, stmt, errors);
    }
    if budget == 0 && is_of_numbers(&cond.value) {
        // The host can decide it for every element alike.
        return Some(Stmt {
            kind: make(value),
            span,
        });
    }
    if budget == 0 {
        let message = format!("more than {MOST_CONDITIONS} conditions in one statement");
        let error = Diagnostic::new(&codes::CONDITIONS, cond.span, message)
            .note("write an `if` around the statement, or keep a part of it in a block");
        // The other branches run into the same one.
        if !errors.contains(&error) {
            errors.push(error);
        }
        return None;
    }
    let mut side = |holds: bool| {
        let value = decided(value, indices, &cond.value, holds);
        branches(&value, indices, budget - 1, make, stmt, errors)
    };
    let (then, otherwise) = (side(true), side(false));
    Some(Stmt {
        kind: StmtKind::If {
            cond,
            then: vec![then?],
            otherwise: vec![otherwise?],
        },
        span,
    })
}

/// Whether a condition compares numbers alone, which an element expression can do too.
fn is_of_numbers(cond: &BoolExpr) -> bool {
    match cond {
        BoolExpr::CompareNumbers(..) => true,
        BoolExpr::Const(_) | BoolExpr::Compare(..) => false,
        BoolExpr::And(a, b) | BoolExpr::Or(a, b) => is_of_numbers(a) && is_of_numbers(b),
        BoolExpr::Not(a) => is_of_numbers(a),
    }
}

/// The first of the largest uniform conditions by which a part of `value` is chosen, with its place.
fn condition(value: &Element, indices: &[VarId]) -> Option<Spanned<BoolExpr>> {
    value.operands().into_iter().find_map(|operand| {
        let here = if operand.is_bool() {
            uniform(operand, indices)
        } else {
            None
        };
        match here {
            Some(value) => Some(Spanned {
                value,
                span: operand.span,
            }),
            None => condition(operand, indices),
        }
    })
}

/// The condition that `element` is, where it is the same for the whole block.
fn uniform(element: &Element, indices: &[VarId]) -> Option<BoolExpr> {
    let of = |operand: &Element| uniform(operand, indices).map(Box::new);
    Some(match &element.kind {
        ElementKind::Bool(value) => BoolExpr::Const(*value),
        ElementKind::CompareInt(op, a, b) => {
            if indices.iter().any(|var| a.mentions(*var) || b.mentions(*var)) {
                return None;
            }
            BoolExpr::Compare(*op, a.clone(), b.clone())
        }
        ElementKind::Compare(op, a, b) => BoolExpr::CompareNumbers(*op, a.number_at_launch()?, b.number_at_launch()?),
        ElementKind::And(a, b) => BoolExpr::And(of(a)?, of(b)?),
        ElementKind::Or(a, b) => BoolExpr::Or(of(a)?, of(b)?),
        ElementKind::Not(a) => BoolExpr::Not(of(a)?),
        // A choice between truth values is decided by its own condition first.
        ElementKind::Select(..)
        | ElementKind::Float(_)
        | ElementKind::Scalar(_)
        | ElementKind::Int(_)
        | ElementKind::Load(_)
        | ElementKind::Call(..)
        | ElementKind::Cast(..) => return None,
    })
}

/// `element` where `cond` is known: what chose by it is chosen.
fn decided(element: &Element, indices: &[VarId], cond: &BoolExpr, holds: bool) -> Element {
    let truth = |value: bool| Element {
        kind: ElementKind::Bool(value),
        span: element.span,
    };
    if element.is_bool() && uniform(element, indices).as_ref() == Some(cond) {
        return truth(holds);
    }
    let of = |operand: &Element| decided(operand, indices, cond, holds);
    let known = |operand: &Element| {
        if let ElementKind::Bool(value) = operand.kind {
            Some(value)
        } else {
            None
        }
    };
    let kind = match &element.kind {
        ElementKind::Call(op, args) => ElementKind::Call(*op, args.iter().map(of).collect()),
        ElementKind::Compare(op, a, b) => ElementKind::Compare(*op, Box::new(of(a)), Box::new(of(b))),
        ElementKind::And(a, b) => {
            let (a, b) = (of(a), of(b));
            match (known(&a), known(&b)) {
                (Some(false), _) | (_, Some(false)) => return truth(false),
                (Some(true), _) => return b,
                (_, Some(true)) => return a,
                (None, None) => ElementKind::And(Box::new(a), Box::new(b)),
            }
        }
        ElementKind::Or(a, b) => {
            let (a, b) = (of(a), of(b));
            match (known(&a), known(&b)) {
                (Some(true), _) | (_, Some(true)) => return truth(true),
                (Some(false), _) => return b,
                (_, Some(false)) => return a,
                (None, None) => ElementKind::Or(Box::new(a), Box::new(b)),
            }
        }
        ElementKind::Not(a) => {
            let a = of(a);
            match known(&a) {
                Some(value) => return truth(!value),
                None => ElementKind::Not(Box::new(a)),
            }
        }
        ElementKind::Select(c, a, b) => {
            let c = of(c);
            match known(&c) {
                Some(true) => return of(a),
                Some(false) => return of(b),
                None => ElementKind::Select(Box::new(c), Box::new(of(a)), Box::new(of(b))),
            }
        }
        ElementKind::Cast(to, a) => ElementKind::Cast(*to, Box::new(of(a))),
        ElementKind::Float(_)
        | ElementKind::Bool(_)
        | ElementKind::Scalar(_)
        | ElementKind::Int(_)
        | ElementKind::Load(_)
        | ElementKind::CompareInt(..) => return element.clone(),
    };
    Element {
        kind,
        span: element.span,
    }
}
