//! Reads of a tensor after stores to it.
//!
//! Reads run on one processor of a core and stores on another, and nothing orders a read after a store. A store after a
//! read is in order: compute has waited for what was read before it makes what is stored.

use crate::codes;
use crate::flow::{BlockOp, BlockStmt, FlowLoop, Read, TileRegion, Transfer, Write};
use crate::ir::Kind;
use crate::passes::a1_infer_layout::tiles;
use std::collections::HashMap;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, Linear, ParamId, Span, VarId};

/// Refuses a read that may meet an earlier store of the same block's run.
pub fn check(kernel: &Kernel, body: &[BlockStmt]) -> Result<(), Vec<Diagnostic>> {
    let mut accesses = Accesses::default();
    accesses.statements(body, &mut Vec::new());
    let mut errors: Vec<Diagnostic> = Vec::new();
    for read in &accesses.reads {
        let stores = accesses.stores.get(&read.region.tensor).map_or(&[][..], Vec::as_slice);
        let Some(store) = stores.iter().find(|store| store.may_precede(read)) else {
            continue;
        };
        let name = kernel.params[read.region.tensor.index()].name();
        errors.push(
            Diagnostic::new(
                &codes::READ_AFTER_STORE,
                read.span,
                format!("`{name}` is read after it was stored to"),
            )
            .label(store.span, "stored here")
            .note("keep the block that was stored, or read it in a later stage"),
        );
    }
    errors.dedup();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// A read or a store, and where it stands.
struct Access<'a> {
    region: &'a TileRegion,
    span: Span,
    /// The how-many-th of all reads and stores it is.
    number: usize,
    /// The loops and sides of branches around it, outermost first.
    path: Vec<Around>,
}

/// Something around a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    /// A loop over this variable.
    Loop(VarId),
    /// One side of the branch of this number.
    Side(usize, bool),
}

impl Access<'_> {
    /// Whether this store may be of tiles that `read` reads after it.
    fn may_precede(&self, read: &Access) -> bool {
        let shared = self.path.iter().zip(&read.path).take_while(|(a, b)| a == b).count();
        let exclude = matches!(
            (self.path.get(shared), read.path.get(shared)),
            (Some(Around::Side(a, _)), Some(Around::Side(b, _))) if a == b
        );
        if self.number < read.number && !exclude {
            return true;
        }
        // A later iteration of any loop around both reads after an earlier one stores.
        self.path[..shared].iter().any(|around| match around {
            Around::Loop(var) => !apart(read.region, self.region, *var),
            Around::Side(..) => false,
        })
    }
}

/// All reads, and the stores of each tensor, in order.
#[derive(Default)]
struct Accesses<'a> {
    reads: Vec<Access<'a>>,
    stores: HashMap<ParamId, Vec<Access<'a>>>,
    count: usize,
    branches: usize,
}

impl<'a> Accesses<'a> {
    fn access(&mut self, region: &'a TileRegion, span: Span, path: &[Around]) -> Access<'a> {
        self.count = self.count.saturating_add(1);
        Access {
            region,
            span,
            number: self.count,
            path: path.to_vec(),
        }
    }

    fn statements(&mut self, body: &'a [BlockStmt], path: &mut Vec<Around>) {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(BlockOp::Write(Write { region, .. })) => {
                    let store = self.access(region, stmt.note, path);
                    self.stores.entry(region.tensor).or_default().push(store);
                }
                Kind::Op(BlockOp::Read(Read { region, .. })) => {
                    let read = self.access(region, stmt.note, path);
                    self.reads.push(read);
                }
                Kind::Loop(FlowLoop { var, .. }, body) => self.within(Around::Loop(*var), body, path),
                Kind::If(_, then, otherwise) => {
                    self.branches = self.branches.saturating_add(1);
                    let branch = self.branches;
                    self.within(Around::Side(branch, true), then, path);
                    self.within(Around::Side(branch, false), otherwise, path);
                }
                Kind::Op(_) | Kind::Group(..) => {}
            }
        }
    }

    fn within(&mut self, around: Around, body: &'a [BlockStmt], path: &mut Vec<Around>) {
        path.push(around);
        self.statements(body, path);
        path.pop();
    }
}

/// Whether a read and a store of the same tiles are apart in different iterations of the loop over `var`.
fn apart(read: &TileRegion, store: &TileRegion, var: VarId) -> bool {
    if read.matrix != store.matrix || read.transfer != store.transfer || read.extent != store.extent {
        return false;
    }
    // What an iteration has to be further by, along rows and columns.
    let (first, count) = match &read.transfer {
        Transfer::Pages(tile) => (tile, tiles(read.extent).map(i64::from)),
        Transfer::Rows(rows) => {
            let elements = |axis: usize| i64::try_from(read.extent[axis]).unwrap_or(i64::MAX);
            (
                &rows.first,
                [elements(0).saturating_mul(i64::from(rows.step)), elements(1)],
            )
        }
    };
    let moves =
        |index: &tt_lang::ir::IntExpr, by: i64| Linear::of(index).coefficient(var).unsigned_abs() >= by.unsigned_abs();
    read.matrix.iter().any(|index| moves(index, 1)) || (0..2).any(|axis| moves(&first[axis], count[axis]))
}
