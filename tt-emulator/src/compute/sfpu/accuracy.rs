//! Every operation against `f64`, over its domain, in both widths of the destination registers.
//!
//! With 32-bit registers a result is within 2e-7 of the exact one, relatively: about 1.7 units in the last place. With
//! 16-bit ones it is within the rounding of its store: half a unit of bf16, or a whole one where the store truncates.

use std::f64::consts::{FRAC_1_SQRT_2, LOG2_E, LOG10_E};

use super::run::Call;
use super::trial::{call, result};
use crate::compute::rounding::to_bf16_even;
use crate::compute::tile::{TILE, Tile};

/// Values from `low` to `high`, spread evenly, or by magnitude where the range is wide and positive; bf16 if not `wide`.
fn spread(low: f64, high: f64, wide: bool) -> Tile {
    let mut tile = Tile::zero();
    for (i, value) in tile.0.iter_mut().enumerate() {
        let t = i as f64 / (TILE - 1) as f64;
        let exact = if low > 0.0 && high / low > 1e3 {
            low * (high / low).powf(t)
        } else {
            low + (high - low) * t
        };
        *value = exact as f32;
        if !wide {
            *value = f32::from_bits(to_bf16_even(value.to_bits()));
        }
    }
    tile
}

/// Relative errors that operations reach with 32-bit and with 16-bit registers, where they are not those of a result
/// rounded once: the device's own algorithms are less accurate. Measured over the arguments tested here.
const REACHED: &[(&str, f64, f64)] = &[
    ("celu_tile", 5.2e-7, TRUNCATED),
    ("elu_tile", 5.1e-7, TRUNCATED),
    ("erf_tile", 3.3e-3, TRUNCATED),
    ("erfc_tile", 1.3e-4, TRUNCATED),
    ("gelu_tanh_tile", 9.7e-4, TRUNCATED),
    ("gelu_tile", 2.4e-7, TRUNCATED),
    ("logsigmoid_tile", 9.2e-3, 9.2e-3 + TRUNCATED),
    ("mish_tile", 2.2e-7, TRUNCATED),
    ("power_binary_tile", 2.2e-7, 8.8e-3),
    ("power_tile", 2.1e-7, 7.9e-3),
    ("rdiv_tile", 2e-7, 8e-3),
    ("rpow_tile", 1.4e-6, TRUNCATED),
    ("selu_tile", 5.2e-7, TRUNCATED),
    ("softplus_tile", 0.02, 0.02),
    ("tanhshrink_tile", 4.8e-7, TRUNCATED),
    ("xlogy_binary_tile", 1.1e-3, 1.2e-2),
];

/// A result that the store truncated to bf16.
const TRUNCATED: f64 = 1.0 / 128.0 + 1e-6;

fn tolerance(name: &str, wide: bool) -> f64 {
    let reached = REACHED.iter().find(|(reaching, _, _)| *reaching == name);
    let (in_32_bits, in_16_bits) = reached.map_or((2e-7, TRUNCATED), |(_, wide, narrow)| (*wide, *narrow));
    if wide { in_32_bits } else { in_16_bits }
}

fn check_unary(name: &str, low: f64, high: f64, words: [f32; 3], exact: impl Fn(f64) -> f64) {
    for wide in [true, false] {
        check_call(name, low, high, &call(words, wide), tolerance(name, wide), &exact);
    }
}

/// As the kernel has it that defines `INP_FLOAT32`, in 32-bit registers. `reached`: the largest relative error of the device's
/// own algorithm between `low` and `high`, as in [`REACHED`].
fn check_f32(name: &str, low: f64, high: f64, words: [f32; 3], reached: f64, exact: impl Fn(f64) -> f64) {
    let mut call = call(words, true);
    call.unit.input_f32 = true;
    check_call(name, low, high, &call, reached, exact);
}

