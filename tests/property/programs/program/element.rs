//! Types of elements, and what they hold.

use std::fmt;

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Bf16,
    F32,
    F16,
    Bfp8,
    Bfp4,
    I32,
    U32,
    U16,
    U8,
    I8,
}

/// What is computed with elements of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Number,
    Integer,
    Unsigned,
    /// Nothing: they are copied, chosen and cast.
    Small,
}

impl Element {
    pub fn kind(self) -> Kind {
        match self {
            Element::Bf16 | Element::F32 | Element::F16 | Element::Bfp8 | Element::Bfp4 => Kind::Number,
            Element::I32 => Kind::Integer,
            Element::U32 => Kind::Unsigned,
            Element::U16 | Element::U8 | Element::I8 => Kind::Small,
        }
    }

    /// Whether it is a number with an exponent of its own.
    pub fn is_float(self) -> bool {
        matches!(self, Element::Bf16 | Element::F32 | Element::F16)
    }

    /// Whether it is at least 0.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Element::U32 | Element::U16 | Element::U8)
    }

    /// Whether it is moved with its tile only.
    pub fn is_moved_by_tiles(self) -> bool {
        self.shares_exponents()
    }

    /// Whether elements beside each other have an exponent in common.
    pub fn shares_exponents(self) -> bool {
        matches!(self, Element::Bfp8 | Element::Bfp4)
    }

    /// Whether copies convert the one to the other.
    pub fn copies_to(self, other: Element) -> bool {
        self == other || (self.kind(), other.kind()) == (Kind::Number, Kind::Number)
    }

    /// Whether it holds this whole number exactly, whatever is beside it.
    pub fn holds(self, value: f64) -> bool {
        value.abs()
            <= match self {
                Element::Bf16 | Element::F32 | Element::F16 => 256.0,
                Element::Bfp8 => 127.0,
                Element::Bfp4 => 7.0,
                Element::I32 | Element::U32 | Element::U16 | Element::U8 | Element::I8 => f64::INFINITY,
            }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Element::Bf16 => "bf16",
            Element::F32 => "f32",
            Element::F16 => "f16",
            Element::Bfp8 => "bfp8",
            Element::Bfp4 => "bfp4",
            Element::I32 => "i32",
            Element::U32 => "u32",
            Element::U16 => "u16",
            Element::U8 => "u8",
            Element::I8 => "i8",
        })
    }
}
