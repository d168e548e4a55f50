//! Results of operations on one 16-bit register, looked up.
//!
//! A lane of 16 bits has 65536 values, and what an operation makes of one depends on nothing else. An operation that a run
//! repeats is computed for all of them once; from then on its tiles are read from that table. Two such operations one after the
//! other are one function of 16 bits too: a pair that a run repeats gets a table of its own, and so a chain of any length is
//! looked up once ([`Destination::follow`](crate::compute::destination::Destination::follow)).

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::Face;
use super::lanes::{Lanes, Stores};
use super::table::Compute;
use super::unit::Unit;
use crate::compute::tile::{FACE, TILE, Tile};

/// Patterns of 16 bits.
const PATTERNS: usize = 1 << 16;

/// Faces after which a table has cost less than computing on.
const WORTH: u32 = (PATTERNS / FACE) as u32;

/// Tiles after which a table of a pair has cost less than looking each up.
const WORTH_TILES: u32 = (PATTERNS / TILE) as u32;

/// Operations with their parameters that are kept; any more are computed.
const KEPT: usize = 256;

/// Pairs whose tables are kept; any more are looked up one after the other.
const KEPT_PAIRS: usize = 256;

type Key = (usize, Stores, Unit);

/// A function of 16 bits by its values. Those that there are stay as long as the process.
pub struct Function {
    results: Box<[u16; PATTERNS]>,
    /// What followed it.
    pairs: Mutex<Vec<Pair>>,
}

/// A function that followed another.
struct Pair {
    second: &'static Function,
    /// On so many tiles.
    tiles: u32,
    both: Option<&'static Function>,
}

/// How often an operation ran, and its results by pattern once that was often.
struct Entry {
    faces: AtomicU32,
    function: OnceLock<Function>,
}

impl Function {
    /// The function of so many values.
    fn of(results: impl Iterator<Item = u16>) -> Function {
        let mut all = Box::new([0; PATTERNS]);
        all.iter_mut().zip(results).for_each(|(to, result)| *to = result);
        Function {
            results: all,
            pairs: Mutex::default(),
        }
    }

    #[inline]
    fn at(&self, pattern: u32) -> u16 {
        self.results[(pattern >> 16) as usize]
    }

    /// Applies it to faces of a 16-bit register.
    fn apply_to<'faces>(&self, faces: impl Iterator<Item = &'faces mut Face>) {
        for value in faces.flatten() {
            *value = f32::from_bits(u32::from(self.at(value.to_bits())) << 16);
        }
    }

    /// Applies it to a 16-bit register.
    pub fn apply(&self, register: &mut Tile) {
        self.apply_to(register.0.as_chunks_mut::<FACE>().0.iter_mut());
    }

    /// This function and then `second` of a tile, as one; none as long as that is not worth its table.
    pub fn followed_by(&self, second: &'static Function) -> Option<&'static Function> {
        static TABLES: AtomicUsize = AtomicUsize::new(0);
        let mut pairs = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        let at = pairs.iter().position(|pair| std::ptr::eq(pair.second, second));
        let at = at.unwrap_or_else(|| {
            pairs.push(Pair {
                second,
                tiles: 0,
                both: None,
            });
            pairs.len() - 1
        });
        let pair = &mut pairs[at];
        pair.tiles = pair.tiles.saturating_add(1);
        if pair.both.is_none() && pair.tiles >= WORTH_TILES && TABLES.fetch_add(1, Ordering::Relaxed) < KEPT_PAIRS {
            let results = self.results.iter().map(|first| second.at(u32::from(*first) << 16));
            pair.both = Some(Box::leak(Box::new(Function::of(results))));
        }
        pair.both
    }
}

/// The entry of an operation with these parameters.
fn entry((compute, stores): (Compute, Stores), unit: &Unit) -> Option<&'static Entry> {
    static ENTRIES: OnceLock<Mutex<HashMap<Key, &'static Entry>>> = OnceLock::new();
    let entries = ENTRIES.get_or_init(Mutex::default);
    let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (compute as usize, stores, *unit);
    if let Some(entry) = entries.get(&key) {
        return Some(entry);
    }
    if entries.len() == KEPT {
        return None;
    }
    let entry = Box::leak(Box::new(Entry {
        faces: AtomicU32::new(0),
        function: OnceLock::new(),
    }));
    entries.insert(key, entry);
    Some(entry)
}

fn every_pattern((compute, stores): (Compute, Stores), unit: &Unit) -> Function {
    let results = (0..PATTERNS as u32).step_by(FACE).flat_map(|first| {
        let mut face: Face = [0.0; FACE];
        for (pattern, value) in (first..).zip(&mut face) {
            *value = f32::from_bits(pattern << 16);
        }
        compute(unit, Lanes::of(&face)).store(stores, false, &mut face);
        face.map(|value| (value.to_bits() >> 16) as u16)
    });
    Function::of(results)
}

/// The function that an operation is, which is now to be applied to so many faces; none as long as that is not worth its table.
pub fn function(work: (Compute, Stores), unit: &Unit, faces: usize) -> Option<&'static Function> {
    let entry = entry(work, unit)?;
    let before = entry.faces.fetch_add(faces as u32, Ordering::Relaxed);
    (before >= WORTH).then(|| entry.function.get_or_init(|| every_pattern(work, unit)))
}

/// Applies an operation to faces of a 16-bit register.
pub fn apply(work: (Compute, Stores), unit: &Unit, register: &mut Tile, faces: &[usize]) {
    let function = function(work, unit, faces.len());
    let (compute, stores) = work;
    let (register, _) = register.0.as_chunks_mut::<FACE>();
    for &face in faces {
        let face = &mut register[face];
        match function {
            Some(function) => function.apply_to(std::iter::once(face)),
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
        assert!(entry.function.get().is_some(), "there is a table by now");
    }

    #[test]
    fn a_table_of_a_pair_gives_what_two_tables_give() {
        let kept = |of: fn(u16) -> u16| &*Box::leak(Box::new(Function::of((0..=u16::MAX).map(of))));
        let first = kept(|pattern| pattern.wrapping_mul(61) ^ 7);
        let second = kept(|pattern| pattern.rotate_left(3));
        let mut both = None;
        for _ in 0..WORTH_TILES {
            assert!(both.is_none(), "not worth a table yet");
            both = first.followed_by(second);
        }
        let both = both.expect("worth a table");
        let mut one = Tile::zero();
        for (pattern, value) in (0u32..).zip(&mut one.0) {
            *value = f32::from_bits((pattern * 64 + 5) << 16);
        }
        let mut two = one.clone();
        both.apply(&mut one);
        first.apply(&mut two);
        second.apply(&mut two);
        assert_eq!(one.0.map(f32::to_bits), two.0.map(f32::to_bits));
    }
}
