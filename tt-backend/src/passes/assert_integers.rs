//! assert_integers: what no launch knows of integers, the kernel asserts.
//!
//! Before: Tile IR without uniform choices in elements. After: no integer that goes by what was read from tensors leaves 32 bits, and
//! none is divided by 0, unless an assertion before the statement says so. What a launch knows the ends of it checks itself
//! (`b1_partition_work::overflow`), what the least and the greatest values tell is not asserted, and what was asserted once holds for
//! the rest of the body. Assertions are computed in 64 bits, where nothing of 32 bits overflows.
//!
//! ```text
//!  copy(a[(p * 64, 0)], x)     ⟹   assert p * 64 <= 2147483647 && p * 64 >= -2147483648; copy(a[(p * 64, 0)], x)
//!  if p > 0 && n / p > 2 { }   ⟹   assert !(p > 0) || p != 0; if p > 0 && n / p > 2 { }
//! ```

#![warn(clippy::arithmetic_side_effects)]

use crate::bounds::{ANY, Bounds, Ends, Numbers};
use crate::codes;
use crate::ir::Kind;
use crate::passes::split_conditions::Tile;
use crate::pipeline::Pass;
use crate::verify::tile::{holds_elements, keeps};
use crate::verify::{Fault, unproved};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{
    Assign, BoolExpr, CompareOp, Element, ElementKind, For, IntExpr, IntOp, Kernel, Masks, Named, NumberExpr, Op,
    Place, PrintItem, Ranges, Span, Spanned, Stmt, VarId,
};

/// The pass.
pub const PASS: Pass<Tile, Tile> = Pass {
    name: "assert_integers",
    does: "what no launch knows of integers is asserted",
    run: |Tile { source, mut kernel }| {
        let body = std::mem::take(&mut kernel.body);
        (kernel.body, _) = run(&source, &kernel, body, Assertions::Looked)?;
        Ok(Tile { source, kernel })
    },
    check: |tile| {
        keeps(tile, [holds_elements])?;
        let Tile { source, kernel } = tile;
        match run(source, kernel, kernel.body.clone(), Assertions::Believed)? {
            (_, 0) => Ok(()),
            _ => Err(vec![unproved(
                kernel.span,
                &Fault("an integer is not asserted".to_string()),
            )]),
        }
    },
};

/// Runs the pass on `body`, that of what was made of `source`, which says of which types integers are read; also how much is asserted
/// that was not.
fn run(
    source: &Kernel,
    kernel: &Kernel,
    body: Vec<Stmt>,
    assertions: Assertions,
) -> Result<(Vec<Stmt>, usize), Vec<Diagnostic>> {
    let mut pass = Asserts {
        kernel,
        bounds: Bounds::of(source),
        assertions,
        asserted: Vec::new(),
        made: 0,
        errors: Vec::new(),
    };
    let body = pass.body(body);
    match pass.errors.is_empty() {
        true => Ok((body, pass.made)),
        false => Err(pass.errors),
    }
}

/// Whether the integers of assertions are held to 32 bits, too: not of those that the pass made, which are computed in 64.
#[derive(Clone, Copy, PartialEq)]
enum Assertions {
    Looked,
    Believed,
}

struct Asserts<'k> {
    kernel: &'k Kernel,
    bounds: Bounds<'k>,
    assertions: Assertions,
    /// What was asserted in the bodies around.
    asserted: Vec<BoolExpr>,
    /// How many assertions the pass made.
    made: usize,
    errors: Vec<Diagnostic>,
}

