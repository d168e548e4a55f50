//! What the tests build programs with.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use tt_emulator::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole, MathFidelity};
use tt_emulator::kernel_object::{KernelSource, precompile_standard_headers};
use tt_emulator::{
    ArchName, Buffer, BufferKind, CbIndex, CircularBuffer, CoreCoord, DataFormat, Device, LaunchError, Program, Report,
    launch,
};

pub const PAGE: usize = 2048;

pub const READER: KernelRole = KernelRole::DataMovement {
    processor: DataMovementProcessor::Ncrisc,
    noc: 0,
};
pub const WRITER: KernelRole = KernelRole::DataMovement {
    processor: DataMovementProcessor::Brisc,
    noc: 1,
};

pub const COMPUTE: KernelRole = KernelRole::Compute(ComputeOptions {
    math_fidelity: MathFidelity::HiFi4,
    fp32_dest_acc_en: false,
    dst_full_sync_en: false,
    math_approx_mode: false,
    bfp8_pack_precise: false,
    unpack_to_dest_fp32: Vec::new(),
});

pub fn device(arch: ArchName) -> Arc<Device> {
    // Kernels of the tests are compiled into a folder of the build.
    static CACHE: std::sync::Once = std::sync::Once::new();
    // SAFETY: set once, before any kernel is compiled; nothing else in these tests changes the environment.
    CACHE.call_once(|| unsafe {
        std::env::set_var("TT_EMULATOR_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/kernels"));
        precompile_standard_headers(Path::new(env!("CARGO_TARGET_TMPDIR"))).expect("a C++ compiler");
    });
    Device::open_arch(0, arch).unwrap()
}

pub fn kernel_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/kernels")
        .join(name)
}

/// A kernel from `tests/kernels`.
pub fn kernel(name: &str, compile_args: &[u32]) -> KernelSource {
    KernelSource {
        file: name.to_owned(),
        source: std::fs::read_to_string(kernel_path(name)).unwrap(),
        compile_args: compile_args.to_vec(),
        ..Default::default()
    }
}

pub fn dram(device: &Arc<Device>, pages: usize) -> Buffer {
    Buffer::allocate(device, BufferKind::Dram, (pages * PAGE) as u64, PAGE as u64).unwrap()
}

/// Bytes that differ from page to page and within a page.
pub fn pattern(pages: usize) -> Vec<u8> {
    (0..pages * PAGE)
        .map(|index| (index * 31 + index / PAGE * 7 + index / 251) as u8)
        .collect()
}

/// The two words that describe an interleaved DRAM buffer to a tensor accessor.
pub fn accessor(buffer: &Buffer) -> [u32; 2] {
    [
        if buffer.kind() == BufferKind::Dram { 2 } else { 0 },
        buffer.aligned_page_bytes(),
    ]
}

pub fn circular_buffer(id: u8, pages: u32, cores: &[CoreCoord]) -> CircularBuffer {
    CircularBuffer {
        cores: cores.to_vec(),
        total_bytes: pages * PAGE as u32,
        indices: vec![CbIndex {
            id,
            format: DataFormat::Float16_b,
            page_bytes: PAGE as u32,
            tile: (32, 32),
        }],
        global_address: None,
    }
}

/// Copies all pages of one buffer to another of as many, each core its share of them, `block` at a time, through a circular
/// buffer of `depth` blocks.
pub fn copy_program_over(
    writer: &str,
    [source, target]: &[Buffer; 2],
    cores: &[CoreCoord],
    block: u32,
    depth: u32,
) -> Program {
    let mut program = Program::new();
    program
        .create_circular_buffer(circular_buffer(0, block * depth, cores))
        .unwrap();
    let args = |buffer| [&[block][..], &accessor(buffer)].concat();
    let reader = program
        .create_kernel(kernel("copy_reader.cpp", &args(source)), READER, cores.to_vec())
        .unwrap();
    let writer = program
        .create_kernel(kernel(writer, &args(target)), WRITER, cores.to_vec())
        .unwrap();
    let share = (source.size() as usize / PAGE / cores.len()) as u32;
    for (index, core) in cores.iter().enumerate() {
        let first = index as u32 * share;
        for (kernel, buffer) in [(reader, source), (writer, target)] {
            let words = [buffer.address() as u32, first, share];
            program.set_runtime_args(kernel, *core, &words).unwrap();
        }
    }
    program
}

pub fn read(buffer: &Buffer) -> Vec<u8> {
    let mut data = vec![0; buffer.size() as usize];
    buffer.read(&mut data).unwrap();
    data
}

/// The report of a program that must break a rule.
pub fn report(device: &Arc<Device>, program: &Program, threads: usize) -> Report {
    match launch(device, program, threads) {
        Err(LaunchError::Report(report)) => *report,
        Err(other) => panic!("no report but: {other}"),
        Ok(_) => panic!("the program broke no rule"),
    }
}

/// Runs an ignored test of this program, by its whole name, in a process of its own.
pub fn in_a_process(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", test]);
    command.envs(variables.iter().copied()).output().unwrap()
}
