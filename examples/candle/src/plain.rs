//! The same operations, composed of candle's own, which the kernels are held against, and numbers to do so with.

use candle_core::{D, DType, Device, Result, Shape, Tensor};

/// What [`RmsNorm`](crate::RmsNorm) computes: `x` is `[.., N]`, `weight` `[N]`.
///
/// # Errors
/// Those of candle's operations.
pub fn rms_norm(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    let scale = (x.sqr()?.mean_keepdim(D::Minus1)? + eps)?.sqrt()?;
    x.broadcast_div(&scale)?.broadcast_mul(weight)
}

/// What [`SwiGlu`](crate::SwiGlu) computes: `x` is `[.., K]`, `gate` and `up` are `[N, K]`, the result is `[.., N]`.
///
/// # Errors
/// Those of candle's operations.
pub fn swiglu(x: &Tensor, gate: &Tensor, up: &Tensor) -> Result<Tensor> {
    linear(x, gate)?.silu()? * linear(x, up)?
}

/// What [`Softmax`](crate::Softmax) computes.
///
/// # Errors
/// Those of candle's operations.
pub fn softmax(x: &Tensor) -> Result<Tensor> {
    let e = x.broadcast_sub(&x.max_keepdim(D::Minus1)?)?.exp()?;
    e.broadcast_div(&e.sum_keepdim(D::Minus1)?)
}

/// `x · weightᵀ` of `x`, `[.., K]`, with a weight of shape `[N, K]`.
///
/// # Errors
/// Those of candle's operations.
pub fn linear(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    let (n, k) = weight.dims2()?;
    let leading = &x.dims()[..x.rank().saturating_sub(1)];
    let shape = [leading, &[n]].concat();
    x.reshape((leading.iter().product::<usize>(), k))?
        .matmul(&weight.t()?)?
        .reshape(shape)
}

/// Numbers of `f32` between `-scale` and `scale` without a pattern, the same in every run; `seed` tells tensors apart.
///
/// # Errors
/// Those of candle's operations.
pub fn numbers(shape: impl Into<Shape>, scale: f32, seed: u64) -> Result<Tensor> {
    let shape = shape.into();
    let mut state = seed + 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1u64 << 23) as f32 - 1.0) * scale
    };
    let values: Vec<f32> = (0..shape.elem_count()).map(|_| next()).collect();
    Tensor::from_vec(values, shape, &Device::Cpu)
}

/// The largest difference of two tensors of one shape, of the largest `|expected|`. Both are taken as `f32`; what is no number is as
/// far off as can be.
///
/// # Errors
/// Where the shapes differ.
pub fn worst_error(found: &Tensor, expected: &Tensor) -> Result<f32> {
    if found.dims() != expected.dims() {
        candle_core::bail!("found {:?}, expected {:?}", found.shape(), expected.shape());
    }
    let elements = |tensor: &Tensor| tensor.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>();
    let (found, expected) = (elements(found)?, elements(expected)?);
    let largest = expected
        .iter()
        .fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()));
    let errors = found
        .iter()
        .zip(&expected)
        .map(|(found, expected)| (found - expected).abs() / largest);
    Ok(errors.fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a }))
}
