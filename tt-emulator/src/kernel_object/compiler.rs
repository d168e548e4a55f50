//! The machine's C++ compiler.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use super::key::Hash;
use super::time_limit::output_within;
use super::{KernelError, KernelSource, sfpi};
use crate::settings::{self, SettingError};

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
    "-fstack-clash-protection",
    "-fvisibility=hidden",
    "-w",
];

/// Most of a compiler's words that an error repeats.
const OUTPUT_LIMIT: usize = 6000;

/// A compiler that answers.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    program: PathBuf,
    arguments: Vec<OsString>,
    /// What it says about itself.
    identity: String,
}

/// What to make.
pub(super) enum Output<'a> {
    Object(&'a Path),
    #[cfg(feature = "engine")]
    Shared(&'a Path),
    /// A shared object whose kernels run once or twice: what making them faster takes is not worth it.
    #[cfg(feature = "engine")]
    Together(&'a Path),
}

/// The compiler that `CXX` names, else the first of `c++`, `g++`, `clang++` on the PATH that answers.
///
/// # Errors
/// [`KernelError::Setting`] where `CXX` names none, [`KernelError::NoCompiler`] where it is not set and there is none,
/// [`KernelError::TooLong`] where one does not say what it is.
pub(super) fn find() -> Result<Compiler, KernelError> {
    /// `CXX` and `PATH`.
    type Environment = (Option<OsString>, Option<OsString>);
    /// Compilers found before, by the environment that found them.
    static FOUND: Mutex<Vec<(Environment, Compiler)>> = Mutex::new(Vec::new());
    let variable = |name| std::env::var_os(name).filter(|value| !value.as_encoded_bytes().trim_ascii().is_empty());
    let environment = (variable("CXX"), variable("PATH"));
    let mut found = FOUND.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, compiler)) = found
        .iter()
        .find(|(known, compiler)| *known == environment && compiler.is_there())
    {
        return Ok(compiler.clone());
    }
    let path = environment.1.as_deref();
    let compiler = match &environment.0 {
        Some(text) => named(text, path)?,
        None => usual(path)?,
    };
    found.retain(|(known, _)| *known != environment);
    found.push((environment, compiler.clone()));
    Ok(compiler)
}

/// What C++ compilers are called.
const NAMES: [&str; 3] = ["c++", "g++", "clang++"];

/// The first of the usual compilers that answers.
fn usual(path: Option<&OsStr>) -> Result<Compiler, KernelError> {
    for name in NAMES {
        if let Ok(compiler) = answering(OsStr::new(name), &[], path)? {
            return Ok(compiler);
        }
    }
    Err(KernelError::NoCompiler {
        tried: NAMES.map(str::to_owned).to_vec(),
    })
}

/// The compiler that a value of `CXX` names: a program, or one with arguments behind it.
fn named(value: &OsStr, path: Option<&OsStr>) -> Result<Compiler, KernelError> {
    let refused = |why: String| {
        let allowed = format!(
            "a C++ compiler, by its path or by its name on the PATH, with arguments behind it ({why}); unset, it is the first \
             of {}",
            NAMES.join(", ")
        );
        KernelError::Setting(SettingError::new("CXX", value, allowed))
    };
    // A path may have spaces in it.
    if Path::new(value).is_file() {
        return answering(value, &[], path)?.map_err(refused);
    }
    let mut words = value
        .as_encoded_bytes()
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(|word| OsStr::from_bytes(word).to_owned());
    let program = words.next().unwrap_or_default();
    answering(&program, &words.collect::<Vec<_>>(), path)?.map_err(refused)
}

/// The first program called `name` that says what it is; else why there is none.
///
/// # Errors
/// [`KernelError::TooLong`] where one hangs: nobody should wait that long for each kernel and hear nothing of it.
fn answering(
    name: &OsStr,
    arguments: &[OsString],
    path: Option<&OsStr>,
) -> Result<Result<Compiler, String>, KernelError> {
    let mut why = format!("there is no {}", name.to_string_lossy());
    for program in on_path(name, path) {
        match identify(&program, arguments)? {
            Ok(identity) => {
                return Ok(Ok(Compiler {
                    program,
                    arguments: arguments.to_vec(),
                    identity,
                }));
            }
            Err(reason) => why = format!("{} --version: {reason}", program.display()),
        }
    }
    Ok(Err(why))
}

