//! The five kernels of the matmul with their circular buffers, semaphores and arguments.

use super::blocks::{Blocks, partials};
use crate::arguments;
use crate::production::bounds::{Bound, rounded_product};
use crate::production::case::{Arg, Buffer, Case, CircularBuffer, Kernel, rectangle};
use crate::production::values::{Expected, Matrix};
use tt_emulator::kernel_config::ComputeOptions;
use tt_emulator::{Arch, ArchName, CoreCoord, DataFormat};

const BF16: DataFormat = DataFormat::Float16_b;
const FOLDER: &str = "operations/matmul/device/kernels";

/// Ids of the circular buffers.
const LEFT: u8 = 0;
const RIGHT: u8 = 1;
const OUT: u8 = 4;
const PARTIALS: u8 = 5;

/// The NoCs that the halves of the grid take for the left and the right operand. Those who send are in the first half.
const NOCS: [[u8; 2]; 2] = [[1, 0], [0, 1]];

/// 256 products below 1, kept in fp32 and rounded to bf16 once; where the chips cut every 16 of them, they are off by so much.
const ONE_SUM: Bound = (4e-3, 1.0 / 256.0);

/// Every case of this folder.
pub fn cases(arch: ArchName) -> Vec<Case> {
    let product = |name: &str, [m, n, k]: [u32; 3], blocks: Blocks, fp32_dest_acc_en: bool| {
        let a = Matrix::random(m as usize * 32, k as usize * 32, 1, -1.0, 1.0);
        let b = Matrix::random(k as usize * 32, n as usize * 32, 2, -1.0, 1.0);
        let (absolute, relative) = match fp32_dest_acc_en {
            true => ONE_SUM,
            false => rounded_product(&a, &b),
        };
        let out = a.times(&b).near(BF16, absolute, relative);
        let options = ComputeOptions {
            fp32_dest_acc_en,
            ..ComputeOptions::default()
        };
        case(name, &a, &b, out, &blocks, options)
    };
    // Several blocks of C and along K on each of 3 × 2 cores.
    let small = Blocks {
        per_core_m: 4,
        per_core_n: 4,
        out_block_h: 4,
        out_block_w: 2,
        out_subblock_h: 2,
        out_subblock_w: 1,
        in0_block_w: 2,
    };
    // The last row and column of cores have less to do, and sums go through L1.
    let uneven = [11, 10, 8];
    let chosen = |fp32_dest_acc_en| Blocks::of_ttnn(uneven, Arch::of(arch), fp32_dest_acc_en);
    vec![
        product("matmul over a grid", [8, 12, 4], small, false),
        product("matmul in blocks of ttnn", uneven, chosen(false), false),
        product("matmul in blocks of ttnn and fp32", uneven, chosen(true), true),
    ]
}

/// The product of `a` and `b` in `blocks`, whose sums the packer adds in L1 as it does by default.
pub fn case(name: &str, a: &Matrix, b: &Matrix, out: Expected, blocks: &Blocks, options: ComputeOptions) -> Case {
    let tiles = |extent: usize| (extent / 32) as u32;
    let matmul = Matmul {
        m: tiles(a.rows),
        n: tiles(b.columns),
        k: tiles(a.columns),
        blocks: *blocks,
        options,
    };
    let bytes = BF16.tile_bytes(32, 32) as u32;
    let case = Case::new(name)
        .buffer(Buffer::input("a", bytes, a.tiles(BF16)))
        .buffer(Buffer::input("b", bytes, b.tiles(BF16)))
        .buffer(Buffer::output("out", bytes, out));
    matmul.add_to(case)
}

/// The matmul: extents in tiles, and how it is done.
struct Matmul {
    m: u32,
    n: u32,
    k: u32,
    blocks: Blocks,
    options: ComputeOptions,
}

/// What a core has of an axis of C: its last block may be smaller than the others, and so may the last subblock of that.
struct Share {
    blocks: u32,
    last_block: u32,
    last_subblocks: u32,
    last_subblock: u32,
}

