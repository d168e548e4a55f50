//! What has a value, computed beside the values: for programs in which no condition on indices says it.
//!
//! Every block that may lack values gets another, its *validity*: 1 where an element has a value, 0 where it has none. A read
//! says by indices what it is there; every other definition computes it from the validities of what it reads. Uses choose by
//! it: what a gemm sums and what is reduced is 0, or the neutral element, where the validity is 0, and an element stays as it
//! was where what it is compounded with has none. Of elements that share an exponent those without a value are 0.
//!
//! ```text
//!  read x ← a[..]                   read x ← a[..];  x_valid = select(j < N - k * 64, 1, 0)
//!  y = select(x < 0, y, x)     ⟹    y = ..;          y_valid = and(x_valid, select(x < 0, y_valid, x_valid))
//!  s = reduce(sum, y)               s = reduce(sum, select(y_valid, y, 0))
//! ```

use super::past::{self, Beyond, Stored};
use super::{alone, choose, number};
use crate::flow::{
    BlockOp, BlockStmt, Blocks, Broadcast, Buffer, BufferId, BufferKind, Buffers, DefinitionId, Elementwise, Flow,
    Fold, Operand, Reduction, Sees, Shift, Sights, Value, ValueKind,
};
use crate::ir::{Kind, operations, replaced};
use std::collections::{BTreeMap, BTreeSet};
use tt_device::{are_whole_tiles, elements_along};
use tt_lang::ir::{ElementOp, Kernel, Span};
use tt_plan::DataFormat;

/// Adds the validities that uses ask for.
pub fn run(kernel: &Kernel, flow: &mut Flow<Blocks>, stored: &Stored) {
    let mut beyond = Beyond::new(kernel, flow, BTreeMap::new());
    let lacking = lacking(flow, &mut beyond);
    let body = std::mem::take(&mut flow.body);
    let mut this = Validity {
        beyond,
        stored,
        buffers: &mut flow.buffers,
        sights: &mut flow.sights,
        of_buffer: BTreeMap::new(),
        sums: BTreeMap::new(),
        of_definition: BTreeMap::new(),
    };
    for (buffer, _) in lacking.iter().enumerate().filter(|(_, lacks)| **lacks) {
        let Buffer { name, span, tiles, .. } = this.buffers[buffer].clone();
        let validity = this
            .buffers
            .local(&format!("{name}_valid"), span, DataFormat::Float16B, tiles);
        this.of_buffer.insert(BufferId(buffer), validity);
    }
    operations(&body, &mut |op| {
        let Some((buffer, id)) = op.defines() else { return };
        if let Some(sees) = op.adds_to() {
            this.sums.insert(id, sees);
        } else if this.of_buffer.contains_key(&buffer) {
            let validity = this.sights.define();
            this.of_definition.insert(id, validity);
        }
    });
    flow.body = replaced(body, &mut |span, op| this.op(op, span));
}

/// The buffers with elements that may have no value.
fn lacking(flow: &Flow<Blocks>, beyond: &mut Beyond<'_>) -> Vec<bool> {
    let mut lacking = vec![false; flow.buffers.len()];
    loop {
        let before = lacking.clone();
        operations(&flow.body, &mut |op| {
            let lacks = match op {
                BlockOp::Read(read) => !beyond.of_region(&read.region).is_empty(),
                BlockOp::Elementwise(elementwise) => {
                    let is_part = elementwise.extent.iter().any(|extent| !are_whole_tiles(*extent));
                    is_part || may_lack(kept(elementwise), &lacking)
                }
                BlockOp::Shift(shift) => {
                    let tiles = flow.buffers[shift.buffer.0].tiles;
                    let is_part = (0..2).any(|axis| !are_whole_tiles(shift.window.end(axis, tiles[axis])));
                    lacking[shift.from.0] || is_part
                }
                BlockOp::Gemm(_) | BlockOp::Write(_) | BlockOp::Inspect(_) | BlockOp::Fetch(_) => false,
            };
            if let Some((buffer, _)) = op.defines() {
                lacking[buffer.0] |= lacks;
            }
        });
        if lacking == before {
            return lacking;
        }
    }
}

/// The part of a value whose elements say which the result has.
fn kept(elementwise: &Elementwise) -> &Value {
    match elementwise.value.operands().first() {
        Some(held) if elementwise.compound => held,
        _ => &elementwise.value,
    }
}

