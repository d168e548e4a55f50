//! The blocks of a matmul, and those that `ttnn.matmul` takes where it is told of none.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use tt_emulator::{Arch, DataFormat};

/// Blocks of a matmul in tiles, with the names of `MatmulMultiCoreReuseMultiCastProgramConfig`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Rows of C that a core makes.
    pub per_core_m: u32,
    /// Columns of C that a core makes.
    pub per_core_n: u32,
    /// Rows that it makes at a time.
    pub out_block_h: u32,
    /// Columns that it makes at a time.
    pub out_block_w: u32,
    /// Rows in destination registers.
    pub out_subblock_h: u32,
    /// Columns in destination registers.
    pub out_subblock_w: u32,
    /// Columns of A, and rows of B, that are multicast at a time.
    pub in0_block_w: u32,
}

impl Blocks {
    /// What `ttnn.matmul` takes for [m, k] by [k, n] tiles of bf16, neither narrow, on all cores of a chip: C is shared evenly
    /// among the rows and columns of cores, and K among the columns where it can be. Where that does not fit into L1, blocks of
    /// C get smaller first, and the blocks along K after them.
    pub fn of_ttnn([m, n, k]: [u32; 3], arch: &Arch, fp32_dest_acc_en: bool) -> Blocks {
        let (columns, rows) = (arch.grid.0 as u32, arch.grid.1 as u32);
        let whole = [m.div_ceil(rows), n.div_ceil(columns)];
        let deepest = if k.is_multiple_of(columns) { k / columns } else { 1 };
        let blocks = squarest(whole);
        let smaller = divisors(deepest).rev();
        let smaller = smaller.flat_map(|depth| blocks.iter().rev().map(move |block| (*block, depth)));
        let mut all = std::iter::once((whole, deepest)).chain(smaller);
        let found = all.find(|(block, depth)| fits(*block, *depth, arch, fp32_dest_acc_en));
        let (block, depth) = found.unwrap_or(([1, 1], 1));
        Blocks::new(whole, block, depth, fp32_dest_acc_en)
    }

    /// What may be given instead: the same shares of C, with all blocks along K that let blocks of C be as large as in
    /// [`Blocks::of_ttnn`]. A core that has less than others has as many blocks, since the kernels read all.
    pub fn of_depths(extents: [u32; 3], arch: &Arch, fp32_dest_acc_en: bool) -> Vec<Blocks> {
        let [m, n, k] = extents;
        let own = Blocks::of_ttnn(extents, arch, fp32_dest_acc_en);
        let whole = [own.per_core_m, own.per_core_n];
        let reaches_last =
            |extent: u32, per_core: u32, block: u32| ((extent - 1) % per_core) / block + 1 == per_core / block;
        let largest = |depth| {
            let of_all = |[h, w]: [u32; 2]| reaches_last(m, whole[0], h) && reaches_last(n, whole[1], w);
            let wanted = |block: &[u32; 2]| of_all(*block) && fits(*block, depth, arch, fp32_dest_acc_en);
            squarest(whole).into_iter().rev().find(wanted)
        };
        divisors(k)
            .filter_map(|depth| Some(Blocks::new(whole, largest(depth)?, depth, fp32_dest_acc_en)))
            .filter(|blocks| blocks.out_block_h * blocks.out_block_w >= own.out_block_h * own.out_block_w)
            .collect()
    }

    fn new(whole: [u32; 2], block: [u32; 2], in0_block_w: u32, fp32_dest_acc_en: bool) -> Blocks {
        let ([per_core_m, per_core_n], [out_block_h, out_block_w]) = (whole, block);
        let [out_subblock_h, out_subblock_w] = subblock(block, fp32_dest_acc_en);
        Blocks {
            per_core_m,
            per_core_n,
            out_block_h,
            out_block_w,
            out_subblock_h,
            out_subblock_w,
            in0_block_w,
        }
    }
}

impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} × {} tiles a core in blocks of {} × {}, {} × {} in registers, {} along K",
            self.per_core_m,
            self.per_core_n,
            self.out_block_h,
            self.out_block_w,
            self.out_subblock_h,
            self.out_subblock_w,
            self.in0_block_w,
        )
    }
}

