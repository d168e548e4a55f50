//! Places that a cache can be in: full disks, file systems that nothing can be written to or run from.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use tt_emulator::kernel_object::compile_to_shared;

use super::turn::{ARCH, CACHE, ROLE, Turn, run, said, source};

/// `test` in a process that sees a file system of its own, with these options, at the place of the cache.
fn child_with_mount(turn: &Turn, options: &str, test: &str) -> String {
    fs::create_dir_all(turn.cache()).unwrap();
    let mut command = Command::new("unshare");
    let script = "mount -t tmpfs -o \"$1\",mode=700 tmpfs \"$2\" && shift 2 && exec \"$@\"";
    command
        .args(["-rm", "sh", "-c", script, "sh", options])
        .arg(turn.cache())
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"]);
    said(command)
}

#[test]
#[ignore = "run by a_full_disk_falls_back_to_memory, on one"]
fn child_process_finds_no_room_for_headers() {
    let kernel = source("int no_room;");
    assert_eq!(compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap().path, None);
    run(kernel).unwrap();
}

#[test]
#[ignore = "run by a_full_disk_falls_back_to_memory, on one"]
fn child_process_fills_the_disk() {
    let folder = PathBuf::from(std::env::var_os(CACHE).unwrap());
    compile_to_shared(&source("int room;"), &ROLE, ARCH, &[])
        .unwrap()
        .path
        .unwrap();
    let mut rest = fs::File::create(folder.join("rest")).unwrap();
    while rest.write_all(&[1; 4096]).is_ok() {}
    // From no room at all to enough for the compiler and not for us.
    let mut kept = 0;
    for number in 0..4 {
        let kernel = source(&format!("int full_disk_{number};"));
        kept += usize::from(compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap().path.is_some());
        run(kernel).unwrap();
        let length = rest.metadata().unwrap().len();
        rest.set_len(length - 16384).unwrap();
    }
    assert!((1..4).contains(&kept), "{kept} of 4 were kept");
}

#[test]
fn a_full_disk_falls_back_to_memory() {
    let turn = Turn::new("full");
    let texts = [
        child_with_mount(&turn, "size=32k", "places::child_process_finds_no_room_for_headers"),
        child_with_mount(&turn, "size=4m", "places::child_process_fills_the_disk"),
    ];
    for text in texts {
        assert!(
            text.contains("is not used") && text.contains("No space left on device"),
            "{text}"
        );
    }
}

#[test]
fn a_compiler_that_finds_the_disk_full_falls_back_to_memory() {
    let mut turn = Turn::new("filling");
    let full = "case \"$*\" in *filling/cache/*.so*) echo 'fatal error: error writing: No space left on device' >&2; exit 1;; esac\nexec $REAL \"$@\"";
    turn.set_compiler("full", full);
    run(source("int full_disk;")).unwrap();
    assert_eq!(turn.cached(), (0, 0));
}

#[test]
#[ignore = "run by a_folder_that_nothing_runs_from_is_no_obstacle, on one"]
fn child_process_runs_from_a_folder_that_nothing_runs_from() {
    let folder = PathBuf::from(std::env::var_os(CACHE).unwrap());
    let script = folder.join("script");
    fs::write(&script, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    assert!(Command::new(&script).status().is_err(), "nothing runs from here");
    let kernel = source("int without_exec;");
    compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap();
    assert!(compile_to_shared(&kernel, &ROLE, ARCH, &[]).unwrap().was_cached);
    run(kernel).unwrap();
}

#[test]
fn a_folder_that_nothing_runs_from_is_no_obstacle() {
    let turn = Turn::new("noexec");
    let text = child_with_mount(
        &turn,
        "noexec,size=32m",
        "places::child_process_runs_from_a_folder_that_nothing_runs_from",
    );
    assert!(!text.contains("is not used"), "{text}");
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
fn temporary_files_in_a_folder_where_others_can_exchange_them_are_refused() {
    let mut turn = Turn::new("temporary");
    let temporary = turn.folder.join("temporary");
    fs::create_dir(&temporary).unwrap();
    fs::set_permissions(&temporary, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    turn.set(CACHE, "/proc/no/such/place");
    turn.set("TMPDIR", &temporary);
    let error = run(source("int exchanged;")).unwrap_err();
    assert!(error.contains("temporary can be written by others"), "{error}");
}