fn may_lack(value: &Value, lacking: &[bool]) -> bool {
    match &value.kind {
        ValueKind::Load(operand) => lacking[operand.buffer.0],
        ValueKind::Reduce(reduction, _) if !reduction.fold.is_per_element() => false,
        ValueKind::Number(_)
        | ValueKind::Index(_)
        | ValueKind::Negative(_)
        | ValueKind::Integer(_)
        | ValueKind::Cast(..)
        | ValueKind::Call(..)
        | ValueKind::Compare(..)
        | ValueKind::And(..)
        | ValueKind::Or(..)
        | ValueKind::Not(_)
        | ValueKind::Select(..)
        | ValueKind::Reduce(..)
        | ValueKind::Pick(..) => value.operands().into_iter().any(|operand| may_lack(operand, lacking)),
    }
}

struct Validity<'a> {
    beyond: Beyond<'a>,
    /// The stores of blocks with edges past which the tensor goes on.
    stored: &'a Stored,
    buffers: &'a mut Buffers,
    sights: &'a mut Sights,
    /// The validity of each buffer that has one.
    of_buffer: BTreeMap<BufferId, BufferId>,
    /// What products add to: an element of the sum has a value where that has one.
    sums: BTreeMap<DefinitionId, Sees>,
    of_definition: BTreeMap<DefinitionId, DefinitionId>,
}

