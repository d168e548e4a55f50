//! A3: an abstract accessor for every tensor: who touches it. Which argument holds its address is D2's to say.
//!
//! ```text
//!  a: &Tensor<bf16, M, K>, copied from   ⟹   accessor of a: pages of 2048 B, read
//! ```

use super::a1_infer_layout::Layouts;
use tt_lang::ir::{Buffer, Element, ElementKind, Kernel, ParamId, Place, Stmt, StmtKind};

/// What the compiler must know to address a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AbstractAccessor {
    /// The tensor.
    pub tensor: ParamId,
    /// Bytes of a page (one tile).
    pub page_bytes: u32,
    /// The reader takes from it.
    pub read: bool,
    /// The writer stores to it.
    pub written: bool,
}

/// Runs the pass.
pub fn run(kernel: &Kernel, layouts: &Layouts) -> Vec<AbstractAccessor> {
    let mut accessors: Vec<AbstractAccessor> = layouts
        .tensors
        .iter()
        .enumerate()
        .filter_map(|(index, layout)| {
            let page_bytes = layout.as_ref()?.format.tile_bytes();
            Some(AbstractAccessor {
                tensor: ParamId(index as u32),
                page_bytes,
                read: false,
                written: false,
            })
        })
        .collect();
    statements(&kernel.body, &mut accessors);
    accessors
}

fn mark(accessors: &mut [AbstractAccessor], tensor: ParamId, write: bool) {
    for accessor in accessors.iter_mut().filter(|accessor| accessor.tensor == tensor) {
        if write {
            accessor.written = true;
        } else {
            accessor.read = true;
        }
    }
}

fn statements(body: &[Stmt], accessors: &mut [AbstractAccessor]) {
    let place = |place: &Place, write: bool, accessors: &mut [AbstractAccessor]| {
        if let Place::Tensor(region) = place {
            mark(accessors, region.tensor, write);
        }
    };
    for stmt in body {
        match &stmt.kind {
            StmtKind::Copy { src, dst } => {
                place(src, false, accessors);
                place(dst, true, accessors);
            }
            StmtKind::Gemm { a, b, .. } => {
                place(a, false, accessors);
                place(b, false, accessors);
            }
            StmtKind::Parallel { assigns, .. } => {
                for assign in assigns {
                    if let Buffer::Tensor(tensor) = assign.target.buffer {
                        mark(accessors, tensor, true);
                    }
                    loads(&assign.value, accessors);
                }
            }
            StmtKind::For { body, .. } => statements(body, accessors),
            StmtKind::If { then, otherwise, .. } => {
                statements(then, accessors);
                statements(otherwise, accessors);
            }
            StmtKind::Fill { .. } | StmtKind::Reduce { .. } | StmtKind::Transpose { .. } | StmtKind::Print { .. } => {}
        }
    }
}

fn loads(value: &Element, accessors: &mut [AbstractAccessor]) {
    value.walk(&mut |element| {
        if let ElementKind::Load(access) = &element.kind
            && let Buffer::Tensor(tensor) = access.buffer
        {
            mark(accessors, tensor, false);
        }
    });
}
