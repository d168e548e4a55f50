//! Integers that are read from tensors: as offsets, counts, conditions, masks and indices of other reads, by each of the three
//! programs, in loops and branches, inside the tensor and outside, on both chips.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Small whole numbers, different from element to element.
fn counted(count: usize, modulus: usize) -> Vec<f64> {
    (0..count).map(|at| (at * 7 % modulus) as f64 - 3.0).collect()
}

fn narrow(values: &[f64]) -> Vec<bf16> {
    values.iter().map(|value| bf16::from_f64(*value)).collect()
}

/// What `launch` leaves in a tensor of `shape` that held −1, on both chips, and what the reference says of it.
fn check<const R: usize>(
    shape: [usize; R],
    launch: impl Fn(&Device, &mut dyn FnMut(tt::Launch<'_>) -> tt::Result<()>, &mut Tensor<f32, R>) -> tt::Result<()>,
    expected: impl Fn(usize) -> f64,
) {
    on_both_chips(|device| {
        let before = vec![-1.0f32; shape.iter().product()];
        let mut out = device.upload(&before, shape)?;
        let mut reference = Vec::new();
        let mut run = |launch: tt::Launch<'_>| {
            reference = launch.reference()?["out"].to_vec();
            launch.run()
        };
        launch(device, &mut run, &mut out)?;
        for (at, (got, said)) in out.download()?.into_iter().zip(&reference).enumerate() {
            assert_eq!(f64::from(got), expected(at), "element {at}");
            assert_eq!(f64::from(*said), expected(at), "element {at} of the reference");
        }
        Ok(())
    });
}

/// Blocks of `pages` in the order that `table` says.
#[tt::kernel]
fn gathered<const P: usize, const B: usize>(
    pages: &Tensor<bf16, P, 32, 64>,
    table: &Tensor<i32, B>,
    out: &mut Tensor<bf16, B, 32, 64>,
) {
    let b = T.Kernel(B);
    let x = T.alloc_shared::<bf16>(32, 64);
    let page = table[b];
    T.copy(pages[(page, 0, 0)], x);
    T.copy(x, out[(b, 0, 0)]);
}

#[test]
fn a_table_says_where_blocks_are_read() {
    let table = [3i32, 0, 2, 2, 1, 3];
    let values = counted(4 * 32 * 64, 11);
    on_both_chips(|device| {
        let pages = device.upload(&narrow(&values), [4, 32, 64])?;
        let order = device.upload(&table, [6])?;
        let mut out = device.zeros::<bf16>([6, 32, 64])?;
        gathered(&pages, &order, &mut out).run()?;
        for (at, got) in out.download()?.into_iter().enumerate() {
            let page = table[at / (32 * 64)] as usize;
            assert_eq!(got.to_f64(), values[page * 32 * 64 + at % (32 * 64)], "element {at}");
        }
        Ok(())
    });
}

/// Sums of as many blocks as there are, by a table of two axes; masked by how many elements count.
#[tt::kernel]
fn summed<const P: usize, const B: usize, const W: usize>(
    pages: &Tensor<bf16, P, 32, 64>,
    table: &Tensor<i32, B, W>,
    lengths: &Tensor<u32, B>,
    out: &mut Tensor<f32, B, 32, 64>,
) {
    let b = T.Kernel(B);
    let x = T.alloc_shared::<bf16>(32, 64);
    let acc = T.alloc_fragment::<f32>(32, 64);
    let length = lengths[b];
    T.clear(acc);
    for t in T.Pipelined(length.div_ceil(64), num_stages = 2) {
        let page = table[(b, t)];
        T.copy(pages[(page, 0, 0)], x);
        for (i, j) in T.Parallel(32, 64) {
            acc[(i, j)] += if t * 64 + j < length { x[(i, j)] } else { 0.5 };
        }
    }
    T.copy(acc, out[(b, 0, 0)]);
}

#[test]
fn counts_and_masks_come_from_tensors() {
    let table = [5i32, -1, -1, 2, 0, -1, 7, 0, 3];
    let lengths = [1u32, 128, 150];
    let values = counted(8 * 32 * 64, 11);
    on_both_chips(|device| {
        let pages = device.upload(&narrow(&values), [8, 32, 64])?;
        let order = device.upload(&table, [3, 3])?;
        let length = device.upload(&lengths, [3])?;
        let mut out = device.zeros::<f32>([3, 32, 64])?;
        summed(&pages, &order, &length, &mut out).run()?;
        for (at, got) in out.download()?.into_iter().enumerate() {
            let (b, i, j) = (at / (32 * 64), at / 64 % 32, at % 64);
            let length = lengths[b] as usize;
            let part = |t: usize| match t * 64 + j < length {
                true => values[(table[b * 3 + t] as usize * 32 + i) * 64 + j],
                false => 0.5,
            };
            let wanted: f64 = (0..length.div_ceil(64)).map(part).sum();
            assert_eq!(f64::from(got), wanted, "element ({b}, {i}, {j})");
        }
        Ok(())
    });
}

/// Every element of a table, as a number: all places of all faces of all tiles, in every type, and some outside.
macro_rules! every_element {
    ($name:ident, $test:ident, $element:ty, $value:expr) => {
        #[tt::kernel]
        fn $name<const D: usize, const B: usize, const W: usize>(
            table: &Tensor<$element, D, B, W>,
            out: &mut Tensor<f32, D, B, { 32 * W + 64 }>,
        ) {
            let (row, d) = T.Kernel(B.div_ceil(32), D);
            let x = T.alloc_fragment::<f32>(32, 32);
            for t in 0..W + 2 {
                for i in 0..2 {
                    let v = table[(d, row * 32 + i * 17, t - 1)];
                    T.fill(x, v as f32);
                }
                T.copy(x, out[(d, row * 32, t * 32)]);
            }
        }

        #[test]
        fn $test() {
            let (d, b, w) = (2, 50, 37);
            let value = |at: usize| -> $element { $value(at) };
            let table: Vec<$element> = (0..d * b * w).map(value).collect();
            check(
                [d, b, 32 * w + 64],
                |device, run, out| {
                    let table = device.upload(&table, [d, b, w])?;
                    run($name(&table, out))
                },
                |at| {
                    let columns = 32 * w + 64;
                    let (d, row, t) = (
                        at / columns / b,
                        at / columns % b / 32 * 32 + 17,
                        at % columns / 32,
                    );
                    match (1..=w).contains(&t) && row < b {
                        true => f64::from(table[(d * b + row) * w + t - 1]),
                        false => 0.0,
                    }
                },
            );
        }
    };
}

every_element!(elements_i32, every_i32_is_found, i32, |at| at as i32 * 31 - 3000);
every_element!(elements_u32, every_u32_is_found, u32, |at| at as u32 * 31);
every_element!(elements_u16, every_u16_is_found, u16, |at| (at * 17 % 65536) as u16);
every_element!(elements_u8, every_u8_is_found, u8, |at| (at * 7 % 256) as u8);

/// Rows of a matrix from where a vector says, also before and after it.
#[tt::kernel]
fn rows_from<const M: usize, const B: usize>(
    a: &Tensor<bf16, M, 64>,
    starts: &Tensor<i32, B>,
    out: &mut Tensor<f32, B, 64, 64>,
) {
    let b = T.Kernel(B);
    let x = T.alloc_shared::<bf16>(64, 64);
    let y = T.alloc_fragment::<f32>(64, 64);
    let start = starts[b];
    T.copy(a[(start * 32, 0)], x);
    for (i, j) in T.Parallel(64, 64) {
        y[(i, j)] = x[(i, j)] + 1.0;
    }
    T.clear(y);
    for (i, j) in T.Parallel(64, 64) {
        y[(i, j)] += x[(i, j)];
    }
    T.copy(y, out[(b, 0, 0)]);
}

#[test]
fn a_region_may_begin_anywhere() {
    let starts = [0i32, 1, -1, -2, -7, 2, 3, 100, 2_000_000, -2_000_000];
    let values = counted(90 * 64, 11);
    check(
        [10, 64, 64],
        |device, run, out| {
            let a = device.upload(&narrow(&values), [90, 64])?;
            let starts = device.upload(&starts, [10])?;
            run(rows_from(&a, &starts, out))
        },
        |at| {
            let (b, i, j) = (at / 4096, at / 64 % 64, at % 64);
            let row = i64::from(starts[b]) * 32 + i as i64;
            match (0..90).contains(&row) {
                true => values[row as usize * 64 + j],
                false => 0.0,
            }
        },
    );
}

/// Blocks stored where a table says; those that it sends outside are dropped.
#[tt::kernel]
fn scattered<const P: usize, const B: usize>(
    a: &Tensor<bf16, B, 32, 32>,
    places: &Tensor<i32, B>,
    out: &mut Tensor<f32, P, 32, 32>,
) {
    let b = T.Kernel(B);
    let x = T.alloc_shared::<bf16>(32, 32);
    T.copy(a[(b, 0, 0)], x);
    let place = places[b];
    for (i, j) in T.Parallel(32, 32) {
        out[(place, i, j)] = x[(i, j)] * 2.0;
    }
}

const PLACES: [i32; 5] = [4, -1, 0, 9, 2];

#[test]
fn a_table_says_where_blocks_are_stored() {
    let values = counted(5 * 1024, 11);
    check(
        [6, 32, 32],
        |device, run, out| {
            let a = device.upload(&narrow(&values), [5, 32, 32])?;
            let places = device.upload(&PLACES, [5])?;
            run(scattered(&a, &places, out))
        },
        |at| match PLACES.iter().position(|place| *place == (at / 1024) as i32) {
            Some(b) => values[b * 1024 + at % 1024] * 2.0,
            None => -1.0,
        },
    );
}

#[test]
fn two_blocks_at_one_place_are_seen_by_the_emulator() {
    on_both_chips(|device| {
        let a = device.zeros::<bf16>([3, 32, 32])?;
        let places = device.upload(&[1i32, 0, 1], [3])?;
        let mut out = device.zeros::<f32>([2, 32, 32])?;
        let error = scattered(&a, &places, &mut out).run().expect_err("blocks 0 and 2 meet");
        assert!(error.to_string().contains("EMU0420"), "{error}");
        Ok(())
    });
}

/// An expert's matrix for every block of rows; no expert leaves the block as it is. Sums stay in registers.
#[tt::kernel]
fn experts<const M: usize, const K: usize, const E: usize, const B: usize>(
    a: &Tensor<bf16, M, K>,
    w: &Tensor<bf16, E, K, 64>,
    of: &Tensor<u16, B>,
    out: &mut Tensor<f32, M, 64>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 64);
    let acc = T.alloc_fragment::<f32>(32, 64);
    let expert = of[by];
    if expert < E {
        T.clear(acc);
        for k in T.Pipelined(K.div_ceil(32), num_stages = 3) {
            T.copy(a[(by * 32, k * 32)], x);
            T.copy(w[(expert, k * 32, 0)], y);
            T.gemm(x, y, acc);
        }
        T.copy(acc, out[(by * 32, 0)]);
    }
}

