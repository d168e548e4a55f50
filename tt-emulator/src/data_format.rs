//! The number formats of tiles, with the ids that Metalium gives them.

pub use crate::enumerations::DataFormat;

impl DataFormat {
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
            let own = DataFormat::from_id(format.id().into()).expect(name);
            assert_eq!(own.tile_bytes(32, 32), format.tile_bytes() as usize, "{name}");
            assert_eq!(format!("{own:?}"), format.name());
        }
    }
}
