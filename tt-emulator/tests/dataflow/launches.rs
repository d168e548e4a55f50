//! Programs that are refused before anything runs: one function for every way to break a rule of launching.
//!
//! The line of a function that must be refused ends in `// breaks EMU..`. `cargo xtask conformance rules` shows the same
//! functions in docs/rules.md.

use std::sync::Arc;

use tt_emulator::kernel_config::{DataMovementProcessor, KernelRole};
use tt_emulator::kernel_object::KernelSource;
use tt_emulator::{
    ArchName, Buffer, BufferKind, CbIndex, CircularBuffer, DataFormat, Device, LaunchError, Program, Report,
    StoredPages, StoredTensor, Stores, launch, rules,
};

use crate::rig::*;

const CORE: [(usize, usize); 1] = [(0, 0)];

type Refused = Result<(), Box<Report>>;

fn empty() -> KernelSource {
    KernelSource {
        file: "empty.cpp".to_owned(),
        source: "void kernel_main() {}".to_owned(),
        ..Default::default()
    }
}

fn buffer(id: u8, total_bytes: u32, page_bytes: u32) -> CircularBuffer {
    CircularBuffer {
        cores: CORE.to_vec(),
        total_bytes,
        indices: vec![CbIndex {
            id,
            format: DataFormat::Float16_b,
            page_bytes,
            tile: (32, 32),
        }],
        global_address: None,
    }
}

fn start(device: &Arc<Device>, program: &Program) -> Refused {
    match launch(device, program, 1) {
        Ok(_) => Ok(()),
        Err(LaunchError::Report(report)) => Err(report),
        Err(other) => panic!("no report but: {other}"),
    }
}

fn a_core_outside_the_grid(device: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    program.create_kernel(empty(), READER, vec![(0, 8)])?;
    start(device, &program) // breaks EMU0401
}

fn two_kernels_on_one_risc(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    program.create_kernel(empty(), READER, CORE.to_vec())?;
    program.create_kernel(empty(), READER, CORE.to_vec())?; // breaks EMU0402
    Ok(())
}

fn two_kernels_on_one_noc(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    let (processor, noc) = (DataMovementProcessor::Brisc, 0);
    program.create_kernel(empty(), READER, CORE.to_vec())?;
    program.create_kernel(empty(), KernelRole::DataMovement { processor, noc }, CORE.to_vec())?; // breaks EMU0403
    Ok(())
}

fn a_circular_buffer_twice(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    program.create_circular_buffer(buffer(0, 4096, 2048))?;
    program.create_circular_buffer(buffer(0, 4096, 2048))?; // breaks EMU0404
    Ok(())
}

fn a_circular_buffer_that_the_chip_has_not(device: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    program.create_circular_buffer(buffer(32, 2048, 2048))?;
    start(device, &program) // breaks EMU0404
}

fn a_circular_buffer_of_a_page_and_a_half(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    program.create_circular_buffer(buffer(0, 3000, 2048))?; // breaks EMU0405
    Ok(())
}

fn a_circular_buffer_of_nothing(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    program.create_circular_buffer(buffer(0, 0, 2048))?; // breaks EMU0405
    Ok(())
}

fn circular_buffers_that_reach_the_buffers_in_l1(device: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    program.create_circular_buffer(buffer(0, 1_400_000 / 2048 * 2048, 2048))?;
    let _taken = Buffer::allocate(device, BufferKind::L1, 64 * 2048 * 40, 2048).expect("room in L1");
    start(device, &program) // breaks EMU0406
}

fn a_circular_buffer_that_goes_on_after_its_buffer_in_l1(device: &Arc<Device>) -> Refused {
    let on = Buffer::allocate(device, BufferKind::L1, 64 * 2048, 2048).expect("room in L1");
    let mut program = Program::new();
    program.create_circular_buffer(CircularBuffer {
        global_address: Some(on.address()),
        ..buffer(0, 2 * 2048, 2048)
    })?;
    start(device, &program) // breaks EMU0406
}

fn too_many_arguments(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    let kernel = program.create_kernel(empty(), READER, CORE.to_vec())?;
    program.set_runtime_args(kernel, (0, 0), &[0; 342])?; // breaks EMU0407
    Ok(())
}

