//! The folder in which what was fetched and made of it stays.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::pinned::Pinned;
use tt_emulator::kernel_object::private_folder;

/// The variable that moves the cache.
const VARIABLE: &str = "TT_CONFORMANCE_CACHE";

/// The name of an entry that is another one where what it is made from, or how, has changed.
pub fn named_by(name: &str, recipe: &str) -> String {
    let digest = Sha256::digest(recipe);
    let number = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
    format!("{name}-{}", number.collect::<String>())
}

/// A folder of entries. An entry is a folder that is either complete or not there.
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// The cache of this user: `TT_CONFORMANCE_CACHE`, else `tt-conformance` in the user's cache folder.
    ///
    /// # Errors
    /// Where neither is known, or others can write there: what it holds are programs too, and they are run.
    pub fn of_user() -> Result<Cache, String> {
        let set = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let root = set(VARIABLE)
            .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("tt-conformance")))
            .or_else(|| set("HOME").map(|folder| folder.join(".cache/tt-conformance")))
            .ok_or_else(|| format!("there is no home folder to keep downloads in: set {VARIABLE} to a folder"))?;
        Cache::of_programs(&root)
    }

    /// The cache at `root`, where nobody else can write.
    fn of_programs(root: &Path) -> Result<Cache, String> {
        let root = private_folder(root).map_err(|error| {
            format!(
                "cannot keep what is run in {}: {error}; {VARIABLE} names another",
                root.display()
            )
        })?;
        Ok(Cache { root })
    }

    /// The cache at `root`.
    pub fn at(root: &Path) -> Cache {
        Cache {
            root: root.to_path_buf(),
        }
    }

    /// A folder of the cache that is no entry: what is in it is made piece by piece.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.root.join(name);
        std::fs::create_dir_all(&folder).map_err(|error| format!("cannot write {}: {error}", folder.display()))?;
        Ok(folder)
    }

    /// The entry `name`; where it is not there, `make` fills an empty folder that then becomes it.
    ///
    /// # Errors
    /// What `make` says, or where the folder cannot be written; there is then no entry.
    pub fn entry(&self, name: &str, make: impl FnOnce(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
        let entry = self.root.join(name);
        if entry.is_dir() {
            return Ok(entry);
        }
        let at = |path: &Path, error: std::io::Error| format!("cannot write {}: {error}", path.display());
        std::fs::create_dir_all(&self.root).map_err(|error| at(&self.root, error))?;
        let lock_path = self.root.join(format!("{name}.lock"));
        let lock = File::create(&lock_path).map_err(|error| at(&lock_path, error))?;
        lock.lock().map_err(|error| at(&lock_path, error))?;
        if entry.is_dir() {
            return Ok(entry);
        }
        let partial = self.root.join(format!("{name}.partial"));
        // Whoever left it there is gone: we have the lock.
        remove(&partial)?;
        std::fs::create_dir(&partial).map_err(|error| at(&partial, error))?;
        let made = make(&partial).and_then(|()| std::fs::rename(&partial, &entry).map_err(|error| at(&entry, error)));
        match made {
            Ok(()) => Ok(entry),
            Err(reason) => {
                remove(&partial)?;
                Err(reason)
            }
        }
    }
}

fn remove(folder: &Path) -> Result<(), String> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Checks that the file `pinned` in `folder` is what it is to be; gives back its path.
///
/// # Errors
/// Where it is not there or another.
pub(super) fn verified(folder: &Path, pinned: Pinned) -> Result<PathBuf, String> {
    let path = folder.join(pinned.file);
    let mut file = File::open(&path).map_err(|error| format!("the download left no {}: {error}", pinned.file))?;
    let mut hash = Sha256::new();
    let mut block = vec![0; 1 << 20];
    loop {
        match file.read(&mut block) {
            Ok(0) => break,
            Ok(length) => hash.update(&block[..length]),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        }
    }
    let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if found == pinned.sha256 {
        return Ok(path);
    }
    let length = file.metadata().map(|data| data.len()).unwrap_or_default();
    Err(format!(
        "{} is damaged or another file than expected: its {length} bytes have the SHA-256 {found}, pinned is {}",
        pinned.file, pinned.sha256
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::testing::Scratch;

    #[test]
    fn an_entry_is_made_once_and_a_failure_leaves_none() {
        let scratch = Scratch::new("entries");
        let cache = Cache::at(scratch.path());
        let failed = cache.entry("thing", |folder| {
            std::fs::write(folder.join("half"), "x").unwrap();
            Err("the disk is full".into())
        });
        assert_eq!(failed, Err("the disk is full".into()));
        assert!(!scratch.path().join("thing").exists() && !scratch.path().join("thing.partial").exists());

        let made = cache.entry("thing", |folder| {
            assert!(!folder.join("half").exists());
            std::fs::write(folder.join("whole"), "x").map_err(|error| error.to_string())
        });
        assert!(made.unwrap().join("whole").is_file());
        cache.entry("thing", |_| panic!("it is there")).unwrap();
    }

    #[test]
    fn two_threads_make_an_entry_once() {
        let scratch = Scratch::new("two");
        let cache = Cache::at(scratch.path());
        let count = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let make = |_: &Path| {
                        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        Ok(())
                    };
                    cache.entry("thing", make).unwrap();
                });
            }
        });
        assert_eq!(count.into_inner(), 1);
    }

    #[test]
    fn programs_are_not_kept_where_others_can_exchange_them() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new("others");
        let folder = scratch.path().join("shared");
        std::fs::create_dir(&folder).unwrap();
        Cache::of_programs(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
        for root in [folder.clone(), folder.join("below")] {
            let error = Cache::of_programs(&root).unwrap_err();
            assert!(
                error.contains("shared can be written by others") && error.contains(VARIABLE),
                "{error}"
            );
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_named() {
        let scratch = Scratch::new("file");
        let file = scratch.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = Cache::at(&file.join("cache")).entry("thing", |_| Ok(())).unwrap_err();
        assert!(
            error.contains("cannot write") && error.contains("file/cache"),
            "{error}"
        );
    }
}
