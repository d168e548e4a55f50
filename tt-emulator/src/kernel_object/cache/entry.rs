//! A kernel in the cache: a head with a length and a hash, and the shared object behind it.
//!
//! ```text
//! "tt-kernel 1\n"   bytes of the object, 8, little endian   SHA-256 of name, length and object   the object
//! ```
//!
//! The loader maps what it is given and runs it: where a file is cut off or a bit of it has flipped, the process ends with a
//! signal. So a file is read whole, checked, and what is loaded are the bytes that were checked. The hash finds damage; that
//! nobody else wrote the file is for its owner and mode to say.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::folder;

const MAGIC: &[u8; 12] = b"tt-kernel 1\n";
const LENGTH_BYTES: usize = 8;
const HASH_BYTES: usize = 32;
const HEAD_BYTES: usize = MAGIC.len() + LENGTH_BYTES + HASH_BYTES;

/// What was found under an entry's name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The object, as it was stored.
    Object(Vec<u8>),
    /// Nothing.
    Nothing,
    /// Something that is no entry: cut off, changed, another's, no file at all.
    Damaged,
}

/// Reads the entry at `path`, and marks it as used now.
pub(super) fn read(path: &Path, user: u32) -> Found {
    let opened = OpenOptions::new()
        .read(true)
        // A link is no entry, and nothing that would have to be waited for.
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::Nothing,
        Err(_) => return Found::Damaged,
    };
    let is_ours = |file: &File| {
        let metadata = file.metadata().ok()?;
        (metadata.is_file() && folder::check_own(&metadata, user).is_ok()).then_some(metadata.len())
    };
    let Some(length) = is_ours(&file) else {
        return Found::Damaged;
    };
    let mut bytes = Vec::new();
    // No more than it was: the checks below see whether that is all of it.
    let read = (&file).take(length).read_to_end(&mut bytes);
    match read.ok().and_then(|_| object(bytes, &name_of(path))) {
        Some(object) => {
            // A cache that can only be read keeps no order of use.
            let _ = file.set_modified(SystemTime::now());
            Found::Object(object)
        }
        None => Found::Damaged,
    }
}

/// Writes an entry, which will be called `name`, to `path`, where nothing is.
pub(super) fn write(path: &Path, name: &str, object: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(MAGIC)?;
    file.write_all(&(object.len() as u64).to_le_bytes())?;
    file.write_all(&hash(name, object))?;
    file.write_all(object)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn hash(name: &str, object: &[u8]) -> [u8; HASH_BYTES] {
    Sha256::new()
        .chain_update((name.len() as u64).to_le_bytes())
        .chain_update(name)
        .chain_update((object.len() as u64).to_le_bytes())
        .chain_update(object)
        .finalize()
        .into()
}

/// The object of the entry `name`, where `bytes` are all of it.
fn object(mut bytes: Vec<u8>, name: &str) -> Option<Vec<u8>> {
    let object = bytes.get(HEAD_BYTES..)?;
    let length = (object.len() as u64).to_le_bytes();
    let head = [MAGIC.as_slice(), &length, &hash(name, object)].concat();
    if bytes[..HEAD_BYTES] != head[..] {
        return None;
    }
    bytes.drain(..HEAD_BYTES);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::super::partial::Partial;
    use super::*;

    #[test]
    fn an_entry_is_what_was_stored_or_damaged() {
        let folder = Partial::new(&std::env::temp_dir(), "tt-entry").unwrap();
        let path = folder.path().join("name");
        assert_eq!(read(&path, folder::user()), Found::Nothing);
        write(&path, "name", b"an object").unwrap();
        assert_eq!(read(&path, folder::user()), Found::Object(b"an object".to_vec()));
        assert_eq!(read(&path, folder::user() + 1), Found::Damaged);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(read(&path, folder::user()), Found::Damaged, "cut off at {length}");
        }
        for bit in 0..whole.len() * 8 {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, &flipped).unwrap();
            assert_eq!(read(&path, folder::user()), Found::Damaged, "bit {bit}");
        }
        std::fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
        assert_eq!(read(&path, folder::user()), Found::Damaged);
        // Under another name it is another's.
        std::fs::write(&path, &whole).unwrap();
        std::fs::rename(&path, folder.path().join("other")).unwrap();
        assert_eq!(read(&folder.path().join("other"), folder::user()), Found::Damaged);
    }

    #[test]
    fn what_is_read_is_marked_as_used() {
        let folder = Partial::new(&std::env::temp_dir(), "tt-entry").unwrap();
        let path = folder.path().join("name");
        write(&path, "name", b"an object").unwrap();
        let long_ago = SystemTime::now() - std::time::Duration::from_secs(7200);
        File::open(&path).unwrap().set_modified(long_ago).unwrap();
        read(&path, folder::user());
        let used = std::fs::metadata(&path).unwrap().modified().unwrap();
        assert!(used > long_ago + std::time::Duration::from_secs(7000));
    }

    #[test]
    fn what_is_no_file_is_damage_and_nobody_waits_for_it() {
        let folder = Partial::new(&std::env::temp_dir(), "tt-entry").unwrap();
        let path = |name: &str| folder.path().join(name);
        write(&path("name"), "name", b"an object").unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        std::os::unix::fs::symlink(path("name"), path("link")).unwrap();
        let mkfifo = std::process::Command::new("mkfifo").arg(path("pipe")).status();
        assert!(mkfifo.unwrap().success());
        for name in ["folder", "link", "pipe"] {
            assert_eq!(read(&path(name), folder::user()), Found::Damaged, "{name}");
        }
    }
}
