//! What the build script says where there is no C++ compiler.

#[path = "../build/compiler.rs"]
mod compiler;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn a_missing_old_or_mistyped_compiler_is_named_with_what_to_do() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compilers");
    fs::create_dir_all(&folder).unwrap();
    for (name, script) in [("c++", "exit 1"), ("good", "exit 0")] {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let folder = folder.to_str().unwrap().to_owned();
    let good = format!("{folder}/good -O1");
    let cases: [(&[(&str, &str)], &str); 7] = [
        (
            &[("PATH", "/nowhere")],
            "the C++ compiler `c++` is not there: tt builds its bridge",
        ),
        (
            &[("PATH", &folder)],
            "the C++ compiler `c++` does not compile an empty file with -std=c++20: ",
        ),
        (
            &[("PATH", &folder), ("CXX", "g+++")],
            "CXX is `g+++`, which is not there: ",
        ),
        (&[("PATH", &folder), ("CXX", "good")], ""),
        (&[("CXX", &good)], ""),
        (&[("CXX", "g+++"), ("CXX_x86_64_unknown_linux_gnu", &good)], ""),
        (&[("PATH", "/nowhere"), ("HOST", "another")], ""),
    ];
    for (variables, expected) in cases {
        let variable = |name: &str| {
            let given = variables.iter().find(|(known, _)| *known == name);
            let value = given.map(|(_, value)| *value);
            value
                .or(matches!(name, "TARGET" | "HOST").then_some("x86_64-unknown-linux-gnu"))
                .map(str::to_owned)
        };
        let said = compiler::check(&variable).err().unwrap_or_default();
        assert!(
            said.starts_with(expected) && said.is_empty() == expected.is_empty(),
            "{variables:?}: {said}"
        );
        assert!(said.is_empty() || said.ends_with("or set CXX to one"), "{said}");
    }
}
