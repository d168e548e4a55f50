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

/// An operation of the SFPU that the packer's thread can ask for.
#[derive(Debug)]
pub struct PackerRow {
    /// The operation: arithmetic, template arguments and numbers are those of its row.
    pub op: SfpuOp,
    /// The init call.
    pub init: &'static Function,
    /// The call.
    pub call: &'static Function,
}

/// All of them.
pub static PACKER_ROWS: [PackerRow; 9] = {
    use function::*;
    const fn row(op: SfpuOp, init: &'static Function, call: &'static Function) -> PackerRow {
        PackerRow { op, init, call }
    }
    [
        row(SfpuOp::Sigmoid, &SIGMOID_TILE_INIT_PACK, &SIGMOID_TILE_PACK),
        row(SfpuOp::Silu, &SILU_TILE_INIT_PACK, &SILU_TILE_PACK),
        row(SfpuOp::Tanh, &TANH_TILE_INIT_PACK, &TANH_TILE_PACK),
        row(SfpuOp::Hardsigmoid, &HARDSIGMOID_TILE_INIT_PACK, &HARDSIGMOID_TILE_PACK),
        row(SfpuOp::Gelu, &GELU_TILE_INIT_PACK, &GELU_TILE_PACK),
        row(SfpuOp::GeluTanh, &GELU_TANH_TILE_INIT_PACK, &GELU_TANH_TILE_PACK),
        row(SfpuOp::ReluMax, &RELU_MAX_TILE_INIT_PACK, &RELU_MAX_TILE_PACK),
        row(SfpuOp::Selu, &SELU_TILE_INIT_PACK, &SELU_TILE_PACK),
        row(SfpuOp::Softplus, &SOFTPLUS_TILE_INIT_PACK, &SOFTPLUS_TILE_PACK),
    ]
};

impl PackerRow {
    /// That of an operation.
    pub fn of(op: SfpuOp) -> Option<&'static PackerRow> {
        PACKER_ROWS.iter().find(|row| row.op == op)
    }

    /// That whose init is `function`.
    pub fn of_init(function: &Function) -> Option<&'static PackerRow> {
        PackerRow::of_function(function, |row| row.init)
    }

    /// That whose call is `function`.
    pub fn of_call(function: &Function) -> Option<&'static PackerRow> {
        PackerRow::of_function(function, |row| row.call)
    }

    fn of_function(wanted: &Function, function: fn(&PackerRow) -> &Function) -> Option<&'static PackerRow> {
        // A turn of a loop over an iterator is several calls where nothing is optimised, a pattern is none.
        let mut rows = PACKER_ROWS.as_slice();
        while let [row, others @ ..] = rows {
            if *function(row) == *wanted {
                return Some(row);
            }
            rows = others;
        }
        None
    }
}
