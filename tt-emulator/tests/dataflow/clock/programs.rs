//! What the measured pairs are built with: kernels of `tests/kernels/clock`, and how long a program takes by the clock.

use std::sync::Arc;
use tt_emulator::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole, MathFidelity};
use tt_emulator::{
    ArchName, Bound, Buffer, BufferKind, CbIndex, CircularBuffer, CoreCoord, DataFormat, Device, Program, launch,
};

use crate::rig::*;

/// How long something takes by the clock, in cycles, and whether a unit of the chip is busy most of that time.
#[derive(Clone, Copy)]
pub struct Time {
    pub cycles: f64,
    pub saturated: bool,
}

impl Time {
    /// Of one of so many.
    pub fn of(self, parts: usize) -> Time {
        Time {
            cycles: self.cycles / parts as f64,
            ..self
        }
    }
}

/// A program of which every kernel runs on all cores that have arguments for it.
pub struct Rig {
    pub device: Arc<Device>,
    program: Program,
    cores: Vec<CoreCoord>,
}

impl Rig {
    pub fn new(arch: ArchName, cores: &[CoreCoord]) -> Rig {
        let device = device(arch);
        device.set_clock(true);
        Rig {
            device,
            program: Program::new(),
            cores: cores.to_vec(),
        }
    }

    pub fn dram(&self, pages: usize, page_bytes: usize) -> Buffer {
        Buffer::allocate(
            &self.device,
            BufferKind::Dram,
            (pages * page_bytes) as u64,
            page_bytes as u64,
        )
        .unwrap()
    }

    /// A circular buffer on all cores.
    pub fn buffer(&mut self, id: u8, pages: u32, page_bytes: usize, format: DataFormat) {
        let page_bytes = page_bytes as u32;
        let index = CbIndex {
            id,
            format,
            page_bytes,
            tile: (32, 32),
        };
        let buffer = CircularBuffer {
            cores: self.cores.clone(),
            total_bytes: pages * page_bytes,
            indices: vec![index],
            global_address: None,
        };
        self.program.create_circular_buffer(buffer).unwrap();
    }

    pub fn semaphores(&mut self, count: u32) {
        for _ in 0..count {
            self.program.create_semaphore(self.cores.clone(), 0).unwrap();
        }
    }

    /// A kernel on those cores, by number, for which there are arguments.
    pub fn kernel(
        &mut self,
        name: &str,
        role: KernelRole,
        compile_args: &[u32],
        words: impl Fn(usize, CoreCoord) -> Option<Vec<usize>>,
    ) {
        let all: Vec<(CoreCoord, Vec<u32>)> = self
            .cores
            .iter()
            .enumerate()
            .filter_map(|(index, core)| {
                let words = words(index, *core)?;
                Some((*core, words.into_iter().map(|word| word as u32).collect()))
            })
            .collect();
        let on = all.iter().map(|(core, _)| *core).collect();
        let source = kernel(&format!("clock/{name}.cpp"), compile_args);
        let kernel = self.program.create_kernel(source, role, on).unwrap();
        for (core, words) in all {
            self.program.set_runtime_args(kernel, core, &words).unwrap();
        }
    }

    /// The coordinates of a core, as a kernel knows it.
    pub fn place(&self, (x, y): CoreCoord) -> [usize; 2] {
        let (x, y) = self.device.arch().virtual_core(x, y);
        [x.into(), y.into()]
    }

    pub fn time(&self) -> Time {
        let launched = launch(&self.device, &self.program, 2).unwrap_or_else(|error| panic!("{error}"));
        let modelled = launched.modelled.expect("the clock is on");
        Time {
            cycles: modelled.cycles as f64,
            saturated: !matches!(modelled.bound(), Bound::Latency | Bound::Imbalance),
        }
    }
}

/// How a kernel goes through the pages of a buffer.
#[derive(Clone, Copy)]
pub struct Walk {
    /// Pages before a barrier.
    pub block: usize,
    /// Blocks of each core.
    pub blocks: usize,
    /// From a page of a block to the next.
    pub stride: usize,
    /// From the first page of a block to that of the next.
    pub step: usize,
    /// Every core begins its blocks at another of so many, after which pages of the next rows follow.
    pub rotated: bool,
    pub wrap: usize,
    /// Blocks that a barrier waits for, or transactions on their way instead.
    pub ahead: usize,
    pub ids: usize,
    /// Reads of a page.
    pub parts: usize,
    /// Pages of the buffer, if the walk goes around.
    pub total: usize,
}