/// Format of the sums that are kept while K goes on.
pub(super) fn partials(fp32_dest_acc_en: bool) -> DataFormat {
    match fp32_dest_acc_en {
        true => DataFormat::Float32,
        false => DataFormat::Float16_b,
    }
}

/// Whether L1 has room, as `ttnn` reckons it, for two blocks of each operand, one of C and one of sums.
fn fits([h, w]: [u32; 2], depth: u32, arch: &Arch, fp32_dest_acc_en: bool) -> bool {
    let tile = |format: DataFormat| format.tile_bytes(32, 32);
    let bf16 = tile(DataFormat::Float16_b);
    let (operands, block) = (2 * (h + w) * depth, h * w);
    let bytes = operands as usize * bf16 + block as usize * (bf16 + tile(partials(fp32_dest_acc_en)));
    bytes < arch.l1_unreserved_bytes
}

/// From small to large.
fn divisors(of: u32) -> impl DoubleEndedIterator<Item = u32> {
    (1..=of).filter(move |divisor| of.is_multiple_of(*divisor))
}

/// Parts of a block whose sides divide its own, from small to large: of those with as many tiles the squarest. Of two that are as
/// square, one and the other way round, the later counts in an order of sides that begins with the whole and one.
fn squarest([h, w]: [u32; 2]) -> Vec<[u32; 2]> {
    let between = |whole: u32| divisors(whole).rev().filter(move |side| *side > 1 && *side < whole);
    let sides = |whole: u32| [whole, 1].into_iter().chain(between(whole));
    let mut parts = BTreeMap::<u32, [u32; 2]>::new();
    for part in sides(h).flat_map(|h| sides(w).map(move |w| [h, w])) {
        let longer = |[h, w]: [u32; 2]| h.max(w);
        let tiles = part[0] * part[1];
        if parts.get(&tiles).is_none_or(|known| longer(part) <= longer(*known)) {
            parts.insert(tiles, part);
        }
    }
    parts.into_values().collect()
}

/// The largest part of a block that destination registers hold, half of them: of parts as large the squarest, and of those the
/// tallest.
fn subblock([h, w]: [u32; 2], fp32_dest_acc_en: bool) -> [u32; 2] {
    let most = if fp32_dest_acc_en { 4 } else { 8 };
    let parts = divisors(h).flat_map(|h| divisors(w).map(move |w| [h, w]));
    let held = parts.filter(|[h, w]| h * w <= most);
    held.max_by_key(|[h, w]| (h * w, Reverse(h.abs_diff(*w)), *h))
        .unwrap_or([1, 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tt_emulator::ArchName;

    #[test]
    fn blocks_are_whole_where_they_fit_and_smaller_where_they_do_not() {
        let of = |arch, extent: u32| Blocks::of_ttnn([extent / 32; 3], Arch::of(arch), true);
        let sides = |blocks: Blocks| {
            [
                [blocks.per_core_m, blocks.per_core_n],
                [blocks.out_block_h, blocks.out_block_w],
                [blocks.out_subblock_h, blocks.out_subblock_w],
            ]
        };
        let whole = of(ArchName::WormholeB0, 2048);
        assert_eq!((sides(whole), whole.in0_block_w), ([[8, 8], [8, 8], [2, 2]], 8));
        let parts = of(ArchName::WormholeB0, 4096);
        assert_eq!((sides(parts), parts.in0_block_w), ([[16, 16], [8, 8], [2, 2]], 16));
        // 13 columns share no power of two.
        let uneven = of(ArchName::Blackhole, 2048);
        assert_eq!((sides(uneven), uneven.in0_block_w), ([[7, 5], [7, 5], [1, 1]], 1));
    }

    #[test]
    fn other_depths_have_blocks_as_large() {
        let of = |arch, extent: u32| Blocks::of_depths([extent / 32; 3], Arch::of(arch), true);
        let depths = |all: Vec<Blocks>| all.iter().map(|blocks| blocks.in0_block_w).collect::<Vec<_>>();
        assert_eq!(depths(of(ArchName::WormholeB0, 4096)), [1, 2, 4, 8, 16]);
        assert_eq!(depths(of(ArchName::Blackhole, 4096)), [1, 2, 4]);
    }
}
