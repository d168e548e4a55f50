//! Running an operation over the faces of registers, and storing what it gives.

use super::table::{Lanes, Operation};
use super::{Face, Scalars};
use crate::arch::{Arch, ArchName};
use crate::compute::destination::{Broken, Destination};
use crate::compute::pack::ReduceDim;
use crate::compute::rounding::{EXPONENT, SIGN, Store, flush_keeping_sign, sfpu_store_16};
use crate::compute::rules;
use crate::compute::tile::{FACE, Tile};
use crate::compute::unpack::{Broadcast, spread};
use crate::compute::vector::vectorised;

/// Faces that an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorMode {
    /// All four.
    All,
    /// The top two.
    Rows,
    /// The left two.
    Columns,
}

impl VectorMode {
    /// The mode with Metalium's id.
    pub fn from_id(id: u32) -> Option<VectorMode> {
        match id {
            1 => Some(VectorMode::Rows),
            2 => Some(VectorMode::Columns),
            4 => Some(VectorMode::All),
            _ => None,
        }
    }

    fn faces(self) -> &'static [usize] {
        match self {
            VectorMode::All => &[0, 1, 2, 3],
            VectorMode::Rows => &[0, 1],
            VectorMode::Columns => &[0, 2],
        }
    }
}

/// How `sfpu_reduce` folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fold {
    /// Sum.
    Sum = 0,
    /// Sum over 32.
    Avg = 1,
    /// Maximum.
    Max = 2,
    /// Minimum.
    Min = 3,
}

impl Fold {
    /// The fold with LLK's id.
    pub fn from_id(id: u32) -> Option<Fold> {
        [Fold::Sum, Fold::Avg, Fold::Max, Fold::Min]
            .into_iter()
            .find(|fold| *fold as u32 == id)
    }
}

/// Registers and parameters of a call.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Input registers, as many as the operation has.
    pub inputs: [u32; 3],
    /// The register that gets the result.
    pub out: u32,
    /// Parameters.
    pub scalars: Scalars,
    /// Faces.
    pub mode: VectorMode,
    /// What a broadcast spreads.
    pub broadcast: Broadcast,
    /// What a reduction does.
    pub fold: (Fold, ReduceDim),
}

vectorised! {
    fn store_narrow(values: &mut [f32], store: Store, signed_nan: bool) {
        for value in values {
            *value = f32::from_bits(sfpu_store_16(value.to_bits(), store, signed_nan));
        }
    }
}

vectorised! {
    fn store_wide(values: &mut [f32]) {
        for value in values {
            let bits = flush_keeping_sign(value.to_bits());
            *value = f32::from_bits(if bits & !SIGN > EXPONENT { 0x7fc0_0000 } else { bits });
        }
    }
}

/// Whether the vector unit of a chip gives the NaNs it makes a sign.
fn signs_nan(arch: &Arch) -> bool {
    match arch.name {
        ArchName::WormholeB0 => true,
        ArchName::Blackhole => false,
    }
}

fn store(values: &mut [f32], how: Store, wide: bool, arch: &Arch) {
    if wide {
        store_wide(values)
    } else {
        store_narrow(values, how, signs_nan(arch))
    }
}

fn face(tiles: &[Tile], register: u32, at: usize) -> Face {
    let mut out = [0.0; FACE];
    out.copy_from_slice(&tiles[register as usize].0[at * FACE..][..FACE]);
    out
}

fn face_mut(tile: &mut Tile, at: usize) -> &mut Face {
    let (faces, _) = tile.0.as_chunks_mut::<FACE>();
    &mut faces[at]
}

/// Runs an operation. Registers exist and are acquired; that inputs were written is checked here.
pub fn run(operation: &Operation, call: &Call, registers: &mut Destination, arch: &Arch) -> Result<(), Broken> {
    let wide = registers.is_wide();
    let inputs = match operation.lanes {
        Lanes::Fill(_) => &call.inputs[..0],
        Lanes::Unary(_) | Lanes::Reduce | Lanes::Copy => &call.inputs[..1],
        Lanes::Binary(_) | Lanes::Broadcast(_) => &call.inputs[..2],
        Lanes::Ternary(_) => &call.inputs[..3],
    };
    for input in inputs {
        registers.require_written(*input)?;
    }
    if call.mode != VectorMode::All && !matches!(operation.lanes, Lanes::Unary(_) | Lanes::Binary(_)) {
        return Err((&rules::ENUMERATOR, format!("{} works on whole tiles", operation.name)));
    }
    let s = &call.scalars;
    let tiles = registers.sfpu(inputs, call.out);
    let out = call.out as usize;
    match operation.lanes {
        Lanes::Unary(lanes) | Lanes::Fill(lanes) => {
            for &at in call.mode.faces() {
                let values = face_mut(&mut tiles[out], at);
                lanes(values, s);
                store(values, operation.store, wide, arch);
            }
        }
        Lanes::Binary(lanes) => {
            for &at in call.mode.faces() {
                let (a, b) = (face(tiles, call.inputs[0], at), face(tiles, call.inputs[1], at));
                let values = face_mut(&mut tiles[out], at);
                lanes(&a, &b, values, s);
                store(values, operation.store, wide, arch);
            }
        }
        Lanes::Ternary(lanes) => {
            for at in 0..4 {
                let (a, b) = (face(tiles, call.inputs[0], at), face(tiles, call.inputs[1], at));
                let c = face(tiles, call.inputs[2], at);
                let values = face_mut(&mut tiles[out], at);
                lanes(&a, &b, &c, values, s);
                store(values, operation.store, wide, arch);
            }
        }
        Lanes::Broadcast(lanes) => {
            let mut vector = Tile::zero();
            spread(&tiles[call.inputs[1] as usize], call.broadcast, 0, &mut vector);
            for at in 0..4 {
                let data = face(tiles, call.inputs[0], at);
                let values = face_mut(&mut tiles[out], at);
                lanes(&data, &face(std::slice::from_ref(&vector), 0, at), values, s);
                store(values, operation.store, wide, arch);
            }
        }
        Lanes::Reduce => {
            let (fold, dim) = call.fold;
            reduce(&mut tiles[out], fold, dim);
            store(&mut tiles[out].0, operation.store, wide, arch);
        }
        Lanes::Copy => {
            let from = tiles[call.inputs[0] as usize].clone();
            tiles[out] = from;
        }
    }
    Ok(())
}

fn reduce(tile: &mut Tile, fold: Fold, dim: ReduceDim) {
    use crate::compute::sfpu::unary::{larger, smaller};
    use crate::compute::tile::position;
    for line in 0..32 {
        let at = |step: usize| {
            if dim == ReduceDim::Row {
                position(line, step)
            } else {
                position(step, line)
            }
        };
        let mut value = tile.0[at(0)];
        for step in 1..32 {
            let next = tile.0[at(step)];
            value = match fold {
                Fold::Sum | Fold::Avg => value + next,
                Fold::Max => larger(value, next),
                Fold::Min => smaller(value, next),
            };
        }
        tile.0[at(0)] = if fold == Fold::Avg { value / 32.0 } else { value };
    }
}
