//! Running an operation on integers over whole registers.

use super::table::{Kind, Lane, Operation};
use crate::compute::destination::{Broken, Destination};
use crate::compute::rounding::{decode_destination, encode_destination};
use crate::compute::rules;
use crate::data_format::DataFormat;

/// Where the bits of a lane are in the emulator's word of a register.
#[derive(Clone, Copy)]
enum Place {
    /// Those of the mask.
    Word(u32),
    /// Arranged as a 16-bit register has them.
    Half,
}

impl Place {
    /// # Errors
    /// For 32-bit integers in registers of 16 bits.
    fn of(kind: Kind, wide: bool, operation: &str) -> Result<Place, Broken> {
        match (kind, wide) {
            (Kind::Int32 | Kind::UInt32, true) => Ok(Place::Word(u32::MAX)),
            (Kind::UInt16, true) => Ok(Place::Word(0xffff)),
            (Kind::UInt16, false) => Ok(Place::Half),
            (Kind::Int32 | Kind::UInt32, false) => Err((
                &rules::WHERE_FORMAT,
                format!("{operation} on {kind:?}, the registers have 16 bits"),
            )),
        }
    }

    fn read(self, value: f32) -> u32 {
        match self {
            Place::Word(mask) => value.to_bits() & mask,
            Place::Half => u32::from(encode_destination(value.to_bits())),
        }
    }

    fn write(self, bits: u32) -> f32 {
        f32::from_bits(match self {
            Place::Word(mask) => bits & mask,
            Place::Half => decode_destination(bits as u16),
        })
    }
}

/// The kind that a call names.
fn kind(format: u32) -> Option<Kind> {
    match DataFormat::from_id(format)? {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bits_are_where_copies_and_packs_have_them() {
        let place = Place::of(Kind::UInt16, false, "").unwrap_or_else(|_| panic!("it has a place"));
        let sum = place.read(f32::from_bits(decode_destination(200))) + 100;
        assert_eq!(encode_destination(place.write(sum).to_bits()), 300);
    }
}
