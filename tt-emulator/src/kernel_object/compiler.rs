//! The machine's C++ compiler.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use super::{KernelError, KernelSource};

/// Flags that shared objects are linked with.
pub(super) const LINK_FLAGS: &[&str] = &["-shared", "-Wl,--as-needed", "-Wl,--no-undefined"];

/// Flags that all kernels are compiled with.
pub(super) const FLAGS: &[&str] = &[
    "-std=c++20",
    "-O2",
    "-fPIC",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-strict-aliasing",
    "-fno-threadsafe-statics",
    "-fno-asynchronous-unwind-tables",
    "-fvisibility=hidden",
    "-w",
];

/// Most of a compiler's words that an error repeats.
const OUTPUT_LIMIT: usize = 6000;

/// A compiler that answers.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    program: PathBuf,
    arguments: Vec<String>,
    /// What it says about itself.
    pub identity: String,
}

/// What to make.
pub(super) enum Output<'a> {
    Object(&'a Path),
    Shared(&'a Path),
}

/// The compiler that `CXX` names, else the first of `c++`, `g++`, `clang++` on the PATH.
pub(super) fn find() -> Result<Compiler, KernelError> {
    /// `CXX` and `PATH`.
    type Environment = (Option<String>, Option<String>);
    /// Compilers found before, by the environment that found them.
    static FOUND: Mutex<Vec<(Environment, Compiler)>> = Mutex::new(Vec::new());
    let variable = |name| std::env::var(name).ok().filter(|text: &String| !text.trim().is_empty());
    let environment = (variable("CXX"), variable("PATH"));
    let mut found = FOUND.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, compiler)) = found
        .iter()
        .find(|(known, compiler)| *known == environment && compiler.is_there())
    {
        return Ok(compiler.clone());
    }
    let candidates = match &environment.0 {
        Some(text) => vec![text.clone()],
        None => ["c++", "g++", "clang++"].map(str::to_owned).to_vec(),
    };
    for candidate in &candidates {
        let mut words = candidate.split_whitespace().map(str::to_owned);
        let Some(name) = words.next() else { continue };
        let arguments: Vec<String> = words.collect();
        let Some(program) = on_path(&name, environment.1.as_deref()) else {
            continue;
        };
        if let Some(identity) = identify(&program, &arguments) {
            let compiler = Compiler {
                program,
                arguments,
                identity,
            };
            found.retain(|(known, _)| *known != environment);
            found.push((environment, compiler.clone()));
            return Ok(compiler);
        }
    }
    Err(KernelError::NoCompiler { tried: candidates })
}

fn on_path(name: &str, path: Option<&str>) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    std::env::split_paths(OsStr::new(path?))
        .map(|directory| directory.join(name))
        .find(|path| path.is_file())
}

fn identify(program: &Path, arguments: &[String]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let modified = std::fs::metadata(program).and_then(|file| file.modified()).ok();
    output.status.success().then(|| {
        format!(
            "{} {arguments:?} {modified:?} {}",
            program.display(),
            String::from_utf8_lossy(&output.stdout)
        )
    })
}

impl Compiler {
    fn is_there(&self) -> bool {
        self.program.is_file()
    }

    /// Compiles a translation unit. The text goes through a pipe, so only the output touches the disk.
    pub fn compile(
        &self,
        source: &KernelSource,
        text: &str,
        include: &Path,
        output: Output<'_>,
    ) -> Result<(), KernelError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(FLAGS);
        match output {
            Output::Object(path) => command.arg("-c").arg("-o").arg(path),
            Output::Shared(path) => command.args(LINK_FLAGS).arg("-o").arg(path),
        };
        if let Some(directory) = &source.directory {
            command.arg("-iquote").arg(directory);
        }
        for directory in std::iter::once(include).chain(source.include_directories.iter().map(PathBuf::as_path)) {
            command.arg("-I").arg(directory);
        }
        command.args(["-x", "c++", "-"]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let failed = |error| KernelError::Files {
            action: format!("run {}", self.program.display()),
            error,
        };
        let mut child = command.spawn().map_err(failed)?;
        let text = text.to_owned();
        // A thread feeds the compiler, so that neither side waits for a full pipe of the other. A compiler that stops
        // reading says why on its own.
        let feeder = child
            .stdin
            .take()
            .map(|mut pipe| std::thread::spawn(move || pipe.write_all(text.as_bytes())));
        let result = child.wait_with_output().map_err(failed)?;
        if let Some(feeder) = feeder {
            let _ = feeder.join();
        }
        if result.status.success() {
            return Ok(());
        }
        let mut words = String::from_utf8_lossy(&result.stderr).into_owned();
        if words.len() > OUTPUT_LIMIT {
            let end = (0..=OUTPUT_LIMIT)
                .rev()
                .find(|index| words.is_char_boundary(*index))
                .unwrap_or(0);
            words.truncate(end);
            words.push_str("\n..");
        }
        let file = source.file.clone();
        let killed = result.status.code().is_none() || words.contains("Killed signal");
        Err(if killed {
            KernelError::Killed {
                file,
                status: format!("{}\n{words}", result.status),
            }
        } else {
            KernelError::Compile { file, output: words }
        })
    }
}