impl Share {
    /// Of `extent` tiles those of core `index`.
    fn of(extent: u32, index: u32, per_core: u32, block: u32, subblock: u32) -> Share {
        let rest = |whole: u32, part: u32| (whole - 1) % part + 1;
        let own = per_core.min(extent - index * per_core);
        let last_block = rest(own, block);
        Share {
            blocks: own.div_ceil(block),
            last_block,
            last_subblocks: last_block.div_ceil(subblock),
            last_subblock: rest(last_block, subblock),
        }
    }
}

impl Matmul {
    fn columns(&self) -> u32 {
        self.n.div_ceil(self.blocks.per_core_n)
    }

    fn rows(&self) -> u32 {
        self.m.div_ceil(self.blocks.per_core_m)
    }

    /// Blocks along K.
    fn steps(&self) -> u32 {
        self.k / self.blocks.in0_block_w
    }

    fn grid(&self) -> Vec<CoreCoord> {
        rectangle((0, 0), (self.columns() as usize - 1, self.rows() as usize - 1))
    }

    /// The half of the grid that a core is in: cores that read nothing, right of the middle, are the second.
    fn half(&self, (x, y): CoreCoord) -> usize {
        let is_split = self.columns() > 2 && self.rows() > 1;
        usize::from(is_split && y > 0 && x as u32 > self.columns() / 2)
    }

    /// Cores that `wanted` takes, by the half of the grid that they are in; halves without any are left out.
    fn halves(&self, wanted: impl Fn(&CoreCoord) -> bool) -> Vec<(usize, Vec<CoreCoord>)> {
        let of = |half| {
            self.grid()
                .into_iter()
                .filter(|core| wanted(core) && self.half(*core) == half)
                .collect()
        };
        let halves = [0, 1].map(|half| (half, of(half)));
        halves
            .into_iter()
            .filter(|(_, cores): &(_, Vec<_>)| !cores.is_empty())
            .collect()
    }

    /// Blocks of C of a core, across and down, as the kernels take them.
    fn out_blocks(&self) -> [u32; 2] {
        let blocks = &self.blocks;
        [
            blocks.per_core_n / blocks.out_block_w,
            blocks.per_core_m / blocks.out_block_h,
        ]
    }

    fn add_to(&self, case: Case) -> Case {
        let (grid, blocks) = (self.grid(), &self.blocks);
        let twice = if self.steps() > 1 { 2 } else { 1 };
        let out = blocks.out_block_h * blocks.out_block_w;
        let depth = twice * blocks.in0_block_w;
        let ring = |id, format, tiles| CircularBuffer::tiles(id, &grid, format, tiles);
        let case =
            case.cb(ring(LEFT, BF16, depth * blocks.out_block_h))
                .cb(ring(RIGHT, BF16, depth * blocks.out_block_w));
        let case = match partials(self.options.fp32_dest_acc_en) {
            // The sums lie where the results do.
            BF16 => case.cb(ring(OUT, BF16, out).and(PARTIALS)),
            other => case.cb(ring(PARTIALS, other, out)).cb(ring(OUT, BF16, out)),
        };
        let case = (0..4).fold(case, |case, _| case.semaphore(&grid, 0));
        let kernels = [
            vec![self.left_sender()],
            self.left_receivers(),
            vec![self.right_sender()],
            self.right_receivers(),
            vec![self.compute()],
        ];
        kernels.concat().into_iter().fold(case, Case::kernel)
    }

    fn left_sender(&self) -> Kernel {
        let (blocks, [across, down]) = (&self.blocks, self.out_blocks());
        let (depth, h) = (blocks.in0_block_w, blocks.out_block_h);
        let receivers = self.columns() - 1;
        let cores = rectangle((0, 0), (0, self.rows() as usize - 1));
        let path = format!("{FOLDER}/dataflow/reader_bmm_tile_layout_in0_sender_padding.cpp");
        let mut kernel = named(Kernel::reader(&path, &cores).on_noc(NOCS[0][0]))
            .compile_args([1, self.k, depth, h * self.k, depth, h, h * depth])
            // No padding within tiles, no shards.
            .compile_args([0u32; 5])
            .compile_args([self.steps(), across, down, 0, 1, receivers, receivers, self.m * self.k])
            // One batch of each operand; no sparsity, whose tensor is never read; no fused operation.
            .compile_args([1u32, 1, 0, 0, 0, 1, 0, 0])
            .accessor("a")
            .accessor("a")
            .compile_args([1u32]);
        if receivers == 0 {
            kernel = kernel.define("SKIP_MCAST", "1");
        }
        for (y, core) in (0..).zip(&cores) {
            let mut words = arguments![Arg::Address("a"), y * blocks.per_core_m * self.k].to_vec();
            // On NoC 1 the far corner comes first.
            words.extend(Arg::corners((self.columns() as usize - 1, core.1), (1, core.1)));
            words.extend(arguments![self.down(y).last_block, 0]);
            kernel = kernel.args(*core, words);
        }
        kernel
    }

