//! Runs a compute kernel on one emulated core, between a reader and a writer that move whole pages.

use std::path::Path;
use std::sync::Arc;

use tt_emulator::allowed::Allowed;
use tt_emulator::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole};
use tt_emulator::kernel_object::{KernelSource, precompile_standard_headers};
use tt_emulator::{
    ArchName, Buffer, BufferKind, CbIndex, CircularBuffer, DataFormat, Device, LaunchError, Program, Report,
    RunCounters, launch,
};

pub const BF16: DataFormat = DataFormat::Float16_b;
pub const F32: DataFormat = DataFormat::Float32;
const CORE: [(usize, usize); 1] = [(0, 0)];

/// Values with rows and columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f32>,
}

impl Matrix {
    pub fn new(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f32) -> Matrix {
        let values = (0..rows * columns).map(|i| value(i / columns, i % columns)).collect();
        Matrix { rows, columns, values }
    }

    /// Values in about −`scale` .. `scale` that bf16 holds exactly, different for every seed.
    pub fn random(rows: usize, columns: usize, seed: u64, scale: f32) -> Matrix {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let mut matrix = Matrix::new(rows, columns, |_, _| 0.0);
        for value in &mut matrix.values {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let unit = (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
            *value = to_bf16(unit * scale);
        }
        matrix
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        f64::from(self.values[row * self.columns + column])
    }

    /// Pages of 32×32 tiles, row by row of tiles.
    pub fn pages(&self, format: DataFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        for tile in 0..self.rows / 32 * (self.columns / 32) {
            for index in 0..1024 {
                let value = self.values[self.place(tile, index)];
                match format {
                    DataFormat::Float32 => bytes.extend(value.to_le_bytes()),
                    _ => bytes.extend(((to_bf16(value).to_bits() >> 16) as u16).to_le_bytes()),
                }
            }
        }
        bytes
    }

    /// The inverse of [`pages`](Self::pages).
    pub fn from_pages(rows: usize, columns: usize, format: DataFormat, bytes: &[u8]) -> Matrix {
        let mut matrix = Matrix::new(rows, columns, |_, _| 0.0);
        for i in 0..rows * columns {
            let value = match format {
                DataFormat::Float32 => f32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes")),
                _ => f32::from_bits(u32::from(u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]])) << 16),
            };
            let place = matrix.place(i / 1024, i % 1024);
            matrix.values[place] = value;
        }
        matrix
    }

    /// Where element `index` of tile `tile`, in face order, lies among the values.
    fn place(&self, tile: usize, index: usize) -> usize {
        let (face, within) = (index / 256, index % 256);
        let row = tile / (self.columns / 32) * 32 + face / 2 * 16 + within / 16;
        let column = tile % (self.columns / 32) * 32 + face % 2 * 16 + within % 16;
        row * self.columns + column
    }
}

/// Nearest bf16, halves to even.
pub fn to_bf16(value: f32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits(bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) & 0xffff_0000)
}

/// A circular buffer that the reader fills from a matrix.
#[derive(Clone, Debug)]
pub struct Input {
    pub cb: u8,
    pub format: DataFormat,
    pub pages: u32,
    pub matrix: Matrix,
}

/// A compute kernel and what surrounds it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name in reports, and the kernel's text.
    pub file: String,
    pub source: String,
    pub defines: Vec<(String, String)>,
    pub compile_args: Vec<u32>,
    pub runtime_args: Vec<u32>,
    pub options: ComputeOptions,
    pub inputs: Vec<Input>,
    /// Stream, first page, pages.
    pub feed: Vec<(u32, u32, u32)>,
    /// Buffers that only the compute kernel uses.
    pub scratch: Vec<(u8, DataFormat, u32)>,
    pub out: (u8, DataFormat, u32),
    /// Rows and columns of the result, and pages that the writer takes at a time.
    pub result: (usize, usize, u32),
    pub arch: ArchName,
    /// A buffer whose pages are not tiles: id, bytes of its one page, format.
    pub odd_pages: Option<(u8, u32, DataFormat)>,
    /// Rules that may be broken.
    pub allowed: Allowed,
}