fn check_call(name: &str, low: f64, high: f64, call: &Call, tolerance: f64, exact: impl Fn(f64) -> f64) {
    let wide = call.unit.wide;
    let input = spread(low, high, wide);
    let output = result(name, &[&input], call, wide);
    for (x, value) in input.0.iter().zip(&output.0) {
        let wanted = exact(f64::from(*x));
        let error = (f64::from(*value) - wanted).abs();
        // Results below the normal range are flushed.
        assert!(
            error <= tolerance * wanted.abs() + 1.3e-38,
            "{name}({x}), wide {wide}: {value}, not {wanted}"
        );
    }
}

fn erf_exact(x: f64) -> f64 {
    // The series converges for every argument tested.
    let (mut term, mut sum, mut n) = (x, x, 0f64);
    while term.abs() > 1e-18 * sum.abs() && n < 500.0 {
        n += 1.0;
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

#[test]
fn unary_functions_are_accurate_over_their_domains() {
    let none = [0.0; 3];
    let one = [1.0, 0.0, 0.0];
    check_unary("exp_tile", -87.0, 88.0, one, f64::exp);
    check_unary("exp_tile", -20.0, 20.0, [0.5, 0.0, 0.0], |x| (0.5 * x).exp());
    check_unary("exp2_tile", -125.0, 127.0, none, f64::exp2);
    check_unary("expm1_tile", -1e-3, 1e-3, none, f64::exp_m1);
    check_unary("expm1_tile", -10.0, 80.0, none, f64::exp_m1);
    check_unary("log_tile", 1e-30, 1e30, none, f64::ln);
    check_unary("log_tile", 0.9, 1.1, none, f64::ln);
    check_unary("log_with_base_tile", 1e-30, 1e30, [LOG2_E as f32, 0.0, 0.0], |x| {
        x.ln() * f64::from(LOG2_E as f32)
    });
    check_unary("log_with_base_tile", 1e-3, 1e3, [LOG10_E as f32, 0.0, 0.0], |x| {
        x.ln() * f64::from(LOG10_E as f32)
    });
    check_unary("log1p_tile", -0.99, 100.0, none, f64::ln_1p);
    check_unary("log1p_tile", 1e-20, 1e-3, none, f64::ln_1p);
    check_unary("sqrt_tile", 1e-30, 1e30, none, f64::sqrt);
    check_unary("rsqrt_tile", 1e-30, 1e30, none, |x| 1.0 / x.sqrt());
    check_unary("cbrt_tile", -1e3, 1e3, none, f64::cbrt);
    check_unary("recip_tile", -1e4, 1e4, none, |x| 1.0 / x);
    check_unary("abs_tile", -5.0, 5.0, none, f64::abs);
    check_unary("negative_tile", -5.0, 5.0, none, |x| -x);
    check_unary("sign_tile", -5.0, 5.0, none, f64::signum);
    check_unary("signbit_tile", -5.0, 5.0, none, |x| {
        f64::from(u8::from(x.is_sign_negative()))
    });
    check_unary("square_tile", -1e3, 1e3, none, |x| x * x);
    check_unary("identity_tile", -1e3, 1e3, none, |x| x);
    check_unary("power_tile", 1e-6, 1e6, [2.5, 0.0, 0.0], |x| x.powf(2.5));
    check_unary("power_iterative_tile", -30.0, 30.0, [3.0, 0.0, 0.0], |x| x.powi(3));
    check_unary("rpow_tile", -20.0, 20.0, [3.0, 0.0, 0.0], |x| 3f64.powf(x));
}

#[test]
fn trigonometric_functions_are_accurate() {
    let none = [0.0; 3];
    // Near a zero of the function the relative error of the argument's own bf16 rounding is not the function's.
    check_unary("sin_tile", 0.001, 3.0, none, f64::sin);
    check_unary("sin_tile", -1e4, -9e3, none, f64::sin);
    check_unary("cos_tile", -1.5, 1.5, none, f64::cos);
    check_unary("tan_tile", -1.5, 1.5, none, f64::tan);
    check_unary("asin_tile", -1.0, 1.0, none, f64::asin);
    check_unary("acos_tile", -1.0, 0.999, none, f64::acos);
    check_unary("atan_tile", -100.0, 100.0, none, f64::atan);
    check_unary("sinh_tile", -80.0, 80.0, none, f64::sinh);
    check_unary("sinh_tile", -1e-3, 1e-3, none, f64::sinh);
    check_unary("cosh_tile", -80.0, 80.0, none, f64::cosh);
    check_unary("tanh_tile", -10.0, 10.0, none, f64::tanh);
    check_unary("tanh_tile", 1e-20, 1e-2, none, f64::tanh);
    check_unary("asinh_tile", -1e4, 1e4, none, |x| {
        x.signum() * (x.abs() + (x * x + 1.0).sqrt()).ln()
    });
    check_unary("acosh_tile", 1.001, 1e4, none, |x| (x + (x * x - 1.0).sqrt()).ln());
    check_unary("atanh_tile", -0.99, 0.99, none, f64::atanh);
}

#[test]
fn functions_of_f32_kernels_have_the_precision_of_f32() {
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    check_f32("erf_tile", -3.0, 3.0, [0.0; 3], 3.6e-7, erf_exact);
    // The polynomial of softplus, for 2x down to -5, is off by up to 4.2e-5, which is more of a small result;
    // the series below is not.
    for (low, high, reached) in [(-2.5, 60.0, 5.1e-4), (-40.0, -2.51, 4e-7)] {
        check_f32("softplus_tile", low, high, [2.0, 0.5, 20.0], reached, |x| {
            if 2.0 * x > 20.0 { x } else { softplus(2.0 * x) / 2.0 }
        });
    }
    check_f32("elu_tile", -20.0, 3.0, [1.5, 0.0, 0.0], 2.4e-7, |x| {
        if x > 0.0 { x } else { 1.5 * x.exp_m1() }
    });
}

#[test]
fn activations_are_accurate() {
    let none = [0.0; 3];
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    let erf = erf_exact;
    check_unary("sigmoid_tile", -80.0, 80.0, none, sigmoid);
    check_unary("silu_tile", -80.0, 80.0, none, |x| x * sigmoid(x));
    check_unary("gelu_tile", -1.0, 4.0, none, |x| {
        0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2))
    });
    check_unary("gelu_tanh_tile", -4.0, 4.0, none, |x| {
        x * sigmoid(2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3)))
    });
    check_unary("erf_tile", -3.0, 3.0, none, erf);
    check_unary("erfc_tile", -3.0, 1.5, none, |x| 1.0 - erf(x));
    check_unary("mish_tile", -20.0, 20.0, none, |x| x * softplus(x).tanh());
    check_unary("hardmish_tile", 0.0, 4.0, none, |x| x * (x * 0.5 + 1.0).clamp(0.0, 1.0));
    check_unary("softsign_tile", -20.0, 20.0, none, |x| x / (1.0 + x.abs()));
    check_unary("tanhshrink_tile", 0.5, 20.0, none, |x| x - x.tanh());
    check_unary("tanhshrink_tile", 1e-3, 0.049, none, |x| {
        x.powi(3) / 3.0 - 2.0 * x.powi(5) / 15.0 + 17.0 * x.powi(7) / 315.0
    });
    check_unary("hardsigmoid_tile", 0.0, 5.0, none, |x| (x / 6.0 + 0.5).clamp(0.0, 1.0));
    check_unary("relu_tile", -3.0, 3.0, none, |x| x.max(0.0));
    check_unary("relu_max_tile", -3.0, 9.0, [6.0, 0.0, 0.0], |x| x.clamp(0.0, 6.0));
    check_unary("relu_min_tile", -3.0, 3.0, [0.5, 0.0, 0.0], |x| x.max(0.5));
    check_unary("leaky_relu_tile", -3.0, 3.0, [0.25, 0.0, 0.0], |x| {
        if x < 0.0 { 0.25 * x } else { x }
    });
    check_unary("prelu_tile", -3.0, 3.0, [0.5, 0.0, 0.0], |x| {
        if x < 0.0 { 0.5 * x } else { x }
    });
    check_unary("elu_tile", -20.0, 3.0, [1.5, 0.0, 0.0], |x| {
        if x > 0.0 { x } else { 1.5 * x.exp_m1() }
    });
    check_unary("selu_tile", -20.0, 3.0, [1.0625, 1.625, 0.0], |x| {
        1.0625 * if x > 0.0 { x } else { 1.625 * x.exp_m1() }
    });
    check_unary("celu_tile", -20.0, 3.0, [2.0, 0.5, 0.0], |x| {
        if x > 0.0 { x } else { 2.0 * (x / 2.0).exp_m1() }
    });
    check_unary("softplus_tile", -2.4, 60.0, [2.0, 0.5, 20.0], |x| {
        if 2.0 * x > 20.0 { x } else { softplus(2.0 * x) / 2.0 }
    });
    check_unary("softshrink_tile", -3.0, 3.0, [0.5, 0.0, 0.0], |x| {
        if x.abs() > 0.5 { x - 0.5 * x.signum() } else { 0.0 }
    });
    check_unary("hardshrink_tile", -3.0, 3.0, [0.5, 0.0, 0.0], |x| {
        if x.abs() > 0.5 { x } else { 0.0 }
    });
    check_unary("clamp_tile", -3.0, 3.0, [-1.5, 0.75, 0.0], |x| x.clamp(-1.5, 0.75));
    check_unary("hardtanh_tile", -3.0, 3.0, [-1.0, 1.0, 0.0], |x| x.clamp(-1.0, 1.0));
    check_unary("threshold_tile", -3.0, 3.0, [0.5, -7.0, 0.0], |x| {
        if x > 0.5 { x } else { -7.0 }
    });
    check_unary("heaviside_tile", 0.5, 3.0, [0.25, 0.0, 0.0], |_| 1.0);
}

