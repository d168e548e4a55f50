//! The surroundings of one compute kernel on one core: our feeder fills its circular buffers from tensors, and
//! our drain empties them into tensors. For kernels whose production readers do more than read.

use crate::production::bounds::Bound;
use crate::production::case::{Arg, Buffer, Case, CircularBuffer, Kernel, Stream};
use crate::production::values::{Expected, Matrix};
use tt_emulator::kernel_config::ComputeOptions;
use tt_emulator::{CoreCoord, DataFormat};

/// The core of all these cases.
pub const CORE: CoreCoord = (1, 1);

/// bf16.
pub const BF16: DataFormat = DataFormat::Float16_b;

/// fp32.
pub const F32: DataFormat = DataFormat::Float32;

/// Names of the tensors, by their place among inputs and outputs.
const NAMES: [&str; 24] = [
    "in 0", "in 1", "in 2", "in 3", "in 4", "in 5", "in 6", "in 7", "in 8", "in 9", "in 10", "in 11", "out 0", "out 1",
    "out 2", "out 3", "out 4", "out 5", "out 6", "out 7", "out 8", "out 9", "out 10", "out 11",
];

/// Place of the first output among [`NAMES`].
const OUTPUTS: usize = 12;

/// Pages that go through a circular buffer, in their order.
struct Pages {
    cb: u8,
    name: &'static str,
    pages: u32,
}

/// A compute kernel and what surrounds it.
pub struct Rig {
    case: Case,
    kernel: Kernel,
    words: Vec<Arg>,
    feeds: Vec<Pages>,
    drains: Vec<Pages>,
}

/// `fp32_dest_acc_en` or not, the rest as it is by default.
pub fn destination(wide: bool) -> ComputeOptions {
    ComputeOptions {
        fp32_dest_acc_en: wide,
        ..ComputeOptions::default()
    }
}

impl Rig {
    /// A case around the kernel at `path`, with 16-bit destination registers.
    pub fn new(name: &str, path: &str) -> Rig {
        Rig::with(name, path, destination(false))
    }

    /// A case around the kernel at `path`.
    pub fn with(name: &str, path: &str, options: ComputeOptions) -> Rig {
        Rig {
            case: Case::new(name),
            kernel: Kernel::compute(path, &[CORE], options),
            words: Vec::new(),
            feeds: Vec::new(),
            drains: Vec::new(),
        }
    }

    /// Feeds the tiles of `matrix`, all of which the circular buffer holds.
    pub fn input(self, cb: u8, format: DataFormat, matrix: &Matrix) -> Rig {
        let pages = (matrix.values.len() / 1024) as u32;
        self.input_in(cb, format, matrix, pages)
    }

    /// Feeds the tiles of `matrix` through a circular buffer of `room` tiles.
    pub fn input_in(self, cb: u8, format: DataFormat, matrix: &Matrix, room: u32) -> Rig {
        let page_bytes = format.tile_bytes(32, 32) as u32;
        self.input_pages(cb, format, page_bytes, matrix.tiles(format), room)
    }

    /// Feeds `content` page by page through a circular buffer of `room` pages.
    pub fn input_pages(mut self, cb: u8, format: DataFormat, page_bytes: u32, content: Vec<u8>, room: u32) -> Rig {
        let name = NAMES[self.feeds.len()];
        self.feeds.push(Pages {
            cb,
            name,
            pages: content.len() as u32 / page_bytes,
        });
        let ring = CircularBuffer::pages(cb, &[CORE], format, page_bytes, room);
        self.case = self.case.buffer(Buffer::input(name, page_bytes, content)).cb(ring);
        self
    }

    /// A circular buffer that the kernel keeps to itself.
    pub fn scratch(mut self, cb: u8, format: DataFormat, pages: u32) -> Rig {
        self.case = self.case.cb(CircularBuffer::tiles(cb, &[CORE], format, pages));
        self
    }

    /// Drains tiles that are to be those of `matrix`, within a bound.
    pub fn output(self, cb: u8, format: DataFormat, matrix: &Matrix, (absolute, relative): Bound) -> Rig {
        let (pages, page_bytes) = ((matrix.values.len() / 1024) as u32, format.tile_bytes(32, 32) as u32);
        self.output_pages(cb, format, page_bytes, matrix.near(format, absolute, relative), pages)
    }

    /// Drains pages through a circular buffer of `room` pages.
    pub fn output_pages(
        mut self,
        cb: u8,
        format: DataFormat,
        page_bytes: u32,
        expected: impl Into<Expected>,
        room: u32,
    ) -> Rig {
        let expected = expected.into();
        let name = NAMES[OUTPUTS + self.drains.len()];
        self.drains.push(Pages {
            cb,
            name,
            pages: expected.bytes() as u32 / page_bytes,
        });
        let ring = CircularBuffer::pages(cb, &[CORE], format, page_bytes, room);
        self.case = self.case.buffer(Buffer::output(name, page_bytes, expected)).cb(ring);
        self
    }

    /// Compile-time arguments of the kernel.
    pub fn compile_args(mut self, args: impl IntoIterator<Item = impl Into<Arg>>) -> Rig {
        self.kernel = self.kernel.compile_args(args);
        self
    }

    /// Runtime arguments of the kernel.
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<Arg>>) -> Rig {
        self.words.extend(args.into_iter().map(Into::into));
        self
    }

    /// A compile-time argument of the kernel by name.
    pub fn named(mut self, name: &str, value: u32) -> Rig {
        self.kernel = self.kernel.named(name, value);
        self
    }

    /// Names a runtime argument `args::name` and gives its value.
    pub fn argument(mut self, name: &str, value: impl Into<Arg>) -> Rig {
        self.kernel = self.kernel.runtime_tokens(&[name]);
        self.words.push(value.into());
        self
    }

    /// A compile-time argument `args::name`.
    pub fn token(mut self, name: &str, value: impl Into<Arg>) -> Rig {
        self.kernel = self.kernel.token(name, value);
        self
    }

    /// Names of circular buffers.
    pub fn dfbs(mut self, names: &[(&str, u8)]) -> Rig {
        for (name, id) in names {
            self.kernel = self.kernel.dfb(name, *id);
        }
        self
    }

    /// Defines.
    pub fn defines(mut self, defines: &[(&str, &str)]) -> Rig {
        for (name, value) in defines {
            self.kernel = self.kernel.define(name, value);
        }
        self
    }

    /// The case.
    pub fn case(self) -> Case {
        let kernel = self.kernel.args(CORE, self.words);
        let mut case = self.case.kernel(kernel);
        if !self.feeds.is_empty() {
            let streams = streams(&self.feeds);
            case = case.kernel(Kernel::feed(&[CORE], &streams).steps(CORE, &streams, in_turns(&self.feeds)));
        }
        let streams = streams(&self.drains);
        case.kernel(Kernel::drain(&[CORE], &streams).steps(CORE, &streams, in_turns(&self.drains)))
    }
}

fn streams(all: &[Pages]) -> Vec<Stream> {
    all.iter()
        .map(|pages| Stream::new(pages.cb.into(), pages.name))
        .collect()
}

/// Steps of one page each, in turns, so that no stream waits for the end of another.
fn in_turns(all: &[Pages]) -> Vec<(u32, u32)> {
    let rounds = all.iter().map(|pages| pages.pages).max().unwrap_or(0);
    let round = |page| {
        let still = (0..).zip(all).filter(move |(_, pages)| page < pages.pages);
        still.map(|(stream, _)| (stream, 1))
    };
    (0..rounds).flat_map(round).collect()
}
