//! The static library of compiled kernels, one object each.

use crate::error::BuildError;
use std::path::{Path, PathBuf};

/// Makes `lib<name>.a` of `objects` in `folder` and gives back its path.
pub(crate) fn write(folder: &Path, name: &str, objects: &[PathBuf]) -> Result<PathBuf, BuildError> {
    let mut build = cc::Build::new();
    build.cargo_metadata(false).out_dir(folder).objects(objects);
    // Nothing is compiled here, but the archiver is chosen by target.
    build
        .try_compile(name)
        .map_err(|error| BuildError::Archive(error.to_string()))?;
    Ok(folder.join(format!("lib{name}.a")))
}
