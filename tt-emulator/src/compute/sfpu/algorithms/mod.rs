//! What the kernels of TT-Metalium 0.81.1 compute on the vector unit, instruction by instruction.
//!
//! Constants, degrees and order of operations are those of the device's own headers
//! (`tt_metal/hw/ckernels/*/metal/llk_api/llk_sfpu`, `tt_metal/tt-llk/*/common/inc/sfpu`); a product that only a sum uses is
//! one multiply-add, as the device's compiler contracts it.

#![allow(
    clippy::approx_constant,
    reason = "constants are those of the device's headers, near a mathematical one or not"
)]

pub mod activation;
pub mod arithmetic;
pub mod comparison;
pub mod error_function;
pub mod exponential;
pub mod hyperbolic;
pub mod logarithm;
mod lookup;
pub mod power;
pub mod reciprocal;
pub mod remainder;
pub mod root;
pub mod rounding;
pub mod sigmoid;
pub mod trigonometry;
