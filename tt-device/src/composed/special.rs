//! Special functions: inverse error function, modified Bessel functions, the gamma function's logarithm and its derivative, and
//! derivatives of activations.

use super::{Composed, ERFC, ERFC_SCALE};
use crate::catalogue::SfpuOp;

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

/// `Φ(x) + x · φ(x)`: of a negative `x` it is `G(|x|) = e^(−x²/2) · (t · P(t) / 2 − |x| / sqrt(2π))`, with `t` and `P` of [`erfc`](super::erfc)
/// of `|x| / sqrt(2)`, of a positive one `1 − G`, of 0 one half. The power is split as in [`erfc`](super::erfc).
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
