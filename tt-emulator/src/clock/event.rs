//! What a RISC did, as far as it takes time.

use crate::compute::pack::ReduceDim;
use crate::engine::memory::machine::{Node, Rectangle};

/// A step of the destination registers' handover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegisterStep {
    Acquire,
    Commit,
    Wait,
    Release,
}

/// What the matrix engine does with what is unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatrixWork {
    /// Products of so many pairs of tiles, in so many phases.
    Matmul { tiles: u16, phases: u8 },
    /// Sums or differences of tiles.
    Add { tiles: u16 },
    /// Products of elements, in so many phases.
    Multiply { tiles: u16, phases: u8 },
    /// Sums within tiles, in so many phases; maxima take one.
    Reduce { dim: ReduceDim, tiles: u16, phases: u8 },
    /// Moves of tiles to destination registers.
    Copy { tiles: u16 },
    /// The same of tiles that lie in rows.
    Tilize { tiles: u16 },
}

/// A call of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    /// Room for pages is waited for.
    Reserve { cb: u8, pages: u16 },
    /// Pages are handed over.
    Push { cb: u8, pages: u16 },
    /// Filled pages are waited for.
    Wait { cb: u8, pages: u16 },
    /// Pages are given back.
    Pop { cb: u8, pages: u16 },
    /// A read is issued.
    Read {
        from: Node,
        bytes: u32,
        noc: u8,
        transaction: u8,
        is_page: bool,
    },
    /// A write is issued.
    Write {
        to: Node,
        bytes: u32,
        noc: u8,
        is_page: bool,
    },
    /// A write to all cores of a rectangle is issued.
    Multicast {
        to: Rectangle,
        bytes: u32,
        noc: u8,
        is_linked: bool,
    },
    /// A word of another core is set or added to.
    Signal { to: u16, offset: u32, noc: u8 },
    /// The same word of all cores of a rectangle.
    SignalMulticast { to: Rectangle, offset: u32, noc: u8 },
    /// Reads are waited for: all, or those of a transaction.
    ReadBarrier { noc: u8, transaction: Option<u8> },
    /// Writes are waited for: until they have arrived, or until they have left.
    WriteBarrier { noc: u8, until_left: bool },
    /// The word at an offset of the core's L1 is waited for; so many signals had come to it when it was as wanted.
    Semaphore { offset: u32, signals: u32 },
    /// The destination registers change hands.
    Registers(RegisterStep),
    /// Tiles are unpacked, so many bytes for each source register, and computed with.
    Matrix { work: MatrixWork, bytes: [u32; 2] },
    /// An operation of the vector unit, on all of a tile or a part of it: of 32 vectors so many. Math's thread asks for it, or the packer's.
    Vector {
        name: &'static str,
        vectors: u8,
        for_packer: bool,
    },
    /// Tiles are packed.
    Pack { bytes: u32, tiles: u16, accumulates: bool },
    /// Tiles are packed in rows, as a block.
    PackRows { bytes: u32, tiles: u16 },
    /// An engine is set up, or a format changed.
    Configure { unpack: bool, math: bool, pack: bool },
}
