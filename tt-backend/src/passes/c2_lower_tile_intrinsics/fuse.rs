//! Chains of element expressions become one: an expression whose result is read once, element by element, by another in
//! the same list of statements moves into it, if nothing it reads changes in between.

use crate::flow::{BlockOp, BlockStmt, Blocks, Broadcast, BufferId, BufferKind, Elementwise, Flow, Value, ValueKind};
use crate::ir::{Kind, operations};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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

/// Where in a list of statements, counted from its begin, buffers are read by element expressions and defined.
struct Places {
    /// The last that reads each; the only one, where a buffer is used once.
    read: BTreeMap<BufferId, usize>,
    /// All that define each, with everything in them, in order.
    defined: BTreeMap<BufferId, Vec<usize>>,
    /// What is read by expressions that others moved into.
    inputs: BTreeMap<usize, BTreeSet<BufferId>>,
}

impl Places {
    fn of(body: &[BlockStmt]) -> Places {
        let mut places = Places {
            read: BTreeMap::new(),
            defined: BTreeMap::new(),
            inputs: BTreeMap::new(),
        };
        for (at, stmt) in body.iter().enumerate() {
            if let Kind::Op(BlockOp::Elementwise(elementwise)) = &stmt.kind {
                let inputs = inputs(&elementwise.value);
                places.read.extend(inputs.into_iter().map(|buffer| (buffer, at)));
            }
            operations(std::slice::from_ref(stmt), &mut |op| {
                if let Some((buffer, _)) = op.defines() {
                    places.defined.entry(buffer).or_default().push(at);
                }
            });
        }
        places
    }

    /// Whether one of `buffers` is defined after this place and before that.
    fn are_defined(&self, buffers: &BTreeSet<BufferId>, after: usize, before: usize) -> bool {
        buffers.iter().filter_map(|buffer| self.defined.get(buffer)).any(|all| {
            let next = all.partition_point(|at| *at <= after);
            all.get(next).is_some_and(|at| *at < before)
        })
    }

    /// Whether the expression at `from`, of which nothing else is read, may move into the one at `to`; then it does: that
    /// reads few buffers with it, or no more than without, as all are alive until then, and none of them changes in between.
    fn moves(&mut self, (from, producer): (usize, &Elementwise), (to, into): (usize, &Value)) -> bool {
        let own = self.inputs.remove(&from).unwrap_or_else(|| inputs(&producer.value));
        let before = self.inputs.entry(to).or_insert_with(|| inputs(into));
        let most = before.len().max(MOST_INPUTS);
        let mut after: BTreeSet<BufferId> = own.union(before).copied().collect();
        after.remove(&producer.target);
        if after.len() > most || self.are_defined(&own, from, to) {
            return false;
        }
        self.inputs.insert(to, after);
        self.read.extend(own.into_iter().map(|buffer| (buffer, to)));
        true
    }
}

fn list(body: &mut Vec<BlockStmt>, single: &dyn Fn(BufferId) -> bool) {
    let mut places = Places::of(body);
    let mut rest = VecDeque::from(std::mem::take(body));
    for at in 0.. {
        let Some(mut stmt) = rest.pop_front() else { return };
        stmt.bodies_mut().for_each(|body| list(body, single));
        if let Kind::Op(BlockOp::Elementwise(producer)) = &mut stmt.kind
            && single(producer.target)
            && let Some(consumer) = places.read.get(&producer.target).copied()
            && let Some(ahead) = consumer.checked_sub(at + 1)
            && let Some(Kind::Op(BlockOp::Elementwise(into))) = rest.get_mut(ahead).map(|stmt| &mut stmt.kind)
            && takes(into, producer)
            && places.moves((at, producer), (consumer, &into.value))
        {
            replace(&mut into.value, producer.target, &mut producer.value);
            continue;
        }
        body.push(stmt);
    }
}

/// Whether an expression reads what `producer` makes element by element. What is reduced moves nowhere where it would be
/// reduced for every element.
fn takes(into: &Elementwise, producer: &Elementwise) -> bool {
    let mut plain = false;
    into.value
        .loads_within(into.extent, &mut |operand, extent, is_reduced| {
            plain |= operand.buffer == producer.target
                && operand.broadcast == Broadcast::None
                && operand.offset == [0, 0]
                && extent == producer.extent
                && !(is_reduced && producer.value.reduces());
        });
    plain
}

/// The buffers that a value reads.
fn inputs(value: &Value) -> BTreeSet<BufferId> {
    let mut inputs = BTreeSet::new();
    value.loads(&mut |operand, _| {
        inputs.insert(operand.buffer);
    });
    inputs
}

/// Puts `with` in place of the one load of `buffer`.
fn replace(value: &mut Value, buffer: BufferId, with: &mut Value) {
    if matches!(&value.kind, ValueKind::Load(operand) if operand.buffer == buffer) {
        std::mem::swap(value, with);
        return;
    }
    for operand in value.operands_mut() {
        replace(operand, buffer, with);
    }
}
