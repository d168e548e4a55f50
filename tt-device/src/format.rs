//! The formats of elements: what users write, and what tiles are made of.

use crate::tile::TILE_ELEMENTS;
use serde::{Deserialize, Serialize};

/// Elements of a block format that share an exponent, which takes a byte.
const SHARE_EXPONENT: u32 = 16;

macro_rules! formats {
    ($($element:ident $written:literal => $format:ident $name:literal $id:literal, $bits:literal bits $($shared:ident)?;)*) => {
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
            /// The format that holds elements of `element`.
            pub fn of(element: ElementType) -> DataFormat {
                match element { $(ElementType::$element => DataFormat::$format),* }
            }

            /// Its name in `tt::DataFormat`.
            pub fn name(self) -> &'static str {
                match self { $(DataFormat::$format => $name),* }
            }

            /// Its number in `tt::DataFormat` (metalium.md §4).
            pub fn id(self) -> u8 {
                match self { $(DataFormat::$format => $id),* }
            }

            /// Bytes of one 32×32 tile (metalium.md §4).
            pub const fn tile_bytes(self) -> u32 {
                match self { $(DataFormat::$format => formats!(@bytes $bits $($shared)?)),* }
            }
        }
    };
    (@bytes $bits:literal) => { TILE_ELEMENTS * $bits / 8 };
    (@bytes $bits:literal shared) => { TILE_ELEMENTS * $bits / 8 + TILE_ELEMENTS / SHARE_EXPONENT };
}

// The element type and how users write it; its format, by name and number; the bits of an element, without the exponent
// where elements share it.
formats! {
    Bf16 "bf16" => Float16B "Float16_b" 5, 16 bits;
    F32  "f32"  => Float32  "Float32"   0, 32 bits;
    F16  "f16"  => Float16  "Float16"   1, 16 bits;
    Bfp8 "bfp8" => Bfp8B    "Bfp8_b"    6, 8 bits shared;
    Bfp4 "bfp4" => Bfp4B    "Bfp4_b"    7, 4 bits shared;
    I32  "i32"  => Int32    "Int32"     8, 32 bits;
    U32  "u32"  => UInt32   "UInt32"   24, 32 bits;
    U16  "u16"  => UInt16   "UInt16"    9, 16 bits;
    U8   "u8"   => UInt8    "UInt8"    30, 8 bits;
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
}