#[test]
fn a_branch_and_a_product_depend_on_a_table() {
    let of = [2u16, 700, 0, 1, 1];
    let (m, k, e) = (150, 70, 3);
    let (a, w) = (counted(m * k, 5), counted(e * k * 64, 3));
    check(
        [m, 64],
        |device, run, out| {
            let a = device.upload(&narrow(&a), [m, k])?;
            let w = device.upload(&narrow(&w), [e, k, 64])?;
            let of = device.upload(&of, [5])?;
            run(experts(&a, &w, &of, out))
        },
        |at| {
            let (i, j) = (at / 64, at % 64);
            let expert = usize::from(of[i / 32]);
            match expert < e {
                true => (0..k).map(|n| a[i * k + n] * w[(expert * k + n) * 64 + j]).sum(),
                false => -1.0,
            }
        },
    );
}

/// Sums over pages that are looked up in the loop of the product, in registers and, of more tiles than fit, in L1.
macro_rules! looked_up {
    ($name:ident, $test:ident, $rows:literal, $columns:literal) => {
        #[tt::kernel]
        fn $name<const P: usize, const B: usize, const W: usize>(
            a: &Tensor<bf16, P, $rows, 32>,
            w: &Tensor<bf16, P, 32, $columns>,
            table: &Tensor<i32, B, W>,
            counts: &Tensor<i32, B>,
            out: &mut Tensor<f32, B, $rows, $columns>,
        ) {
            let b = T.Kernel(B);
            let x = T.alloc_shared::<bf16>($rows, 32);
            let y = T.alloc_shared::<bf16>(32, $columns);
            let acc = T.alloc_fragment::<f32>($rows, $columns);
            T.clear(acc);
            for t in T.Pipelined(counts[b], num_stages = 2) {
                let page = table[(b, t)];
                T.copy(a[(page, 0, 0)], x);
                T.copy(w[(page, 0, 0)], y);
                T.gemm(x, y, acc);
            }
            T.copy(acc, out[(b, 0, 0)]);
        }

        #[test]
        fn $test() {
            let (p, b, w) = (5, 4, 3);
            let table = [3i32, 1, 4, 0, -1, 2, 2, 2, 9, 1, 0, 0];
            let counts = [3i32, 2, 1, -4];
            let (x, y) = (counted(p * $rows * 32, 5), counted(p * 32 * $columns, 3));
            check(
                [b, $rows, $columns],
                |device, run, out| {
                    let a = device.upload(&narrow(&x), [p, $rows, 32])?;
                    let w_tensor = device.upload(&narrow(&y), [p, 32, $columns])?;
                    let table = device.upload(&table, [b, w])?;
                    let counts = device.upload(&counts, [b])?;
                    run($name(&a, &w_tensor, &table, &counts, out))
                },
                |at| {
                    let (b, i, j) = (at / ($rows * $columns), at / $columns % $rows, at % $columns);
                    let pages = (0..counts[b].max(0) as usize).map(|t| table[b * w + t]);
                    let inside = pages
                        .filter(|page| (0..p as i32).contains(page))
                        .map(|page| page as usize);
                    let product = |page: usize| -> f64 {
                        let term = |n| x[(page * $rows + i) * 32 + n] * y[(page * 32 + n) * $columns + j];
                        (0..32).map(term).sum()
                    };
                    inside.map(product).sum()
                },
            );
        }
    };
}

