//! Chains of element expressions become one: an expression whose result is read once, element by element, by another in
//! the same list of statements moves into it, if nothing it reads changes in between.

use crate::flow::{BlockOp, BlockStmt, Blocks, Broadcast, BufferId, BufferKind, Elementwise, Flow, Value, ValueKind};
use crate::ir::{Kind, operations};
use std::collections::BTreeSet;

/// How many buffers are read by an expression that is made of several statements: what it reads stays alive until it is
/// computed, and a core has 32 circular buffers.
const MOST_INPUTS: usize = 8;

/// Runs the step.
pub fn run(flow: &mut Flow<Blocks>) {
    let mut body = std::mem::take(&mut flow.body);
    // How often each buffer is used and defined.
    let mut count = vec![(0usize, 0usize); flow.buffers.len()];
    operations(&body, &mut |op| {
        op.uses(&mut |buffer, _, _| count[buffer.0].0 += 1);
        op.defines().into_iter().for_each(|(buffer, _)| count[buffer.0].1 += 1);
    });
    let single = |buffer: BufferId| flow.buffers[buffer.0].kind == BufferKind::Local && count[buffer.0] == (1, 1);
    list(&mut body, &single);
    flow.body = body;
}

/// Whether a statement, with everything in it, defines one of `buffers`.
fn defines(stmt: &BlockStmt, buffers: &BTreeSet<BufferId>) -> bool {
    let mut found = false;
    operations(std::slice::from_ref(stmt), &mut |op| {
        found |= op.defines().is_some_and(|(buffer, _)| buffers.contains(&buffer));
    });
    found
}

fn list(body: &mut Vec<BlockStmt>, single: &dyn Fn(BufferId) -> bool) {
    let mut at = 0;
    while at < body.len() {
        body[at].bodies_mut().for_each(|body| list(body, single));
        if let Kind::Op(BlockOp::Elementwise(producer)) = &body[at].kind
            && single(producer.target)
            && let Some((consumer, into)) = consumer_of(body, at, producer)
            && are_few(producer, into)
        {
            let inputs = inputs(&producer.value);
            let moved = (producer.target, producer.value.clone());
            if !body[at + 1..consumer].iter().any(|stmt| defines(stmt, &inputs)) {
                if let Kind::Op(BlockOp::Elementwise(target)) = &mut body[consumer].kind {
                    replace(&mut target.value, moved.0, &moved.1);
                }
                body.remove(at);
                continue;
            }
        }
        at += 1;
    }
}

/// The expression in the same list that reads what `producer` makes element by element. What is reduced moves nowhere where
/// it would be reduced for every element.
fn consumer_of<'a>(body: &'a [BlockStmt], after: usize, producer: &Elementwise) -> Option<(usize, &'a Value)> {
    (after + 1..body.len()).find_map(|at| {
        let Kind::Op(BlockOp::Elementwise(elementwise)) = &body[at].kind else {
            return None;
        };
        let mut plain = false;
        elementwise
            .value
            .loads_within(elementwise.extent, &mut |operand, extent, is_reduced| {
                plain |= operand.buffer == producer.target
                    && operand.broadcast == Broadcast::None
                    && operand.offset == [0, 0]
                    && extent == producer.extent
                    && !(is_reduced && producer.value.reduces());
            });
        plain.then_some((at, &elementwise.value))
    })
}

/// The buffers that a value reads.
fn inputs(value: &Value) -> BTreeSet<BufferId> {
    let mut inputs = BTreeSet::new();
    value.loads(&mut |operand, _| {
        inputs.insert(operand.buffer);
    });
    inputs
}

/// Whether `into` reads few buffers with what `producer` computes in it, or no more than without: all are alive until then.
fn are_few(producer: &Elementwise, into: &Value) -> bool {
    let before = inputs(into);
    let mut after: BTreeSet<BufferId> = inputs(&producer.value).union(&before).copied().collect();
    after.remove(&producer.target);
    after.len() <= before.len().max(MOST_INPUTS)
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
