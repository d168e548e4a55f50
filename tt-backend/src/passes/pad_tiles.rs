//! pad_tiles: where the rest of an edge tile must be zero.
//!
//! A tensor's last tiles may be filled only in part, and nobody promises what the rest holds. Where a block is stored at the
//! edge that it was read at, results there are dropped. Two uses reach past it: a gemm, which sums over it, and a store
//! somewhere else, of elements that were shifted or to a tensor that is larger. So: what is copied from a tensor and used by
//! a gemm gets its edges zeroed by the reader, and so does what an operand is computed from that is zero where that is
//! (`zeros`), and everything that is stored past an edge of its own. A gemm with two computed operands that are not zero past
//! an edge which the sum may reach is refused.
//!
//! ```text
//!  read a_block ← a[..]           read a_block ← a[..], zero past the edge
//!  acc += a_block · b_block   ⟹   acc += a_block · b_block
//! ```

mod zeros;

use crate::codes;
use crate::flow::{Broadcast, BufferId, BufferKind, Flow, FlowOp, FlowStmt, Operand, TileRegion, Value, ValueKind};
use crate::ir::{Kind, operations, operations_mut, visit};
use crate::pipeline::{Pass, Unit};
use crate::verify::flow::{Stage, proved};
use std::collections::{BTreeSet, HashSet};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, Named};
use zeros::Zeros;

/// The pass.
pub const PASS: Pass<Unit<Flow>, Unit<Flow>> = Pass {
    name: "pad_tiles",
    does: "edges that must be zero",
    run: |unit| unit.changed(|facts, flow| run(&facts.kernel, flow)),
    check: |unit| proved(unit, Stage::Buffers),
};

/// Runs the pass.
pub fn run(kernel: &Kernel, flow: &mut Flow) -> Result<(), Vec<Diagnostic>> {
    let mut gemms = Vec::new();
    visit(&flow.body, &mut |stmt| {
        if let Kind::Op(FlowOp::Gemm(gemm)) = &stmt.kind {
            gemms.push((gemm, stmt.note));
        }
    });
    let ragged = Ragged::of(kernel, flow);
    let mut errors = Vec::new();
    let mut zeroed = HashSet::new();
    let zeros = Zeros::of(flow, &ragged);
    for (gemm, span) in &gemms {
        let incoming = |buffer: BufferId| flow.buffers[buffer.0].kind == BufferKind::Incoming;
        let operands = [
            (gemm.a, usize::from(!gemm.transpose_a)),
            (gemm.b, usize::from(gemm.transpose_b)),
        ];
        let edges = operands.map(|(buffer, axis)| &ragged.buffers[buffer.0][axis]);
        zeroed.extend(
            operands
                .iter()
                .filter(|(buffer, _)| incoming(*buffer))
                .map(|(buffer, _)| buffer.0),
        );
        // A product past an edge of an operand is zero where that operand is zero past it, or the other one, if that has just this
        // edge: of several, what it holds at the gemm may have another.
        let is_safe = |zero: [bool; 2]| {
            let has_just = |by: usize, edge| edges[by].len() == 1 && edges[by].contains(edge);
            let covered = |at: usize, edge| zero[at] || zero[1 - at] && has_just(1 - at, edge);
            (0..2).all(|at| edges[at].iter().all(|edge| covered(at, edge)))
        };
        if is_safe(operands.map(|(buffer, _)| incoming(buffer))) {
            continue;
        }
        if is_safe(operands.map(|(buffer, axis)| incoming(buffer) || zeros.along(buffer, axis))) {
            zeroed.extend(operands.iter().flat_map(|(buffer, _)| zeros.incoming(flow, *buffer)));
            continue;
        }
        errors.push(
            Diagnostic::new(
                &codes::EDGE_OPERAND,
                *span,
                "the sum of this gemm may reach past the edge of a computed operand",
            )
            .note(
                "copy the other operand straight from a tensor with the same extent, or use extents that divide evenly",
            )
            .note(
                "products, sums and functions that give 0 for 0 are zero past the edge of what they are computed from",
            ),
        );
    }
    let mut stores = Vec::new();
    operations(&flow.body, &mut |op| {
        if let FlowOp::Write { buffer, region, .. } = op {
            stores.push((*buffer, region));
        }
    });
    for (buffer, region) in stores {
        let dropped = |axis: usize| ragged.buffers[buffer.0][axis].is_subset(&ragged.edge(region, axis));
        if !(0..2).all(dropped) {
            zeroed.extend(zeros.incoming(flow, buffer));
        }
    }
    // Edges are zeroed only where it is needed.
    operations_mut(&mut flow.body, &mut |op| match op {
        FlowOp::Read { buffer, region, .. } if !zeroed.contains(&buffer.0) => region.zero_edge = [false; 2],
        FlowOp::Read { .. }
        | FlowOp::Write { .. }
        | FlowOp::Blank { .. }
        | FlowOp::Release { .. }
        | FlowOp::Elementwise(_)
        | FlowOp::Gemm(_)
        | FlowOp::Section(_)
        | FlowOp::Multiply(_) => {}
    });
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// An edge of a tensor that a block may reach past: the tensor's extent, the tile the block was read from, and tiles that it
/// was shifted by since.
type Edge = (String, String, u32);

/// The edges along one axis.
type Edges = BTreeSet<Edge>;

/// The edges that each buffer may reach past, along rows and columns.
struct Ragged<'a> {
    kernel: &'a Kernel,
    buffers: Vec<[Edges; 2]>,
}

