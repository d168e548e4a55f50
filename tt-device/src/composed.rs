//! Operations that the device lacks, or has but not to the accuracy of the registers: straight programs over calls that are
//! good.
//!
//! What the device's own are off by, and what these come to, is measured by `tests/numbers` and stands in docs/numbers.md.

use crate::catalogue::SfpuOp;

/// A line of a program over registers 0, 1, .. of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Line {
    /// A number into a register.
    Fill(usize, f32),
    /// An operation in place, with its number where it takes one.
    Unary(SfpuOp, usize, Option<f32>),
    /// `operation(a, b)` into a register.
    Binary(SfpuOp, [usize; 2], usize),
}

/// A function of one register: its argument is in register 0, and so is its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Composed {
    /// Registers it takes, the argument's included.
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

    /// The larger of a value and itself is the value.
    fn copy(self, from: usize, to: usize) -> Composed {
        self.join(SfpuOp::Max, [from, from], to)
    }

    /// `x · (c₀ + x · (c₁ + ..))` into a register, by Horner's rule.
    fn polynomial_without_constant(mut self, x: usize, coefficients: &[f32], out: usize) -> Composed {
        for (at, coefficient) in coefficients.iter().rev().enumerate() {
            self = match at {
                0 => {
                    self.lines.push(Line::Fill(out, *coefficient));
                    self
                }
                _ => self.with(SfpuOp::AddNumber, out, *coefficient),
            };
            self = self.join(SfpuOp::Mul, [out, x], out);
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
pub fn to_half() -> Composed {
    let [least, beyond]: [f32; 2] = [2f32.powi(-14), 2f32.powi(17)];
    let mut exponent = Composed::new(2);
    exponent.lines.push(Line::Fill(1, f32::INFINITY));
    exponent
        .join(SfpuOp::AndInteger, [0, 1], 1)
        .with(SfpuOp::UnaryMax, 1, least)
        .with(SfpuOp::UnaryMin, 1, beyond)
        .with(SfpuOp::MulNumber, 1, 1.5 * 8192.0)
        .join(SfpuOp::Add, [0, 1], 0)
        .join(SfpuOp::Sub, [0, 1], 0)
        .with(SfpuOp::MulNumber, 0, 2f32.powi(112))
        .with(SfpuOp::MulNumber, 0, 2f32.powi(-112))
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
                        _ => panic!("{op:?}"),
                    });
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
        ] {
            let (low, high): (f32, f32) = (range.start, range.end);
            for at in 0..=20_000 {
                let x = low + (high - low) * (at as f32 / 20_000.0);
                let wanted = (exact.row().value)(&[f64::from(x)]);
                let error = (f64::from(run(&composed, x)) / wanted - 1.0).abs();
                assert!(error < 6e-7, "{exact:?} of {x} is {error:e} off");
            }
        }
        assert!(run(&erfc(), f32::INFINITY) < f32::MIN_POSITIVE);
        assert_eq!(run(&erfc(), f32::NEG_INFINITY), 2.0);
        assert_eq!(run(&softplus(), f32::INFINITY), f32::INFINITY);
        assert_eq!(run(&softplus(), f32::NEG_INFINITY), 0.0);
    }
}