impl Case {
    /// A kernel of `tests/compute/kernels`, with output buffer 16.
    pub fn of(file: &str, wide: bool) -> Case {
        let path = format!("{}/tests/compute/kernels/{file}", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        Case::text(file, &source, wide)
    }

    /// A kernel from its text.
    pub fn text(file: &str, source: &str, wide: bool) -> Case {
        Case {
            file: file.to_owned(),
            source: source.to_owned(),
            defines: Vec::new(),
            compile_args: Vec::new(),
            runtime_args: Vec::new(),
            options: ComputeOptions {
                fp32_dest_acc_en: wide,
                ..Default::default()
            },
            inputs: Vec::new(),
            feed: Vec::new(),
            scratch: Vec::new(),
            out: (16, BF16, 8),
            result: (32, 32, 1),
            arch: ArchName::WormholeB0,
            odd_pages: None,
            allowed: Allowed::default(),
        }
    }

    /// Adds an input that is fed `step` pages at a time.
    pub fn input(mut self, cb: u8, format: DataFormat, pages: u32, matrix: Matrix, step: u32) -> Case {
        let stream = self.inputs.len() as u32;
        let total = (matrix.rows / 32 * (matrix.columns / 32)) as u32;
        self.feed
            .extend((0..total).step_by(step as usize).map(|first| (stream, first, step)));
        self.inputs.push(Input {
            cb,
            format,
            pages,
            matrix,
        });
        self
    }

    pub fn result(mut self, rows: usize, columns: usize, step: u32) -> Case {
        self.result = (rows, columns, step);
        self
    }

    pub fn define(mut self, name: &str, value: &str) -> Case {
        self.defines.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn launch(&self) -> Result<(Matrix, RunCounters), LaunchError> {
        let device = device_allowing(self.arch, self.allowed);
        let mut program = Program::new();
        for (id, format, pages) in self
            .inputs
            .iter()
            .map(|i| (i.cb, i.format, i.pages))
            .chain(self.scratch.clone())
            .chain([self.out])
        {
            let page_bytes = format.tile_bytes(32, 32) as u32;
            let indices = vec![CbIndex {
                id,
                format,
                page_bytes,
                tile: (32, 32),
            }];
            let buffer = CircularBuffer {
                cores: CORE.to_vec(),
                total_bytes: pages * page_bytes,
                indices,
                global_address: None,
            };
            program.create_circular_buffer(buffer)?;
        }
        if let Some((id, page_bytes, format)) = self.odd_pages {
            let indices = vec![CbIndex {
                id,
                format,
                page_bytes,
                tile: (32, 32),
            }];
            let buffer = CircularBuffer {
                cores: CORE.to_vec(),
                total_bytes: page_bytes,
                indices,
                global_address: None,
            };
            program.create_circular_buffer(buffer)?;
        }
        let buffers: Vec<_> = self
            .inputs
            .iter()
            .map(|i| upload(&device, i.format, &i.matrix.pages(i.format)))
            .collect();
        let (rows, columns, step) = self.result;
        let (out_cb, out_format, _) = self.out;
        let out = upload(
            &device,
            out_format,
            &vec![0xee; rows * columns / 1024 * out_format.tile_bytes(32, 32)],
        );

        let stream = |i: usize| i.min(self.inputs.len() - 1);
        let mut args: Vec<u32> = (0..4).map(|i| u32::from(self.inputs[stream(i)].cb)).collect();
        args.extend((0..4).flat_map(|i| accessor(&buffers[stream(i)])));
        let mut words: Vec<u32> = (0..4).map(|i| buffers[stream(i)].address() as u32).collect();
        words.push(self.feed.len() as u32);
        words.extend(
            self.feed
                .iter()
                .flat_map(|(stream, first, count)| [*stream, *first, *count]),
        );
        let reader = KernelRole::DataMovement {
            processor: DataMovementProcessor::Ncrisc,
            noc: 0,
        };
        let reader = program.create_kernel(
            source("feed.cpp", include_str!("kernels/feed.cpp"), &args),
            reader,
            CORE.to_vec(),
        )?;
        program.set_runtime_args(reader, CORE[0], &words)?;

        let args: Vec<u32> = [u32::from(out_cb)].into_iter().chain(accessor(&out)).collect();
        let writer = KernelRole::DataMovement {
            processor: DataMovementProcessor::Brisc,
            noc: 1,
        };
        let writer = program.create_kernel(
            source("drain.cpp", include_str!("kernels/drain.cpp"), &args),
            writer,
            CORE.to_vec(),
        )?;
        program.set_runtime_args(
            writer,
            CORE[0],
            &[out.address() as u32, (rows * columns / 1024) as u32, step],
        )?;

        let compute = KernelSource {
            defines: self.defines.iter().cloned().collect(),
            ..source(&self.file, &self.source, &self.compile_args)
        };
        let compute = program.create_kernel(compute, KernelRole::Compute(self.options.clone()), CORE.to_vec())?;
        program.set_runtime_args(compute, CORE[0], &self.runtime_args)?;
        let counters = launch(&device, &program, 1)?;
        let mut bytes = vec![0; out.size() as usize];
        out.read(&mut bytes).expect("a whole buffer");
        Ok((Matrix::from_pages(rows, columns, out_format, &bytes), counters))
    }

    /// The kernel's result.
    pub fn run(&self) -> Matrix {
        self.launch().unwrap_or_else(|error| panic!("{}: {error}", self.file)).0
    }

    /// The counters of a run.
    pub fn counters(&self) -> RunCounters {
        self.launch().unwrap_or_else(|error| panic!("{}: {error}", self.file)).1
    }

    /// The report of a kernel that must break a rule.
    pub fn report(&self) -> Report {
        match self.launch() {
            Err(LaunchError::Report(report)) => *report,
            Err(other) => panic!("{}: no report but {other}", self.file),
            Ok(_) => panic!("{}: broke no rule", self.file),
        }
    }

    /// Runs and compares with `exact`, within `absolute + relative · |exact|`.
    pub fn check(&self, absolute: f64, relative: f64, exact: impl Fn(usize, usize) -> f64) {
        let result = self.run();
        for row in 0..result.rows {
            for column in 0..result.columns {
                let (value, wanted) = (result.at(row, column), exact(row, column));
                assert!(
                    (value - wanted).abs() <= absolute + relative * wanted.abs(),
                    "{} {:?}: [{row}, {column}] is {value}, not {wanted}",
                    self.file,
                    self.defines
                );
            }
        }
    }
}

fn source(file: &str, text: &str, compile_args: &[u32]) -> KernelSource {
    KernelSource {
        file: file.to_owned(),
        source: text.to_owned(),
        compile_args: compile_args.to_vec(),
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

pub fn device(arch: ArchName) -> Arc<Device> {
    device_allowing(arch, Allowed::default())
}

fn device_allowing(arch: ArchName, allowed: Allowed) -> Arc<Device> {
    static CACHE: std::sync::Once = std::sync::Once::new();
    // SAFETY: set once, before any kernel is compiled; nothing else in these tests changes the environment.
    CACHE.call_once(|| unsafe {
        std::env::set_var("TT_EMULATOR_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/compute"));
        precompile_standard_headers(Path::new(env!("CARGO_TARGET_TMPDIR"))).expect("a C++ compiler");
    });
    Device::open_allowing(0, arch, allowed).expect("an emulated device")
}
