//! What the writer tells whoever looks inside a kernel: lines, blocks, and assertions that do not hold.
//!
//! All of a kernel stands in the one program that sees every block last, so that it is told in the order of the source.

use super::{BufferId, Index, Sees};
use tt_lang::ir::{BoolExpr, IntExpr, NumberExpr};
use tt_plan::{DataFormat, Number};

/// A statement that changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Inspection {
    /// A line.
    Line(Vec<Printed>),
    /// The elements of the front version of an outgoing buffer.
    Block(PrintedBlock),
    /// What must hold.
    Assertion {
        /// The condition.
        cond: BoolExpr,
        /// As it is written.
        text: String,
    },
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Printed {
    /// As it is.
    Text(String),
    /// An integer, the same for the whole block.
    Integer(IntExpr),
    /// A number known at launch.
    Number(Number),
    /// A number that differs from block to block.
    Computed(NumberExpr),
}

/// A block that is printed.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedBlock {
    /// Used.
    pub buffer: BufferId,
    /// What it holds.
    pub sees: Sees,
    /// Its name in the source.
    pub name: String,
    /// Elements along rows and columns.
    pub extent: [u64; 2],
    /// Whether it has one axis, and is a line whichever way it lies.
    pub is_vector: bool,
    /// Whether integers of 32 bits have no sign.
    pub is_unsigned: bool,
    /// Which elements have a value: those of which one of each of these is below zero (pad_tiles). The others are said to have
    /// none.
    pub has_value: Vec<Vec<Index>>,
}

/// An element that is printed, as it lies in L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintedElement {
    /// A word of this type of C++; of bf16 the upper half of an `f32`.
    Word(&'static str),
    /// A sign and a magnitude, whose exponent lies elsewhere.
    BlockFloat {
        /// Both of them.
        bits: u32,
    },
}

impl PrintedBlock {
    /// How an element of a block in this format is printed.
    pub fn element(&self, format: DataFormat) -> PrintedElement {
        match format {
            DataFormat::Float32 => PrintedElement::Word("float"),
            DataFormat::Int32 if self.is_unsigned => PrintedElement::Word("uint32_t"),
            DataFormat::Int32 => PrintedElement::Word("int32_t"),
            DataFormat::Float16B => PrintedElement::Word("uint16_t"),
            DataFormat::UInt8 => PrintedElement::Word("uint8_t"),
            DataFormat::Int8 => PrintedElement::Word("int8_t"),
            DataFormat::Bfp8B | DataFormat::Bfp4B => PrintedElement::BlockFloat {
                bits: format.element_bits(),
            },
        }
    }
}

impl Inspection {
    /// The buffer that it uses, and what that holds.
    pub fn uses(&self) -> Option<(BufferId, Sees)> {
        match self {
            Inspection::Block(block) => Some((block.buffer, block.sees)),
            Inspection::Line(_) | Inspection::Assertion { .. } => None,
        }
    }

    /// As [`Inspection::uses`], to be changed.
    pub fn uses_mut(&mut self) -> Option<(&mut BufferId, &mut Sees)> {
        match self {
            Inspection::Block(block) => Some((&mut block.buffer, &mut block.sees)),
            Inspection::Line(_) | Inspection::Assertion { .. } => None,
        }
    }

    /// Calls `visit` for every integer in it that differs from block to block.
    pub fn integers(&self, visit: &mut impl FnMut(&IntExpr)) {
        match self {
            Inspection::Line(parts) => {
                for part in parts {
                    match part {
                        Printed::Integer(value) => visit(value),
                        Printed::Computed(value) => value.integers(visit),
                        Printed::Text(_) | Printed::Number(_) => {}
                    }
                }
            }
            Inspection::Assertion { cond, .. } => cond.integers(visit),
            Inspection::Block(block) => block.has_value.iter().flatten().for_each(|index| visit(&index.rest)),
        }
    }
}
