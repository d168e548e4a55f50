//! What HiFi3 leaves out of products of bf16 numbers: the three lowest bits of A by the lowest of B.
//!
//! Into a 32-bit destination the other phases add up to the whole product without it, so the whole product is formed and this is taken
//! away from it. It is a few hundred-thousandths of the sums, a third of what a chip's adders are off, so it need not be exact to the bit:
//! low parts are integers of 8 bits, as parts of the power of two of the largest number of A's column, or of B's row: what lies in other
//! columns and rows, or past an edge, has no say. Those of numbers down to an eighth of that (of A) or a sixty-fourth (of B) are exact,
//! smaller ones lose their last bits, and a 64th (of A) or a 128th has none. Sums of such integers are exact, so every version gives the
//! same bits.
//!
//! Where there are vectors of bytes, one multiplication makes two products (S. Winograd, "A New Algorithm for Inner Product", 1968): of a
//! pair along k, `(a0 + b1) * (a1 + b0)` is `a0 * b0 + a1 * b1`, which is wanted, and `a0 * a1 + b0 * b1`, of which a column and a row
//! know their sums. Bytes are added where nothing else is, beside the products of the numbers.

use super::pairs::RowPairs;
use crate::compute::tile::{FACE, SIDE, Tile};
use crate::compute::vector::vectorised;

#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

/// Rows, and columns, of a tile.
const LINES: usize = 2 * SIDE;

/// Those of both operands of a product.
pub type Both<'a> = (&'a Rows, &'a Columns);

/// Integers as bytes, of which four products are added up at a time: of two neighbouring pairs along k of each half of k.
type Four = [u8; 4];

/// Pairs along k of a face.
const PAIRS: usize = SIDE / 2;

/// Fours of the firsts of pairs that a row or a column of a tile has, and of the seconds.
pub const FOURS: usize = LINES / 2 / 4;

/// The exponent field of a pattern of bf16.
const EXPONENT: u16 = 0x7f80;

/// What is added to sums of a first of A and a second of B, so that none is negative.
const OFFSET: u8 = 128;

/// The least exponent that integers are parts of: with it those of numbers that count as zero, below 2^-126, are zero.
const LEAST: u16 = 7 << 7;

/// The exponent that is said of zeros alone, whose integers are zeros, too.
const NEUTRAL_EXPONENT: i32 = 127;
const NEUTRAL: u16 = (NEUTRAL_EXPONENT as u16) << 7;

/// The low bits of B, of a tile.
#[repr(C, align(64))]
pub struct Rows {
    /// Of every row the fours of seconds, with [`OFFSET`], and of firsts.
    fours: [[[Four; FOURS]; 2]; LINES],
    exponents: Exponents,
    /// What a row adds to sums of products beside what is wanted, negated.
    starts: [i32; LINES],
}

/// The low bits of A, of a tile.
#[repr(C, align(64))]
pub struct Columns {
    /// The fours of firsts of all columns, and of seconds.
    fours: [[[Four; LINES]; 2]; FOURS],
    exponents: Exponents,
    /// What a column adds to sums of products beside what is wanted, negated.
    starts: [i32; LINES],
}

/// The largest exponents of the rows, less [`TO_UNIT`], or columns of a tile, where an `f32` has its own: where both operands' are added,
/// the units of their products lie there.
#[repr(C, align(64))]
struct Exponents {
    of: [i32; LINES],
    /// The least and the largest of them.
    ends: [i32; 2],
}

/// From an exponent to where an `f32` has it.
const IN_F32: u32 = 23;

impl Exponents {
    const fn all(exponent: i32) -> Exponents {
        Exponents {
            of: [exponent << IN_F32; LINES],
            ends: [exponent << IN_F32; 2],
        }
    }

    #[inline(always)]
    fn note_ends(&mut self) {
        let [mut least, mut most] = [self.of[0]; 2];
        for of in self.of {
            (least, most) = (if of < least { of } else { least }, if of > most { of } else { most });
        }
        self.ends = [least, most];
    }
}

/// From the exponents of A and B to that of what one is of a sum of products of their integers: a last bit of A is 2^-7 of its exponent's
/// power of two and 2^3 as an integer, that of B 2^-7 and 2^6; and one bias less.
const TO_UNIT: i32 = 127 + 7 + 3 + 7 + 6;

