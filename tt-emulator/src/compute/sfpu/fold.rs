//! `sfpu_reduce`: the 32 columns of a tile folded into one, or its 32 rows.
//!
//! One step of a fold works on a line: a value for each of the 32 results. Rows are first folded to eight values, all rows at once.

use super::lanes::Lanes;
use super::multiply_add::{ONE, multiply_add, sum_lane};
pub use crate::compute::enumerations::Fold;
use crate::compute::pack::ReduceDim;
use crate::compute::tile::{FACE, Tile, position};
use crate::compute::vector::vectorised;

/// Rows of a tile, and columns.
pub const SIDE: usize = 32;

const HALF: usize = SIDE / 2;
/// Values of a row that are folded into one after the other.
const EIGHT: usize = 8;
const TILE: usize = SIDE * SIDE;

/// What one step works on.
type Line = [u32; SIDE];

/// What is folded into each of 32 rows or columns, in the first lanes.
pub fn fold(blackhole: bool, tile: &Tile, fold: Fold, dim: ReduceDim) -> Lanes {
    let along_rows = dim == ReduceDim::Row;
    let mut lanes = Lanes::ZERO;
    let folded = &mut lanes.0;
    match fold {
        Fold::Sum | Fold::Avg if blackhole => sum_on_blackhole(&tile.0, along_rows, folded),
        Fold::Sum | Fold::Avg => sum_on_wormhole(&tile.0, along_rows, folded),
        Fold::Max => most(&tile.0, along_rows, 0, folded),
        Fold::Min => most(&tile.0, along_rows, u32::MAX, folded),
    }
    lanes
}

/// Where the result for line `line` lies.
pub fn result_position(dim: ReduceDim, line: usize) -> usize {
    match dim {
        ReduceDim::Row => position(line, 0),
        _ => position(0, line),
    }
}

vectorised! {
    fn sum_on_wormhole(tile: &[f32; TILE], along_rows: bool, out: &mut [u32; FACE]) {
        out[..SIDE].copy_from_slice(&sum::<false>(tile, along_rows));
    }
}

vectorised! {
    fn sum_on_blackhole(tile: &[f32; TILE], along_rows: bool, out: &mut [u32; FACE]) {
        out[..SIDE].copy_from_slice(&sum::<true>(tile, along_rows));
    }
}

vectorised! {
    /// The largest in sign-and-magnitude order, or the smallest where all bits are turned before and after.
    fn most(tile: &[f32; TILE], along_rows: bool, turned: u32, out: &mut [u32; FACE]) {
        let turn = |bits: u32| bits ^ (((bits as i32 >> 31) as u32) >> 1);
        let larger = |a: u32, b: u32| {
            if (turn(a) ^ turned) as i32 > (turn(b) ^ turned) as i32 {
                a
            } else {
                b
            }
        };
        let out = &mut out[..SIDE];
        if along_rows {
            let [mut a, b, c, d] = quarters(tile);
            for (i, a) in a.iter_mut().enumerate() {
                *a = larger(larger(*a, b[i]), larger(c[i], d[i]));
            }
            for (i, line) in eighths(&a).iter().enumerate() {
                for (out, value) in out.iter_mut().zip(line) {
                    *out = if i == 0 { *value } else { larger(*out, *value) };
                }
            }
        } else {
            for (i, line) in rows(tile).iter().enumerate() {
                for (out, value) in out.iter_mut().zip(line) {
                    *out = if i == 0 { *value } else { larger(*out, *value) };
                }
            }
        }
    }
}

/// The rows of a tile.
#[inline(always)]
fn rows(tile: &[f32; TILE]) -> [Line; SIDE] {
    let mut rows = [[0; SIDE]; SIDE];
    for (number, face) in tile.as_chunks::<FACE>().0.iter().enumerate() {
        let (down, across) = (number / 2 * HALF, number % 2 * HALF);
        for (row, values) in face.as_chunks::<HALF>().0.iter().enumerate() {
            rows[down + row][across..across + HALF].copy_from_slice(&values.map(f32::to_bits));
        }
    }
    rows
}

/// Of every row the even columns of the left faces, their odd ones, and those of the right faces: eight each, row by row.
#[inline(always)]
fn quarters(tile: &[f32; TILE]) -> [[u32; FACE]; 4] {
    let mut quarters = [[0; FACE]; 4];
    for (number, face) in tile.as_chunks::<FACE>().0.iter().enumerate() {
        let (down, right) = (number / 2 * FACE / 2, number % 2 * 2);
        for (i, [even, odd]) in face.as_chunks::<2>().0.iter().enumerate() {
            quarters[right][down + i] = even.to_bits();
            quarters[right + 1][down + i] = odd.to_bits();
        }
    }
    quarters
}

/// The columns of 32 rows of eight.
#[inline(always)]
fn eighths(values: &[u32; FACE]) -> [Line; EIGHT] {
    let mut lines = [[0; SIDE]; EIGHT];
    for (row, values) in values.as_chunks::<EIGHT>().0.iter().enumerate() {
        for (line, value) in lines.iter_mut().zip(values) {
            line[row] = *value;
        }
    }
    lines
}

/// `y + z`, into `z`.
#[inline(always)]
fn add<const BLACKHOLE: bool>(y: &[u32], z: &mut [u32]) {
    const GROUP: usize = 16;
    for (y, z) in y.as_chunks::<GROUP>().0.iter().zip(z.as_chunks_mut::<GROUP>().0) {
        let (mut sums, mut doubtful) = ([0; GROUP], 0);
        for i in 0..GROUP {
            let (value, certain) = sum_lane::<BLACKHOLE>(y[i], z[i]);
            sums[i] = value;
            doubtful |= u32::from(!certain);
        }
        if doubtful != 0 {
            for i in 0..GROUP {
                sums[i] = multiply_add::<BLACKHOLE>(ONE, y[i], z[i]);
            }
        }
        *z = sums;
    }
}

/// The sum of 32 columns or rows, in the order of ckernel_sfpu_reduce.h. A register of the SFPU holds four rows of every second
/// column: down columns, the registers of a face are added from the last to the first, then the two faces, then the four rows,
/// which Blackhole adds from the last to the first too; along rows, the four registers of the two faces, then lane by lane what
/// lies 4, 2 and 1 lanes before.
#[inline(always)]
fn sum<const BLACKHOLE: bool>(tile: &[f32; TILE], along_rows: bool) -> Line {
    let add = add::<BLACKHOLE>;
    let [mut a, mut b, mut c, mut d] = [[0; SIDE]; 4];
    if along_rows {
        let mut quarters = quarters(tile);
        let [first, second, third, fourth] = &mut quarters;
        add(third, fourth);
        add(second, fourth);
        add(first, fourth);
        let lanes = eighths(fourth);
        for (sum, (y, z)) in [&mut a, &mut b, &mut c, &mut d]
            .into_iter()
            .zip([(0, 4), (6, 2), (7, 3), (5, 1)])
        {
            *sum = lanes[z];
            add(&lanes[y], sum);
        }
    } else {
        let rows = rows(tile);
        for (row, sum) in [&mut a, &mut b, &mut c, &mut d].into_iter().enumerate() {
            let mut upper = rows[row + 12];
            *sum = rows[row + 28];
            for before in [8, 4, 0] {
                add(&rows[row + before], &mut upper);
                add(&rows[row + before + HALF], sum);
            }
            add(&upper, sum);
        }
    }
    add(&c, &mut d);
    if BLACKHOLE && !along_rows {
        add(&b, &mut d);
        add(&a, &mut d);
    } else {
        add(&a, &mut b);
        add(&b, &mut d);
    }
    d
}
