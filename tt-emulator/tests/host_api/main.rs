//! Programs in C++ through the host API, as `tt-host` and stand-alone host programs use it.
//!
//! The shim and `programs.cpp` are compiled into a shared library that calls back into this test binary, which carries the
//! engine. Each case is a C++ function that throws what the host API throws.

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

/// The engine's functions; naming them here links them in.
mod engine {
    use std::ffi::c_void;
    macro_rules! tables {
        ($($(#[$doc:meta])* $kind:ident $name:ident $($prefix:literal)? { $($row:tt)* })*) => {
            $($kind! { $($row)* })*
        };
    }
    macro_rules! opaque {
        () => {};
    }
    macro_rules! structure {
        ($($row:tt)*) => {};
    }
    macro_rules! template {
        ($($row:tt)*) => {};
    }
    macro_rules! numbers {
        ($($row:tt)*) => {};
    }
    macro_rules! calls {
        ($($(#[$row:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {
            unsafe extern "C" { $(pub fn $name();)* }
            #[used]
            static KEEP: [Pointer; [$(stringify!($name)),*].len()] = [$(Pointer($name as *const c_void)),*];
        };
    }
    struct Pointer(#[allow(dead_code, reason = "the linker looks at it")] *const c_void);
    // SAFETY: the address of a function.
    unsafe impl Sync for Pointer {}
    include!("../../src/abi/host_calls.rs");
}

use tt_emulator as _;

type Case = unsafe extern "C" fn(name: *const c_char, kernels: *const c_char, text: *mut c_char, bytes: usize) -> i32;

fn compile() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libhost_api_programs.so");
    let sources = std::fs::read_dir(root.join("host/src"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let sources = sources.filter(|path| path.extension().is_some_and(|extension| extension == "cpp"));
    let output = Command::new(std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned()))
        .args([
            "-std=c++20",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-missing-field-initializers",
            "-fPIC",
            "-shared",
        ])
        .arg("-I")
        .arg(root.join("host/include"))
        .arg("-I")
        .arg(concat!(env!("OUT_DIR"), "/host"))
        .args(sources)
        .arg(root.join("tests/host_api/programs.cpp"))
        .arg("-o")
        .arg(&library)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}

/// Runs a case; gives what it threw.
fn run(name: &str) -> Result<(), String> {
    static LIBRARY: OnceLock<libloading::Library> = OnceLock::new();
    // Cases choose architectures by device id, so they run one at a time.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // SAFETY: our own library, whose initialisers are those of the C++ standard library; and the environment is set
    // before anything reads it.
    let library = LIBRARY.get_or_init(|| unsafe {
        std::env::set_var("TT_EMULATOR_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/kernels"));
        tt_emulator::kernel_object::precompile_standard_headers(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
        libloading::Library::new(compile()).unwrap()
    });
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let (name, kernels) = (
        CString::new(name).unwrap(),
        CString::new(kernels.to_str().unwrap()).unwrap(),
    );
    let mut text = vec![0u8; 8192];
    // SAFETY: `run_case` has this type, and the text is as long as it says.
    let status = unsafe {
        let case = library.get::<Case>(b"run_case").unwrap();
        case(name.as_ptr(), kernels.as_ptr(), text.as_mut_ptr().cast(), text.len())
    };
    let thrown = CStr::from_bytes_until_nul(&text)
        .unwrap()
        .to_string_lossy()
        .into_owned();
    if status == 0 { Ok(()) } else { Err(thrown) }
}

macro_rules! cases_that_work {
    ($($name:ident)*) => {
        $(#[test] fn $name() { run(stringify!($name)).unwrap_or_else(|error| panic!("{error}")); })*
    };
}

cases_that_work! {
    reader_to_writer_copy
    workload_runs_again_with_other_arguments
    kernels_from_strings_with_all_kinds_of_arguments
    queries_answer_for_both_chips
    shards_lie_where_the_layout_says
    bfloat16_counts_as_upstream_does
    the_system_is_one_device
    a_short_vector_is_followed_by_zeros
    work_is_split_as_upstream_does
    tilize_and_back
}

#[test]
fn a_broken_rule_is_thrown_as_its_report() {
    let error = run("missing_barrier").unwrap_err();
    for part in ["EMU0114", "reader.cpp:10", "core (1,0)", "NCRISC", "matmul.rs:12"] {
        assert!(error.contains(part), "{part} is missing in: {error}");
    }
}

#[test]
fn bad_calls_throw() {
    for (case, part) in [
        ("a_core_outside_the_grid", "EMU0401"),
        ("too_much_l1", "EMU0406"),
        ("a_kernel_that_does_not_compile", "no_such_function"),
        ("a_missing_kernel_file", "doesn't exist"),
        ("two_kernels_on_one_noc", "EMU0403"),
        ("out_of_dram", "out of memory"),
        ("a_shard_too_many", "4 shards for 3 cores"),
        ("a_closed_device", "closed"),
        ("a_buffer_of_zero_bytes", "positive multiple"),
        ("arguments_of_another_count", "EMU0409"),
    ] {
        let error = run(case).unwrap_err();
        assert!(error.contains(part), "{case}: {part} is missing in: {error}");
    }
}
