//! The formats of elements: what users write, and what tiles are made of.

use crate::tile::{FACE_SIDE, TILE_ELEMENTS};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Elements of a block format that share an exponent, which takes a byte.
const SHARE_EXPONENT: u32 = 16;

macro_rules! formats {
    (
        $($element:ident $written:literal => $held:ident;)*
        --
        $($format:ident $name:literal $id:literal, $bits:literal bits $($shared:ident)?;)*
    ) => {
        /// The element type of a tensor or block.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ElementType { $(#[doc = $written] $element),* }

        impl ElementType {
            /// Every element type with the name users write.
            pub const ALL: &[(ElementType, &str)] = &[$((ElementType::$element, $written)),*];

            /// The name users write.
            pub fn name(self) -> &'static str {
                match self { $(ElementType::$element => $written),* }
            }
        }

        /// A device data format, by its Metalium name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum DataFormat { $(#[doc = $name] #[serde(rename = $name)] $format),* }

        impl DataFormat {
            /// Every format.
            pub const ALL: &[DataFormat] = &[$(DataFormat::$format),*];

            /// The format that holds elements of `element`.
            pub fn of(element: ElementType) -> DataFormat {
                match element { $(ElementType::$element => DataFormat::$held),* }
            }

            /// Its name in `tt::DataFormat`.
            pub fn name(self) -> &'static str {
                match self { $(DataFormat::$format => $name),* }
            }

            /// Its number in `tt::DataFormat` (metalium.md §4).
            pub fn id(self) -> u8 {
                match self { $(DataFormat::$format => $id),* }
            }

            /// Bits of an element, without an exponent that it shares.
            pub const fn element_bits(self) -> u32 {
                match self { $(DataFormat::$format => $bits),* }
            }

            /// Bytes of the exponents that elements of a tile share, which lie before all elements; 0 where each has its own.
            pub const fn exponent_bytes(self) -> u32 {
                match self { $(DataFormat::$format => formats!(@exponents $($shared)?)),* }
            }
        }
    };
    (@exponents) => { 0 };
    (@exponents shared) => { TILE_ELEMENTS / SHARE_EXPONENT };
}

impl ElementType {
    /// The integers that its elements are, where they are integers.
    pub fn integers(self) -> Option<RangeInclusive<i64>> {
        match self {
            ElementType::I32 => Some(i32::MIN.into()..=i32::MAX.into()),
            ElementType::U32 => Some(0..=u32::MAX.into()),
            ElementType::U16 => Some(0..=u16::MAX.into()),
            ElementType::U8 => Some(0..=u8::MAX.into()),
            ElementType::I8 => Some(i8::MIN.into()..=i8::MAX.into()),
            ElementType::Bf16 | ElementType::F32 | ElementType::F16 | ElementType::Bfp8 | ElementType::Bfp4 => None,
        }
    }

    /// Whether elements are integers.
    pub fn is_integer(self) -> bool {
        self.integers().is_some()
    }

    /// The number of `bf16` or `f16` that is nearest to `x`, ties to even; of other types `x` itself.
    pub fn nearest(self, x: f32) -> f32 {
        // Bits of the fraction, the exponent of the least normal number, the largest number.
        let (fraction, least, largest) = match self {
            ElementType::Bf16 => (7, -126, f32::from_bits(0x7F7F_0000)),
            ElementType::F16 => (10, -14, 65504.0),
            ElementType::F32
            | ElementType::Bfp8
            | ElementType::Bfp4
            | ElementType::I32
            | ElementType::U32
            | ElementType::U16
            | ElementType::U8
            | ElementType::I8 => return x,
        };
        if !x.is_finite() {
            return x;
        }
        let exponent = ((x.to_bits() >> 23 & 0xFF) as i32 - 127).max(least);
        let step = f64::from(exponent - fraction).exp2();
        let nearest = ((f64::from(x) / step).round_ties_even() * step) as f32;
        match nearest.abs() > largest {
            true => f32::INFINITY.copysign(x),
            false => nearest,
        }
    }
}

