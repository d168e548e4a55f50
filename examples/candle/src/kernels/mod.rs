//! The kernels, and their launches by element type.
//!
//! A kernel names its element type, which is no parameter of it, so that each stands once for every type.

mod of_bf16;
mod of_f32;

use candle_core::WithDType;
use tt::prelude::*;

/// An element type that there are kernels for. Each launches one and waits; errors are those of its launcher.
pub(crate) trait Elements: tt::Element + WithDType {
    /// Along the rows of `x`, `[M, N]`.
    fn rms_norm(x: &Tensor<Self, 2>, weight: &Tensor<Self, 1>, eps: f32, y: &mut Tensor<Self, 2>) -> Result<()>;

    /// The gradients of [`rms_norm`](Elements::rms_norm), where `grad` is that of its result.
    fn rms_norm_backward(
        x: &Tensor<Self, 2>,
        weight: &Tensor<Self, 1>,
        grad: &Tensor<Self, 2>,
        eps: f32,
        dx: &mut Tensor<Self, 2>,
        dweight: &mut Tensor<Self, 1>,
    ) -> Result<()>;

    /// `[M, K]` by the transposes of two `[N, K]`.
    fn swiglu(x: &Tensor<Self, 2>, gate: &Tensor<Self, 2>, up: &Tensor<Self, 2>, y: &mut Tensor<Self, 2>)
    -> Result<()>;

    /// Along the rows of `x`, `[M, N]`.
    fn softmax(x: &Tensor<Self, 2>, y: &mut Tensor<Self, 2>) -> Result<()>;
}

macro_rules! elements {
    ($($element:ty: $kernels:ident,)*) => {$(
        impl Elements for $element {
            fn rms_norm(x: &Tensor<Self, 2>, weight: &Tensor<Self, 1>, eps: f32, y: &mut Tensor<Self, 2>) -> Result<()> {
                $kernels::rms_norm(x, weight, eps, y).run()
            }

            fn rms_norm_backward(
                x: &Tensor<Self, 2>,
                weight: &Tensor<Self, 1>,
                grad: &Tensor<Self, 2>,
                eps: f32,
                dx: &mut Tensor<Self, 2>,
                dweight: &mut Tensor<Self, 1>,
            ) -> Result<()> {
                $kernels::rms_norm_backward(x, weight, grad, eps, dx, dweight).run()
            }

            fn swiglu(
                x: &Tensor<Self, 2>,
                gate: &Tensor<Self, 2>,
                up: &Tensor<Self, 2>,
                y: &mut Tensor<Self, 2>,
            ) -> Result<()> {
                $kernels::swiglu(x, gate, up, y).run()
            }

            fn softmax(x: &Tensor<Self, 2>, y: &mut Tensor<Self, 2>) -> Result<()> {
                $kernels::softmax(x, y).run()
            }
        }
    )*};
}

elements! {
    bf16: of_bf16,
    f32: of_f32,
}
