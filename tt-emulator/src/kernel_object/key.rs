//! Keys of compiled kernels: a 128-bit hash, stable between processes and builds.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use super::{KernelError, KernelSource, compiler, headers};
use crate::abi_version::ABI_VERSION;

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
pub(super) fn kernel_key(source: &KernelSource, prologue: &str) -> Result<Hash, KernelError> {
    let mut hash = Hash::new()
        .field(&ABI_VERSION.to_le_bytes())
        .field(headers::fingerprint().as_bytes())
        .field(compiler::FLAGS.join(" ").as_bytes())
        .field(prologue.as_bytes())
        .field(source.file.as_bytes())
        .field(source.source.as_bytes());
    if let Some(directory) = &source.directory {
        for (path, text) in local_includes(&source.source, directory)? {
            hash = hash.field(path.to_string_lossy().as_bytes()).field(text.as_bytes());
        }
    }
    Ok(hash)
}

/// Files that a source includes in quotes and that lie beside it, and what those include, each once.
fn local_includes(source: &str, directory: &Path) -> Result<Vec<(PathBuf, String)>, KernelError> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut open = vec![(source.to_owned(), directory.to_owned())];
    while let Some((text, near)) = open.pop() {
        for name in quoted_includes(&text) {
            let candidate = [near.join(name), directory.join(name)]
                .into_iter()
                .find(|path| path.is_file());
            let Some(path) = candidate else { continue };
            if !seen.insert(path.clone()) {
                continue;
            }
            let text = std::fs::read_to_string(&path).map_err(|error| KernelError::Files {
                action: format!("read {}", path.display()),
                error,
            })?;
            open.push((text.clone(), path.parent().unwrap_or(directory).to_owned()));
            found.push((path, text));
        }
    }
    Ok(found)
}

fn quoted_includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let directive = line
            .trim_start()
            .strip_prefix('#')?
            .trim_start()
            .strip_prefix("include")?;
        directive
            .trim_start()
            .strip_prefix('"')?
            .split_once('"')
            .map(|(name, _)| name)
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

    #[test]
    fn quoted_includes_are_found_in_any_spelling() {
        let text = "#include \"a.h\"\n  #  include \"b/c.h\" // x\n#include <vector>\n// #include \"no.h\"\n";
        assert_eq!(quoted_includes(text).collect::<Vec<_>>(), ["a.h", "b/c.h"]);
    }
}
