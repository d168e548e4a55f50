//! Calls of the vector unit.

use super::destination::Broken;
use super::engine_state::SfpuSetting;
use super::pack::ReduceDim;
use super::rules;
use super::sfpu::fold::Fold;
use super::sfpu::run::{Call, VectorMode, run};
use super::sfpu::table::{self, Work, hash};
use super::sfpu::unit::Unit;
use super::state::ComputeState;
use super::unpack::Broadcast;
use super::{cumulative, integer};
use crate::data_format::DataFormat;

include!("../abi/vector_call.rs");

fn unknown(what: &str, value: impl std::fmt::Debug) -> Broken {
    (&rules::ENUMERATOR, format!("{what} {value:?}"))
}

/// The init of an operation that has no row in the table of the vector unit's arithmetic.
fn other_init(name: u64) -> Option<&'static str> {
    let cumulative = Some(cumulative::INIT).filter(|init| hash(init) == name);
    cumulative.or_else(|| integer::table::init(name))
}

/// Whether a name is that of an operation, or of an init, without a row in the table of the vector unit's arithmetic.
#[cfg(test)]
pub fn is_other(name: u64) -> bool {
    name == hash(cumulative::NAME) || other_init(name).is_some() || integer::table::operation(name).is_some()
}

/// The operation that a call means, and how many of a tile's 32 vectors it is for.
pub fn scope(call: &SfpuCall) -> (&'static str, u8) {
    let other = integer::table::operation(call.name).map(|operation| operation.name);
    let known = table::operation(call.name).map(|operation| operation.name);
    let vectors = match VectorMode::from_id(call.mode) {
        Some(VectorMode::Rows | VectorMode::Columns) => 16,
        Some(VectorMode::All) | None => 32,
    };
    (known.or(other).unwrap_or(cumulative::NAME), vectors)
}

/// Whether the packer's thread makes the call.
pub fn is_for_packer(call: &SfpuCall) -> bool {
    is_from_packer(call.flags)
}

/// Whether the packer's thread makes a call, or an init, of these flags.
pub fn is_from_packer(flags: u32) -> bool {
    flags & sfpu_flag::FROM_PACKER != 0
}

impl ComputeState {
    /// An init of the vector unit.
    pub fn sfpu_init(&mut self, name: u64, variant: u32, words: [u32; 2], flags: u32) -> Result<(), Broken> {
        let init = table::init(name)
            .or_else(|| other_init(name))
            .ok_or_else(|| unknown("init", name))?;
        self.engines.require_started(init)?;
        self.require_vector(init)?;
        match is_from_packer(flags) {
            true => self.registers.set_vector_for_packer()?,
            false => self.registers.require_vector_for_math()?,
        }
        if self.engines.set_sfpu(SfpuSetting { init, variant }) {
            self.sfpu_words = words;
        }
        Ok(())
    }

    /// An operation of the vector unit.
    pub fn sfpu(&mut self, call: &SfpuCall) -> Result<(), Broken> {
        if call.name == hash(cumulative::NAME) {
            self.require_call(cumulative::NAME, cumulative::INIT, call)?;
            return self.sums.run(call.out, call.words[0] != 0, &mut self.registers);
        }
        if let Some(operation) = integer::table::operation(call.name) {
            self.require_call(operation.name, operation.init, call)?;
            let registers = (call.inputs, call.out);
            return integer::run::run(operation, registers, call.words[0], call.format, &mut self.registers);
        }
        let operation = table::operation(call.name).ok_or_else(|| unknown("operation", call.name))?;
        self.require_call(operation.name, operation.init, call)?;
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
        let words = if call.flags & sfpu_flag::WORDS_FROM_INIT != 0 {
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
                input_f32: call.flags & sfpu_flag::INPUT_F32 != 0,
                variant: call.variant,
                words,
            },
            mode: VectorMode::from_id(call.mode).ok_or_else(|| unknown("vector mode", call.mode))?,
            broadcast,
            fold,
        };
        run(operation, &call, &mut self.registers)
    }

    /// The unit is set for the call, and the thread that makes it has the registers.
    fn require_call(&mut self, operation: &str, init: &'static str, call: &SfpuCall) -> Result<(), Broken> {
        let variant = call.variant;
        self.engines.require_sfpu(operation, SfpuSetting { init, variant })?;
        for register in call.inputs.into_iter().chain([call.out]) {
            if is_for_packer(call) {
                self.registers.require_packer(register, 1)?;
            } else {
                self.registers.require_math(register, 1)?;
            }
        }
        match is_for_packer(call) {
            true => self.registers.require_vector_for_packer(operation),
            false => self.registers.require_vector_for_math(),
        }
    }

    fn require_destination_format(&self, operation: &str, said: u32) -> Result<(), Broken> {
        if said == sfpu_special::ANY_FORMAT {
            return Ok(());
        }
        let is = if self.is_wide() {
            DataFormat::Float32
        } else {
            DataFormat::Float16_b
        };
        match DataFormat::from_id(said) {
            Some(format) if format == is => Ok(()),
            Some(format) => Err((
                &rules::WHERE_FORMAT,
                format!("{operation} says {format:?}, the registers hold {is:?}"),
            )),
            None => Err(unknown("data format", said)),
        }
    }
}