/// The files called `name` on the PATH, all of them: the first may not be a program, or one that does not work. An entry that
/// is not absolute counts from here. An empty one would be the folder that happens to be the current one: it is passed over.
fn on_path(name: &OsStr, path: Option<&OsStr>) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = match path {
        _ if name.as_encoded_bytes().contains(&b'/') => return vec![PathBuf::from(name)],
        Some(path) => std::env::split_paths(path).collect(),
        None => Vec::new(),
    };
    folders
        .iter()
        .filter(|folder| !folder.as_os_str().is_empty())
        .filter_map(|folder| std::path::absolute(folder.join(name)).ok())
        .filter(|file| file.is_file())
        .collect()
}

/// What a compiler says about itself, or why it says nothing.
///
/// # Errors
/// [`KernelError::TooLong`] where it does not end.
fn identify(program: &Path, arguments: &[OsString]) -> Result<Result<String, String>, KernelError> {
    let mut command = Command::new(program);
    command.args(arguments).arg("--version").stdout(Stdio::piped());
    let limit = time_limit()?;
    let output = match output_within(&mut command, "", limit) {
        Ok(output) => output.ok_or_else(|| too_long(&command, "to say its version", limit))?,
        Err(error) => return Ok(Err(error.to_string())),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or_default();
        return Ok(Err(format!("{} {first}", output.status).trim_end().to_owned()));
    }
    let modified = std::fs::metadata(program).and_then(|file| file.modified()).ok();
    Ok(Ok(format!(
        "{} {arguments:?} {modified:?} {}",
        program.display(),
        String::from_utf8_lossy(&output.stdout)
    )))
}

/// Seconds that a compiler may take: `TT_EMULATOR_COMPILER_SECONDS`.
fn time_limit() -> Result<u64, KernelError> {
    settings::compiler_seconds().map_err(KernelError::Setting)
}

fn too_long(command: &Command, task: &str, seconds: u64) -> KernelError {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    KernelError::TooLong {
        task: task.to_owned(),
        command: words.join(" "),
        seconds,
    }
}

impl Compiler {
    /// A name for it that no other one has.
    pub fn fingerprint(&self) -> String {
        Hash::new().field(self.identity.as_bytes()).to_string()[..16].to_owned()
    }

    fn is_there(&self) -> bool {
        self.program.is_file()
    }

    /// It, with the flags that all kernels are compiled with.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(FLAGS);
        command
    }

    /// Makes of the header `header` what the compiler has of it after reading it, in `output`.
    #[cfg(feature = "engine")]
    pub fn precompile(&self, header: &Path, output: &Path) -> Result<(), KernelError> {
        let mut command = self.command();
        command.args(["-x", "c++-header"]).arg(header).arg("-o").arg(output);
        let failed = |error| KernelError::Files {
            action: format!("run {}", self.program.display()),
            error,
        };
        let limit = time_limit()?;
        let result = output_within(command.stdout(Stdio::null()), "", limit).map_err(failed)?;
        let result = result.ok_or_else(|| too_long(&command, "to read the standard headers", limit))?;
        match result.status.success() {
            true => Ok(()),
            false => Err(KernelError::Compile {
                file: header.display().to_string(),
                output: String::from_utf8_lossy(&result.stderr).into_owned(),
            }),
        }
    }

    /// Compiles a translation unit. The text goes through a pipe, so only the output touches the disk.
    pub fn compile(
        &self,
        source: &KernelSource,
        text: &str,
        include: &Path,
        output: Output<'_>,
    ) -> Result<(), KernelError> {
        let mut command = self.command();
        match output {
            Output::Object(path) => command.arg("-c").arg("-o").arg(path),
            #[cfg(feature = "engine")]
            Output::Shared(path) => {
                if let Some(header) = super::precompiled::header_for(self) {
                    command.arg("-include").arg(header);
                }
                command.args(LINK_FLAGS).arg("-o").arg(path)
            }
            #[cfg(feature = "engine")]
            Output::Together(path) => command.arg("-O0").args(LINK_FLAGS).arg("-o").arg(path),
        };
        if let Some(directory) = &source.directory {
            command.arg("-iquote").arg(directory);
        }
        for directory in std::iter::once(include).chain(source.include_directories.iter().map(PathBuf::as_path)) {
            command.arg("-I").arg(directory);
        }
        command.args(["-x", "c++", "-"]);
        let failed = |error| KernelError::Files {
            action: format!("run {}", self.program.display()),
            error,
        };
        let limit = time_limit()?;
        let result = output_within(command.stdout(Stdio::null()), text, limit).map_err(failed)?;
        let result = result.ok_or_else(|| too_long(&command, &format!("to compile kernel {}", source.file), limit))?;
        if result.status.success() {
            return Ok(());
        }
        let mut words = String::from_utf8_lossy(&result.stderr).into_owned();
        if let Some(sfpi::Found { file, line, word }) = sfpi::in_output(&words) {
            return Err(KernelError::Sfpi { file, line, word });
        }
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