impl Asserts<'_> {
    fn body(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        let before = self.asserted.len();
        let mut out = Vec::with_capacity(body.len());
        for mut stmt in body {
            for (holds, text) in self.found(&stmt) {
                if !self.asserted.contains(&holds.value) {
                    self.asserted.push(holds.value.clone());
                    let span = holds.span;
                    let kind = Kind::Op(Op::Assert { cond: holds, text });
                    out.push(Stmt::new(span, kind));
                    self.made = self.made.saturating_add(1);
                }
            }
            match &stmt.kind {
                Kind::Op(Op::Assert { cond, .. }) => self.asserted.push(cond.value.clone()),
                Kind::Loop(For { var, start, end, .. }, _) => self.bounds.variable(*var, start, end),
                Kind::Op(Op::Fetch { var, from }) => self.bounds.fetched(*var, from),
                Kind::Op(
                    Op::Copy { .. }
                    | Op::Fill { .. }
                    | Op::Gemm { .. }
                    | Op::Parallel { .. }
                    | Op::Reduce { .. }
                    | Op::ReduceArg { .. }
                    | Op::Transpose { .. }
                    | Op::Print { .. },
                )
                | Kind::Group(..)
                | Kind::If(..) => {}
            }
            for inner in stmt.bodies_mut() {
                *inner = self.body(std::mem::take(inner));
            }
            out.push(stmt);
        }
        self.asserted.truncate(before);
        out
    }

    /// What has to be asserted before `stmt`.
    fn found(&mut self, stmt: &Stmt) -> Vec<(Spanned<BoolExpr>, String)> {
        let mut found = Found::at(stmt.note);
        match &stmt.kind {
            Kind::Loop(For { start, end, .. }, _) => {
                [start, end].iter().for_each(|bound| self.integer(bound, &mut found))
            }
            Kind::Op(Op::Assert { .. }) if self.assertions == Assertions::Believed => {}
            Kind::Op(Op::Assert { cond, .. }) | Kind::If(cond, _, _) => {
                found.span = cond.span;
                self.condition(&cond.value, &mut found);
            }
            Kind::Op(Op::Copy { src: a, dst: b } | Op::Gemm { a, b, .. }) => {
                for place in [a, b] {
                    let Place::Tensor(region) = place else { continue };
                    for axis in &region.axes {
                        found.span = axis.offset.span;
                        self.integer(&axis.offset.value, &mut found);
                        axis.count.iter().for_each(|count| self.integer(count, &mut found));
                    }
                }
            }
            Kind::Op(Op::Fill { value, .. }) => self.element(value, &Ranges::default(), &mut found),
            Kind::Op(Op::Parallel { indices, assigns }) => {
                found.indices = indices.iter().map(|(var, _)| *var).collect();
                let ranges = Ranges::of(indices);
                for Assign { target, value, .. } in assigns {
                    if target.indices.iter().any(is_computed) {
                        self.over(&ranges, &mut found);
                        found.span = target.span;
                        target.indices.iter().for_each(|index| self.integer(index, &mut found));
                    }
                    self.element(value, &ranges, &mut found);
                }
            }
            Kind::Op(Op::ReduceArg { base, .. }) => self.integer(base, &mut found),
            Kind::Op(Op::Fetch { from, .. }) => from.indices.iter().for_each(|index| self.integer(index, &mut found)),
            Kind::Op(Op::Print { items }) => {
                for item in items {
                    match item {
                        PrintItem::Value(value) => self.integer(value, &mut found),
                        PrintItem::Number(number) => self.number(number, &mut found),
                        PrintItem::Text(_) | PrintItem::Block { .. } => {}
                    }
                }
            }
            Kind::Op(Op::Reduce { .. } | Op::Transpose { .. }) | Kind::Group(..) => {}
        }
        found.out
    }

    /// The integers of an element, wherever they count.
    fn element(&mut self, value: &Element, ranges: &Ranges, found: &mut Found) {
        ranges.parts(value, &mut |part, ranges| {
            let integers: &[&IntExpr] = match &part.kind {
                ElementKind::Int(value) => &[value],
                ElementKind::CompareInt(_, a, b) => &[a, b],
                ElementKind::Load(access) if !access.indices.iter().any(is_computed) => &[],
                ElementKind::Load(access) => &access.indices.iter().collect::<Vec<_>>(),
                ElementKind::Float(_)
                | ElementKind::Bool(_)
                | ElementKind::Scalar(_)
                | ElementKind::Call(..)
                | ElementKind::Compare(..)
                | ElementKind::And(..)
                | ElementKind::Or(..)
                | ElementKind::Not(_)
                | ElementKind::Select(..)
                | ElementKind::Cast(..) => &[],
            };
            if !integers.iter().any(|integer| is_computed(integer)) {
                return;
            }
            self.over(ranges, found);
            found.span = part.span;
            integers.iter().for_each(|integer| self.integer(integer, found));
        });
    }

    /// From here on the indices of the loop are those in `ranges`.
    fn over(&mut self, ranges: &Ranges, found: &mut Found) {
        let masks = ranges.masks().cloned().unwrap_or_default();
        found.unless = masks.holds.iter().map(|holds| not(holds.clone())).collect();
        found.ends.clear();
        for var in &found.indices {
            let Some(numbers) = ranges.get(*var) else { continue };
            self.bounds.index(*var, numbers);
            let [least, most] = ends(numbers, &masks, *var);
            if least.as_const().is_none() || most.as_const().is_none() {
                found
                    .unless
                    .push(BoolExpr::Compare(CompareOp::Gt, least.clone(), most.clone()));
            }
            found.ends.push((*var, [least, most]));
        }
    }

    fn number(&mut self, number: &NumberExpr, found: &mut Found) {
        number.integers(&mut |integer| self.integer(integer, found));
    }

    /// The integers of a condition; those behind `&&` and `||` where it comes to them.
    fn condition(&mut self, cond: &BoolExpr, found: &mut Found) {
        match cond {
            BoolExpr::Const(_) => {}
            BoolExpr::Compare(_, a, b) => [a, b].iter().for_each(|side| self.integer(side, found)),
            BoolExpr::CompareNumbers(_, a, b) => [a, b].iter().for_each(|side| self.number(side, found)),
            BoolExpr::And(a, b) | BoolExpr::Or(a, b) => {
                self.condition(a, found);
                let otherwise = BoolExpr::clone(a);
                let is_and = matches!(cond, BoolExpr::And(..));
                found.unless.push(if is_and { not(otherwise) } else { otherwise });
                self.condition(b, found);
                found.unless.pop();
            }
            BoolExpr::Not(a) => self.condition(a, found),
        }
    }

    /// What `expr` is computed from, and then that it has a value.
    fn integer(&mut self, expr: &IntExpr, found: &mut Found) {
        let IntExpr::Binary(op, a, b) = expr else { return };
        if expr.is_launch_constant() {
            return;
        }
        self.integer(a, found);
        self.integer(b, found);
        let name = Named(self.kernel, expr);
        match op {
            IntOp::Add | IntOp::Sub | IntOp::Mul => {
                let is_known = self.bounds.ends(expr).is_some();
                if !is_known && let Some(fits) = self.fits(expr, ANY, found) {
                    found.assert(fits, format!("{name} fits in 32 bits"));
                }
            }
            IntOp::Div | IntOp::Rem | IntOp::CeilDiv => {
                if let Some(differs) = self.differs(b, 0, found) {
                    let by = Named(self.kernel, &**b);
                    found.assert(differs, format!("{by}, by which {name} divides, is not 0"));
                }
                let [least, _] = ANY;
                if let (Some(a), Some(b)) = (self.differs(a, least, found), self.differs(b, -1, found)) {
                    found.assert(or(a, b), format!("{name} fits in 32 bits"));
                }
            }
            IntOp::Min | IntOp::Max => {}
        }
    }

    /// That `expr` is one of these wherever it counts; nothing where that is known.
    fn fits(&mut self, expr: &IntExpr, [least, most]: Numbers, found: &Found) -> Option<BoolExpr> {
        let [low, high] = self.bounds.numbers(expr);
        if low >= least && high <= most {
            return None;
        }
        let [lowest, highest] = self.ends(expr, found)?;
        let below = (high > most).then(|| compare(CompareOp::Le, highest, most));
        let above = (low < least).then(|| compare(CompareOp::Ge, lowest, least));
        below.into_iter().chain(above).reduce(and)
    }

    /// Likewise that it is never `value`.
    fn differs(&mut self, expr: &IntExpr, value: i64, found: &Found) -> Option<BoolExpr> {
        let [low, high] = self.bounds.numbers(expr);
        if !(low..=high).contains(&value) {
            return None;
        }
        let [lowest, highest] = self.ends(expr, found)?;
        Some(match lowest == highest {
            true => compare(CompareOp::Ne, lowest, value),
            false => or(
                compare(CompareOp::Gt, lowest, value),
                compare(CompareOp::Lt, highest, value),
            ),
        })
    }

    /// The least and the greatest value of `expr` over the indices of the loop; what is too much to be written out is refused.
    fn ends(&mut self, expr: &IntExpr, found: &Found) -> Option<Ends> {
        let of_index = |part: &IntExpr| match part {
            IntExpr::Var(var) => found.ends.iter().find(|(known, _)| known == var),
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => {
                None
            }
        };
        let known = |part: &IntExpr| match of_index(part) {
            Some((_, ends)) => Some(ends.clone()),
            None => {
                let is_uniform = !found.indices.iter().any(|var| part.mentions(*var));
                is_uniform.then(|| [part.clone(), part.clone()])
            }
        };
        let ends = self.bounds.ends_over(expr, &known);
        if ends.is_none() {
            let message = "this integer of elements is too large to be held to 32 bits";
            let note = "name parts of it that are the same for the whole block, or hold them to less: `n.min(64)`";
            let error = Diagnostic::new(&codes::INTEGER_SIZE, found.span, message).note(note);
            if !self.errors.contains(&error) {
                self.errors.push(error);
            }
        }
        ends
    }
}

