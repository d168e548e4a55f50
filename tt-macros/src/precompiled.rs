//! What `tt-build` compiled ahead of time: one file per artifact in `OUT_DIR`, named by the artifact's digest, with one
//! line `role key symbol` for each object that is linked into the program.

use std::path::Path;
use tt_backend::Artifact;

/// An object that is linked into the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Object {
    /// `reader`, `compute` or `writer`.
    pub(crate) role: String,
    /// What the loader looks it up by.
    pub(crate) key: String,
    /// Its entry.
    pub(crate) symbol: String,
}

/// The objects made for `artifact`: none where the crate has no build script, or one that failed to
/// find a compiler, since those kernels are compiled at their first launch.
pub(crate) fn objects(artifact: &Artifact) -> Vec<Object> {
    let Some(folder) = std::env::var_os("OUT_DIR") else {
        return Vec::new();
    };
    let file = Path::new(&folder)
        .join("tt")
        .join("precompiled")
        .join(artifact.digest());
    std::fs::read_to_string(file)
        .map(|text| read(&text))
        .unwrap_or_default()
}

fn read(text: &str) -> Vec<Object> {
    text.lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace().map(str::to_string);
            let object = Object {
                role: words.next()?,
                key: words.next()?,
                symbol: words.next()?,
            };
            words.next().is_none().then_some(object)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_an_object() {
        let objects = read("reader 0a1b tt_kernel_0a1b\nwriter 2c tt_kernel_2c\n");
        assert_eq!(objects.len(), 2);
        assert_eq!(objects[1].symbol, "tt_kernel_2c");
        assert_eq!(objects[0].role, "reader");
    }
}