/// The log-sigmoid takes x and e^−x from two registers.
#[test]
fn the_logarithm_of_the_sigmoid_is_accurate() {
    for wide in [true, false] {
        let x = spread(-20.0, 20.0, wide);
        let exponential = Tile(x.0.map(|x| {
            let e = (-x).exp();
            if wide {
                e
            } else {
                f32::from_bits(to_bf16_even(e.to_bits()))
            }
        }));
        let output = result("logsigmoid_tile", &[&x, &exponential], &call([0.0; 3], wide), wide);
        for (x, value) in x.0.iter().zip(&output.0) {
            let wanted = -(-f64::from(*x)).exp().ln_1p();
            let error = (f64::from(*value) - wanted).abs();
            assert!(
                error <= tolerance("logsigmoid_tile", wide) * wanted.abs(),
                "{x}, wide {wide}: {value}, not {wanted}, off by {}",
                error / wanted.abs()
            );
        }
    }
}

#[test]
fn the_fast_gelu_is_off_by_what_its_table_is() {
    let input = spread(-4.0, 4.0, true);
    let output = result("gelu_tile<true>", &[&input], &call([0.0; 3], true), true);
    let error = |(x, value): (&f32, &f32)| {
        let x = f64::from(*x);
        (f64::from(*value) - 0.5 * x * (1.0 + erf_exact(x * FRAC_1_SQRT_2))).abs()
    };
    let worst = input.0.iter().zip(&output.0).map(error).fold(0.0, f64::max);
    // `reference/metalium.md` section 9: 0.024 in bf16 on the chips.
    assert!((0.015..0.024).contains(&worst), "{worst}");
}

