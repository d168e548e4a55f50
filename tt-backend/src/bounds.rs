//! The least and the greatest value of integers: as numbers that hold whatever the values at launch, and as integers that a launch
//! computes. Both go by what is held everywhere else: no integer of a kernel leaves 32 bits.

#![warn(clippy::arithmetic_side_effects)]

use tt_lang::hash::HashMap;
use tt_lang::ir::{Access, Buffer, ElementType, IntExpr, IntOp, Kernel, Linear, Param, ScalarKind, VarId};

/// The least and the greatest value, as numbers.
pub type Numbers = [i64; 2];

/// Likewise, as integers.
pub type Ends = [IntExpr; 2];

/// Those of 32 bits.
pub const ANY: Numbers = [i32::MIN as i64, i32::MAX as i64];

/// How large the ends of an integer may become: they are products of products otherwise.
const MOST_PARTS: usize = 400;

/// What is known of the variables of a kernel.
pub struct Bounds<'k> {
    kernel: &'k Kernel,
    most_extent: i64,
    numbers: HashMap<VarId, Numbers>,
    ends: HashMap<VarId, Ends>,
}

impl<'k> Bounds<'k> {
    /// What is known of the variables of the grid.
    pub fn of(kernel: &'k Kernel) -> Bounds<'k> {
        // No axis of a tensor is longer than what the memory of a card holds, a tile of which has 1088 bytes and more, but where
        // elements have 4 bits.
        let is_of_4_bits = |param: &Param| match param {
            Param::Tensor(tensor) | Param::Temporary(tensor) => tensor.element.value == ElementType::Bfp4,
            Param::Scalar(_) | Param::Derived(_) => false,
        };
        let most_extent = match kernel.params.iter().any(is_of_4_bits) {
            true => i32::MAX.into(),
            false => 1 << 30,
        };
        let mut bounds = Bounds {
            kernel,
            most_extent,
            numbers: HashMap::default(),
            ends: HashMap::default(),
        };
        for (var, extent) in &kernel.grid.axes {
            bounds.variable(*var, &IntExpr::Const(0), &extent.value);
        }
        bounds
    }

    /// A variable from `start` up to before `end`.
    pub fn variable(&mut self, var: VarId, start: &IntExpr, end: &IntExpr) {
        let ([low, latest], [earliest, high]) = (self.numbers(start), self.numbers(end));
        self.numbers.insert(var, [low, high.saturating_sub(1).max(low)]);
        if let (Some([low, _]), Some([_, high])) = (self.ends(start), self.ends(end)) {
            let last = IntExpr::binary(IntOp::Sub, high, IntExpr::Const(1));
            // Of no values the least is the greatest, too: what is computed from ends that are the wrong way round is nothing.
            let last = match earliest > latest {
                true => last,
                false => IntExpr::binary(IntOp::Max, last, low.clone()),
            };
            self.ends.insert(var, [low, last]);
        }
    }

    /// An index of `T.Parallel`, or what is left of it.
    pub fn index(&mut self, var: VarId, numbers: Numbers) {
        self.numbers.insert(var, numbers);
        self.ends.insert(var, numbers.map(IntExpr::Const));
    }

    /// An integer that is read.
    pub fn fetched(&mut self, var: VarId, from: &Access) {
        let element = match from.buffer {
            Buffer::Tensor(id) => self.kernel.tensor(id).map(|tensor| tensor.element.value),
            Buffer::Block(_) => None,
        };
        let numbers = match element {
            Some(ElementType::U8) => [0, u8::MAX.into()],
            Some(ElementType::I8) => [i8::MIN.into(), i8::MAX.into()],
            Some(ElementType::U16) => [0, u16::MAX.into()],
            Some(
                ElementType::I32
                | ElementType::U32
                | ElementType::Bf16
                | ElementType::F32
                | ElementType::F16
                | ElementType::Bfp8
                | ElementType::Bfp4,
            )
            | None => ANY,
        };
        self.numbers.insert(var, numbers);
    }

    /// The least and the greatest value of `expr`, before it is held to 32 bits.
    pub fn numbers(&self, expr: &IntExpr) -> Numbers {
        match expr {
            IntExpr::Const(value) => [*value; 2],
            IntExpr::Extent(_) => [1, self.most_extent],
            IntExpr::Scalar(id) => match &self.kernel.params[id.index()] {
                Param::Derived(_) => [0, 1],
                Param::Scalar(scalar) if scalar.kind == ScalarKind::U32 => [0, i32::MAX.into()],
                Param::Scalar(_) | Param::Tensor(_) | Param::Temporary(_) => ANY,
            },
            IntExpr::Var(var) | IntExpr::Fetched(var) => {
                let known = self.numbers.get(var).copied();
                known.unwrap_or(ANY)
            }
            IntExpr::Binary(op, of, by) => {
                let is_held = |part: &IntExpr| !part.is_launch_constant() || !expr.is_launch_constant();
                let held = |part: &IntExpr| {
                    let numbers = self.numbers(part);
                    if is_held(part) { within(numbers, ANY) } else { numbers }
                };
                let ([a, c], [b, d]) = (held(of), held(by));
                let most = a.saturating_abs().max(c.saturating_abs());
                match op {
                    IntOp::Add => {
                        let sum = [a.saturating_add(b), c.saturating_add(d)];
                        self.one_of_two(of, by).map_or(sum, |chosen| within(sum, chosen))
                    }
                    IntOp::Sub => {
                        let least = |a: &IntExpr, b: &IntExpr| least_difference(a, b);
                        let apart = [
                            least(of, by).unwrap_or(i64::MIN),
                            least(by, of).map_or(i64::MAX, i64::saturating_neg),
                        ];
                        within([a.saturating_sub(d), c.saturating_sub(b)], apart)
                    }
                    IntOp::Mul => {
                        let corners = [(a, b), (a, d), (c, b), (c, d)].map(|(x, y)| x.saturating_mul(y));
                        hull(&corners)
                    }
                    IntOp::Div | IntOp::CeilDiv if b > 0 => {
                        let corners = [(a, b), (a, d), (c, b), (c, d)];
                        hull(&corners.map(|(x, y)| op.apply(x, y).unwrap_or(x)))
                    }
                    IntOp::Rem if a >= 0 && b > 0 => [0, c.min(d.saturating_sub(1))],
                    IntOp::Rem if b > 0 => {
                        let last = d.saturating_sub(1);
                        [a.min(0).max(last.saturating_neg()), c.max(0).min(last)]
                    }
                    IntOp::Div | IntOp::CeilDiv | IntOp::Rem => [most.saturating_neg(), most],
                    IntOp::Min => [a.min(b), c.min(d)],
                    IntOp::Max => [a.max(b), c.max(d)],
                }
            }
        }
    }

    /// Of `x · c + y · (1 - c)`, where `c` is 0 or 1: a choice of integers.
    fn one_of_two(&self, a: &IntExpr, b: &IntExpr) -> Option<Numbers> {
        let (IntExpr::Binary(IntOp::Mul, x, taken), IntExpr::Binary(IntOp::Mul, y, left)) = (a, b) else {
            return None;
        };
        let rest = IntExpr::binary(IntOp::Sub, IntExpr::Const(1), IntExpr::clone(taken));
        let is_choice = **left == rest && within(self.numbers(taken), [0, 1]) == self.numbers(taken);
        let ([a, c], [b, d]) = (self.numbers(x), self.numbers(y));
        is_choice.then_some([a.min(b), c.max(d)])
    }

    /// As integers that a launch computes; nothing where something in it is not known then.
    pub fn ends(&self, expr: &IntExpr) -> Option<Ends> {
        self.ends_over(expr, &|part| match part {
            IntExpr::Var(var) => self.ends.get(var).cloned(),
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => {
                part.is_launch_constant().then(|| [part.clone(), part.clone()])
            }
        })
    }

    /// As integers over the parts of it of which `known` says the ends, the largest first; nothing where they are not all of it.
    pub fn ends_over(&self, expr: &IntExpr, known: &dyn Fn(&IntExpr) -> Option<Ends>) -> Option<Ends> {
        if let Some(ends) = known(expr) {
            return Some(ends);
        }
        let IntExpr::Binary(op, of, by) = expr else { return None };
        let ([a, c], [b, d]) = (self.ends_over(of, known)?, self.ends_over(by, known)?);
        let (left, right) = (self.numbers(of), self.numbers(by));
        let of = |op: IntOp, x: &IntExpr, y: &IntExpr| IntExpr::binary(op, x.clone(), y.clone());
        let each = |x: &IntExpr, y: &IntExpr| of(*op, x, y);
        let all = |op, of_all: &[IntExpr]| of_all.iter().cloned().reduce(|x, y| IntExpr::binary(op, x, y));
        let corners = || {
            let mut corners = vec![each(&a, &b), each(&c, &b)];
            corners.extend(
                [(&a, &d), (&c, &d)]
                    .map(|(x, y)| each(x, y))
                    .into_iter()
                    .filter(|_| b != d),
            );
            corners
        };
        let ends = match op {
            IntOp::Add | IntOp::Min | IntOp::Max => [each(&a, &b), each(&c, &d)],
            IntOp::Sub => [each(&a, &d), each(&c, &b)],
            IntOp::Mul if left[0] >= 0 && right[0] >= 0 => [each(&a, &b), each(&c, &d)],
            IntOp::Div | IntOp::CeilDiv if left[0] >= 0 && right[0] > 0 => [each(&a, &d), each(&c, &b)],
            IntOp::Mul => [all(IntOp::Min, &corners())?, all(IntOp::Max, &corners())?],
            IntOp::Div | IntOp::CeilDiv if right[0] > 0 => [all(IntOp::Min, &corners())?, all(IntOp::Max, &corners())?],
            // No further from zero than what is divided.
            IntOp::Div | IntOp::CeilDiv | IntOp::Rem => {
                let zero = IntExpr::Const(0);
                let negated = [&a, &c].map(|end| of(IntOp::Sub, &zero, end));
                let [less, more] = [all(IntOp::Min, &negated)?, all(IntOp::Max, &negated)?];
                [
                    of(IntOp::Min, &of(IntOp::Min, &a, &less), &zero),
                    of(IntOp::Max, &of(IntOp::Max, &c, &more), &zero),
                ]
            }
        };
        let mut parts = 0_usize;
        ends.iter()
            .for_each(|end| end.walk(&mut |_| parts = parts.saturating_add(1)));
        (parts <= MOST_PARTS).then_some(ends)
    }
}

/// What `a - b` is never below, where that can be told without knowing either.
fn least_difference(a: &IntExpr, b: &IntExpr) -> Option<i64> {
    if let Some(known) = Linear::difference(a, b).as_const() {
        return Some(known);
    }
    if let IntExpr::Binary(op @ (IntOp::Min | IntOp::Max), x, y) = b {
        let both = [least_difference(a, x), least_difference(a, y)];
        return one_or_both(*op == IntOp::Min, both);
    }
    // `max(x, y) + 3`
    let sum = Linear::of(a);
    let [(IntExpr::Binary(op @ (IntOp::Min | IntOp::Max), x, y), 1)] = sum.terms.as_slice() else {
        return None;
    };
    let both = [least_difference(x, b), least_difference(y, b)];
    one_or_both(*op == IntOp::Max, both)?.checked_add(sum.constant)
}

/// The greater of two bounds where one is enough, else the lesser.
fn one_or_both(is_one_enough: bool, [x, y]: [Option<i64>; 2]) -> Option<i64> {
    match is_one_enough {
        true => x.max(y),
        false => Some(x?.min(y?)),
    }
}

/// `numbers`, as far as they are some of `limits`.
fn within([low, high]: Numbers, [least, most]: Numbers) -> Numbers {
    [low.clamp(least, most), high.clamp(least, most)]
}

/// The least and the greatest of some.
fn hull(of: &[i64; 4]) -> Numbers {
    let [first, rest @ ..] = of;
    let ends = |[low, high]: Numbers, value: &i64| [low.min(*value), high.max(*value)];
    rest.iter().fold([*first; 2], ends)
}
