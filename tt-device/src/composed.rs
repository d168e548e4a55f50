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

/// Giles' polynomials of `w − 2.5` and of `sqrt(w) − 3` for `erf⁻¹(x) / x`, where `w = −ln(1 − x²)` ("Approximating the erfinv
/// function", 2012), within 3 units in the last place.
const ERF_INVERSE: [[f32; 9]; 2] = [
    [
        1.501_409_4,
        0.246_640_73,
        -0.004_177_681_6,
        -0.001_253_725,
        0.000_218_580_87,
        -4.391_506_5e-6,
        -3.523_387_7e-6,
        3.432_739_4e-7,
        2.810_226_4e-8,
    ],
    [
        2.832_976_8,
        1.001_674,
        0.009_438_870_5,
        -0.007_622_461,
        0.005_739_507_7,
        -0.003_673_428_4,
        0.001_349_343_2,
        0.000_100_950_56,
        -0.000_200_214_26,
    ],
];

/// `erf⁻¹(x)`: by one polynomial where `w` is below 5, else by the other, which is infinite where `w` is.
pub fn erf_inverse() -> Composed {
    let [near, far] = &ERF_INVERSE;
    Composed::new(4)
        .copy(0, 1)
        .with(SfpuOp::AddNumber, 1, 1.0)
        .copy(0, 2)
        .with(SfpuOp::RsubNumber, 2, 1.0)
        .join(SfpuOp::Mul, [1, 2], 1)
        .apply(SfpuOp::Log, 1)
        .apply(SfpuOp::Neg, 1)
        .copy(1, 2)
        .apply(SfpuOp::Sqrt, 2)
        .with(SfpuOp::AddNumber, 2, -3.0)
        .with(SfpuOp::UnaryMin, 2, 2.0)
        .polynomial(2, far, 3)
        .copy(1, 2)
        .with(SfpuOp::MulNumber, 2, 1e-30)
        .join(SfpuOp::Max, [3, 2], 3)
        .with(SfpuOp::AddNumber, 1, -2.5)
        .polynomial(1, near, 2)
        .with(SfpuOp::LtNumber, 1, 2.5)
        .choose(1, [2, 3], 2)
        .join(SfpuOp::Mul, [0, 2], 0)
}

/// Up to this the modified Bessel functions are polynomials of the square, beyond it their asymptotic form.
const BESSEL_ENDS: f32 = 8.0;
/// `I₀(8 · sqrt(s))` and `I₁(8 · sqrt(s)) / (8 · sqrt(s))` for `s` in 0..=1, fitted as [`ERFC`] is, within 1e-8.
const BESSEL_NEAR: [[f32; 10]; 2] = [
    [
        1.0,
        16.000_004,
        63.999_794,
        113.781_98,
        113.738_01,
        73.019_78,
        31.772_58,
        11.585_293,
        1.636_947,
        1.029_719_1,
    ],
    [
        0.5,
        4.000_000_5,
        10.666_651,
        14.222_511,
        11.375_315,
        6.079_64,
        2.280_306_8,
        0.711_525_9,
        0.098_644_47,
        0.049_547_587,
    ],
];
/// `I(8 / y) · sqrt(8 / y) · e^(−8 / y)` for `y` in 0..=1, within 1e-8.
const BESSEL_FAR: [[f32; 6]; 2] = [
    [
        0.398_942_23,
        0.006_234_225,
        0.000_433_403_15,
        7.119_906_5e-5,
        -8.256_715e-6,
        1.352_838_8e-5,
    ],
    [
        0.398_942_32,
        -0.018_701_285,
        -0.000_724_877_4,
        -9.607_151e-5,
        7.890_024e-6,
        -1.571_321_6e-5,
    ],
];

/// `e^|x| / sqrt(|x|) · P(8 / |x|)` into register 3, for the operand in register 0; register 1 is taken.
fn bessel_far(program: Composed, order: usize) -> Composed {
    let size = |program: Composed| program.copy(0, 1).apply(SfpuOp::Abs, 1);
    let program = size(program)
        .with(SfpuOp::UnaryMax, 1, BESSEL_ENDS)
        .apply(SfpuOp::Recip, 1)
        .with(SfpuOp::MulNumber, 1, 8.0)
        .polynomial(1, &BESSEL_FAR[order], 3);
    // What is beyond is infinite by its power.
    let program = size(program)
        .with(SfpuOp::UnaryMax, 1, BESSEL_ENDS)
        .with(SfpuOp::UnaryMin, 1, 1e4)
        .apply(SfpuOp::Rsqrt, 1)
        .join(SfpuOp::Mul, [3, 1], 3);
    size(program).apply(SfpuOp::Exp, 1).join(SfpuOp::Mul, [3, 1], 3)
}

