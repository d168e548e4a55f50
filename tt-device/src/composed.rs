//! Operations that the device lacks, or has but not to the accuracy of the registers: straight programs over calls that are
//! good.
//!
//! What the device's own are off by, and what these come to, is measured by `tests/numbers` and stands in docs/numbers.md.

mod special;

use crate::catalogue::SfpuOp;
pub use special::{bessel_i0, bessel_i1, digamma, erf_inverse, gelu_derivative, log_gamma, tanh_derivative};

/// A line of a program over registers 0, 1, .. of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Line {
    /// A number into a register.
    Fill(usize, f32),
    /// An operation in place, with its number where it takes one.
    Unary(SfpuOp, usize, Option<f32>),
    /// An operation in place, with a uniform argument of the function as its number.
    OfArgument(SfpuOp, usize, usize),
    /// `operation(a, b)` into a register.
    Binary(SfpuOp, [usize; 2], usize),
    /// The second where the first is not 0, else the third, into a register.
    Choose([usize; 3], usize),
}

/// A function of registers: its operands are in the first ones, and its result is in register 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Composed {
    /// Registers it takes, those of the operands included.
    pub registers: usize,
    /// Its lines.
    pub lines: Vec<Line>,
}

impl Composed {
    fn new(registers: usize) -> Composed {
        Composed {
            registers,
            lines: Vec::new(),
        }
    }

    fn apply(mut self, op: SfpuOp, register: usize) -> Composed {
        self.lines.push(Line::Unary(op, register, None));
        self
    }

    fn with(mut self, op: SfpuOp, register: usize, number: f32) -> Composed {
        self.lines.push(Line::Unary(op, register, Some(number)));
        self
    }

    fn join(mut self, op: SfpuOp, operands: [usize; 2], out: usize) -> Composed {
        self.lines.push(Line::Binary(op, operands, out));
        self
    }

    fn fill(mut self, register: usize, number: f32) -> Composed {
        self.lines.push(Line::Fill(register, number));
        self
    }

    fn of_argument(mut self, op: SfpuOp, register: usize, argument: usize) -> Composed {
        self.lines.push(Line::OfArgument(op, register, argument));
        self
    }

    fn choose(mut self, condition: usize, [then, otherwise]: [usize; 2], out: usize) -> Composed {
        self.lines.push(Line::Choose([condition, then, otherwise], out));
        self
    }

    /// The larger of a value and itself is the value.
    fn copy(self, from: usize, to: usize) -> Composed {
        self.join(SfpuOp::Max, [from, from], to)
    }

    /// `x · (c₀ + x · (c₁ + ..))` into a register, by Horner's rule.
    fn polynomial_without_constant(self, x: usize, coefficients: &[f32], out: usize) -> Composed {
        self.polynomial(x, coefficients, out).join(SfpuOp::Mul, [out, x], out)
    }

    /// `c₀ + x · (c₁ + x · ..)` into a register, by Horner's rule.
    fn polynomial(mut self, x: usize, coefficients: &[f32], out: usize) -> Composed {
        for (at, coefficient) in coefficients.iter().rev().enumerate() {
            self = match at {
                0 => self.fill(out, *coefficient),
                _ => self.join(SfpuOp::Mul, [out, x], out),
            };
            if at > 0 && *coefficient != 0.0 {
                self = self.with(SfpuOp::AddNumber, out, *coefficient);
            }
        }
        self
    }
}

/// `x as i32`: towards zero, held to 32 bits, and 0 where `x` is no number. The device's own cast gives the end of the range on
/// the side of its sign there (`ckernel_sfpu_typecast.h`); what is no number does not equal itself.
pub fn to_integer() -> Composed {
    Composed::new(2)
        .join(SfpuOp::Eq, [0, 0], 1)
        .apply(SfpuOp::ToInteger, 0)
        .apply(SfpuOp::ToInteger, 1)
        .join(SfpuOp::MulInteger, [0, 1], 0)
}

