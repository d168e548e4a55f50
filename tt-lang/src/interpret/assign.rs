//! One assignment of a parallel loop: every value first, then every store.

use super::block_run::BlockRun;
use super::error::{InterpretError, InterpretErrorKind as Kind};
use super::parallel::{Compiler, Domain, Evaluator, Row};
use super::storage::PADDING;
use crate::ir::{Assign, Buffer, VarId};

/// Assigns for all values of `indices`.
pub(super) fn run(run: &mut BlockRun<'_>, indices: &[(VarId, u64)], assign: &Assign) -> Result<(), InterpretError> {
    let kernel = run.scope.launch.kernel;
    let fail = |kind| InterpretError::at(kernel, assign.span, kind);
    let domain = match indices {
        [(inner, width)] => Domain {
            outer: None,
            inner: Some(*inner),
            height: 1,
            width: *width as usize,
        },
        [(outer, height), (inner, width)] => Domain {
            outer: Some(*outer),
            inner: Some(*inner),
            height: *height as usize,
            width: *width as usize,
        },
        _ => {
            return Err(fail(Kind::Unsupported(
                "a parallel loop of three indices that is no gemm",
            )));
        }
    };
    let target = &assign.target;
    for (var, extent) in indices {
        if *extent > 1 && !target.indices.iter().any(|index| index.mentions(*var)) {
            let name = match target.buffer {
                Buffer::Block(id) => run.block_name(id),
                Buffer::Tensor(id) => kernel.params[id.index()].name().to_string(),
            };
            return Err(fail(Kind::AssignedTwice(name)));
        }
    }
    let compiler = Compiler {
        run,
        domain,
        target: &target.indices,
    };
    let node = compiler.node(&assign.value, target.buffer.element(kernel))?;
    let place = compiler.place(target);
    let mut stores = Vec::with_capacity(domain.height * domain.width);
    let mut rows: Vec<Row> = Vec::with_capacity(domain.height);
    for outer in 0..domain.height {
        let evaluator = Evaluator { run, domain, outer };
        rows.push(evaluator.row(&node, None)?);
        for inner in 0..domain.width {
            stores.push(match target.buffer {
                Buffer::Block(_) => Some(evaluator.block_position(&place, inner)?),
                Buffer::Tensor(_) => match evaluator.tensor_position(&place, inner)? {
                    (flat, 0) => Some(flat),
                    _ => None,
                },
            });
        }
    }
    let elements = rows.iter().flat_map(|row| row.values.iter().zip(&row.marks));
    for (store, (value, marks)) in stores.into_iter().zip(elements) {
        let Some(flat) = store else { continue };
        let has_value = *marks & PADDING == 0;
        match target.buffer {
            Buffer::Block(_) if assign.compound && !has_value => {}
            Buffer::Block(id) => {
                let block = &mut run.blocks[id.index()];
                block.values[flat] = *value;
                block.marks[flat] = *marks;
            }
            Buffer::Tensor(_) if !has_value => {}
            Buffer::Tensor(id) => {
                run.stores((id, flat, 1), assign.span);
                let written = run.scope.launch.tensors[id.index()]
                    .as_ref()
                    .is_some_and(|t| t.write(flat, &[*value]));
                if !written {
                    return Err(fail(Kind::Unsupported("a tensor that is only read is written")));
                }
            }
        }
    }
    Ok(())
}
