//! The production kernels: where the unpacked wheel lies, and what of it kernels may include.

use crate::fetch::{self, Cache, Machine};
use std::path::{Path, PathBuf};
use xtask::project;

/// The wheel of the operations, unpacked.
pub struct Wheel {
    operations: PathBuf,
    view: PathBuf,
}

impl Wheel {
    /// The wheel of the pinned version, which is fetched where it is not there yet.
    ///
    /// # Errors
    /// As [`fetch::headers`] and [`Wheel::at`].
    pub fn fetched() -> Result<Wheel, String> {
        Wheel::at(&fetch::headers(&Cache::of_user()?, &Machine)?)
    }

    /// The wheel at `root`, the folder that holds `ttnn/cpp/ttnn`.
    ///
    /// # Errors
    /// Where there is none, or the view of it cannot be made.
    pub fn at(root: &Path) -> Result<Wheel, String> {
        let operations = root.join("ttnn/cpp/ttnn");
        if !operations.join("operations").is_dir() {
            return Err(format!(
                "{} holds no production kernels: there is no folder ttnn/cpp/ttnn/operations in it",
                root.display()
            ));
        }
        let root = root
            .canonicalize()
            .map_err(|error| format!("cannot find {}: {error}", root.display()))?;
        Ok(Wheel {
            operations,
            view: view(&root)?,
        })
    }

    /// The file of a kernel, by its path below `ttnn/cpp/ttnn`.
    pub fn path(&self, path: &str) -> PathBuf {
        self.operations.join(path)
    }

    /// The text of a kernel.
    pub fn read(&self, path: &str) -> Result<String, String> {
        let path = self.path(path);
        std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    }

    /// The folder of a kernel, which its quoted includes are relative to.
    pub fn directory(&self, path: &str) -> Option<PathBuf> {
        self.operations.join(path).parent().map(Path::to_owned)
    }

    /// Where kernels find each other's headers, as the real build looks for them.
    pub fn include_directories(&self) -> Vec<PathBuf> {
        ["", "ttnn", "ttnn/cpp"].map(|folder| self.view.join(folder)).to_vec()
    }
}

/// A folder in which the wheel's `ttnn` is seen, but not its `tt_metal`: the emulator's headers stand in for those.
fn view(root: &Path) -> Result<PathBuf, String> {
    let target = root.join("ttnn");
    let name: String = target
        .to_string_lossy()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    let folder = project::target().join("production").join(name.trim_matches('-'));
    let failed = |error: std::io::Error| format!("cannot make {}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    match std::os::unix::fs::symlink(&target, folder.join("ttnn")) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(failed(error)),
        _ => Ok(folder),
    }
}