/// The number of `f16` that is nearest to a number, ties to even: `(x + c) - c`, where `c` is so large that a sum keeps the ten bits
/// behind `x`'s first one, or behind that of the least normal number. What is then beyond 65504 overflows.
/// What is 0 then has lost its sign, which is put back.
pub fn to_half() -> Composed {
    let [least, beyond]: [f32; 2] = [2f32.powi(-14), 2f32.powi(17)];
    Composed::new(3)
        .fill(1, f32::INFINITY)
        .fill(2, -0.0)
        .join(SfpuOp::AndInteger, [0, 2], 2)
        .join(SfpuOp::AndInteger, [0, 1], 1)
        .with(SfpuOp::UnaryMax, 1, least)
        .with(SfpuOp::UnaryMin, 1, beyond)
        .with(SfpuOp::MulNumber, 1, 1.5 * 8192.0)
        .join(SfpuOp::Add, [0, 1], 0)
        .join(SfpuOp::Sub, [0, 1], 0)
        .with(SfpuOp::MulNumber, 0, 2f32.powi(112))
        .with(SfpuOp::MulNumber, 0, 2f32.powi(-112))
        .join(SfpuOp::OrInteger, [0, 2], 0)
}

/// Beyond this `erfc` is no normal number.
const ERFC_ENDS: f32 = 10.0;
/// `t = 1 / (1 + this · z)` takes 0..=[`ERFC_ENDS`] to 1/4..=1.
const ERFC_SCALE: f32 = 0.3;
/// `e^(z²) · erfc(z) / t` as a polynomial of `t`, within 2e-8 of it relatively: fitted at 400 Chebyshev points, by least
/// squares with Lawson's weights.
const ERFC: [f32; 9] = [
    0.169_188,
    0.170_715_27,
    0.148_338_86,
    0.214_927_17,
    -0.094_653_14,
    0.547_723_3,
    -0.512_280_76,
    0.485_564_4,
    -0.129_523_14,
];

/// `erfc(z) = e^(−z²) · t · P(t)` for `z = |x|`, and `2 − erfc(z)` for a negative `x`. For the power `z` is split: `h` is `z`
/// rounded down to a 64th, so that `h²` is exact, and `z² = h² + (z − h) · (z + h)`, the second term below 1/3.
pub fn erfc() -> Composed {
    let magnitude = |program: Composed| {
        program
            .copy(0, 1)
            .apply(SfpuOp::Abs, 1)
            .with(SfpuOp::UnaryMin, 1, ERFC_ENDS)
    };
    let power = magnitude(Composed::new(4))
        .copy(1, 2)
        .with(SfpuOp::MulNumber, 2, 64.0)
        .apply(SfpuOp::Floor, 2)
        .with(SfpuOp::MulNumber, 2, 1.0 / 64.0)
        .join(SfpuOp::Sub, [2, 1], 3)
        .join(SfpuOp::Add, [1, 2], 1)
        .join(SfpuOp::Mul, [3, 1], 3)
        .apply(SfpuOp::Exp, 3)
        .join(SfpuOp::Mul, [2, 2], 2)
        .apply(SfpuOp::Neg, 2)
        .apply(SfpuOp::Exp, 2)
        .join(SfpuOp::Mul, [2, 3], 2);
    magnitude(power)
        .with(SfpuOp::MulNumber, 1, ERFC_SCALE)
        .with(SfpuOp::AddNumber, 1, 1.0)
        .apply(SfpuOp::Recip, 1)
        .polynomial_without_constant(1, &ERFC, 3)
        .join(SfpuOp::Mul, [2, 3], 2)
        // s · erfc(|x|) + (1 − s), where s is the sign of x: exact for a positive x, and 1 for 0.
        .apply(SfpuOp::Sign, 0)
        .join(SfpuOp::Mul, [2, 0], 2)
        .with(SfpuOp::RsubNumber, 0, 1.0)
        .join(SfpuOp::Add, [2, 0], 0)
}

/// `x · (max(min(−3 − x, 0), −6) / −6)`: the sum is exact where it is small, and 16-bit registers round `number − x` to nearest,
/// where they truncate `x + number`.
pub fn hardswish() -> Composed {
    Composed::new(2)
        .copy(0, 1)
        .with(SfpuOp::RsubNumber, 1, -3.0)
        .with(SfpuOp::UnaryMin, 1, 0.0)
        .with(SfpuOp::UnaryMax, 1, -6.0)
        .with(SfpuOp::MulNumber, 1, -1.0 / 6.0)
        .join(SfpuOp::Mul, [0, 1], 0)
}

