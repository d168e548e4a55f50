//! A copy of the workspace in which the compiler is broken and built, so that nothing of the repository is touched.

use super::kernels::SAMPLES;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tt_backend::Artifact;
use tt_lang::ir::Kernel;
use xtask::project;

/// What a build of the compiler makes of a kernel.
pub enum Emitted {
    /// What is written, and what the verifier says of it.
    Written(Box<Artifact>, Vec<String>),
    /// It refuses to write anything: why.
    Refused(String),
}

/// What mutants are built from and judged with: compiler, plan, host, emulator, this chore.
const JUDGES: [&str; 13] = [
    "Cargo.lock",
    "tt-backend/examples",
    "tt-backend/src",
    "tt-device/src",
    "tt-emulator/device",
    "tt-emulator/src",
    "tt-host/src",
    "tt-lang/src",
    "tt-plan/src",
    "xtask/conformance/src/emulated.rs",
    "xtask/conformance/src/mutations/judge.rs",
    "xtask/conformance/src/mutations/mod.rs",
    "xtask/conformance/src/mutations/padding.rs",
];

/// How the device headers are asked, and which.
const HEADERS: [&str; 4] = [
    "tt-build/src",
    "xtask/conformance/src/fetch",
    "xtask/conformance/src/headers",
    "xtask/conformance/src/mutations/judge.rs",
];

/// The copy, with a target folder of its own beside it.
pub struct Scratch {
    /// Where everything of this chore is.
    pub folder: PathBuf,
    workspace: PathBuf,
    /// A number for everything that mutants are built from and judged with.
    pub digest: String,
    /// A number for how the device headers are asked.
    pub headers: String,
}

impl Scratch {
    /// Copies the workspace, or brings an earlier copy up to date, and writes down `kernels` for [`Scratch::emit`].
    ///
    /// # Errors
    /// Where something cannot be read or written.
    pub fn new(kernels: &[Kernel]) -> Result<Scratch, String> {
        let folder = project::target().join("mutations");
        let workspace = folder.join("workspace");
        let tiles = serde_json::to_string(kernels).map_err(|error| error.to_string())?;
        let mut judged_by = format!("{tiles}{SAMPLES:?}").into_bytes();
        let mut asked_with = Vec::new();
        for file in source_files()? {
            let text = read(&project::root().join(&file))?;
            let is_of = |parts: &[&str]| parts.iter().any(|part| file.starts_with(part));
            if is_of(&JUDGES) {
                judged_by.extend_from_slice(&text);
            }
            if is_of(&HEADERS) {
                asked_with.extend_from_slice(&text);
            }
            write_changed(&workspace.join(&file), &text)?;
        }
        let scratch = Scratch {
            digest: format!("{:016x}", super::digest(&judged_by)),
            headers: format!("{:016x}", super::digest(&asked_with)),
            folder,
            workspace,
        };
        write_changed(&scratch.kernels(), tiles.as_bytes())?;
        Ok(scratch)
    }

    fn kernels(&self) -> PathBuf {
        self.folder.join("kernels.json")
    }

    /// The root of the copy.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Builds the compiler as it stands in the copy and gives what it makes of every kernel.
    ///
    /// # Errors
    /// Where it does not build: a mutant must be a program.
    pub fn emit(&self) -> Result<Vec<Emitted>, String> {
        let target = self.folder.join("target");
        let build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args([
                "build",
                "--quiet",
                "--locked",
                "--package",
                "tt-backend",
                "--example",
                "emit",
            ])
            .current_dir(&self.workspace)
            .env("CARGO_TARGET_DIR", &target)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("RUSTFLAGS", "-Awarnings")
            .output()
            .map_err(|error| format!("cannot start cargo: {error}"))?;
        if !build.status.success() {
            return Err(format!(
                "the compiler does not build:\n{}",
                String::from_utf8_lossy(&build.stderr)
            ));
        }
        let run = Command::new(target.join("debug/examples/emit"))
            .arg(self.kernels())
            .output()
            .map_err(|error| format!("cannot start the compiler: {error}"))?;
        if !run.status.success() {
            return Err(format!("the compiler fails:\n{}", String::from_utf8_lossy(&run.stderr)));
        }
        let list: Vec<Value> = serde_json::from_slice(&run.stdout).map_err(|error| error.to_string())?;
        list.iter().map(emitted).collect()
    }
}

fn emitted(value: &Value) -> Result<Emitted, String> {
    let messages = |name: &str| -> Option<Vec<String>> {
        let list = value[name].as_array()?;
        Some(list.iter().filter_map(Value::as_str).map(str::to_string).collect())
    };
    if let Some(reasons) = messages("refused") {
        return Ok(Emitted::Refused(reasons.join("; ")));
    }
    let text = |name: &str| match value[name].as_str() {
        Some(text) => Ok(text.to_string()),
        None => Err(format!("the compiler's answer has no `{name}`")),
    };
    let artifact = Artifact {
        reader: text("reader")?,
        compute: text("compute")?,
        writer: text("writer")?,
        main: text("main")?,
        plan: text("plan")?,
        later: Vec::new(),
        stages: Vec::new(),
    };
    let faults = messages("faults").ok_or("the compiler's answer has no `faults`")?;
    Ok(Emitted::Written(Box::new(artifact), faults))
}

/// The files of the repository, as git knows them and those not yet added, below its root.
fn source_files() -> Result<Vec<PathBuf>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(project::root())
        .output()
        .map_err(|error| format!("cannot start git: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "git ls-files fails: {}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let names = String::from_utf8_lossy(&output.stdout);
    let files = names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from);
    Ok(files.filter(|file| project::root().join(file).is_file()).collect())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Writes a file unless it has this content already, so that cargo sees only what changed.
pub fn write_changed(path: &Path, content: &[u8]) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    project::write(path, content)
}
