//! What the device can do with the integers of a kernel: 32 bits, and no more of them than one would write.

use crate::codes;
use crate::flow::{BlockOp, BlockStmt, FlowLoop, Read, TileRegion, Write};
use crate::ir::Kind;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{IntExpr, IntOp, Span};

/// The operations that one expression may take where it is written out.
const LARGEST: u64 = 2_000;

/// Refuses the integers of `body` that cannot be written out.
pub fn check(body: &[BlockStmt]) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    crate::ir::visit(body, &mut |stmt| {
        let mut check = |expr: &IntExpr| {
            if let Err(error) = integer(expr, stmt.note) {
                errors.push(error);
            }
        };
        match &stmt.kind {
            Kind::Op(BlockOp::Read(Read { region, .. }) | BlockOp::Write(Write { region, .. })) => {
                let TileRegion { matrix, transfer, .. } = region;
                matrix
                    .iter()
                    .map(|index| &index.at)
                    .chain(transfer.integers())
                    .for_each(&mut check);
                // Masks begin with it.
                let first = transfer.first();
                errors.extend(first.iter().filter_map(|first| in_range(first, stmt.note).err()));
            }
            Kind::Op(BlockOp::Inspect(inspection)) => inspection.integers(&mut check),
            Kind::Op(BlockOp::Shift(shift)) => shift.window.integers().for_each(&mut check),
            Kind::Op(BlockOp::Fetch(fetch)) => fetch.indices.iter().for_each(|index| check(&index.at)),
            Kind::Loop(FlowLoop { start, end, .. }, _) => {
                check(start);
                check(end);
            }
            Kind::If(cond, _, _) => cond.integers(&mut check),
            Kind::Op(BlockOp::Elementwise(elementwise)) => elementwise.value.integers(&mut check),
            Kind::Op(BlockOp::Gemm(_)) | Kind::Group(..) => {}
        }
    });
    errors.dedup();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn in_range(expr: &IntExpr, span: Span) -> Result<(), Diagnostic> {
    let mut beyond = None;
    expr.walk(&mut |part| match part {
        IntExpr::Const(value) if i32::try_from(*value).is_err() => beyond = Some(*value),
        IntExpr::Const(_)
        | IntExpr::Extent(_)
        | IntExpr::Scalar(_)
        | IntExpr::Var(_)
        | IntExpr::Fetched(_)
        | IntExpr::Binary(..) => {}
    });
    if let Some(value) = beyond {
        let message = format!("this statement computes with {value}, which has no place in 32 bits");
        return Err(Diagnostic::new(&codes::INTEGER_RANGE, span, message)
            .note("write it with factors whose product fits: indices, offsets and bounds lie between -2147483648 and 2147483647"));
    }
    Ok(())
}

fn integer(expr: &IntExpr, span: Span) -> Result<(), Diagnostic> {
    in_range(expr, span)?;
    let (size, _) = written(expr);
    if size > LARGEST {
        let message = format!("an integer expression of {size} operations, at most {LARGEST} are possible");
        return Err(Diagnostic::new(&codes::INTEGER_SIZE, span, message)
            .note("what needs no variables of the grid and of loops is a scalar that the host computes, anything else an integer of a table: `let p = table[bx];` of a `&Tensor<i32, N>`"));
    }
    Ok(())
}

/// The operations of `expr` as the code writer writes them, and whether a variable takes part: what has none is one
/// argument.
fn written(expr: &IntExpr) -> (u64, bool) {
    match expr {
        IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) => (1, false),
        IntExpr::Var(_) | IntExpr::Fetched(_) => (1, true),
        IntExpr::Binary(op, a, b) => {
            let ((a, a_varies), (b, b_varies)) = (written(a), written(b));
            if !a_varies && !b_varies {
                return (1, false);
            }
            let both = a.saturating_add(b);
            let size = match op {
                IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Div | IntOp::Rem => both,
                IntOp::Min | IntOp::Max => both.saturating_mul(2),
                IntOp::CeilDiv => both.saturating_mul(3),
            };
            (size.saturating_add(1), true)
        }
    }
}
