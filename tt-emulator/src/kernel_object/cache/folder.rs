//! Folders whose files may be run: those that nobody but this user and root can change.
//!
//! The path is taken apart: every folder above must belong to root or this user, or else its owner could put another one in
//! its place, and must not be writable by others, unless its sticky bit keeps them from each other's files (as in `/tmp`).
//! The same holds for whoever made a symbolic link on the way. What is used afterwards is the path without links.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Why a folder is not used.
#[derive(Debug)]
pub(super) enum Refused {
    /// Others could have put something there; in words.
    Unsafe(String),
    /// It cannot be made or looked at.
    Failed(PathBuf, io::Error),
}

/// This process's user.
pub(super) fn user() -> u32 {
    // SAFETY: the call has no preconditions.
    unsafe { libc::geteuid() }
}

/// The folder `directory`, made where it is not there, without links in its path. `user` is who is to own it.
pub(super) fn private(directory: &Path, user: u32) -> Result<PathBuf, Refused> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| Refused::Failed(path, error)
    };
    let directory = std::path::absolute(directory).map_err(failed(directory))?;
    let present = directory.ancestors().find(|path| path.exists());
    // What is there is checked before anything is made in it.
    check_above(present.unwrap_or(&directory), user)?;
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(&directory).map_err(failed(&directory))?;
    let resolved = check_above(&directory, user)?;
    let metadata = std::fs::symlink_metadata(&resolved).map_err(failed(&resolved))?;
    check_own(&metadata, user).map_err(|why| Refused::Unsafe(format!("{} {why}", resolved.display())))?;
    Ok(resolved)
}

/// The folder `directory` without links in its path, where others may have files of their own beside ours.
pub(super) fn shared(directory: &Path, user: u32) -> Result<PathBuf, Refused> {
    let absolute = std::path::absolute(directory).map_err(|error| Refused::Failed(directory.to_owned(), error))?;
    check_above(&absolute, user)
}

/// Whether a folder or file of our own is one that only `user` can change.
pub(super) fn check_own(metadata: &Metadata, user: u32) -> Result<(), String> {
    if metadata.uid() != user {
        return Err(format!("belongs to user {}, not to user {user}", metadata.uid()));
    }
    match metadata.mode() & 0o022 {
        0 => Ok(()),
        _ => Err(writable(metadata)),
    }
}

/// Checks every folder on the way to `path` and itself, with links and without; gives it without.
fn check_above(path: &Path, user: u32) -> Result<PathBuf, Refused> {
    let failed = |path: &Path, error| Refused::Failed(path.to_owned(), error);
    let resolved = path.canonicalize().map_err(|error| failed(path, error))?;
    for place in path.ancestors().chain(resolved.ancestors()) {
        if place.as_os_str().is_empty() {
            continue;
        }
        let metadata = std::fs::symlink_metadata(place).map_err(|error| failed(place, error))?;
        let verdict = check_shared(&metadata, user);
        verdict.map_err(|why| Refused::Unsafe(format!("{} {why}", place.display())))?;
    }
    Ok(resolved)
}

/// Whether only `user` and root can put something else in the place of what lies in a folder, or of where a link leads.
fn check_shared(metadata: &Metadata, user: u32) -> Result<(), String> {
    let namespace = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    if metadata.uid() != user && metadata.uid() != 0 && is_mapped(&namespace, metadata.uid()) {
        let other = metadata.uid();
        return Err(format!("belongs to user {other}, neither to user {user} nor to root"));
    }
    if metadata.is_symlink() {
        // The mode of a link says nothing.
        return Ok(());
    }
    let (mode, group) = (metadata.mode(), metadata.gid());
    let is_sticky = mode & 0o1000 != 0;
    // A group that has the number of its user is that user's alone, where systems make one for each.
    let group_is_others = mode & 0o020 != 0 && group != 0 && group != user;
    if (mode & 0o002 != 0 || group_is_others) && !is_sticky {
        return Err(writable(metadata));
    }
    Ok(())
}

/// Whether a user is one that this process's namespace knows, by the namespace's map. In a container that has few users, root's
/// own `/` belongs to one that it does not have: that is whoever set the container up, and gave it its folders.
fn is_mapped(namespace: &str, user: u32) -> bool {
    let mut ranges = namespace.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace().map(str::parse::<u64>);
        let (first, _, count) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(first..first + count)
    });
    // A system without namespaces has all users.
    namespace.trim().is_empty() || ranges.any(|range| range.contains(&u64::from(user)))
}

