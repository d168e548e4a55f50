//! A linear layer with a gate, as in the MLP of a transformer, with a backward pass of candle's own operations.

use crate::kernels::Elements;
use crate::operands::{Operand, element_type, mismatch, rows, unsupported};
use candle_core::{CpuStorage, CustomOp3, DType, Error, Layout, Result, Shape, Tensor};
use tt::{Zeros, bf16};

/// `silu(x · gateᵀ) · (x · upᵀ)` of `x`, `[.., K]`, with weights as candle's linear layers have them, `[N, K]` each:
/// `x.apply_op3(&gate, &up, SwiGlu::new(&device))` has the shape `[.., N]`.
pub struct SwiGlu {
    device: tt::Device,
}

impl SwiGlu {
    /// It on `device`.
    pub fn new(device: &tt::Device) -> SwiGlu {
        let device = device.clone();
        SwiGlu { device }
    }

    fn forward<E: Elements>(&self, x: Operand<'_>, gate: Operand<'_>, up: Operand<'_>) -> Result<(CpuStorage, Shape)> {
        let [m, k] = rows(self.name(), x.layout)?;
        let n = match gate.layout.dims() {
            [n, of] if *of == k => *n,
            _ => return Err(mismatch(self.name(), x.layout, gate.layout)),
        };
        if up.layout.dims() != [n, k] {
            return Err(mismatch(self.name(), gate.layout, up.layout));
        }
        let leading = &x.layout.dims()[..x.layout.dims().len() - 1];
        let shape = Shape::from([leading, &[n]].concat());
        // Of nothing a product is zero, and so is what it opens.
        if m * n * k == 0 {
            return Ok((E::to_cpu_storage_owned(vec![E::default(); m * n]), shape));
        }
        let x = x.upload::<E, 2>(&self.device, [m, k])?;
        let gate = gate.upload(&self.device, [n, k])?;
        let up = up.upload(&self.device, [n, k])?;
        let launched = || -> tt::Result<Vec<E>> {
            let mut y = self.device.zeros([m, n])?;
            E::swiglu(&x, &gate, &up, &mut y)?;
            y.download()
        };
        Ok((E::to_cpu_storage_owned(launched().map_err(Error::wrap)?), shape))
    }
}

impl CustomOp3 for SwiGlu {
    fn name(&self) -> &'static str {
        "swiglu"
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
        s3: &CpuStorage,
        l3: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let x = Operand {
            storage: s1,
            layout: l1,
        };
        let gate = Operand {
            storage: s2,
            layout: l2,
        };
        let up = Operand {
            storage: s3,
            layout: l3,
        };
        match element_type(self.name(), &[x, gate, up])? {
            DType::BF16 => self.forward::<bf16>(x, gate, up),
            DType::F32 => self.forward::<f32>(x, gate, up),
            other => Err(unsupported(self.name(), other)),
        }
    }

    /// In `f32`. With `a = x · gateᵀ`, `b = x · upᵀ`, `s = sigmoid(a)` and `g` the gradient of the result, the gradients of `a` and
    /// `b` are `da = g · b · s · (1 + a · (1 - s))` and `db = g · a · s`; those of the operands are products of these.
    fn bwd(
        &self,
        x: &Tensor,
        gate: &Tensor,
        up: &Tensor,
        _: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let ([m, k], n) = (rows(self.name(), x.layout())?, gate.dim(0)?);
        if m * n * k == 0 {
            return Ok((Some(x.zeros_like()?), Some(gate.zeros_like()?), Some(up.zeros_like()?)));
        }
        let wide = |tensor: &Tensor, shape: (usize, usize)| tensor.to_dtype(DType::F32)?.reshape(shape);
        let (rows, grads) = (wide(x, (m, k))?, wide(grad, (m, n))?);
        let (gate_weights, up_weights) = (wide(gate, (n, k))?, wide(up, (n, k))?);
        let a = rows.matmul(&gate_weights.t()?)?;
        let b = rows.matmul(&up_weights.t()?)?;
        let s = (a.neg()?.exp()? + 1.0)?.recip()?;
        let silu = (&a * &s)?;
        // a · s · (1 - s) + s = silu - silu · s + s.
        let slope = ((&silu - (&silu * &s)?)? + &s)?;
        let da = ((&grads * &b)? * slope)?;
        let db = (grads * silu)?;
        let dx = (da.matmul(&gate_weights)? + db.matmul(&up_weights)?)?;
        let narrow = |tensor: Tensor, like: &Tensor| tensor.reshape(like.shape())?.to_dtype(like.dtype());
        Ok((
            Some(narrow(dx, x)?),
            Some(narrow(da.t()?.matmul(&rows)?, gate)?),
            Some(narrow(db.t()?.matmul(&rows)?, up)?),
        ))
    }
}
