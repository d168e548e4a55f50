//! What a turn of a loop makes of blocks: numbers, and what blocks held before it.

use super::limits::{Decided, decided};
use super::live::{covers, targets};
use crate::ir::{Forward, operations};
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::ir::{
    Access, ArgOp, Assign, BlockId, Buffer, Element, ElementKind, ElementOp, ElementType, For, IntExpr, Kernel,
    Language, Linear, Op, Place, Real, ReduceOp, Span, Stmt, VarId,
};

/// Blocks all elements of which always have a value.
pub struct Whole {
    blocks: BTreeSet<BlockId>,
}

impl Whole {
    /// Those of `kernel`: no statement leaves an element of theirs without one, provided that all others keep theirs.
    pub fn of(kernel: &Kernel) -> Whole {
        let mut whole = Whole {
            blocks: targets(&kernel.body),
        };
        loop {
            let before = whole.blocks.len();
            operations(&kernel.body, &mut |op| {
                let turn = Turn {
                    kernel,
                    whole: &whole,
                    limit: None,
                };
                let mut state = State::default();
                turn.operation(op, &mut state);
                let lost = state.blocks.iter().filter(|(_, held)| !turn.has_value(held));
                let lost: Vec<BlockId> = lost.map(|(block, _)| *block).collect();
                lost.iter().for_each(|block| {
                    whole.blocks.remove(block);
                });
            });
            if whole.blocks.len() == before {
                return whole;
            }
        }
    }
}

/// Whether a turn with these statements leaves every block of `live` as it was, and nothing is seen of it outside of blocks, where
/// `limit` is not below zero.
pub fn changes_nothing(
    kernel: &Kernel,
    whole: &Whole,
    body: &[Stmt],
    limit: &Linear,
    live: &BTreeSet<BlockId>,
) -> bool {
    let mut turn = Turn {
        kernel,
        whole,
        limit: Some(limit),
    };
    let state = turn.follow(body);
    let is_kept = |block: &BlockId| turn.held(*block, &state) == Held::sure(Of::Block(*block));
    !state.is_seen && live.iter().all(is_kept)
}

/// What a turn has done so far.
#[derive(Debug, Clone, Default, PartialEq)]
struct State {
    /// What the blocks hold that it has written.
    blocks: BTreeMap<BlockId, Held<Of>>,
    /// Whether it has stored, printed or asserted.
    is_seen: bool,
}

/// A value, and whether there is one for certain: of what a block held, wherever it had one.
#[derive(Debug, Clone, PartialEq)]
struct Held<V> {
    value: V,
    is_sure: bool,
}

impl<V> Held<V> {
    fn sure(value: V) -> Held<V> {
        let is_sure = true;
        Held { value, is_sure }
    }
}

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Of {
    /// What this one held before the turn.
    Block(BlockId),
    /// A number, in all elements.
    Number(f64),
    /// Something else.
    Other,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    /// What a block held before the turn, there.
    At(BlockId, Vec<IntExpr>),
    /// A number.
    Number(f64),
    /// Something else.
    Other,
}

/// Something that may be what a block held before the turn.
trait OfBlock {
    /// The block.
    fn block(&self) -> Option<BlockId>;
}

impl OfBlock for Of {
    fn block(&self) -> Option<BlockId> {
        match self {
            Of::Block(block) => Some(*block),
            Of::Number(_) | Of::Other => None,
        }
    }
}

impl OfBlock for Value {
    fn block(&self) -> Option<BlockId> {
        match self {
            Value::At(block, _) => Some(*block),
            Value::Number(_) | Value::Other => None,
        }
    }
}

struct Turn<'a> {
    kernel: &'a Kernel,
    whole: &'a Whole,
    /// What is not below zero.
    limit: Option<&'a Linear>,
}