/// `max(min(−3 − x, 0), −6) / −6`, as in [`hardswish`].
pub fn hardsigmoid() -> Composed {
    Composed::new(1)
        .with(SfpuOp::RsubNumber, 0, -3.0)
        .with(SfpuOp::UnaryMin, 0, 0.0)
        .with(SfpuOp::UnaryMax, 0, -6.0)
        .with(SfpuOp::MulNumber, 0, -1.0 / 6.0)
}

/// `ln(1 + e^(−|x|))` beside `x`.
fn log1p_of_size() -> Composed {
    Composed::new(2)
        .copy(0, 1)
        .apply(SfpuOp::Abs, 1)
        .apply(SfpuOp::Neg, 1)
        .apply(SfpuOp::Exp, 1)
        .apply(SfpuOp::Log1p, 1)
}

/// `min(x, 0) − ln(1 + e^(−|x|))`.
pub fn logsigmoid() -> Composed {
    log1p_of_size()
        .with(SfpuOp::UnaryMin, 0, 0.0)
        .join(SfpuOp::Sub, [0, 1], 0)
}

/// `max(x, 0) + ln(1 + e^(−|x|))`.
pub fn softplus() -> Composed {
    log1p_of_size()
        .with(SfpuOp::UnaryMax, 0, 0.0)
        .join(SfpuOp::Add, [0, 1], 0)
}

/// `x`, or the second operand times `x` where that is below 0.
pub fn prelu() -> Composed {
    Composed::new(3)
        .join(SfpuOp::Mul, [0, 1], 1)
        .copy(0, 2)
        .with(SfpuOp::LtNumber, 2, 0.0)
        .choose(2, [1, 0], 0)
}

/// `y ^ x`.
pub fn power_of_other() -> Composed {
    Composed::new(2).join(SfpuOp::Pow, [1, 0], 0)
}

/// `x · ln y`, and 0 where `x` is, whatever `y`.
pub fn xlogy() -> Composed {
    Composed::new(3)
        .apply(SfpuOp::Log, 1)
        .join(SfpuOp::Mul, [0, 1], 1)
        .copy(0, 2)
        .apply(SfpuOp::EqZero, 2)
        .choose(2, [0, 1], 0)
}

/// What is left of `x` over `y`, with the sign of `y`: `fmod`, and `y` once more where its sign is the other one. The product of
/// their signs is −1 there.
pub fn remainder() -> Composed {
    Composed::new(4)
        .join(SfpuOp::Fmod, [0, 1], 0)
        .copy(0, 2)
        .apply(SfpuOp::Sign, 2)
        .copy(1, 3)
        .apply(SfpuOp::Sign, 3)
        .join(SfpuOp::Mul, [2, 3], 2)
        .with(SfpuOp::UnaryMin, 2, 0.0)
        .join(SfpuOp::Mul, [1, 2], 1)
        .join(SfpuOp::Sub, [0, 1], 0)
}