looked_up!(
    looked_up_in_registers,
    pages_are_looked_up_beside_sums_in_registers,
    32,
    64
);
looked_up!(looked_up_in_l1, pages_are_looked_up_beside_sums_in_l1, 128, 160);

/// Indices that are read by indices that are read, and everything integers do.
#[tt::kernel]
fn chained<const B: usize, const P: usize>(
    first: &Tensor<i32, B>,
    next: &Tensor<i32, P>,
    n: i32,
    out: &mut Tensor<f32, B, 32, 256>,
) {
    fn twice(x: i32) -> i32 {
        x * 2
    }
    let b = T.Kernel(B);
    let x = T.alloc_fragment::<f32>(32, 32);
    let p = next[next[first[b]]];
    let q = next[p % 7 + n];
    T.fill(x, (p / 2) as f32);
    T.copy(x, out[(b, 0, 0)]);
    T.fill(x, (q % 3) as f32 - (p.div_ceil(4) as f32));
    T.copy(x, out[(b, 0, 32)]);
    T.fill(x, twice(q.min(p).max(-n)) as f32);
    T.copy(x, out[(b, 0, 64)]);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = if i + p < j - q {
            (p - q) as f32
        } else {
            (i * 2 + q) as f32
        };
    }
    T.copy(x, out[(b, 0, 96)]);
    T.fill(x, if p > q && next[0] != 4 { 1.0 } else { 2.0 });
    T.copy(x, out[(b, 0, 128)]);
    if first[b] > 3 {
        T.fill(x, 3.0);
    } else if next[first[b]] == 0 || p < 0 {
        T.fill(x, 4.0);
    } else {
        let r = next[first[b] + 1];
        T.fill(x, r as f32);
    }
    T.copy(x, out[(b, 0, 160)]);
    T.fill(x, 7.0);
    for k in T.unroll(2) {
        let s = next[p + k];
        for (i, j) in T.Parallel(32, 32) {
            x[(i, j)] += s as f32;
        }
    }
    T.copy(x, out[(b, 0, 192)]);
}