impl Turn<'_> {
    /// What a block holds.
    fn held(&self, block: BlockId, state: &State) -> Held<Of> {
        let written = state.blocks.get(&block).cloned();
        written.unwrap_or(Held::sure(Of::Block(block)))
    }

    /// Whether something has a value everywhere.
    fn has_value<V: OfBlock>(&self, held: &Held<V>) -> bool {
        held.is_sure
            && held
                .value
                .block()
                .is_none_or(|block| self.whole.blocks.contains(&block))
    }

    /// Something else, which has a value where all of these have one.
    fn of_all<V: OfBlock, R>(&self, other: R, of: &[&Held<V>]) -> Held<R> {
        Held {
            value: other,
            is_sure: of.iter().all(|held| self.has_value(held)),
        }
    }

    fn element(&self, block: BlockId) -> ElementType {
        self.kernel.block(block).element
    }

    fn shape(&self, block: BlockId) -> &[u64] {
        &self.kernel.block(block).shape
    }

    fn operation(&self, op: &Op, state: &mut State) {
        match op {
            Op::Copy {
                dst: Place::Tensor(_), ..
            }
            | Op::Print { .. }
            | Op::Assert { .. } => state.is_seen = true,
            Op::Copy {
                src,
                dst: Place::Block(dst),
            } => {
                let held = match src {
                    Place::Block(src) => self.copied(src.value, dst.value, state),
                    Place::Tensor(_) => other(false),
                };
                self.store(dst.value, held, state);
            }
            Op::Fill { block, value } => {
                let held = match self.value(value, &[], state).value {
                    Value::Number(number) => Held::sure(Of::Number(number)),
                    Value::At(..) | Value::Other => other(true),
                };
                self.store(block.value, held, state);
            }
            Op::Gemm {
                a, b, acc, clear_accum, ..
            } => {
                let is_zero = |place: &Place| match place {
                    Place::Block(block) => self.held(block.value, state).value == Of::Number(0.0),
                    Place::Tensor(_) => false,
                };
                let before = match clear_accum {
                    true => Held::sure(Of::Number(0.0)),
                    false => self.held(acc.value, state),
                };
                let held = match is_zero(a) || is_zero(b) {
                    true => before,
                    false => self.of_all(Of::Other, &[&before]),
                };
                self.store(acc.value, held, state);
            }
            Op::Parallel { indices, assigns } => {
                for assign in assigns {
                    match assign.target.buffer {
                        Buffer::Block(block) => self.assign(assign, block, indices, state),
                        Buffer::Tensor(_) => state.is_seen = true,
                    }
                }
            }
            Op::Reduce {
                op, src, out, clear, ..
            } => {
                let [from, into] = [src, out].map(|block| self.held(block.value, state));
                self.store(out.value, self.reduced(*op, &from, into, *clear), state);
            }
            Op::ReduceArg {
                op,
                src,
                val,
                pos,
                clear,
                ..
            } => {
                let exceeds_nothing = match op {
                    ArgOp::Max => f64::NEG_INFINITY,
                    ArgOp::Min => f64::INFINITY,
                };
                if *clear || self.held(src.value, state).value != Of::Number(exceeds_nothing) {
                    for out in val.iter().chain([pos]) {
                        self.store(out.value, other(false), state);
                    }
                }
            }
            Op::Transpose { src, dst } => {
                let held = self.held(src.value, state);
                let held = match held.value {
                    Of::Number(_) => held,
                    Of::Block(_) | Of::Other => self.of_all(Of::Other, &[&held]),
                };
                self.store(dst.value, held, state);
            }
            Op::Fetch { .. } => {}
        }
    }

    /// Writes a block, rounded to its type.
    fn store(&self, block: BlockId, held: Held<Of>, state: &mut State) {
        let element = self.element(block);
        let is_kept = match held.value {
            Of::Block(of) => self.element(of) == element,
            Of::Number(number) => is_exact(number, element),
            Of::Other => true,
        };
        let held = match is_kept {
            true => held,
            false => self.of_all(Of::Other, &[&held]),
        };
        state.blocks.insert(block, held);
    }

    fn copied(&self, src: BlockId, dst: BlockId, state: &State) -> Held<Of> {
        let held = self.held(src, state);
        match held.value {
            Of::Block(of) if self.shape(of) != self.shape(dst) => self.of_all(Of::Other, &[&held]),
            Of::Block(_) | Of::Number(_) | Of::Other => held,
        }
    }

    fn reduced(&self, op: ReduceOp, src: &Held<Of>, out: Held<Of>, clear: bool) -> Held<Of> {
        let neutral = match op {
            ReduceOp::Sum => 0.0,
            ReduceOp::Max => f64::NEG_INFINITY,
            ReduceOp::Min => f64::INFINITY,
            ReduceOp::Prod => 1.0,
            // What it is folded into becomes its magnitude.
            ReduceOp::AbsMax if clear => 0.0,
            ReduceOp::AbsMax => return self.of_all(Of::Other, &[&out]),
            ReduceOp::Mean => return self.of_all(Of::Other, &[src]),
        };
        let before = match clear {
            true => Held::sure(Of::Number(neutral)),
            false => out,
        };
        match src.value == Of::Number(neutral) {
            true => before,
            false => self.of_all(Of::Other, &[&before]),
        }
    }

    fn assign(&self, assign: &Assign, block: BlockId, indices: &[(VarId, u64)], state: &mut State) {
        let here = self.load(&assign.target, indices, state);
        let new = self.value(&assign.value, indices, state);
        if new.value == here.value && new.value != Value::Other && (assign.compound || new.is_sure) {
            return;
        }
        let before = self.held(block, state);
        let held = match (assign.compound(), covers(self.kernel, indices, &assign.target)) {
            // Where the other operand has no value, the element stays as it is.
            (Some((_, operand)), is_covered) => {
                let operand = self.value(operand, indices, state);
                match new.value {
                    Value::Number(number) if is_covered && self.has_value(&operand) => {
                        self.of_all(Of::Number(number), &[&before])
                    }
                    Value::At(..) | Value::Number(_) | Value::Other => self.of_all(Of::Other, &[&before]),
                }
            }
            (None, false) => {
                let is_sure = self.has_value(&before) && self.has_value(&new);
                Held {
                    value: Of::Other,
                    is_sure,
                }
            }
            (None, true) => match &new.value {
                Value::Number(number) => self.of_all(Of::Number(*number), &[&new]),
                Value::At(of, at) if *at == assign.target.indices && self.shape(*of) == self.shape(block) => Held {
                    value: Of::Block(*of),
                    is_sure: new.is_sure,
                },
                Value::At(..) | Value::Other => self.of_all(Of::Other, &[&new]),
            },
        };
        self.store(block, held, state);
    }

    fn load(&self, access: &Access, indices: &[(VarId, u64)], state: &State) -> Held<Value> {
        let Buffer::Block(block) = access.buffer else {
            return other_value(false);
        };
        let held = self.held(block, state);
        let mut axes = access.indices.iter().zip(self.shape(block));
        let is_inside = axes.all(|(index, extent)| match index {
            IntExpr::Var(var) => indices.iter().any(|(known, of)| known == var && of <= extent),
            IntExpr::Const(at) => u64::try_from(*at).is_ok_and(|at| at < *extent),
            IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => false,
        });
        let value = match held.value {
            Of::Block(of) => Value::At(of, access.indices.clone()),
            Of::Number(number) => Value::Number(number),
            Of::Other => Value::Other,
        };
        let is_sure = held.is_sure && is_inside;
        Held { value, is_sure }
    }

    fn value(&self, element: &Element, indices: &[(VarId, u64)], state: &State) -> Held<Value> {
        let of = |operand: &Element| self.value(operand, indices, state);
        match &element.kind {
            ElementKind::Float(Real(number)) if number.is_nan() => other_value(true),
            ElementKind::Float(Real(number)) => Held::sure(Value::Number(*number)),
            ElementKind::Int(IntExpr::Const(integer)) => Held::sure(Value::Number(*integer as f64)),
            ElementKind::Int(_) | ElementKind::Scalar(_) => other_value(true),
            ElementKind::Load(access) => self.load(access, indices, state),
            ElementKind::Call(op, args) => {
                let args: Vec<Held<Value>> = args.iter().map(of).collect();
                let is_integer = element.element_type(self.kernel).is_none_or(ElementType::is_integer);
                let value = computed(*op, &args, is_integer);
                // What is left as it was has a value where that has one, if the others do.
                let is_kept = |arg: &Held<Value>| arg.is_sure && arg.value.block().is_some() && arg.value == value;
                let is_sure = args.iter().all(|arg| is_kept(arg) || self.has_value(arg));
                Held { value, is_sure }
            }
            ElementKind::Select(condition, a, b) => {
                match self.limit.and_then(|limit| decided(condition, limit, indices)) {
                    Some(Decided { holds, has_value }) => {
                        let held = if holds { of(a) } else { of(b) };
                        let is_sure = held.is_sure && has_value;
                        Held { is_sure, ..held }
                    }
                    None => self.chosen(condition, of(a), of(b)),
                }
            }
            ElementKind::Cast(to, a) => {
                let held = of(a);
                let is_kept = match held.value {
                    Value::Number(number) => is_exact(number, *to),
                    Value::At(block, _) => self.element(block) == *to,
                    Value::Other => true,
                };
                match is_kept {
                    true => held,
                    false => self.of_all(Value::Other, &[&held]),
                }
            }
            ElementKind::Bool(_)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_) => other_value(false),
        }
    }

    /// One of two, by a condition of which nothing is known.
    fn chosen(&self, condition: &Element, a: Held<Value>, b: Held<Value>) -> Held<Value> {
        let is_of_indices = !condition.reads();
        let mut held = match a.value == b.value {
            true => Held {
                is_sure: a.is_sure && b.is_sure,
                value: a.value,
            },
            false => self.of_all(Value::Other, &[&a, &b]),
        };
        held.is_sure &= is_of_indices;
        held
    }
}

