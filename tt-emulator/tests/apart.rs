//! What takes time can be compiled as a crate of its own, as the build script does for programs that are built without
//! optimisation. Where this fails such programs are a hundred times slower, and only a warning of their build says so.

use std::path::Path;
use std::process::Command;

#[test]
fn the_calculations_need_no_other_crate_and_nothing_of_the_rest_of_this_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args([
        "--crate-name",
        "apart",
        "--crate-type",
        "rlib",
        "--edition",
        "2024",
        "--emit",
        "metadata",
    ]);
    command.args([
        "--cfg",
        "feature=\"engine\"",
        "--cap-lints",
        "allow",
        "--out-dir",
        env!("CARGO_TARGET_TMPDIR"),
    ]);
    let output = command.arg(root.join("src/apart.rs")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Every loop over the elements of a tile is in what is compiled apart: nothing of the compute engines is left.
    let mut left: Vec<_> = std::fs::read_dir(root.join("src/compute"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|module| !["mod", "calculation"].contains(&module.as_str()))
        .collect();
    let apart = std::fs::read_to_string(root.join("src/compute/calculation.rs")).unwrap();
    left.retain(|module| !apart.contains(&format!("mod {module};\n")));
    left.sort();
    assert!(left.is_empty(), "{left:?}");
}
