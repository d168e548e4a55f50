//! Programs that move pages from one buffer to another.

use tt_emulator::{ArchName, BufferKind, Program, launch};

use crate::rig::*;

/// Copies `pages` pages over `cores` cores, `block` at a time, through a circular buffer of `depth` blocks.
fn copy(arch: ArchName, kind: BufferKind, pages: usize, cores: usize, block: u32, depth: u32, threads: usize) {
    copy_with("copy_writer.cpp", arch, kind, pages, cores, block, depth, threads);
}

#[allow(clippy::too_many_arguments, reason = "one more than the others")]
fn copy_with(
    writer: &str,
    arch: ArchName,
    kind: BufferKind,
    pages: usize,
    cores: usize,
    block: u32,
    depth: u32,
    threads: usize,
) {
    let device = device(arch);
    let data = pattern(pages);
    let buffers = [0; 2].map(|_| tt_emulator::Buffer::allocate(&device, kind, data.len() as u64, PAGE as u64).unwrap());
    let [source, target] = &buffers;
    source.write(&data).unwrap();
    let coords: Vec<_> = (0..cores).map(|core| (core % 4, core / 4)).collect();
    let program = copy_program_over(writer, &buffers, &coords, block, depth);
    let counters = launch(&device, &program, threads).unwrap_or_else(|error| panic!("{error}"));
    assert!(read(target) == data, "the copy differs");
    assert_eq!(counters.total.pages_read, pages as u64);
    assert_eq!(counters.total.noc_read_bytes, [data.len() as u64, 0]);
    assert_eq!(counters.total.noc_write_bytes, [0, data.len() as u64]);
    if kind == BufferKind::Dram {
        assert_eq!(counters.total.dram_read_bytes.iter().sum::<u64>(), data.len() as u64);
        assert_eq!(counters.total.dram_write_bytes.iter().sum::<u64>(), data.len() as u64);
    }
    assert_eq!(counters.cores.len(), cores);
}

#[test]
fn one_core_copies_dram() {
    copy(ArchName::WormholeB0, BufferKind::Dram, 24, 1, 2, 2, 1);
}

#[test]
fn eight_cores_copy_dram_on_two_threads() {
    copy(ArchName::WormholeB0, BufferKind::Dram, 96, 8, 4, 2, 2);
    copy(ArchName::Blackhole, BufferKind::Dram, 96, 8, 3, 1, 2);
}

#[test]
fn a_dataflow_buffer_is_a_circular_buffer() {
    copy_with(
        "copy_entries.cpp",
        ArchName::WormholeB0,
        BufferKind::Dram,
        24,
        2,
        3,
        2,
        1,
    );
}

#[test]
fn interleaved_l1_is_memory_of_all_cores() {
    copy(ArchName::WormholeB0, BufferKind::L1, 96, 8, 4, 2, 2);
    copy(ArchName::Blackhole, BufferKind::L1, 260, 4, 5, 2, 1);
}

#[test]
fn a_program_runs_again_with_other_arguments() {
    let device = device(ArchName::WormholeB0);
    let data = pattern(8);
    let (source, first, second) = (dram(&device, 8), dram(&device, 8), dram(&device, 8));
    source.write(&data).unwrap();
    let core = [(0, 0)];
    let mut program = Program::new();
    program.create_circular_buffer(circular_buffer(0, 4, &core)).unwrap();
    let args = [&[2][..], &accessor(&source)].concat();
    let reader = program
        .create_kernel(kernel("copy_reader.cpp", &args), READER, core.to_vec())
        .unwrap();
    let writer = program
        .create_kernel(kernel("copy_writer.cpp", &args), WRITER, core.to_vec())
        .unwrap();
    program
        .set_runtime_args(reader, core[0], &[source.address() as u32, 0, 8])
        .unwrap();
    program
        .set_runtime_args(writer, core[0], &[first.address() as u32, 0, 8])
        .unwrap();
    launch(&device, &program, 1).unwrap();
    program.runtime_args(writer, core[0]).unwrap()[0] = second.address() as u32;
    launch(&device, &program, 1).unwrap();
    assert!(read(&first) == data && read(&second) == data);
    assert_eq!(device.accumulated_counters().programs, 2);
    assert_eq!(device.accumulated_counters().total.pages_written, 16);
}
