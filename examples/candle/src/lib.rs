//! Operations of candle whose forward passes are kernels of `tt`: [`RmsNorm`], [`SwiGlu`] and [`Softmax`].
//!
//! Each implements one of candle's custom operation traits and holds a handle of the device that its kernels run on. A call copies
//! its operands there, launches, and copies the result back: tensors are candle's, on the host, and gradients flow through them.
//!
//! ```
//! use candle_core::{Device, Tensor};
//! use tt_candle::RmsNorm;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = tt::Device::open()?;
//! let x = Tensor::new(&[[3f32, 4.0], [1.0, 1.0]], &Device::Cpu)?;
//! let weight = Tensor::new(&[1f32, 2.0], &Device::Cpu)?;
//! let y = x.apply_op2(&weight, RmsNorm::new(&device, 0.0))?;
//! assert!((y.to_vec2::<f32>()?[0][1] - 8.0 / 12.5f32.sqrt()).abs() < 1e-5);
//! # Ok(()) }
//! ```
//!
//! Tensors are of `bf16` or `f32`, of any shape; those that are not contiguous are gathered on the way. Another element type, and
//! shapes that do not fit each other, are candle's errors; so is what the device says, as text.

#![warn(missing_docs)]

mod kernels;
mod operands;
pub mod plain;
mod rms_norm;
mod softmax;
mod swiglu;

pub use rms_norm::RmsNorm;
pub use softmax::Softmax;
pub use swiglu::SwiGlu;
