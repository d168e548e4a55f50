//! Running an operation over the faces of registers, and storing what it gives.

use super::Face;
use super::fold::{self, Fold, SIDE};
use super::lanes::{Lanes, Stores};
use super::table::{Operation, Work};
use super::tables;
use super::unit::Unit;
use crate::compute::destination::{Broken, Destination};
pub use crate::compute::enumerations::VectorMode;
use crate::compute::pack::ReduceDim;
use crate::compute::rules;
use crate::compute::tile::{FACE, Tile};
use crate::compute::unpack::{Broadcast, spread};

impl VectorMode {
    fn faces(self) -> &'static [usize] {
        match self {
            VectorMode::All => &[0, 1, 2, 3],
            VectorMode::Rows => &[0, 1],
            VectorMode::Columns => &[0, 2],
        }
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

fn face(tile: &Tile, at: usize) -> &Face {
    let (faces, _) = tile.0.as_chunks::<FACE>();
    &faces[at]
}

fn face_mut(tile: &mut Tile, at: usize) -> &mut Face {
    let (faces, _) = tile.0.as_chunks_mut::<FACE>();
    &mut faces[at]
}

/// Runs an operation. Registers exist and are acquired; that inputs were written is checked here.
pub fn run(operation: &Operation, call: &Call, registers: &mut Destination) -> Result<(), Broken> {
    let wide = registers.is_wide();
    let read = match operation.work {
        Work::Fill => &call.inputs[..0],
        Work::One(_) | Work::Reduce | Work::Copy => &call.inputs[..1],
        Work::Two(_) | Work::Broadcast(_) => &call.inputs[..2],
        Work::Three(_) => &call.inputs[..3],
    };
    for input in read {
        registers.require_written(*input)?;
    }
    if call.mode != VectorMode::All && !matches!(operation.work, Work::One(_) | Work::Two(_)) {
        return Err((&rules::ENUMERATOR, format!("{} works on whole tiles", operation.name)));
    }
    let (unit, stores) = (&call.unit, operation.stores);
    if let (Work::One(compute), VectorMode::All) = (operation.work, call.mode)
        && !wide
        && let Some(function) = tables::function((compute, stores), unit, call.mode.faces().len())
    {
        registers.follow(call.out, function);
        return Ok(());
    }
    let tiles = registers.sfpu(read, call.out);
    let (inputs, out) = (call.inputs.map(|input| input as usize), call.out as usize);
    match operation.work {
        Work::One(compute) if !wide => tables::apply((compute, stores), unit, &mut tiles[out], call.mode.faces()),
        Work::One(compute) => {
            for &at in call.mode.faces() {
                let values = face_mut(&mut tiles[out], at);
                compute(unit, Lanes::of(values)).store(stores, wide, values);
            }
        }
        Work::Two(compute) => {
            for &at in call.mode.faces() {
                let [a, b] = [0, 1].map(|input| Lanes::of(face(&tiles[inputs[input]], at)));
                compute(unit, a, b).store(stores, wide, face_mut(&mut tiles[out], at));
            }
        }
        Work::Three(compute) => {
            for at in 0..4 {
                let [a, b, c] = inputs.map(|input| Lanes::of(face(&tiles[input], at)));
                compute(unit, a, b, c).store(stores, wide, face_mut(&mut tiles[out], at));
            }
        }
        Work::Fill => {
            let number = Lanes::all(unit.words[0]);
            for at in 0..4 {
                number.store(stores, wide, face_mut(&mut tiles[out], at));
            }
        }
        Work::Broadcast(compute) => {
            let mut vector = Tile::zero();
            spread(&tiles[call.inputs[1] as usize], call.broadcast, 0, &mut vector);
            for at in 0..4 {
                let [a, b] = [face(&tiles[inputs[0]], at), face(&vector, at)].map(Lanes::of);
                compute(unit, a, b).store(stores, wide, face_mut(&mut tiles[out], at));
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
    let mut folded = fold::fold(unit.is_blackhole(), tile, fold, dim);
    if fold == Fold::Avg {
        folded = unit.mul(folded, 1.0 / 32.0);
    }
    let mut values: Face = [0.0; FACE];
    folded.store(Stores::Reals, unit.wide, &mut values);
    for (line, value) in values[..SIDE].iter().enumerate() {
        tile.0[fold::result_position(dim, line)] = *value;
    }
}
