//! The folders of emitted files under `OUT_DIR/tt`: written whole or not at all, and rewritten only where they change.

use crate::error::BuildError;
use crate::kernels::Found;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tt_backend::Artifact;
use tt_plan::Plan;

/// The folder below `OUT_DIR/tt` for what was compiled ahead of time; no crate can have this name with kernels in it, since
/// kernels lie one level deeper.
pub(crate) const PRECOMPILED: &str = "precompiled";

/// All folders of kernels of this build.
pub(crate) struct Folders {
    root: PathBuf,
    /// Every folder taken, with the digest of what is in it.
    taken: BTreeMap<PathBuf, String>,
    files: BTreeSet<PathBuf>,
}

impl Folders {
    pub fn new(root: PathBuf) -> Self {
        Folders {
            root,
            taken: BTreeMap::new(),
            files: BTreeSet::new(),
        }
    }

    /// Writes what was emitted for `kernel`. Where two kernels have the same path (in two functions, or in a library and a
    /// binary of the same name), the second one's folder gets a number.
    pub fn write(&mut self, kernel: &Found, artifact: &Artifact) -> Result<(), BuildError> {
        let digest = artifact.digest();
        let base = kernel
            .modules
            .iter()
            .fold(self.root.clone(), |path, module| path.join(module));
        let mut folder = base.join(kernel.name());
        let mut number = 2;
        while let Some(other) = self.taken.get(&folder) {
            if *other == digest {
                return Ok(());
            }
            folder = base.join(format!("{}-{number}", kernel.name()));
            number += 1;
        }
        self.taken.insert(folder.clone(), digest);
        for (_, name, text) in artifact.sources().into_iter().flatten() {
            self.file(folder.join(name), text)?;
        }
        self.file(folder.join("main.cpp"), &artifact.main)?;
        self.file(folder.join("tt.plan.json"), &artifact.plan)?;
        let unreadable = |error: &dyn std::fmt::Display| BuildError::Plan(error.to_string());
        let report = Plan::from_json(&artifact.plan)
            .map_err(|error| unreadable(&error))?
            .report();
        let json = serde_json::to_string_pretty(&report).map_err(|error| unreadable(&error))?;
        self.file(folder.join("report.txt"), &report.to_string())?;
        self.file(folder.join("report.json"), &(json + "\n"))?;
        for (number, stage) in artifact.stages.iter().enumerate() {
            let name: String = stage
                .name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
                .collect();
            self.file(folder.join("ir").join(format!("{number:02}_{name}.txt")), &stage.text)?;
        }
        Ok(())
    }

    /// The folders written, each with the digest of what is in it.
    pub fn written(&self) -> BTreeMap<PathBuf, String> {
        self.taken.clone()
    }

    fn file(&mut self, path: PathBuf, text: &str) -> Result<(), BuildError> {
        self.bytes(path, text.as_bytes())
    }

    /// Writes a file of this build.
    pub fn bytes(&mut self, path: PathBuf, bytes: &[u8]) -> Result<(), BuildError> {
        write_if_changed(&path, bytes)?;
        self.files.insert(path);
        Ok(())
    }

    /// Removes what earlier builds left of kernels that are no more.
    pub fn remove_others(&self) -> Result<(), BuildError> {
        if self.root.is_dir() {
            self.sweep(&self.root)?;
        }
        Ok(())
    }

    /// Removes files that are not of this build below `folder`; gives back whether it is empty now.
    fn sweep(&self, folder: &Path) -> Result<bool, BuildError> {
        let mut empty = true;
        let entries = std::fs::read_dir(folder).map_err(BuildError::file("read", folder))?;
        for entry in entries {
            let path = entry.map_err(BuildError::file("read", folder))?.path();
            if path == self.root.join(PRECOMPILED) {
                empty = false;
            } else if path.is_dir() {
                if self.sweep(&path)? {
                    std::fs::remove_dir(&path).map_err(BuildError::file("remove", &path))?;
                } else {
                    empty = false;
                }
            } else if self.files.contains(&path) {
                empty = false;
            } else {
                std::fs::remove_file(&path).map_err(BuildError::file("remove", &path))?;
            }
        }
        Ok(empty)
    }

    pub fn into_written(self) -> Vec<PathBuf> {
        self.taken.into_keys().collect()
    }
}

/// Puts `bytes` at `path` in one step, unless they are there already.
pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    if std::fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(BuildError::file("create", folder))?;
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(name);
    std::fs::write(&partial, bytes).map_err(BuildError::file("write", &partial))?;
    std::fs::rename(&partial, path).map_err(BuildError::file("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tt_backend::Stage;

    fn artifact(text: &str) -> Artifact {
        Artifact {
            reader: format!("reader {text}"),
            compute: String::new(),
            writer: String::new(),
            main: String::new(),
            plan: include_str!("../../tt-host/tests/kernels/copy.plan.json").into(),
            later: Vec::new(),
            stages: vec![Stage {
                name: "A1 infer_layout".into(),
                text: "layout".into(),
            }],
        }
    }

    fn found(name: &str) -> Found {
        Found {
            modules: vec!["shop".into(), "floor".into()],
            function: name.into(),
            constants: Vec::new(),
            way: tt_plan::Way::Written,
            is_reference: false,
            outcome: Err(Vec::new()),
        }
    }

    #[test]
    fn folders_follow_modules_and_lose_what_is_no_more() {
        let root = std::env::temp_dir().join(format!("tt-build-folders-{}", std::process::id()));
        let note = root.join(PRECOMPILED).join("digest");
        write_if_changed(&note, b"reader key symbol").unwrap();

        let mut first = Folders::new(root.clone());
        first.write(&found("matmul"), &artifact("one")).unwrap();
        first.write(&found("old"), &artifact("one")).unwrap();
        first.remove_others().unwrap();
        assert!(root.join("shop/floor/old/reader.cpp").is_file());
        assert!(root.join("shop/floor/matmul/ir/00_A1_infer_layout.txt").is_file());

        let mut second = Folders::new(root.clone());
        second.write(&found("matmul"), &artifact("one")).unwrap();
        // The same text under the same name is one kernel; another text is another.
        second.write(&found("matmul"), &artifact("one")).unwrap();
        second.write(&found("matmul"), &artifact("two")).unwrap();
        second.remove_others().unwrap();
        assert!(!root.join("shop/floor/old").exists());
        assert!(note.is_file(), "what was compiled is not swept with the sources");
        let text = std::fs::read_to_string(root.join("shop/floor/matmul-2/reader.cpp")).unwrap();
        assert_eq!(text, "reader two");
        assert_eq!(second.into_written().len(), 2);
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn what_is_the_same_is_not_written_again() {
        let path = std::env::temp_dir().join(format!("tt-build-same-{}", std::process::id()));
        write_if_changed(&path, b"text").unwrap();
        let before = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        write_if_changed(&path, b"text").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), before);
        write_if_changed(&path, b"other").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"other");
        std::fs::remove_file(&path).unwrap();
    }
}