/// Whether an integer is more than one that is there: only then it may have no value.
fn is_computed(integer: &IntExpr) -> bool {
    matches!(integer, IntExpr::Binary(..))
}

/// The assertions of a statement, and what is around the integer that is looked at.
struct Found {
    out: Vec<(Spanned<BoolExpr>, String)>,
    span: Span,
    /// Where one of these holds, nothing comes to it.
    unless: Vec<BoolExpr>,
    /// Of a parallel loop.
    indices: Vec<VarId>,
    /// What the indices are there, at least and at most.
    ends: Vec<(VarId, Ends)>,
}

impl Found {
    fn at(span: Span) -> Found {
        Found {
            out: Vec::new(),
            span,
            unless: Vec::new(),
            indices: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn assert(&mut self, holds: BoolExpr, text: String) {
        let value = self.unless.iter().cloned().chain([holds]).reduce(or);
        let Some(value) = value.filter(|value| value.as_const() != Some(true)) else {
            return;
        };
        self.out.push((Spanned { value, span: self.span }, text));
    }
}

/// What an index is between `numbers` and what masks say.
fn ends([least, most]: Numbers, masks: &Masks, var: VarId) -> Ends {
    let narrowed = |op, number: i64, all: &[(VarId, IntExpr)]| {
        let bounds = all.iter().filter(|(known, _)| *known == var);
        let folded = bounds.map(|(_, bound)| bound.clone());
        folded.fold(IntExpr::Const(number), |a, b| IntExpr::binary(op, a, b))
    };
    [
        narrowed(IntOp::Max, least, &masks.least),
        narrowed(IntOp::Min, most, &masks.most),
    ]
}

fn compare(op: CompareOp, expr: IntExpr, with: i64) -> BoolExpr {
    BoolExpr::Compare(op, expr, IntExpr::Const(with))
}

fn and(a: BoolExpr, b: BoolExpr) -> BoolExpr {
    BoolExpr::And(Box::new(a), Box::new(b))
}

fn or(a: BoolExpr, b: BoolExpr) -> BoolExpr {
    BoolExpr::Or(Box::new(a), Box::new(b))
}

fn not(cond: BoolExpr) -> BoolExpr {
    BoolExpr::Not(Box::new(cond))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_that_did_nothing_is_noticed() {
        let text = "#[tt::kernel] fn k<const B: usize>(t: &Tensor<i32, B>, y: &mut Tensor<f32, B, 32>) {
            let b = T.Kernel(B.div_ceil(32)); let x = T.alloc_fragment::<f32>(32, 32);
            T.fill(x, (t[b] * 2) as f32); T.copy(x, y[(b * 32, 0)]); }";
        let function: syn::ItemFn = syn::parse_str(text).expect("Rust");
        let parsed = tt_lang::syntax::parse_item_fn(&function, "k.rs").expect("a kernel");
        let before = Tile::of(&parsed.kernel.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics)));
        assert!((PASS.check)(&before).is_err());
        assert!((PASS.check)(&(PASS.run)(before).expect("asserted")).is_ok());
    }
}
