//! split_conditions: choices that are the same for a whole block become branches.
//!
//! Before: Tile IR as parsed. After: no element expression chooses by a condition that is uniform over the block (integer
//! scalars, extents, grid and loop variables, numbers known at launch); each such choice is a branch around its statement, so
//! that only the branch taken is read, as the language says. Conditions over parallel indices and elements stay, and of statements
//! that would be written out too often those over numbers alone. Of a branch that constants decide (`if SPLIT == 1`, in a variant) the
//! side that is taken stands in its place: what the other would store binds nobody.
//!
//! ```text
//!  for (i, j) in Parallel { x = if n > 2 { a } else { b } }   ⟹   if n > 2 { Parallel { x = a } } else { Parallel { x = b } }
//! ```

use crate::codes;
use crate::ir::{Kind, replaced};
use crate::pipeline::{Form, Pass};
use crate::verify::tile::{chooses_by_elements, holds_elements, keeps};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Assign, BoolExpr, Element, ElementKind, IntExpr, Kernel, Linear, Op, Span, Spanned, Stmt, VarId};

/// The most statements that one is written out as, beside one for each condition: a chain `if c { .. } else if d { .. } ..` of `n`
/// conditions makes `n + 1`, and `n` that stand beside each other 2ⁿ.
const MOST_STATEMENTS: usize = 16;

/// The pass.
pub const PASS: Pass<Tile, Tile> = Pass {
    name: "split_conditions",
    does: "choices that are the same for a whole block become branches",
    run: |Tile { source, kernel }| {
        let kernel = run(kernel)?;
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

    fn kernel(&self) -> Option<&Kernel> {
        Some(&self.kernel)
    }
}

/// Runs the pass.
pub fn run(kernel: Kernel) -> Result<Kernel, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let body = replaced(taken(kernel.body), &mut |span, op| operation(span, op, &mut errors));
    if errors.is_empty() {
        Ok(Kernel { body, ..kernel })
    } else {
        Err(errors)
    }
}

/// `body` without branches that constants decide.
fn taken(body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for Stmt { note, kind } in body {
        let kind = match kind {
            Kind::If(cond, then, otherwise) => match cond.value.as_const() {
                Some(holds) => {
                    out.extend(taken(if holds { then } else { otherwise }));
                    continue;
                }
                None => Kind::If(cond, taken(then), taken(otherwise)),
            },
            Kind::Loop(head, body) => Kind::Loop(head, taken(body)),
            Kind::Group(group, body) => Kind::Group(group, taken(body)),
            Kind::Op(op) => Kind::Op(op),
        };
        out.push(Stmt { note, kind });
    }
    out
}

/// The statements that an operation becomes.
fn operation(span: Span, op: Op, errors: &mut Vec<Diagnostic>) -> Vec<Stmt> {
    match &op {
        Op::Fill { block, value } if condition(value, &[], Which::All).is_some() => {
            let make = |value: &Element| {
                let (block, value) = (block.clone(), value.clone());
                Op::Fill { block, value }
            };
            split(value, &[], &make, span, errors).into_iter().collect()
        }
        Op::Parallel { indices, assigns } => {
            let variables: Vec<VarId> = indices.iter().map(|(var, _)| *var).collect();
            let is_plain = |assign: &Assign| condition(&assign.value, &variables, Which::All).is_none();
            if assigns.iter().all(is_plain) {
                return vec![Stmt::new(span, Kind::Op(op))];
            }
            let parallel = |assigns: Vec<Assign>| {
                let indices = indices.clone();
                Op::Parallel { indices, assigns }
            };
            let (mut out, mut plain) = (Vec::new(), Vec::new());
            for assign in assigns {
                if is_plain(assign) {
                    plain.push(assign.clone());
                    continue;
                }
                if !plain.is_empty() {
                    let op = parallel(std::mem::take(&mut plain));
                    out.push(Stmt::new(span, Kind::Op(op)));
                }
                let make = |value: &Element| {
                    parallel(vec![Assign {
                        value: value.clone(),
                        ..assign.clone()
                    }])
                };
                out.extend(split(&assign.value, &variables, &make, span, errors));
            }
            if !plain.is_empty() {
                out.push(Stmt::new(span, Kind::Op(parallel(plain))));
            }
            out
        }
        Op::Fill { .. }
        | Op::Copy { .. }
        | Op::Gemm { .. }
        | Op::Reduce { .. }
        | Op::ReduceArg { .. }
        | Op::Transpose { .. }
        | Op::Fetch { .. }
        | Op::Print { .. }
        | Op::Assert { .. } => vec![Stmt::new(span, Kind::Op(op))],
    }
}

