//! Reductions of a tile: sums through the multipliers, maxima through the pooling unit.
//!
//! Sums multiply by a scaler tile whose faces hold the scale in row 0: `destination[0][c] += Σ_k data[k][c] · scale[k]` down
//! the columns, and the same with rows and columns exchanged along the rows. A partial scaler drops padded rows or columns.
//! Maxima order values by their patterns, start from nothing at all (below -inf) in a register that is not written yet,
//! and need a scaler of one (see [`is_unit`]). The row maximum keeps its running value in row 0 of the register and
//! shows it, transposed, in column 0: a value copied into column 0 beforehand is lost (`reference/patterns.md`, surprise 6).

use super::datapath::{self, Adder, dot_phase};
use crate::compute::enumerations::Fold;
use crate::compute::pack::ReduceDim;
use crate::compute::tile::{FACE, SIDE, Tile};
use crate::compute::vector::vectorised;

/// What a reduction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// Sum.
    Sum,
    /// Sum with a scaler that divides.
    Avg,
    /// Maximum.
    Max,
}

impl Pool {
    /// The pool with LLK's id. The minimum is none of the matrix engine.
    pub fn from_id(id: u32) -> Option<Pool> {
        match Fold::from_id(id)? {
            Fold::Sum => Some(Pool::Sum),
            Fold::Avg => Some(Pool::Avg),
            Fold::Max => Some(Pool::Max),
            Fold::Min => None,
        }
    }
}

/// How a reduction runs.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// What is computed.
    pub pool: Pool,
    /// Over which dimension.
    pub dim: ReduceDim,
    /// Fidelity phases of sums.
    pub phases: u32,
    /// The accumulators.
    pub adder: Adder,
    /// What is left of a partial result that moves from the destination to a source, and of what is then added.
    pub moved: Moved,
}

/// Bits that partial results keep on their way from the destination through the sources. The moves cut to the format that
/// one source register is set for, the final addition to that of SrcB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Kept by the move into SrcB.
    pub into_source: u32,
    /// Kept by an addition from SrcB.
    pub added: u32,
}

type Row = [u32; SIDE];

fn row_of(tile: &Tile, face: usize, row: usize) -> Row {
    let mut out = [0; SIDE];
    for (to, from) in out.iter_mut().zip(&tile.0[face * FACE + row * SIDE..][..SIDE]) {
        *to = from.to_bits();
    }
    out
}

fn put_row(tile: &mut Tile, face: usize, row: usize, values: &Row) {
    for (to, from) in tile.0[face * FACE + row * SIDE..][..SIDE].iter_mut().zip(values) {
        *to = f32::from_bits(*from);
    }
}

fn face_rows(tile: &Tile, face: usize) -> [Row; SIDE] {
    std::array::from_fn(|row| row_of(tile, face, row))
}

fn face_columns(tile: &Tile, face: usize) -> [Row; SIDE] {
    std::array::from_fn(|k| std::array::from_fn(|r| tile.0[face * FACE + r * SIDE + k].to_bits()))
}

impl Reduction {
    /// Folds `data` into the register. `fresh` says that the register was not written in this acquire.
    pub fn run(&self, register: &mut Tile, fresh: bool, data: &Tile, scaler: &Tile) {
        match (self.pool, self.dim) {
            (Pool::Max, ReduceDim::Col) => self.maximum_of_columns(register, fresh, data),
            (Pool::Max, ReduceDim::Row) => self.maximum_of_rows(register, fresh, data),
            (Pool::Max, ReduceDim::Scalar) => self.maximum_of_all(register, fresh, data),
            (_, ReduceDim::Col) => self.sum_of_columns(register, data, scaler),
            (_, ReduceDim::Row) => self.sum_of_rows(register, data, scaler),
            (_, ReduceDim::Scalar) => self.sum_of_all(register, data, scaler),
        }
    }

    fn sum_of_columns(&self, register: &mut Tile, data: &Tile, scaler: &Tile) {
        for face_row in 0..2 {
            for face_column in 0..2 {
                let face = face_row * 2 + face_column;
                let mut sums = row_of(register, face_column, 0);
                self.dot(&face_rows(data, face), &row_of(scaler, face, 0), &mut sums);
                put_row(register, face_column, 0, &sums);
            }
        }
    }

