//! What the tests stand on: a turn with an environment of its own, kernels, and children.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tt_emulator::kernel_config::{DataMovementProcessor, KernelRole};
use tt_emulator::kernel_object::KernelSource;
use tt_emulator::{ArchName, Device, Program, launch};

pub const ROLE: KernelRole = KernelRole::DataMovement {
    processor: DataMovementProcessor::Brisc,
    noc: 0,
};
pub const ARCH: ArchName = ArchName::WormholeB0;
pub const CACHE: &str = "TT_EMULATOR_CACHE";

/// A turn with a fresh folder and its own environment; puts the environment back at the end.
pub struct Turn {
    pub folder: PathBuf,
    saved: Vec<(&'static str, Option<OsString>)>,
    _turn: MutexGuard<'static, ()>,
}

impl Turn {
    pub fn new(name: &str) -> Turn {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        // Not in the folder of the build, which may be another user's than the one who runs the tests.
        let folder = std::env::temp_dir()
            .join(format!("tt-kernel-cache-{}", std::process::id()))
            .join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let mut turn = Turn {
            folder,
            saved: Vec::new(),
            _turn: turn,
        };
        let cache = turn.cache();
        turn.set(CACHE, &cache);
        turn
    }

    pub fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    pub fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.saved.push((name, std::env::var_os(name)));
        Turn::put(name, Some(&value.into()));
    }

    fn put(name: &str, value: Option<&OsString>) {
        // SAFETY: turns are taken under a lock, and all that read the environment run inside one.
        unsafe {
            match value {
                Some(value) => std::env::set_var(name, value),
                None => std::env::remove_var(name),
            }
        }
    }

    /// A compiler that is a shell script; `$REAL` is the machine's own.
    pub fn set_compiler(&mut self, name: &str, script: &str) {
        let path = self.folder.join(name);
        fs::write(&path, format!("#!/bin/sh\nREAL=${{REAL_CXX:-c++}}\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self.set("CXX", path);
    }

    /// The folder below the cache that is the cache's own.
    pub fn own_folder(&self) -> PathBuf {
        self.cache().join("kernels-1")
    }

    /// What lies in that folder with `part` in its name.
    pub fn kept(&self, part: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.own_folder()).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.file_name().unwrap().to_string_lossy().contains(part))
            .collect()
    }

    /// Kernels in the cache, and unfinished folders.
    pub fn cached(&self) -> (usize, usize) {
        (self.kept(".kernel").len(), self.kept("partial-").len())
    }
}

/// One of the tests that are ignored, in a process of its own that shows what it says.
pub fn child(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    command
}

/// [`child`] as another user, who may not see the folder of the build.
pub fn child_of(user: u32, turn: &Turn, test: &str) -> Command {
    let program = turn.folder.join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(program);
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    command.uid(user).gid(user).current_dir("/").env_remove("HOME");
    command
}

/// What a child says, which must succeed.
pub fn said(mut command: Command) -> String {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
    text
}

/// Whether this process may give files away. Where it may not, what depends on it is said to be left out.
pub fn is_root() -> bool {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    if !is_root {
        eprintln!("not root: files of other users are left to the tests of the module `folder`");
    }
    is_root
}

impl Drop for Turn {
    fn drop(&mut self) {
        // What is left is in a folder for temporary files.
        let _ = fs::remove_dir_all(&self.folder);
        for (name, value) in self.saved.iter().rev() {
            Turn::put(name, value.as_ref());
        }
    }
}

pub fn source(body: &str) -> KernelSource {
    KernelSource {
        file: "k.cpp".to_owned(),
        source: format!("void kernel_main() {{ {body} }}"),
        ..Default::default()
    }
}

pub fn run(source: KernelSource) -> Result<(), String> {
    let device = Device::open_arch(0, ARCH)?;
    let mut program = Program::new();
    program
        .create_kernel(source, ROLE, vec![(0, 0)])
        .map_err(|report| report.to_string())?;
    launch(&device, &program, 1)
        .map(drop)
        .map_err(|error| error.to_string())
}
