//! The files that a kernel includes and that are not the emulator's own: its neighbours, and those of the include
//! directories it was given. The key of a kernel covers them, and standard headers that they name must be included outside
//! the wrapper's namespace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{KernelError, KernelSource, headers};

/// What a kernel includes, files within files.
#[derive(Debug, Default)]
pub(super) struct Includes {
    /// Files found beside the kernel or in its include directories, each once, with their text.
    pub files: Vec<(PathBuf, String)>,
    /// Headers named in angle brackets that are neither the emulator's nor among `files`, each once: standard headers.
    pub standard: Vec<String>,
}

/// Follows the includes of a kernel.
pub(super) fn of(source: &KernelSource) -> Result<Includes, KernelError> {
    let mut includes = Includes::default();
    let mut seen = BTreeSet::new();
    let mut open = vec![(source.source.clone(), source.directory.clone())];
    while let Some((text, near)) = open.pop() {
        for (name, quoted) in directives(&text) {
            // As the compiler looks for them: quoted ones near the file and the kernel first, the emulator's headers before
            // all directories.
            let beside = [near.as_deref(), source.directory.as_deref()];
            let beside = beside.into_iter().flatten().filter(|_| quoted);
            let neighbour = beside.map(|folder| folder.join(name)).find(|path| path.is_file());
            let found = match neighbour {
                Some(path) => Some(path),
                None if headers::has(name) => continue,
                None => in_directories(&source.include_directories, name),
            };
            let Some(path) = found else {
                if !quoted && !includes.standard.iter().any(|known| known == name) {
                    includes.standard.push(name.to_owned());
                }
                continue;
            };
            if !seen.insert(path.clone()) {
                continue;
            }
            let text = std::fs::read_to_string(&path).map_err(|error| KernelError::Files {
                action: format!("read {}", path.display()),
                error,
            })?;
            open.push((text.clone(), path.parent().map(Path::to_owned)));
            includes.files.push((path, text));
        }
    }
    Ok(includes)
}

fn in_directories(directories: &[PathBuf], name: &str) -> Option<PathBuf> {
    directories
        .iter()
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// The names that a text includes, and whether they are quoted.
fn directives(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.lines().filter_map(|line| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start();
        let name = directive.strip_prefix("include")?.trim_start();
        let (open, rest) = (name.chars().next()?, name.get(1..)?);
        let close = match open {
            '"' => '"',
            '<' => '>',
            _ => return None,
        };
        rest.split_once(close).map(|(name, _)| (name, open == '"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_found_in_any_spelling() {
        let text =
            "#include \"a.h\"\n  #  include \"b/c.h\" // x\n#include <vector>\n// #include \"no.h\"\n#include MACRO\n";
        assert_eq!(
            directives(text).collect::<Vec<_>>(),
            [("a.h", true), ("b/c.h", true), ("vector", false)]
        );
    }

    #[test]
    fn standard_headers_are_told_from_the_emulators_and_from_those_of_directories() {
        let folder = std::env::temp_dir().join(format!("tt-emulator-includes-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("lib")).unwrap();
        std::fs::write(
            folder.join("lib/near.h"),
            "#include <algorithm>\n#include \"beside.h\"\n",
        )
        .unwrap();
        std::fs::write(folder.join("lib/beside.h"), "#include <algorithm>\n").unwrap();
        let source = KernelSource {
            source: "#include <lib/near.h>\n#include <api/dataflow/dataflow_api.h>\n#include <optional>\n".to_owned(),
            include_directories: vec![folder.clone()],
            ..Default::default()
        };
        let includes = of(&source).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(includes.standard, ["optional", "algorithm"]);
        let files: Vec<_> = includes
            .files
            .iter()
            .map(|(path, _)| path.file_name().unwrap())
            .collect();
        assert_eq!(files, ["near.h", "beside.h"]);
    }
}
