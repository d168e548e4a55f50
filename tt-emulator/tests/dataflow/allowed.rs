//! Rules that the user allows to be broken.

use tt_emulator::allowed::Allowed;
use tt_emulator::{ArchName, Device, LaunchError, Program, launch};

use crate::rig::*;

/// A kernel that pushes `pages` pages it never reserved, into a ring of 4.
fn push(pages: u32, allowed: &str) -> Result<(), LaunchError> {
    // Sets where kernels are compiled.
    device(ArchName::WormholeB0);
    let device = Device::open_allowing(0, ArchName::WormholeB0, Allowed::parse(allowed).unwrap()).unwrap();
    let mut program = Program::new();
    program
        .create_circular_buffer(circular_buffer(0, 4, &[(0, 0)]))
        .unwrap();
    let source = kernel("push_without_reserve.cpp", &[pages]);
    program.create_kernel(source, READER, vec![(0, 0)]).unwrap();
    launch(&device, &program, 1).map(|_| ())
}

#[test]
fn a_push_without_reserve_goes_on_where_it_is_allowed_and_the_ring_has_room() {
    let is_refused = |result| {
        let Err(LaunchError::Report(report)) = result else {
            panic!("not refused")
        };
        assert_eq!(report.rule.code, "EMU0104");
    };
    push(4, "EMU0104").unwrap();
    is_refused(push(4, ""));
    is_refused(push(4, "EMU0506"));
    is_refused(push(5, "EMU0104"));
}

#[test]
fn writes_that_nobody_waited_for_arrive_where_that_is_allowed() {
    device(ArchName::WormholeB0);
    let device = Device::open_allowing(0, ArchName::WormholeB0, Allowed::parse("EMU0211").unwrap()).unwrap();
    let target = dram(&device, 1);
    target.write(&pattern(1)).unwrap();
    let mut program = Program::new();
    program
        .create_circular_buffer(circular_buffer(0, 4, &[(0, 0)]))
        .unwrap();
    let source = kernel("bad/write_at_end.reader.cpp", &accessor(&target));
    let handle = program.create_kernel(source, READER, vec![(0, 0)]).unwrap();
    program
        .set_runtime_args(handle, (0, 0), &[target.address() as u32])
        .unwrap();
    launch(&device, &program, 1).unwrap();
    // The page of L1 that was sent.
    assert_ne!(read(&target), pattern(1));
}
