//! pad_tiles: where the rest of an edge tile must be zero.
//!
//! A tensor's last tiles may be filled only in part, and nobody promises what the rest holds. Where a block is stored at the
//! edge that it was read at, results there are dropped. Three uses reach past it: a gemm, which sums over it, a reduction, and
//! a store somewhere else, of elements that were shifted or to a tensor that is larger. So what is copied from a tensor and
//! used by a gemm gets its edges zeroed by the reader, and so does what an operand is computed from that is zero where that is
//! (`past`), and everything that is stored past an edge of its own. An operand that is not zero there is computed anew: zero
//! where it has no value, by a condition on indices. What is reduced has the neutral element there. Where no condition on
//! indices says where that is (an edge of another turn of a loop, a choice that keeps some elements within an edge), the
//! program is refused.
//!
//! What is past the edges of a block is known at every point of the program: it differs by path, and an edge of another turn
//! of a loop is another edge.
//!
//! ```text
//!  read a_block ← a[..]           read a_block ← a[..], zero past the edge
//!  acc += a_block · b_block   ⟹   acc += a_block · b_block
//!  s = reduce(sum, exp(x))        s = reduce(sum, select(j < N - k * 64, exp(x), 0))
//! ```

mod edges;
mod past;

use crate::codes;
use crate::flow::{
    BlockOp, Blocks, BufferId, BufferKind, DefinitionId, Elementwise, Flow, Fold, Index, Reduction, Sees, Value,
    ValueKind,
};
use crate::ir::{Forward, operations, operations_mut};
use crate::pipeline::{Pass, Unit};
use crate::verify::flow::blocks;
use edges::{Edge, Past};
use past::{Beyond, Mask, Neutral, Reduced};
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{ElementOp, Kernel, Span};
use tt_plan::Number;

/// The pass.
pub const PASS: Pass<Unit<Flow<Blocks>>, Unit<Flow<Blocks>>> = Pass {
    name: "pad_tiles",
    does: "edges that must be zero",
    run: |unit| unit.changed(|facts, flow| run(&facts.kernel, flow)),
    check: blocks,
};

