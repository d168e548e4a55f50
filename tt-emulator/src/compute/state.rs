//! The compute engines of one core while its kernel runs.

use std::collections::VecDeque;

use super::ahead::NextSums;
use super::counters::BothWays;
use super::cumulative::Sums;
use super::destination::{Broken, Destination};
use super::engine_state::{EngineState, Operand};
use super::fpu::datapath::Adder;
use super::fpu::fidelity::phase_count;
use super::pack::Packer;
use super::pack_calls::WaitingPack;
use super::reused::{Reused, reusable};
use super::rules;
use super::tile::Tile;
use super::{pack, unpack};
use crate::arch::Arch;
use crate::data_format::DataFormat;
use crate::kernel_config::{ComputeOptions, MathFidelity};

/// Source tiles being worked on; their values do not outlive a call.
pub struct Sources {
    pub a: Tile,
    pub b: Tile,
    pub spread: Tile,
}

reusable!(
    Sources,
    Sources {
        a: Tile::zero(),
        b: Tile::zero(),
        spread: Tile::zero(),
    }
);

/// How products of matrices are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fpu {
    /// In `f32`.
    Fast,
    /// In `f32`, some of them through the device's own adders too: what a launch with the clock does where [`Fast`](Fpu::Fast) is asked for.
    Compared,
    /// Through the device's own adders, bit for bit and some ten to fifteen times slower.
    Exact,
}

/// State of the compute engines of one core.
pub struct ComputeState {
    pub arch: &'static Arch,
    pub registers: Destination,
    pub engines: EngineState,
    pub fidelity: MathFidelity,
    pub phases: u32,
    pub bfp8_precise: bool,
    /// Every product through the exact datapath.
    pub exact: bool,
    /// Which products are formed both ways.
    pub both_ways: Option<BothWays>,
    unpack_to_destination: Vec<bool>,
    /// The kernel's formats have five exponent bits, as far as they are not fp32 or integers.
    half: bool,
    /// Approximate special functions.
    pub approximate: bool,
    /// Words that the last SFPU init got.
    pub sfpu_words: [u32; 2],
    /// Circular buffers that last got a whole register of a reduction, with the parts that a reduction goes on from.
    pub reduced_buffers: u64,
    /// Packs that wait for math.
    pub waiting_packs: VecDeque<WaitingPack>,
    /// Where running sums over tiles are.
    pub sums: Sums,
    /// Words between the threads of the kernel. All three run in line, so what was written first is read first.
    pub mailbox: VecDeque<u32>,
    pub sources: Reused<Sources>,
    /// What the packer adds to next.
    pub next_sums: NextSums,
}

impl ComputeState {
    /// Engines at kernel start.
    pub fn new(options: &ComputeOptions, arch: &'static Arch, fpu: Fpu) -> ComputeState {
        let wide = options.fp32_dest_acc_en;
        ComputeState {
            arch,
            registers: Destination::new(wide, options.dst_full_sync_en),
            engines: EngineState::new(),
            fidelity: options.math_fidelity,
            phases: phase_count(options.math_fidelity),
            bfp8_precise: options.bfp8_pack_precise,
            exact: fpu == Fpu::Exact,
            both_ways: (fpu == Fpu::Compared).then(BothWays::default),
            unpack_to_destination: options.unpack_to_dest_fp32.clone(),
            half: false,
            approximate: options.math_approx_mode,
            sfpu_words: [0; 2],
            reduced_buffers: 0,
            waiting_packs: VecDeque::new(),
            sums: Sums::new(),
            mailbox: VecDeque::new(),
            sources: Reused::none(),
            next_sums: NextSums::default(),
        }
    }

    /// What the kernel left behind.
    pub fn finish(&mut self) -> Result<(), Broken> {
        self.sources.give_back();
        self.registers.finish()
    }

    /// Destination registers are 32 bits wide.
    pub fn is_wide(&self) -> bool {
        self.registers.is_wide()
    }

    /// The accumulators of the matrix engine, for operands of this format.
    pub fn adder(&self, format: DataFormat) -> Adder {
        Adder {
            wide: self.is_wide(),
            half: self.unpacks_half(format),
            loses_minus_one: self.arch.loses_minus_one,
        }
    }

    /// Sources get this format with five exponent bits: fp32 too, beside such formats and where registers have 16 bits.
    pub fn unpacks_half(&self, format: DataFormat) -> bool {
        unpack::has_half_exponent(format) || (format == DataFormat::Float32 && self.half && !self.is_wide())
    }

