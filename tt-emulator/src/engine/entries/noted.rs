//! What compute kernels do, as the clock is told of it.

use super::super::risc::Risc;
use crate::abi::register_step;
use crate::clock::{Event, MatrixWork, RegisterStep};
use crate::compute::engine_state::Operand;
use crate::compute::fpu::eltwise::Binary;
use crate::compute::fpu::reduce::Pool;
use crate::compute::pack::ReduceDim;
use crate::compute::sfpu_calls::{self, SfpuCall};

/// Bytes of so many tiles of an operand.
fn bytes(operand: Operand, tiles: u32) -> u32 {
    operand.format.tile_bytes(32, 32) as u32 * tiles
}

impl Risc {
    /// A block of products. The operand with fewer tiles is unpacked once, the other for every tile (`llk_unpack_AB_matmul.h`,
    /// `reuse_a`); the first operand goes to SrcB.
    #[inline]
    pub(super) fn note_product(&mut self, [a, b]: [Operand; 2], ct: u32, rt: u32) {
        let tiles = ct * rt;
        let times = if ct >= rt { [tiles, rt] } else { [ct, tiles] };
        self.note(Event::Matrix {
            work: MatrixWork::Matmul {
                tiles: tiles as u16,
                phases: self.compute.phases as u8,
            },
            bytes: [bytes(b, times[0]), bytes(a, times[1])],
        });
    }

    /// An element-wise operation on tiles of one operand, or of two.
    #[inline]
    pub(super) fn note_element_wise(&mut self, op: Binary, operands: &[Operand], count: u32) {
        let tiles = count as u16;
        let work = match op {
            Binary::Mul => MatrixWork::Multiply {
                tiles,
                phases: self.compute.phases as u8,
            },
            Binary::Add | Binary::Sub => MatrixWork::Add { tiles },
        };
        let of = |at: usize| operands.get(at).map_or(0, |operand| bytes(*operand, count));
        self.note(Event::Matrix {
            work,
            bytes: [of(0), of(1)],
        });
    }

    /// Tiles moved to destination registers.
    #[inline]
    pub(super) fn note_copied(&mut self, operand: Operand, count: u32) {
        let work = MatrixWork::Copy { tiles: count as u16 };
        self.note(Event::Matrix {
            work,
            bytes: [bytes(operand, count), 0],
        });
    }

    /// Tiles that lie in rows, moved to destination registers.
    #[inline]
    pub(super) fn note_tilized(&mut self, operand: Operand, count: u32) {
        self.note(Event::Matrix {
            work: MatrixWork::Tilize { tiles: count as u16 },
            bytes: [bytes(operand, count), 0],
        });
    }

    /// Tiles reduced, each with a tile of scalers.
    #[inline]
    pub(super) fn note_reduced(&mut self, pool: Pool, dim: ReduceDim, operands: [Operand; 2], count: u32) {
        let phases = match pool {
            Pool::Max => 1,
            Pool::Sum | Pool::Avg => self.compute.phases as u8,
        };
        let tiles = count as u16;
        self.note(Event::Matrix {
            work: MatrixWork::Reduce { dim, tiles, phases },
            bytes: operands.map(|operand| bytes(operand, count)),
        });
    }

    /// Tiles packed.
    #[inline]
    pub(super) fn note_packed_tiles(&mut self, operand: Operand, count: u32, accumulates: bool) {
        self.note(Event::Pack {
            bytes: bytes(operand, count),
            tiles: count as u16,
            accumulates,
        });
    }

    /// Tiles packed in rows.
    #[inline]
    pub(super) fn note_packed_rows(&mut self, operand: Operand, count: u32) {
        self.note(Event::PackRows {
            bytes: bytes(operand, count),
            tiles: count as u16,
        });
    }

    /// A step of [`register_step`].
    #[inline]
    pub(super) fn note_registers(&mut self, step: u32) {
        self.note(Event::Registers(match step {
            register_step::COMMIT => RegisterStep::Commit,
            register_step::WAIT | register_step::HOLD => RegisterStep::Wait,
            register_step::RELEASE | register_step::RELEASE_SHARED => RegisterStep::Release,
            // What the packer's thread says in one instruction.
            register_step::AIM | register_step::VECTOR_DONE => return,
            _ => RegisterStep::Acquire,
        }));
    }

    /// An operation of the vector unit.
    #[inline]
    pub(super) fn note_vector(&mut self, call: &SfpuCall) {
        if self.trace.is_some() {
            let (name, vectors) = sfpu_calls::scope(call);
            self.note(Event::Vector {
                name,
                vectors,
                for_packer: sfpu_calls::is_for_packer(call),
            });
        }
    }

    /// An init, or another format, of these engines.
    #[inline]
    pub(super) fn note_configured(&mut self, unpack: bool, math: bool, pack: bool) {
        self.note(Event::Configure { unpack, math, pack });
    }
}