impl Forward<Language> for Turn<'_> {
    type State = State;

    fn begin(&mut self) -> State {
        State::default()
    }

    fn op(&mut self, _: &Span, op: &Op, state: &mut State) {
        self.operation(op, state);
    }

    fn runs(&self, _: &For) -> bool {
        false
    }

    /// What is known on either of two ways.
    fn join(&mut self, state: &mut State, other: &State) {
        let blocks: BTreeSet<BlockId> = state.blocks.keys().chain(other.blocks.keys()).copied().collect();
        for block in blocks {
            let (a, b) = (self.held(block, state), self.held(block, other));
            let held = match a.value == b.value {
                true => Held {
                    is_sure: a.is_sure && b.is_sure,
                    value: a.value,
                },
                false => self.of_all(Of::Other, &[&a, &b]),
            };
            state.blocks.insert(block, held);
        }
        state.is_seen |= other.is_seen;
    }
}

fn other(is_sure: bool) -> Held<Of> {
    let value = Of::Other;
    Held { value, is_sure }
}

fn other_value(is_sure: bool) -> Held<Value> {
    let value = Value::Other;
    Held { value, is_sure }
}

/// Whether a type holds a number as it is, as far as that matters: the ones that operations leave others as they are with.
fn is_exact(number: f64, element: ElementType) -> bool {
    match element {
        ElementType::F32 | ElementType::Bf16 | ElementType::F16 => true,
        ElementType::Bfp8 | ElementType::Bfp4 => number == 0.0 || number == 1.0,
        ElementType::I32 | ElementType::U32 | ElementType::U16 | ElementType::U8 | ElementType::I8 => {
            number == 0.0 || number == 1.0
        }
    }
}