#[test]
fn what_is_read_says_what_is_read() {
    let first = [0i32, 1, 2, 3, 4, 5, -5, 11];
    let next = [3i32, 5, 0, -2, 8, 6, 1, -7, 2, 4];
    let at = |list: &[i32], index: i32| {
        usize::try_from(index)
            .ok()
            .and_then(|index| list.get(index))
            .map_or(0, |v| *v)
    };
    let n = 2;
    check(
        [8, 32, 256],
        |device, run, out| {
            let first = device.upload(&first, [8])?;
            let next = device.upload(&next, [10])?;
            run(chained(&first, &next, n, out))
        },
        |place| {
            let (b, i, j) = (place / (32 * 256), (place / 256 % 32) as i32, (place % 256) as i32);
            let start = first[b];
            let p = at(&next, at(&next, start));
            let q = at(&next, p % 7 + n);
            let up = |a: i32, by: i32| f64::from(a) / f64::from(by);
            f64::from(match j / 32 {
                0 => p / 2,
                1 => q % 3 - up(p, 4).ceil() as i32,
                2 => q.min(p).max(-n) * 2,
                3 if i + p < j % 32 - q => p - q,
                3 => i * 2 + q,
                4 => {
                    if p > q && next[0] != 4 {
                        1
                    } else {
                        2
                    }
                }
                5 if start > 3 => 3,
                5 if at(&next, start) == 0 || p < 0 => 4,
                5 => at(&next, start + 1),
                6 => 7 + at(&next, p) + at(&next, p + 1),
                _ => -1,
            })
        },
    );
}

/// Ranges of rows of their own for every block, as sequences of different lengths lie in one tensor; the writer needs the same
/// integers in its loops. More blocks than a chip has cores.
#[tt::kernel]
fn ranges<const N: usize, const B: usize>(
    a: &Tensor<bf16, N, 32>,
    ends: &Tensor<u32, B>,
    out: &mut Tensor<f32, N, 32>,
) {
    let b = T.Kernel(B - 1);
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_fragment::<f32>(32, 32);
    for k in ends[b]..ends[b + 1] {
        T.copy(a[(k * 32, 0)], x);
        for (i, j) in T.Parallel(32, 32) {
            y[(i, j)] = x[(i, j)] + (b as f32);
        }
        T.copy(y, out[(k * 32, 0)]);
    }
}