#[test]
fn roundings_and_scalars_are_exact() {
    let none = [0.0; 3];
    check_unary("floor_tile", -9.7, 9.7, none, f64::floor);
    check_unary("ceil_tile", -9.7, 9.7, none, f64::ceil);
    check_unary("trunc_tile", -9.7, 9.7, none, f64::trunc);
    check_unary("frac_tile", -9.7, 9.7, none, |x| x - x.trunc());
    check_unary("round_tile", -9.5, 9.5, none, f64::round_ties_even);
    check_unary("floor_tile", 1e6, 1e12, none, f64::floor);
    check_unary("add_unary_tile", 1.0, 9.0, [0.75, 0.0, 0.0], |x| x + 0.75);
    check_unary("sub_unary_tile", 1.0, 9.0, [0.75, 0.0, 0.0], |x| x - 0.75);
    check_unary("mul_unary_tile", -9.0, 9.0, [0.75, 0.0, 0.0], |x| x * 0.75);
    check_unary("div_unary_tile", -9.0, 9.0, [0.25, 0.0, 0.0], |x| x * 0.25);
    check_unary("rsub_unary_tile", 1.0, 9.0, [0.5, 0.0, 0.0], |x| 0.5 - x);
    check_unary("rsub_tile", 1.0, 9.0, [0.5, 0.0, 0.0], |x| 0.5 - x);
    check_unary("rdiv_tile", 1.0, 9.0, [3.0, 0.0, 0.0], |x| 3.0 / x);
    check_unary("unary_max_tile", -3.0, 3.0, [0.5, 0.0, 0.0], |x| x.max(0.5));
    check_unary("unary_min_tile", -3.0, 3.0, [0.5, 0.0, 0.0], |x| x.min(0.5));
    check_unary("fmod_tile", -9.0, 9.0, [2.5, 0.4, 0.0], |x| x % 2.5);
    check_unary("remainder_tile", -9.0, 9.0, [2.5, 0.4, 0.0], |x| {
        x - 2.5 * (x / 2.5).floor()
    });
    check_unary("fill_tile", -9.0, 9.0, [2.5, 0.0, 0.0], |_| 2.5);
    check_unary("typecast_tile", -9.0, 9.0, none, |x| x);
}

