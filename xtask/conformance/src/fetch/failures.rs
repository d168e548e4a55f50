//! What happens when fetching goes wrong: one message that says what and where, and nothing left that a later run would use.

use super::testing::Scratch;
use super::{Cache, Downloads, Package, WHEEL, compiler, headers, library};
use std::path::Path;

/// Downloads that leave files with this text, or fail with this reason.
struct Fake(Result<&'static str, &'static str>);

impl Fake {
    fn files(&self, folder: &Path, names: &[&str]) -> Result<(), String> {
        let text = self.0.map_err(str::to_string)?;
        for name in names {
            std::fs::write(folder.join(name), text).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl Downloads for Fake {
    fn wheel(&self, folder: &Path) -> Result<(), String> {
        self.files(folder, &[WHEEL.file])
    }

    fn packages(&self, packages: &[Package], folder: &Path) -> Result<(), String> {
        let files: Vec<_> = packages.iter().map(|package| package.file.file).collect();
        self.files(folder, &files)
    }
}

/// What is in the cache besides locks.
fn entries(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !name.ends_with(".lock")).collect()
}

#[test]
fn whatever_is_wrong_with_a_download_leaves_nothing_behind() {
    let scratch = Scratch::new("downloads");
    let cache = Cache::at(scratch.path());
    let offline = Fake(Err("cannot download: temporary failure in name resolution"));
    let truncated = Fake(Ok("PK\x03\x04 and no more"));
    let nothing = Fake(Ok(""));
    for (fake, message) in [
        (&offline, "temporary failure in name resolution"),
        (
            &truncated,
            "damaged or another file than expected: its 16 bytes have the SHA-256",
        ),
        (&nothing, "its 0 bytes have the SHA-256 e3b0c442"),
    ] {
        for (what, outcome) in [
            ("headers", headers(&cache, fake).map(|_| ())),
            ("library", library(&cache, fake).map(|_| ())),
            ("compiler", compiler(&cache, fake).map(|_| ())),
        ] {
            let error = outcome.unwrap_err();
            assert!(error.contains(message), "{what}: {error}");
            assert_eq!(entries(scratch.path()), [""; 0], "{what}: {message}");
        }
    }
}

#[test]
fn a_download_that_leaves_no_file_is_named() {
    struct Silent;
    impl Downloads for Silent {
        fn wheel(&self, _: &Path) -> Result<(), String> {
            Ok(())
        }
        fn packages(&self, _: &[Package], _: &Path) -> Result<(), String> {
            Ok(())
        }
    }
    let scratch = Scratch::new("silent");
    let error = headers(&Cache::at(scratch.path()), &Silent).unwrap_err();
    assert!(error.contains("the download left no ttnn-0.81.1"), "{error}");
    assert_eq!(entries(scratch.path()), [""; 0]);
}

#[test]
fn a_wheel_that_was_damaged_in_the_cache_is_named_and_nothing_is_made_of_it() {
    let scratch = Scratch::new("damaged-later");
    let kept = scratch.path().join("wheel-0.81.1");
    std::fs::create_dir(&kept).unwrap();
    std::fs::write(kept.join(WHEEL.file), "PK\x03\x04 and no more").unwrap();
    let error = headers(&Cache::at(scratch.path()), &Fake(Err("not asked"))).unwrap_err();
    assert!(error.contains("damaged") && error.contains("Remove"), "{error}");
    assert_eq!(entries(scratch.path()), ["wheel-0.81.1"]);
}