/// The statement made of `value`, under a branch for each uniform condition in it.
fn split(
    value: &Element,
    indices: &[VarId],
    make: &dyn Fn(&Element) -> Op,
    span: Span,
    errors: &mut Vec<Diagnostic>,
) -> Option<Stmt> {
    // What compares numbers alone the host can decide for every element alike.
    for which in [Which::All, Which::OfIntegers] {
        let mut conditions = Vec::new();
        let mut left = MOST_STATEMENTS;
        if count(value, indices, which, &mut conditions, &mut left).is_some() {
            return Some(branches(value, indices, which, make, span));
        }
    }
    let span = condition(value, indices, Which::OfIntegers).map_or(span, |cond| cond.span);
    let message = format!("the conditions in this statement make more than {MOST_STATEMENTS} statements of it");
    let error = Diagnostic::new(&codes::CONDITIONS, span, message)
        .note("write an `if` around the statement, or keep a part of it in a block");
    errors.push(error);
    None
}

/// Which conditions become branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    /// Those that do not compare numbers alone.
    OfIntegers,
}

/// Counts the statements that `value` is written out as down from `left`, to which each new one of its conditions adds one; nothing
/// where they are more.
fn count(
    value: &Element,
    indices: &[VarId],
    which: Which,
    conditions: &mut Vec<BoolExpr>,
    left: &mut usize,
) -> Option<()> {
    let Some(Spanned { value: cond, .. }) = condition(value, indices, which) else {
        *left = left.checked_sub(1)?;
        return Some(());
    };
    if let BoolExpr::Const(holds) = cond {
        let value = decided(value, indices, &cond, holds);
        return count(&value, indices, which, conditions, left);
    }
    if !conditions.contains(&cond) {
        conditions.push(cond.clone());
        *left += 1;
    }
    for holds in [true, false] {
        let value = decided(value, indices, &cond, holds);
        count(&value, indices, which, conditions, left)?;
    }
    Some(())
}

/// The statement made of `value`, under a branch for each condition of these in it.
fn branches(value: &Element, indices: &[VarId], which: Which, make: &dyn Fn(&Element) -> Op, span: Span) -> Stmt {
    let Some(cond) = condition(value, indices, which) else {
        return Stmt::new(span, Kind::Op(make(value)));
    };
    let side = |holds: bool| {
        let value = decided(value, indices, &cond.value, holds);
        branches(&value, indices, which, make, span)
    };
    if let BoolExpr::Const(holds) = cond.value {
        return side(holds);
    }
    let (then, otherwise) = (vec![side(true)], vec![side(false)]);
    Stmt::new(span, Kind::If(cond, then, otherwise))
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
fn condition(value: &Element, indices: &[VarId], which: Which) -> Option<Spanned<BoolExpr>> {
    // A truth value that is chosen chooses nothing, nor does one behind what may have no value.
    let may_be_left = if let ElementKind::And(first, _) | ElementKind::Or(first, _) = &value.kind {
        first.reads()
    } else {
        matches!(value.kind, ElementKind::Select(..))
    };
    value.operands().into_iter().enumerate().find_map(|(at, operand)| {
        let is_left = may_be_left && at > 0 && matches!(operand.kind, ElementKind::Bool(_));
        let here = if operand.is_bool() && !is_left {
            uniform(operand, indices)
        } else {
            None
        };
        let here = here.filter(|cond| which == Which::All || !is_of_numbers(cond));
        match here {
            Some(value) => Some(Spanned {
                value: affirmed(value),
                span: operand.span,
            }),
            None => condition(operand, indices, which),
        }
    })
}

/// A condition without its negations: what decides the one decides the other.
fn affirmed(mut cond: BoolExpr) -> BoolExpr {
    while let BoolExpr::Not(of) = cond {
        cond = *of;
    }
    cond
}

/// The condition that `element` is, where it is the same for the whole block.
fn uniform(element: &Element, indices: &[VarId]) -> Option<BoolExpr> {
    let of = |operand: &Element| uniform(operand, indices).map(Box::new);
    Some(match &element.kind {
        ElementKind::Bool(value) => BoolExpr::Const(*value),
        ElementKind::CompareInt(op, a, b) => {
            let varies = |expr: &IntExpr| indices.iter().any(|var| expr.mentions(*var));
            if varies(a) || varies(b) {
                // `i < by * 32 + i` is the same for every `i`.
                let difference = Linear::difference(a, b).to_expr();
                if varies(&difference) {
                    return None;
                }
                BoolExpr::Compare(*op, difference, IntExpr::Const(0))
            } else {
                BoolExpr::Compare(*op, a.clone(), b.clone())
            }
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
                (Some(false), _) => return truth(false),
                (_, Some(false)) if !a.reads() => return truth(false),
                (Some(true), _) => return b,
                (_, Some(true)) => return a,
                // What the first has no value for has none.
                (None, None | Some(false)) => ElementKind::And(Box::new(a), Box::new(b)),
            }
        }
        ElementKind::Or(a, b) => {
            let (a, b) = (of(a), of(b));
            match (known(&a), known(&b)) {
                (Some(true), _) => return truth(true),
                (_, Some(true)) if !a.reads() => return truth(true),
                (Some(false), _) => return b,
                (_, Some(false)) => return a,
                (None, None | Some(true)) => ElementKind::Or(Box::new(a), Box::new(b)),
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
