//! C1: blocks become circular buffers; copies become reads and writes.
//!
//! Before: Tile IR over blocks, which are variables. After: Flow IR over buffers, each with one producer and one consumer.
//! Three steps:
//!
//! 1. `translate`: statements over *variables* (one per block, and one for each tensor that an element expression or a
//!    gemm touches directly), regions in tiles, accesses classified;
//! 2. `webs`: every variable is cut into its webs, the definitions and uses that belong together;
//! 3. `buffers`: every web becomes a buffer of one kind; webs of mixed kind get copies between them.
//!
//! ```text
//!  T.copy(x[..], v);            read  v_in  ← x[..]
//!  v = tanh(v);           ⟹     v_out = tanh(v_in)
//!  T.copy(v, y[..]);            write y[..] ← v_out
//! ```

mod access;
mod assign;
mod buffers;
mod elements;
mod index_values;
mod inside;
mod integers;
mod reductions;
mod regions;
mod shifts;
mod tensor_elements;
mod translate;
mod webs;

use super::a1_infer_layout::Layouts;
use crate::flow::{Blocks, Depth, Flow};
use crate::pipeline::{Pass, Unit};
use crate::verify::flow::blocks;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{BlockId, Kernel, Span};
use tt_plan::DataFormat;

/// The pass.
pub const PASS: Pass<Unit<()>, Unit<Flow<Blocks>>> = Pass {
    name: "C1 lower_shared_to_cb",
    does: "blocks become circular buffers, copies become reads and writes",
    run: |unit| unit.lowered(|facts, ()| run(&facts.kernel, &facts.layouts)),
    check: blocks,
};

/// A block, or a tensor touched directly, before its webs are known. [`crate::flow::BufferId`]s index these until
/// `buffers` ran.
#[derive(Debug, Clone)]
struct Variable {
    name: String,
    block: Option<BlockId>,
    span: Span,
    /// The format of what compute makes of it; incoming and outgoing buffers have their tensor's.
    format: DataFormat,
    extent: [u64; 2],
    depth: Depth,
}

/// Runs the pass.
pub fn run(kernel: &Kernel, layouts: &Layouts) -> Result<Flow<Blocks>, Vec<Diagnostic>> {
    let translate::Translated {
        variables,
        body,
        mut sights,
    } = translate::run(kernel, layouts)?;
    integers::check(&body)?;
    let webs = webs::run(&variables, &body, &mut sights)?;
    Ok(buffers::run(layouts, &variables, body, &webs, sights))
}
