//! What a program says about a kernel besides its source.

/// Multiplier passes of the matrix engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the documentation: Metalium's own")]
pub enum MathFidelity {
    LoFi = 0,
    HiFi2 = 2,
    HiFi3 = 3,
    HiFi4 = 4,
}

impl MathFidelity {
    /// The fidelity with Metalium's id.
    pub fn from_id(id: u8) -> Option<MathFidelity> {
        [
            MathFidelity::LoFi,
            MathFidelity::HiFi2,
            MathFidelity::HiFi3,
            MathFidelity::HiFi4,
        ]
        .into_iter()
        .find(|fidelity| *fidelity as u8 == id)
    }
}

/// A data movement RISC of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataMovementProcessor {
    /// RISCV_0, by convention the writer.
    Brisc,
    /// RISCV_1, by convention the reader.
    Ncrisc,
}

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
