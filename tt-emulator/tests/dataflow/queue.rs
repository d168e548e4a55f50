//! What is enqueued runs while the host goes on, in order, and is waited for by whoever looks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tt_emulator::{ArchName, Buffer, Device, LaunchError, Program};

use crate::rig::*;

const CORE: (usize, usize) = (0, 0);

/// A program that waits until `go` is not zero and then fills `results`.
fn waiting(results: &Buffer, go: &AtomicU32, value: u32) -> Program {
    let mut program = Program::new();
    program.create_circular_buffer(circular_buffer(0, 1, &[CORE])).unwrap();
    let source = kernel("waits_for_the_host.cpp", &accessor(results));
    let handle = program.create_kernel(source, READER, vec![CORE]).unwrap();
    let address = go as *const AtomicU32 as u64;
    let words = [results.address() as u32, address as u32, (address >> 32) as u32, value];
    program.set_runtime_args(handle, CORE, &words).unwrap();
    program
}

fn first(buffer: &Buffer) -> u32 {
    u32::from_le_bytes(read(buffer)[..4].try_into().unwrap())
}

#[test]
fn enqueue_returns_before_the_program_has_run() {
    let device = device(ArchName::WormholeB0);
    let (results, go) = (dram(&device, 1), AtomicU32::new(0));
    // Compiled by now, so that the time until `go` is short.
    go.store(1, Ordering::SeqCst);
    device.enqueue(&waiting(&results, &go, 1), 2).unwrap();
    device.finish().unwrap();
    go.store(0, Ordering::SeqCst);
    for value in 2..6 {
        // The program is dropped while it is enqueued.
        device.enqueue(&waiting(&results, &go, value), 2).unwrap();
    }
    // Had one of these calls run its program, it would wait for this line, and be a deadlock.
    go.store(1, Ordering::SeqCst);
    assert_eq!(first(&results), 5);
    device.finish().unwrap();
    // A buffer is freed when nothing enqueued can use it any more.
    device.enqueue(&waiting(&results, &go, 6), 2).unwrap();
    drop(results);
    device.finish().unwrap();
}

#[test]
fn devices_have_queues_of_their_own_and_outlive_their_handles_until_those_are_empty() {
    let go = Arc::new(AtomicU32::new(0));
    let open = || Device::open_arch(0, ArchName::Blackhole).unwrap();
    let (slow, fast) = (device(ArchName::Blackhole), open());
    let (results, others) = (dram(&slow, 1), dram(&fast, 1));
    let ready = AtomicU32::new(1);
    fast.enqueue(&waiting(&others, &ready, 3), 2).unwrap();
    slow.enqueue(&waiting(&results, &go, 4), 2).unwrap();
    assert_eq!(first(&others), 3);
    go.store(1, Ordering::SeqCst);
    assert_eq!(first(&results), 4);
}

#[test]
fn what_can_be_refused_is_refused_when_it_is_enqueued() {
    let device = device(ArchName::WormholeB0);
    let mut program = Program::new();
    let broken = tt_emulator::kernel_object::KernelSource {
        file: "broken.cpp".to_owned(),
        source: "void kernel_main() { no such thing; }".to_owned(),
        ..Default::default()
    };
    program.create_kernel(broken, READER, vec![CORE]).unwrap();
    assert!(matches!(device.enqueue(&program, 2), Err(LaunchError::Kernel(_))));
    device.finish().unwrap();
}
