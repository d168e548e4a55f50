//! Tables of what kernels name. Nobody chooses names and numbers to be alike there, and kernels are expanded in builds without
//! optimisation too, in which a hash that withstands that takes longer than all else that is done with a table.

use std::hash::{BuildHasherDefault, Hasher};

/// A table by keys of kernels.
pub type HashMap<Key, Value> = std::collections::HashMap<Key, Value, BuildHasherDefault<Mixed>>;

/// A set of keys of kernels.
pub type HashSet<Key> = std::collections::HashSet<Key, BuildHasherDefault<Mixed>>;

/// The hash of numbers, each mixed into that of those before it.
#[derive(Debug, Default)]
pub struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        // Patterns are no calls.
        let mut bytes = bytes;
        while let [a, b, c, d, e, f, g, h, rest @ ..] = bytes {
            self.write_u64(u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]));
            bytes = rest;
        }
        if !bytes.is_empty() {
            let mut number = 0;
            while let [rest @ .., last] = bytes {
                number = number << 8 | *last as u64;
                bytes = rest;
            }
            self.write_u64(number);
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        // 2^64 over the golden ratio, by which numbers come to lie far apart; a table takes both ends of what comes of it.
        let product = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::hash::BuildHasher;

    #[test]
    fn keys_that_are_alike_have_hashes_far_apart() {
        let hash = |key: &str| BuildHasherDefault::<Mixed>::default().hash_one(key);
        let hashes = (0..1000).map(|number| hash(&format!("accumulator_{number}")));
        // What a table of so many looks at: the last bits for the place, the first seven for the key.
        let seen: BTreeSet<(u64, u64)> = hashes.map(|hash| (hash % 1024, hash >> 57)).collect();
        assert!(seen.len() > 990, "{}", seen.len());
    }
}
