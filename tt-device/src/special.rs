//! Functions that neither Rust nor `libm` has, in `f64`: what rows of the catalogue say operations are.

use libm::{erf, erfc};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The inverse of the error function: an estimate of nine digits, sharpened by Newton's method.
pub fn erf_inverse(y: f64) -> f64 {
    if y.is_nan() || y.abs() > 1.0 {
        return f64::NAN;
    }
    if y.abs() == 1.0 {
        return f64::INFINITY.copysign(y);
    }
    // Winitzki's.
    let log = (-y * y).ln_1p();
    let half = 2.0 / (PI * 0.147) + log / 2.0;
    let mut x = ((half * half - log / 0.147).sqrt() - half).sqrt().copysign(y);
    for _ in 0..4 {
        // Near the ends by the complement, which has digits there.
        let off = match y.abs() > 0.5 {
            true => ((1.0 - y.abs()) - erfc(x.abs())) * y.signum(),
            false => erf(x) - y,
        };
        x -= off * PI.sqrt() / 2.0 * (x * x).exp();
    }
    x
}

/// The modified Bessel functions of the first kind, of order 0 or 1, by their power series.
pub fn bessel_i(order: u32, x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() > 700.0 {
        return match order {
            0 => f64::INFINITY,
            _ => f64::INFINITY.copysign(x),
        };
    }
    let quarter = x * x / 4.0;
    let mut term = if order == 0 { 1.0 } else { x / 2.0 };
    let mut sum = term;
    for k in 1..2000 {
        let k = f64::from(k);
        term *= quarter / (k * (k + f64::from(order)));
        sum += term;
        if term.abs() <= sum.abs() * 1e-18 {
            break;
        }
    }
    sum
}

/// The logarithm of the gamma function of a number above 0.
pub fn log_gamma(x: f64) -> f64 {
    match x {
        x if x.is_nan() || x < 0.0 => f64::NAN,
        0.0 => f64::INFINITY,
        x => libm::lgamma(x),
    }
}

/// The derivative of the logarithm of the gamma function, of a number above 0.
pub fn digamma(mut x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let mut below = 0.0;
    while x < 12.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    if x.is_infinite() {
        return x;
    }
    let square = 1.0 / (x * x);
    let series = square
        * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square * (1.0 / 240.0 - square / 132.0))));
    x.ln() - 0.5 / x - series - below
}

/// The derivative of `x · Φ(x)`.
pub fn gelu_derivative(x: f64) -> f64 {
    if x.is_infinite() {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    0.5 * erfc(-x * FRAC_1_SQRT_2) + x * (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// The derivative of the hyperbolic tangent.
pub fn tanh_derivative(x: f64) -> f64 {
    let power = (-2.0 * x.abs()).exp();
    4.0 * power / ((1.0 + power) * (1.0 + power))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, value: f64) {
        assert!((found - value).abs() <= 1e-13 * value.abs(), "{found}, not {value}");
    }

    #[test]
    fn functions_have_the_values_of_tables() {
        near(erf_inverse(0.5), 0.4769362762044699);
        near(erf_inverse(-0.99), -1.8213863677184496);
        near(erf(erf_inverse(0.1)), 0.1);
        near(bessel_i(0, 1.0), 1.2660658777520084);
        near(bessel_i(0, -20.0), 43558282.559553534);
        near(bessel_i(1, 1.0), 0.565159103992485);
        near(bessel_i(1, -20.0), -42454973.38512778);
        near(digamma(1.0), -0.5772156649015329);
        near(digamma(10.5), 2.3030010342976865);
        near(log_gamma(10.5), 13.940625219403763);
        near(gelu_derivative(1.0), 1.0833154705876864);
        near(tanh_derivative(0.5), 0.7864477329659274);
    }
}
