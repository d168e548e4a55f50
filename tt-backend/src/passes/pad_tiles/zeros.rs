//! Which computed blocks are zero past an edge, once what they are computed from is.
//!
//! `x · y`, `relu(x)` or `silu(x) · y` of zeros are zero; `exp(x)` is not, nor is `x · s`, where `s` is only known at launch
//! and may be infinite. Only what every chip computes as exactly zero counts (docs/numbers.md, the column of 0).

use super::{Edge, Ragged};
use crate::flow::{Broadcast, BufferId, BufferKind, Flow, FlowOp, FlowStmt, Gemm, Operand, Value, ValueKind};
use crate::ir::operations;
use std::collections::BTreeSet;
use tt_device::OfZeros;
use tt_lang::ir::ElementOp;
use tt_plan::Number;

/// The blocks that are zero past their edges.
pub struct Zeros<'a> {
    ragged: &'a Ragged<'a>,
    /// By buffer, along rows and columns.
    along: Vec<[bool; 2]>,
    /// By buffer, what it is computed from.
    sources: Vec<BTreeSet<usize>>,
}

impl Zeros<'_> {
    /// Everything is zero until a statement shows that it is not.
    pub fn of<'a>(flow: &Flow, ragged: &'a Ragged<'a>) -> Zeros<'a> {
        let mut this = Zeros {
            ragged,
            along: vec![[true; 2]; flow.buffers.len()],
            sources: vec![BTreeSet::new(); flow.buffers.len()],
        };
        loop {
            let before = this.along.clone();
            this.operations(&flow.body);
            if this.along == before {
                return this;
            }
        }
    }

    /// Whether `buffer` is zero past its edges along an axis if the buffers of [`Zeros::incoming`] are.
    pub fn along(&self, buffer: BufferId, axis: usize) -> bool {
        self.along[buffer.0][axis]
    }

    /// The incoming buffers that `buffer` is computed from, itself included.
    pub fn incoming(&self, flow: &Flow, buffer: BufferId) -> Vec<usize> {
        let mut all = BTreeSet::new();
        let mut open = vec![buffer.0];
        while let Some(next) = open.pop() {
            if all.insert(next) {
                open.extend(&self.sources[next]);
            }
        }
        all.retain(|buffer| flow.buffers[*buffer].kind == BufferKind::Incoming);
        all.into_iter().collect()
    }

    fn operations(&mut self, body: &[FlowStmt]) {
        operations(body, &mut |op| match op {
            // Versions with different edges: none is zero past those of another.
            FlowOp::Read { buffer, region, .. } => {
                for axis in 0..2 {
                    self.along[buffer.0][axis] &= self.ragged.edge(region, axis) == self.ragged.buffers[buffer.0][axis];
                }
            }
            FlowOp::Elementwise(elementwise) => {
                let target = elementwise.target.0;
                loads(&elementwise.value, &mut self.sources[target]);
                for axis in 0..2 {
                    let mut edges = self.ragged.buffers[target][axis].iter();
                    self.along[target][axis] &= edges.all(|edge| self.is_zero(&elementwise.value, axis, edge));
                }
            }
            FlowOp::Gemm(gemm) => self.gemm(gemm),
            FlowOp::Write { .. }
            | FlowOp::Blank { .. }
            | FlowOp::Release { .. }
            | FlowOp::Section(_)
            | FlowOp::Multiply(_) => {}
        });
    }

    /// A row of a product is zero where the left operand's row is, a column where the right operand's is.
    fn gemm(&mut self, gemm: &Gemm) {
        let acc = gemm.acc.0;
        self.sources[acc].extend([gemm.a.0, gemm.b.0]);
        let operands = [
            (gemm.a.0, usize::from(gemm.transpose_a)),
            (gemm.b.0, usize::from(!gemm.transpose_b)),
        ];
        for (axis, (operand, along)) in operands.into_iter().enumerate() {
            let has = &self.ragged.buffers[operand][along];
            self.along[acc][axis] &= self.along[operand][along] && self.ragged.buffers[acc][axis].is_subset(has);
        }
    }

    /// Whether a value is zero past an edge along an axis.
    fn is_zero(&self, value: &Value, axis: usize, edge: &Edge) -> bool {
        match &value.kind {
            ValueKind::Number(_) => literal(value) == Some(0.0),
            ValueKind::Load(operand) => self.loads_zero(operand, axis, edge),
            ValueKind::Call(op, args) => self.call_is_zero(*op, args, axis, edge),
            ValueKind::Select(_, a, b) => self.is_zero(a, axis, edge) && self.is_zero(b, axis, edge),
            ValueKind::Accumulator
            | ValueKind::Compare(..)
            | ValueKind::And(..)
            | ValueKind::Or(..)
            | ValueKind::Not(_) => false,
        }
    }

    fn loads_zero(&self, operand: &Operand, axis: usize, edge: &Edge) -> bool {
        let of = match (operand.broadcast, axis) {
            (Broadcast::None, _) | (Broadcast::Row, 1) | (Broadcast::Column, 0) => axis,
            (Broadcast::Transpose, _) => 1 - axis,
            (Broadcast::Row | Broadcast::Column | Broadcast::Scalar, _) => return false,
        };
        self.along[operand.buffer.0][of] && self.ragged.load(operand)[axis].contains(edge)
    }

    fn call_is_zero(&self, op: ElementOp, args: &[Value], axis: usize, edge: &Edge) -> bool {
        let zero = |at: usize| self.is_zero(&args[at], axis, edge);
        let number = |at: usize| literal(&args[at]).filter(|number| number.is_finite());
        let (uniform, elements) = (op.row().uniform, op.row().arity - op.row().uniform);
        match op.row().of_zeros {
            OfZeros::NotZero => false,
            OfZeros::Zero => (0..elements).all(zero) && (elements..elements + uniform).all(|at| number(at).is_some()),
            OfZeros::Product => zero(0) && zero(1) || zero(0) && number(1).is_some() || zero(1) && number(0).is_some(),
            // It is multiplied with the reciprocal, which has to be finite too.
            OfZeros::Quotient => zero(0) && number(1).is_some_and(|number| number.abs() > 1e-30),
            OfZeros::Larger => {
                let at_most = |at: usize| zero(at) || number(at).is_some_and(|number| number <= 0.0);
                zero(0) && at_most(1) || zero(1) && at_most(0)
            }
            OfZeros::Smaller => {
                let at_least = |at: usize| zero(at) || number(at).is_some_and(|number| number >= 0.0);
                zero(0) && at_least(1) || zero(1) && at_least(0)
            }
            OfZeros::Clamped => {
                zero(0) && number(1).is_some_and(|low| low <= 0.0) && number(2).is_some_and(|high| high >= 0.0)
            }
        }
    }
}

/// The number in the source.
fn literal(value: &Value) -> Option<f32> {
    match &value.kind {
        ValueKind::Number(Number::Bits(bits)) => Some(f32::from_bits(*bits)),
        ValueKind::Number(_)
        | ValueKind::Load(_)
        | ValueKind::Accumulator
        | ValueKind::Call(..)
        | ValueKind::Compare(..)
        | ValueKind::And(..)
        | ValueKind::Or(..)
        | ValueKind::Not(_)
        | ValueKind::Select(..) => None,
    }
}

fn loads(value: &Value, sources: &mut BTreeSet<usize>) {
    if let ValueKind::Load(operand) = &value.kind {
        sources.insert(operand.buffer.0);
    }
    value.operands().into_iter().for_each(|operand| loads(operand, sources));
}
