//! What is removed from the cache: leftovers of killed processes, and what was used longest ago where it grows too large.
//!
//! Only what has a name of the cache's own making is looked at, in a folder of the cache's own. Failures do not matter: the
//! next process tries again.

use std::fs::{DirEntry, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::super::{headers, partial};
use super::ENTRY_SUFFIX;

/// Age at which unfinished folders are taken for leftovers, and headers for those of another version's that nobody uses.
const LEFTOVER_AGE: Duration = Duration::from_secs(3600);

/// Something that may go.
struct Item {
    used: SystemTime,
    bytes: u64,
    path: PathBuf,
}

/// Removes leftovers, then what was used longest ago until at most `limit` bytes are left.
pub(super) fn tidy(folder: &Path, limit: u64) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let now = SystemTime::now();
    let mut items = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some((metadata, used)) = seen(&entry) else { continue };
        let is_old = now.duration_since(used).is_ok_and(|age| age > LEFTOVER_AGE);
        if metadata.is_dir() && partial::is_name(&name) {
            if is_old {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        } else if metadata.is_file() && is_entry(&name) {
            items.push(Item {
                used,
                bytes: metadata.len(),
                path: entry.path(),
            });
        } else if metadata.is_dir() && headers::is_folder_name(&name) && is_old {
            items.push(Item {
                used,
                bytes: bytes_below(&entry.path()),
                path: entry.path(),
            });
        }
    }
    items.sort_by_key(|item| item.used);
    let mut total: u64 = items.iter().map(|item| item.bytes).sum();
    for item in items {
        if total <= limit {
            break;
        }
        total -= item.bytes;
        let _ = if item.path.is_dir() {
            std::fs::remove_dir_all(&item.path)
        } else {
            std::fs::remove_file(&item.path)
        };
    }
}

/// What lies there, links not followed, and when it was used last.
fn seen(entry: &DirEntry) -> Option<(Metadata, SystemTime)> {
    let metadata = entry.metadata().ok()?;
    let used = metadata.modified().ok()?;
    Some((metadata, used))
}

/// Whether an entry of the cache can be called so: `<key>-<compiler>.kernel`.
pub(super) fn is_entry(name: &str) -> bool {
    let hexadecimal = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    name.strip_suffix(ENTRY_SUFFIX)
        .and_then(|name| name.split_once('-'))
        .is_some_and(|(key, compiler)| hexadecimal(key, 32) && hexadecimal(compiler, 16))
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::super::super::partial::Partial;
    use super::*;
    use std::fs::File;

    fn age(path: &Path, seconds: u64) {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        File::open(path).unwrap().set_modified(time).unwrap();
    }

    fn entry(folder: &Path, key: u8, seconds: u64) -> PathBuf {
        let path = folder.join(format!("{key:032x}-{:016x}{ENTRY_SUFFIX}", 7));
        std::fs::write(&path, [0; 1000]).unwrap();
        age(&path, seconds);
        path
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let folder = Partial::new(&std::env::temp_dir(), "tt-tidy").unwrap();
        let folder = folder.path();
        let [oldest, newest, middle] = [(1, 300), (2, 100), (3, 200)].map(|(key, age)| entry(folder, key, age));
        tidy(folder, 3000);
        assert!(oldest.exists() && middle.exists() && newest.exists());
        tidy(folder, 2999);
        assert!(!oldest.exists() && middle.exists() && newest.exists());
        tidy(folder, 1000);
        assert!(!middle.exists() && newest.exists());
        tidy(folder, 0);
        assert!(!newest.exists());
    }

    #[test]
    fn only_what_the_cache_made_is_removed() {
        let folder = Partial::new(&std::env::temp_dir(), "tt-tidy").unwrap();
        let folder = folder.path();
        let kept_files = [
            "partial-results.csv",
            "partial-1-2",
            "notes.kernel",
            "0123-7.kernel",
            "libfoo.so",
        ];
        let kept_folders = ["partial-thesis", "partial-1", "headers-of-mine"];
        for name in kept_files {
            std::fs::write(folder.join(name), "mine").unwrap();
        }
        for name in kept_folders {
            std::fs::create_dir(folder.join(name)).unwrap();
            std::fs::write(folder.join(name).join("chapter"), "mine").unwrap();
        }
        let elsewhere = Partial::new(&std::env::temp_dir(), "tt-tidy").unwrap();
        std::fs::write(elsewhere.path().join("mine"), "mine").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.join("partial-3-4")).unwrap();
        for name in ["partial-5-6", "partial-7-8"] {
            std::fs::create_dir(folder.join(name)).unwrap();
        }
        for entry in std::fs::read_dir(folder).unwrap() {
            age(&entry.unwrap().path(), 7200);
        }
        age(&folder.join("partial-7-8"), 10);
        tidy(folder, 0);
        for name in kept_files
            .iter()
            .chain(&kept_folders)
            .chain(&["partial-3-4", "partial-7-8"])
        {
            assert!(folder.join(name).exists(), "{name}");
        }
        assert!(elsewhere.path().join("mine").exists());
        assert!(!folder.join("partial-5-6").exists(), "a leftover");
    }

    #[test]
    fn headers_of_other_versions_go_when_nobody_uses_them() {
        let folder = Partial::new(&std::env::temp_dir(), "tt-tidy").unwrap();
        let folder = folder.path();
        let [old, new] = [1, 2].map(|number| folder.join(format!("headers-{number:032x}")));
        for headers in [&old, &new] {
            std::fs::create_dir(headers).unwrap();
            std::fs::write(headers.join("a.h"), "text").unwrap();
        }
        age(&old, 7200);
        tidy(folder, 0);
        assert!(!old.exists() && new.exists());
    }
}
