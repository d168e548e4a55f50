//! What is taken out of the `ttnn` wheel.

use super::cache::{Cache, named_by, verified};
use super::machine::Downloads;
use super::pinned::WHEEL;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The shared library of the host API, as the wheel names it.
const LIBRARY: &str = "ttnn/build/lib/libtt_metal.so";

/// Sources, headers and linker scripts: what compiles on the device or is read while compiling.
const KINDS: [&str; 9] = ["h", "hpp", "inl", "c", "cc", "cpp", "S", "ld", "def"];
/// Files of other kinds.
const OTHERS: [&str; 1] = ["ttnn/tt_metal/sfpi-version"];

/// What entries are made from, and how.
fn recipe() -> String {
    format!("{WHEEL:?}{}", include_str!("wheel.rs"))
}

/// The folder laid out as the runtime's root (`tt_metal/`, `ttnn/cpp/`, `runtime/hw/toolchain/`) with its headers, device
/// sources and linker scripts, adapted to GCC 12.
///
/// # Errors
/// Where the wheel cannot be fetched, is not the pinned one, or cannot be unpacked.
pub fn headers(cache: &Cache, downloads: &dyn Downloads) -> Result<PathBuf, String> {
    let entry = cache.entry(&named_by("headers", &recipe()), |folder| {
        let wheel = file(cache, downloads)?;
        let wanted = |name: &str| {
            let kind = name.rsplit_once('.').map_or("", |(_, kind)| kind);
            OTHERS.contains(&name) || (KINDS.contains(&kind) && !name.starts_with("ttnn/tt_metal/pre-compiled/"))
        };
        unpack(&wheel, folder, &wanted, &adapted)
    })?;
    Ok(entry.join("ttnn"))
}

/// The runtime's shared library.
///
/// # Errors
/// As [`headers`].
pub fn library(cache: &Cache, downloads: &dyn Downloads) -> Result<PathBuf, String> {
    let entry = cache.entry(&named_by("library", &recipe()), |folder| {
        let wheel = file(cache, downloads)?;
        unpack(&wheel, folder, &|name| name == LIBRARY, &|bytes| bytes)
    })?;
    Ok(entry.join(LIBRARY))
}

/// The wheel itself.
fn file(cache: &Cache, downloads: &dyn Downloads) -> Result<PathBuf, String> {
    let entry = cache.entry("wheel-0.81.1", |folder| {
        downloads.wheel(folder)?;
        verified(folder, WHEEL).map(|_| ())
    })?;
    // It may have been damaged since.
    verified(&entry, WHEEL).map_err(|error| format!("{error}\nRemove {} and run again", entry.display()))
}

/// Unpacks the files of `wheel` whose names are `wanted` into `folder`, each as `change` makes it.
fn unpack(
    wheel: &Path,
    folder: &Path,
    wanted: &dyn Fn(&str) -> bool,
    change: &dyn Fn(Vec<u8>) -> Vec<u8>,
) -> Result<(), String> {
    let damaged = |error: &dyn std::fmt::Display| format!("cannot unpack {}: {error}", wheel.display());
    let file = File::open(wheel).map_err(|error| damaged(&error))?;
    let mut archive = zip::ZipArchive::new(std::io::BufReader::new(file)).map_err(|error| damaged(&error))?;
    let mut count = 0;
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).map_err(|error| damaged(&error))?;
        let name = member.name().map_err(|error| damaged(&error))?.into_owned();
        // Names that lead out of the folder are refused.
        let Some(place) = member.enclosed_name() else {
            return Err(damaged(&format!("it has a file named {name}")));
        };
        if member.is_dir() || !wanted(&name) {
            continue;
        }
        let mut bytes = Vec::new();
        std::io::copy(&mut member, &mut bytes).map_err(|error| damaged(&error))?;
        let path = folder.join(place);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, change(bytes)))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        count += 1;
    }
    if count == 0 {
        return Err(damaged(&"it has none of the files that are needed"));
    }
    Ok(())
}