    /// Learns which family of formats the core's buffers are of. The runtime refuses a mixture: sources and packer are set
    /// for one width of exponents (`check_consistent_format_across_buffers` of its `data_format.cpp`).
    pub fn set_formats(&mut self, formats: impl Iterator<Item = DataFormat>) -> Result<(), Broken> {
        let mut of_eight = None;
        let mut of_five = None;
        for format in formats {
            if unpack::has_half_exponent(format) {
                of_five = Some(format);
            } else if unpack::is_supported(format) && format != DataFormat::Float32 {
                of_eight = Some(format);
            }
        }
        if let (Some(five), Some(eight)) = (of_five, of_eight) {
            let detail =
                format!("{five:?} has five exponent bits, {eight:?} has eight; a kernel has buffers of one kind");
            return Err((&rules::FORMAT_UNSUPPORTED, detail));
        }
        self.half = of_five.is_some();
        Ok(())
    }

    /// This buffer goes straight to destination registers, in 32 bits.
    pub fn unpacks_to_destination(&self, operand: Operand) -> bool {
        let asked = || {
            self.unpack_to_destination
                .get(operand.cb as usize)
                .copied()
                .unwrap_or(false)
        };
        match operand.format {
            DataFormat::Float32 => self.is_wide() && asked(),
            DataFormat::Int32 | DataFormat::UInt32 => true,
            _ => false,
        }
    }

    /// The operand can be copied to the destination.
    pub fn require_copied(&self, operand: Operand) -> Result<(), Broken> {
        use DataFormat::*;
        let narrow = !self.is_wide() && matches!(operand.format, Int32 | UInt32 | UInt8 | Int8);
        if narrow {
            let detail = format!(
                "buffer {} is {:?}, which needs fp32_dest_acc_en",
                operand.cb, operand.format
            );
            return Err((&rules::FORMAT_UNSUPPORTED, detail));
        }
        if unpack::can_copy(operand.format) {
            return Ok(());
        }
        let detail = format!("buffer {} is {:?}", operand.cb, operand.format);
        Err((&rules::FORMAT_UNSUPPORTED, detail))
    }

    /// The operand can be a source of the matrix engine.
    pub fn require_source(&self, operand: Operand) -> Result<(), Broken> {
        if !unpack::is_supported(operand.format) {
            return Err((
                &rules::FORMAT_UNSUPPORTED,
                format!("buffer {} is {:?}", operand.cb, operand.format),
            ));
        }
        if self.unpacks_to_destination(operand) {
            return Err((&rules::OPERAND_UNPACK_TO_DEST, format!("buffer {}", operand.cb)));
        }
        Ok(())
    }

    /// The vector unit's registers hold numbers with the exponents of `f32`, which those of a 16-bit destination with five
    /// exponent bits are not.
    pub fn require_vector(&self, call: &str) -> Result<(), Broken> {
        if self.half && !self.is_wide() {
            let detail = format!("{call} on 16-bit registers of five exponent bits");
            return Err((&rules::FORMAT_UNSUPPORTED, detail));
        }
        Ok(())
    }

    /// Both operands can be sources of an operation that also knows integers of 8 bits, which need 32-bit registers.
    pub fn require_sources(&self, a: Operand, b: Operand) -> Result<(), Broken> {
        match (unpack::is_byte(a.format), unpack::is_byte(b.format)) {
            (true, true) => self.require_copied(a).and_then(|()| self.require_copied(b)),
            _ if self.unpacks_half(a.format) == self.unpacks_half(b.format) => {
                self.require_source(a).and_then(|()| self.require_source(b))
            }
            _ => Err((
                &rules::FORMAT_UNSUPPORTED,
                format!("buffer {} is {:?}, buffer {} is {:?}", a.cb, a.format, b.cb, b.format),
            )),
        }
    }

    /// The packer as it is set, writing this buffer.
    pub fn packer(&self, operand: Operand) -> Result<Packer, Broken> {
        let destination = if self.is_wide() { 32 } else { 16 };
        if !pack::is_supported(operand.format, self.is_wide(), self.half) {
            return Err((
                &rules::FORMAT_UNSUPPORTED,
                format!(
                    "buffer {} is {:?}, packed from a destination of {destination} bits",
                    operand.cb, operand.format
                ),
            ));
        }
        if self.engines.l1_accumulate && !pack::accumulates(operand.format) {
            return Err((
                &rules::L1_ACC_FORMAT,
                format!("buffer {} is {:?}", operand.cb, operand.format),
            ));
        }
        Ok(Packer {
            wide: self.is_wide(),
            half: self.half,
            format: operand.format,
            bfp8_precise: self.bfp8_precise,
            mask: self.engines.mask,
            relu: self.engines.relu,
            accumulate: self.engines.l1_accumulate,
        })
    }
}
