//! What results of the chips may be off from real numbers, as their roundings make it.

use super::values::Matrix;

/// What a result may be off: this, plus so much per unit of its value.
pub type Bound = (f64, f64);

/// The result is one that the chip can hold and nothing is rounded on the way.
pub const EXACT: Bound = (0.0, 0.0);

/// The result comes of `steps` roundings to bf16, the last of them its own, the others of values up to `largest`. A bf16 has
/// eight significant bits, so that a rounding to nearest changes a value by 2⁻⁸ of it at most; one that cuts, as the vector
/// unit's stores do, counts as two.
pub fn rounded(steps: u32, largest: f64) -> Bound {
    (f64::from(steps - 1) * largest / 256.0, 1.0 / 256.0)
}

/// The vector unit reckons in fp32, with polynomials of about its precision.
pub const IN_FP32: Bound = (1e-6, 1e-6);

/// One rounding to bf16, of the result.
pub const ROUNDED: Bound = (0.0, 1.0 / 256.0);

/// A sum of two values of up to `largest` on the matrix engine, in a 16-bit register: it rounds each to eleven bits of
/// the larger one first, and then the sum to bf16 (`fpu/datapath.rs` of tt-emulator has the source).
pub fn rounded_sum(largest: f64) -> Bound {
    (2.0 * largest / 2048.0, 1.0 / 256.0)
}

/// A product on the matrix engine, in a 16-bit register: HiFi4 adds four partial products and rounds after each; the
/// last is too small to change the sum.
pub const PRODUCT: Bound = (0.0, 3.0 / 256.0);

/// As [`rounded`], where what is rounded on the way are factors, or sums of values of one sign: relative errors add up.
pub fn rounded_factors(steps: u32) -> Bound {
    (0.0, f64::from(steps) / 256.0)
}

/// Sums that are rounded to bf16 after every 16 terms, as a 16-bit register makes them of products and of the values that are
/// reduced: their partial sums are changed by so much, and at last they are.
pub fn rounded_parts(sums: impl Iterator<Item = impl Iterator<Item = f64>>) -> Bound {
    let parts = |terms: Vec<f64>| {
        let ends = (16..terms.len()).step_by(16);
        ends.map(|end| terms[..end].iter().sum::<f64>().abs() / 256.0).sum()
    };
    let most = sums.map(|terms| parts(terms.collect())).fold(0.0, f64::max);
    (most, ROUNDED.1)
}

/// As [`rounded_parts`], of the product of two matrices.
pub fn rounded_product(a: &Matrix, b: &Matrix) -> Bound {
    let places = (0..a.rows).flat_map(|row| (0..b.columns).map(move |column| (row, column)));
    rounded_parts(places.map(|(row, column)| (0..a.columns).map(move |k| a.at(row, k) * b.at(k, column))))
}
