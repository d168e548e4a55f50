//! Activations built on other functions.

use super::arithmetic::at_most_number;
use super::exponential::{exp_21f, exp_accurate, exp_in_range, exp_of_negative, expm1_clamped};
use super::reciprocal;
use super::sigmoid::tanh_accurate;
use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

/// x, or slope · (e^x − 1) where it is negative.
pub fn elu(unit: &Unit, x: &Lanes) -> Lanes {
    let negative = unit.mul(unit.real(0), expm1_clamped(unit, x));
    unit.rounded(x.select(x.non_negative(), negative))
}

/// ln(1 + e^βx) / β; above the threshold, x. Parameters: β, 1/β, threshold.
pub fn softplus(unit: &Unit, x: &Lanes) -> Lanes {
    let (beta, inverse, threshold) = (unit.real(0), unit.real(1), unit.real(2));
    let t = unit.mul(beta, x);
    let a = t.set_sign(false);
    let (residual, tail) = if unit.input_f32 {
        softplus_residual_f32(unit, &a)
    } else {
        let polynomial = [
            0.694_239_85,
            -0.509_324_2,
            0.142_790_96,
            -0.013_000_584,
            -0.001_862_792_3,
            5.015_296_6e-4,
            -3.127_346_6e-5,
        ];
        (unit.polynomial(&a, polynomial), Lanes::ZERO)
    };
    let residual = tail.select(unit.greater(&a, 5.0), residual);
    let sum = unit.add(t.max(0.0), residual);
    let result = unit.rounded(unit.mul(inverse, sum));
    result.select(unit.at_least(threshold, t), x)
}

/// ln(1 + e^−a) for a up to 5 and beyond, as kernels that define `INP_FLOAT32` take it.
fn softplus_residual_f32(unit: &Unit, a: &Lanes) -> (Lanes, Lanes) {
    let polynomial = [
        0.693_105_6,
        -0.499_262_45,
        0.121_863_49,
        0.005_675_378_3,
        -0.010_528_374,
        0.002_729_017_5,
        -3.435_849_5e-4,
        2.128_569_2e-5,
        -4.824_571_5e-7,
    ];
    let e = exp_of_negative(unit, &a.set_sign(true));
    let series = unit.mad(&e, unit.mad(&e, 0.333_333_34, -0.5), 1.0);
    (unit.polynomial(a, polynomial), unit.mul(&e, series))
}

/// x, or α · (e^(x/α) − 1) where it is negative. Parameters: α, 1/α.
pub fn celu(unit: &Unit, x: &Lanes) -> Lanes {
    let negative = unit.mul(unit.real(0), expm1_clamped(unit, &unit.mul(unit.real(1), x)));
    unit.rounded(x.select(x.non_negative(), negative))
}

/// scale · x, or scale · α · (e^x − 1) where it is negative. Parameters: scale, α.
pub fn selu(unit: &Unit, x: &Lanes) -> Lanes {
    let negative = unit.mul(unit.real(0) * unit.real(1), expm1_clamped(unit, x));
    unit.rounded(unit.mul(unit.real(0), x).select(x.non_negative(), negative))
}

/// x · tanh(ln(1 + e^x)), from e^x.
pub fn mish(unit: &Unit, x: &Lanes) -> Lanes {
    let exponential = match (unit.wide, unit.approximate) {
        (true, false) => exp_accurate(unit, x),
        (true, true) => exp_21f(unit, x),
        (false, _) => exp_21f(unit, x).to_bf16(),
    };
    let steps = match (unit.approximate, unit.wide) {
        (true, _) => 0,
        (false, true) => 2,
        (false, false) => 1,
    };
    let numerator = unit.mul(&exponential, unit.add(&exponential, 2.0));
    let sum = unit.add(&exponential, 1.0);
    let inverse = reciprocal::steps(unit, &unit.mad(&sum, &sum, 1.0), steps);
    let quotient = unit.mul(numerator, &inverse);
    let factor = if unit.is_blackhole() {
        unit.sub(1.0, unit.mul(2.0, inverse)).select(x.non_negative(), quotient)
    } else {
        quotient
    };
    unit.rounded(unit.mul(x, factor).select(unit.less(x, 8.0), x))
}

/// x · clamp(x / 2 + 1, 0, 1).
pub fn hardmish(unit: &Unit, x: &Lanes) -> Lanes {
    unit.mul(x, unit.mad(x, 0.5, 1.0).max(0.0).min(1.0))
}

/// x / (1 + |x|).
pub fn softsign(unit: &Unit, x: &Lanes) -> Lanes {
    let sum = unit.add(x.abs(), 1.0);
    unit.mul(x, reciprocal::steps(unit, &sum, if unit.approximate { 0 } else { 2 }))
}

/// clamp(x / 6 + 1/2, 0, 1).
pub fn hardsigmoid(unit: &Unit, x: &Lanes) -> Lanes {
    at_most_number(unit, &unit.mad(x, 0.166_666_67, 0.5), 1.0)
}

/// x − tanh x.
pub fn tanhshrink(unit: &Unit, x: &Lanes) -> Lanes {
    let a = x.set_sign(false);
    let square = unit.mul(x, x);
    let series = if unit.wide {
        unit.polynomial(
            &square,
            [
                0.333_333_3,
                -0.133_331_28,
                0.053_934_83,
                -0.021_660_289,
                0.008_219_253,
                -0.002_510_752_5,
                4.207_927e-4,
            ],
        )
    } else {
        unit.polynomial(&square, [0.333_299_37, -0.132_231_61, 0.048_076_55, -0.010_762_925])
    };
    let near = unit.mul(unit.mul(x, square), series);
    let far = if unit.wide {
        let exponential = exp_in_range(unit, &unit.mul(-2.0, a.min(9.0)));
        let sigmoid = reciprocal::steps(unit, &unit.add(1.0, exponential), 2);
        unit.sub(&a, unit.mad(2.0, sigmoid, -1.0)).copy_sign(x)
    } else {
        let tanh = unit.polynomial(&a, [0.061_829, 1.056_130_3, -0.408_592_85, 0.053_348_41]);
        unit.sub(x, tanh.min(1.0).copy_sign(x))
    };
    unit.rounded(far.select(unit.greater(&a, 1.0), near))
}

/// GELU by the hyperbolic tangent.
pub fn gelu_tanh(unit: &Unit, x: &Lanes) -> Lanes {
    let p = unit.mad(0.044715, unit.mul(x, x), 1.0);
    let t = tanh_accurate(unit, &unit.mul(0.797_884_6, unit.mul(x, p)));
    let half = unit.mul(0.5, x);
    unit.rounded(unit.mad(&half, t, &half))
}

/// ln(1 / (1 + e^−x)) from x and e^−x: a polynomial between −4 and 4.
pub fn logsigmoid(unit: &Unit, x: &Lanes, exponential: &Lanes) -> Lanes {
    let negative = x.neg();
    let middle = unit.polynomial(
        &negative,
        [
            0.692_435_44,
            0.492_757_08,
            0.121_423_82,
            0.003_110_281,
            -0.003_308_072_5,
            -2.879_406_7e-4,
            5.318_541e-5,
            7.185_354_7e-6,
            7.496_111_5e-8,
        ],
    );
    let below = unit.less(&negative, -4.0);
    let result = middle.neg().select(unit.less(&negative, 4.0), x);
    exponential.neg().select(below, result)
}