// The element types, how users write them, and the format that holds them on the device; then the formats: name and number, and
// the bits of an element, without the exponent where elements share it.
//
// `f16` is held as `f32`, and `u32` and `u16` as `i32`: the runtime takes no Float16 beside formats of eight exponent bits ("All
// input data-formats must have the same exponent format", `jit_build/data_format.cpp`) and packs it from 32-bit registers by way of
// Float16_b, and a UInt16 lies in either half of a 32-bit register, by what wrote it (docs/formats.md).
formats! {
    Bf16 "bf16" => Float16B;
    F32  "f32"  => Float32;
    F16  "f16"  => Float32;
    Bfp8 "bfp8" => Bfp8B;
    Bfp4 "bfp4" => Bfp4B;
    I32  "i32"  => Int32;
    U32  "u32"  => Int32;
    U16  "u16"  => Int32;
    U8   "u8"   => UInt8;
    I8   "i8"   => Int8;
    --
    Float16B "Float16_b" 5, 16 bits;
    Float32  "Float32"   0, 32 bits;
    Bfp8B    "Bfp8_b"    6, 8 bits shared;
    Bfp4B    "Bfp4_b"    7, 4 bits shared;
    Int32    "Int32"     8, 32 bits;
    UInt8    "UInt8"    30, 8 bits;
    Int8     "Int8"     14, 8 bits;
}

impl DataFormat {
    /// Bytes of one 32×32 tile (metalium.md §4).
    pub const fn tile_bytes(self) -> u32 {
        self.exponent_bytes() + TILE_ELEMENTS * self.element_bits() / 8
    }

    /// Bytes of an element; none where it is nothing by itself, since its exponent lies elsewhere.
    pub const fn element_bytes(self) -> Option<u32> {
        match self.shares_exponents() {
            true => None,
            false => Some(self.element_bits() / 8),
        }
    }

    /// Bytes of a row of a face, whose elements lie side by side; none where they are nothing by themselves.
    pub const fn row_bytes(self) -> Option<u32> {
        match self.element_bytes() {
            Some(bytes) => Some(FACE_SIDE * bytes),
            None => None,
        }
    }

    /// Whether half a row of a tile has one exponent: what lies beside an element decides how it is rounded.
    pub const fn shares_exponents(self) -> bool {
        self.exponent_bytes() != 0
    }

    /// What a circular buffer of it is declared as: the device's own integers of 8 bits with a sign are a sign and a magnitude, so
    /// that those of two's complement are moved as bytes, and get their sign in registers (`eltwise_unary/typecast.h`).
    pub fn moved_as(self) -> DataFormat {
        if self == DataFormat::Int8 {
            DataFormat::UInt8
        } else {
            self
        }
    }

    /// Whether an element is a byte.
    pub fn is_byte(self) -> bool {
        matches!(self, DataFormat::UInt8 | DataFormat::Int8)
    }

    /// Bits of a number, the leading 1 included, that the FPU takes of it; none of integers, which it does not multiply.
    pub fn significant_bits(self) -> Option<u32> {
        match self {
            DataFormat::Float16B => Some(8),
            // As TF32.
            DataFormat::Float32 => Some(11),
            DataFormat::Bfp8B => Some(7),
            DataFormat::Bfp4B => Some(3),
            DataFormat::Int32 | DataFormat::UInt8 | DataFormat::Int8 => None,
        }
    }

    /// Whether bf16 holds every number of it: the FPU takes it as it is.
    pub fn fits_bf16(self) -> bool {
        self == DataFormat::Float16B || self.shares_exponents()
    }

    /// Whether its elements are integers.
    pub fn is_integer(self) -> bool {
        match self {
            DataFormat::Int32 | DataFormat::UInt8 | DataFormat::Int8 => true,
            DataFormat::Float16B | DataFormat::Float32 | DataFormat::Bfp8B | DataFormat::Bfp4B => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_those_of_metalium() {
        let pages = |formats: &[DataFormat]| formats.iter().map(|format| format.tile_bytes()).collect::<Vec<_>>();
        use DataFormat::*;
        assert_eq!(
            pages(&[Float32, Float16B, Bfp8B, Bfp4B, UInt8]),
            [4096, 2048, 1088, 576, 1024]
        );
    }

    #[test]
    fn elements_that_share_exponents_are_no_bytes_by_themselves() {
        for format in DataFormat::ALL {
            let of_elements = format.tile_bytes() - format.exponent_bytes();
            assert_eq!(of_elements * 8, TILE_ELEMENTS * format.element_bits());
            let bytes = format.element_bytes();
            assert_eq!(bytes.is_none(), format.exponent_bytes() == 64, "{format:?}");
            assert!(bytes.is_none_or(|bytes| bytes * TILE_ELEMENTS == of_elements));
            assert_eq!(format.row_bytes(), bytes.map(|bytes| 16 * bytes));
        }
    }
}
