//! How far a result may be from the reference: what the formats that the kernel computes in can lose.
//!
//! The reference is run again on inputs that are a little off, by what the narrowest format on their way keeps of them. What
//! that does to each element, and a few steps of the result's own type, is allowed, four times over: a format that cuts
//! is off to one side, the inputs tried here to both; the first of the inputs tried are those cut off. So a sum that cancels
//! may be far off, and a sign may not.

use crate::emulated::TensorValues;
use tt_lang::interpret::{Inputs, run};
use tt_lang::ir::{ElementType, Fidelity, Kernel, Op, Stmt};
use tt_lang::tree::operations;
use tt_plan::{Bindings, DataFormat, Plan};

/// How often the reference is run on other inputs.
const TRIALS: u64 = 6;
/// Steps of the result's type beside what the inputs do.
const STEPS: f64 = 4.0;

/// The first index of the circular buffers from compute to compute.
const FIRST_LOCAL: u8 = 24;
/// What a function in the approximate mode is off by, absolutely and relatively (seen: gelu by 0.020, exp by 2.9 %).
const APPROXIMATE: f64 = 1.0 / 32.0;

/// What the narrowest format in which the kernel computes loses of a number, relative to it.
pub fn loss(kernel: &Kernel, plan: &Plan) -> f64 {
    let compute = &plan.compute;
    // Products take so many bits after the first of an operand (metalium.md, fidelity).
    let fidelity = match compute.math_fidelity {
        Fidelity::LoFi => 2f64.powi(-4),
        Fidelity::HiFi2 => 2f64.powi(-6),
        Fidelity::HiFi3 => 2f64.powi(-11),
        Fidelity::HiFi4 => 0.0,
    };
    // The matrix engine adds products beside the largest of them: the sums of HiFi4 over bf16 operands in 32-bit registers are
    // off by 2^-12.5 of the root of their summed squares on average, by 2^-13 of their summed magnitudes at most (seen, K = 70
    // and 96).
    let sums = if adds_products(&kernel.body) {
        2f64.powi(-11)
    } else {
        0.0
    };
    // A computed block that is used again was rounded to its type, or is cut to TF32 each time that it is.
    let again = plan.circular_buffers.iter().filter(|cb| cb.index >= FIRST_LOCAL);
    let blocks = again.map(|cb| match cb.data_format {
        DataFormat::Float32 if cb.unpack_to_dest_fp32 => 0.0,
        DataFormat::Float32 => 2f64.powi(-9),
        _ => 2f64.powi(-8),
    });
    let registers = if compute.fp32_dest_acc_en { -21 } else { -8 };
    // 32 bits that are not unpacked straight into a register pass as TF32.
    let through = |cb: &tt_plan::CircularBuffer| cb.data_format == DataFormat::Float32 && !cb.unpack_to_dest_fp32;
    let operands = if plan.circular_buffers.iter().any(through) {
        2f64.powi(-10)
    } else {
        0.0
    };
    [fidelity, sums, 2f64.powi(registers), operands]
        .into_iter()
        .chain(blocks)
        .fold(0.0, f64::max)
}

fn adds_products(body: &[Stmt]) -> bool {
    let mut adds = false;
    operations(body, &mut |op| {
        adds |= matches!(op, Op::Gemm { .. } | Op::Reduce { .. })
    });
    adds
}

/// `value` without what `loss` takes of its mantissa.
fn cut(value: f64, loss: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let unit = loss * 2f64.powi(value.abs().log2().floor() as i32);
    (value / unit).trunc() * unit
}

