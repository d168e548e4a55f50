//! Calls of the vector unit.

use super::destination::Broken;
use super::engine_state::SfpuSetting;
use super::pack::ReduceDim;
use super::rules;
use super::sfpu::run::{Call, Fold, VectorMode, run};
use super::sfpu::table::{self, Work};
use super::sfpu::unit::Unit;
use super::state::ComputeState;
use super::unpack::Broadcast;
use crate::data_format::DataFormat;

/// What a header passes for one SFPU call.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SfpuCall {
    /// Hash of the operation's name.
    pub name: u64,
    /// Template parameters that the init had too.
    pub variant: u32,
    /// Input registers.
    pub inputs: [u32; 3],
    /// Output register.
    pub out: u32,
    /// Parameters.
    pub words: [u32; 3],
    /// Vector mode.
    pub mode: u32,
    /// Broadcast, or pool and dimension of a reduction.
    pub how: [u32; 2],
    /// 1: parameters are those of the init.
    pub words_from_init: u32,
    /// Format that the call says the destination registers have, or [`ANY_FORMAT`].
    pub format: u32,
}

/// A call that names no format.
pub const ANY_FORMAT: u32 = u32::MAX;

fn unknown(what: &str, value: impl std::fmt::Debug) -> Broken {
    (&rules::ENUMERATOR, format!("{what} {value:?}"))
}

impl ComputeState {
    /// An init of the vector unit.
    pub(super) fn sfpu_init(&mut self, name: u64, variant: u32, words: [u32; 2]) -> Result<(), Broken> {
        let init = table::init(name).ok_or_else(|| unknown("init", name))?;
        self.engines.require_started(init)?;
        self.require_vector(init)?;
        self.engines.set_sfpu(SfpuSetting { init, variant });
        self.sfpu_words = words;
        Ok(())
    }

    /// An operation of the vector unit.
    pub(super) fn sfpu(&mut self, call: &SfpuCall) -> Result<(), Broken> {
        let operation = table::operation(call.name).ok_or_else(|| unknown("operation", call.name))?;
        let wanted = SfpuSetting {
            init: operation.init,
            variant: call.variant,
        };
        self.engines.require_sfpu(operation.name, wanted)?;
        for register in call.inputs {
            self.registers.require_math(register, 1)?;
        }
        self.registers.require_math(call.out, 1)?;
        self.require_destination_format(operation.name, call.format)?;
        let broadcast = match operation.work {
            Work::Broadcast(_) => Broadcast::from_id(call.how[0]).ok_or_else(|| unknown("broadcast", call.how[0]))?,
            _ => Broadcast::None,
        };
        let fold = match operation.work {
            Work::Reduce => {
                let fold = Fold::from_id(call.how[0]).ok_or_else(|| unknown("pool", call.how[0]))?;
                let dim = ReduceDim::from_id(call.how[1]).filter(|dim| *dim != ReduceDim::Scalar);
                (fold, dim.ok_or_else(|| unknown("dimension", call.how[1]))?)
            }
            _ => (Fold::Sum, ReduceDim::Col),
        };
        let [p0, p1] = self.sfpu_words;
        let words = if call.words_from_init != 0 {
            [p0, p1, 0]
        } else {
            call.words
        };
        let call = Call {
            inputs: call.inputs,
            out: call.out,
            unit: Unit {
                chip: self.arch.name,
                wide: self.is_wide(),
                approximate: self.approximate,
                variant: call.variant,
                words,
            },
            mode: VectorMode::from_id(call.mode).ok_or_else(|| unknown("vector mode", call.mode))?,
            broadcast,
            fold,
        };
        run(operation, &call, &mut self.registers)
    }

    fn require_destination_format(&self, operation: &str, said: u32) -> Result<(), Broken> {
        if said == ANY_FORMAT {
            return Ok(());
        }
        let is = if self.is_wide() {
            DataFormat::Float32
        } else {
            DataFormat::Float16_b
        };
        match u8::try_from(said).ok().and_then(DataFormat::from_id) {
            Some(format) if format == is => Ok(()),
            Some(format) => Err((
                &rules::WHERE_FORMAT,
                format!("{operation} says {format:?}, the registers hold {is:?}"),
            )),
            None => Err(unknown("data format", said)),
        }
    }
}