#[test]
fn ranges_come_from_tensors_for_reader_compute_and_writer() {
    let blocks = 171;
    let mut ends = vec![0u32];
    for b in 0..blocks {
        let last = *ends.last().expect("it begins with one");
        ends.push(last + [0, 1, 3, 0, 2][b % 5]);
    }
    let rows = *ends.last().expect("it begins with one") as usize * 32;
    let values = counted(rows * 32, 11);
    check(
        [rows, 32],
        |device, run, out| {
            let a = device.upload(&narrow(&values), [rows, 32])?;
            let ends = device.upload(&ends, [blocks + 1])?;
            run(ranges(&a, &ends, out))
        },
        |at| {
            let k = (at / 1024) as u32;
            let b = ends.iter().rposition(|end| *end <= k).expect("the first is 0");
            values[at] + b as f64
        },
    );
}

/// Loops that go backwards and in steps, within each other and around branches, with what they carry.
#[tt::kernel]
fn nested<const P: usize, const B: usize>(
    a: &Tensor<bf16, P, 32, 32>,
    counts: &Tensor<i32, B>,
    table: &Tensor<i32, B, 8>,
    out: &mut Tensor<f32, B, 32, 32>,
) {
    let b = T.Kernel(B);
    let x = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    let count = counts[b];
    T.fill(acc, 1.0);
    for t in (0..count).rev() {
        let page = table[(b, t)];
        if page >= 0 {
            T.copy(a[(page, 0, 0)], x);
            for s in (0..page).step_by(2) {
                let weight = table[(b, s)];
                for (i, j) in T.Parallel(32, 32) {
                    acc[(i, j)] += x[(i, j)] * (weight as f32);
                }
            }
        } else {
            for (i, j) in T.Parallel(32, 32) {
                acc[(i, j)] *= 2.0;
            }
        }
    }
    T.copy(acc, out[(b, 0, 0)]);
}

#[test]
fn loops_and_branches_by_tables_stand_within_each_other() {
    let counts = [8i32, 3, 0, -1, 5];
    let table: Vec<i32> = (0..40).map(|at| (at * 5 % 7) - 2).collect();
    let values = counted(6 * 1024, 5);
    check(
        [5, 32, 32],
        |device, run, out| {
            let a = device.upload(&narrow(&values), [6, 32, 32])?;
            let counts = device.upload(&counts, [5])?;
            let table = device.upload(&table, [5, 8])?;
            run(nested(&a, &counts, &table, out))
        },
        |at| {
            let (b, e) = (at / 1024, at % 1024);
            let mut acc = 1.0;
            for t in (0..counts[b]).rev() {
                let page = table[b * 8 + t as usize];
                if page < 0 {
                    acc *= 2.0;
                }
                for s in (0..page).step_by(2) {
                    acc += values[page as usize * 1024 + e] * f64::from(table[b * 8 + s as usize]);
                }
            }
            acc
        },
    );
}

/// Elements of a tensor directly, from where a table says; sums and maxima over rows that reach past its end.
#[tt::kernel]
fn reduced<const M: usize, const B: usize>(
    a: &Tensor<f32, M, 64>,
    starts: &Tensor<i32, B>,
    lengths: &Tensor<i32, B>,
    out: &mut Tensor<f32, B, 1, 64>,
    top: &mut Tensor<f32, B, 1, 64>,
) {
    let b = T.Kernel(B);
    let e = T.alloc_fragment::<f32>(64, 64);
    let x = T.alloc_shared::<f32>(64, 64);
    let s = T.alloc_fragment::<f32>(1, 64);
    let start = starts[b];
    let length = lengths[b];
    T.copy(a[(start * 32, 0)], x);
    for (i, j) in T.Parallel(64, 64) {
        e[(i, j)] = if i < length { a[(start * 32 + i, j)] + 1.0 } else { 0.0 };
    }
    T.reduce_sum(e, s, dim = 0);
    T.copy(s, out[(b, 0, 0)]);
    T.reduce_max(x, s, dim = 0);
    T.copy(s, top[(b, 0, 0)]);
}

