//! One bad kernel per rule: each must be stopped, with the rule, the kernel, the core, the RISC and the line in the report.

use std::sync::Arc;

use tt_emulator::{ArchName, Device, Program, Report, rules};

use crate::rig::*;

const CORE: (usize, usize) = (2, 1);

/// Rule, name of the bad kernel, and the RISC that must be blamed. Its line carries `// HERE`, or else is not checked.
const CASES: &[(&rules::Rule, &str, &str)] = &[
    (&rules::ARGUMENT_INDEX, "argument_index", "NCRISC"),
    (&rules::ARGUMENT_INDEX, "common_argument_index", "NCRISC"),
    (&rules::MEMORY_FAULT, "pointer_from_an_offset", "NCRISC"),
    (&rules::MEMORY_FAULT, "stack_overflow", "NCRISC"),
    (&rules::CB_NOT_CONFIGURED, "cb_not_configured", "NCRISC"),
    (&rules::CB_RESERVE_CAPACITY, "cb_reserve_capacity", "NCRISC"),
    (&rules::CB_WAIT_CAPACITY, "cb_wait_capacity", "BRISC"),
    (&rules::CB_PUSH_BEYOND_RESERVE, "cb_push_beyond_reserve", "NCRISC"),
    (&rules::CB_POP_BEYOND_WAIT, "cb_pop_beyond_wait", "NCRISC"),
    (&rules::CB_STRADDLE, "cb_straddle", "NCRISC"),
    (&rules::CB_STRADDLE, "cb_straddle_pop", "NCRISC"),
    (&rules::CB_SECOND_PRODUCER, "cb_second_producer", "BRISC"),
    (&rules::CB_SECOND_CONSUMER, "cb_second_consumer", "BRISC"),
    (&rules::CB_DIRTY_RESERVE, "cb_dirty_reserve", "NCRISC"),
    (&rules::CB_DIRTY_WAIT, "cb_dirty_wait", "BRISC"),
    (&rules::CB_FRONT_WINDOW, "tile_not_waited_for", "TRISC"),
    (&rules::CB_BACK_WINDOW, "tile_not_reserved", "TRISC"),
    (&rules::CB_WINDOW_WRAP, "tile_behind_the_ring", "TRISC"),
    (&rules::CB_PUSH_OUTSTANDING_READ, "push_before_read_barrier", "NCRISC"),
    (
        &rules::CB_PUSH_OUTSTANDING_READ,
        "push_before_transaction_barrier",
        "NCRISC",
    ),
    (&rules::CB_POP_UNFLUSHED_WRITE, "pop_before_flush", "NCRISC"),
    (&rules::NOC_COORDINATE, "noc_coordinate", "NCRISC"),
    (&rules::NOC_L1_BOUNDS, "l1_bounds", "NCRISC"),
    (&rules::NOC_L1_BOUNDS, "l1_end", "NCRISC"),
    (&rules::NOC_DRAM_BUFFER, "dram_buffer", "NCRISC"),
    (&rules::NOC_DRAM_BUFFER, "dram_after_the_last_page", "NCRISC"),
    (&rules::NOC_PAGE_ID, "page_id", "NCRISC"),
    (&rules::NOC_PAGE_SIZE, "page_size", "NCRISC"),
    (&rules::NOC_PAGE_RANGE, "page_range", "NCRISC"),
    (&rules::NOC_ALIGNMENT, "alignment_of_dram_read", "NCRISC"),
    (&rules::NOC_ALIGNMENT, "alignment_of_write", "NCRISC"),
    (&rules::NOC_BURST, "burst", "NCRISC"),
    (&rules::NOC_FOREIGN_ADDRESS, "foreign_address", "NCRISC"),
    (&rules::NOC_READ_AT_END, "read_at_end", "NCRISC"),
    (&rules::NOC_WRITE_AT_END, "write_at_end", "NCRISC"),
    (&rules::NOC_ATOMIC_AT_END, "atomic_at_end", "NCRISC"),
    (&rules::NOC_INDEX, "noc_index", "NCRISC"),
    (&rules::NOC_STATE, "noc_state", "NCRISC"),
    (&rules::MULTICAST_RECTANGLE, "multicast_rectangle", "NCRISC"),
    (&rules::MULTICAST_RECTANGLE, "multicast_rectangle_on_noc_1", "BRISC"),
    (&rules::MULTICAST_RECTANGLE, "multicast_corner", "NCRISC"),
    (&rules::MULTICAST_COUNT, "multicast_count", "NCRISC"),
    (&rules::MULTICAST_COUNT, "multicast_loopback_count", "NCRISC"),
    (&rules::MULTICAST_LOOPBACK, "multicast_loopback", "NCRISC"),
    (&rules::MULTICAST_LINKED, "multicast_linked_at_end", "NCRISC"),
    (&rules::MULTICAST_LINKED, "multicast_linked_elsewhere", "NCRISC"),
    (&rules::SEMAPHORE_ID, "semaphore_id", "NCRISC"),
    (&rules::SEMAPHORE_ADDRESS, "semaphore_address", "NCRISC"),
    (&rules::SEMAPHORE_ADDRESS, "semaphore_outside_l1", "NCRISC"),
    (&rules::SEMAPHORE_ADDRESS, "semaphore_in_dram", "NCRISC"),
    (&rules::DEADLOCK, "deadlock_of_a_full_ring", "NCRISC"),
    (&rules::DEADLOCK, "deadlock_of_polling", "NCRISC"),
];

