//! Transposed operands of gemms.

use super::scratch;
use crate::flow::{
    Broadcast, Buffer, BufferKind, Elementwise, Flow, FlowOp, FlowStmt, Gemm, Operand, ProductSees, Sights, Value,
    ValueKind,
};
use crate::ir::Kind;
use std::collections::BTreeSet;

/// Runs the step.
pub fn run(flow: &mut Flow) {
    // Right operands that come from a tensor and serve no other purpose are laid column by column.
    let mut uses: Vec<Vec<bool>> = vec![Vec::new(); flow.buffers.len()];
    count(&flow.body, &mut uses);
    for (buffer, uses) in flow.buffers.iter_mut().zip(&uses) {
        buffer.column_major =
            buffer.kind == BufferKind::Incoming && !uses.is_empty() && uses.iter().all(|right| *right);
    }
    let body = std::mem::take(&mut flow.body);
    flow.body = left(body, &mut flow.buffers, &mut flow.sights);
}

/// For every use of a buffer: whether it is as a transposed right operand.
fn count(body: &[FlowStmt], uses: &mut [Vec<bool>]) {
    for stmt in body {
        match &stmt.kind {
            Kind::Op(FlowOp::Gemm(gemm)) => {
                uses[gemm.a.0].push(false);
                uses[gemm.b.0].push(gemm.transpose_b);
            }
            Kind::Op(FlowOp::Elementwise(elementwise)) => elementwise
                .value
                .loads(&mut |operand, _| uses[operand.buffer.0].push(false)),
            Kind::Loop(_, body) => count(body, uses),
            Kind::If(_, then, otherwise) => {
                count(then, uses);
                count(otherwise, uses);
            }
            _ => {}
        }
    }
}

/// Left operands get a transposed copy.
fn left(body: Vec<FlowStmt>, buffers: &mut Vec<Buffer>, sights: &mut Sights) -> Vec<FlowStmt> {
    let mut out = Vec::new();
    for mut stmt in body {
        let span = stmt.note;
        match &mut stmt.kind {
            Kind::Op(FlowOp::Gemm(gemm)) if gemm.transpose_a => {
                let name = format!("{}_t", buffers[gemm.a.0].name);
                let format = buffers[gemm.a.0].format;
                let target = scratch(buffers, name, span, format, [gemm.m, gemm.k]);
                let load = Operand {
                    buffer: gemm.a,
                    offset: [0, 0],
                    broadcast: Broadcast::Transpose,
                    sees: Some(gemm.sees.a),
                };
                let defines = sights.define();
                let value = Value {
                    kind: ValueKind::Load(load),
                    span,
                };
                let extent = [u64::from(gemm.m) * 32, u64::from(gemm.k) * 32];
                out.push(FlowStmt {
                    kind: Kind::Op(FlowOp::Elementwise(Elementwise {
                        target,
                        defines,
                        extent,
                        value,
                    })),
                    note: span,
                });
                *gemm = Gemm {
                    a: target,
                    sees: ProductSees {
                        a: sights.sees(BTreeSet::from([defines])),
                        ..gemm.sees
                    },
                    transpose_a: false,
                    ..gemm.clone()
                };
            }
            Kind::Loop(_, body) => *body = left(std::mem::take(body), buffers, sights),
            Kind::If(_, then, otherwise) => {
                *then = left(std::mem::take(then), buffers, sights);
                *otherwise = left(std::mem::take(otherwise), buffers, sights);
            }
            _ => {}
        }
        out.push(stmt);
    }
    out
}
