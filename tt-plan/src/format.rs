//! Data formats of circular buffers and tensors.

use serde::{Deserialize, Serialize};
use tt_lang::ir::ElementType;

/// A device data format, by its Metalium name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum DataFormat {
    Float32,
    Float16,
    #[serde(rename = "Float16_b")]
    Float16B,
    #[serde(rename = "Bfp8_b")]
    Bfp8B,
    #[serde(rename = "Bfp4_b")]
    Bfp4B,
    Int32,
    UInt32,
    UInt16,
    UInt8,
}

impl DataFormat {
    /// The format that holds elements of `element`.
    pub fn of(element: ElementType) -> DataFormat {
        match element {
            ElementType::Bf16 => DataFormat::Float16B,
            ElementType::F32 => DataFormat::Float32,
            ElementType::F16 => DataFormat::Float16,
            ElementType::Bfp8 => DataFormat::Bfp8B,
            ElementType::Bfp4 => DataFormat::Bfp4B,
            ElementType::I32 => DataFormat::Int32,
            ElementType::U32 => DataFormat::UInt32,
            ElementType::U16 => DataFormat::UInt16,
            ElementType::U8 => DataFormat::UInt8,
        }
    }

    /// Its name in `tt::DataFormat`.
    pub fn name(self) -> &'static str {
        match self {
            DataFormat::Float32 => "Float32",
            DataFormat::Float16 => "Float16",
            DataFormat::Float16B => "Float16_b",
            DataFormat::Bfp8B => "Bfp8_b",
            DataFormat::Bfp4B => "Bfp4_b",
            DataFormat::Int32 => "Int32",
            DataFormat::UInt32 => "UInt32",
            DataFormat::UInt16 => "UInt16",
            DataFormat::UInt8 => "UInt8",
        }
    }

    /// Its number in `tt::DataFormat` (metalium.md §4).
    pub fn id(self) -> u8 {
        match self {
            DataFormat::Float32 => 0,
            DataFormat::Float16 => 1,
            DataFormat::Float16B => 5,
            DataFormat::Bfp8B => 6,
            DataFormat::Bfp4B => 7,
            DataFormat::Int32 => 8,
            DataFormat::UInt16 => 9,
            DataFormat::UInt32 => 24,
            DataFormat::UInt8 => 30,
        }
    }

    /// Bytes of one 32×32 tile (metalium.md §4).
    pub fn tile_bytes(self) -> u32 {
        match self {
            DataFormat::Float32 | DataFormat::Int32 | DataFormat::UInt32 => 4096,
            DataFormat::Float16 | DataFormat::Float16B | DataFormat::UInt16 => 2048,
            DataFormat::UInt8 => 1024,
            DataFormat::Bfp8B => 1088,
            DataFormat::Bfp4B => 576,
        }
    }
}
