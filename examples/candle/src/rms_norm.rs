//! RMS norm, with a kernel of its own for the backward pass.

use crate::kernels::Elements;
use crate::operands::{Operand, element_type, mismatch, rows, unsupported};
use candle_core::{CpuStorage, CustomOp2, DType, Error, Layout, Result, Shape, Tensor};
use tt::{Zeros, bf16};

/// `x / √(mean of x² + eps) · weight` along the last axis of `x`, `[.., N]`, with a weight of shape `[N]`:
/// `x.apply_op2(&weight, RmsNorm::new(&device, 1e-5))`.
///
/// Both gradients are one launch of another kernel.
pub struct RmsNorm {
    device: tt::Device,
    eps: f32,
}

impl RmsNorm {
    /// It on `device`. `eps` is what is added to the mean of the squares.
    pub fn new(device: &tt::Device, eps: f32) -> RmsNorm {
        let device = device.clone();
        RmsNorm { device, eps }
    }

    fn forward<E: Elements>(&self, x: Operand<'_>, weight: Operand<'_>) -> Result<(CpuStorage, Shape)> {
        let [m, n] = rows(self.name(), x.layout)?;
        if weight.layout.dims() != [n] {
            return Err(mismatch(self.name(), x.layout, weight.layout));
        }
        let shape = x.layout.shape().clone();
        if m * n == 0 {
            return Ok((E::to_cpu_storage_owned(Vec::new()), shape));
        }
        let x = x.upload::<E, 2>(&self.device, [m, n])?;
        let weight = weight.upload(&self.device, [n])?;
        let launched = || -> tt::Result<Vec<E>> {
            let mut y = self.device.zeros([m, n])?;
            E::rms_norm(&x, &weight, self.eps, &mut y)?;
            y.download()
        };
        Ok((E::to_cpu_storage_owned(launched().map_err(Error::wrap)?), shape))
    }

    fn backward<E: Elements>(&self, x: &Tensor, weight: &Tensor, grad: &Tensor) -> Result<(Tensor, Tensor)> {
        let [m, n] = rows(self.name(), x.layout())?;
        if m * n == 0 {
            return Ok((x.zeros_like()?, weight.zeros_like()?));
        }
        let elements = |tensor: &Tensor| tensor.flatten_all()?.to_vec1::<E>();
        let (rows, weights, grads) = (elements(x)?, elements(weight)?, elements(grad)?);
        let launched = || -> tt::Result<(Vec<E>, Vec<E>)> {
            let rows = self.device.upload(&rows, [m, n])?;
            let weights = self.device.upload(&weights, [n])?;
            let grads = self.device.upload(&grads, [m, n])?;
            let (mut dx, mut dweight) = (self.device.zeros([m, n])?, self.device.zeros([n])?);
            E::rms_norm_backward(&rows, &weights, &grads, self.eps, &mut dx, &mut dweight)?;
            Ok((dx.download()?, dweight.download()?))
        };
        let (dx, dweight) = launched().map_err(Error::wrap)?;
        Ok((
            Tensor::from_vec(dx, x.shape(), x.device())?,
            Tensor::from_vec(dweight, weight.shape(), weight.device())?,
        ))
    }
}

impl CustomOp2 for RmsNorm {
    fn name(&self) -> &'static str {
        "rms-norm"
    }

    fn cpu_fwd(&self, s1: &CpuStorage, l1: &Layout, s2: &CpuStorage, l2: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = Operand {
            storage: s1,
            layout: l1,
        };
        let weight = Operand {
            storage: s2,
            layout: l2,
        };
        match element_type(self.name(), &[x, weight])? {
            DType::BF16 => self.forward::<bf16>(x, weight),
            DType::F32 => self.forward::<f32>(x, weight),
            other => Err(unsupported(self.name(), other)),
        }
    }

    fn bwd(&self, x: &Tensor, weight: &Tensor, _: &Tensor, grad: &Tensor) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let (dx, dweight) = match x.dtype() {
            DType::BF16 => self.backward::<bf16>(x, weight, grad),
            DType::F32 => self.backward::<f32>(x, weight, grad),
            other => Err(unsupported(self.name(), other)),
        }?;
        Ok((Some(dx), Some(dweight)))
    }
}