    fn left_receivers(&self) -> Vec<Kernel> {
        let (blocks, [across, down]) = (&self.blocks, self.out_blocks());
        let path = format!("{FOLDER}/dataflow/reader_bmm_tile_layout_in0_receiver.cpp");
        let kernel = |(half, cores): (usize, Vec<CoreCoord>)| {
            let kernel = named(Kernel::reader(&path, &cores).on_noc(NOCS[half][0])).compile_args([
                blocks.out_block_h * blocks.in0_block_w,
                self.steps(),
                across,
                down,
                0,
                1,
                1,
                0,
            ]);
            cores.iter().fold(kernel, |kernel, core| {
                let sender = (0, core.1);
                kernel.args(*core, [Arg::NocX(sender), Arg::NocY(sender)])
            })
        };
        self.halves(|(x, _)| *x > 0).into_iter().map(kernel).collect()
    }

    fn right_sender(&self) -> Kernel {
        let (blocks, [across, down]) = (&self.blocks, self.out_blocks());
        let (depth, w) = (blocks.in0_block_w, blocks.out_block_w);
        let (receivers, subblocks) = (self.rows() - 1, blocks.out_block_h / blocks.out_subblock_h);
        let cores = rectangle((0, 0), (self.columns() as usize - 1, 0));
        let path = format!("{FOLDER}/dataflow/reader_bmm_tile_layout_in1_sender_writer_padding.cpp");
        let mut kernel = named(Kernel::writer(&path, &cores).on_noc(NOCS[0][1]))
            .compile_args([
                1,
                self.n,
                depth * self.n,
                w,
                w,
                depth,
                w * depth,
                self.steps(),
                across,
                down,
            ])
            .compile_args([2, 3, receivers, receivers, self.k * self.n, 1, 1, 0, 0])
            .compile_args(self.written())
            // No bias, no fused operations, no sparsity.
            .compile_args([0u32; 4])
            .accessor("b")
            .accessor("b")
            .accessor("out");
        if receivers == 0 {
            kernel = kernel.define("SKIP_MCAST", "1");
        }
        for (x, core) in (0..).zip(&cores) {
            let own = self.across(x);
            let mut words = arguments![Arg::Address("b"), x * blocks.per_core_n].to_vec();
            words.extend(Arg::corners((core.0, 1), (core.0, self.rows() as usize - 1)));
            words.extend(arguments![
                0,
                Arg::Address("out"),
                x * blocks.per_core_n,
                own.last_block
            ]);
            words.extend(arguments![subblocks, blocks.out_subblock_h, 0]);
            words.extend(self.last_columns(&own).map(Arg::from));
            words.extend(arguments![0, 0, own.blocks]);
            kernel = kernel.args(*core, words);
        }
        kernel
    }

