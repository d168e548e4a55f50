//! What a launch says where the machine lacks something. Each case is a child process with an environment of its own.
#![cfg(not(tt_metal_sdk))]

mod support;

use std::process::{Command, Output};
use support::{copy, copy_kernel, ramp};
use tt_host::{Device, ElementType, Zeros};

/// Not a test of its own: what the others run in child processes.
#[test]
#[ignore = "run by the other tests of this file"]
fn child_copies_a_tensor() {
    let device = Device::open_named("emulator").unwrap();
    let values = ramp(50 * 50);
    let a = device.upload(&values, [50, 50]).unwrap();
    let mut c = device.zeros::<f32>([50, 50]).unwrap();
    match copy(copy_kernel(ElementType::F32), &a, &mut c).run() {
        Ok(()) => println!("copied: {}", c.download().unwrap() == values),
        Err(error) => println!("refused: {:?}: {error}", error.kind()),
    }
    // Nothing is lost: the tensors are as they were.
    println!("kept: {}", a.download().unwrap() == values);
}

fn child(prepare: impl FnOnce(&mut Command)) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child_copies_a_tensor", "--ignored", "--nocapture"])
        .env_remove("CXX");
    prepare(&mut command);
    let Output { stdout, stderr, .. } = command.output().unwrap();
    format!(
        "{}{}",
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr)
    )
}

#[test]
fn without_a_compiler_a_launch_is_refused_and_says_what_to_install() {
    let cache = std::env::temp_dir().join(format!("tt-host-empty-cache-{}", std::process::id()));
    let output = child(|command| {
        command.env("PATH", "").env("TT_EMULATOR_CACHE", &cache);
    });
    let _ = std::fs::remove_dir_all(&cache);
    assert!(output.contains("refused: Run: kernel `copy` failed"), "{output}");
    assert!(
        output.contains("no C++ compiler found") && output.contains("install g++ or clang++"),
        "{output}"
    );
    assert!(output.contains("kept: true"), "{output}");
}

#[test]
fn a_cache_that_cannot_be_written_does_not_stop_a_launch() {
    let output = child(|command| {
        command.env("TT_EMULATOR_CACHE", "/proc/no/such/folder");
    });
    assert!(
        output.contains("copied: true") && output.contains("kept: true"),
        "{output}"
    );
}

#[test]
fn a_setting_that_nobody_knows_is_refused_by_name() {
    let cases = [
        ("TT_EMULATOR_FPU", "exat", "it can be `exact` or `fast`"),
        (
            "TT_EMULATOR_THREADS",
            "all",
            "it can be a number of threads from 1 to 1024",
        ),
    ];
    for (variable, value, allowed) in cases {
        let output = child(|command| {
            command.env(variable, value);
        });
        let wanted = format!("Device: cannot open emulator:wormhole_b0: {variable} is `{value}`; {allowed}");
        assert!(output.contains(&wanted), "{output}");
    }
    let cache = std::env::temp_dir().join(format!("tt-host-named-compiler-{}", std::process::id()));
    let output = child(|command| {
        command.env("CXX", "no-such-compiler").env("TT_EMULATOR_CACHE", &cache);
    });
    let _ = std::fs::remove_dir_all(&cache);
    let wanted = "refused: Run: kernel `copy` failed: CXX is `no-such-compiler`; it can be a C++ compiler";
    assert!(output.contains(wanted), "{output}");
}
