//! Folders for what is not finished.
//!
//! What a compiler writes, and what is put together of it, lies in such a folder until it is complete and is renamed to its
//! place. The folder is new and for this user alone; it goes when it is dropped. A killed process leaves it, under a name
//! that nothing else has.

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// What these folders are called in a folder of our own.
pub(super) const NAME: &str = "partial";

/// Folders of killed processes with our own number that are stepped over: numbers come again, in containers soon.
const ATTEMPTS: u32 = 1000;

/// A folder for what is not finished.
#[derive(Debug)]
pub(super) struct Partial(PathBuf);

impl Partial {
    /// Makes `<name>-<process>-<number>` in `directory`, which must be there.
    pub fn new(directory: &Path, name: &str) -> io::Result<Partial> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mut attempts = 0;
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let folder = directory.join(format!("{name}-{}-{number}", std::process::id()));
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            match builder.create(&folder) {
                Ok(()) => return Ok(Partial(folder)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempts < ATTEMPTS => attempts += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // What cannot be removed is only clutter.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether [`Partial::new`] makes folders with names like `name` of [`NAME`].
#[cfg(feature = "engine")]
pub(super) fn is_name(name: &str) -> bool {
    let number = |text: &str| {
        let is_short = (1..=10).contains(&text.len());
        is_short && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let rest = name.strip_prefix(NAME).and_then(|rest| rest.strip_prefix('-'));
    rest.and_then(|rest| rest.split_once('-'))
        .is_some_and(|(process, count)| number(process) && number(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_new_for_this_user_alone_and_go() {
        use std::os::unix::fs::PermissionsExt;
        let first = Partial::new(&std::env::temp_dir(), "tt-partial").unwrap();
        let second = Partial::new(&std::env::temp_dir(), "tt-partial").unwrap();
        assert_ne!(first.path(), second.path());
        let mode = std::fs::metadata(first.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        std::fs::write(first.path().join("half"), "x").unwrap();
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }

    #[cfg(feature = "engine")]
    #[test]
    fn only_names_of_our_own_making_are_ours() {
        let folder = Partial::new(&std::env::temp_dir(), NAME).unwrap();
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        assert!(is_name(name));
        for other in [
            "partial-results",
            "partial-1",
            "partial-1-",
            "partial-1-2-3",
            "partial-1-x",
            "partial",
            "my-partial-1-2",
        ] {
            assert!(!is_name(other), "{other}");
        }
    }
}
