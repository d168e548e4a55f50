//! Compiling kernels under bad conditions: several processes, killed compilers, full disks, other compilers, none at all;
//! planted and damaged files, and what does not belong to the cache.
//!
//! The compiler and the cache are chosen by environment variables, so these tests take turns.

mod damage;
mod hostile;
mod places;
mod settings;
mod turn;

use std::fs;
use std::process::Command;

use tt_emulator::ArchName;
use tt_emulator::kernel_object::{
    KernelError, KernelSource, aot_key, compile_to_object, compile_to_shared, entry_symbol,
};
use turn::{ARCH, ROLE, Turn, child, run, source};

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
        .map(|_| child("child_process_compiles").spawn().unwrap())
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
fn a_compiler_that_hangs_is_ended_and_named() {
    let mut turn = Turn::new("hanging");
    turn.set("TT_EMULATOR_COMPILER_SECONDS", "1");
    turn.set_compiler(
        "hanging",
        "case \"$*\" in *--version*) exec $REAL \"$@\";; esac\nsleep 600 & wait",
    );
    let error = compile_to_shared(&source("int hanging;"), &ROLE, ARCH, &[]).unwrap_err();
    assert!(matches!(error, KernelError::TooLong { .. }), "{error}");
    let text = error.to_string();
    for part in [
        "more than 1 seconds to compile kernel ",
        "hanging/hanging ",
        " -std=c++20 ",
        "TT_EMULATOR_COMPILER_SECONDS",
    ] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
    turn.set_compiler("mute", "sleep 600");
    let text = compile_to_shared(&source("int mute;"), &ROLE, ARCH, &[])
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("to say its version") && text.contains("hanging/mute --version"),
        "{text}"
    );
    turn.set("TT_EMULATOR_COMPILER_SECONDS", "0");
    let text = compile_to_shared(&source("int zero;"), &ROLE, ARCH, &[])
        .unwrap_err()
        .to_string();
    assert!(text.contains("TT_EMULATOR_COMPILER_SECONDS is `0`"), "{text}");
    assert_eq!(turn.cached(), (0, 0));
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
