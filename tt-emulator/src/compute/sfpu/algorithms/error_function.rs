//! Error functions and GELU.

use super::exponential::power_of_two;
use super::lookup::six_lines;
use super::reciprocal;
use crate::arch::ArchName;
use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

const APPROXIMATE: u32 = 1;

/// Numerator over denominator of one argument.
struct Rational<const N: usize, const D: usize> {
    numerator: [f32; N],
    denominator: [f32; D],
}

/// erf x = x · N(x²) / D(x²).
const ERF: Rational<4, 5> = Rational {
    numerator: [1.128_093_2, 0.276_092_1, 0.045_400_28, 7.448_118_4e-4],
    denominator: [1.0, 0.574_391_9, 0.136_757_64, 0.008_284_461, 2.481_386_2e-5],
};

/// As kernels that define `INP_FLOAT32` take it, and `gelu` for 32-bit registers.
const ERF_WIDE: Rational<8, 9> = Rational {
    numerator: [
        1.128_379_1,
        0.214_774_33,
        0.062_133_435,
        0.005_623_043_5,
        6.130_704_4e-4,
        1.767_832_1e-5,
        2.738_464_7e-8,
        -2.863_206_3e-10,
    ],
    denominator: [
        1.0,
        0.523_672_76,
        0.129_617_07,
        0.019_642_571,
        0.001_954_555_5,
        1.317_905_7e-4,
        1.315_634_4e-6,
        -3.515_388_9e-9,
        -6.735_072_6e-12,
    ],
};

/// erfc x up to 5/2 and beyond.
const ERFC: [Rational<5, 6>; 2] = [
    Rational {
        numerator: [1.000_023_4, -1.337_567_6, 0.681_855_44, -0.156_919_82, 0.013_746_745],
        denominator: [
            1.0,
            -0.208_015_17,
            0.436_670_87,
            -0.003_456_866_8,
            0.025_104_774,
            0.028_375_532,
        ],
    },
    Rational {
        numerator: [
            -2.565_523_8e-5,
            2.127_557_7e-5,
            -6.616_215_6e-6,
            9.143_977e-7,
            -4.738_718_2e-8,
        ],
        denominator: [
            1.0,
            -0.164_572_09,
            -0.205_721_84,
            -0.138_886_36,
            0.126_770_97,
            -0.021_375_392,
        ],
    },
];

fn clamped(x: Lanes, low: f32, high: f32) -> Lanes {
    x.max(low).min(high)
}

fn odd_rational<const N: usize, const D: usize>(
    unit: &Unit,
    x: &Lanes,
    rational: &Rational<N, D>,
    steps: usize,
) -> Lanes {
    let square = unit.mul(x, x);
    let numerator = unit.mul(unit.polynomial(&square, rational.numerator), x);
    let denominator = unit.polynomial(&square, rational.denominator);
    unit.mul(numerator, reciprocal::steps(unit, &denominator, steps))
}

/// Error function.
pub fn erf(unit: &Unit, x: &Lanes) -> Lanes {
    let steps = if unit.variant & APPROXIMATE != 0 { 0 } else { 2 };
    let x = x.abs().min(10.0).copy_sign(x);
    let rational = if unit.input_f32 {
        odd_rational(unit, &x, &ERF_WIDE, steps)
    } else {
        odd_rational(unit, &x, &ERF, steps)
    };
    clamped(rational, -1.0, 1.0)
}

/// Complementary error function.
pub fn erfc(unit: &Unit, x: &Lanes) -> Lanes {
    let a = x.abs().min(5.0);
    let far = unit.at_least(&a, 2.5);
    let [near, tail] = &ERFC;
    let numerator = unit
        .polynomial(&a, tail.numerator)
        .select(&far, unit.polynomial(&a, near.numerator));
    let denominator = unit
        .polynomial(&a, tail.denominator)
        .select(&far, unit.polynomial(&a, near.denominator));
    let r = unit.mul(numerator, reciprocal::steps(unit, &denominator, 0));
    unit.sub(2.0, &r).select(x.negative(), r)
}

/// GELU by the table of six lines.
pub fn gelu_by_lines(unit: &Unit, x: &Lanes) -> Lanes {
    // The chips' tables differ in one entry.
    let fourth = match unit.chip {
        ArchName::WormholeB0 => -0.2796,
        ArchName::Blackhole => -0.2795,
    };
    let lines = [
        (0.1928, -0.000_104_43),
        (0.4939, -0.1604),
        (0.6188, fourth),
        (0.6099, -0.2635),
        (0.5402, -0.1194),
        (0.5, 0.0),
    ];
    unit.mad(x, 0.5, six_lines(unit, x, lines))
}

/// GELU.
pub fn gelu(unit: &Unit, x: &Lanes) -> Lanes {
    if unit.wide {
        gelu_wide(unit, x)
    } else {
        gelu_narrow(unit, x).to_bf16()
    }
}

/// Below this GELU is zero.
const SATURATED: f32 = -5.542_594_4;

fn gelu_wide(unit: &Unit, x: &Lanes) -> Lanes {
    let scaled = unit.mul(x, 0.707_106_77).min(10.0);
    let erf = clamped(odd_rational(unit, &scaled, &ERF_WIDE, 2), -1.0, 1.0);
    let half = unit.mad(0.5, &erf, 0.5);
    let result = unit.mul(x, half);
    let result = unit.mul(x, 2.980_232_2e-8).select(unit.equal(&erf, -1.0), result);
    result.select(unit.greater(x, SATURATED), unit.sub(x, x))
}

fn gelu_narrow(unit: &Unit, x: &Lanes) -> Lanes {
    let square = unit.mul(x, x);
    let scaled = unit.mad(&square, -0.721_347_5, 127.0);
    let power = power_of_two(unit, &scaled, [1.001_724_8, 7.839_635_4e-8, 4.791_75e-15]);
    let correction = unit.polynomial(x, [0.303_699_9, 0.095_413_39, 0.013_809_984, 7.595_048e-4]);
    let h = unit.sub(unit.mad(power, correction, 0.375), 0.375);
    let tail = unit.mul(x, h);
    let odd = unit.polynomial(
        &square,
        [
            0.398_942_3,
            -0.066_361_04,
            0.009_772_005_5,
            -0.001_071_780_7,
            8.181_216e-5,
            -3.808_205_7e-6,
            7.982_141e-8,
        ],
    );
    let core = unit.mul(x, unit.mad(x, odd, 0.5));
    let result = core.select(unit.at_least(x, -3.125), tail);
    let result = x.select(unit.at_least(x, 2.781_25), result);
    result.select(unit.greater(x, SATURATED), 0.0)
}
