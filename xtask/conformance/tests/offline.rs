//! The whole check on a machine where it cannot get what it needs. One test, so that no other thread starts programs while a
//! program is being written.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Programs by name, each with its script.
type Programs<'a> = &'a [(&'a str, &'a str)];

/// Runs `conformance headers` on one small kernel with nothing but `programs` in `PATH`, after the shell commands `before`.
fn run(folder: &Path, programs: Programs<'_>, before: &str) -> (bool, String) {
    let bin = folder.join("bin");
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(&bin).unwrap();
    for (name, script) in programs {
        let path = bin.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::fs::write(folder.join("reader.cpp"), "void kernel_main() {}\n").unwrap();
    std::fs::write(
        folder.join("list.json"),
        r#"[{"path": "reader.cpp", "kind": "reader"}]"#,
    )
    .unwrap();
    let output = Command::new("/bin/sh")
        .args([
            "-c",
            &format!("{before} exec \"$0\" headers --list \"$1\""),
            env!("CARGO_BIN_EXE_conformance"),
        ])
        .arg(folder.join("list.json"))
        .env("PATH", &bin)
        .env("TT_CONFORMANCE_CACHE", folder.join("cache"))
        .output()
        .unwrap();
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// What is in the cache besides locks.
fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("cache")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !name.ends_with(".lock")).collect()
}

#[test]
fn what_cannot_be_fetched_is_said_and_nothing_is_left() {
    let folder = std::env::temp_dir().join(format!("tt-conformance-offline-{}", std::process::id()));
    let pip = |download: &str| format!("case \"$3\" in --version) exit 0;; esac\nfor last; do :; done\n{download}");
    let offline = pip("echo 'ERROR: No matching distribution found for ttnn==0.81.1' >&2; exit 1");
    let short = pip("echo short > \"$last/ttnn-0.81.1-cp310-cp310-manylinux_2_34_x86_64.whl\"");
    // Writes more than the limit on the size of files allows, as a full disk would.
    let large = pip("set -e; x=0123456789012345678901234567890123456789; i=0\n\
         while [ $i -lt 200 ]; do echo $x$x$x; i=$((i+1)); done > \"$last/ttnn-0.81.1-cp310-cp310-manylinux_2_34_x86_64.whl\"");
    let no_disk = "trap '' XFSZ; ulimit -f 8;";
    let cases: [(&str, Programs<'_>, &str, &str); 4] = [
        ("no Python", &[], "", "`python3` does not run"),
        (
            "no network",
            &[("python3", &offline)],
            "",
            "No matching distribution found",
        ),
        (
            "a download cut short",
            &[("python3", &short)],
            "",
            "damaged or another file than expected: its 6 bytes",
        ),
        ("no disk", &[("python3", &large)], no_disk, "I/O error"),
    ];
    for (case, programs, before, message) in cases {
        let (success, said) = run(&folder, programs, before);
        assert!(!success, "{case}");
        assert!(said.contains(message), "{case}: {said}");
        assert_eq!(entries(&folder), [""; 0], "{case}: {said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
