//! Compiling kernels under bad conditions: several processes, killed compilers, full disks, other compilers, none at all.
//!
//! The compiler and the cache are chosen by environment variables, so these tests take turns.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tt_emulator::kernel_config::{DataMovementProcessor, KernelRole};
use tt_emulator::kernel_object::{
    KernelError, KernelSource, aot_key, compile_to_object, compile_to_shared, entry_symbol,
};
use tt_emulator::{ArchName, Device, Program, launch};

const ROLE: KernelRole = KernelRole::DataMovement {
    processor: DataMovementProcessor::Brisc,
    noc: 0,
};
const ARCH: ArchName = ArchName::WormholeB0;
const CACHE: &str = "TT_EMULATOR_CACHE";

/// A turn with a fresh folder and its own environment; puts the environment back at the end.
struct Turn {
    folder: PathBuf,
    saved: Vec<(&'static str, Option<OsString>)>,
    _turn: MutexGuard<'static, ()>,
}

impl Turn {
    fn new(name: &str) -> Turn {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let mut turn = Turn {
            folder,
            saved: Vec::new(),
            _turn: turn,
        };
        let cache = turn.cache();
        turn.set(CACHE, &cache);
        turn
    }

    fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.saved.push((name, std::env::var_os(name)));
        // SAFETY: turns are taken under a lock, and all that read the environment run inside one.
        unsafe { std::env::set_var(name, value.into()) };
    }