/// Runs the kernels `bad/<name>.{reader,writer,compute}.cpp` that exist on `cores`.
fn run(device: &Arc<Device>, name: &str, cores: &[(usize, usize)], threads: usize) -> Report {
    let source = dram(device, 12);
    let mut program = Program::new();
    program.create_circular_buffer(circular_buffer(0, 4, cores)).unwrap();
    program.create_circular_buffer(circular_buffer(1, 1, cores)).unwrap();
    program.create_circular_buffer(circular_buffer(2, 2, cores)).unwrap();
    program.create_semaphore(cores.to_vec(), 0).unwrap();
    let columns = device.arch().virtual_x;
    for (suffix, role) in [("reader", READER), ("writer", WRITER), ("compute", COMPUTE)] {
        let file = format!("bad/{name}.{suffix}.cpp");
        if !kernel_path(&file).exists() {
            continue;
        }
        let handle = program
            .create_kernel(kernel(&file, &accessor(&source)), role, cores.to_vec())
            .unwrap();
        for &(x, y) in cores {
            let partner = cores
                .iter()
                .find(|core| **core != (x, y))
                .map_or(0, |core| columns[core.0].into());
            program
                .set_runtime_args(handle, (x, y), &[source.address() as u32, 7, partner])
                .unwrap();
        }
    }
    report(device, &program, threads)
}