#[test]
fn comparisons_give_one_or_zero() {
    let truth = |condition: bool| f64::from(u8::from(condition));
    let half = [0.5, 0.0, 0.0];
    check_unary("unary_eq_tile", 0.5, 0.5, half, |_| 1.0);
    check_unary("unary_ne_tile", -3.0, 3.0, half, |x| truth(x != 0.5));
    check_unary("unary_lt_tile", -3.0, 3.0, half, |x| truth(x < 0.5));
    check_unary("unary_le_tile", -3.0, 3.0, half, |x| truth(x <= 0.5));
    check_unary("unary_gt_tile", -3.0, 3.0, half, |x| truth(x > 0.5));
    check_unary("unary_ge_tile", -3.0, 3.0, half, |x| truth(x >= 0.5));
    check_unary("eqz_tile", 0.0, 0.0, half, |_| 1.0);
    check_unary("nez_tile", -3.0, 3.0, half, |x| truth(x != 0.0));
    check_unary("ltz_tile", -3.0, 3.0, half, |x| truth(x < 0.0));
    check_unary("lez_tile", -3.0, 3.0, half, |x| truth(x <= 0.0));
    check_unary("gtz_tile", -3.0, 3.0, half, |x| truth(x > 0.0));
    check_unary("gez_tile", -3.0, 3.0, half, |x| truth(x >= 0.0));
    check_unary("logical_not_tile", -3.0, 3.0, half, |x| truth(x == 0.0));
    check_unary("isfinite_tile", -3.0, 3.0, half, |_| 1.0);
    let mut specials = Tile::zero();
    specials.0[..3].copy_from_slice(&[f32::INFINITY, f32::NEG_INFINITY, f32::NAN]);
    for (name, expected) in [
        ("isinf_tile", [1.0, 1.0, 0.0, 0.0]),
        ("isposinf_tile", [1.0, 0.0, 0.0, 0.0]),
        ("isneginf_tile", [0.0, 1.0, 0.0, 0.0]),
        ("isnan_tile", [0.0, 0.0, 1.0, 0.0]),
        ("isfinite_tile", [0.0, 0.0, 0.0, 1.0]),
    ] {
        assert_eq!(
            result(name, &[&specials], &call([0.0; 3], true), true).0[..4],
            expected,
            "{name}"
        );
    }
}

