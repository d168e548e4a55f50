//! An experiment on the emulator.

use std::path::Path;
use std::sync::{Arc, Once};

use tt_emulator::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole};
use tt_emulator::kernel_object::{KernelSource, compile_together};
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
/// The input that each of the reader's streams reads.
const STREAMS: [usize; 4] = [0, 1, 2, 2];
/// The output buffer.
pub const OUT: u8 = 16;

fn device(arch: ArchName) -> Arc<Device> {
    Device::open_arch(0, arch).expect("an emulated device")
}

/// Compiles the kernels of experiments, many at once.
///
/// # Panics
/// Where they do not compile.
pub fn compile(experiments: &[Experiment]) {
    static SETTINGS: Once = Once::new();
    // SAFETY: set once, before any kernel runs; nothing else in these tests changes the environment.
    SETTINGS.call_once(|| unsafe {
        std::env::set_var("TT_EMULATOR_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/formats"));
        if std::env::var_os("TT_EMULATOR_FPU").is_none() {
            std::env::set_var("TT_EMULATOR_FPU", "exact");
        }
    });
    let kernels: Vec<_> = experiments
        .iter()
        .flat_map(|experiment| {
            experiment
                .kernels()
                .map(|(source, role)| (source, role, experiment.arch))
        })
        .collect();
    let work = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(work).expect("a folder of the build");
    compile_together(&kernels, work).expect("kernels that compile");
}

fn source(file: &str, text: &str, compile_args: Vec<u32>) -> KernelSource {
    KernelSource {
        file: file.to_owned(),
        source: text.to_owned(),
        compile_args,
        ..Default::default()
    }
}

/// The compile-time arguments of an accessor of pages of one tile in DRAM.
fn accessor(format: DataFormat) -> [u32; 2] {
    [2, format.tile_bytes(32, 32) as u32]
}

fn upload(device: &Arc<Device>, format: DataFormat, bytes: &[u8]) -> Buffer {
    let page = format.tile_bytes(32, 32) as u64;
    let buffer = Buffer::allocate(device, BufferKind::Dram, bytes.len() as u64, page).expect("room in DRAM");
    assert_eq!(accessor(format), [2, buffer.aligned_page_bytes()]);
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

    /// Reader, writer and compute kernel.
    fn kernels(&self) -> [(KernelSource, KernelRole); 3] {
        let mover = |processor, noc| KernelRole::DataMovement { processor, noc };
        let formats = self.formats();
        let ids = STREAMS.map(|stream| stream as u32);
        let accessors = STREAMS.iter().flat_map(|stream| accessor(formats[*stream]));
        let fed = ids.into_iter().chain(accessors).collect();
        let drained = [u32::from(OUT)].into_iter().chain(accessor(self.out)).collect();
        [
            (source("feed.cpp", READER, fed), mover(DataMovementProcessor::Ncrisc, 0)),
            (
                source("drain.cpp", WRITER, drained),
                mover(DataMovementProcessor::Brisc, 1),
            ),
            (
                source("kernel.cpp", KERNEL, Vec::new()),
                KernelRole::Compute(self.options()),
            ),
        ]
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

        let mut words: Vec<u32> = STREAMS.iter().map(|stream| buffers[*stream].address() as u32).collect();
        words.extend(feed());
        let drained = [out.address() as u32, TILES as u32, TILES as u32];
        let arguments: [&[u32]; 3] = [&words, &drained, &[self.operation.id]];
        for ((source, role), words) in self.kernels().into_iter().zip(arguments) {
            let kernel = program
                .create_kernel(source, role, CORE.to_vec())
                .map_err(|report| report.to_string())?;
            program
                .set_runtime_args(kernel, CORE[0], words)
                .map_err(|report| report.to_string())?;
        }
        launch(&device, &program, 1).map_err(|error| error.to_string())?;
        let mut bytes = vec![0; out.size() as usize];
        out.read(&mut bytes).map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}
