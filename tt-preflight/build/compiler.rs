//! Whether there is a C++ compiler.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What users are told to do.
const ADVICE: &str = "tt builds its bridge to the emulator, and at their first launch kernels, with the machine's C++ compiler: install \
                      g++ or clang++ with support for C++20, or set CXX to one";

/// Refuses to go on where the compiler that `cc` would take is not there or knows no C++20. `variable` gives the environment
/// of the build script.
pub fn check(variable: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let (target, host) = (set("TARGET").unwrap_or_default(), set("HOST").unwrap_or_default());
    if target != host {
        // Which compiler builds for another machine is `cc`'s business.
        return Ok(());
    }
    let names = [
        format!("CXX_{target}"),
        format!("CXX_{}", target.replace('-', "_")),
        "HOST_CXX".to_owned(),
        "CXX".to_owned(),
    ];
    let chosen = names
        .iter()
        .find_map(|name| set(name).map(|value| (name.as_str(), value)));
    let text = chosen.as_ref().map_or("c++", |(_, value)| value.as_str());
    let refused = |what: &str| match &chosen {
        Some((name, value)) => format!("{name} is `{value}`, which {what}: {ADVICE}"),
        None => format!("the C++ compiler `c++` {what}: {ADVICE}"),
    };
    let mut words = text.split_whitespace();
    let Some(program) = words.next() else { return Ok(()) };
    let path = set("PATH").unwrap_or_default();
    let found = if program.contains('/') {
        Some(PathBuf::from(program)).filter(|file| file.is_file())
    } else {
        env::split_paths(&path)
            .map(|folder| folder.join(program))
            .find(|file| file.is_file())
    };
    let found = found.ok_or_else(|| refused("is not there"))?;
    let mut command = Command::new(found);
    command
        .args(words)
        .args(["-std=c++20", "-x", "c++", "-fsyntax-only", "-"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(refused("does not compile an empty file with -std=c++20")),
        Err(error) => Err(refused(&format!("cannot be run ({error})"))),
    }
}
