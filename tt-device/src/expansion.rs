//! What operations whose numbers are the same for every element are where they differ: made of other operations.
//!
//! The syntax writes it in their place. The row of an operation names its expansion, or says that it has none. Some are that
//! always, when they are computed on tiles (`Lowering::Expanded`).

use crate::catalogue::ElementOp;
use Expansion::{Argument, Call, Choose, Number};

/// What stands in the place of a call whose numbers differ from element to element.
#[derive(Debug, Clone, Copy)]
pub enum PerElement {
    /// The operation takes no numbers.
    NoNumbers,
    /// Nothing: the compiler refuses it.
    Refused,
    /// This, over its arguments.
    Is(Expansion),
}

/// A value over the arguments of an operation.
#[derive(Debug, Clone, Copy)]
pub enum Expansion {
    /// An argument, by its place.
    Argument(usize),
    /// A number.
    Number(f64),
    /// An operation on these.
    Call(ElementOp, &'static [Expansion]),
    /// The third where the first is so beside the second, else the fourth.
    Choose(Relation, &'static [Expansion; 4]),
}

impl Expansion {
    /// Whether one of its operations is such.
    pub fn has(&self, is: &impl Fn(ElementOp) -> bool) -> bool {
        match self {
            Argument(_) | Number(_) => false,
            Call(op, of) => is(*op) || of.iter().any(|part| part.has(is)),
            Choose(_, of) => of.iter().any(|part| part.has(is)),
        }
    }
}

/// How two numbers are compared.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Relation {
    Less,
    LessOrEqual,
    Greater,
}

const X: Expansion = Argument(0);
const Y: Expansion = Argument(1);
const Z: Expansion = Argument(2);
const ZERO: Expansion = Number(0.0);

pub(crate) const CLAMP: Expansion = Call(ElementOp::Min, &[Call(ElementOp::Max, &[X, Y]), Z]);
pub(crate) const POWF: Expansion = Call(ElementOp::Pow, &[X, Y]);
pub(crate) const LEAKY_RELU: Expansion = Choose(Relation::Greater, &[X, ZERO, X, Call(ElementOp::Mul, &[X, Y])]);
pub(crate) const RELU_MAX: Expansion = Call(ElementOp::Min, &[Call(ElementOp::Relu, &[X]), Y]);
pub(crate) const THRESHOLD: Expansion = Choose(Relation::LessOrEqual, &[X, Y, Z, X]);
pub(crate) const HEAVISIDE: Expansion = Choose(Relation::Greater, &[X, ZERO, Number(1.0), NOT_ABOVE_ZERO]);
const NOT_ABOVE_ZERO: Expansion = Choose(Relation::Less, &[X, ZERO, ZERO, Y]);
pub(crate) const SOFTSHRINK: Expansion = Choose(
    Relation::Greater,
    &[X, Y, Call(ElementOp::Sub, &[X, Y]), NOT_ABOVE_BOUND],
);
const NOT_ABOVE_BOUND: Expansion = Choose(
    Relation::Less,
    &[X, Call(ElementOp::Neg, &[Y]), Call(ElementOp::Add, &[X, Y]), ZERO],
);
pub(crate) const HARDSHRINK: Expansion = Choose(Relation::Greater, &[Call(ElementOp::Abs, &[X]), Y, X, ZERO]);
pub(crate) const ELU: Expansion = Choose(
    Relation::Greater,
    &[X, ZERO, X, Call(ElementOp::Mul, &[Y, Call(ElementOp::Expm1, &[X])])],
);
pub(crate) const SOFTCAP: Expansion = Call(
    ElementOp::Mul,
    &[Call(ElementOp::Tanh, &[Call(ElementOp::Div, &[X, Y])]), Y],
);
pub(crate) const LOG_WITH_BASE: Expansion = Call(
    ElementOp::Div,
    &[Call(ElementOp::Log, &[X]), Call(ElementOp::Log, &[Y])],
);
pub(crate) const SNAKE_BETA: Expansion = Call(ElementOp::Add, &[X, Call(ElementOp::Div, &[SQUARED_SINE, Z])]);
const SQUARED_SINE: Expansion = Call(
    ElementOp::Square,
    &[Call(ElementOp::Sin, &[Call(ElementOp::Mul, &[X, Y])])],
);
pub(crate) const CELU: Expansion = Choose(
    Relation::Greater,
    &[
        X,
        ZERO,
        X,
        Call(
            ElementOp::Mul,
            &[Y, Call(ElementOp::Expm1, &[Call(ElementOp::Div, &[X, Y])])],
        ),
    ],
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ELEMENT_OPS, ElementOpRow};

    fn value(of: &Expansion, x: &[f64]) -> f64 {
        let values = |of: &[Expansion]| of.iter().map(|part| value(part, x)).collect::<Vec<_>>();
        match of {
            Argument(at) => x[*at],
            Number(number) => *number,
            Call(op, of) => (op.row().value)(&values(of)),
            Choose(relation, of) => {
                let of = values(of.as_slice());
                let holds = match relation {
                    Relation::Less => of[0] < of[1],
                    Relation::LessOrEqual => of[0] <= of[1],
                    Relation::Greater => of[0] > of[1],
                };
                if holds { of[2] } else { of[3] }
            }
        }
    }

    #[test]
    fn an_operation_with_numbers_says_what_it_is_of_elements() {
        for row in ELEMENT_OPS {
            let has_numbers = !matches!(row.per_element, PerElement::NoNumbers);
            assert_eq!(has_numbers, row.uniform > 0, "{}", row.name);
        }
    }

    #[test]
    fn an_expansion_has_the_value_of_its_operation() {
        let expanded = |row: &'static ElementOpRow| match row.per_element {
            PerElement::Is(expansion) => Some((row, expansion)),
            PerElement::Refused | PerElement::NoNumbers => None,
        };
        for (row, expansion) in ELEMENT_OPS.iter().filter_map(expanded) {
            for x in [-2.0, -0.625, -0.25, 0.0, 0.125, 0.5, 0.75, 3.0] {
                let x = [&[x], row.trial].concat();
                let (found, wanted) = (value(&expansion, &x), (row.value)(&x));
                let is_same = found == wanted || found.is_nan() && wanted.is_nan();
                assert!(is_same, "{} of {x:?} is {wanted}, and expanded {found}", row.name);
            }
        }
    }
}
