//! pad_tiles: where the rest of an edge tile must be zero.
//!
//! Before: Flow IR over blocks, whose edge tiles hold anything past a tensor (C1). After: nothing that is summed, reduced or stored comes
//! from there.
//!
//! A tensor's last tiles may be filled only in part, and nobody promises what the rest holds. Where a block is stored at the
//! edge that it was read at, results there are dropped. Three uses reach past it: a gemm, which sums over it, a reduction, and
//! a store somewhere else, of elements that were shifted or to a tensor that is larger. So what is copied from a tensor and
//! used by a gemm gets its edges zeroed by the reader, and so does what an operand is computed from that is zero where that is
//! (`past`), and everything that is stored past an edge of its own. An operand that is not zero there is computed anew: zero
//! where it has no value, by a condition on indices. What is reduced has the neutral element there. Where no condition on
//! indices says where that is (an edge of another turn of a loop, a choice that keeps some elements within an edge), it is
//! computed beside the values of the whole program (`validity`).
//!
//! Elements that share an exponent are rounded by what lies beside them: a block of them is like an operand of a gemm along its
//! rows, zero past its last column.
//!
//! A block that is printed says which of its elements have a value, by the same conditions.
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
mod validity;

use crate::codes;
use crate::flow::{
    BlockOp, BlockStmt, Blocks, Buffer, BufferId, BufferKind, Buffers, DefinitionId, Elementwise, Flow, Fold, Index,
    Inspection, Pace, Reduction, Rows, Sees, Sights, Transfer, Value, ValueKind, Write,
};
use crate::ir::{Forward, Kind, operations, operations_mut, replaced};
use crate::pipeline::{Pass, Unit};
use crate::verify::flow::blocks;
use edges::{Edge, Past};
use past::{Beyond, Mask, Neutral, Reduced};
use std::collections::{BTreeMap, BTreeSet};
use tt_device::elements_along;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{ElementOp, IntExpr, Kernel, Span};
use tt_plan::{DataFormat, Number};

/// The pass.
pub const PASS: Pass<Unit<Flow<Blocks>>, Unit<Flow<Blocks>>> = Pass {
    name: "pad_tiles",
    does: "edges that must be zero",
    run: |unit| unit.changed(|facts, flow| run(&facts.kernel, flow)),
    check: blocks,
};

/// Runs the pass.
pub fn run(kernel: &Kernel, flow: &mut Flow<Blocks>) -> Result<(), Vec<Diagnostic>> {
    let shared = sharing_exponents(flow);
    let mut beyond = Beyond::new(kernel, flow, shared);
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
    operations_mut(&mut flow.body, &mut |op| {
        if let BlockOp::Inspect(Inspection::Block(block)) = op {
            block.has_value = beyond.printed.get(&block.sees).cloned().unwrap_or_default();
        }
    });
    let sharing = beyond.stored().iter().filter_map(|((_, region), (span, _))| {
        let element = kernel.tensor(region.tensor)?.element.value;
        DataFormat::of(element).shares_exponents().then_some((*span, element))
    });
    if let Some((span, element)) = sharing.min_by_key(|(span, _)| *span) {
        let element = element.name();
        let message = format!("some of these elements of `{element}` may have no value, and are not stored alone");
        let error = Diagnostic::new(&codes::PART_OF_TILE, span, message);
        return Err(vec![
            error.note("rows of 16 elements share an exponent: store them to `bf16` or `f32`"),
        ]);
    }
    match zeroed(flow, &beyond) {
        Some(zeroed) => masked(flow, &beyond, &zeroed),
        None => validity::run(kernel, flow, beyond.stored()),
    }
    Ok(())
}

/// The buffers whose edges the reader zeroes; nothing where indices do not say what has a value.
fn zeroed(flow: &Flow<Blocks>, beyond: &Beyond<'_>) -> Option<BTreeSet<BufferId>> {
    let is_told = beyond.reduced.values().flatten().all(|reduced| reduced.mask.is_some())
        && beyond.stored().values().all(|(_, mask)| mask.is_some());
    if !is_told || !beyond.wrong().is_empty() {
        return None;
    }
    let mut operands = Vec::new();
    for product in beyond.products() {
        operands.extend(product.zeroed(flow)?);
    }
    Some(beyond.incoming(flow, operands))
}

/// Puts numbers where elements have no value: edges are zeroed only where that is needed.
fn masked(flow: &mut Flow<Blocks>, beyond: &Beyond<'_>, zeroed: &BTreeSet<BufferId>) {
    operations_mut(&mut flow.body, &mut |op| match op {
        BlockOp::Read(read) if !zeroed.contains(&read.buffer) => read.region.zero_edge = [false; 2],
        BlockOp::Elementwise(elementwise) => masked_value(elementwise, beyond),
        BlockOp::Read(_)
        | BlockOp::Write(_)
        | BlockOp::Shift(_)
        | BlockOp::Inspect(_)
        | BlockOp::Fetch(_)
        | BlockOp::Gemm(_) => {}
    });
    let Flow { buffers, sights, body } = flow;
    *body = replaced(std::mem::take(body), &mut |span, mut op| {
        let mut before = None;
        if let BlockOp::Write(write) = &mut op
            && let Some((_, Some(mask))) = beyond.stored().get(&write.stores())
        {
            let mut is_stored = number(1.0, span);
            choose(&mut is_stored, mask, &number(0.0, span));
            before = Some(alone(write, is_stored, buffers, sights));
        }
        let all = before.into_iter().chain([op]);
        all.map(|op| BlockStmt::new(span, Kind::Op(op))).collect()
    });
}