/// `|x − y| ≤ a + r · |y|`, of uniform `r` and `a`, where the difference is finite, and where both are equal.
pub fn is_close() -> Composed {
    Composed::new(4)
        .copy(1, 2)
        .apply(SfpuOp::Abs, 2)
        .of_argument(SfpuOp::MulNumber, 2, 0)
        .of_argument(SfpuOp::AddNumber, 2, 1)
        .join(SfpuOp::Eq, [0, 1], 3)
        .join(SfpuOp::Sub, [0, 1], 0)
        .apply(SfpuOp::Abs, 0)
        .copy(0, 1)
        .apply(SfpuOp::IsFinite, 1)
        .join(SfpuOp::Le, [0, 2], 0)
        .join(SfpuOp::Mul, [0, 1], 0)
        .join(SfpuOp::Max, [0, 3], 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::ElementOp;
    use crate::operation::SfpuForm;

    /// A program in `f32`, as registers of 32 bits hold it.
    fn run(composed: &Composed, x: f32) -> f32 {
        let mut registers = vec![None; composed.registers];
        registers[0] = Some(x);
        let read =
            |registers: &[Option<f32>], at: usize| registers[at].expect("a register is written before it is read");
        for line in &composed.lines {
            match *line {
                Line::Fill(out, number) => registers[out] = Some(number),
                Line::Unary(op, at, number) => {
                    assert_eq!(op.row().form, SfpuForm::Unary(number.iter().count()), "{op:?}");
                    let x = read(&registers, at);
                    let number = number.unwrap_or(0.0);
                    registers[at] = Some(match op {
                        SfpuOp::Abs => x.abs(),
                        SfpuOp::Neg => -x,
                        SfpuOp::Exp => x.exp(),
                        SfpuOp::Log1p => x.ln_1p(),
                        SfpuOp::Floor => x.floor(),
                        SfpuOp::Recip => 1.0 / x,
                        SfpuOp::Sign if x == 0.0 => 0.0,
                        SfpuOp::Sign => x.signum(),
                        SfpuOp::UnaryMin => x.min(number),
                        SfpuOp::UnaryMax => x.max(number),
                        SfpuOp::MulNumber => x * number,
                        SfpuOp::AddNumber => x + number,
                        SfpuOp::RsubNumber => number - x,
                        SfpuOp::Log => x.ln(),
                        SfpuOp::Sqrt => x.sqrt(),
                        SfpuOp::Rsqrt => 1.0 / x.sqrt(),
                        SfpuOp::Square => x * x,
                        SfpuOp::EqZero => f32::from(x == 0.0),
                        SfpuOp::LtNumber => f32::from(x < number),
                        SfpuOp::GtNumber => f32::from(x > number),
                        _ => panic!("{op:?}"),
                    });
                }
                Line::OfArgument(op, ..) => panic!("{op:?} of an argument"),
                Line::Choose([condition, then, otherwise], out) => {
                    let chosen = if read(&registers, condition) != 0.0 {
                        then
                    } else {
                        otherwise
                    };
                    registers[out] = Some(read(&registers, chosen));
                }
                Line::Binary(op, [a, b], out) => {
                    let (a, b) = (read(&registers, a), read(&registers, b));
                    registers[out] = Some(match op {
                        SfpuOp::Add => a + b,
                        SfpuOp::Sub => a - b,
                        SfpuOp::Mul => a * b,
                        SfpuOp::Max => a.max(b),
                        _ => panic!("{op:?}"),
                    });
                }
            }
        }
        read(&registers, 0)
    }

    #[test]
    fn composed_functions_are_what_they_are_called() {
        for (composed, exact, range) in [
            (erfc(), ElementOp::Erfc, -20.0..9.19),
            (softplus(), ElementOp::Softplus, -87.0..100.0),
            (hardswish(), ElementOp::Hardswish, -2.999..100.0),
            (hardsigmoid(), ElementOp::Hardsigmoid, -2.999..100.0),
            (logsigmoid(), ElementOp::Logsigmoid, -100.0..85.0),
            (erf_inverse(), ElementOp::Erfinv, -0.9999..0.9999),
            (bessel_i0(), ElementOp::I0, -80.0..80.0),
            (bessel_i1(), ElementOp::I1, -80.0..80.0),
            (log_gamma(), ElementOp::Lgamma, 1e-3..100.0),
            (digamma(), ElementOp::Digamma, 2.0..100.0),
            (gelu_derivative(), ElementOp::GeluDerivative, -0.5..12.0),
            (tanh_derivative(), ElementOp::TanhDerivative, -40.0..40.0),
        ] {
            let (low, high): (f32, f32) = (range.start, range.end);
            for at in 0..=20_000 {
                let x = low + (high - low) * (at as f32 / 20_000.0);
                let wanted = (exact.row().value)(&[f64::from(x)]);
                let error = (f64::from(run(&composed, x)) / wanted - 1.0).abs();
                assert!(error < 9e-7 || wanted == 0.0, "{exact:?} of {x} is {error:e} off");
            }
        }
        assert!(run(&erfc(), f32::INFINITY) < f32::MIN_POSITIVE);
        assert_eq!(run(&erfc(), f32::NEG_INFINITY), 2.0);
        assert_eq!(run(&softplus(), f32::INFINITY), f32::INFINITY);
        assert_eq!(run(&softplus(), f32::NEG_INFINITY), 0.0);
    }
}
