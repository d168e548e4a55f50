//! Downloads with the clients that this machine has configured: pip and apt-get.

use super::pinned::{Package, TTNN_VERSION};
use std::path::Path;
use std::process::{Command, Output};

/// Where files come from. Tests put something else in its place.
pub trait Downloads {
    /// Puts the wheel into `folder`.
    ///
    /// # Errors
    /// Why it could not.
    fn wheel(&self, folder: &Path) -> Result<(), String>;
    /// Puts these Debian packages into `folder`.
    ///
    /// # Errors
    /// Why it could not.
    fn packages(&self, packages: &[Package], folder: &Path) -> Result<(), String>;
}

/// This machine.
#[derive(Debug, Clone, Copy)]
pub struct Machine;

impl Downloads for Machine {
    fn wheel(&self, folder: &Path) -> Result<(), String> {
        let failed = |reason: String| {
            format!("cannot download ttnn {TTNN_VERSION} with pip, which needs the network once: {reason}")
        };
        pip().map_err(failed)?;
        let mut command = Command::new("python3");
        command
            .args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
            ])
            // The wheel is large, and what it comes through may be slow to begin.
            .args(["--timeout", "60"])
            .args([
                "--python-version",
                "3.10",
                "--platform",
                "manylinux_2_34_x86_64",
                "--only-binary=:all:",
            ])
            .arg(format!("ttnn=={TTNN_VERSION}"))
            .arg("--dest")
            .arg(folder);
        run(&mut command).map_err(failed)
    }

    fn packages(&self, packages: &[Package], folder: &Path) -> Result<(), String> {
        let wanted: Vec<String> = packages
            .iter()
            .map(|package| format!("{}={}", package.name, package.version))
            .collect();
        let failed = |reason: String| {
            format!(
                "cannot download the packages {} with apt-get, which Debian 12 for x86-64 has and which needs the network once: {reason}",
                wanted.join(" ")
            )
        };
        let download = || {
            let mut command = Command::new("apt-get");
            // As root apt-get downloads as a user of its own, to whom our folder is closed.
            command
                .args(["-qq", "-o", "APT::Sandbox::User=root", "download"])
                .args(&wanted)
                .current_dir(folder);
            run(&mut command)
        };
        let Err(first) = download() else { return Ok(()) };
        if !is_root() {
            return Err(failed(format!(
                "{first}\nIf its lists are old or missing, run as root: apt-get update"
            )));
        }
        run(Command::new("apt-get").args(["-qq", "update"])).map_err(failed)?;
        download().map_err(failed)
    }
}

/// Makes sure that `python3 -m pip` runs; as root installs it where it does not.
fn pip() -> Result<(), String> {
    let works = || run(Command::new("python3").args(["-m", "pip", "--version"]));
    let Err(reason) = works() else { return Ok(()) };
    if !is_root() {
        return Err(format!("{reason}\nInstall the package python3-pip"));
    }
    let install = || {
        let mut command = Command::new("apt-get");
        command.args(["-qq", "install", "--yes", "--no-install-recommends", "python3-pip"]);
        run(command.env("DEBIAN_FRONTEND", "noninteractive"))
    };
    if install().is_err() {
        run(Command::new("apt-get").args(["-qq", "update"]))?;
        install().map_err(|error| format!("{reason}\nInstalling the package python3-pip failed: {error}"))?;
    }
    works()
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Runs `command`; where it fails, its last words.
pub(super) fn run(command: &mut Command) -> Result<(), String> {
    output(command).map(|_| ())
}

/// Runs `command` for its output.
pub(super) fn output(command: &mut Command) -> Result<Output, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .env("LC_ALL", "C")
        .output()
        .map_err(|error| format!("`{name}` does not run: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    // Lines of a Python traceback that are indented quote pip's own source.
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with(' '))
        .collect();
    let last = lines[lines.len().saturating_sub(4)..].join("\n");
    Err(format!("`{name}` ended with {}: {last}", output.status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_of_a_command_that_fails_are_told() {
        let error =
            run(Command::new("sh").args(["-c", "echo one >&2; echo no route to host >&2; exit 3"])).unwrap_err();
        assert!(
            error.contains("exit status: 3") && error.contains("no route to host"),
            "{error}"
        );
        let error = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(error.contains("`no-such-program-here` does not run"), "{error}");
    }
}