/// Exponents of units with which no sum of products of integers leaves the numbers of `f32`. Beyond, the product of the largest numbers of
/// row and column does; below, nothing counts.
const MOST_UNIT: i32 = 254 - 18;

/// Of a pattern the integer of its last bit, where `exponent` is the largest.
#[inline(always)]
fn of_row(pattern: u16, exponent: u16) -> i16 {
    let size = shifted((pattern & 1) << 6, pattern, exponent);
    with_sign(size, pattern)
}

/// Of a pattern the integer of its last three bits, where `exponent` is the largest.
#[inline(always)]
fn of_column(pattern: u16, exponent: u16) -> i16 {
    let size = shifted((pattern & 7) << 3, pattern, exponent);
    with_sign(size, pattern)
}

#[inline(always)]
fn shifted(bits: u16, pattern: u16, exponent: u16) -> u16 {
    let shift = (exponent - (pattern & EXPONENT)) >> 7;
    if shift < 16 { bits >> shift } else { 0 }
}

#[inline(always)]
fn with_sign(size: u16, pattern: u16) -> i16 {
    let size = size as i16;
    if pattern >> 15 == 1 { -size } else { size }
}

/// The exponent that integers are parts of where this is the largest.
#[inline(always)]
fn unit_exponent(largest: u16) -> u16 {
    match largest {
        0 => NEUTRAL,
        _ => largest.max(LEAST),
    }
}

/// A row or a column.
struct Line {
    exponent: i32,
    firsts: [Four; FOURS],
    seconds: [Four; FOURS],
}

/// The low bits of a line, by its pairs of each half of k and what `integer` makes of a pattern and the exponent.
#[inline(always)]
fn line(pair: impl Fn(usize, usize) -> [u8; 4], integer: impl Fn(u16, u16) -> i16) -> Line {
    let patterns = |half, at| {
        let [a, b, c, d] = pair(half, at);
        [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])]
    };
    let mut largest = 0;
    for at in 0..PAIRS {
        for pattern in patterns(0, at).into_iter().chain(patterns(1, at)) {
            largest = largest.max(pattern & EXPONENT);
        }
    }
    let exponent = unit_exponent(largest);
    let fours = |which: usize| {
        std::array::from_fn(|four| {
            std::array::from_fn(|at| integer(patterns(at % 2, 2 * four + at / 2)[which], exponent) as u8)
        })
    };
    Line {
        exponent: i32::from(exponent >> 7),
        firsts: fours(0),
        seconds: fours(1),
    }
}

/// Of what firsts and seconds of a line add to sums of products beside what is wanted, the negative. `offset` are those that [`OFFSET`]
/// is added to the other factor of.
#[inline(always)]
fn start(line: &Line, offset: &[Four; FOURS]) -> i32 {
    let integer = |byte: &u8| i32::from(*byte as i8);
    let pairs = line.firsts.as_flattened().iter().zip(line.seconds.as_flattened());
    let products: i32 = pairs.map(|(a, b)| integer(a) * integer(b)).sum();
    -products - i32::from(OFFSET) * offset.as_flattened().iter().map(integer).sum::<i32>()
}

/// Of a value of k: to which of its pair it belongs, in which four and where in that.
fn place(k: usize) -> (usize, usize, usize) {
    let (half, pair) = (k / SIDE, k % SIDE / 2);
    (k % 2, pair / 2, pair % 2 * 2 + half)
}

impl Rows {
    /// Zeros.
    pub const ZERO: Rows = Rows {
        fours: [[[[OFFSET; 4]; FOURS], [[0; 4]; FOURS]]; LINES],
        exponents: Exponents::all(NEUTRAL_EXPONENT - TO_UNIT),
        starts: [0; LINES],
    };

    /// Takes the low bits of a tile.
    pub fn take(&mut self, pairs: &RowPairs) {
        take_rows(self, pairs);
    }

    /// Whether a number of the tile has the largest exponent.
    pub fn has_largest_exponent(&self) -> bool {
        self.exponents.ends[1] == (i32::from(EXPONENT >> 7) - TO_UNIT) << IN_F32
    }

    /// The integers as numbers of a tile.
    pub fn numbers(&self, tile: &mut Tile) {
        for (at, number) in tile.0.iter_mut().enumerate() {
            let (row, k) = line_and_across(at);
            let (which, four, at) = place(k);
            let offset = [0, OFFSET][which];
            *number = f32::from((self.fours[row][1 - which][four][at] ^ offset) as i8);
        }
    }
}

