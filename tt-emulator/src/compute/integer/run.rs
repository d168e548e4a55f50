//! Running an operation on integers over whole registers.

use super::table::{Kind, Lane, Operation};
use crate::compute::destination::{Broken, Destination};
use crate::compute::rules;
use crate::data_format::DataFormat;

/// Where the bits of a lane are in the emulator's word of a register.
#[derive(Clone, Copy)]
struct Place {
    shift: u32,
    mask: u32,
}

impl Place {
    /// # Errors
    /// For 32-bit integers in registers of 16 bits.
    fn of(kind: Kind, wide: bool, operation: &str) -> Result<Place, Broken> {
        match (kind, wide) {
            (Kind::Int32 | Kind::UInt32, true) => Ok(Place {
                shift: 0,
                mask: u32::MAX,
            }),
            (Kind::UInt16, true) => Ok(Place { shift: 0, mask: 0xffff }),
            (Kind::UInt16, false) => Ok(Place {
                shift: 16,
                mask: 0xffff,
            }),
            (Kind::Int32 | Kind::UInt32, false) => Err((
                &rules::WHERE_FORMAT,
                format!("{operation} on {kind:?}, the registers have 16 bits"),
            )),
        }
    }

    fn read(self, value: f32) -> u32 {
        (value.to_bits() >> self.shift) & self.mask
    }

    fn write(self, bits: u32) -> f32 {
        f32::from_bits((bits & self.mask) << self.shift)
    }
}

/// The kind that a call names.
fn kind(format: u32) -> Option<Kind> {
    match u8::try_from(format).ok().and_then(DataFormat::from_id)? {
        DataFormat::Int32 => Some(Kind::Int32),
        DataFormat::UInt32 => Some(Kind::UInt32),
        DataFormat::UInt16 => Some(Kind::UInt16),
        _ => None,
    }
}

/// Runs an operation. Registers exist and are acquired; that inputs were written is checked here.
///
/// # Errors
/// Where a rule is broken.
pub fn run(
    operation: &Operation,
    (inputs, out): ([u32; 3], u32),
    parameter: u32,
    format: u32,
    registers: &mut Destination,
) -> Result<(), Broken> {
    let kind = kind(format).ok_or_else(|| (&rules::ENUMERATOR, format!("data format {format}")))?;
    let place = Place::of(kind, registers.is_wide(), operation.name)?;
    let count = match operation.lane {
        Lane::Fill(_) => 0,
        Lane::Unary(_) => 1,
        Lane::Binary(_) => 2,
    };
    for input in &inputs[..count] {
        registers.require_written(*input)?;
    }
    let tiles = registers.sfpu(&inputs[..count], out);
    for lane in 0..tiles[out as usize].0.len() {
        let read = |input: u32| place.read(tiles[input as usize].0[lane]);
        let bits = match operation.lane {
            Lane::Fill(function) => function(parameter),
            Lane::Unary(function) => function(kind, read(inputs[0]), parameter),
            Lane::Binary(function) => function(kind, read(inputs[0]), read(inputs[1])),
        };
        tiles[out as usize].0[lane] = place.write(bits);
    }
    Ok(())
}
