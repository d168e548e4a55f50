//! Scratch folders for tests.

use std::path::{Path, PathBuf};

/// A folder that is removed when the test ends.
pub struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder; `name` tells the tests of this program apart.
    pub fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("tt-conformance-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left in the folder for temporary files does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
