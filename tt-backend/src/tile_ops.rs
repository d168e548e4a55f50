//! The operations of a section: tiles of buffers, the FPU, and the calls of the SFPU, which the catalogue has
//! (`tt-device/src/catalogue.rs`).

use crate::device::function::{self, Function};
use crate::flow::Broadcast;

pub use tt_device::{SFPU_OPS, SfpuForm, SfpuOp, SfpuRow};

/// An operation of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TileOp {
    /// A tile of a buffer, element by element or transposed; broadcast where the buffer is unpacked to the destination.
    Load,
    /// Two tiles of buffers through the FPU, the second as its broadcast says.
    Fpu(FpuOp),
    /// What is in the register times a tile of a buffer, through the FPU; overwrites.
    MulReuse,
    /// The tile in a register, transposed where it is: of 32 bits, none of which is lost.
    TransposeDest,
    /// A number in every element.
    Fill,
    /// An SFPU operation.
    Sfpu(SfpuOp),
}

/// A binary operation of the FPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum FpuOp {
    Add,
    Sub,
    Mul,
}

/// The template argument of the calls that spread a row, a column or an element by itself; `None` where there is none.
pub fn spread(broadcast: Broadcast) -> Option<&'static str> {
    match broadcast {
        Broadcast::Row => Some("BroadcastType::ROW"),
        Broadcast::Column => Some("BroadcastType::COL"),
        Broadcast::Scalar => Some("BroadcastType::SCALAR"),
        Broadcast::None | Broadcast::Transpose => None,
    }
}

impl FpuOp {
    /// Its init and its call, for the way the second operand is broadcast. `None` for a transposed operand.
    pub fn functions(self, broadcast: Broadcast) -> Option<(&'static Function, &'static Function)> {
        use function::*;
        Some(match (self, broadcast) {
            (FpuOp::Add, Broadcast::None) => (&ADD_INIT, &ADD_TILES),
            (FpuOp::Sub, Broadcast::None) => (&SUB_INIT, &SUB_TILES),
            (FpuOp::Mul, Broadcast::None) => (&MUL_INIT, &MUL_TILES),
            (FpuOp::Add, Broadcast::Row) => (&ADD_BCAST_ROWS_INIT, &ADD_TILES_BCAST_ROWS),
            (FpuOp::Sub, Broadcast::Row) => (&SUB_BCAST_ROWS_INIT, &SUB_TILES_BCAST_ROWS),
            (FpuOp::Mul, Broadcast::Row) => (&MUL_BCAST_ROWS_INIT, &MUL_TILES_BCAST_ROWS),
            (FpuOp::Add, Broadcast::Column) => (&ADD_BCAST_COLS_INIT, &ADD_TILES_BCAST_COLS),
            (FpuOp::Sub, Broadcast::Column) => (&SUB_BCAST_COLS_INIT, &SUB_TILES_BCAST_COLS),
            (FpuOp::Mul, Broadcast::Column) => (&MUL_BCAST_COLS_INIT, &MUL_TILES_BCAST_COLS),
            (FpuOp::Add, Broadcast::Scalar) => (&ADD_BCAST_SCALAR_INIT, &ADD_TILES_BCAST_SCALAR),
            (FpuOp::Sub, Broadcast::Scalar) => (&SUB_BCAST_SCALAR_INIT, &SUB_TILES_BCAST_SCALAR),
            (FpuOp::Mul, Broadcast::Scalar) => (&MUL_BCAST_SCALAR_INIT, &MUL_TILES_BCAST_SCALAR),
            (_, Broadcast::Transpose) => return None,
        })
    }
}
