//! Tile IR: the user's program, as written, with names resolved.
//!
//! A [`Kernel`] is a grid of blocks; every block runs `body` once. Where it has stages they are several such grids, one after
//! the other ([`Kernel::stages`]). Statements act on *blocks* (`alloc_shared`,
//! `alloc_fragment`) and on regions of tensors. Extents are symbolic integers ([`IntExpr`]): nothing here knows the value
//! of `M`. Every node that can be wrong has a [`Span`].
//!
//! Meaning of the parts:
//! - integer expressions are over `i64`, `/` and `%` truncate (operands are never negative in a valid kernel);
//! - element expressions are over real numbers, comparisons and logic give booleans;
//! - a tensor region reaches past the tensor's edge freely: reads there give the neutral value of the use, writes are
//!   dropped;
//! - `T.gemm` adds to its accumulator; a compound assignment is stored as an assignment whose value loads the target.

mod element;
mod integer;
mod linear;
mod print;
mod ranges;
mod real;
mod source;
mod stmt;
mod types;

pub use element::{Access, Buffer, Buffers, Element, ElementKind};
pub use integer::{BoolExpr, CompareOp, IntExpr, IntOp, NumberExpr};
pub use linear::Linear;
pub use print::Named;
pub use ranges::{Masks, Ranges};
pub use real::Real;
pub use stmt::{
    ArgOp, Assign, For, IntegerFold, Language, LoopKind, Op, Place, PrintItem, ReduceDim, ReduceOp, Region, RegionAxis,
    Stmt, StmtKind,
};
#[cfg(feature = "syntax")]
pub(crate) use types::free_name;
pub use types::{
    Block, BlockScope, DerivedParam, Extent, Fidelity, Grid, Kernel, Layout, Options, Order, Param, Residence,
    ScalarKind, ScalarParam, Sharding, SourceLocation, Spanned, Stage, TensorParam, Variable, WherePaying,
};

pub use tt_device::{BIT_OPS, ELEMENT_OPS, ElementOp, ElementOpRow, ElementType};

use serde::{Deserialize, Serialize};

/// Where something stands in the source: an index into [`Kernel::locations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span(pub u32);

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl $name {
            /// The position in the kernel's table of these.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A symbolic extent (`const M: usize`), an index into [`Kernel::extents`].
    ExtentId, "extent";
    /// A parameter of the kernel, an index into [`Kernel::params`].
    ParamId, "param";
    /// An integer variable (grid axis, loop variable, parallel index, what was fetched), an index into [`Kernel::variables`].
    VarId, "var";
    /// A block (`alloc_shared`, `alloc_fragment`), an index into [`Kernel::blocks`].
    BlockId, "block";
}
