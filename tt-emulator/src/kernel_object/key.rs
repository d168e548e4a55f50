//! Keys of compiled kernels: a 128-bit hash, stable between processes and builds.

use std::fmt;

use super::includes::Includes;
use super::{KernelSource, compiler, headers};

/// FNV-1a with 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Hash(u128);

impl Hash {
    pub const fn new() -> Hash {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// Takes a field; its length keeps neighbouring fields apart.
    pub const fn field(mut self, bytes: &[u8]) -> Hash {
        let length = (bytes.len() as u64).to_le_bytes();
        self = self.bytes(&length);
        self.bytes(bytes)
    }

    const fn bytes(mut self, bytes: &[u8]) -> Hash {
        let mut index = 0;
        while index < bytes.len() {
            self.0 = (self.0 ^ bytes[index] as u128).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
            index += 1;
        }
        self
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Key of a kernel whose wrapper starts with `prologue`. The prologue holds arguments, defines, role and architecture.
pub(super) fn kernel_key(source: &KernelSource, includes: &Includes, prologue: &str) -> Hash {
    let hash = Hash::new()
        .field(headers::fingerprint().as_bytes())
        .field(compiler::FLAGS.join(" ").as_bytes())
        .field(compiler::LINK_FLAGS.join(" ").as_bytes())
        .field(prologue.as_bytes())
        .field(source.file.as_bytes())
        .field(source.source.as_bytes());
    includes.files.iter().fold(hash, |hash, (path, text)| {
        hash.field(path.to_string_lossy().as_bytes()).field(text.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_run_together() {
        let joined = Hash::new().field(b"ab").field(b"c").to_string();
        assert_ne!(joined, Hash::new().field(b"a").field(b"bc").to_string());
        assert_eq!(joined.len(), 32);
    }
}