/// Two things in the headers that GCC 12 refuses though they mean nothing it does not know, said as it knows them: a
/// `static_assert(false)` in a branch that is not taken (GCC 13 accepts it), and `#pragma GCC unroll` with a name for the
/// number (GCC 15 does), which is a hint.
fn adapted(bytes: Vec<u8>) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return bytes;
    };
    if !text.contains("static_assert") && !text.contains("#pragma GCC unroll") {
        return bytes;
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let code = line.trim_start();
        let indented = code.len() < line.len();
        if let Some(count) = code.strip_prefix("#pragma GCC unroll ")
            && count
                .trim_start()
                .starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '(')
        {
            out.push_str("#pragma GCC unroll 8\n");
        } else if indented && code.starts_with("static_assert(false,") {
            out.push_str(&line.replacen("static_assert(false,", "static_assert(sizeof(decltype([] {})) == 0,", 1));
        } else {
            out.push_str(line);
        }
    }
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::testing::Scratch;
    use std::io::Write;

    #[test]
    fn only_what_gcc_12_refuses_is_changed() {
        let text = "static_assert(false, \"a\");\n    static_assert(false, \"b\");\n#pragma GCC unroll 4\n\
                    #pragma GCC unroll ITERATIONS\nint x;\n";
        let expected = "static_assert(false, \"a\");\n    static_assert(sizeof(decltype([] {})) == 0, \"b\");\n\
                        #pragma GCC unroll 4\n#pragma GCC unroll 8\nint x;\n";
        assert_eq!(adapted(text.into()), expected.as_bytes());
        assert_eq!(adapted(vec![0xff, 0xfe]), [0xff, 0xfe]);
    }

    /// A wheel with these files, written to `path`.
    fn wheel(path: &Path, files: &[(&str, &str)]) {
        let mut archive = zip::ZipWriter::new(File::create(path).unwrap());
        for (name, text) in files {
            archive
                .start_file(*name, zip::write::SimpleFileOptions::default())
                .unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
    }

    #[test]
    fn only_what_is_wanted_is_unpacked() {
        let scratch = Scratch::new("unpack");
        let file = scratch.path().join("a.whl");
        wheel(
            &file,
            &[("ttnn/a.h", "one"), ("ttnn/b/c.h", "two"), ("ttnn/d.so", "three")],
        );
        let folder = scratch.path().join("out");
        unpack(&file, &folder, &|name| name.ends_with(".h"), &|bytes| bytes).unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("ttnn/b/c.h")).unwrap(), "two");
        assert!(!folder.join("ttnn/d.so").exists());
        let error = unpack(&file, &folder, &|_| false, &|bytes| bytes).unwrap_err();
        assert!(error.contains("none of the files that are needed"), "{error}");
    }

    #[test]
    fn a_wheel_that_is_cut_off_or_leads_elsewhere_or_does_not_fit_leaves_no_entry() {
        let scratch = Scratch::new("damaged");
        let (cut, outside, full) = ["cut", "outside", "full"].map(|name| scratch.path().join(name)).into();
        wheel(
            &cut,
            &[("ttnn/a.h", "some text that is long enough"), ("ttnn/b.h", "more")],
        );
        let bytes = std::fs::read(&cut).unwrap();
        std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
        wheel(&outside, &[("../../outside.h", "text")]);
        // The second file has nowhere to go: where its folder is to be there is the first, as if the disk refused it.
        wheel(&full, &[("ttnn/a.h", "text"), ("ttnn/a.h/b.h", "text")]);
        let cache = Cache::at(&scratch.path().join("cache"));
        for (file, message) in [
            (cut, "cannot unpack"),
            (outside, "it has a file named"),
            (full, "cannot write"),
        ] {
            let made = cache.entry("headers", |folder| unpack(&file, folder, &|_| true, &|bytes| bytes));
            let error = made.unwrap_err();
            assert!(error.contains(message), "{error}");
            assert!(!scratch.path().join("cache/headers").exists());
            assert!(!scratch.path().join("cache/headers.partial").exists());
        }
    }
}