impl Validity<'_> {
    fn op(&mut self, op: BlockOp, span: Span) -> Vec<BlockStmt> {
        let mut out = Vec::new();
        let defines = op.defines();
        let validity = match op {
            BlockOp::Read(mut read) => {
                let mut is_valid = number(1.0, span);
                choose(&mut is_valid, &self.beyond.of_region(&read.region), &number(0.0, span));
                let extent = read.region.extent;
                read.region.zero_edge = [false; 2];
                out.push(BlockOp::Read(read));
                Some((extent, is_valid))
            }
            BlockOp::Elementwise(mut elementwise) => {
                let extent = elementwise.extent;
                let known = self.of(kept(&elementwise));
                let lacks = known.is_some();
                let mut is_valid = known.unwrap_or_else(|| number(1.0, span));
                let mut reads_target = false;
                is_valid.loads(&mut |operand, _| reads_target |= operand.buffer == elementwise.target);
                if reads_target {
                    is_valid = self.beforehand(elementwise.target, extent, is_valid, &mut out);
                }
                self.reductions(&mut elementwise.value);
                if elementwise.compound
                    && let ValueKind::Call(_, args) = &elementwise.value.kind
                    && let [held, other] = args.as_slice()
                    && let Some(is_valid) = self.of(other)
                {
                    let held = held.clone();
                    elementwise.value = selected(is_valid, elementwise.value, held);
                }
                if self.buffers[elementwise.target.0].format.shares_exponents() {
                    // What has no value is not to be the largest of those that are rounded beside each other.
                    let zero = number(0.0, span);
                    if lacks {
                        elementwise.value = selected(is_valid.clone(), elementwise.value, zero.clone());
                    }
                    choose(&mut elementwise.value, &ends(extent, [true; 2]), &zero);
                }
                out.push(BlockOp::Elementwise(elementwise));
                Some((extent, is_valid))
            }
            BlockOp::Gemm(mut gemm) => {
                (gemm.a, gemm.sees.a) = self.operand(gemm.a, gemm.sees.a, span, &mut out);
                (gemm.b, gemm.sees.b) = self.operand(gemm.b, gemm.sees.b, span, &mut out);
                let extent = [gemm.m, gemm.n].map(elements_along);
                let begins = gemm.sees.acc.is_none();
                out.push(BlockOp::Gemm(gemm));
                begins.then(|| (extent, number(1.0, span)))
            }
            BlockOp::Write(mut write) => {
                let held = plain(write.buffer, write.sees, span);
                if self.stored.contains_key(&write.stores())
                    && let Some(is_valid) = self.of(&held)
                {
                    out.push(alone(&mut write, is_valid, self.buffers, self.sights));
                }
                out.push(BlockOp::Write(write));
                None
            }
            BlockOp::Shift(shift) => {
                let is_valid = self.shifted(&shift, span, &mut out);
                let tiles = self.buffers[shift.buffer.0].tiles;
                let extent = [0, 1].map(|axis| shift.window.end(axis, tiles[axis]));
                out.push(BlockOp::Shift(shift));
                Some((extent, is_valid))
            }
            BlockOp::Inspect(_) | BlockOp::Fetch(_) => {
                out.push(op);
                None
            }
        };
        if let (Some((extent, value)), Some((buffer, id))) = (validity, defines)
            && let (Some(target), Some(id)) = (self.of_buffer.get(&buffer), self.of_definition.get(&id))
        {
            let mut value = value;
            choose(&mut value, &ends(extent, [true; 2]), &number(0.0, span));
            out.push(BlockOp::Elementwise(Elementwise {
                target: *target,
                defines: *id,
                extent: self.buffers[target.0].tiles.map(elements_along),
                value,
                compound: false,
            }));
        }
        out.into_iter().map(|op| BlockStmt::new(span, Kind::Op(op))).collect()
    }

    /// The validity of what is shifted, which is shifted too.
    fn shifted(&mut self, shift: &Shift, span: Span, out: &mut Vec<BlockOp>) -> Value {
        let Some(is_valid) = self.of(&plain(shift.from, shift.sees, span)) else {
            return number(1.0, span);
        };
        let [from, buffer] =
            [(shift.from, BufferKind::Outgoing), (shift.buffer, BufferKind::Shifted)].map(|(of, kind)| {
                let Buffer { name, tiles, .. } = self.buffers[of.0].clone();
                let name = format!("{name}_validity");
                self.buffers.add(&name, span, kind, DataFormat::Float16B, tiles)
            });
        let extent = self.buffers[from.0].tiles.map(elements_along);
        let sees = self.defined(from, extent, is_valid, out);
        let defines = self.sights.define();
        out.push(BlockOp::Shift(Shift {
            from,
            sees,
            buffer,
            defines,
            window: shift.window.clone(),
        }));
        plain(buffer, self.sights.sees(BTreeSet::from([defines])), span)
    }

    /// The definitions of a validity that stand for those of its buffer.
    fn sees(&mut self, sees: Sees) -> Sees {
        let mut all = BTreeSet::new();
        let mut known = BTreeSet::new();
        let mut open: Vec<DefinitionId> = self.sights.definitions(sees).iter().copied().collect();
        while let Some(id) = open.pop() {
            if !known.insert(id) {
                continue;
            }
            match self.sums.get(&id) {
                Some(sees) => open.extend(self.sights.definitions(*sees)),
                None => all.extend(self.of_definition.get(&id)),
            }
        }
        self.sights.sees(all)
    }

    /// What a gemm takes: zero where the operand has no value.
    fn operand(&mut self, buffer: BufferId, sees: Sees, span: Span, out: &mut Vec<BlockOp>) -> (BufferId, Sees) {
        let held = plain(buffer, sees, span);
        let Some(is_valid) = self.of(&held) else {
            return (buffer, sees);
        };
        let Buffer {
            name, format, tiles, ..
        } = self.buffers[buffer.0].clone();
        let target = self.buffers.local(&format!("{name}_masked"), span, format, tiles);
        let extent = tiles.map(elements_along);
        let masked = selected(is_valid, held, number(0.0, span));
        (target, self.defined(target, extent, masked, out))
    }

    /// The validity of what `target` is to hold, of which it reads what it holds until then.
    fn beforehand(&mut self, target: BufferId, extent: [u64; 2], is_valid: Value, out: &mut Vec<BlockOp>) -> Value {
        let span = is_valid.span;
        let Buffer { name, tiles, .. } = self.buffers[target.0].clone();
        let buffer = self
            .buffers
            .local(&format!("{name}_next"), span, DataFormat::Float16B, tiles);
        let sees = self.defined(buffer, extent, is_valid, out);
        plain(buffer, sees, span)
    }

    fn defined(&mut self, target: BufferId, extent: [u64; 2], value: Value, out: &mut Vec<BlockOp>) -> Sees {
        let defines = self.sights.define();
        out.push(BlockOp::Elementwise(Elementwise {
            target,
            defines,
            extent,
            value,
            compound: false,
        }));
        self.sights.sees(BTreeSet::from([defines]))
    }

    /// Leaves out of what is reduced the elements without a value.
    fn reductions(&mut self, value: &mut Value) {
        let span = value.span;
        value
            .operands_mut()
            .into_iter()
            .for_each(|operand| self.reductions(operand));
        let ValueKind::Reduce(reduction, source) = &mut value.kind else {
            return;
        };
        let is_valid = self.of(source);
        let ends = ends(reduction.extent, reduction.along);
        let neutral = number(reduction.fold.neutral(), span);
        let taken = std::mem::replace(&mut **source, neutral.clone());
        let mut taken = match is_valid.clone() {
            Some(is_valid) => selected(is_valid, taken, neutral.clone()),
            None => taken,
        };
        choose(&mut taken, &ends, &neutral);
        **source = taken;
        if let (true, Some(mut is_valid)) = (reduction.fold.is_per_element(), is_valid) {
            let sum = Reduction {
                fold: Fold::Sum,
                ..*reduction
            };
            choose(&mut is_valid, &ends, &number(0.0, span));
            let of = |kind| Value { kind, span };
            let count = of(ValueKind::Reduce(sum, Box::new(is_valid)));
            // The mean of nothing has no value: any will do.
            let count = of(ValueKind::Call(ElementOp::Max, vec![count, number(1.0, span)]));
            let sum = of(ValueKind::Reduce(sum, source.clone()));
            value.kind = ValueKind::Call(ElementOp::Div, vec![sum, count]);
        }
    }

    /// 1 where `value` has one, else 0; nothing where it has one everywhere.
    fn of(&mut self, value: &Value) -> Option<Value> {
        let of = |kind| Value { kind, span: value.span };
        match &value.kind {
            ValueKind::Number(_) | ValueKind::Index(_) | ValueKind::Negative(_) | ValueKind::Integer(_) => None,
            ValueKind::Load(operand) => {
                let buffer = *self.of_buffer.get(&operand.buffer)?;
                let sees = operand.sees.map(|sees| self.sees(sees));
                Some(of(ValueKind::Load(Operand {
                    buffer,
                    sees,
                    ..*operand
                })))
            }
            ValueKind::Reduce(reduction, source) if reduction.fold.is_per_element() => {
                let mut is_valid = self.of(source)?;
                choose(
                    &mut is_valid,
                    &ends(reduction.extent, reduction.along),
                    &number(0.0, value.span),
                );
                let any = Reduction {
                    fold: Fold::Max,
                    ..*reduction
                };
                Some(of(ValueKind::Reduce(any, Box::new(is_valid))))
            }
            ValueKind::Reduce(..) => None,
            ValueKind::Pick(pick, source) => {
                let is_valid = self.of(source)?;
                Some(of(ValueKind::Pick(pick.clone(), Box::new(is_valid))))
            }
            ValueKind::Select(condition, a, b) => {
                let asked = self.of(condition);
                let sides = [self.of(a), self.of(b)];
                let chosen = match sides {
                    [None, None] => None,
                    sides => {
                        let [a, b] = sides.map(|side| side.unwrap_or_else(|| number(1.0, value.span)));
                        Some(selected((**condition).clone(), a, b))
                    }
                };
                both(asked, chosen)
            }
            // The second where the first does not decide.
            ValueKind::And(a, b) | ValueKind::Or(a, b) => {
                let asked = self.of(a);
                let is_and = matches!(value.kind, ValueKind::And(..));
                let second = self.of(b).map(|second| {
                    let decides = number(1.0, value.span);
                    let [then, otherwise] = if is_and { [second, decides] } else { [decides, second] };
                    selected((**a).clone(), then, otherwise)
                });
                both(asked, second)
            }
            ValueKind::Cast(..) | ValueKind::Call(..) | ValueKind::Compare(..) | ValueKind::Not(_) => value
                .operands()
                .into_iter()
                .map(|operand| self.of(operand))
                .fold(None, both),
        }
    }
}

/// What `buffer` holds, as it stands there.
fn plain(buffer: BufferId, sees: Sees, span: Span) -> Value {
    let kind = ValueKind::Load(Operand {
        buffer,
        offset: [0, 0],
        broadcast: Broadcast::None,
        sees: Some(sees),
    });
    Value { kind, span }
}

/// Where both have a value.
fn both(a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) if a == b => Some(a),
        (Some(a), Some(b)) => {
            let span = a.span;
            let kind = ValueKind::And(Box::new(a), Box::new(b));
            Some(Value { kind, span })
        }
        (one, other) => one.or(other),
    }
}

fn selected(condition: Value, a: Value, b: Value) -> Value {
    let span = a.span;
    let kind = ValueKind::Select(Box::new(condition), Box::new(a), Box::new(b));
    Value { kind, span }
}

/// Where a block's elements end along these axes, within a tile.
fn ends(extent: [u64; 2], along: [bool; 2]) -> past::Mask {
    let ends = (0..2)
        .filter(|axis| along[*axis])
        .filter_map(|axis| past::end(axis, extent[axis]));
    ends.map(|end| vec![end]).collect()
}
