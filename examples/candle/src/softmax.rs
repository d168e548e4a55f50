//! Softmax, with a backward pass of candle's own operations.

use crate::kernels::Elements;
use crate::operands::{Operand, element_type, rows, unsupported};
use candle_core::{CpuStorage, CustomOp1, D, DType, Error, Layout, Result, Shape, Tensor};
use tt::{Zeros, bf16};

/// Softmax along the last axis of `x`, `[.., N]`: `x.apply_op1(Softmax::new(&device))`.
pub struct Softmax {
    device: tt::Device,
}

impl Softmax {
    /// It on `device`.
    pub fn new(device: &tt::Device) -> Softmax {
        let device = device.clone();
        Softmax { device }
    }

    fn forward<E: Elements>(&self, x: Operand<'_>) -> Result<(CpuStorage, Shape)> {
        let [m, n] = rows(self.name(), x.layout)?;
        let shape = x.layout.shape().clone();
        if m * n == 0 {
            return Ok((E::to_cpu_storage_owned(Vec::new()), shape));
        }
        let x = x.upload::<E, 2>(&self.device, [m, n])?;
        let launched = || -> tt::Result<Vec<E>> {
            let mut y = self.device.zeros([m, n])?;
            E::softmax(&x, &mut y)?;
            y.download()
        };
        Ok((E::to_cpu_storage_owned(launched().map_err(Error::wrap)?), shape))
    }
}

impl CustomOp1 for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let x = Operand { storage, layout };
        match element_type(self.name(), &[x])? {
            DType::BF16 => self.forward::<bf16>(x),
            DType::F32 => self.forward::<f32>(x),
            other => Err(unsupported(self.name(), other)),
        }
    }

    /// `dx = (grad - sum of grad · y) · y`, in `f32`.
    fn bwd(&self, x: &Tensor, y: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let (y, grad) = (y.to_dtype(DType::F32)?, grad.to_dtype(DType::F32)?);
        let along = (&grad * &y)?.sum_keepdim(D::Minus1)?;
        let dx = (grad.broadcast_sub(&along)? * y)?;
        dx.to_dtype(x.dtype()).map(Some)
    }
}
