//! Operations tried on tiles of a test.

use super::fold::Fold;
use super::run::{Call, VectorMode, run};
use super::table::{hash, operation};
use super::unit::Unit;
use crate::arch::ArchName;
use crate::compute::destination::Destination;
use crate::compute::pack::ReduceDim;
use crate::compute::tile::Tile;
use crate::compute::unpack::Broadcast;

/// Acquired registers that hold these tiles.
pub fn registers(wide: bool, contents: &[&Tile]) -> Destination {
    let mut registers = Destination::new(wide, false);
    registers.acquire().expect("idle");
    for (index, tile) in contents.iter().enumerate() {
        registers.overwrite(index as u32).0.copy_from_slice(&tile.0);
    }
    registers
}

/// A call on Wormhole, on whole tiles.
pub fn call(words: [f32; 3], wide: bool) -> Call {
    Call {
        inputs: [0, 1, 2],
        out: 0,
        unit: Unit {
            chip: ArchName::WormholeB0,
            wide,
            approximate: false,
            input_f32: false,
            variant: 0,
            words: words.map(f32::to_bits),
        },
        mode: VectorMode::All,
        broadcast: Broadcast::None,
        fold: (Fold::Sum, ReduceDim::Col),
    }
}

/// Runs an operation and gives back the output register.
pub fn result(name: &str, inputs: &[&Tile], call: &Call, wide: bool) -> Tile {
    let operation = operation(hash(name)).unwrap_or_else(|| panic!("no {name}"));
    let mut registers = registers(wide, inputs);
    run(operation, call, &mut registers).unwrap_or_else(|(rule, _)| panic!("{}", rule.code));
    registers.read(call.out).expect("written").clone()
}
