//! Building an example and running it on both chips.

use super::FOLDER;
use super::list::{Example, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use xtask::library;

/// The chips, as the emulator calls them.
const CHIPS: [&str; 2] = [tt_device::WORMHOLE_B0.name, tt_device::BLACKHOLE.name];

/// The longest that an example may take: the largest matmul takes half a minute of both threads.
const PATIENCE: Duration = Duration::from_secs(900);

/// What examples are built with.
pub struct Kit {
    /// The folder of sources, which is as upstream's.
    pub sources: PathBuf,
    /// The emulator as a C++ library.
    pub sdk: PathBuf,
    /// Headers of the library fmt.
    pub fmt: PathBuf,
    /// Where programs and what they print go.
    pub programs: PathBuf,
}

impl Kit {
    /// Builds an example and runs it on both chips; gives what was seen in words.
    ///
    /// # Errors
    /// Where something else comes of it than is listed.
    pub fn check(&self, example: &Example) -> Result<String, String> {
        let program = self.built(example)?;
        for chip in CHIPS {
            let (ended_well, said) = self.run(&program, example, chip)?;
            match &example.outcome {
                Outcome::Verified(words) | Outcome::Runs(words) if ended_well && said.contains(words) => {}
                // A host program that does not wait ends well, and says what failed.
                Outcome::Stopped(words, _) if said.contains(words) => {}
                Outcome::Stopped(..) if ended_well => {
                    return Err(format!("runs on {chip} though it is listed as stopped"));
                }
                _ => {
                    let lines: Vec<&str> = said.lines().collect();
                    let last = lines[lines.len().saturating_sub(12)..].join("\n");
                    return Err(format!("on {chip} it said\n{last}"));
                }
            }
        }
        Ok(match &example.outcome {
            Outcome::Verified(_) => "verified".into(),
            Outcome::Runs(_) => "ran".into(),
            Outcome::Stopped(words, _) => format!("stopped: {words}"),
            Outcome::Outside(_) => "not built".into(),
        })
    }

    fn built(&self, example: &Example) -> Result<PathBuf, String> {
        let program = self
            .programs
            .join(example.host.trim_end_matches(".cpp").replace('/', "-"));
        std::fs::create_dir_all(&self.programs)
            .map_err(|error| format!("cannot write {}: {error}", self.programs.display()))?;
        let examples = self.sources.join(FOLDER);
        let lib = self.sdk.join("lib");
        let mut compiler = library::compiler();
        compiler.args(["-std=c++20", "-O1", "-w", "-DFMT_HEADER_ONLY"]);
        // As upstream's CMakeLists.txt.
        compiler.arg(format!("-DOVERRIDE_KERNEL_PREFIX=\"{FOLDER}/\""));
        let folders = [
            self.sdk.join("include"),
            self.fmt.clone(),
            examples.join("matmul"),
            examples.join("matmul/matmul_common"),
        ];
        for folder in folders {
            compiler.arg("-I").arg(folder);
        }
        compiler
            .arg(examples.join(example.host))
            .arg("-L")
            .arg(&lib)
            .arg("-ltt_metal");
        compiler
            .arg(format!("-Wl,-rpath,{}", lib.display()))
            .arg("-o")
            .arg(&program);
        let output = compiler
            .output()
            .map_err(|error| format!("cannot start the C++ compiler: {error}"))?;
        if output.status.success() {
            return Ok(program);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let errors: Vec<&str> = said.lines().filter(|line| line.contains("error")).take(6).collect();
        Err(format!("does not build:\n{}", errors.join("\n")))
    }

    /// Runs a program where upstream's examples are run; whether it ended well, and what it printed.
    fn run(&self, program: &Path, example: &Example, chip: &str) -> Result<(bool, String), String> {
        let printed = program.with_extension(format!("{chip}.txt"));
        let fail = |error: std::io::Error| format!("cannot run {}: {error}", program.display());
        let file = std::fs::File::create(&printed).map_err(fail)?;
        let mut child = Command::new(program)
            .args(example.arguments)
            .current_dir(&self.sources)
            .env("TT_EMULATOR_ARCH", chip)
            .env("TT_EMULATOR_ALLOW", example.allow)
            // Kernels of out-of-tree programs are looked for here.
            .env("TT_METAL_HOME", &self.sources)
            .env_remove("TT_METAL_DEVICE_PROFILER")
            .stdout(file.try_clone().map_err(fail)?)
            .stderr(file)
            .spawn()
            .map_err(fail)?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait().map_err(fail)? {
                Some(status) => break status,
                None if start.elapsed() > PATIENCE => {
                    // A program that has ended by itself meanwhile is as good.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!("did not end on {chip} within {} s", PATIENCE.as_secs()));
                }
                None => std::thread::sleep(Duration::from_millis(50)),
            }
        };
        let said = std::fs::read(&printed).map_err(fail)?;
        Ok((status.success(), String::from_utf8_lossy(&said).into_owned()))
    }
}
