//! Chains of element expressions become one: an expression whose result is read once, element by element, by another in
//! the same list of statements moves into it, if nothing it reads changes in between.

use crate::flow::{Broadcast, BufferId, BufferKind, Flow, FlowOp, FlowStmt, Value, ValueKind};
use crate::ir::{Kind, operations};

/// Runs the step.
pub fn run(flow: &mut Flow) {
    let mut body = std::mem::take(&mut flow.body);
    let mut count = vec![(0usize, 0usize); flow.buffers.len()];
    uses_and_definitions(&body, &mut count);
    let single = |buffer: BufferId| flow.buffers[buffer.0].kind == BufferKind::Local && count[buffer.0] == (1, 1);
    list(&mut body, &single);
    flow.body = body;
}

/// How often each buffer is used and defined.
fn uses_and_definitions(body: &[FlowStmt], count: &mut [(usize, usize)]) {
    operations(body, &mut |op| match op {
        FlowOp::Read { buffer, .. } => count[buffer.0].1 += 1,
        FlowOp::Write { buffer, .. } => count[buffer.0].0 += 1,
        FlowOp::Elementwise(elementwise) => {
            elementwise
                .value
                .loads(&mut |operand, _| count[operand.buffer.0].0 += 1);
            count[elementwise.target.0].1 += 1;
        }
        FlowOp::Gemm(gemm) => {
            count[gemm.a.0].0 += 1;
            count[gemm.b.0].0 += 1;
            count[gemm.acc.0].0 += usize::from(!gemm.clear);
            count[gemm.acc.0].1 += 1;
        }
        FlowOp::Blank { .. } | FlowOp::Release { .. } | FlowOp::Section(_) | FlowOp::Multiply(_) => {}
    });
}

/// Whether a statement, with everything in it, defines one of `buffers`.
fn defines(stmt: &FlowStmt, buffers: &[BufferId]) -> bool {
    let mut found = false;
    operations(std::slice::from_ref(stmt), &mut |op| {
        found |= match op {
            FlowOp::Read { buffer, .. } | FlowOp::Blank { buffer } => buffers.contains(buffer),
            FlowOp::Elementwise(elementwise) => buffers.contains(&elementwise.target),
            FlowOp::Gemm(gemm) => buffers.contains(&gemm.acc),
            FlowOp::Section(section) => buffers.contains(&section.pack.buffer),
            FlowOp::Write { .. } | FlowOp::Release { .. } | FlowOp::Multiply(_) => false,
        };
    });
    found
}

fn list(body: &mut Vec<FlowStmt>, single: &dyn Fn(BufferId) -> bool) {
    let mut at = 0;
    while at < body.len() {
        match &mut body[at].kind {
            Kind::Loop(_, body) => list(body, single),
            Kind::If(_, then, otherwise) => {
                list(then, single);
                list(otherwise, single);
            }
            Kind::Op(_) | Kind::Group(..) => {}
        }
        if let Kind::Op(FlowOp::Elementwise(producer)) = &body[at].kind
            && single(producer.target)
            && let Some(consumer) = consumer_of(body, at, producer.target)
        {
            let mut inputs = Vec::new();
            producer.value.loads(&mut |operand, _| inputs.push(operand.buffer));
            let moved = (producer.target, producer.value.clone(), producer.extent);
            if let Kind::Op(FlowOp::Elementwise(target)) = &body[consumer].kind
                && target.extent == moved.2
                && !body[at + 1..consumer].iter().any(|stmt| defines(stmt, &inputs))
            {
                if let Kind::Op(FlowOp::Elementwise(target)) = &mut body[consumer].kind {
                    replace(&mut target.value, moved.0, &moved.1);
                }
                body.remove(at);
                continue;
            }
        }
        at += 1;
    }
}

/// The expression in the same list that reads `buffer` element by element.
fn consumer_of(body: &[FlowStmt], after: usize, buffer: BufferId) -> Option<usize> {
    (after + 1..body.len()).find(|at| {
        let Kind::Op(FlowOp::Elementwise(elementwise)) = &body[*at].kind else {
            return false;
        };
        let mut plain = false;
        elementwise.value.loads(&mut |operand, _| {
            plain |= operand.buffer == buffer && operand.broadcast == Broadcast::None && operand.offset == [0, 0];
        });
        plain
    })
}

fn replace(value: &mut Value, buffer: BufferId, with: &Value) {
    if matches!(&value.kind, ValueKind::Load(operand) if operand.buffer == buffer) {
        *value = with.clone();
        return;
    }
    for operand in value.operands_mut() {
        replace(operand, buffer, with);
    }
}
