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
    /// What `ttnn.matmul` takes for [m, k] by [k, n] tiles of bf16, neither narrow, on all cores of a chip: C is shared evenly among
    /// the rows and columns of cores, and K among the columns where it can be. Where that does not fit into L1, blocks of C get
    /// smaller first, and the blocks along K after them.
    pub fn of_ttnn([m, n, k]: [u32; 3], arch: &Arch, fp32_dest_acc_en: bool) -> Blocks {
        let (columns, rows) = (arch.grid.0 as u32, arch.grid.1 as u32);
        let (per_core_m, per_core_n) = (m.div_ceil(rows), n.div_ceil(columns));
        let deepest = if k.is_multiple_of(columns) { k / columns } else { 1 };
        let fits = |[h, w]: [u32; 2], depth| bytes([h, w], depth, fp32_dest_acc_en) < arch.l1_unreserved_bytes;
        let whole = [per_core_m, per_core_n];
        let smaller = || {
            let blocks = squarest(whole);
            let depths = (1..=deepest).rev().filter(|depth| deepest.is_multiple_of(*depth));
            depths.flat_map(move |depth| blocks.clone().into_iter().rev().map(move |block| (block, depth)))
        };
        let all = std::iter::once((whole, deepest)).chain(smaller());
        let found = all.into_iter().find(|(block, depth)| fits(*block, *depth));
        let ([out_block_h, out_block_w], in0_block_w) = found.unwrap_or(([1, 1], 1));
        let [out_subblock_h, out_subblock_w] = subblock([out_block_h, out_block_w], fp32_dest_acc_en);
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

/// Bytes of L1 as the choice reckons them: two blocks of each operand, a block of C and one of sums.
fn bytes([h, w]: [u32; 2], depth: u32, fp32_dest_acc_en: bool) -> usize {
    let tile = |format: DataFormat| format.tile_bytes(32, 32);
    let bf16 = tile(DataFormat::Float16_b);
    let (operands, block) = (2 * (h + w) * depth, h * w);
    operands as usize * bf16 + block as usize * (bf16 + tile(partials(fp32_dest_acc_en)))
}

/// Parts of a block whose sides divide its own, from small to large: of those with as many tiles the squarest. Of two that are as
/// square, one and the other way round, the later counts in an order that begins with the whole and one.
fn squarest([h, w]: [u32; 2]) -> Vec<[u32; 2]> {
    let sides = |whole: u32| {
        [whole, 1]
            .into_iter()
            .chain((2..=whole / 2).rev().filter(move |side| whole.is_multiple_of(*side)))
    };
    let mut parts = BTreeMap::<u32, [u32; 2]>::new();
    for part in sides(h).flat_map(|h| sides(w).map(move |w| [h, w])) {
        let [h, w] = part;
        let is_as_square =
            |[other_h, other_w]: [u32; 2]| h.max(w) * other_h.min(other_w) <= other_h.max(other_w) * h.min(w);
        if parts.get(&(h * w)).is_none_or(|known| is_as_square(*known)) {
            parts.insert(h * w, part);
        }
    }
    parts.into_values().collect()
}

/// The largest part of a block that destination registers hold, half of them: of parts as large the squarest, and of those the
/// tallest.
fn subblock([h, w]: [u32; 2], fp32_dest_acc_en: bool) -> [u32; 2] {
    let most = if fp32_dest_acc_en { 4 } else { 8 };
    let sides = |whole: u32| (1..=whole.min(most)).filter(move |side| whole.is_multiple_of(*side));
    let parts = sides(h).flat_map(|h| sides(w).map(move |w| [h, w]));
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
}
