//! What formats tiles have inside the core: the JIT decides them from the formats of the circular buffers.
//!
//! A circular buffer has its format in L1. Unpacked into a source register, 32-bit floats become narrower; the packer
//! takes from the destination registers what these hold. Source: `chlkc_descriptors.h` as the runtime of 0.81.1 wrote it
//! for 49 launches over formats and modes on both simulated chips, and `tt_metal/jit_build/{genfiles,data_format}.cpp` of
//! an earlier tree, which is where the choice is made.

use tt_plan::DataFormat;

/// The number of a circular buffer that is not there.
pub const INVALID: u8 = 255;
/// A float with a sign, 8 bits of exponent and 10 of mantissa: what a source register holds of a `Float32`.
const TF32: u8 = 4;

/// The formats of one circular buffer, as numbers of `DataFormat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterFormats {
    /// In L1.
    pub l1: u8,
    /// Where the unpacker puts it.
    pub unpacked: u8,
    /// Where the packer takes it from.
    pub packed: u8,
}

impl RegisterFormats {
    /// Those of a circular buffer that is not there.
    pub const NONE: RegisterFormats = RegisterFormats {
        l1: INVALID,
        unpacked: INVALID,
        packed: INVALID,
    };
}

/// What 32-bit floats become in the source registers.
pub fn conditional(fp32_dest: bool) -> u8 {
    match fp32_dest {
        true => TF32,
        false => DataFormat::Float16B.id(),
    }
}

/// The formats of a circular buffer of `format`, where [`conditional`] is what floats of 32 bits become.
pub fn of_buffer(format: DataFormat, conditional: u8, unpack_to_dest: bool, fp32_dest: bool) -> RegisterFormats {
    let (unpacked, packed) = match format {
        DataFormat::Float32 => (
            if unpack_to_dest { format.id() } else { conditional },
            if fp32_dest { format.id() } else { conditional },
        ),
        // Blocks of 4-bit mantissas are widened to 8 on the way in, and narrowed by the packer.
        DataFormat::Bfp8B | DataFormat::Bfp4B => (DataFormat::Bfp8B.id(), DataFormat::Bfp8B.id()),
        DataFormat::Float16B | DataFormat::Int32 | DataFormat::UInt8 | DataFormat::Int8 => (format.id(), format.id()),
    };
    RegisterFormats {
        l1: format.id(),
        unpacked,
        packed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DataFormat::{Bfp8B, Float16B, Float32, Int32};

    /// What the runtime wrote: formats, 32-bit destination, buffers unpacked into it, and (unpacked, packed) of each.
    #[test]
    fn formats_are_those_that_the_runtime_wrote() {
        type Case = (&'static [DataFormat], bool, &'static [usize], &'static [(u8, u8)]);
        let cases: [Case; 8] = [
            (&[Float16B, Float16B, Float32], false, &[], &[(5, 5), (5, 5), (5, 5)]),
            (&[Float16B, Float16B, Float32], true, &[], &[(5, 5), (5, 5), (4, 0)]),
            (&[Float16B, Bfp8B, Float16B], true, &[], &[(5, 5), (6, 6), (5, 5)]),
            (&[Int32, Float32, Float32], true, &[], &[(8, 8), (4, 0), (4, 0)]),
            (&[Float32, Float32, Float16B], true, &[0], &[(0, 0), (4, 0), (5, 5)]),
            (&[Float32, Float32, Float32], true, &[0, 1], &[(0, 0), (0, 0), (4, 0)]),
            (&[Float32, Float32, Float32], false, &[], &[(5, 5), (5, 5), (5, 5)]),
            (&[Float32, Float32, Int32], true, &[0], &[(0, 0), (4, 0), (8, 8)]),
        ];
        for (formats, fp32, into_dest, expected) in cases {
            let narrow = conditional(fp32);
            let found: Vec<(u8, u8)> = formats
                .iter()
                .enumerate()
                .map(|(index, format)| of_buffer(*format, narrow, into_dest.contains(&index), fp32))
                .map(|formats| (formats.unpacked, formats.packed))
                .collect();
            assert_eq!(found, expected, "{formats:?} {fp32}");
        }
    }
}
