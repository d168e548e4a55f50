//! Speed of whole runs: a 2048³ matmul with partial sums in L1 on 8×8 cores, and an 8192² addition.
//!
//! `cargo run --release -p tt-emulator --example compute_bench [threads]`. Times cover the run of the program: reader,
//! compute and writer kernels of every core with all checks, not uploads. The speed of the engines alone is told by the
//! ignored unit test `figures`.

use std::sync::Arc;
use std::time::Instant;

use tt_emulator::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole};
use tt_emulator::kernel_object::KernelSource;
use tt_emulator::{
    ArchName, Buffer, BufferKind, CbIndex, CircularBuffer, CoreCoord, DataFormat, Device, LaunchError, Program, launch,
};

const PAGE: u64 = 2048;
const READER: KernelRole = KernelRole::DataMovement {
    processor: DataMovementProcessor::Ncrisc,
    noc: 0,
};
const WRITER: KernelRole = KernelRole::DataMovement {
    processor: DataMovementProcessor::Brisc,
    noc: 1,
};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let threads = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => tt_emulator::default_threads()?,
    };
    println!("{threads} threads");
    let device = Device::open_arch(0, ArchName::WormholeB0)?;
    matmul(&device, threads)?;
    addition(&device, threads)
}

fn buffer(device: &Arc<Device>, tiles: u64) -> Outcome<Buffer> {
    let buffer = Buffer::allocate(device, BufferKind::Dram, tiles * PAGE, PAGE)?;
    let values: Vec<u8> = (0..tiles * PAGE / 2)
        .flat_map(|i| (0x3f80 + ((i * 2_654_435_761) >> 16 & 0x80ff) as u16).to_le_bytes())
        .collect();
    buffer.write(&values)?;
    Ok(buffer)
}

fn source(file: &str, text: &str, compile_args: &[u32]) -> KernelSource {
    KernelSource {
        file: file.to_owned(),
        source: text.to_owned(),
        compile_args: compile_args.to_vec(),
        ..Default::default()
    }
}

fn circular_buffer(
    program: &mut Program,
    cores: &[CoreCoord],
    id: u8,
    format: DataFormat,
    pages: u32,
) -> Result<(), LaunchError> {
    let page_bytes = format.tile_bytes(32, 32) as u32;
    let indices = vec![CbIndex {
        id,
        format,
        page_bytes,
        tile: (32, 32),
    }];
    let buffer = CircularBuffer {
        cores: cores.to_vec(),
        total_bytes: pages * page_bytes,
        indices,
        global_address: None,
    };
    program.create_circular_buffer(buffer)?;
    Ok(())
}