#[test]
fn operations_on_two_and_three_registers_are_accurate() {
    let truth = |condition: bool| f64::from(u8::from(condition));
    type Exact<'a> = &'a dyn Fn(f64, f64, f64) -> f64;
    let cases: &[(&str, Exact)] = &[
        ("add_binary_tile", &|x, y, _| x + y),
        ("sub_binary_tile", &|x, y, _| x - y),
        ("rsub_binary_tile", &|x, y, _| y - x),
        ("add_binary_tile nearest", &|x, y, _| x + y),
        ("mul_binary_tile", &|x, y, _| x * y),
        ("div_binary_tile", &|x, y, _| x / y),
        ("power_binary_tile", &|x, y, _| x.powf(y)),
        ("binary_max_tile", &|x, y, _| x.max(y)),
        ("binary_min_tile", &|x, y, _| x.min(y)),
        ("eq_binary_tile", &|x, y, _| truth(x == y)),
        ("ne_binary_tile", &|x, y, _| truth(x != y)),
        ("lt_binary_tile", &|x, y, _| truth(x < y)),
        ("le_binary_tile", &|x, y, _| truth(x <= y)),
        ("gt_binary_tile", &|x, y, _| truth(x > y)),
        ("ge_binary_tile", &|x, y, _| truth(x >= y)),
        ("xlogy_binary_tile", &|x, y, _| x * y.ln()),
        ("atan2_binary_tile", &f64_atan2),
        ("fmod_binary_tile", &|x, y, _| x % y),
        ("remainder_binary_tile", &|x, y, _| x - y * (x / y).floor()),
        ("logaddexp_binary_tile", &|x, y, _| (x.exp() + y.exp()).ln()),
        ("logaddexp2_binary_tile", &|x, y, _| (x.exp2() + y.exp2()).log2()),
        ("where_tile", &|x, y, z| if x != 0.0 { y } else { z }),
        ("addcmul_tile", &|x, y, z| x + 0.5 * y * z),
        ("addcdiv_tile", &|x, y, z| x + 0.5 * y / z),
        ("mac_tile", &|x, y, z| x * y + z),
    ];
    for wide in [true, false] {
        let (x, y, z) = (spread(0.5, 8.0, wide), spread(3.0, 1.5, wide), spread(4.0, 0.25, wide));
        for (name, exact) in cases {
            let mut words = call([0.5, 0.0, 0.0], wide);
            words.out = 3;
            let output = result(name, &[&x, &y, &z], &words, wide);
            for i in 0..TILE {
                let wanted = exact(f64::from(x.0[i]), f64::from(y.0[i]), f64::from(z.0[i]));
                let error = (f64::from(output.0[i]) - wanted).abs();
                // Differences of close values keep the absolute error of their terms.
                let scale = wanted.abs().max(
                    if name.contains("sub") || name.contains("rem") || name.contains("mod") {
                        4.0
                    } else {
                        0.0
                    },
                );
                assert!(
                    error <= tolerance(name, wide) * scale + 1e-30,
                    "{name}, wide {wide}, {i}: {} not {wanted}",
                    output.0[i]
                );
            }
        }
    }
}

fn f64_atan2(y: f64, x: f64, _: f64) -> f64 {
    y.atan2(x)
}