/// A polynomial of `(x / 8)²` into register 2, for the operand in register 0; register 1 is taken.
fn bessel_near(program: Composed, order: usize) -> Composed {
    program
        .copy(0, 1)
        .apply(SfpuOp::Square, 1)
        .with(SfpuOp::MulNumber, 1, 1.0 / 64.0)
        .with(SfpuOp::UnaryMin, 1, 1.0)
        .polynomial(1, &BESSEL_NEAR[order], 2)
}

/// The modified Bessel function of the first kind of order 0, which is even.
pub fn bessel_i0() -> Composed {
    bessel_near(bessel_far(Composed::new(4), 0), 0)
        .apply(SfpuOp::Abs, 0)
        .with(SfpuOp::LtNumber, 0, BESSEL_ENDS)
        .choose(0, [2, 3], 0)
}

/// That of order 1, which is odd.
pub fn bessel_i1() -> Composed {
    bessel_near(bessel_far(Composed::new(4), 1), 1)
        .join(SfpuOp::Mul, [2, 0], 2)
        .copy(0, 1)
        .apply(SfpuOp::Sign, 1)
        .join(SfpuOp::Mul, [3, 1], 3)
        .apply(SfpuOp::Abs, 0)
        .with(SfpuOp::LtNumber, 0, BESSEL_ENDS)
        .choose(0, [2, 3], 0)
}

/// `ln Γ(v) / ((v − 1) · (v − 2))` as a polynomial of `v − 2`, for `v` in 1..=3, fitted as [`ERFC`] is, within 3e-8.
const LOG_GAMMA: [f32; 12] = [
    0.422_784_33,
    -0.100_317_31,
    0.032_965_742,
    -0.012_384_274,
    0.004_990_536,
    -0.002_106_338,
    0.000_947_408_84,
    -0.000_415_073_56,
    0.000_126_832_1,
    -6.356_563e-5,
    7.978_143_5e-5,
    -3.446_984_2e-5,
];

/// `ln Γ(x)` of an `x` above 0. Below 3 by `LOG_GAMMA`, of `x + 1` where `x` is below 1, from which `ln x` goes off: with `m` 1
/// there and else 0, `(x − 1) · (x − 2 + 2m) · P(x + m − 2) − m · ln x`. From 3 by Stirling's series.
pub fn log_gamma() -> Composed {
    let is_below_1 = |program: Composed, register| program.copy(0, register).with(SfpuOp::LtNumber, register, 1.0);
    let near = is_below_1(Composed::new(4), 1)
        .copy(1, 2)
        .with(SfpuOp::MulNumber, 2, 2.0)
        .with(SfpuOp::AddNumber, 2, -2.0)
        .join(SfpuOp::Add, [2, 0], 2)
        .copy(0, 3)
        .with(SfpuOp::AddNumber, 3, -1.0)
        .join(SfpuOp::Mul, [2, 3], 2)
        .join(SfpuOp::Add, [1, 0], 1)
        .with(SfpuOp::AddNumber, 1, -2.0)
        .polynomial(1, &LOG_GAMMA, 3)
        .join(SfpuOp::Mul, [2, 3], 2)
        .copy(0, 1)
        .apply(SfpuOp::Log, 1);
    is_below_1(near, 3)
        .join(SfpuOp::Mul, [1, 3], 1)
        .join(SfpuOp::Sub, [2, 1], 2)
        // (x − 1/2) · (ln x − 1) + (ln(2π) − 1) / 2 + 1/(12x) − 1/(360x³) + ..
        .copy(0, 1)
        .apply(SfpuOp::Log, 1)
        .with(SfpuOp::AddNumber, 1, -1.0)
        .copy(0, 3)
        .with(SfpuOp::AddNumber, 3, -0.5)
        .join(SfpuOp::Mul, [1, 3], 1)
        .with(SfpuOp::AddNumber, 1, 0.418_938_53)
        .apply(SfpuOp::Recip, 0)
        .polynomial(
            0,
            &[
                0.0,
                1.0 / 12.0,
                0.0,
                -1.0 / 360.0,
                0.0,
                1.0 / 1260.0,
                0.0,
                -1.0 / 1680.0,
            ],
            3,
        )
        .join(SfpuOp::Add, [1, 3], 1)
        .with(SfpuOp::GtNumber, 0, 1.0 / 3.0)
        .choose(0, [2, 1], 0)
}