    /// A compiler that is a shell script; `$REAL` is the machine's own.
    fn set_compiler(&mut self, name: &str, script: &str) {
        let path = self.folder.join(name);
        fs::write(&path, format!("#!/bin/sh\nREAL=${{REAL_CXX:-c++}}\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self.set("CXX", path);
    }

    /// Shared objects in the cache, and unfinished files.
    fn cached(&self) -> (usize, usize) {
        let names: Vec<_> = fs::read_dir(self.cache())
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        let partial = names
            .iter()
            .filter(|name| name.to_string_lossy().starts_with("partial-"))
            .count();
        let shared = names
            .iter()
            .filter(|name| name.to_string_lossy().ends_with(".so"))
            .count();
        (shared, partial)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        for (name, value) in self.saved.iter().rev() {
            // SAFETY: as in `set`.
            unsafe {
                match value {
                    Some(value) => std::env::set_var(name, value),
                    None => std::env::remove_var(name),
                }
            }
        }
    }
}

fn source(body: &str) -> KernelSource {
    KernelSource {
        file: "k.cpp".to_owned(),
        source: format!("void kernel_main() {{ {body} }}"),
        ..Default::default()
    }
}

fn run(source: KernelSource) -> Result<(), String> {
    let device = Device::open_arch(0, ARCH)?;
    let mut program = Program::new();
    program
        .create_kernel(source, ROLE, vec![(0, 0)])
        .map_err(|report| report.to_string())?;
    launch(&device, &program, 1)
        .map(drop)
        .map_err(|error| error.to_string())
}

#[test]
fn a_kernel_is_compiled_once() {
    let mut turn = Turn::new("once");
    turn.set_compiler(
        "counting",
        "case \"$*\" in *-shared*) echo x >> \"$(dirname \"$0\")/count\";; esac\nexec $REAL \"$@\"",
    );
    let first = compile_to_shared(&source("int once;"), &ROLE, ARCH, &[]).unwrap();
    let second = compile_to_shared(&source("int once;"), &ROLE, ARCH, &[]).unwrap();
    assert_eq!(first.path, second.path);
    assert_eq!(
        fs::read_to_string(turn.folder.join("count")).unwrap().lines().count(),
        1
    );
    let other = compile_to_shared(&source("int once;"), &ROLE, ArchName::Blackhole, &[]).unwrap();
    assert_ne!(first.key, other.key);
    assert_eq!(turn.cached(), (2, 0));
}

#[test]
#[ignore = "run by several_processes_share_a_cache, in processes of its own"]
fn child_process_compiles() {
    compile_to_shared(&source("int shared_by_processes;"), &ROLE, ARCH, &[]).unwrap();
}

#[test]
fn several_processes_share_a_cache() {
    let turn = Turn::new("processes");
    let children: Vec<_> = (0..4)
        .map(|_| {
            let program = std::env::current_exe().unwrap();
            Command::new(program)
                .args(["--exact", "child_process_compiles", "--ignored"])
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(turn.cached(), (1, 0));
}

#[test]
fn a_killed_compiler_leaves_nothing_that_is_loaded() {
    let mut turn = Turn::new("killed");
    let killed = "case \"$*\" in *--version*) exec $REAL \"$@\";; esac\nfor a; do [ \"$p\" = -o ] && echo half > \"$a\"; p=$a; done\nkill -9 $$";
    turn.set_compiler("killed", killed);
    let error = compile_to_shared(&source("int killed;"), &ROLE, ARCH, &[]).unwrap_err();
    assert!(matches!(error, KernelError::Killed { .. }), "{error}");
    assert_eq!(turn.cached(), (0, 0));
    turn.set("CXX", "c++");
    run(source("int killed;")).unwrap();
}

#[test]
fn a_full_disk_falls_back_to_memory() {
    let mut turn = Turn::new("full");
    let full = "case \"$*\" in *-o\\ *tt-emulator/*|*full/cache/*) echo 'fatal error: error writing: No space left on device' >&2; exit 1;; esac\nexec $REAL \"$@\"";
    turn.set_compiler("full", full);
    run(source("int full_disk;")).unwrap();
    assert_eq!(turn.cached(), (0, 0));
}

#[test]
fn a_cache_that_cannot_be_written_is_no_obstacle() {
    let mut turn = Turn::new("read-only");
    turn.set(CACHE, "/proc/no/such/place");
    run(source("int read_only;")).unwrap();
    turn.set("TMPDIR", "/proc/no/such/place/either");
    let error = run(source("int nowhere;")).unwrap_err();
    assert!(
        error.contains("/proc/no/such/place") && error.contains("kernel cache"),
        "{error}"
    );
}

#[test]
fn a_damaged_file_is_made_again() {
    let turn = Turn::new("damaged");
    let shared = compile_to_shared(&source("int damaged;"), &ROLE, ARCH, &[]).unwrap();
    fs::write(&shared.path, b"not an object").unwrap();
    run(source("int damaged;")).unwrap();
    assert!(fs::metadata(&shared.path).unwrap().len() > 1000);
    assert_eq!(turn.cached(), (1, 0));
}

#[test]
fn another_compiler_makes_another_file() {
    let mut turn = Turn::new("compiler");
    let first = compile_to_shared(&source("int compiler;"), &ROLE, ARCH, &[]).unwrap();
    turn.set_compiler(
        "other",
        "case \"$*\" in *--version*) echo other 1.0; exit;; esac\nexec $REAL \"$@\"",
    );
    let second = compile_to_shared(&source("int compiler;"), &ROLE, ARCH, &[]).unwrap();
    assert_eq!(
        first.key, second.key,
        "the key that ahead-of-time objects go by knows no compiler"
    );
    assert_ne!(first.path, second.path);
    assert_eq!(turn.cached(), (2, 0));
}

#[test]
fn a_changed_include_makes_another_key() {
    let turn = Turn::new("include");
    let header = turn.folder.join("part.h");
    fs::write(&header, "constexpr int part = 1;").unwrap();
    let mut kernel = source("static_assert(part > 0);");
    kernel.source.insert_str(0, "#include \"part.h\"\n");
    kernel.directory = Some(turn.folder.clone());
    let first = aot_key(&kernel, &ROLE, ARCH).unwrap();
    compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap();
    fs::write(&header, "constexpr int part = 2;").unwrap();
    assert_ne!(first, aot_key(&kernel, &ROLE, ARCH).unwrap());
}

#[test]
fn without_a_compiler_the_error_says_what_to_install() {
    let mut turn = Turn::new("none");
    let empty = turn.folder.clone();
    turn.set("PATH", empty);
    turn.set("CXX", "");
    let error = run(source("int no_compiler;")).unwrap_err();
    assert!(error.contains("install g++"), "{error}");
    turn.set("CXX", "no-such-compiler -m64");
    let error = run(source("int no_compiler;")).unwrap_err();
    assert!(error.contains("no-such-compiler"), "{error}");
}

#[test]
fn a_compile_error_shows_the_kernels_own_line() {
    let _turn = Turn::new("error");
    let error = run(KernelSource {
        file: "reader.cpp".to_owned(),
        source: "#include \"api/dataflow/dataflow_api.h\"\nvoid kernel_main() {\n    cb_reserve(0, 1);\n}\n".to_owned(),
        ..Default::default()
    });
    let error = error.unwrap_err();
    assert!(
        error.contains("reader.cpp:3:") && error.contains("cb_reserve"),
        "{error}"
    );
}

#[test]
fn a_function_that_is_only_declared_is_an_error_before_anything_runs() {
    let _turn = Turn::new("undefined");
    let source = KernelSource {
        file: "k.cpp".to_owned(),
        source: "void elsewhere();\nvoid kernel_main() { elsewhere(); }".to_owned(),
        ..Default::default()
    };
    let error = run(source).unwrap_err();
    assert!(error.contains("elsewhere"), "{error}");
}

#[test]
fn kernels_compiled_ahead_of_time_need_no_compiler() {
    let mut turn = Turn::new("ahead");
    let kernels = [source("static int ahead_a;"), source("static int ahead_b;")];
    let mut objects = Vec::new();
    let mut keys = Vec::new();
    for (index, kernel) in kernels.iter().enumerate() {
        let object = turn.folder.join(format!("{index}.o"));
        keys.push(compile_to_object(kernel, &ROLE, ARCH, &turn.folder, &object).unwrap());
        objects.push(object);
    }
    assert_eq!(keys[0], aot_key(&kernels[0], &ROLE, ARCH).unwrap());
    let library = turn.folder.join("application.so");
    let linked = Command::new("c++")
        .arg("-shared")
        .arg("-o")
        .arg(&library)
        .args(&objects)
        .status()
        .unwrap();
    assert!(linked.success(), "both kernels define kernel_main, each for itself");
    // SAFETY: our own objects; the entries have the type and the keys that the compilation gave.
    unsafe {
        let library = libloading::Library::new(&library).unwrap();
        for key in &keys {
            let entry = library
                .get::<tt_emulator::abi::KernelEntry>(entry_symbol(key).as_bytes())
                .unwrap();
            tt_emulator::register_precompiled(key, *entry);
        }
        std::mem::forget(library);
    }
    let empty = turn.folder.clone();
    turn.set("PATH", empty);
    turn.set("CXX", "");
    for kernel in kernels {
        run(kernel).unwrap();
    }
    assert!(run(source("static int not_ahead;")).is_err());
}
