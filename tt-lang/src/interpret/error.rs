//! What can go wrong in a reference run.

use crate::ir::{Kernel, SourceLocation, Span};
use std::fmt;

/// Why a kernel has no reference result on some inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct InterpretError {
    /// The kernel's name.
    pub kernel: String,
    /// The file it stands in, and where in it; absent where an input is wrong.
    pub place: Option<(String, SourceLocation)>,
    /// What is wrong.
    pub kind: Box<InterpretErrorKind>,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum InterpretErrorKind {
    /// A parameter or extent has no value.
    MissingInput(String),
    /// A tensor's shape is not the one the signature asks for.
    Shape {
        /// The tensor.
        tensor: String,
        /// Its extents as the signature and the other inputs say.
        expected: Vec<i64>,
        /// Its extents.
        found: Vec<usize>,
    },
    /// A tensor has more or fewer values than its shape.
    Length {
        /// The tensor.
        tensor: String,
        /// The product of its extents.
        expected: usize,
        /// How many values there are.
        found: usize,
    },
    /// An extent of the grid is negative, or their product overflows.
    Grid(i64),
    /// An extent of a temporary is not positive, or their product overflows.
    Temporary(String, i64),
    /// An integer expression overflows or divides by zero.
    Arithmetic(String),
    /// An index leaves a block.
    OutsideBlock {
        /// The block.
        block: String,
        /// Its extents.
        shape: Vec<usize>,
        /// The index.
        index: Vec<i64>,
    },
    /// A block is read before it was written.
    ReadBeforeWrite(String),
    /// An integer of a tensor is read that nobody stored, or that is unspecified otherwise.
    UnspecifiedInteger(String),
    /// What is asserted does not hold.
    Assertion {
        /// The condition, as it is written.
        text: String,
        /// Where in the grid the block is.
        block: Vec<i64>,
    },
    /// Extents that must agree do not.
    Extents {
        /// What is done.
        what: &'static str,
        /// Both extents.
        found: [Vec<usize>; 2],
    },
    /// One element is assigned by several iterations of a parallel loop.
    AssignedTwice(String),
    /// The operation has no meaning for these operands.
    Unsupported(&'static str),
}

impl InterpretError {
    pub(super) fn input(kernel: &Kernel, kind: InterpretErrorKind) -> Self {
        InterpretError {
            kernel: kernel.name.clone(),
            place: None,
            kind: Box::new(kind),
        }
    }

    pub(super) fn at(kernel: &Kernel, span: Span, kind: InterpretErrorKind) -> Self {
        InterpretError {
            kernel: kernel.name.clone(),
            place: Some((kernel.file.clone(), kernel.location(span))),
            kind: Box::new(kind),
        }
    }
}

impl fmt::Display for InterpretErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterpretErrorKind::MissingInput(name) => write!(f, "`{name}` has no value"),
            InterpretErrorKind::Shape {
                tensor,
                expected,
                found,
            } => {
                write!(f, "`{tensor}` has extents {found:?}, its type asks for {expected:?}")
            }
            InterpretErrorKind::Length {
                tensor,
                expected,
                found,
            } => {
                write!(f, "`{tensor}` has {found} values, its extents make {expected}")
            }
            InterpretErrorKind::Temporary(name, extent) => write!(f, "an extent of the temporary `{name}` is {extent}"),
            InterpretErrorKind::Grid(extent) => write!(f, "a grid extent is {extent}"),
            InterpretErrorKind::Arithmetic(expr) => write!(f, "`{expr}` overflows or divides by zero"),
            InterpretErrorKind::OutsideBlock { block, shape, index } => {
                write!(
                    f,
                    "index {index:?} is outside of `{block}`, whose extents are {shape:?}"
                )
            }
            InterpretErrorKind::ReadBeforeWrite(block) => write!(f, "`{block}` is read before it was written"),
            InterpretErrorKind::UnspecifiedInteger(tensor) => {
                write!(
                    f,
                    "an integer of `{tensor}` is read that nobody stored, or that is unspecified"
                )
            }
            InterpretErrorKind::Assertion { text, block } => {
                let block: Vec<String> = block.iter().map(i64::to_string).collect();
                write!(f, "block ({}): assertion failed: {text}", block.join(", "))
            }
            InterpretErrorKind::Extents { what, found: [a, b] } => {
                write!(f, "{what} of extents {a:?} and {b:?}, which do not fit together")
            }
            InterpretErrorKind::AssignedTwice(name) => {
                write!(
                    f,
                    "one element of `{name}` is assigned by several iterations of a parallel loop"
                )
            }
            InterpretErrorKind::Unsupported(what) => f.write_str(what),
        }
    }
}

impl fmt::Display for InterpretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}`", self.kernel)?;
        if let Some((file, location)) = &self.place {
            write!(f, " ({file}:{}:{})", location.line, location.column + 1)?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl std::error::Error for InterpretError {}
