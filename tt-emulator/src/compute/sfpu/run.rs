//! Running an operation over the faces of registers, and storing what it gives.

use super::Face;
use super::lanes::{Lanes, Stores};
use super::table::{Operation, Work};
use super::tables;
use super::unit::Unit;
use crate::compute::destination::{Broken, Destination};
use crate::compute::pack::ReduceDim;
use crate::compute::rules;
use crate::compute::tile::{FACE, Tile, position};
use crate::compute::unpack::{Broadcast, spread};

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
    /// The unit, with the parameters.
    pub unit: Unit,
    /// Faces.
    pub mode: VectorMode,
    /// What a broadcast spreads.
    pub broadcast: Broadcast,
    /// What a reduction does.
    pub fold: (Fold, ReduceDim),
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
pub fn run(operation: &Operation, call: &Call, registers: &mut Destination) -> Result<(), Broken> {
    let wide = registers.is_wide();
    let inputs = match operation.work {
        Work::Fill => &call.inputs[..0],
        Work::One(_) | Work::Reduce | Work::Copy => &call.inputs[..1],
        Work::Two(_) | Work::Broadcast(_) => &call.inputs[..2],
        Work::Three(_) => &call.inputs[..3],
    };
    for input in inputs {
        registers.require_written(*input)?;
    }
    if call.mode != VectorMode::All && !matches!(operation.work, Work::One(_) | Work::Two(_)) {
        return Err((&rules::ENUMERATOR, format!("{} works on whole tiles", operation.name)));
    }
    let (unit, stores) = (&call.unit, operation.stores);
    let tiles = registers.sfpu(inputs, call.out);
    let out = call.out as usize;
    match operation.work {
        Work::One(compute) if !wide => tables::apply((compute, stores), unit, &mut tiles[out], call.mode.faces()),
        Work::One(compute) => {
            for &at in call.mode.faces() {
                let values = face_mut(&mut tiles[out], at);
                compute(unit, &Lanes::load(values)).store(stores, wide, values);
            }
        }
        Work::Two(compute) => {
            for &at in call.mode.faces() {
                let [a, b] = [0, 1].map(|i| Lanes::load(&face(tiles, call.inputs[i], at)));
                compute(unit, &a, &b).store(stores, wide, face_mut(&mut tiles[out], at));
            }
        }
        Work::Three(compute) => {
            for at in 0..4 {
                let [a, b, c] = [0, 1, 2].map(|i| Lanes::load(&face(tiles, call.inputs[i], at)));
                compute(unit, &a, &b, &c).store(stores, wide, face_mut(&mut tiles[out], at));
            }
        }
        Work::Fill => {
            for at in 0..4 {
                Lanes::all(unit.words[0]).store(stores, wide, face_mut(&mut tiles[out], at));
            }
        }
        Work::Broadcast(compute) => {
            let mut vector = Tile::zero();
            spread(&tiles[call.inputs[1] as usize], call.broadcast, 0, &mut vector);
            for at in 0..4 {
                let data = Lanes::load(&face(tiles, call.inputs[0], at));
                let spread = Lanes::load(&face(std::slice::from_ref(&vector), 0, at));
                compute(unit, &data, &spread).store(stores, wide, face_mut(&mut tiles[out], at));
            }
        }
        Work::Reduce => {
            let (fold, dim) = call.fold;
            reduce(unit, &mut tiles[out], fold, dim);
        }
        Work::Copy => {
            let from = tiles[call.inputs[0] as usize].clone();
            tiles[out] = from;
        }
    }
    Ok(())
}

/// Folds columns into row 0 or rows into column 0; what lies elsewhere stays.
fn reduce(unit: &Unit, tile: &mut Tile, fold: Fold, dim: ReduceDim) {
    let line = |step: usize| {
        let mut values: Face = [0.0; FACE];
        for (other, value) in values[..32].iter_mut().enumerate() {
            *value = tile.0[line_position(dim, other, step)];
        }
        Lanes::load(&values)
    };
    let mut folded = match fold {
        Fold::Sum | Fold::Avg => sum(unit, dim, line),
        Fold::Max => (1..32).fold(line(0), |folded, step| folded.max(line(step))),
        Fold::Min => (1..32).fold(line(0), |folded, step| folded.min(line(step))),
    };
    if fold == Fold::Avg {
        folded = unit.mul(folded, 1.0 / 32.0);
    }
    let mut values: Face = [0.0; FACE];
    folded.store(Stores::Reals, unit.wide, &mut values);
    for (other, value) in values[..32].iter().enumerate() {
        tile.0[line_position(dim, other, 0)] = *value;
    }
}

/// The sum of 32 lines, in the order of ckernel_sfpu_reduce.h. A register of the SFPU holds four rows of every second column:
/// down columns, the registers of a face are added from the last to the first, then the two faces, then the four rows, which
/// Blackhole adds from the last to the first too; along rows, the four registers of the two faces, then lane by lane what lies
/// 4, 2 and 1 lanes before.
fn sum(unit: &Unit, dim: ReduceDim, line: impl Fn(usize) -> Lanes) -> Lanes {
    let add = |a, b| unit.add(a, b);
    let four = |[a, b, c, d]: [usize; 4]| add(line(a), add(line(b), add(line(c), line(d))));
    match dim {
        ReduceDim::Row => {
            let lane = |q: usize| four([2 * q, 2 * q + 1, 16 + 2 * q, 17 + 2 * q]);
            let pair = |a: usize, b: usize| add(lane(a), lane(b));
            add(add(pair(0, 4), pair(6, 2)), add(pair(7, 3), pair(5, 1)))
        }
        _ => {
            let face = |row: usize| four([row, row + 4, row + 8, row + 12]);
            let row = |row: usize| add(face(row), face(row + 16));
            match unit.is_blackhole() {
                true => add(row(0), add(row(1), add(row(2), row(3)))),
                false => add(add(row(0), row(1)), add(row(2), row(3))),
            }
        }
    }
}

/// Where step `step` of the fold number `line` lies.
fn line_position(dim: ReduceDim, line: usize, step: usize) -> usize {
    match dim {
        ReduceDim::Row => position(line, step),
        _ => position(step, line),
    }
}
