//! What native code can do to a process, and a kernel must not: faults end the kernel, with a report, and nothing else.
//!
//! What has to end, or keep alive, a whole process runs in one of its own: this test binary again, with the name of one of
//! the tests below that are otherwise ignored.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::Arc;

use tt_emulator::{ArchName, Device, LaunchError, Program, launch};

use crate::rig::*;

const CORE: (usize, usize) = (1, 0);

/// A program of one reader with one page of L1; its result is the page of `results`.
fn reader(file: &str, device: &Arc<Device>) -> (Program, tt_emulator::Buffer) {
    let results = dram(device, 1);
    let mut program = Program::new();
    program.create_circular_buffer(circular_buffer(0, 1, &[CORE])).unwrap();
    let handle = program
        .create_kernel(kernel(file, &accessor(&results)), READER, vec![CORE])
        .unwrap();
    program
        .set_runtime_args(handle, CORE, &[results.address() as u32, 7])
        .unwrap();
    (program, results)
}

/// A launch, so that the engine handles signals.
fn after_a_launch() {
    let device = device(ArchName::WormholeB0);
    let (program, _results) = reader("divisions.cpp", &device);
    launch(&device, &program, 1).unwrap();
}

#[test]
fn divisions_give_what_the_chip_gives() {
    let device = device(ArchName::WormholeB0);
    let (program, results) = reader("divisions.cpp", &device);
    launch(&device, &program, 1).unwrap();
    let words: Vec<u32> = read(&results)
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect();
    let numbers = [0, 1, 7, 0x7fff_ffff, 0x8000_0000, 0xffff_fff9, u32::MAX];
    let mut expected = Vec::new();
    for a in numbers {
        for b in numbers {
            // RISC-V unprivileged specification, M extension.
            let unsigned = (a.checked_div(b).unwrap_or(u32::MAX), a.checked_rem(b).unwrap_or(a));
            let (x, y) = (a as i32, b as i32);
            let signed = match y {
                0 => (-1, x),
                _ => (x.wrapping_div(y), x.wrapping_rem(y)),
            };
            expected.extend([unsigned.0, unsigned.1, signed.0 as u32, signed.1 as u32]);
        }
    }
    assert_eq!(words[..expected.len()], expected);
}

#[test]
fn a_device_works_on_after_every_fault() {
    let device = device(ArchName::Blackhole);
    for file in [
        "trap.reader.cpp",
        "exit.reader.cpp",
        "stack_array.reader.cpp",
        "past_the_end_of_l1.reader.cpp",
    ] {
        let (program, _results) = reader(&format!("bad/{file}"), &device);
        for threads in [1, 2] {
            let LaunchError::Report(report) = launch(&device, &program, threads).unwrap_err() else {
                panic!("{file}: no report")
            };
            assert!(report.place.is_some(), "{file}: {report}");
        }
        let (program, results) = reader("divisions.cpp", &device);
        launch(&device, &program, 1).unwrap();
        assert_eq!(read(&results)[..4], [255; 4], "after {file}");
    }
}

#[test]
#[ignore = "ends its process"]
fn aborts_outside_of_kernels() {
    after_a_launch();
    std::process::abort();
}

#[test]
#[ignore = "ends its process"]
fn faults_outside_of_kernels() {
    after_a_launch();
    // SAFETY: not at all; the process ends here.
    unsafe { std::hint::black_box(16 as *mut u32).write_volatile(1) };
}

#[test]
#[ignore = "ends its process"]
fn is_aborted_from_outside() {
    after_a_launch();
    let killed = Command::new("kill")
        .args(["-ABRT", &std::process::id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    std::thread::sleep(std::time::Duration::from_secs(60));
}

#[test]
fn faults_outside_of_kernels_end_the_process_as_ever() {
    for (test, signals) in [
        ("aborts_outside_of_kernels", &[libc::SIGABRT][..]),
        ("faults_outside_of_kernels", &[libc::SIGSEGV]),
        ("is_aborted_from_outside", &[libc::SIGABRT]),
    ] {
        let output = in_a_process(&format!("faults::{test}"), &[]);
        let signal = output.status.signal();
        assert!(
            signal.is_some_and(|signal| signals.contains(&signal)),
            "{test}: {output:?}"
        );
    }
}

#[test]
#[ignore = "needs a limit from its parent"]
fn computes_for_long() {
    let device = device(ArchName::WormholeB0);
    let (program, _results) = reader("long_computation.cpp", &device);
    match launch(&device, &program, 1) {
        Ok(_) => println!("ended well"),
        Err(error) => println!("{error}"),
    }
}

#[test]
fn a_long_computation_is_told_what_it_may_be_and_the_limit_can_be_raised() {
    let run = |seconds: &str| {
        let output = in_a_process("faults::computes_for_long", &[("TT_EMULATOR_SPIN_SECONDS", seconds)]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let stopped = run("1");
    for part in [
        "EMU0003",
        "or computes, some time after this line",
        "it had 1 s of processor time without a call; where it computes, TT_EMULATOR_SPIN_SECONDS allows more",
    ] {
        assert!(stopped.contains(part), "{part} is missing in: {stopped}");
    }
    assert!(run("600").contains("ended well"));
}