/// What an operation makes of these, where numbers among them tell.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "of numbers alone an operation is computed, whichever it is"
)]
fn computed(op: ElementOp, args: &[Held<Value>], is_integer: bool) -> Value {
    let number = |at: usize| match args.get(at).map(|arg| &arg.value) {
        Some(Value::Number(number)) => Some(*number),
        Some(Value::At(..) | Value::Other) | None => None,
    };
    let arg = |at: usize| args.get(at).map_or(Value::Other, |arg| arg.value.clone());
    let (a, b) = (number(0), number(1));
    let is = |of: Option<f64>, value: f64| of == Some(value);
    let infinite = [f64::INFINITY, f64::NEG_INFINITY];
    match op {
        ElementOp::Add if is(b, 0.0) => arg(0),
        ElementOp::Add if is(a, 0.0) => arg(1),
        ElementOp::Sub if is(b, 0.0) => arg(0),
        ElementOp::Sub if arg(0) == arg(1) && matches!(arg(0), Value::At(..)) => Value::Number(0.0),
        ElementOp::Mul if is(b, 1.0) => arg(0),
        ElementOp::Mul if is(a, 1.0) => arg(1),
        ElementOp::Mul if is(a, 0.0) || is(b, 0.0) => Value::Number(0.0),
        ElementOp::Div if is(b, 1.0) => arg(0),
        ElementOp::Max if is(b, f64::NEG_INFINITY) => arg(0),
        ElementOp::Max if is(a, f64::NEG_INFINITY) => arg(1),
        ElementOp::Min if is(b, f64::INFINITY) => arg(0),
        ElementOp::Min if is(a, f64::INFINITY) => arg(1),
        _ if is_integer => Value::Other,
        // An infinity stays one, whatever is added to it or taken away.
        ElementOp::Add | ElementOp::Sub if infinite.iter().any(|value| is(a, *value)) && b.is_none() => arg(0),
        ElementOp::Add if infinite.iter().any(|value| is(b, *value)) && a.is_none() => arg(1),
        ElementOp::Sub if infinite.iter().any(|value| is(b, *value)) && a.is_none() => {
            Value::Number(-b.unwrap_or_default())
        }
        _ => {
            let numbers: Option<Vec<f64>> = (0..args.len()).map(number).collect();
            let value = numbers.map(|numbers| (op.row().value)(&numbers));
            value
                .filter(|value| !value.is_nan())
                .map_or(Value::Other, Value::Number)
        }
    }
}