/// Has `write` store those elements alone of which `is_stored` is not 0: what makes the block that says so.
fn alone(write: &mut Write, is_stored: Value, buffers: &mut Buffers, sights: &mut Sights) -> BlockOp {
    let Buffer { name, span, tiles, .. } = buffers[write.buffer.0].clone();
    let name = format!("{name}_stored");
    let target = buffers.add(&name, span, BufferKind::Outgoing, DataFormat::Float16B, tiles);
    let defines = sights.define();
    write.stored = Some((target, sights.sees(BTreeSet::from([defines]))));
    if matches!(write.region.transfer, Transfer::Pages(_)) {
        let first = write.region.transfer.first();
        let count = write
            .region
            .extent
            .map(|extent| IntExpr::Const(i64::try_from(extent).unwrap_or(i64::MAX)));
        write.region.transfer = Transfer::Rows(Rows {
            first,
            count,
            pace: Pace::PLAIN,
            along: None,
        });
    }
    BlockOp::Elementwise(Elementwise {
        target,
        defines,
        extent: tiles.map(elements_along),
        value: is_stored,
        compound: false,
    })
}

/// The definitions by element expressions of blocks whose elements share exponents, and a use of each alone.
fn sharing_exponents(flow: &mut Flow<Blocks>) -> BTreeMap<DefinitionId, Sees> {
    let mut found = Vec::new();
    operations(&flow.body, &mut |op| {
        if let BlockOp::Elementwise(elementwise) = op
            && flow.buffers[elementwise.target.0].format.shares_exponents()
        {
            found.push(elementwise.defines);
        }
    });
    let mut sees = |id| (id, flow.sights.sees(BTreeSet::from([id])));
    found.into_iter().map(&mut sees).collect()
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
        let is_refused = product.zeroed(flow).is_none();
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
fn masked_value(elementwise: &mut Elementwise, beyond: &Beyond<'_>) {
    let reduced = beyond.reduced.get(&elementwise.defines);
    reductions(&mut elementwise.value, reduced.map_or(&[], Vec::as_slice));
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
}

fn reductions(value: &mut Value, all: &[Reduced]) {
    let span = value.span;
    // What stands around it has been changed, it has not.
    let known = all.iter().find(|reduced| reduced.value == *value);
    if let ValueKind::Reduce(reduction, source) = &mut value.kind {
        let mut mask = known.and_then(|reduced| reduced.mask.clone()).unwrap_or_default();
        for axis in (0..2).filter(|axis| reduction.along[*axis]) {
            let end = past::end(axis, reduction.extent[axis]).map(|end| vec![end]);
            mask.extend(end.filter(|end| !mask.contains(end)));
        }
        choose(source, &mask, &number(reduction.fold.neutral(), span));
        reductions(source, all);
        if reduction.fold.is_per_element() && !mask.is_empty() {
            let valid = number(1.0, span);
            let sum = Reduction {
                fold: Fold::Sum,
                ..*reduction
            };
            let count = match past::count(reduction, &mask) {
                Some(count) => ValueKind::Index(count),
                None => {
                    let mut counted = valid.clone();
                    choose(&mut counted, &mask, &number(0.0, span));
                    let count = ValueKind::Reduce(sum, Box::new(counted));
                    ValueKind::Call(ElementOp::Max, vec![Value { kind: count, span }, valid])
                }
            };
            let kind = ValueKind::Reduce(sum, source.clone());
            value.kind = ValueKind::Call(ElementOp::Div, vec![Value { kind, span }, Value { kind: count, span }]);
        }
        return;
    }
    for operand in value.operands_mut() {
        reductions(operand, all);
    }
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
}

impl Product {
    /// The operands of which what they are computed from has to be zero past its edges for the sums to be right, if that is enough.
    fn zeroed(&self, flow: &Flow<Blocks>) -> Option<Vec<BufferId>> {
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
        if self.is_safe(incoming, incoming) {
            // Past an edge of the other axis sums stay as they were if the operand is zero there.
            let needed = self.operands.iter().zip(incoming);
            let needed = needed.filter(|(operand, incoming)| *incoming || operand.kept.edges().next().is_some());
            return Some(needed.map(|(operand, _)| operand.buffer).collect());
        }
        let zero = self.operands.each_ref().map(|operand| operand.past.is_zero());
        self.is_safe(zero, [true, true])
            .then(|| self.operands.iter().map(|operand| operand.buffer).collect())
    }

    /// Whether nothing is summed past an edge: there an operand is `zero`, or the other one is, which is `known` of it.
    /// A product with zero is zero on the FPU, whatever the other number is (patterns.md §6).
    fn is_safe(&self, zero: [bool; 2], known: [bool; 2]) -> bool {
        let covers = |at: usize, edge: &Edge| known[at] && self.operands[at].past.is_zero_past(edge);
        (0..2).all(|at| zero[at] || self.operands[at].past.edges().all(|edge| covers(1 - at, edge)))
    }
}
