//! What a row of `operations.rs` is to the emulator, and which row a call finds.
//!
//! A row holds the name of the call and of its init, how its result is stored into a 16-bit register, and what it does to
//! lanes. Device headers name operations; the hash of the name finds the row. The same rows are the declarations of plain
//! calls, which the build script writes (`build/sfpu.rs`).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use super::algorithms::{
    activation, arithmetic, comparison, error_function, exponential, hyperbolic, logarithm, power, reciprocal,
    remainder, root, rounding, sigmoid, trigonometry,
};
use super::lanes::{Lanes, Stores};
use super::unit::Unit;

/// What an operation on one register does to lanes.
pub type Compute = fn(&Unit, &Lanes) -> Lanes;

/// What an operation does.
#[derive(Clone, Copy)]
pub enum Work {
    /// On one register.
    One(Compute),
    /// From two registers.
    Two(fn(&Unit, &Lanes, &Lanes) -> Lanes),
    /// From three registers.
    Three(fn(&Unit, &Lanes, &Lanes, &Lanes) -> Lanes),
    /// Into one register, whatever it held: the first parameter.
    Fill,
    /// On one register with a row or column of another spread over it.
    Broadcast(fn(&Unit, &Lanes, &Lanes) -> Lanes),
    /// Folds one register.
    Reduce,
    /// From one register into another, bit by bit.
    Copy,
}

/// A row.
pub struct Operation {
    /// The call.
    pub name: &'static str,
    /// Its init.
    pub init: &'static str,
    /// What it does.
    pub work: Work,
    /// How its result is stored.
    pub stores: Stores,
}

/// The rows, those of every header and those of none.
macro_rules! operations {
    ($($header:tt [$(
        $name:literal $(<$call_width:ident>)? $(($($word:ident),*))?,
        $init:literal $(<$init_width:ident>)?,
        $kind:ident $(($compute:path))? $(as $stores:ident)?;
    )*])*) => {
        &[$($(Operation {
            name: $name,
            init: $init,
            work: Work::$kind $(($compute))?,
            stores: operations!(@stores $($stores)?),
        },)*)*]
    };
    (@stores) => { Stores::Reals };
    (@stores bits) => { Stores::Bits };
}

/// All operations.
pub static OPERATIONS: &[Operation] = include!("operations.rs");

/// The hash by which headers name operations and inits: FNV-1a of 64 bits.
pub const fn hash(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut value = 0xcbf2_9ce4_8422_2325u64;
    let mut i = 0;
    while i < bytes.len() {
        value = (value ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    value
}

/// What is found by hashed names, which are not hashed once more.
pub type ByName<T> = HashMap<u64, T, BuildHasherDefault<Hashed>>;

/// Takes a hashed name as the hash that it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, name: u64) {
        self.0 = name;
    }
}

/// The operation of a hashed name.
pub fn operation(name: u64) -> Option<&'static Operation> {
    static INDEX: OnceLock<ByName<&'static Operation>> = OnceLock::new();
    INDEX
        .get_or_init(|| OPERATIONS.iter().map(|row| (hash(row.name), row)).collect())
        .get(&name)
        .copied()
}

/// The init of a hashed name.
pub fn init(name: u64) -> Option<&'static str> {
    static INDEX: OnceLock<ByName<&'static str>> = OnceLock::new();
    INDEX
        .get_or_init(|| OPERATIONS.iter().map(|row| (hash(row.init), row.init)).collect())
        .get(&name)
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_hashes_do_not_collide() {
        let names: HashSet<_> = OPERATIONS.iter().map(|row| row.name).collect();
        let hashes: HashSet<_> = OPERATIONS.iter().map(|row| hash(row.name)).collect();
        assert_eq!((names.len(), hashes.len()), (OPERATIONS.len(), OPERATIONS.len()));
        let inits: HashSet<_> = OPERATIONS.iter().map(|row| row.init).collect();
        let init_hashes: HashSet<_> = inits.iter().map(|name| hash(name)).collect();
        assert_eq!(inits.len(), init_hashes.len());
        assert!(operation(hash("exp_tile")).is_some() && operation(hash("exp")).is_none());
    }
}