impl Walk {
    /// Pages in their order.
    pub fn straight(block: usize, blocks: usize) -> Walk {
        Walk {
            block,
            blocks,
            stride: 1,
            step: block,
            rotated: false,
            wrap: 0,
            ahead: 1,
            ids: 0,
            parts: 1,
            total: u32::MAX as usize,
        }
    }

    pub fn pages(&self) -> usize {
        self.block * self.blocks
    }

    /// What `reader.cpp` is told: its circular buffer of so many blocks, the addresses of one or two buffers, where a core begins.
    pub fn reads(
        &self,
        cb: usize,
        operands: [usize; 2],
        depth: usize,
        hands_on: bool,
        first: usize,
        core: usize,
    ) -> Vec<usize> {
        let carry = self.block * self.wrap;
        vec![
            cb,
            operands[0],
            operands[1],
            self.block,
            self.stride,
            depth,
            self.ahead,
            self.ids,
            self.parts,
            hands_on.into(),
            self.blocks,
            first,
            self.step,
            if self.rotated { core } else { 0 },
            self.wrap,
            carry,
            self.total,
        ]
    }

    /// What `writer.cpp` is told.
    pub fn writes(
        &self,
        cb: usize,
        target: usize,
        until_there: bool,
        takes: bool,
        first: usize,
        core: usize,
    ) -> Vec<usize> {
        vec![
            cb,
            target,
            self.block,
            self.stride,
            self.blocks,
            first,
            until_there.into(),
            if self.rotated { core } else { 0 },
            self.wrap,
            takes.into(),
        ]
    }
}

/// Reads or writes of `pages` pages in all, in their order, by cores on one NoC.
pub fn moving(arch: ArchName, cores: &[CoreCoord], pages: usize, writes: bool, noc: u8) -> Time {
    let mut rig = Rig::new(arch, cores);
    let buffer = rig.dram(pages, PAGE);
    rig.buffer(0, 16, PAGE, DataFormat::Float16_b);
    let walk = Walk::straight(16, pages / cores.len() / 16);
    let role = KernelRole::DataMovement {
        processor: DataMovementProcessor::Ncrisc,
        noc,
    };
    let args = [&[PAGE as u32][..], &accessor(&buffer)].concat();
    let (name, address) = (if writes { "writer" } else { "reader" }, buffer.address() as usize);
    rig.kernel(name, role, &args, |core, _| {
        let first = core * walk.pages();
        Some(if writes {
            walk.writes(0, address, true, false, first, core)
        } else {
            walk.reads(0, [address, 0], 1, false, first, core)
        })
    });
    rig.time()
}

/// Reads of all pages of a buffer by one core, in steps of `stride`.
pub fn walking(arch: ArchName, page_bytes: usize, pages: usize, block: usize, stride: usize) -> Time {
    let mut rig = Rig::new(arch, &[(0, 0)]);
    let buffer = rig.dram(pages, page_bytes);
    rig.buffer(0, block as u32, page_bytes, DataFormat::Float16_b);
    let walk = Walk {
        stride,
        step: block * stride,
        total: if stride == 1 { u32::MAX as usize } else { pages },
        ..Walk::straight(block, pages / block)
    };
    let args = [&[page_bytes as u32][..], &accessor(&buffer)].concat();
    let address = buffer.address() as usize;
    rig.kernel("reader", READER, &args, |core, _| {
        Some(walk.reads(0, [address, 0], 1, false, 0, core))
    });
    rig.time()
}

/// A copy from one interleaved buffer to another.
#[derive(Clone)]
pub struct Copying<'a> {
    pub arch: ArchName,
    pub cores: &'a [CoreCoord],
    pub page_bytes: usize,
    pub walk: Walk,
    /// Blocks of the circular buffers.
    pub depth: usize,
    /// Whether a compute kernel takes the ReLU of each tile on its way.
    pub has_relu: bool,
    /// Where each core begins.
    pub first: fn(usize, &Walk) -> usize,
    /// Whether a block's place is given back only when its pages have arrived.
    pub until_there: bool,
}

