//! Files kept from build to build, each with a file beside it that says what was in it: one that is cut off or changed since is
//! made again, not linked into a program.

use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What the file with the hash ends in.
pub(crate) const SUFFIX: &str = ".sha256";

/// The file beside `path` that has its hash.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(SUFFIX);
    PathBuf::from(name)
}

/// Whether `path` is as it was when it was [`seal`]ed.
pub(crate) fn is_intact(path: &Path) -> bool {
    let known = std::fs::read_to_string(beside(path));
    known.is_ok_and(|known| std::fs::read(path).is_ok_and(|bytes| known == hash(&bytes)))
}

/// Notes what is in `path` now.
pub(crate) fn seal(path: &Path) -> io::Result<()> {
    std::fs::write(beside(path), hash(&std::fs::read(path)?))
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_is_intact() {
        let path = std::env::temp_dir().join(format!("tt-build-sealed-{}", std::process::id()));
        std::fs::write(&path, "an object").unwrap();
        assert!(!is_intact(&path), "nobody has sealed it");
        seal(&path).unwrap();
        assert!(is_intact(&path));
        for damaged in ["", "an objec", "an 0bject", "an object "] {
            std::fs::write(&path, damaged).unwrap();
            assert!(!is_intact(&path), "{damaged:?}");
        }
        std::fs::write(&path, "an object").unwrap();
        assert!(is_intact(&path));
        std::fs::write(beside(&path), "").unwrap();
        assert!(!is_intact(&path));
        std::fs::remove_file(&path).unwrap();
        assert!(!is_intact(&path));
        std::fs::remove_file(beside(&path)).unwrap();
    }
}
