//! An experiment on the emulator.

use std::sync::{Arc, Once};

use tt_emulator::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole};
use tt_emulator::kernel_object::KernelSource;
use tt_emulator::{ArchName, Buffer, BufferKind, CbIndex, CircularBuffer, DataFormat, Device, Program, launch};

use crate::experiment::{Experiment, Variant};
use crate::operands::TILES;

const CORE: [(usize, usize); 1] = [(0, 0)];

/// The kernels: of the experiment, and those that move pages.
pub const KERNEL: &str = include_str!("kernel.cpp");
pub const READER: &str = include_str!("../compute/kernels/feed.cpp");
pub const WRITER: &str = include_str!("../compute/kernels/drain.cpp");

/// Pages of the inputs, in the order of their buffers.
pub const INPUT_TILES: [usize; 3] = [TILES, TILES, 2];
/// The output buffer.
pub const OUT: u8 = 16;

fn device(arch: ArchName) -> Arc<Device> {
    static CACHE: Once = Once::new();
    // SAFETY: set once, before any kernel runs; nothing else in these tests changes the environment.
    CACHE.call_once(|| unsafe {
        std::env::set_var("TT_EMULATOR_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/formats"));
        if std::env::var_os("TT_EMULATOR_FPU").is_none() {
            std::env::set_var("TT_EMULATOR_FPU", "exact");
        }
    });
    Device::open_arch(0, arch).expect("an emulated device")
}

fn source(file: &str, text: &str, compile_args: Vec<u32>) -> KernelSource {
    KernelSource {
        file: file.to_owned(),
        source: text.to_owned(),
        compile_args,
        ..Default::default()
    }
}

fn accessor(buffer: &Buffer) -> [u32; 2] {
    [2, buffer.aligned_page_bytes()]
}

fn upload(device: &Arc<Device>, format: DataFormat, bytes: &[u8]) -> Buffer {
    let page = format.tile_bytes(32, 32) as u64;
    let buffer = Buffer::allocate(device, BufferKind::Dram, bytes.len() as u64, page).expect("room in DRAM");
    buffer.write(bytes).expect("a whole buffer");
    buffer
}

fn circular_buffer(program: &mut Program, id: u8, format: DataFormat, pages: usize) -> Result<(), String> {
    let page_bytes = format.tile_bytes(32, 32) as u32;
    let buffer = CircularBuffer {
        cores: CORE.to_vec(),
        total_bytes: pages as u32 * page_bytes,
        indices: vec![CbIndex {
            id,
            format,
            page_bytes,
            tile: (32, 32),
        }],
        global_address: None,
    };
    program
        .create_circular_buffer(buffer)
        .map(|_| ())
        .map_err(|report| report.to_string())
}

/// Reader's runtime arguments after the addresses: steps of stream, first page, pages.
pub fn feed() -> Vec<u32> {
    let steps = INPUT_TILES
        .iter()
        .enumerate()
        .flat_map(|(stream, tiles)| [stream as u32, 0, *tiles as u32]);
    [3].into_iter().chain(steps).collect()
}

impl Experiment {
    /// How the compute kernel is built.
    pub fn options(&self) -> ComputeOptions {
        let mut unpack_to_dest_fp32 = vec![false; 64];
        unpack_to_dest_fp32[0] = self.variant == Variant::Direct;
        ComputeOptions {
            math_fidelity: self.fidelity,
            fp32_dest_acc_en: self.wide,
            unpack_to_dest_fp32,
            bfp8_pack_precise: self.variant == Variant::Precise,
            ..Default::default()
        }
    }

    /// The output pages, or why there are none.
    pub fn emulate(&self) -> Result<Vec<u8>, String> {
        let device = device(self.arch);
        let mut program = Program::new();
        let mut buffers = Vec::new();
        for (id, ((format, bytes), tiles)) in self.inputs().into_iter().zip(INPUT_TILES).enumerate() {
            circular_buffer(&mut program, id as u8, format, tiles)?;
            buffers.push(upload(&device, format, &bytes));
        }
        circular_buffer(&mut program, OUT, self.out, TILES)?;
        let out = upload(&device, self.out, &vec![0; TILES * self.out.tile_bytes(32, 32)]);

        let streams = [0, 1, 2, 2usize];
        let mut args: Vec<u32> = streams.iter().map(|stream| *stream as u32).collect();
        args.extend(streams.iter().flat_map(|stream| accessor(&buffers[*stream])));
        let mut words: Vec<u32> = streams.iter().map(|stream| buffers[*stream].address() as u32).collect();
        words.extend(feed());
        let mover = |processor, noc| KernelRole::DataMovement { processor, noc };
        let mut kernel = |source: KernelSource, role, words: &[u32]| -> Result<(), String> {
            let kernel = program
                .create_kernel(source, role, CORE.to_vec())
                .map_err(|report| report.to_string())?;
            program
                .set_runtime_args(kernel, CORE[0], words)
                .map_err(|report| report.to_string())
        };
        kernel(
            source("feed.cpp", READER, args),
            mover(DataMovementProcessor::Ncrisc, 0),
            &words,
        )?;
        let args = [u32::from(OUT)].into_iter().chain(accessor(&out)).collect();
        kernel(
            source("drain.cpp", WRITER, args),
            mover(DataMovementProcessor::Brisc, 1),
            &[out.address() as u32, TILES as u32, TILES as u32],
        )?;
        kernel(
            source("kernel.cpp", KERNEL, Vec::new()),
            KernelRole::Compute(self.options()),
            &[self.operation.id],
        )?;
        launch(&device, &program, 1).map_err(|error| error.to_string())?;
        let mut bytes = vec![0; out.size() as usize];
        out.read(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}
