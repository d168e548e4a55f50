//! The RISC-V compiler of Debian 12, unpacked beside the system rather than installed into it.

use super::cache::{Cache, named_by, verified};
use super::machine::{Downloads, run};
use super::pinned::{FMT, GCC_VERSION, PACKAGES, PROTOBUF, Package};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A stock GCC for bare-metal RISC-V with its libraries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// `riscv64-unknown-elf-g++`.
    pub path: PathBuf,
    /// The folder that the packages are unpacked in.
    pub root: PathBuf,
}

impl Compiler {
    /// The C library: its headers and, below `lib/`, its archives.
    pub fn picolibc(&self) -> PathBuf {
        self.root.join("usr/lib/picolibc/riscv64-unknown-elf")
    }

    /// The compiler's own functions for 32 bits without floating point.
    pub fn libgcc(&self) -> PathBuf {
        let folder = self.root.join("usr/lib/gcc/riscv64-unknown-elf").join(GCC_VERSION);
        folder.join("rv32im/ilp32/libgcc.a")
    }

    /// The headers of the C++ library that are the same for every machine.
    pub fn cxx(&self) -> PathBuf {
        self.root.join("usr/include/c++/12")
    }

    /// Those that describe a machine: another one, they have to be adapted.
    pub fn cxx_of_host(&self) -> PathBuf {
        self.root.join("usr/include/x86_64-linux-gnu/c++/12")
    }
}

/// The pinned compiler, fetched unless it is there.
///
/// # Errors
/// Where the packages cannot be fetched, are not the pinned ones, or the compiler in them does not run.
pub fn compiler(cache: &Cache, downloads: &dyn Downloads) -> Result<Compiler, String> {
    let root = unpacked("gcc", &PACKAGES, cache, downloads)?;
    let path = root.join("usr/bin/riscv64-unknown-elf-g++");
    check_version(&path)?;
    Ok(Compiler { path, root })
}

/// The headers of the library fmt, fetched unless they are there: the folder to include from.
///
/// # Errors
/// Where the package cannot be fetched or is not the pinned one.
pub fn fmt(cache: &Cache, downloads: &dyn Downloads) -> Result<PathBuf, String> {
    unpacked("fmt", &[FMT], cache, downloads).map(|root| root.join("usr/include"))
}

/// A library of C++ for this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// The folder to include from.
    pub include: PathBuf,
    /// What to link.
    pub archive: PathBuf,
}

/// Google's protobuf, fetched unless it is there.
///
/// # Errors
/// Where the package cannot be fetched or is not the pinned one.
pub fn protobuf(cache: &Cache, downloads: &dyn Downloads) -> Result<Library, String> {
    unpacked("protobuf", &[PROTOBUF], cache, downloads).map(|root| Library {
        include: root.join("usr/include"),
        archive: root.join("usr/lib/x86_64-linux-gnu/libprotobuf.a"),
    })
}

/// The entry of the cache with what is needed of these packages.
fn unpacked(name: &str, packages: &[Package], cache: &Cache, downloads: &dyn Downloads) -> Result<PathBuf, String> {
    cache.entry(&named_by(name, &format!("{packages:?}")), |folder| {
        let files = folder.join("packages");
        std::fs::create_dir(&files).map_err(|error| format!("cannot write {}: {error}", files.display()))?;
        downloads.packages(packages, &files)?;
        for package in packages {
            unpack(&verified(&files, package.file)?, package, folder)?;
        }
        std::fs::remove_dir_all(&files).map_err(|error| format!("cannot remove {}: {error}", files.display()))
    })
}

/// Checks that the compiler at `path` runs and is the pinned one.
fn check_version(path: &Path) -> Result<(), String> {
    let said = tt_build::device::version_of(path).map_err(|error| {
        format!(
            "{error}\nIt needs the libraries of the machine's own g++ (libgmp10, libmpfr6, libmpc3, libisl23, libzstd1)"
        )
    })?;
    if said.split_whitespace().any(|word| word == GCC_VERSION) {
        Ok(())
    } else {
        Err(format!("{} is `{said}`, wanted is GCC {GCC_VERSION}", path.display()))
    }
}

/// Unpacks what is needed of `file`.
fn unpack(file: &Path, package: &Package, folder: &Path) -> Result<(), String> {
    let failed = |reason: String| format!("cannot unpack {}: {reason}", package.file.file);
    // `dpkg-deb --fsys-tarfile` writes the archive of files; `tar` takes parts of it.
    let tar = folder.join("packages").join(format!("{}.tar", package.name));
    let out = std::fs::File::create(&tar).map_err(|error| failed(error.to_string()))?;
    let mut dpkg = Command::new("dpkg-deb");
    let status = dpkg
        .arg("--fsys-tarfile")
        .arg(file)
        .stdout(out)
        .status()
        .map_err(|error| failed(format!("`dpkg-deb` does not run: {error}")))?;
    if !status.success() {
        return Err(failed(format!("`dpkg-deb` ended with {status}")));
    }
    let mut command = Command::new("tar");
    command.arg("-xf").arg(&tar).arg("-C").arg(folder);
    if !package.parts.is_empty() {
        command.arg("--wildcards").args(package.parts);
    }
    run(&mut command).map_err(failed)?;
    std::fs::remove_file(&tar).map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_of_another_version_is_refused() {
        // A program that is surely there and runs, and is another one.
        let error = check_version(Path::new("/bin/sh").with_file_name("cat").as_path()).unwrap_err();
        assert!(error.contains("wanted is GCC 12.2.0"), "{error}");
        let error = check_version(Path::new("/no/such/compiler")).unwrap_err();
        assert!(error.contains("does not run") && error.contains("libmpc3"), "{error}");
    }
}
