//! `cargo xtask targets`: kernels in every kind of target that cargo knows, built with the one-line build script, and run
//! where no C++ compiler can be found: what was compiled ahead of time must really be linked into each of them.

use clap::Args;
use std::fmt::Write;
use std::path::Path;
use xtask::project;

/// Shows that kernels link into every kind of target, with a library in the package and without
///
/// Two scratch crates have a kernel in each of: library, module, binaries, example, test, bench, unit test. Each is built with
/// the one-line build script and run without a C++ compiler in reach.
#[derive(Args)]
pub struct Options {}

/// Does it.
pub fn run() -> Result<(), String> {
    [true, false].into_iter().try_for_each(check)
}

/// A file with the kernel `name` and a function that runs it.
fn kernel(name: &str) -> String {
    format!(
        "use tt::prelude::*;\n\n\
         /// Twice.\n\
         #[tt::kernel]\n\
         pub fn {name}<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {{\n    \
         let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));\n    \
         for (i, j) in T.Parallel(32, 32) {{\n        \
         c[(by * 32 + i, bx * 32 + j)] = a[(by * 32 + i, bx * 32 + j)] * 2.0;\n    \
         }}\n\
         }}\n\n\
         /// Runs it.\n\
         #[allow(dead_code)]\n\
         pub fn run_{name}() {{\n    \
         let device = Device::open().unwrap();\n    \
         let a = device.upload(&[bf16::ONE; 6], [2, 3]).unwrap();\n    \
         let mut c = device.zeros::<bf16>([2, 3]).unwrap();\n    \
         {name}(&a, &mut c).run().unwrap();\n    \
         assert_eq!(c.download().unwrap(), [bf16::from_f32(2.0); 6]);\n    \
         println!(\"{name} ran\");\n\
         }}\n"
    )
}

/// Builds and runs one crate, with a library in it or not.
fn check(library: bool) -> Result<(), String> {
    let root = project::root();
    let (package, crate_name) = match library {
        true => ("tt-targets-library", "tt_targets_library"),
        false => ("tt-targets-plain", "tt_targets_plain"),
    };
    let folder = project::target().join("programs").join(package);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    }
    let path = |part: &str| root.join(part).display().to_string();
    let mut manifest = format!("[package]\nname = \"{package}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n");
    let _ = write!(
        manifest,
        "[dependencies]\ntt = {{ path = {:?} }}\n\n[build-dependencies]\ntt-build = {{ path = {:?} }}\n\n\
         [[bench]]\nname = \"bench\"\nharness = false\n\n[workspace]\n",
        path(""),
        path("tt-build")
    );
    let main = |name: &str, also: &str| format!("{}\nfn main() {{\n    run_{name}();\n{also}}}\n", kernel(name));
    let test = |name: &str| format!("\n#[test]\nfn {name}_in_a_test() {{\n    run_{name}();\n}}\n");
    let from_library = match library {
        true => format!("    {crate_name}::run_in_library();\n    {crate_name}::inner::run_in_module();\n"),
        false => String::new(),
    };
    let mut files = vec![
        ("Cargo.toml", manifest),
        ("build.rs", "fn main() {\n    tt_build::compile()\n}\n".to_string()),
        ("src/main.rs", main("in_main", &from_library) + &test("in_main")),
        ("src/bin/other.rs", main("in_binary", "")),
        ("examples/example.rs", main("in_example", "")),
        ("benches/bench.rs", main("in_bench", "")),
        ("tests/integration.rs", kernel("in_test") + &test("in_test")),
    ];
    if library {
        let inner = "\npub mod inner;\n".to_string();
        files.push(("src/lib.rs", kernel("in_library") + &inner + &test("in_library")));
        files.push(("src/inner.rs", kernel("in_module")));
    }
    for (name, text) in &files {
        project::write(&folder.join(name), text)?;
    }
    // The versions of the workspace, so that nothing has to be fetched.
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    project::write(&folder.join("Cargo.lock"), &lock)?;

    cargo(&folder, &["build", "--all-targets"])?;
    cargo(&folder, &["doc", "--no-deps"])?;
    println!("{package}: cargo doc --no-deps");
    let run_main = ["run", "--bin", package];
    let (by_main, by_tests): (&[&str], &[&str]) = match library {
        true => (
            &["in_main", "in_library", "in_module"],
            &["in_main", "in_test", "in_library"],
        ),
        false => (&["in_main"], &["in_main", "in_test"]),
    };
    let runs: [(&[&str], &[&str]); 5] = [
        (&run_main, by_main),
        (&["run", "--bin", "other"], &["in_binary"]),
        (&["run", "--example", "example"], &["in_example"]),
        (&["bench"], &["in_bench"]),
        (&["test", "--", "--nocapture"], by_tests),
    ];
    for (command, kernels) in runs {
        let said = cargo(&folder, command)?;
        for kernel in kernels {
            if !said.contains(&format!("{kernel} ran")) {
                return Err(format!(
                    "`cargo {}` in {package} did not run `{kernel}`:\n{said}",
                    command.join(" ")
                ));
            }
        }
        println!("{package}: cargo {}: {} ran", command.join(" "), kernels.join(", "));
    }
    Ok(())
}

/// Runs cargo on the crate in `folder`. What it builds may use a compiler; what it starts may not, and has no kernel cache.
fn cargo(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let runner = format!(
        "env CXX={} TT_EMULATOR_CACHE={}",
        folder.join("no-compiler-here").display(),
        folder.join("cache").display()
    );
    let output = project::cargo()
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", project::target())
        .env(format!("CARGO_TARGET_{}_RUNNER", host()?), runner)
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    Err(format!(
        "`cargo {}` failed:\n{said}{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// The machine's target triple as cargo writes it in variables.
fn host() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc)
        .arg("-vV")
        .output()
        .map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let triple = text
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or("rustc does not name its host")?;
    Ok(triple.to_uppercase().replace(['-', '.'], "_"))
}
