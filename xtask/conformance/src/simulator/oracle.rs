//! The tool that runs launches on the real runtime and a simulated chip: shared/oracle/run_oracle.

use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::project;

/// The tool, found usable.
pub struct Oracle {
    tool: PathBuf,
    /// What went wrong with a spec, by its path; nothing where it ran.
    results: RefCell<BTreeMap<PathBuf, Option<String>>>,
}

impl Oracle {
    /// The tool at `path`, or beside the repository.
    ///
    /// # Errors
    /// Why there is no simulator.
    pub fn find(path: Option<&str>) -> Result<Oracle, String> {
        let tool = path.map_or_else(|| project::root().join("../shared/oracle/run_oracle"), PathBuf::from);
        if !tool.is_file() {
            return Err(format!("no simulator: there is no {}", tool.display()));
        }
        let check = Command::new(&tool)
            .arg("--check")
            .output()
            .map_err(|error| format!("no simulator: cannot start {}: {error}", tool.display()))?;
        if !check.status.success() {
            let text = [check.stdout, check.stderr].concat();
            let text = String::from_utf8_lossy(&text).trim().to_string();
            return Err(format!("no simulator: {} says: {text}", tool.display()));
        }
        Ok(Oracle {
            tool,
            results: RefCell::default(),
        })
    }

    /// Runs every spec below `folder`.
    pub fn run(&self, folder: &Path, jobs: &str) -> Result<(), String> {
        let summary = folder.join("summary.json");
        // That some specs fail is in the summary; that there is none is the tool's failure.
        let output = Command::new(&self.tool)
            .arg("--spec-dir")
            .arg(folder)
            .arg("--summary")
            .arg(&summary)
            .args(["--timeout", "120", "--jobs", jobs])
            .output()
            .map_err(|error| format!("cannot start {}: {error}", self.tool.display()))?;
        let text = std::fs::read_to_string(&summary).map_err(|error| {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
            format!("{} left no {}: {error}\n{said}", self.tool.display(), summary.display())
        })?;
        let value: Value =
            serde_json::from_str(&text).map_err(|error| format!("{} is no JSON: {error}", summary.display()))?;
        let results = value["results"]
            .as_array()
            .ok_or_else(|| format!("{} has no results", summary.display()))?;
        for result in results {
            let spec = result["spec"].as_str().ok_or("a result without its spec")?;
            let failure = (result["ok"] != true).then(|| {
                let status = result["status"].as_str().unwrap_or("failed");
                let error = [result["log"].as_str(), result["error"].as_str()].into_iter().flatten();
                let error: Vec<&str> = error.flat_map(str::lines).collect();
                let telling = error.iter().find(|line| line.contains("ERROR: "));
                format!("{status}: {}", telling.or(error.first()).unwrap_or(&"").trim())
            });
            self.results.borrow_mut().insert(folder.join(spec), failure);
        }
        Ok(())
    }

    /// What went wrong with the spec in `folder`; nothing where it ran.
    pub fn failure(&self, folder: &Path) -> Option<String> {
        match self.results.borrow().get(&folder.join("spec.json")) {
            Some(failure) => failure.clone(),
            None => Some("it was not run".into()),
        }
    }
}
