//! Chains of element expressions become one: an expression whose result is read once, element by element, by another in
//! the same list of statements moves into it, if nothing it reads changes in between.

use crate::flow::{BlockOp, BlockStmt, Blocks, Broadcast, BufferId, BufferKind, Elementwise, Flow, Value, ValueKind};
use crate::ir::{Kind, operations};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tt_lang::ir::ElementOp;

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
    /// What moves into the expression at a place, in place of the loads of buffers.
    moved: BTreeMap<usize, Moved>,
}

/// What moves into an expression: it is put there once all of it is known, so that none is gone through again.
#[derive(Default)]
struct Moved {
    of_buffers: BTreeMap<BufferId, Value>,
    reduces: bool,
}

impl Places {
    fn of(body: &[BlockStmt]) -> Places {
        let mut places = Places {
            read: BTreeMap::new(),
            defined: BTreeMap::new(),
            inputs: BTreeMap::new(),
            moved: BTreeMap::new(),
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
        if let Kind::Op(BlockOp::Elementwise(producer)) = &mut stmt.kind {
            let mut moved = places.moved.remove(&at).unwrap_or_default();
            moved.reduces |= producer.value.reduces();
            let consumer = single(producer.target).then(|| places.read.get(&producer.target).copied());
            let consumer = consumer.flatten().filter(|consumer| {
                let ahead = consumer.checked_sub(at + 1).and_then(|ahead| rest.get(ahead));
                let Some(Kind::Op(BlockOp::Elementwise(into))) = ahead.map(|stmt| &stmt.kind) else {
                    return false;
                };
                takes(into, producer, moved.reduces) && places.moves((at, producer), (*consumer, &into.value))
            });
            put(&mut producer.value, &mut moved.of_buffers);
            if let Some(consumer) = consumer {
                let nothing = ValueKind::Call(ElementOp::Add, Vec::new());
                let span = producer.value.span;
                let value = std::mem::replace(&mut producer.value, Value { kind: nothing, span });
                let into = places.moved.entry(consumer).or_default();
                into.reduces |= moved.reduces;
                into.of_buffers.insert(producer.target, value);
                continue;
            }
        }
        body.push(stmt);
    }
}

/// Whether an expression reads what `producer` makes, which `reduces` something or not, element by element. What is reduced moves
/// nowhere where it would be reduced for every element.
fn takes(into: &Elementwise, producer: &Elementwise, reduces: bool) -> bool {
    let mut plain = false;
    into.value
        .loads_within(into.extent, &mut |operand, extent, is_reduced| {
            plain |= operand.buffer == producer.target
                && operand.broadcast == Broadcast::None
                && operand.offset == [0, 0]
                && extent == producer.extent
                && !(is_reduced && reduces);
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

/// Puts what stands for buffers in place of their loads.
fn put(value: &mut Value, of_buffers: &mut BTreeMap<BufferId, Value>) {
    if of_buffers.is_empty() {
        return;
    }
    if let ValueKind::Load(operand) = &value.kind {
        if let Some(with) = of_buffers.remove(&operand.buffer) {
            *value = with;
        }
        return;
    }
    for operand in value.operands_mut() {
        put(operand, of_buffers);
    }
}
