//! The number formats of tiles, with the ids that Metalium gives them.

/// A format of tile elements. The discriminants are those of `tt::DataFormat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(
    missing_docs,
    non_camel_case_types,
    reason = "the names are Metalium's own, and the documentation"
)]
pub enum DataFormat {
    Float32 = 0,
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Tf32 = 4,
    Float16_b = 5,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Int32 = 8,
    UInt16 = 9,
    Lf8 = 10,
    Bfp2 = 11,
    Int8 = 14,
    Bfp2_b = 15,
    UInt32 = 24,
    Fp8_e4m3 = 26,
    UInt8 = 30,
}

impl DataFormat {
    /// The format with this id.
    pub fn from_id(id: u8) -> Option<DataFormat> {
        use DataFormat::*;
        [
            Float32, Float16, Bfp8, Bfp4, Tf32, Float16_b, Bfp8_b, Bfp4_b, Int32, UInt16, Lf8, Bfp2, Int8, Bfp2_b,
            UInt32, Fp8_e4m3, UInt8,
        ]
        .into_iter()
        .find(|format| *format as u8 == id)
    }

    /// Bytes of a tile of `rows` × `columns` elements: the elements, and one shared exponent per 16 of them for block
    /// formats.
    pub fn tile_bytes(self, rows: usize, columns: usize) -> usize {
        use DataFormat::*;
        let elements = rows * columns;
        match self {
            Float32 | Tf32 | Int32 | UInt32 => elements * 4,
            Float16 | Float16_b | UInt16 => elements * 2,
            Lf8 | Fp8_e4m3 | Int8 | UInt8 => elements,
            Bfp8 | Bfp8_b => elements + elements / 16,
            Bfp4 | Bfp4_b => elements / 2 + elements / 16,
            Bfp2 | Bfp2_b => elements / 4 + elements / 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The emulator counts bytes on its own, so that a wrong page of the compiler is seen; both mean the same chip.
    #[test]
    fn formats_of_the_compiler_are_those_of_the_device() {
        for format in tt_device::DataFormat::ALL {
            let name = format.name();
            let own = DataFormat::from_id(format.id()).expect(name);
            assert_eq!(own.tile_bytes(32, 32), format.tile_bytes() as usize, "{name}");
            assert_eq!(format!("{own:?}"), format.name());
        }
    }
}