impl Ragged<'_> {
    fn of<'a>(kernel: &'a Kernel, flow: &Flow) -> Ragged<'a> {
        let mut this = Ragged {
            kernel,
            buffers: vec![Default::default(); flow.buffers.len()],
        };
        loop {
            let before = this.buffers.clone();
            this.operations(&flow.body);
            if this.buffers == before {
                return this;
            }
        }
    }

    fn join(&mut self, buffer: BufferId, edges: [Edges; 2]) {
        for (known, edges) in self.buffers[buffer.0].iter_mut().zip(edges) {
            known.extend(edges);
        }
    }

    /// The edge of a region along an axis, where it may reach past it.
    fn edge(&self, region: &TileRegion, axis: usize) -> Edges {
        if !region.zero_edge[axis] && !region.may_exceed[axis] && !region.may_precede[axis] {
            return Edges::new();
        }
        let extent = self.kernel.tensor(region.tensor).and_then(|tensor| {
            let index = (tensor.extents.len() + axis).checked_sub(2)?;
            Some(Named(self.kernel, &tensor.extents[index].value).to_string())
        });
        Edges::from([(
            extent.unwrap_or_default(),
            Named(self.kernel, &region.tile[axis]).to_string(),
            0,
        )])
    }

    fn operations(&mut self, body: &[FlowStmt]) {
        operations(body, &mut |op| match op {
            FlowOp::Read { buffer, region, .. } => {
                let edges = [0, 1].map(|axis| self.edge(region, axis));
                self.join(*buffer, edges);
            }
            FlowOp::Elementwise(elementwise) => {
                let edges = self.value(&elementwise.value);
                self.join(elementwise.target, edges);
            }
            FlowOp::Gemm(gemm) => {
                let rows = self.buffers[gemm.a.0][usize::from(gemm.transpose_a)].clone();
                let columns = self.buffers[gemm.b.0][usize::from(!gemm.transpose_b)].clone();
                self.join(gemm.acc, [rows, columns]);
            }
            FlowOp::Write { .. }
            | FlowOp::Blank { .. }
            | FlowOp::Release { .. }
            | FlowOp::Section(_)
            | FlowOp::Multiply(_) => {}
        });
    }

    /// The edges of what an element-wise use reads, where they fall in the result.
    fn load(&self, operand: &Operand) -> [Edges; 2] {
        let mut axis = 0..2;
        let [rows, columns] = self.buffers[operand.buffer.0].each_ref().map(|edges| {
            let by = axis.next().map_or(0, |axis| operand.offset[axis]);
            let shifted = edges
                .iter()
                .map(|(extent, tile, shift)| (extent.clone(), tile.clone(), shift + by));
            shifted.collect::<Edges>()
        });
        match operand.broadcast {
            Broadcast::None => [rows, columns],
            Broadcast::Row => [Edges::new(), columns],
            Broadcast::Column => [rows, Edges::new()],
            Broadcast::Scalar => Default::default(),
            Broadcast::Transpose => [columns, rows],
        }
    }

    fn value(&self, value: &Value) -> [Edges; 2] {
        if let ValueKind::Load(operand) = &value.kind {
            return self.load(operand);
        }
        let mut out: [Edges; 2] = Default::default();
        for operand in value.operands() {
            let edges = self.value(operand);
            for (all, edges) in out.iter_mut().zip(edges) {
                all.extend(edges);
            }
        }
        out
    }
}