/// Runs the pass.
pub fn run(kernel: &Kernel, flow: &mut Flow<Blocks>) -> Result<(), Vec<Diagnostic>> {
    let mut beyond = Beyond::new(kernel, flow);
    let computed = computed(flow);
    loop {
        beyond.follow(&flow.body);
        let wanted = unmasked(flow, &beyond, &computed);
        let keeps = beyond.asks_to_keep() || !beyond.compounds.is_empty() && !wanted.is_empty();
        if wanted.is_empty() && (beyond.keeps || !keeps) {
            break;
        }
        // What is masked depends on what is kept.
        match keeps && !beyond.keeps {
            true => beyond.keeps = true,
            false => beyond.masked.extend(wanted),
        }
    }
    let mut errors = Vec::new();
    let mut zeroed = BTreeSet::new();
    for product in beyond.products() {
        match product.zeroed(flow, &beyond) {
            Some(buffers) => zeroed.extend(buffers),
            None => errors.push(refused(
                product.span,
                "the sum of this gemm may reach past the edge of a computed operand",
            )),
        }
    }
    // What comes of a gemm that is refused is no second error.
    if errors.is_empty() {
        let message = "what is stored here may lie past the edge of a computed operand of the gemm that it comes from";
        errors.extend(beyond.wrong().iter().map(|span| refused(*span, message)));
    }
    for buffer in beyond.stored_past_an_edge() {
        zeroed.extend(beyond.incoming(flow, buffer));
    }
    operations_mut(&mut flow.body, &mut |op| match op {
        // Edges are zeroed only where it is needed.
        BlockOp::Read(read) if !zeroed.contains(&read.buffer) => read.region.zero_edge = [false; 2],
        BlockOp::Elementwise(elementwise) => {
            if let Err(span) = masked(elementwise, &beyond) {
                errors.push(refused(span, "what is reduced here may reach past an edge"));
            }
        }
        BlockOp::Read(_) | BlockOp::Write(_) | BlockOp::Gemm(_) => {}
    });
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn refused(span: Span, message: &str) -> Diagnostic {
    Diagnostic::new(&codes::EDGE_OPERAND, span, message)
        .note("no condition on indices says where it has a value: it was read in another turn of a loop, on one path only, or a choice by other indices keeps some of it")
        .note("use extents that divide evenly, or compute it where it is read")
}

/// The definitions by element expressions alone of every buffer that has no others.
fn computed(flow: &Flow<Blocks>) -> BTreeSet<DefinitionId> {
    let mut out = BTreeSet::new();
    operations(&flow.body, &mut |op| {
        if let BlockOp::Elementwise(elementwise) = op {
            out.insert(elementwise.defines);
        }
    });
    out
}

/// The definitions that have to hold a number where they have no value, and do not yet: zero those of operands that a sum may
/// reach past an edge of, and where sums are stored past an edge, those of operands that are not zero there; the neutral
/// element those of what is reduced, where that cannot see what has a value.
fn unmasked(
    flow: &Flow<Blocks>,
    beyond: &Beyond<'_>,
    computed: &BTreeSet<DefinitionId>,
) -> BTreeMap<DefinitionId, Neutral> {
    let mut out = BTreeMap::new();
    let mut want = |sees: Sees, neutral: Neutral| {
        let definitions = flow.sights.definitions(sees).intersection(computed);
        let new = definitions.filter(|id| !beyond.masked.contains_key(id));
        for id in new {
            out.entry(*id).or_insert(neutral);
        }
    };
    let summed = beyond.products().iter().flat_map(|product| &product.operands);
    let is_used = |operand: &Summed| operand.past.wrong().next().is_some() || operand.kept.wrong().next().is_some();
    let uses_wrong = !beyond.wrong().is_empty()
        || beyond.reduced.values().flatten().any(|reduced| reduced.mask.is_none())
        || summed.into_iter().any(is_used);
    for product in beyond.products() {
        let is_refused = product.zeroed(flow, beyond).is_none();
        for operand in &product.operands {
            let is_wrong = uses_wrong && !operand.kept.is_zero();
            if is_wrong || is_refused && !operand.past.is_zero() {
                want(operand.sees, 0f32.to_bits());
            }
        }
    }
    for reduced in beyond.reduced.values().flatten() {
        if let (None, Some((sees, neutral))) = (&reduced.mask, reduced.block) {
            want(sees, neutral);
        }
    }
    out
}

/// Puts the neutral element where what is reduced has no value, and zero where the value of an operand has none.
///
/// # Errors
/// The place of what is reduced, where no condition on indices says so.
fn masked(elementwise: &mut Elementwise, beyond: &Beyond<'_>) -> Result<(), Span> {
    let mut reduced = beyond.reduced.get(&elementwise.defines).into_iter().flatten();
    reductions(&mut elementwise.value, &mut reduced)?;
    if let Some(Some(mask)) = beyond.compounds.get(&elementwise.defines)
        && let Some(held) = elementwise.value.operands().first().map(|held| (*held).clone())
    {
        choose(&mut elementwise.value, mask, &held);
    }
    if let Some(Some(mask)) = beyond.masks.get(&elementwise.defines) {
        let neutral = beyond
            .masked
            .get(&elementwise.defines)
            .map_or(0.0, |bits| f32::from_bits(*bits));
        let neutral = number(neutral, elementwise.value.span);
        choose(&mut elementwise.value, mask, &neutral);
    }
    Ok(())
}

fn reductions<'a>(value: &mut Value, all: &mut impl Iterator<Item = &'a Reduced>) -> Result<(), Span> {
    let span = value.span;
    if let ValueKind::Reduce(reduction, source) = &mut value.kind {
        let mut mask = all.next().and_then(|reduced| reduced.mask.clone()).ok_or(span)?;
        for axis in (0..2).filter(|axis| reduction.along[*axis]) {
            let end = past::end(axis, reduction.extent[axis]).map(|end| vec![end]);
            mask.extend(end.filter(|end| !mask.contains(end)));
        }
        choose(source, &mask, &number(reduction.fold.neutral(), span));
        reductions(source, all)?;
        if reduction.fold == Fold::Mean && !mask.is_empty() {
            let count = past::count(reduction, &mask).ok_or(span)?;
            let count = Value {
                kind: ValueKind::Index(count),
                span,
            };
            let sum = Reduction {
                fold: Fold::Sum,
                ..*reduction
            };
            let kind = ValueKind::Reduce(sum, source.clone());
            value.kind = ValueKind::Call(ElementOp::Div, vec![Value { kind, span }, count]);
        }
        return Ok(());
    }
    value
        .operands_mut()
        .into_iter()
        .try_for_each(|operand| reductions(operand, all))
}