    fn right_receivers(&self) -> Vec<Kernel> {
        let (blocks, [across, down]) = (&self.blocks, self.out_blocks());
        let path = format!("{FOLDER}/dataflow/reader_bmm_tile_layout_in1_receiver_writer_padding.cpp");
        let subblocks = blocks.out_block_h / blocks.out_subblock_h;
        let kernel = |(half, cores): (usize, Vec<CoreCoord>)| {
            let kernel = named(Kernel::writer(&path, &cores).on_noc(NOCS[half][1]))
                .compile_args([
                    blocks.out_block_w * blocks.in0_block_w,
                    self.steps(),
                    across,
                    down,
                    2,
                    3,
                    1,
                ])
                .compile_args(self.written())
                // No bias, no fused operation.
                .compile_args([0u32; 2])
                .accessor("out");
            cores.iter().fold(kernel, |kernel, core| {
                let (x, y) = (core.0 as u32, core.1 as u32);
                let [right, bottom] = [self.across(x), self.down(y)];
                let sender = (core.0, 0);
                let skipped = (subblocks - bottom.last_subblocks) * blocks.out_block_w * blocks.out_subblock_h;
                let first = x * blocks.per_core_n + y * blocks.per_core_m * self.n;
                let mut words = arguments![Arg::NocX(sender), Arg::NocY(sender), Arg::Address("out"), first].to_vec();
                words.extend(arguments![
                    subblocks,
                    bottom.last_subblocks,
                    bottom.last_subblock,
                    skipped
                ]);
                words.extend(self.last_columns(&right).map(Arg::from));
                words.extend(arguments![bottom.blocks, right.blocks]);
                kernel.args(*core, words)
            })
        };
        self.halves(|(_, y)| *y > 0).into_iter().map(kernel).collect()
    }

    fn compute(&self) -> Kernel {
        let (blocks, [across, down]) = (&self.blocks, self.out_blocks());
        let Blocks {
            out_block_h: h,
            out_block_w: w,
            out_subblock_h: sub_h,
            out_subblock_w: sub_w,
            in0_block_w: depth,
            ..
        } = *blocks;
        let is_wide = self.options.fp32_dest_acc_en;
        let mut options = self.options.clone();
        if is_wide {
            // Sums come back without a rounding.
            options.unpack_to_dest_fp32 = (0..=PARTIALS).map(|id| id == PARTIALS).collect();
        }
        let path = format!("{FOLDER}/compute/bmm_large_block_zm_fused_bias_activation.cpp");
        let mut kernel = named(Kernel::compute(&path, &self.grid(), options))
            .compile_args([depth, h / sub_h, h * depth, sub_h * depth, w / sub_w, w * depth, w])
            .compile_args([self.steps(), across, down, sub_h, sub_w, sub_h * sub_w, 1, h * w])
            // Neither row-major results, nor batches that only the reader knows, nor transposed tiles.
            .compile_args([0u32; 3]);
        // The last block's sums are loaded and packed anew, so that fewer have nothing to add in L1.
        if self.steps() > 2 {
            kernel = kernel.define("PACKER_L1_ACC", "1");
        }
        if is_wide {
            kernel = kernel.define("FP32_DEST_ACC_EN", "1");
        }
        kernel
    }

    /// Strides and subblocks of C, as both kernels that write it take them.
    fn written(&self) -> [u32; 10] {
        let blocks = &self.blocks;
        let (h, w) = (blocks.out_subblock_h, blocks.out_subblock_w);
        [
            1,
            self.n,
            w,
            h * self.n,
            blocks.out_block_w,
            blocks.out_block_h * self.n,
            w,
            h,
            h * w,
            self.m * self.n,
        ]
    }

    /// Subblocks across, and what of the last block of a core is not written.
    fn last_columns(&self, own: &Share) -> [u32; 5] {
        let blocks = &self.blocks;
        let subblocks = blocks.out_block_w / blocks.out_subblock_w;
        let area = blocks.out_subblock_h * blocks.out_subblock_w;
        [
            subblocks,
            own.last_subblocks,
            own.last_subblock,
            BF16.tile_bytes(32, 32) as u32 * (blocks.out_subblock_w - own.last_subblock),
            area * (subblocks - own.last_subblocks),
        ]
    }

    fn across(&self, x: u32) -> Share {
        let blocks = &self.blocks;
        Share::of(self.n, x, blocks.per_core_n, blocks.out_block_w, blocks.out_subblock_w)
    }

    fn down(&self, y: u32) -> Share {
        let blocks = &self.blocks;
        Share::of(self.m, y, blocks.per_core_m, blocks.out_block_h, blocks.out_subblock_h)
    }
}

/// Names of the circular buffers, as all five kernels know them; nothing is sparse.
fn named(kernel: Kernel) -> Kernel {
    kernel
        .named("cb_in0", LEFT.into())
        .named("cb_in1", RIGHT.into())
        .named("cb_out", OUT.into())
        .named("cb_intermed0", PARTIALS.into())
        .named("cb_sparsity", 6)
        .named("num_active", 0)
}
