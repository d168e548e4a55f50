//! Results of operations on one 16-bit register, looked up.
//!
//! A lane of 16 bits has 65536 values, and what an operation makes of one depends on nothing else. An operation that a run
//! repeats is computed for all of them once; from then on its tiles are read from that table.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Face;
use super::lanes::{Lanes, Stores};
use super::table::Compute;
use super::unit::Unit;
use crate::compute::tile::{FACE, Tile};

/// Patterns of 16 bits.
const PATTERNS: usize = 1 << 16;

/// Faces after which a table has cost less than computing on.
const WORTH: u32 = (PATTERNS / FACE) as u32;

/// Operations with their parameters that are kept; any more are computed.
const KEPT: usize = 256;

type Key = (usize, Stores, Unit);

/// How often an operation ran, and its results by pattern once that was often.
struct Entry {
    faces: AtomicU32,
    results: OnceLock<Box<[u16]>>,
}

/// The entry of an operation with these parameters.
fn entry((compute, stores): (Compute, Stores), unit: &Unit) -> Option<Arc<Entry>> {
    static ENTRIES: OnceLock<Mutex<HashMap<Key, Arc<Entry>>>> = OnceLock::new();
    let entries = ENTRIES.get_or_init(Mutex::default);
    let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (compute as usize, stores, *unit);
    if let Some(entry) = entries.get(&key) {
        return Some(Arc::clone(entry));
    }
    if entries.len() == KEPT {
        return None;
    }
    let entry = Arc::new(Entry {
        faces: AtomicU32::new(0),
        results: OnceLock::new(),
    });
    entries.insert(key, Arc::clone(&entry));
    Some(entry)
}

fn every_pattern((compute, stores): (Compute, Stores), unit: &Unit) -> Box<[u16]> {
    let mut results = Vec::with_capacity(PATTERNS);
    let mut face: Face = [0.0; FACE];
    for first in (0..PATTERNS).step_by(FACE) {
        for (pattern, value) in (first as u32..).zip(&mut face) {
            *value = f32::from_bits(pattern << 16);
        }
        compute(unit, Lanes::of(&face)).store(stores, false, &mut face);
        results.extend(face.iter().map(|value| (value.to_bits() >> 16) as u16));
    }
    results.into_boxed_slice()
}

/// Applies an operation to faces of a 16-bit register.
pub fn apply(work: (Compute, Stores), unit: &Unit, register: &mut Tile, faces: &[usize]) {
    let entry = entry(work, unit);
    let results = entry.as_ref().and_then(|entry| {
        let before = entry.faces.fetch_add(faces.len() as u32, Ordering::Relaxed);
        (before >= WORTH).then(|| entry.results.get_or_init(|| every_pattern(work, unit)))
    });
    let (compute, stores) = work;
    let (register, _) = register.0.as_chunks_mut::<FACE>();
    for &face in faces {
        let face = &mut register[face];
        match results {
            Some(results) => {
                for value in face {
                    *value = f32::from_bits(u32::from(results[(value.to_bits() >> 16) as usize]) << 16);
                }
            }
            None => compute(unit, Lanes::of(face)).store(stores, false, face),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::ArchName;
    use crate::compute::sfpu::algorithms::sigmoid::silu;

    #[test]
    fn a_table_gives_what_computing_gives() {
        let unit = Unit {
            chip: ArchName::Blackhole,
            wide: false,
            approximate: false,
            input_f32: false,
            variant: 77,
            words: [1, 2, 3],
        };
        let mut register = Tile::zero();
        for (pattern, value) in (0u32..).zip(&mut register.0) {
            *value = f32::from_bits((pattern * 61 + 7) << 16);
        }
        let mut computed = register.clone();
        for face in computed.0.as_chunks_mut::<FACE>().0 {
            silu(&unit, Lanes::of(face)).store(Stores::Reals, false, face);
        }
        for _ in 0..WORTH / 4 + 3 {
            let mut given = register.clone();
            apply((silu, Stores::Reals), &unit, &mut given, &[0, 1, 2, 3]);
            assert_eq!(given.0.map(f32::to_bits), computed.0.map(f32::to_bits));
        }
        let entry = entry((silu, Stores::Reals), &unit).expect("one of few");
        assert!(entry.results.get().is_some(), "there is a table by now");
    }
}