    /// Data is SrcB here and the scaler SrcA, so the low-fidelity cut falls on other bits than down the columns.
    fn sum_of_rows(&self, register: &mut Tile, data: &Tile, scaler: &Tile) {
        for phase in 0..self.phases {
            for face_row in 0..2 {
                for face_k in 0..2 {
                    let columns = face_columns(data, face_row * 2 + face_k);
                    let scale = row_of(scaler, face_row * 2 + face_k, 0);
                    let at = |r: usize| face_row * 2 * FACE + r * SIDE;
                    let mut sums: Row = std::array::from_fn(|r| register.0[at(r)].to_bits());
                    row_dot(&columns, &scale, &mut sums, phase, self.adder);
                    for (r, sum) in sums.into_iter().enumerate() {
                        register.0[at(r)] = f32::from_bits(sum);
                    }
                }
            }
        }
    }

    /// Columns first, then along the row that gives; the scaler acts twice.
    fn sum_of_all(&self, register: &mut Tile, data: &Tile, scaler: &Tile) {
        let mut sums = [0; SIDE];
        for face in 0..4 {
            self.dot(&face_rows(data, face), &row_of(scaler, face, 0), &mut sums);
        }
        let mut columns = [[0; SIDE]; SIDE];
        for (column, sum) in columns.iter_mut().zip(sums) {
            column[0] = sum & self.moved.into_source;
        }
        let mut total = row_of(register, 0, 0);
        self.dot(&columns, &row_of(scaler, 0, 0), &mut total);
        register.0[0] = f32::from_bits(total[0]);
    }

    fn dot(&self, data: &[Row; SIDE], scale: &Row, sums: &mut Row) {
        for phase in 0..self.phases {
            column_dot(data, scale, sums, phase, self.adder);
        }
    }

    /// What the pooling unit sees of a register.
    fn running(&self, row: Row) -> Row {
        let mask = if self.adder.wide || self.adder.half {
            0xffff_e000
        } else {
            0xffff_0000
        };
        row.map(|bits| bits & mask)
    }

    fn maximum_of_columns(&self, register: &mut Tile, fresh: bool, data: &Tile) {
        for face_column in 0..2 {
            let running = self.running(row_of(register, face_column, 0));
            let mut best = if fresh { [LEAST; SIDE] } else { running };
            for face in [face_column, 2 + face_column] {
                raise(&mut best, &face_rows(data, face));
            }
            put_row(register, face_column, 0, &best);
        }
    }

    fn maximum_of_rows(&self, register: &mut Tile, fresh: bool, data: &Tile) {
        for face_row in 0..2 {
            let left = face_row * 2;
            let mut best = if fresh {
                [LEAST; SIDE]
            } else {
                self.running(row_of(register, left, 0))
            };
            for face in [left, left + 1] {
                raise(&mut best, &face_columns(data, face));
            }
            // The transposition goes through SrcB, and through the adder into the register.
            let seen = self.moved.into_source & self.moved.added;
            let best = best.map(|bits| datapath::add(0, bits & seen, None, self.adder));
            put_row(register, left, 0, &best);
            for (r, value) in best.into_iter().enumerate().skip(1) {
                register.0[left * FACE + r * SIDE] = f32::from_bits(value);
            }
        }
    }

    fn maximum_of_all(&self, register: &mut Tile, fresh: bool, data: &Tile) {
        let mut best = [LEAST; SIDE];
        for face in 0..4 {
            raise(&mut best, &face_rows(data, face));
        }
        let mut total = if fresh {
            LEAST
        } else {
            self.running(row_of(register, 0, 0))[0]
        };
        for value in best {
            total = larger(total, value & self.moved.into_source);
        }
        register.0[0] = f32::from_bits(total);
    }
}

/// The pattern that every value is above.
const LEAST: u32 = 0xffff_ffff;

/// Whether every face of a scaler starts with 1.0, of eight or (`half`) five exponent bits. The pooling unit scales by the
/// exponent of its scaler.
pub fn is_unit(scaler: &Tile, half: bool) -> bool {
    let one = if half { 15 << 23 } else { 1f32.to_bits() };
    (0..4).all(|face| {
        scaler.0[face * FACE..][..SIDE]
            .iter()
            .all(|value| value.to_bits() == one)
    })
}

/// Order of sign and magnitude patterns.
fn order(bits: u32) -> i32 {
    if bits >> 31 != 0 {
        (bits ^ 0x7fff_ffff) as i32
    } else {
        bits as i32
    }
}

fn larger(a: u32, b: u32) -> u32 {
    if order(b) > order(a) { b } else { a }
}

fn raise(best: &mut Row, rows: &[Row; SIDE]) {
    for row in rows {
        for (best, value) in best.iter_mut().zip(row) {
            *best = larger(*best, *value);
        }
    }
}