#[test]
fn reductions_leave_out_what_lies_past_the_end() {
    let starts = [0i32, 1, -1, 2, 5, -3];
    let lengths = [64i32, 40, 70, 10, 64, -2];
    let (m, blocks) = (90, 6);
    let values = counted(m * 64, 11);
    on_both_chips(|device| {
        let a: Vec<f32> = values.iter().map(|value| *value as f32).collect();
        let a = device.upload(&a, [m, 64])?;
        let starts_tensor = device.upload(&starts, [blocks])?;
        let lengths_tensor = device.upload(&lengths, [blocks])?;
        let mut out = device.zeros::<f32>([blocks, 1, 64])?;
        let mut top = device.zeros::<f32>([blocks, 1, 64])?;
        let launch = reduced(&a, &starts_tensor, &lengths_tensor, &mut out, &mut top);
        let reference = launch.reference()?;
        launch.run()?;
        let (sums, tops) = (out.download()?, top.download()?);
        for at in 0..blocks * 64 {
            let (b, j) = (at / 64, at % 64);
            let rows = (0..64).map(|i| (i, i64::from(starts[b]) * 32 + i));
            let rows: Vec<(i64, i64)> = rows.filter(|(_, row)| (0..m as i64).contains(row)).collect();
            let value = |row: i64| values[row as usize * 64 + j];
            let counts = |i: i64| i < i64::from(lengths[b]);
            let sum: f64 = rows
                .iter()
                .filter(|(i, _)| counts(*i))
                .map(|(_, row)| value(*row) + 1.0)
                .sum();
            let most = rows
                .iter()
                .map(|(_, row)| value(*row))
                .fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(f64::from(sums[at]), sum, "sum {j} of block {b}");
            assert_eq!(
                f64::from(reference["out"][at]),
                sum,
                "sum {j} of block {b} of the reference"
            );
            assert_eq!(f64::from(tops[at]), most, "maximum {j} of block {b}");
            assert_eq!(
                f64::from(reference["top"][at]),
                most,
                "maximum {j} of block {b} of the reference"
            );
        }
        Ok(())
    });
}

/// Rows stored from where a vector says, also in part before the first and past the last.
#[tt::kernel]
fn rows_to<const M: usize, const B: usize>(
    a: &Tensor<bf16, B, 64, 32>,
    starts: &Tensor<i32, B>,
    out: &mut Tensor<f32, M, 32>,
) {
    let b = T.Kernel(B);
    let x = T.alloc_shared::<bf16>(64, 32);
    T.copy(a[(b, 0, 0)], x);
    let first = starts[b] * 32;
    for (i, j) in T.Parallel(64, 32) {
        out[(first + i, j)] = x[(i, j)] + 1.0;
    }
}

#[test]
fn what_is_stored_past_an_end_is_dropped() {
    let starts = [-1i32, 1, 4, 40, -9];
    let (m, blocks) = (150, starts.len());
    let values = counted(blocks * 64 * 32, 11);
    check(
        [m, 32],
        |device, run, out| {
            let a = device.upload(&narrow(&values), [blocks, 64, 32])?;
            let starts = device.upload(&starts, [blocks])?;
            run(rows_to(&a, &starts, out))
        },
        |at| {
            let (row, j) = ((at / 32) as i64, at % 32);
            let of = |b: &usize| (0..64).contains(&(row - i64::from(starts[*b]) * 32));
            match (0..blocks).find(of) {
                Some(b) => values[(b * 64 + (row - i64::from(starts[b]) * 32) as usize) * 32 + j] + 1.0,
                None => -1.0,
            }
        },
    );
}

/// Counts of inner loops that are read within the loop around a product: compute takes them while it holds the registers.
#[tt::kernel]
fn counted_products<const P: usize, const B: usize, const W: usize>(
    a: &Tensor<bf16, P, 32, 32>,
    counts: &Tensor<u8, B, W>,
    out: &mut Tensor<f32, B, 32, 32>,
) {
    let b = T.Kernel(B);
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.fill(acc, 2.0);
    for t in 0..W {
        for s in T.Pipelined(counts[(b, t)], num_stages = 2) {
            T.copy(a[(s, 0, 0)], x);
            T.copy(a[((s + counts[(b, s)]) % P, 0, 0)], y);
            T.gemm(x, y, acc);
        }
    }
    T.copy(acc, out[(b, 0, 0)]);
}

#[test]
fn counts_are_taken_while_sums_are_in_registers() {
    // A loop of the source stands in a section, between its first line and that which packs.
    let holds_loop = |text: &str| {
        let sections = text
            .split("section ")
            .skip(1)
            .filter_map(|section| section.split_once("pack "));
        sections.into_iter().any(|(within, _)| within.contains("for t in "))
    };
    assert!(
        counted_products::IR.iter().any(|(_, text)| holds_loop(text)),
        "sums stay in registers"
    );
    let (p, b, w) = (5, 3, 4);
    let counts = [2u8, 0, 3, 1, 0, 0, 5, 4, 1, 1, 1, 1];
    let values = counted(p * 1024, 3);
    check(
        [b, 32, 32],
        |device, run, out| {
            let a = device.upload(&narrow(&values), [p, 32, 32])?;
            let counts = device.upload(&counts, [b, w])?;
            run(counted_products(&a, &counts, out))
        },
        |at| {
            let (b, i, j) = (at / 1024, at / 32 % 32, at % 32);
            let count = |t: usize| match t < w {
                true => usize::from(counts[b * w + t]),
                false => 0,
            };
            let product = |s: usize| -> f64 {
                let other = (s + count(s)) % p;
                (0..32)
                    .map(|k| values[s * 1024 + i * 32 + k] * values[other * 1024 + k * 32 + j])
                    .sum()
            };
            2.0 + (0..w).flat_map(|t| 0..count(t)).map(product).sum::<f64>()
        },
    );
}