fn number(number: f32, span: Span) -> Value {
    let kind = ValueKind::Number(Number::constant(number));
    Value { kind, span }
}

/// `value` where it has one, else `otherwise`.
fn choose(value: &mut Value, mask: &Mask, otherwise: &Value) {
    let span = value.span;
    for any in mask {
        let negative = |index: &Index| Value {
            kind: ValueKind::Negative(index.clone()),
            span,
        };
        let either = |a: Value, b: Value| Value {
            kind: ValueKind::Or(Box::new(b), Box::new(a)),
            span,
        };
        let Some(has_value) = any.iter().rev().map(negative).reduce(either) else {
            continue;
        };
        let of = std::mem::replace(value, otherwise.clone());
        let kind = ValueKind::Select(Box::new(has_value), Box::new(of), Box::new(otherwise.clone()));
        *value = Value { kind, span };
    }
}

/// An operand of a gemm, along the axis that is summed over.
struct Summed {
    buffer: BufferId,
    sees: Sees,
    past: Past,
    /// What is past the edges of the other axis.
    kept: Past,
}

/// A gemm, as the pass sees it.
struct Product {
    operands: [Summed; 2],
    span: Span,
}

impl Product {
    /// The incoming buffers that have to be zero past their edges for the sums to be right, if that is enough.
    fn zeroed(&self, flow: &Flow<Blocks>, beyond: &Beyond<'_>) -> Option<Vec<BufferId>> {
        if self
            .operands
            .iter()
            .any(|operand| operand.past.wrong().next().is_some())
        {
            return None;
        }
        let incoming = self
            .operands
            .each_ref()
            .map(|operand| flow.buffers[operand.buffer.0].kind == BufferKind::Incoming);
        let of_operands = self.operands.iter().map(|operand| operand.buffer);
        if self.is_safe(incoming, incoming) {
            return Some(
                of_operands
                    .zip(incoming)
                    .filter_map(|(buffer, is)| is.then_some(buffer))
                    .collect(),
            );
        }
        let zero = self.operands.each_ref().map(|operand| operand.past.is_zero());
        let sources = of_operands.flat_map(|buffer| beyond.incoming(flow, buffer));
        self.is_safe(zero, [true, true]).then(|| sources.collect())
    }

    /// Whether nothing is summed past an edge: there an operand is `zero`, or the other one is, which is `known` of it.
    /// A product with zero is zero on the FPU, whatever the other number is (patterns.md §6).
    fn is_safe(&self, zero: [bool; 2], known: [bool; 2]) -> bool {
        let covers = |at: usize, edge: &Edge| known[at] && self.operands[at].past.is_zero_past(edge);
        (0..2).all(|at| zero[at] || self.operands[at].past.edges().all(|edge| covers(1 - at, edge)))
    }
}