vectorised! {
    /// Data in SrcA, scaler in SrcB.
    fn column_dot(data: &[Row; SIDE], scale: &Row, sums: &mut Row, phase: u32, adder: Adder) {
        dot_phase(data, scale, sums, phase, adder);
    }
}

vectorised! {
    /// Scaler in SrcA, data in SrcB: the phase's bits are those of exchanged operands.
    fn row_dot(data: &[Row; SIDE], scale: &Row, sums: &mut Row, phase: u32, adder: Adder) {
        datapath::dot_phase_exchanged(data, scale, sums, phase, adder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::tile::position;

    fn reduction(pool: Pool, dim: ReduceDim, wide: bool) -> Reduction {
        Reduction {
            pool,
            dim,
            phases: 4,
            adder: Adder {
                wide,
                half: false,
                loses_minus_one: false,
            },
            moved: Moved {
                into_source: 0xffff_0000,
                added: 0xffff_0000,
            },
        }
    }

    fn data() -> Tile {
        let mut tile = Tile::zero();
        for r in 0..32 {
            for c in 0..32 {
                let v = ((r * 7 + c * 13) % 29) as f32 - 20.0;
                tile.0[position(r, c)] = v * 0.25;
            }
        }
        tile
    }

    fn scaler(value: f32) -> Tile {
        let mut tile = Tile::zero();
        for face in 0..4 {
            tile.0[face * FACE..][..SIDE].fill(value);
        }
        tile
    }

    fn run(pool: Pool, dim: ReduceDim, wide: bool, scale: f32, times: usize) -> Tile {
        let mut register = Tile::zero();
        for time in 0..times {
            reduction(pool, dim, wide).run(&mut register, time == 0, &data(), &scaler(scale));
        }
        register
    }

    #[test]
    fn sums_along_rows_and_columns_and_of_everything() {
        let data = data();
        let at = |r: usize, c: usize| f64::from(data.0[position(r, c)]);
        for (wide, tolerance) in [(true, 0.02), (false, 1.5)] {
            let rows = run(Pool::Sum, ReduceDim::Row, wide, 1.0, 2);
            let columns = run(Pool::Avg, ReduceDim::Col, wide, 0.25, 1);
            for i in 0..32 {
                let row: f64 = (0..32).map(|c| at(i, c)).sum::<f64>() * 2.0;
                let column: f64 = (0..32).map(|r| at(r, i)).sum::<f64>() * 0.25;
                assert!((f64::from(rows.0[position(i, 0)]) - row).abs() <= tolerance, "row {i}");
                assert!(
                    (f64::from(columns.0[position(0, i)]) - column).abs() <= tolerance,
                    "column {i}"
                );
            }
            let total: f64 = (0..1024).map(|i| at(i / 32, i % 32)).sum();
            let all = f64::from(run(Pool::Sum, ReduceDim::Scalar, wide, 1.0, 1).0[0]);
            assert!((all - total).abs() <= total.abs() / 64.0, "{all} {total}");
        }
    }

    #[test]
    fn maxima_are_exact_and_see_negative_data() {
        let data = data();
        let at = |r: usize, c: usize| data.0[position(r, c)];
        for wide in [true, false] {
            let rows = run(Pool::Max, ReduceDim::Row, wide, 1.0, 2);
            let columns = run(Pool::Max, ReduceDim::Col, wide, 1.0, 2);
            for i in 0..32 {
                let row = (0..32).map(|c| at(i, c)).fold(f32::NEG_INFINITY, f32::max);
                let column = (0..32).map(|r| at(r, i)).fold(f32::NEG_INFINITY, f32::max);
                assert_eq!(rows.0[position(i, 0)], row);
                assert_eq!(columns.0[position(0, i)], column);
            }
        }
        let mut register = Tile::zero();
        let negative = Tile([-3.0; 1024]);
        let max = reduction(Pool::Max, ReduceDim::Scalar, true);
        max.run(&mut register, true, &negative, &scaler(1.0));
        assert_eq!(register.0[0], -3.0);
    }

    #[test]
    fn a_partial_scaler_leaves_out_padded_columns() {
        let mut partial = scaler(1.0);
        for face in 0..4 {
            for entry in 0..SIDE {
                if (face & 1) * 16 + entry >= 20 {
                    partial.0[face * FACE + entry] = 0.0;
                }
            }
        }
        let ones = Tile([1.0; 1024]);
        let mut register = Tile::zero();
        let sum = reduction(Pool::Sum, ReduceDim::Row, true);
        sum.run(&mut register, true, &ones, &partial);
        assert!((0..32).all(|r| register.0[position(r, 0)] == 20.0));
    }
}