#[test]
fn every_bad_kernel_is_stopped_where_it_errs() {
    let device = device(ArchName::WormholeB0);
    let mut failures = Vec::new();
    for (rule, name, risc) in CASES {
        let seen = run(&device, name, &[CORE], 1);
        let place = seen.place.clone().unwrap();
        let source = std::fs::read_to_string(kernel_path(&place.kernel)).unwrap();
        let line = source
            .lines()
            .position(|line| line.contains("// HERE"))
            .map(|index| index as u32 + 1);
        let kind = match *risc {
            "NCRISC" => "reader",
            "BRISC" => "writer",
            _ => "compute",
        };
        let expected_file = format!("bad/{name}.{kind}.cpp");
        let right = seen.rule.code == rule.code
            && place.core == CORE
            && place.risc.to_string() == *risc
            && place.kernel == expected_file
            && line.is_none_or(|line| line == place.line);
        if !right {
            failures.push(format!(
                "{name}: expected {} on {risc} at {line:?}, got {seen}",
                rule.code
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_rule_of_data_movement_has_its_bad_kernel() {
    let elsewhere = [&rules::INTERNAL];
    let shown: Vec<_> = CASES.iter().map(|case| case.0).chain(elsewhere).collect();
    let missing: Vec<_> = rules::DATAFLOW_RULES
        .iter()
        .filter(|rule| !shown.contains(rule) && !rule.code.starts_with("EMU04"))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn codes_are_unique() {
    let mut codes: Vec<_> = rules::all().map(|rule| rule.code).collect();
    let count = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), count);
}

#[test]
fn a_report_names_the_users_source_line() {
    let device = device(ArchName::WormholeB0);
    let seen = run(&device, "push_before_read_barrier", &[CORE], 1);
    assert_eq!(seen.place.as_ref().unwrap().source.as_deref(), Some("softmax.rs:31"));
    let text = seen.to_string();
    for part in [
        "EMU0114",
        "push_before_read_barrier.reader.cpp",
        "core (2,1)",
        "NCRISC",
        "softmax.rs:31",
        "reader kernel",
    ] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
}

#[test]
fn a_deadlock_lists_who_waits_for_what() {
    let device = device(ArchName::WormholeB0);
    for threads in [1, 2] {
        let seen = run(&device, "deadlock_of_two_cores", &[(0, 0), (1, 0)], threads);
        assert_eq!(seen.rule, &rules::DEADLOCK);
        let text = seen.to_string();
        for part in [
            "core (0,0)",
            "core (1,0)",
            "semaphore 0 to be 1, it is 0",
            "2 RISCs wait",
        ] {
            assert!(text.contains(part), "{part} is missing in: {text}");
        }
        let ring = run(&device, "deadlock_of_a_full_ring", &[CORE], threads).to_string();
        assert!(
            ring.contains("1 free pages of circular buffer 0, 0 of 4 are free"),
            "{ring}"
        );
        assert!(
            ring.contains("1 filled pages of circular buffer 1, 0 of 1 are filled"),
            "{ring}"
        );
    }
}

#[test]
fn the_same_report_with_any_number_of_threads() {
    let device = device(ArchName::Blackhole);
    let cores: Vec<_> = (0..12).map(|index| (index, index % 3)).collect();
    let reports: Vec<_> = (1..4)
        .map(|threads| run(&device, "push_before_read_barrier", &cores, threads))
        .collect();
    assert!(reports.windows(2).all(|pair| pair[0] == pair[1]), "{reports:?}");
    assert_eq!(reports[0].place.as_ref().unwrap().core, (0, 0));
}

#[test]
fn launches_are_refused_before_they_run() {
    use tt_emulator::{BufferKind, CbIndex, CircularBuffer, DataFormat, LaunchError, launch};
    let device = device(ArchName::WormholeB0);
    let core = vec![(0, 0)];
    let empty = || tt_emulator::kernel_object::KernelSource {
        file: "empty.cpp".to_owned(),
        source: "void kernel_main() {}".to_owned(),
        ..Default::default()
    };
    let code = |result: Result<(), Box<Report>>| result.unwrap_err().rule.code;
    let mut program = Program::new();
    let kernel = program.create_kernel(empty(), READER, core.clone()).unwrap();
    assert_eq!(
        code(program.create_kernel(empty(), READER, core.clone()).map(drop)),
        rules::LAUNCH_RISC_TAKEN.code
    );
    let other_risc_same_noc = tt_emulator::kernel_config::KernelRole::DataMovement {
        processor: tt_emulator::kernel_config::DataMovementProcessor::Brisc,
        noc: 0,
    };
    assert_eq!(
        code(
            program
                .create_kernel(empty(), other_risc_same_noc, core.clone())
                .map(drop)
        ),
        rules::LAUNCH_NOC_TAKEN.code
    );
    assert_eq!(
        code(program.set_runtime_args(kernel, (0, 0), &[0; 342])),
        rules::LAUNCH_ARGUMENTS.code
    );
    assert_eq!(
        code(program.set_runtime_args(kernel, (1, 0), &[0])),
        rules::LAUNCH_KERNEL.code
    );
    assert_eq!(
        code(program.set_runtime_args(9, (0, 0), &[0])),
        rules::LAUNCH_KERNEL.code
    );
    program.set_runtime_args(kernel, (0, 0), &[0; 340]).unwrap();
    assert_eq!(
        code(program.set_common_runtime_args(kernel, &[0; 2])),
        rules::LAUNCH_ARGUMENTS.code
    );
    assert_eq!(
        code(program.set_runtime_args(kernel, (0, 0), &[0; 3])),
        rules::LAUNCH_ARGUMENTS_CHANGED.code
    );
    for _ in 0..16 {
        program.create_semaphore(core.clone(), 0).unwrap();
    }
    assert_eq!(
        code(program.create_semaphore(core.clone(), 0).map(drop)),
        rules::LAUNCH_SEMAPHORES.code
    );
    let with = |id, total_bytes, page_bytes| CircularBuffer {
        cores: core.clone(),
        total_bytes,
        indices: vec![CbIndex {
            id,
            format: DataFormat::Float16_b,
            page_bytes,
            tile: (32, 32),
        }],
        global_address: None,
    };
    assert_eq!(
        code(program.create_circular_buffer(with(0, 3000, 2048)).map(drop)),
        rules::LAUNCH_CB_SIZE.code
    );
    assert_eq!(
        code(program.create_circular_buffer(with(0, 0, 2048)).map(drop)),
        rules::LAUNCH_CB_SIZE.code
    );
    program.create_circular_buffer(with(0, 4096, 2048)).unwrap();
    assert_eq!(
        code(program.create_circular_buffer(with(0, 4096, 2048)).map(drop)),
        rules::LAUNCH_CB_ID.code
    );
    let launch_code = |program: &Program| match launch(&device, program, 1) {
        Err(LaunchError::Report(report)) => report.rule.code,
        other => panic!("{other:?}"),
    };
    let mut wide = Program::new();
    wide.create_circular_buffer(with(32, 2048, 2048)).unwrap();
    assert_eq!(launch_code(&wide), rules::LAUNCH_CB_ID.code);
    let mut outside = Program::new();
    outside.create_kernel(empty(), READER, vec![(0, 8)]).unwrap();
    assert_eq!(launch_code(&outside), rules::LAUNCH_CORE.code);
    let mut full = Program::new();
    full.create_circular_buffer(with(0, 1_400_000 / 2048 * 2048, 2048))
        .unwrap();
    launch(&device, &full, 1).unwrap();
    let taken = tt_emulator::Buffer::allocate(&device, BufferKind::L1, 64 * 2048 * 40, 2048).unwrap();
    assert_eq!(launch_code(&full), rules::LAUNCH_L1.code);
    drop(taken);
    launch(&device, &full, 1).unwrap();
}
