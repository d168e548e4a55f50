//! Reads of a tensor after stores to it.
//!
//! Reads run on one processor of a core and stores on another, and nothing orders a read after a store. A store after a
//! read is in order: compute has waited for what was read before it makes what is stored.

use crate::codes;
use crate::flow::{FlowKind, FlowStmt, TileRegion};
use crate::linear::Linear;
use crate::passes::a1_infer_layout::tiles;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, Span, VarId};

/// Refuses a read that may meet an earlier store of the same block's run.
pub fn check(kernel: &Kernel, body: &[FlowStmt]) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    statements(kernel, body, &mut Vec::new(), None, &mut errors);
    errors.dedup();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

type Stores<'a> = Vec<(&'a TileRegion, Span)>;

/// `carried`: the statements are looked at a second time, as a later iteration of the loop over this variable.
fn statements<'a>(
    kernel: &Kernel,
    body: &'a [FlowStmt],
    stores: &mut Stores<'a>,
    carried: Option<VarId>,
    errors: &mut Vec<Diagnostic>,
) {
    for stmt in body {
        match &stmt.kind {
            FlowKind::Write { region, .. } => stores.push((region, stmt.span)),
            FlowKind::Read { region, .. } => {
                let met = stores.iter().find(|(store, _)| {
                    store.tensor == region.tensor && !carried.is_some_and(|var| apart(region, store, var))
                });
                if let Some((_, store)) = met {
                    let name = kernel.params[region.tensor.index()].name();
                    errors.push(
                        Diagnostic::new(
                            &codes::READ_AFTER_STORE,
                            stmt.span,
                            format!("`{name}` is read after it was stored to"),
                        )
                        .label(*store, "stored here")
                        .note("keep the block that was stored, or use two kernels"),
                    );
                }
            }
            FlowKind::For { var, body, .. } => {
                let before = stores.len();
                statements(kernel, body, stores, carried, errors);
                let mut earlier: Stores = stores[before..].to_vec();
                statements(kernel, body, &mut earlier, Some(*var), errors);
            }
            FlowKind::If { then, otherwise, .. } => {
                let mut other = stores.clone();
                statements(kernel, then, stores, carried, errors);
                statements(kernel, otherwise, &mut other, carried, errors);
                stores.extend(other);
            }
            _ => {}
        }
    }
}

/// Whether a read and a store of the same tiles are apart in different iterations of the loop over `var`.
fn apart(read: &TileRegion, store: &TileRegion, var: VarId) -> bool {
    if read.matrix != store.matrix || read.tile != store.tile || read.extent != store.extent {
        return false;
    }
    let count = tiles(read.extent);
    let moves = |index: &tt_lang::ir::IntExpr, by: i64| Linear::of(index).coefficient(var).abs() >= by;
    read.matrix.iter().any(|index| moves(index, 1))
        || (0..2).any(|axis| moves(&read.tile[axis], i64::from(count[axis])))
}