/// What is carried from one page to the next: a running maximum, its sum rescaled, and a block of the turn before.
#[tt::kernel]
fn carried<const P: usize, const B: usize, const W: usize>(
    a: &Tensor<bf16, P, 32, 64>,
    table: &Tensor<i32, B, W>,
    lengths: &Tensor<i32, B>,
    out: &mut Tensor<f32, B, 32, 1>,
    sums: &mut Tensor<f32, B, 32, 1>,
) {
    let b = T.Kernel(B);
    let x = T.alloc_shared::<bf16>(32, 64);
    let e = T.alloc_fragment::<f32>(32, 64);
    let most = T.alloc_fragment::<f32>(32);
    let sum = T.alloc_fragment::<f32>(32);
    let part = T.alloc_fragment::<f32>(32);
    let length = lengths[b];
    T.fill(most, f32::NEG_INFINITY);
    T.clear(sum);
    for t in T.Pipelined(length.div_ceil(64), num_stages = 3) {
        T.copy(a[(table[(b, t)], 0, 0)], x);
        for (i, j) in T.Parallel(32, 64) {
            e[(i, j)] = if t * 64 + j < length {
                x[(i, j)]
            } else {
                f32::NEG_INFINITY
            };
        }
        T.reduce_max(e, most, dim = 1, clear = false);
        for (i, j) in T.Parallel(32, 64) {
            e[(i, j)] = if t * 64 + j < length { x[(i, j)] + most[i] } else { 0.0 };
        }
        T.reduce_sum(e, part, dim = 1);
        for i in T.Parallel(32) {
            sum[i] = sum[i] * 0.5 + part[i];
        }
    }
    if length > 0 {
        T.copy(most, out[(b, 0, 0)]);
    }
    T.copy(sum, sums[(b, 0, 0)]);
}

#[test]
fn running_maxima_and_sums_go_over_as_many_pages_as_there_are() {
    let (p, b, w) = (7, 5, 3);
    let table = [6i32, 2, 0, 1, -1, -1, 3, 3, 3, -1, -1, -1, 4, 5, 6];
    let lengths = [192i32, 1, 100, 0, 129];
    let values = counted(p * 32 * 64, 5);
    on_both_chips(|device| {
        let a = device.upload(&narrow(&values), [p, 32, 64])?;
        let table_tensor = device.upload(&table, [b, w])?;
        let lengths_tensor = device.upload(&lengths, [b])?;
        let mut out = device.zeros::<f32>([b, 32, 1])?;
        let mut sums = device.zeros::<f32>([b, 32, 1])?;
        let launch = carried(&a, &table_tensor, &lengths_tensor, &mut out, &mut sums);
        let reference = launch.reference()?;
        launch.run()?;
        let (out, sums) = (out.download()?, sums.download()?);
        for at in 0..b * 32 {
            let (b, i) = (at / 32, at % 32);
            let length = lengths[b] as usize;
            let (mut most, mut sum) = (f64::NEG_INFINITY, 0.0);
            for t in 0..length.div_ceil(64) {
                let page = table[b * w + t] as usize;
                let row = &values[(page * 32 + i) * 64..][..64.min(length - t * 64)];
                most = row.iter().copied().fold(most, f64::max);
                sum = sum * 0.5 + row.iter().map(|value| value + most).sum::<f64>();
            }
            let most = if length > 0 { most } else { 0.0 };
            assert_eq!(f64::from(out[at]), most, "maximum of row {i} of {b}");
            assert_eq!(
                f64::from(reference["out"][at]),
                most,
                "maximum of row {i} of {b} of the reference"
            );
            assert_eq!(f64::from(sums[at]), sum, "sum of row {i} of {b}");
            assert_eq!(
                f64::from(reference["sums"][at]),
                sum,
                "sum of row {i} of {b} of the reference"
            );
        }
        Ok(())
    });
}