impl Columns {
    /// Zeros.
    pub const ZERO: Columns = Columns {
        fours: [[[[0; 4]; LINES]; 2]; FOURS],
        exponents: Exponents::all(NEUTRAL_EXPONENT),
        starts: [0; LINES],
    };

    /// Takes the low bits of a tile.
    pub fn take(&mut self, pairs: &RowPairs) {
        take_columns(self, pairs);
    }

    /// The integers as numbers of a tile.
    pub fn numbers(&self, tile: &mut Tile) {
        for (at, number) in tile.0.iter_mut().enumerate() {
            let (k, column) = line_and_across(at);
            let (which, four, at) = place(k);
            *number = f32::from(self.fours[four][which][column][at] as i8);
        }
    }
}

/// The row and the column of the element of a tile that lies there.
fn line_and_across(at: usize) -> (usize, usize) {
    let (face, at) = (at / FACE, at % FACE);
    (face / 2 * SIDE + at / SIDE, face % 2 * SIDE + at % SIDE)
}

vectorised! {
    fn take_rows(rows: &mut Rows, pairs: &RowPairs) {
        rows_plain(rows, pairs);
    }
    avx2 { rows_plain(rows, pairs) }
    avx512 { x86::take_rows(rows, pairs) }
}

#[inline(always)]
fn rows_plain(rows: &mut Rows, pairs: &RowPairs) {
    let faces = pairs.as_chunks::<PAIRS>().0.as_chunks::<SIDE>().0;
    for row in 0..LINES {
        let pair = |half: usize, at: usize| faces[row / SIDE * 2 + half][row % SIDE][at];
        let line = line(pair, of_row);
        rows.fours[row] = [line.seconds.map(|four| four.map(|byte| byte ^ OFFSET)), line.firsts];
        rows.starts[row] = start(&line, &line.firsts);
        rows.exponents.of[row] = (line.exponent - TO_UNIT) << IN_F32;
    }
    rows.exponents.note_ends();
}

vectorised! {
    fn take_columns(columns: &mut Columns, pairs: &RowPairs) {
        columns_plain(columns, pairs);
    }
    avx2 { columns_plain(columns, pairs) }
    avx512 { x86::take_columns(columns, pairs) }
}

#[inline(always)]
fn columns_plain(columns: &mut Columns, pairs: &RowPairs) {
    let faces = pairs.as_chunks::<SIDE>().0.as_chunks::<PAIRS>().0;
    for column in 0..LINES {
        let pair = |half: usize, at: usize| faces[half * 2 + column / SIDE][at][column % SIDE];
        let line = line(pair, of_column);
        for (fours, four) in columns.fours.iter_mut().zip(line.firsts.iter().zip(&line.seconds)) {
            (fours[0][column], fours[1][column]) = (*four.0, *four.1);
        }
        columns.starts[column] = start(&line, &line.seconds);
        columns.exponents.of[column] = line.exponent << IN_F32;
    }
    columns.exponents.note_ends();
}

/// What one is of a sum of products of integers of these exponents, as [`Exponents`] has them.
#[inline(always)]
fn unit(row: i32, column: i32) -> f32 {
    let exponent = (row >> IN_F32) + (column >> IN_F32);
    let counts = exponent > 0 && exponent <= MOST_UNIT;
    f32::from_bits(if counts { (exponent as u32) << IN_F32 } else { 0 })
}

/// Whether that is another number for all of both operands.
#[cfg(target_arch = "x86_64")]
fn all_count((rows, columns): Both) -> bool {
    let [least, most] =
        [0, 1].map(|end| (rows.exponents.ends[end] >> IN_F32) + (columns.exponents.ends[end] >> IN_F32));
    least > 0 && most <= MOST_UNIT
}

vectorised! {
    /// Takes what is left out away from a tile of sums: these sums of products of integers.
    pub fn take_away(sums: &mut Tile, products: &Tile, both: Both) {
        let (rows, columns) = both;
        let lines = sums.0.as_chunks_mut::<SIDE>().0.iter_mut().zip(products.0.as_chunks::<SIDE>().0);
        for (at, (sums, products)) in lines.enumerate() {
            let (row, column) = line_and_across(at * SIDE);
            for i in 0..SIDE {
                sums[i] -= products[i] * unit(rows.exponents.of[row], columns.exponents.of[column + i]);
            }
        }
    }
}