/// `ψ(x)` of an `x` above 0: `ψ(x + 6) − 1/x − 1/(x + 1) − .. − 1/(x + 5)`, the first by its series.
pub fn digamma() -> Composed {
    let sums = (1..6).fold(Composed::new(4).copy(0, 1).apply(SfpuOp::Recip, 1), |program, above| {
        program
            .copy(0, 2)
            .with(SfpuOp::AddNumber, 2, above as f32)
            .apply(SfpuOp::Recip, 2)
            .join(SfpuOp::Add, [1, 2], 1)
    });
    sums.with(SfpuOp::AddNumber, 0, 6.0)
        .copy(0, 2)
        .apply(SfpuOp::Recip, 2)
        .polynomial(2, &[0.0, 0.5, 1.0 / 12.0, 0.0, -1.0 / 120.0, 0.0, 1.0 / 252.0], 3)
        .apply(SfpuOp::Log, 0)
        .join(SfpuOp::Sub, [0, 3], 0)
        .join(SfpuOp::Sub, [0, 1], 0)
}

/// `Φ(x) + x · φ(x)`: of a negative `x` it is `G(|x|) = e^(−x²/2) · (t · P(t) / 2 − |x| / sqrt(2π))`, with `t` and `P` of [`erfc`]
/// of `|x| / sqrt(2)`, of a positive one `1 − G`, of 0 one half. The power is split as in [`erfc`].
pub fn gelu_derivative() -> Composed {
    let size = |program: Composed| program.copy(0, 1).apply(SfpuOp::Abs, 1).with(SfpuOp::UnaryMin, 1, 14.0);
    let power = size(Composed::new(4))
        .copy(1, 2)
        .with(SfpuOp::MulNumber, 2, 64.0)
        .apply(SfpuOp::Floor, 2)
        .with(SfpuOp::MulNumber, 2, 1.0 / 64.0)
        .join(SfpuOp::Sub, [2, 1], 3)
        .join(SfpuOp::Add, [1, 2], 1)
        .join(SfpuOp::Mul, [3, 1], 3)
        .with(SfpuOp::MulNumber, 3, 0.5)
        .apply(SfpuOp::Exp, 3)
        .join(SfpuOp::Mul, [2, 2], 2)
        .with(SfpuOp::MulNumber, 2, -0.5)
        .apply(SfpuOp::Exp, 2)
        .join(SfpuOp::Mul, [2, 3], 2);
    let tail = size(power)
        .with(SfpuOp::MulNumber, 1, ERFC_SCALE * std::f32::consts::FRAC_1_SQRT_2)
        .with(SfpuOp::AddNumber, 1, 1.0)
        .apply(SfpuOp::Recip, 1)
        .polynomial_without_constant(1, &ERFC, 3)
        .with(SfpuOp::MulNumber, 3, 0.5);
    size(tail)
        .with(SfpuOp::MulNumber, 1, 0.398_942_3)
        .join(SfpuOp::Sub, [3, 1], 3)
        .join(SfpuOp::Mul, [2, 3], 2)
        .apply(SfpuOp::Sign, 0)
        .join(SfpuOp::Mul, [2, 0], 2)
        .with(SfpuOp::MulNumber, 0, 0.5)
        .with(SfpuOp::AddNumber, 0, 0.5)
        .join(SfpuOp::Sub, [0, 2], 0)
}

/// `4 · e / (1 + e)²`, where `e = e^(−2|x|)`.
pub fn tanh_derivative() -> Composed {
    Composed::new(2)
        .apply(SfpuOp::Abs, 0)
        .with(SfpuOp::MulNumber, 0, -2.0)
        .apply(SfpuOp::Exp, 0)
        .copy(0, 1)
        .with(SfpuOp::AddNumber, 1, 1.0)
        .apply(SfpuOp::Recip, 1)
        .apply(SfpuOp::Square, 1)
        .join(SfpuOp::Mul, [0, 1], 0)
        .with(SfpuOp::MulNumber, 0, 4.0)
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