/// A row stored where a vector says: a cache that grows by one token a step.
#[tt::kernel]
fn appended<const B: usize, const S: usize>(
    new: &Tensor<bf16, B, 1, 64>,
    lengths: &Tensor<i32, B>,
    out: &mut Tensor<f32, B, S, 64>,
) {
    let b = T.Kernel(B);
    let x = T.alloc_shared::<bf16>(1, 64);
    let y = T.alloc_shared::<f32>(1, 64);
    T.copy(new[(b, 0, 0)], x);
    for (i, j) in T.Parallel(1, 64) {
        y[(i, j)] = x[(i, j)] + 0.5;
    }
    T.copy(y, out[(b, lengths[b], 0)]);
}

#[test]
fn one_row_is_stored_where_a_vector_says() {
    let lengths = [0i32, 33, 69, 70, -1, 31];
    let (blocks, s) = (lengths.len(), 70);
    let values = counted(blocks * 64, 11);
    check(
        [blocks, s, 64],
        |device, run, out| {
            let new = device.upload(&narrow(&values), [blocks, 1, 64])?;
            let lengths = device.upload(&lengths, [blocks])?;
            run(appended(&new, &lengths, out))
        },
        |at| {
            let (b, row, j) = (at / (s * 64), at / 64 % s, at % 64);
            match lengths[b] == row as i32 {
                true => values[b * 64 + j] + 0.5,
                false => -1.0,
            }
        },
    );
}

/// Sequences of lengths of their own, one behind the other in the rows of one tensor: sums down the columns of each.
#[tt::kernel]
fn packed<const N: usize, const B: usize>(
    a: &Tensor<bf16, N, 32>,
    ends: &Tensor<i32, B>,
    out: &mut Tensor<f32, N, 32>,
    sums: &mut Tensor<f32, B, 1, 32>,
) {
    let b = T.Kernel(B - 1);
    let x = T.alloc_shared::<bf16>(32, 32);
    let s = T.alloc_fragment::<f32>(1, 32);
    let first = ends[b];
    let end = ends[b + 1];
    T.clear(s);
    for t in T.Pipelined((end - first).div_ceil(32), num_stages = 2) {
        let from = first + t * 32;
        let to = end.min(from + 32);
        T.copy(a[(from..to, 0..32)], x);
        T.reduce_sum(x, s, dim = 0, clear = false);
        T.copy(x, out[(from..to, 0..32)]);
    }
    T.copy(s, sums[(b, 0, 0)]);
}

#[test]
fn sequences_begin_at_any_row() {
    let ends = [0i32, 5, 5, 70, 133, 134, 200];
    let (n, blocks) = (200, ends.len());
    let values = counted(n * 32, 7);
    on_both_chips(|device| {
        let a = device.upload(&narrow(&values), [n, 32])?;
        let ends_tensor = device.upload(&ends, [blocks])?;
        let mut out = device.zeros::<f32>([n, 32])?;
        let mut sums = device.zeros::<f32>([blocks, 1, 32])?;
        let launch = packed(&a, &ends_tensor, &mut out, &mut sums);
        let reference = launch.reference()?;
        launch.run()?;
        for (at, got) in out.download()?.into_iter().enumerate() {
            assert_eq!(f64::from(got), values[at], "element {at}");
            assert_eq!(
                f64::from(reference["out"][at]),
                values[at],
                "element {at} of the reference"
            );
        }
        for (at, got) in sums.download()?.into_iter().take((blocks - 1) * 32).enumerate() {
            let (b, j) = (at / 32, at % 32);
            let sum: f64 = (ends[b]..ends[b + 1]).map(|row| values[row as usize * 32 + j]).sum();
            assert_eq!(f64::from(got), sum, "sum {j} of sequence {b}");
            assert_eq!(
                f64::from(reference["sums"][at]),
                sum,
                "sum {j} of sequence {b} of the reference"
            );
        }
        Ok(())
    });
}

/// A tensor of which integers are read one by one, and as a block.
#[tt::kernel]
fn both_ways<const B: usize>(table: &Tensor<i32, B, 32>, out: &mut Tensor<f32, B, 32>) {
    let by = T.Kernel(B.div_ceil(32));
    let x = T.alloc_shared::<i32>(32, 32);
    let y = T.alloc_fragment::<f32>(32, 32);
    let first = table[(by * 32, 0)];
    T.copy(table[(by * 32, 0)], x);
    for (i, j) in T.Parallel(32, 32) {
        y[(i, j)] = (x[(i, j)] as f32) - (first as f32);
    }
    T.copy(y, out[(by * 32, 0)]);
}

#[test]
fn integers_are_read_one_by_one_and_as_blocks() {
    let rows = 50;
    let table: Vec<i32> = (0..rows * 32).map(|at| at as i32 * 7 % 1000 - 400).collect();
    check(
        [rows, 32],
        |device, run, out| {
            let table = device.upload(&table, [rows, 32])?;
            run(both_ways(&table, out))
        },
        |at| f64::from(table[at] - table[at / 1024 * 1024]),
    );
}