fn writable(metadata: &Metadata) -> String {
    format!("can be written by others (its mode is {:o})", metadata.mode() & 0o7777)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A folder that goes with the test.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let folder = std::env::temp_dir().join(format!("tt-folder-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&folder);
            DirBuilder::new().mode(0o700).create(&folder).unwrap();
            Scratch(folder)
        }

        fn folder(&self, name: &str, mode: u32) -> PathBuf {
            let folder = self.0.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
            folder
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn refusal(result: Result<PathBuf, Refused>) -> String {
        match result {
            Err(Refused::Unsafe(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_made_is_for_this_user_alone() {
        let scratch = Scratch::new("made");
        let folder = private(&scratch.0.join("a/b/c"), user()).unwrap();
        for place in folder.ancestors().take(3) {
            assert_eq!(
                std::fs::metadata(place).unwrap().mode() & 0o777,
                0o700,
                "{}",
                place.display()
            );
        }
    }

    #[test]
    fn folders_that_others_can_write_are_refused_unless_sticky_and_above() {
        let scratch = Scratch::new("modes");
        for (mode, itself, above) in [
            (0o700, true, true),
            (0o755, true, true),
            (0o777, false, false),
            (0o707, false, false),
            (0o703, false, false),
            (0o1777, false, true),
        ] {
            let folder = scratch.folder(&format!("{mode:o}"), mode);
            assert_eq!(private(&folder, user()).is_ok(), itself, "{mode:o}");
            assert_eq!(private(&folder.join("below"), user()).is_ok(), above, "below {mode:o}");
        }
        let text = refusal(private(&scratch.0.join("777/below"), user()));
        assert!(
            text.contains("777 can be written by others (its mode is 777)"),
            "{text}"
        );
        assert!(
            !scratch.0.join("777/below").exists(),
            "nothing is made in an unsafe place"
        );
    }

    #[test]
    fn users_are_those_of_the_namespace() {
        for user in [0, 1000, 65_534] {
            assert!(is_mapped("         0          0 4294967295\n", user) && is_mapped("", user));
        }
        // One user and its subordinates.
        let few = "         0       1000          1\n         1     100000       1000\n";
        assert!(is_mapped(few, 0) && is_mapped(few, 1000) && !is_mapped(few, 1001) && !is_mapped(few, 65_534));
    }

    #[test]
    fn groups_of_several_are_others() {
        let scratch = Scratch::new("groups");
        let folder = scratch.folder("shared", 0o770);
        let group = std::fs::metadata(&folder).unwrap().gid();
        let is_own = group == 0 || group == user();
        assert_eq!(private(&folder.join("below"), user()).is_ok(), is_own);
        // Root may give it to any group; who is not root has shown the other half.
        if user() == 0 {
            std::os::unix::fs::chown(&folder, None, Some(4321)).unwrap();
            let text = refusal(private(&folder.join("below"), user()));
            assert!(text.contains("can be written by others"), "{text}");
        }
    }

    #[test]
    fn folders_and_links_of_others_are_refused() {
        let scratch = Scratch::new("owners");
        let folder = scratch.folder("mine", 0o700);
        let other = user() + 1;
        // Seen by another user, this one's folder is another's; where this one is root, only the last folder tells.
        let text = refusal(private(&folder, other));
        assert!(text.contains(&format!("belongs to user {}", user())), "{text}");
        let link = scratch.0.join("link");
        symlink(&folder, &link).unwrap();
        assert_eq!(private(&link, user()).unwrap(), folder.canonicalize().unwrap());
        if user() == 0 {
            std::os::unix::fs::lchown(&link, Some(4321), None).unwrap();
            let text = refusal(private(&link, 0));
            assert!(text.contains("link belongs to user 4321"), "{text}");
            let above = scratch.folder("theirs", 0o755);
            std::os::unix::fs::chown(&above, Some(4321), None).unwrap();
            let text = refusal(private(&above.join("below"), 0));
            assert!(
                text.contains("theirs belongs to user 4321, neither to user 0"),
                "{text}"
            );
        }
    }
}
