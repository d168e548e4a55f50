//! What the environment says: a value that nobody knows is refused by name, and a strange PATH hides nothing.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;

use tt_emulator::Device;
use tt_emulator::kernel_object::KernelError;
use tt_emulator::kernel_object::compile_to_shared;

use super::turn::{ARCH, CACHE, ROLE, Turn, child, child_of, is_root, run, said, source};

#[test]
fn values_that_nobody_knows_are_refused_by_name() {
    let strange = OsString::from_vec(b"ex\xffct".to_vec());
    let cases: [(&'static str, &[&OsStr], &str); 6] = [
        (
            "TT_EMULATOR_FPU",
            &["exat".as_ref(), "1".as_ref(), "Exact".as_ref(), &strange],
            "`exact` or `fast`",
        ),
        (
            "TT_EMULATOR_THREADS",
            &["0".as_ref(), "-1".as_ref(), "many".as_ref(), "1025".as_ref(), &strange],
            "from 1 to 1024",
        ),
        (
            "TT_EMULATOR_CACHE_MIB",
            &["-1".as_ref(), "1.5".as_ref(), "99999999999999999".as_ref(), &strange],
            "a number of MiB",
        ),
        (
            "TT_EMULATOR_ARCH",
            &["grayskull".as_ref(), &strange],
            "`wormhole_b0`, which it is unset, or `blackhole`",
        ),
        (
            "TT_EMULATOR_SPIN_SECONDS",
            &[
                "0".as_ref(),
                "soon".as_ref(),
                "1.5".as_ref(),
                "31536001".as_ref(),
                &strange,
            ],
            "a number of seconds from 1 to 31536000; unset, it is 2",
        ),
        (
            "TT_EMULATOR_COMPILER_SECONDS",
            &["0".as_ref(), "-1".as_ref(), "10s".as_ref(), &strange],
            "a number of seconds from 1 to 31536000; unset, it is 300",
        ),
    ];
    for (variable, values, allowed) in cases {
        let mut turn = Turn::new("values");
        for value in values {
            turn.set(variable, value);
            let opened = Device::open(1234);
            let error = opened.err().unwrap_or_else(|| panic!("{variable}={value:?} is taken"));
            let start = format!("{variable} is `{}`; it can be ", value.to_string_lossy());
            assert!(error.starts_with(&start) && error.contains(allowed), "{error}");
        }
        turn.set(variable, "");
        assert!(Device::open(1234).is_ok(), "{variable} is not set where it is empty");
    }
}

#[test]
fn without_a_compiler_the_error_says_what_to_install() {
    let mut turn = Turn::new("none");
    let empty = turn.folder.clone();
    turn.set("PATH", empty);
    turn.set("CXX", " ");
    let error = run(source("int no_compiler;")).unwrap_err();
    assert!(error.contains("install g++"), "{error}");
}

#[test]
fn a_compiler_that_is_none_is_refused_by_name() {
    let mut turn = Turn::new("not-a-compiler");
    turn.set_compiler("silent", "echo 'silent: no such option' >&2; exit 3");
    let silent = std::env::var_os("CXX").unwrap();
    let strange = OsString::from_vec(b"c\xff+".to_vec());
    let cases: [(&OsStr, &str); 4] = [
        ("no-such-compiler -m64".as_ref(), "there is no no-such-compiler"),
        ("/no/such/compiler".as_ref(), "No such file or directory"),
        (&silent, "silent: no such option"),
        (&strange, "there is no c\u{fffd}+"),
    ];
    for (value, why) in cases {
        turn.set("CXX", value);
        let error = compile_to_shared(&source("int no_compiler;"), &ROLE, ARCH, &[]).unwrap_err();
        assert!(matches!(error, KernelError::Setting(_)), "{error}");
        let start = format!("CXX is `{}`; it can be a C++ compiler", value.to_string_lossy());
        let error = error.to_string();
        assert!(error.starts_with(&start) && error.contains(why), "{error}");
    }
    turn.set("CXX", "c++ -DWITH_AN_ARGUMENT=1");
    run(source("static_assert(WITH_AN_ARGUMENT == 1);")).unwrap();
    turn.set_compiler("with a space", "exec $REAL \"$@\"");
    run(source("int a_space;")).unwrap();
}

#[test]
#[ignore = "run by strange_entries_of_the_path_hide_no_compiler, as another user"]
fn child_process_finds_a_compiler() {
    run(source("int found_by_another_user;")).unwrap();
}

#[test]
fn strange_entries_of_the_path_hide_no_compiler() {
    let mut turn = Turn::new("path");
    let folder = |name: &OsStr| {
        let folder = turn.folder.join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    };
    let not_executable = folder("not-executable".as_ref());
    let not_a_file = folder("not-a-file".as_ref());
    let broken = folder("broken".as_ref());
    let unreadable = folder("unreadable".as_ref());
    let not_unicode = folder(OsStr::from_bytes(b"not-\xff-unicode"));
    fs::write(not_executable.join("c++"), "#!/bin/sh\n").unwrap();
    fs::create_dir(not_a_file.join("c++")).unwrap();
    for place in [&broken, &unreadable] {
        fs::write(place.join("c++"), "#!/bin/sh\nexit 1\n").unwrap();
        fs::set_permissions(place.join("c++"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(&unreadable, fs::Permissions::from_mode(0o700)).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let strange = [
        OsString::new(),
        "relative/folder".into(),
        "/no/such/folder".into(),
        "/dev/null".into(),
        not_executable.into(),
        not_a_file.into(),
        broken.into(),
        unreadable.into(),
        not_unicode.into(),
    ];
    let entries = strange.iter().map(OsString::as_os_str).chain([path.as_os_str()]);
    let joined = entries.collect::<Vec<_>>().join(OsStr::new(":"));
    turn.set("CXX", "");
    turn.set("PATH", joined);
    run(source("int strange_path;")).unwrap();
    if is_root() {
        let mut command = child_of(65_534, &turn, "settings::child_process_finds_a_compiler");
        command.env_remove(CACHE);
        said(command);
    }
}

#[test]
fn a_compiler_is_not_taken_from_the_folder_that_happens_to_be_the_current_one() {
    let mut turn = Turn::new("current");
    let planted = turn.folder.join("c++");
    fs::write(&planted, "#!/bin/sh\ntouch ran\nexit 1\n").unwrap();
    fs::set_permissions(&planted, fs::Permissions::from_mode(0o755)).unwrap();
    turn.set("CXX", "");
    let path = std::env::var("PATH").unwrap();
    turn.set("PATH", format!(":{path}:"));
    let mut command = child("settings::child_process_finds_a_compiler");
    command.current_dir(&turn.folder);
    said(command);
    assert!(!turn.folder.join("ran").exists());
}