fn too_many_arguments_with_the_common_ones(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    let kernel = program.create_kernel(empty(), READER, CORE.to_vec())?;
    program.set_runtime_args(kernel, (0, 0), &[0; 340])?;
    program.set_common_runtime_args(kernel, &[0; 2])?; // breaks EMU0407
    Ok(())
}

fn a_seventeenth_semaphore(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    for _ in 0..16 {
        program.create_semaphore(CORE.to_vec(), 0)?;
    }
    program.create_semaphore(CORE.to_vec(), 0)?; // breaks EMU0408
    Ok(())
}

fn arguments_of_another_count(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    let kernel = program.create_kernel(empty(), READER, CORE.to_vec())?;
    program.set_runtime_args(kernel, (0, 0), &[0; 4])?;
    program.set_runtime_args(kernel, (0, 0), &[0; 3])?; // breaks EMU0409
    Ok(())
}

fn arguments_of_no_kernel(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    program.set_runtime_args(9, (0, 0), &[0])?; // breaks EMU0410
    Ok(())
}

fn arguments_on_a_core_without_the_kernel(_: &Arc<Device>) -> Refused {
    let mut program = Program::new();
    let kernel = program.create_kernel(empty(), READER, CORE.to_vec())?;
    program.set_runtime_args(kernel, (1, 0), &[0])?; // breaks EMU0410
    Ok(())
}

/// What a kernel is to store: all of a tensor of one tile.
fn stores_of(kernel: &str, results: &Buffer) -> Stores {
    let tensor = StoredTensor {
        name: "results".to_owned(),
        base: results.address(),
        in_dram: true,
        pages: StoredPages::Interleaved(0),
        shape: vec![20, 30],
        format: tt_device::DataFormat::Float16B,
        lines: Vec::new(),
        read_lines: Vec::new(),
        read_by_element: false,
    };
    Stores {
        kernel: kernel.to_owned(),
        others_may_store: false,
        tensors: vec![tensor],
        blocks: Arc::default(),
    }
}

fn a_page_that_two_cores_store(device: &Arc<Device>) -> Refused {
    let results = dram(device, 1);
    let cores = vec![(0, 0), (3, 2)];
    let mut program = Program::new();
    program.create_circular_buffer(circular_buffer(0, 1, &cores))?;
    let kernel = program.create_kernel(kernel("divisions.cpp", &accessor(&results)), READER, cores.clone())?;
    for core in &cores {
        program.set_runtime_args(kernel, *core, &[results.address() as u32])?;
    }
    start(device, &program)?;
    program.expect_stores(Some(stores_of("divisions", &results)));
    start(device, &program) // breaks EMU0420
}

/// Stores one page for each of two blocks, whose pages are the same where the step is 0.
const TWO_BLOCKS: &str = r#"
#include "api/dataflow/dataflow_api.h"
#include "api/debug/kernel_profiler.hpp"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto results = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    cb_reserve_back(0, 1);
    for (uint32_t block = 0; block < 2; ++block) {
        DeviceTimestampedData("tt_block", block);
        DeviceTimestampedData("pages", 7 * block);
        for (uint32_t again = 0; again < 2; ++again) {
            noc_async_write_page(block * get_arg_val<uint32_t>(1), results, get_write_ptr(0));
        }
    }
    noc_async_write_barrier();
    cb_push_back(0, 1);
}
"#;

fn two_blocks(device: &Arc<Device>, step: u32) -> Refused {
    let results = dram(device, 2);
    let mut program = Program::new();
    program.create_circular_buffer(circular_buffer(0, 1, &CORE))?;
    let source = KernelSource {
        file: "two_blocks.cpp".to_owned(),
        source: TWO_BLOCKS.to_owned(),
        ..kernel("divisions.cpp", &accessor(&results))
    };
    let kernel = program.create_kernel(source, READER, CORE.to_vec())?;
    program.set_runtime_args(kernel, CORE[0], &[results.address() as u32, step])?;
    start(device, &program)
}

fn a_page_that_two_blocks_of_one_core_store(device: &Arc<Device>) -> Refused {
    two_blocks(device, 1)?;
    two_blocks(device, 0) // breaks EMU0420
}

/// Stores a page, or reads it.
const STORES_OR_READS: &str = r#"
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto page = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    const uint32_t address = get_write_ptr(0);
    if (get_arg_val<uint32_t>(1) == 0) {
        noc_async_read_page(0, page, address);
        noc_async_read_barrier();
    } else {
        noc_async_write_page(0, page, address);
        noc_async_write_barrier();
    }
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
"#;

