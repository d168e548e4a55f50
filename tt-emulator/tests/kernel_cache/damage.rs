//! Files of the cache that are not as they were stored.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tt_emulator::kernel_object::compile_to_shared;

use super::turn::{ARCH, ROLE, Turn, child, run, source};

/// Damages a file; gets its bytes and its path.
type Damage = dyn Fn(&[u8], &Path);

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

/// Writes bytes with one of them changed.
fn flip(bytes: &[u8], path: &Path, at: usize) {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 0x10;
    write(path, &bytes);
}

#[test]
fn damaged_kernels_are_made_again() {
    let turn = Turn::new("damaged");
    let kernel = source("int damaged;");
    let compile = || compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap();
    let first = compile();
    let path = first.path.clone().unwrap();
    let whole = fs::read(&path).unwrap();
    let damages: [(&str, &Damage); 9] = [
        ("empty", &|_, path| write(path, b"")),
        ("cut off in its head", &|whole, path| write(path, &whole[..30])),
        ("cut off", &|whole, path| write(path, &whole[..whole.len() / 2])),
        ("a byte short", &|whole, path| write(path, &whole[..whole.len() - 1])),
        ("longer", &|whole, path| write(path, &[whole, b"x"].concat())),
        ("another hash", &|whole, path| flip(whole, path, 25)),
        ("another object", &|whole, path| flip(whole, path, whole.len() / 2)),
        ("zeros, as a crashed system leaves", &|whole, path| {
            write(path, &vec![0; whole.len()])
        }),
        ("a folder", &|_, path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }),
    ];
    for (what, damage) in damages {
        damage(&whole, &path);
        let again = compile();
        assert!(!again.was_cached && again.object == first.object, "{what}");
        assert!(compile().was_cached, "{what}: it is kept again");
    }
    // What ended the process with a signal.
    write(&path, &whole[..whole.len() / 2]);
    run(kernel.clone()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), whole);
    assert_eq!(turn.cached(), (1, 0));
}

#[test]
fn what_is_whole_but_does_not_load_is_made_again() {
    let turn = Turn::new("foreign");
    let kernel = source("int from_another_machine;");
    let first = compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap();
    let path = first.path.unwrap();
    super::hostile::seal(&path, b"an object for another machine");
    run(kernel).unwrap();
    assert!(fs::metadata(path).unwrap().len() > 1000);
    assert_eq!(turn.cached(), (1, 0));
}

#[test]
fn damaged_headers_are_made_again() {
    let turn = Turn::new("headers");
    run(source("int headers;")).unwrap();
    let headers = turn.kept("headers-");
    assert_eq!(headers.len(), 1, "{headers:?}");
    let api = headers[0].join("emulator/api.h");
    fs::write(&api, "#error cut off").unwrap();
    run(source("int headers_cut_off;")).unwrap();
    assert!(!fs::read_to_string(api).unwrap().starts_with("#error"));
    fs::write(headers[0].join("cstdint"), "#error planted").unwrap();
    run(source("int headers_planted;")).unwrap();
    assert!(!headers[0].join("cstdint").exists());
}

#[test]
fn several_processes_mend_a_damaged_cache() {
    let turn = Turn::new("mended");
    let kernel = source("int shared_by_processes;");
    let first = compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap();
    let path = first.path.unwrap();
    fs::write(&path, b"half").unwrap();
    fs::write(turn.kept("headers-")[0].join("emulator/api.h"), "#error cut off").unwrap();
    let children: Vec<_> = (0..4)
        .map(|_| child("child_process_compiles").spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let again = compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap();
    assert!(again.was_cached && again.object == first.object);
    assert_eq!(turn.cached(), (1, 0));
}

#[test]
#[ignore = "run by what_a_killed_process_leaves_goes, in a process of its own"]
fn child_process_is_killed() {
    let _ = compile_to_shared(&source("int ends_early;"), &ROLE, ARCH, &[]);
}

#[test]
fn what_a_killed_process_leaves_goes() {
    let mut turn = Turn::new("killed-process");
    turn.set_compiler(
        "killer",
        "case \"$*\" in *--version*) exec $REAL \"$@\";; esac\nfor a; do [ \"$p\" = -o ] && echo half > \"$a\"; p=$a; done\nkill -9 $PPID",
    );
    let status = child("damage::child_process_is_killed").status().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
    assert_eq!(turn.cached(), (0, 1), "it lies there unfinished");
    turn.set("CXX", "c++");
    run(source("int after_the_killed;")).unwrap();
    assert_eq!(turn.cached(), (1, 1), "it may be another process's that runs");
    let leftover = &turn.kept("partial-")[0];
    let long_ago = SystemTime::now() - Duration::from_secs(7200);
    fs::File::open(leftover).unwrap().set_modified(long_ago).unwrap();
    run(source("int long_after_the_killed;")).unwrap();
    assert_eq!(turn.cached(), (2, 0));
}

#[test]
fn what_the_user_keeps_beside_the_cache_stays() {
    let mut turn = Turn::new("beside");
    let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
    let results = turn.cache().join("partial-results");
    fs::create_dir_all(&results).unwrap();
    fs::write(results.join("table.csv"), "years of work").unwrap();
    fs::write(turn.cache().join("partial-thesis.tex"), "years of work").unwrap();
    for path in [&results, &turn.cache().join("partial-thesis.tex")] {
        fs::File::open(path).unwrap().set_modified(long_ago).unwrap();
    }
    turn.set("TT_EMULATOR_CACHE_MIB", "0");
    let kernel = source("int nothing_is_kept;");
    let compiled = compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap();
    assert_eq!(compiled.path, None, "the limit is 0");
    run(kernel).unwrap();
    assert_eq!(turn.cached(), (0, 0));
    assert!(results.join("table.csv").is_file() && turn.cache().join("partial-thesis.tex").is_file());
}
