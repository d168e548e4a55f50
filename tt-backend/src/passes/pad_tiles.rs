//! pad_tiles: where the rest of an edge tile must be zero.
//!
//! A tensor's last tiles may be filled only in part, and nobody promises what the rest holds. Where a block is stored at the
//! edge that it was read at, results there are dropped. Two uses reach past it: a gemm, which sums over it, and a store
//! somewhere else, of elements that were shifted or to a tensor that is larger. So: what is copied from a tensor and used by
//! a gemm gets its edges zeroed by the reader, and so does what an operand is computed from that is zero where that is
//! (`past`), and everything that is stored past an edge of its own. A gemm with two computed operands that are not zero past
//! an edge which the sum may reach is refused, and so is a store of sums of what was not zero.
//!
//! What is past the edges of a block is known at every point of the program: it differs by path, and an edge of another turn
//! of a loop is another edge.
//!
//! ```text
//!  read a_block ← a[..]           read a_block ← a[..], zero past the edge
//!  acc += a_block · b_block   ⟹   acc += a_block · b_block
//! ```

mod edges;
mod past;

use crate::codes;
use crate::flow::{BlockOp, Blocks, BufferId, BufferKind, Flow};
use crate::ir::{Forward, operations_mut};
use crate::pipeline::{Pass, Unit};
use crate::verify::flow::blocks;
use edges::{Edge, Past};
use past::Beyond;
use std::collections::BTreeSet;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, Span};

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
    beyond.follow(&flow.body);
    let mut errors = Vec::new();
    let mut zeroed = BTreeSet::new();
    for product in beyond.products() {
        match product.zeroed(flow, &beyond) {
            Some(buffers) => zeroed.extend(buffers),
            None => errors.push(refused(
                product.span,
                "the sum of this gemm may reach past the edge of a computed operand",
                "copy the other operand straight from a tensor with the same extent, or use extents that divide evenly",
            )),
        }
    }
    // What comes of a gemm that is refused is no second error.
    if errors.is_empty() {
        let message = "what is stored here may lie past the edge of a computed operand of the gemm that it comes from";
        let note = "copy the operand straight from a tensor, or use extents that divide evenly";
        errors.extend(beyond.wrong().iter().map(|span| refused(*span, message, note)));
    }
    for buffer in beyond.stored_past_an_edge() {
        zeroed.extend(beyond.incoming(flow, buffer));
    }
    // Edges are zeroed only where it is needed.
    operations_mut(&mut flow.body, &mut |op| match op {
        BlockOp::Read(read) if !zeroed.contains(&read.buffer) => read.region.zero_edge = [false; 2],
        BlockOp::Read(_) | BlockOp::Write(_) | BlockOp::Elementwise(_) | BlockOp::Gemm(_) => {}
    });
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn refused(span: Span, message: &str, note: &str) -> Diagnostic {
    Diagnostic::new(&codes::EDGE_OPERAND, span, message)
        .note(note)
        .note("products, sums and functions that give 0 for 0 are zero past the edge of what they are computed from")
}

/// An operand of a gemm, along the axis that is summed over.
struct Summed {
    buffer: BufferId,
    past: Past,
}

/// A gemm, as the pass sees it.
struct Product {
    operands: [Summed; 2],
    span: Span,
}

impl Product {
    /// The incoming buffers that have to be zero past their edges for the sums to be right, if that is enough.
    fn zeroed(&self, flow: &Flow<Blocks>, beyond: &Beyond<'_>) -> Option<Vec<BufferId>> {
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
