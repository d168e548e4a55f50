//! pad_tiles: where the rest of an edge tile must be zero.
//!
//! A tensor's last tiles may be filled only in part, and nobody promises what the rest holds. Element-wise results there
//! are dropped when they are written; only a gemm sums over them. So: what is copied from a tensor and used by a gemm gets
//! its edges zeroed by the reader, and a gemm with two computed operands is refused where the sum may reach past an edge.
//!
//! ```text
//!  read a_block ← a[..]           read a_block ← a[..], zero past the edge
//!  acc += a_block · b_block   ⟹   acc += a_block · b_block
//! ```

use crate::codes;
use crate::flow::{BufferId, BufferKind, Flow, FlowKind, FlowStmt, Gemm, TileRegion, Value, ValueKind};
use std::collections::{BTreeSet, HashSet};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, Named, Span};

/// Runs the pass.
pub fn run(kernel: &Kernel, flow: &mut Flow) -> Result<(), Vec<Diagnostic>> {
    let mut gemms = Vec::new();
    collect(&flow.body, &mut gemms);
    let ragged = Ragged::of(kernel, flow);
    let mut errors = Vec::new();
    let mut zeroed = HashSet::new();
    for (gemm, span) in &gemms {
        let (a, b) = (gemm.a.0, gemm.b.0);
        let incoming = |buffer: usize| flow.buffers[buffer].kind == BufferKind::Incoming;
        zeroed.extend([a, b].into_iter().filter(|buffer| incoming(*buffer)));
        let a_edges = &ragged.buffers[a][usize::from(!gemm.transpose_a)];
        let b_edges = &ragged.buffers[b][usize::from(gemm.transpose_b)];
        // A product past an edge is zero where an operand that is zero there has the same edge.
        let covered =
            |edges: &Edges, by: usize, other: &Edges| edges.iter().all(|edge| incoming(by) && other.contains(edge));
        let a_safe = incoming(a) || covered(a_edges, b, b_edges);
        let b_safe = incoming(b) || covered(b_edges, a, a_edges);
        if !a_safe || !b_safe {
            errors.push(
                Diagnostic::new(&codes::EDGE_OPERAND, *span, "the sum of this gemm may reach past the edge of a computed operand")
                    .note("copy the other operand straight from a tensor with the same extent, or use extents that divide evenly"),
            );
        }
    }
    mark(&mut flow.body, &zeroed);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn collect<'a>(body: &'a [FlowStmt], gemms: &mut Vec<(&'a Gemm, Span)>) {
    for stmt in body {
        match &stmt.kind {
            FlowKind::Gemm(gemm) => gemms.push((gemm, stmt.span)),
            FlowKind::For { body, .. } => collect(body, gemms),
            FlowKind::If { then, otherwise, .. } => {
                collect(then, gemms);
                collect(otherwise, gemms);
            }
            _ => {}
        }
    }
}

/// Leaves `zero_edge` only where a gemm needs it.
fn mark(body: &mut [FlowStmt], zeroed: &HashSet<usize>) {
    for stmt in body {
        match &mut stmt.kind {
            FlowKind::Read { buffer, region, .. } if !zeroed.contains(&buffer.0) => region.zero_edge = [false; 2],
            FlowKind::For { body, .. } => mark(body, zeroed),
            FlowKind::If { then, otherwise, .. } => {
                mark(then, zeroed);
                mark(otherwise, zeroed);
            }
            _ => {}
        }
    }
}

/// The edges of tensors that a block may reach past: the tensor's extent and the block's first tile.
type Edges = BTreeSet<(String, String)>;

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
            this.statements(&flow.body);
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
        )])
    }

    fn statements(&mut self, body: &[FlowStmt]) {
        for stmt in body {
            match &stmt.kind {
                FlowKind::Read { buffer, region, .. } => {
                    let edges = [0, 1].map(|axis| self.edge(region, axis));
                    self.join(*buffer, edges);
                }
                FlowKind::Elementwise(elementwise) => {
                    let edges = self.value(&elementwise.value);
                    self.join(elementwise.target, edges);
                }
                FlowKind::Gemm(gemm) => {
                    let rows = self.buffers[gemm.a.0][usize::from(gemm.transpose_a)].clone();
                    let columns = self.buffers[gemm.b.0][usize::from(!gemm.transpose_b)].clone();
                    self.join(gemm.acc, [rows, columns]);
                }
                FlowKind::For { body, .. } => self.statements(body),
                FlowKind::If { then, otherwise, .. } => {
                    self.statements(then);
                    self.statements(otherwise);
                }
                _ => {}
            }
        }
    }

    fn value(&self, value: &Value) -> [Edges; 2] {
        use crate::flow::Broadcast;
        if let ValueKind::Load(operand) = &value.kind {
            let [rows, columns] = self.buffers[operand.buffer.0].clone();
            return match operand.broadcast {
                Broadcast::None => [rows, columns],
                Broadcast::Row => [Edges::new(), columns],
                Broadcast::Column => [rows, Edges::new()],
                Broadcast::Scalar => Default::default(),
                Broadcast::Transpose => [columns, rows],
            };
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