/// The best of several runs.
fn time(device: &Arc<Device>, program: &Program, threads: usize) -> Outcome<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..4 {
        let start = Instant::now();
        launch(device, program, threads)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn matmul(device: &Arc<Device>, threads: usize) -> Outcome<()> {
    const TILES: u32 = 64;
    let (m, n, kb) = (8, 8, 2);
    let cores: Vec<CoreCoord> = (0..64).map(|core| (core % 8, core / 8)).collect();
    let tiles = u64::from(TILES * TILES);
    let (a, b, out) = (buffer(device, tiles)?, buffer(device, tiles)?, buffer(device, tiles)?);
    let mut program = Program::new();
    for (id, format, pages) in [
        (0, DataFormat::Float16_b, 2 * m * kb),
        (1, DataFormat::Float16_b, 2 * n * kb),
        (24, DataFormat::Float32, m * n),
        (16, DataFormat::Float16_b, 2 * n),
    ] {
        circular_buffer(&mut program, &cores, id, format, pages)?;
    }
    let accessor = |buffer: &Buffer| [2, buffer.aligned_page_bytes()];
    let shape = [m, n, kb, TILES / kb];
    let reader = [&shape[..], &accessor(&a), &accessor(&b)].concat();
    let reader = program.create_kernel(
        source("reader.cpp", include_str!("reader.cpp"), &reader),
        READER,
        cores.clone(),
    )?;
    let writer = [&[m, n][..], &accessor(&out)].concat();
    let writer = program.create_kernel(
        source("writer.cpp", include_str!("writer.cpp"), &writer),
        WRITER,
        cores.clone(),
    )?;
    let text = include_str!("../../tests/compute/kernels/matmul_blocks.cpp");
    let options = ComputeOptions {
        fp32_dest_acc_en: true,
        ..Default::default()
    };
    program.create_kernel(
        source("matmul_blocks.cpp", text, &shape),
        KernelRole::Compute(options),
        cores.clone(),
    )?;
    for (x, y) in cores {
        let (row, column) = (y as u32 * m, x as u32 * n);
        let words = [a.address() as u32, b.address() as u32, row, column, TILES, TILES];
        program.set_runtime_args(reader, (x, y), &words)?;
        program.set_runtime_args(writer, (x, y), &[out.address() as u32, row, column, TILES])?;
    }
    let seconds = time(device, &program, threads)?;
    println!(
        "matmul 2048^3: {:.1} ms, {:.1} GFLOP/s",
        seconds * 1e3,
        2.0 * 2048f64.powi(3) / seconds / 1e9
    );
    Ok(())
}

fn addition(device: &Arc<Device>, threads: usize) -> Outcome<()> {
    let cores: Vec<CoreCoord> = (0..64).map(|core| (core % 8, core / 8)).collect();
    let (tiles, share) = (256 * 256u32, 256 * 256u32 / 64);
    let (a, b, out) = (
        buffer(device, tiles.into())?,
        buffer(device, tiles.into())?,
        buffer(device, tiles.into())?,
    );
    let mut program = Program::new();
    for id in [0, 1, 16] {
        circular_buffer(&mut program, &cores, id, DataFormat::Float16_b, 16)?;
    }
    let accessor = |buffer: &Buffer| [2, buffer.aligned_page_bytes()];
    // Blocks of one row of eight tiles of A and of B; "K" runs along the rows of tiles.
    let reader = [&[1, 8, 1, 0][..], &accessor(&a), &accessor(&b)].concat();
    let reader = source("pairs.cpp", include_str!("pairs.cpp"), &reader);
    let reader = program.create_kernel(reader, READER, cores.clone())?;
    let writer = [&[share / 8, 8][..], &accessor(&out)].concat();
    let writer = program.create_kernel(
        source("writer.cpp", include_str!("writer.cpp"), &writer),
        WRITER,
        cores.clone(),
    )?;
    let add = source("add.cpp", include_str!("add.cpp"), &[]);
    let add = program.create_kernel(add, KernelRole::Compute(ComputeOptions::default()), cores.clone())?;
    for (index, core) in cores.into_iter().enumerate() {
        let first = index as u32 * share;
        program.set_runtime_args(reader, core, &[a.address() as u32, b.address() as u32, first, share])?;
        program.set_runtime_args(writer, core, &[out.address() as u32, first / 8, 0, 8])?;
        program.set_runtime_args(add, core, &[share])?;
    }
    let seconds = time(device, &program, threads)?;
    println!(
        "add 8192^2: {:.1} ms, {:.2} us per tile and thread",
        seconds * 1e3,
        seconds * 1e6 * threads as f64 / f64::from(tiles)
    );

    let (x, y) = (vec![0x3f80u16; 8192 * 8192], vec![0x4000u16; 8192 * 8192]);
    let mut z = vec![0u16; 8192 * 8192];
    let mut best = f64::INFINITY;
    for _ in 0..4 {
        let start = Instant::now();
        std::thread::scope(|scope| {
            let part = z.len() / threads;
            for ((z, x), y) in z.chunks_mut(part).zip(x.chunks(part)).zip(y.chunks(part)) {
                scope.spawn(move || plain(z, x, y));
            }
        });
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(
        "plain loop: {:.1} ms, the emulator takes {:.1} times that ({})",
        best * 1e3,
        seconds / best,
        z[77]
    );
    Ok(())
}

/// Adds bf16 values, halves to even.
fn plain(z: &mut [u16], x: &[u16], y: &[u16]) {
    for ((z, x), y) in z.iter_mut().zip(x).zip(y) {
        let sum = f32::from_bits(u32::from(*x) << 16) + f32::from_bits(u32::from(*y) << 16);
        let bits = sum.to_bits();
        *z = ((bits.wrapping_add(0x7fff + ((bits >> 16) & 1))) >> 16) as u16;
    }
}
