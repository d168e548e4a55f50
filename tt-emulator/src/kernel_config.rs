//! What a program says about a kernel besides its source.

pub use crate::enumerations::{DataMovementProcessor, MathFidelity};

/// How a compute kernel is built and run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ComputeOptions {
    /// Multiplier passes.
    pub math_fidelity: MathFidelity,
    /// Destination registers hold 32-bit values.
    pub fp32_dest_acc_en: bool,
    /// One destination section instead of two halves.
    pub dst_full_sync_en: bool,
    /// Approximate special functions.
    pub math_approx_mode: bool,
    /// Packing to bfp8 keeps more bits.
    pub bfp8_pack_precise: bool,
    /// Per circular buffer: unpack straight to the destination registers in 32 bit. Missing entries are false.
    pub unpack_to_dest_fp32: Vec<bool>,
}

impl Default for ComputeOptions {
    fn default() -> Self {
        ComputeOptions {
            math_fidelity: MathFidelity::HiFi4,
            fp32_dest_acc_en: false,
            dst_full_sync_en: false,
            math_approx_mode: false,
            bfp8_pack_precise: false,
            unpack_to_dest_fp32: Vec::new(),
        }
    }
}

/// The RISC a kernel runs on, and how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KernelRole {
    /// A kernel of a data movement RISC, on one of the two NoCs.
    DataMovement {
        /// The RISC.
        processor: DataMovementProcessor,
        /// 0 or 1.
        noc: u8,
    },
    /// A kernel of the compute RISCs.
    Compute(ComputeOptions),
}