impl<'a> Copying<'a> {
    /// Of `pages` pages in all, in their order, each block written and then given back.
    pub fn new(arch: ArchName, cores: &'a [CoreCoord], pages: usize, block: usize, depth: usize) -> Copying<'a> {
        Copying {
            arch,
            cores,
            page_bytes: PAGE,
            walk: Walk::straight(block, pages / cores.len() / block),
            depth,
            has_relu: false,
            first: |core, walk| core * walk.pages(),
            until_there: false,
        }
    }

    pub fn time(&self) -> Time {
        let Copying { walk, .. } = self;
        let mut rig = Rig::new(self.arch, self.cores);
        let pages = walk.pages() * self.cores.len();
        let buffers = [0; 2].map(|_| rig.dram(pages, self.page_bytes));
        let [from, to] = buffers.each_ref().map(|buffer| buffer.address() as usize);
        let args = [&[self.page_bytes as u32][..], &accessor(&buffers[0])].concat();
        let last: u8 = if self.has_relu { 2 } else { 0 };
        for id in if self.has_relu { vec![0, 1, 2] } else { vec![0, 1] } {
            let format = DataFormat::Float16_b;
            rig.buffer(id, (walk.block * self.depth) as u32, self.page_bytes, format);
        }
        rig.kernel("reader", READER, &args, |core, _| {
            Some(walk.reads(0, [from, 0], self.depth, true, (self.first)(core, walk), core))
        });
        rig.kernel("writer", WRITER, &args, |core, _| {
            Some(walk.writes(last.into(), to, self.until_there, true, (self.first)(core, walk), core))
        });
        if self.has_relu {
            rig.kernel("stream", COMPUTE, &[0], |_, _| {
                Some(vec![walk.blocks, walk.block, walk.block])
            });
        }
        rig.time()
    }
}

pub fn row(count: usize) -> Vec<CoreCoord> {
    (0..count).map(|at| (at % 8, at / 8)).collect()
}

pub fn column(count: usize) -> Vec<CoreCoord> {
    (0..count).map(|at| (at / 8, at % 8)).collect()
}

/// What `rounds.cpp` computes, in its order.
#[derive(Clone, Copy)]
pub enum Work {
    Additions,
    Rsqrt,
    Recip,
    RecipOfHalf,
    ReduceRows,
    ReduceColumns,
    ReduceAll,
    RowsByVectors,
    ColumnsByVectors,
    RowsInPairs,
    RowsOneByOne,
    RowsByPacker,
    Product,
    SumThroughBuffer,
    SumByPacker,
    BlocksByVectors,
    BlocksInPairs,
    Chain,
    ChainReconfigured,
}

/// A core that computes.
#[derive(Clone, Copy)]
pub struct Computing {
    pub arch: ArchName,
    /// Of what is unpacked first, and of what is packed.
    pub formats: [DataFormat; 2],
    pub fidelity: MathFidelity,
    /// Whether destination registers hold 32 bits.
    pub wide: bool,
}

impl Computing {
    /// What a round of some work of size `n` takes.
    pub fn time(&self, work: Work, n: usize) -> Time {
        let [short, long] = [4, 12].map(|rounds| {
            let mut rig = Rig::new(self.arch, &[(0, 0)]);
            for id in 0..7 {
                let format = self.formats[usize::from(id >= 2)];
                rig.buffer(id, if id == 2 { 96 } else { 32 }, format.tile_bytes(32, 32), format);
            }
            let options = ComputeOptions {
                math_fidelity: self.fidelity,
                fp32_dest_acc_en: self.wide,
                ..Default::default()
            };
            rig.kernel("rounds", KernelRole::Compute(options), &[], |_, _| {
                Some(vec![rounds, work as usize, n])
            });
            rig.time()
        });
        Time {
            cycles: (long.cycles - short.cycles) / 8.0,
            ..long
        }
    }
}