/// For every element that the kernel may write, in the order of the tensors: what the reference says, and how far from
/// that a result may be. Infinite where it may be anything.
///
/// # Errors
/// Where the reference cannot be run.
pub fn allowed(
    kernel: &Kernel,
    bindings: &Bindings,
    tensors: &[TensorValues],
    plan: &Plan,
) -> Result<Vec<Vec<f64>>, String> {
    let loss = loss(kernel, plan);
    let reference = |near: &mut dyn FnMut(f64) -> f64| -> Result<Vec<Vec<f64>>, String> {
        let values: Vec<Vec<f64>> = tensors
            .iter()
            .map(|tensor| tensor.before.iter().map(|value| near(f64::from(*value))).collect())
            .collect();
        let mut inputs = Inputs::new();
        for (name, value) in &bindings.integers {
            inputs = if kernel.extents.iter().any(|extent| extent.name == *name) {
                inputs.extent(name, *value)
            } else {
                inputs.integer(name, *value)
            };
        }
        for (name, value) in &bindings.floats {
            inputs = inputs.float(name, f64::from(*value));
        }
        for (tensor, values) in tensors.iter().zip(&values) {
            inputs = inputs.tensor(&tensor.name, &tensor.shape, &values[..]);
        }
        let outputs = run(kernel, &inputs).map_err(|error| error.to_string())?;
        let written = tensors.iter().filter(|tensor| tensor.written);
        written
            .map(|tensor| {
                let result = outputs.tensor(&tensor.name);
                result
                    .map(<[f64]>::to_vec)
                    .ok_or_else(|| format!("the reference has no `{}`", tensor.name))
            })
            .collect()
    };
    let exact = reference(&mut |value| value)?;
    let mut out: Vec<Vec<f64>> = exact.iter().map(|values| vec![0.0; values.len()]).collect();
    for trial in 0..=TRIALS {
        let mut state = trial.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut near = |value: f64| {
            if trial == 0 {
                return cut(value, loss);
            }
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Either end as often as anything between.
            value * (1.0 + loss * (2.0 * ((state >> 40) as f64 / f64::from(1 << 23) - 1.0)).clamp(-1.0, 1.0))
        };
        for (most, (near, exact)) in out.iter_mut().zip(reference(&mut near)?.iter().zip(&exact)) {
            for (most, (near, exact)) in most.iter_mut().zip(near.iter().zip(exact)) {
                let apart = (near - exact).abs();
                *most = if apart.is_nan() { f64::INFINITY } else { most.max(apart) };
            }
        }
    }
    let written = tensors.iter().filter(|tensor| tensor.written);
    for ((most, exact), tensor) in out.iter_mut().zip(&exact).zip(written) {
        let step = match tensor.element {
            ElementType::Bf16 => 2f64.powi(-8),
            ElementType::F16 => 2f64.powi(-11),
            _ => 2f64.powi(-23),
        };
        // A function of a large number may leave nothing of a result that is far smaller than others: gelu of -6.
        let largest = exact
            .iter()
            .filter(|exact| exact.is_finite())
            .fold(0.0, |most: f64, exact| most.max(exact.abs()));
        let floor = largest * 2f64.powi(-24) + f64::from(f32::MIN_POSITIVE);
        for (most, exact) in most.iter_mut().zip(exact) {
            *most = 4.0 * *most + STEPS * step * exact.abs() + floor;
            if plan.compute.math_approx_mode {
                *most += APPROXIMATE * exact.abs().max(1.0);
            }
        }
    }
    Ok(out)
}

/// How many elements of `found` are farther from `reference` than `allowed`, and the first of them.
pub fn exceeded(found: &[f32], reference: &[f32], allowed: &[f64]) -> Option<String> {
    let beyond: Vec<usize> = (0..found.len())
        .filter(|at| {
            let (found, wanted) = (f64::from(found[*at]), f64::from(reference[*at]));
            // Where the source says nothing, anything will do.
            let apart = (found - wanted).abs();
            !wanted.is_nan() && found != wanted && (apart.is_nan() || apart > allowed[*at])
        })
        .collect();
    let first = beyond.first()?;
    Some(format!(
        "{} of {} elements are beyond the bound of the formats; the first, {first}, is {} for {} ± {:e}",
        beyond.len(),
        found.len(),
        found[*first],
        reference[*first],
        allowed[*first]
    ))
}

#[cfg(test)]
mod tests {
    use super::exceeded;

    #[test]
    fn what_is_beyond_the_bound_is_said() {
        let (reference, allowed) = ([1.0, f32::NAN, f32::INFINITY, -1.0], [0.1, 0.1, 0.1, 0.1]);
        assert_eq!(exceeded(&[1.05, 3.0, f32::INFINITY, -1.0], &reference, &allowed), None);
        for wrong in [
            [1.2, 3.0, f32::INFINITY, -1.0],
            [f32::NAN, 3.0, f32::INFINITY, -1.0],
            [1.0, 3.0, 1.0, -1.0],
        ] {
            let said = exceeded(&wrong, &reference, &allowed).expect("one is beyond");
            assert!(said.starts_with("1 of 4 elements"), "{said}");
        }
    }
}
