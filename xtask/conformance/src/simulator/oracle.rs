//! The tool that runs launches on the real runtime and a simulated chip: shared/oracle/run_oracle.

use crate::simulator::known;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::project;

/// The tool, found usable.
pub struct Oracle {
    tool: PathBuf,
    /// What went wrong with a spec, by its path; nothing where it ran.
    results: RefCell<BTreeMap<PathBuf, Option<Failure>>>,
}

/// How the simulator begins what it says of an instruction that it does not model.
const UNMODELLED: [&str; 2] = [
    "ERROR: UnsupportedFunctionality: ",
    "ERROR: UnimplementedFunctionality: ",
];

/// What the simulated Wormhole says of numbers of 32 bits on their way to a destination register, a mode that it lacks
/// (patterns.md §7): of integers, and of `f32`.
const UNPACKED: [(&str, &str); 2] = [
    (
        "ERROR: UndefinedBehavior: tensix_unpacr: unpack_to_dst=0 in_data_format=8",
        "integers of 32 bits",
    ),
    (
        "ERROR: UndefinedBehavior: tensix_unpacr: unpack_to_dst=0 in_data_format=0 out_data_format=0",
        "f32",
    ),
];

/// Why a launch did not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// What stands in for the device's compiler cannot put this kernel's values into the vector unit's eight registers
    /// (shared/oracle/README.md, "what a pass proves"): nothing is known of the kernel.
    Compiler,
    /// What it makes of the kernel does not fit where the device has its programs: it writes more code than the device's compiler, whose
    /// binaries `conformance binaries` measures.
    Code,
    /// The simulator does not model an instruction of this kernel, in its words: nothing is known of the kernel.
    Instruction(String),
    /// Anything else, in the tool's words.
    Launch(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Compiler => f.write_str("the stand-in for the device's compiler has no registers left"),
            Failure::Code => {
                f.write_str("the stand-in for the device's compiler makes more code than there is room for")
            }
            Failure::Instruction(what) => write!(f, "the simulator does not model {what}"),
            Failure::Launch(why) => f.write_str(why),
        }
    }
}

impl Failure {
    fn of(result: &Value) -> Option<Failure> {
        if result["ok"] == true {
            return None;
        }
        let texts = [result["error"].as_str(), result["log"].as_str()].into_iter().flatten();
        let lines: Vec<&str> = texts.flat_map(str::lines).collect();
        Some(Failure::told(result["status"].as_str().unwrap_or("failed"), &lines))
    }

    /// Of a launch that ended as `status` says, and said these lines.
    pub fn told(status: &str, lines: &[&str]) -> Failure {
        let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        if lines.iter().any(|line| line.contains("lreg_alloc: ")) {
            return Failure::Compiler;
        }
        if lines
            .iter()
            .any(|line| line.contains("too large for kernel config buffer"))
        {
            return Failure::Code;
        }
        let unpacked = UNPACKED
            .iter()
            .find(|(begin, _)| lines.iter().any(|line| line.contains(begin)));
        if let Some((_, what)) = unpacked {
            return Failure::Instruction(format!("tensix_unpacr: {what} to a destination register"));
        }
        let after = |line: &str| {
            UNMODELLED
                .iter()
                .find_map(|begin| Some(line.split_once(begin)?.1.to_string()))
        };
        if let Some(missing) = lines.iter().find_map(|line| after(line)) {
            return Failure::Instruction(missing);
        }
        // The simulator's message after a process id, or a compiler's after a place, or else the first line.
        let after = |mark: &str| lines.iter().find_map(|line| line.find(mark).map(|at| &line[at..]));
        let telling = after("ERROR: ")
            .or_else(|| after(" error: ").map(|text| &text[8..]))
            .or(lines.first().copied());
        let telling = telling.unwrap_or_default();
        Failure::Launch(format!("{status}: {telling}"))
    }
}

impl Oracle {
    /// The tool at `path`, or beside the repository.
    ///
    /// # Errors
    /// Why there is no simulator.
    pub fn find(path: Option<&Path>) -> Result<Oracle, String> {
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

    /// Runs every spec below `folder`, but for those that ran below `before`, if any, as they are now.
    pub fn run(&self, folder: &Path, jobs: &str, before: Option<&Path>) -> Result<(), String> {
        let summary = folder.join("summary.json");
        let known = before.map_or_else(|| Ok(Vec::new()), |before| known::take(before, folder))?;
        if before.is_some() {
            println!("{} launches ran before as they are now", known.len());
        }
        // That some specs fail is in the summary; that there is none is the tool's failure.
        let output = Command::new(&self.tool)
            .arg("--spec-dir")
            .arg(folder)
            .arg("--summary")
            .arg(&summary)
            .args(["--timeout", "120", "--jobs", jobs])
            .output()
            .map_err(|error| format!("cannot start {}: {error}", self.tool.display()))?;
        let mut results = known::results(&summary).map_err(|error| {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
            format!("{}: {error}\n{said}", self.tool.display())
        })?;
        results.extend(known);
        known::write(&summary, &results)?;
        for result in &results {
            let spec = result["spec"].as_str().ok_or("a result without its spec")?;
            self.results.borrow_mut().insert(folder.join(spec), Failure::of(result));
        }
        Ok(())
    }

    /// What went wrong with the spec in `folder`; nothing where it ran.
    pub fn failure(&self, folder: &Path) -> Option<Failure> {
        match self.results.borrow().get(&folder.join("spec.json")) {
            Some(failure) => failure.clone(),
            None => Some(Failure::Launch("it was not run".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_limit_of_the_tool_is_told_from_a_launch_that_fails() {
        assert_eq!(Failure::of(&json!({ "ok": true })), None);
        let registers = "trisc1 build failed. Log:  error: lreg_alloc: _Z11kernel_mainv: needs more than 8 LREGs (1 values left over, peak 9)";
        let result = json!({ "ok": false, "status": "error", "error": format!("TT_THROW\n{registers}") });
        assert_eq!(Failure::of(&result), Some(Failure::Compiler));
        let instruction = "[1] ERROR: UnsupportedFunctionality: tensix_sfplutfp32: instr_mod1=6";
        let result = json!({ "ok": false, "status": "crash", "error": "process ended", "log": instruction });
        let missing = "tensix_sfplutfp32: instr_mod1=6".to_string();
        assert_eq!(Failure::of(&result), Some(Failure::Instruction(missing)));
        let refused = "trisc1 build failed. Log: k.cpp:3:4: error: no matching function for call to 'f()'";
        let result = json!({ "ok": false, "status": "error", "error": format!("TT_THROW\n{refused}") });
        assert_eq!(
            Failure::of(&result),
            Some(Failure::Launch("error: no matching function for call to 'f()'".into()))
        );
        let result = json!({ "ok": false, "status": "crash", "error": "process ended", "log": "x\n[17] ERROR: UndefinedBehavior: y" });
        assert_eq!(
            Failure::of(&result),
            Some(Failure::Launch("crash: ERROR: UndefinedBehavior: y".into()))
        );
    }

    #[test]
    fn a_missing_tool_is_said() {
        let error = Oracle::find(Some(Path::new("/nowhere/run_oracle"))).err().unwrap();
        assert_eq!(error, "no simulator: there is no /nowhere/run_oracle");
    }
}