fn a_page_that_one_core_reads_and_another_stores(device: &Arc<Device>) -> Refused {
    let results = dram(device, 1);
    let cores = vec![(0, 0), (3, 2)];
    for stores in [[0, 0], [1, 1], [0, 1]] {
        let mut program = Program::new();
        program.create_circular_buffer(circular_buffer(0, 1, &cores))?;
        let source = KernelSource {
            file: "stores_or_reads.cpp".to_owned(),
            source: STORES_OR_READS.to_owned(),
            ..kernel("divisions.cpp", &accessor(&results))
        };
        let kernel = program.create_kernel(source, READER, cores.clone())?;
        for (core, stores) in cores.iter().zip(stores) {
            program.set_runtime_args(kernel, *core, &[results.address() as u32, stores])?;
        }
        if stores != [1, 1] {
            program.expect_stores(Some(stores_of("stores_or_reads", &results)));
        }
        start(device, &program)?; // breaks EMU0421
    }
    Ok(())
}

type Case = (&'static str, fn(&Arc<Device>) -> Refused);

macro_rules! cases {
    ($($name:ident)*) => { &[$((stringify!($name), $name)),*] };
}

const CASES: &[Case] = cases! {
    a_core_outside_the_grid
    two_kernels_on_one_risc
    two_kernels_on_one_noc
    a_circular_buffer_twice
    a_circular_buffer_that_the_chip_has_not
    a_circular_buffer_of_a_page_and_a_half
    a_circular_buffer_of_nothing
    circular_buffers_that_reach_the_buffers_in_l1
    a_circular_buffer_that_goes_on_after_its_buffer_in_l1
    too_many_arguments
    too_many_arguments_with_the_common_ones
    a_seventeenth_semaphore
    arguments_of_another_count
    arguments_of_no_kernel
    arguments_on_a_core_without_the_kernel
    a_page_that_two_cores_store
    a_page_that_two_blocks_of_one_core_store
    a_page_that_one_core_reads_and_another_stores
};

/// The rule that the function of this name says it breaks.
fn said(name: &str) -> &'static str {
    let text = include_str!("launches.rs");
    let body = text
        .split(&format!("\nfn {name}("))
        .nth(1)
        .expect("the function is in this file");
    let body = body.split("\n}\n").next().unwrap_or_default();
    let marks: Vec<_> = body.split("// breaks ").skip(1).collect();
    let [mark] = marks[..] else {
        panic!("{name} breaks {} rules, not one", marks.len())
    };
    mark.lines().next().unwrap_or_default()
}

#[test]
fn every_bad_launch_is_refused() {
    let device = device(ArchName::WormholeB0);
    for (name, bad) in CASES {
        let report = bad(&device).expect_err(name);
        assert_eq!(report.rule.code, said(name), "{name}: {report}");
    }
    let declared = include_str!("launches.rs")
        .matches("&Arc<Device>) -> Refused {\n")
        .count();
    assert_eq!(declared, CASES.len(), "a bad launch that is not tried");
}

#[test]
fn a_launch_that_says_no_tensors_names_page_and_blocks() {
    for arch in [ArchName::WormholeB0, ArchName::Blackhole] {
        let report = two_blocks(&device(arch), 0).unwrap_err().to_string();
        let said = "kernel two_blocks.cpp: page 0 of the DRAM buffer at 0x";
        assert!(report.contains(said), "{report}");
        assert!(report.contains(" is stored by block 0 and by block 1"), "{report}");
    }
}

#[test]
fn every_rule_of_launching_has_its_bad_launch() {
    let said: Vec<_> = CASES.iter().map(|(name, _)| said(name)).collect();
    let launching = rules::DATAFLOW_RULES
        .iter()
        .filter(|rule| rule.code.starts_with("EMU04"));
    let missing: Vec<_> = launching
        .filter(|rule| !said.contains(&rule.code))
        .map(|rule| rule.code)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn what_fits_is_not_refused() {
    let device = device(ArchName::WormholeB0);
    let mut full = Program::new();
    full.create_circular_buffer(buffer(0, 1_400_000 / 2048 * 2048, 2048))
        .unwrap();
    start(&device, &full).unwrap();
    let taken = Buffer::allocate(&device, BufferKind::L1, 64 * 2048 * 40, 2048).unwrap();
    drop(taken);
    start(&device, &full).unwrap();
}
