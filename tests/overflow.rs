//! Integers that are computed from what is read from tensors never wrap, in offsets, counts, conditions, masks and values: the launch ends
//! with an error that quotes the line, and so does the reference.

mod support;

use support::on_both_chips;
use tt::prelude::*;

const LEAST: i32 = i32::MIN;
const MOST: i32 = i32::MAX;

/// What comes of a case: a number in every element, or an error that says this.
type Comes = Result<f32, &'static str>;

/// Runs `launch` of each case's integers on both chips, and the reference.
fn check(
    cases: &[([i32; 3], Comes)],
    launch: impl for<'t> Fn(&'t Tensor<f32, 2>, &'t Tensor<i32, 1>, u32, &'t mut Tensor<f32, 2>) -> tt::Launch<'t>,
) {
    on_both_chips(|device| {
        let rows: Vec<f32> = (0..64 * 32).map(|at| (at / 32) as f32).collect();
        let a = device.upload(&rows, [64, 32])?;
        for ([which, p, q], comes) in cases {
            let of = format!("case {which} of {p} and {q}");
            let t = device.upload(&[*p, *q], [2])?;
            let mut out = device.upload(&[-1.0f32; 32], [1, 32])?;
            let launch = launch(&a, &t, *which as u32, &mut out);
            let reference = launch.reference().map(|of| of["out"].to_vec());
            let ran = launch.run();
            match comes {
                Ok(wanted) => {
                    ran?;
                    assert_eq!(out.download()?, [*wanted; 32], "{of}");
                    assert_eq!(reference?, [*wanted; 32], "{of}, of the reference");
                }
                Err(said) => {
                    let error = ran.expect_err(&of).to_string();
                    for part in ["EMU0022", said, "overflow.rs:"] {
                        assert!(error.contains(part), "{of}: {error}");
                    }
                    let error = reference.expect_err(&of).to_string();
                    assert!(error.contains("overflows or divides by zero"), "{of}: {error}");
                    assert!(error.contains("overflow.rs:"), "{of}: {error}");
                }
            }
        }
        Ok(())
    });
}

/// A row of `a` at what two integers come to.
#[tt::kernel]
fn offsets<const M: usize>(a: &Tensor<f32, M, 32>, t: &Tensor<i32, 2>, which: u32, out: &mut Tensor<f32, 1, 32>) {
    let b = T.Kernel(1);
    let x = T.alloc_shared::<f32>(1, 32);
    let p = t[b];
    let q = t[b + 1];
    if which == 0 {
        T.copy(a[(p + q, 0)], x);
    } else if which == 1 {
        T.copy(a[(p - q, 0)], x);
    } else if which == 2 {
        T.copy(a[(p * q, 0)], x);
    } else if which == 3 {
        T.copy(a[(p / q, 0)], x);
    } else if which == 4 {
        T.copy(a[(p % q, 0)], x);
    } else {
        T.copy(a[(p.div_ceil(q), 0)], x);
    }
    T.copy(x, out[(0, 0)]);
}

#[test]
fn an_offset_does_not_wrap() {
    check(
        &[
            ([0, 30, 7], Ok(37.0)),
            ([0, MOST, 1], Err("p + q fits in 32 bits")),
            ([0, LEAST, -1], Err("| T.copy(a[(p + q; 1, ")),
            ([1, 30, 7], Ok(23.0)),
            ([1, LEAST, 1], Err("p - q fits in 32 bits")),
            ([1, 0, LEAST], Err("| T.copy(a[(p - q; 1, ")),
            ([2, -3, -7], Ok(21.0)),
            ([2, 65536, 65536], Err("p * q fits in 32 bits")),
            ([2, LEAST, -1], Err("| T.copy(a[(p * q; 1, ")),
            ([3, LEAST, LEAST / 5], Ok(5.0)),
            ([3, 5, 0], Err("q, by which p / q divides, is not 0")),
            ([3, LEAST, -1], Err("p / q fits in 32 bits")),
            ([4, 37, -8], Ok(5.0)),
            ([4, 5, 0], Err("q, by which p % q divides, is not 0")),
            ([4, LEAST, -1], Err("| T.copy(a[(p % q; 1, ")),
            ([5, 37, 8], Ok(5.0)),
            ([5, 5, 0], Err("| T.copy(a[(p.div_ceil(q); 1, ")),
            ([5, LEAST, -1], Err("fits in 32 bits")),
        ],
        offsets,
    );
}

/// How often something is added, and whether it is: `q` divides only where it comes to it.
#[tt::kernel]
fn counts<const M: usize>(a: &Tensor<f32, M, 32>, t: &Tensor<i32, 2>, which: u32, out: &mut Tensor<f32, 1, 32>) {
    let b = T.Kernel(1);
    let x = T.alloc_shared::<f32>(1, 32);
    let sum = T.alloc_fragment::<f32>(1, 32);
    let p = t[b];
    let q = t[b + 1];
    T.clear(sum);
    T.copy(a[(1, 0)], x);
    if which == 0 {
        for k in T.Pipelined(p * q, num_stages = 2) {
            T.copy(a[(k, 0)], x);
            for (i, j) in T.Parallel(1, 32) {
                sum[(i, j)] += x[(i, j)];
            }
        }
    } else if which == 1 {
        for k in p - 2..p.min(2) {
            for (i, j) in T.Parallel(1, 32) {
                sum[(i, j)] += x[(i, j)] * (k * q) as f32;
            }
        }
    } else if q != 0 && p / q > 2 {
        T.fill(sum, 3.0);
    } else if p == 7 || p % q == 1 {
        T.fill(sum, 4.0);
    }
    T.copy(sum, out[(0, 0)]);
}

#[test]
fn counts_and_conditions_do_not_wrap() {
    check(
        &[
            ([0, 2, 3], Ok(15.0)),
            (
                [0, 100_000, 100_000],
                Err("| for k in T.Pipelined(0..p * q, num_stages = 2)"),
            ),
            ([1, 2, 5], Ok(5.0)),
            ([1, LEAST + 1, 5], Err("p - 2 fits in 32 bits")),
            ([1, 3, 1 << 30], Ok((1 << 30) as f32)),
            ([1, -1, 1 << 30], Err("k * q fits in 32 bits")),
            ([2, 9, 3], Ok(3.0)),
            ([2, LEAST, -1], Err("p / q fits in 32 bits")),
            ([2, 7, 0], Ok(4.0)),
            ([2, 6, 0], Err("q, by which p % q divides, is not 0")),
        ],
        counts,
    );
}

/// Turns without a transfer: a count that wraps to a large one is stopped by the writer while compute goes on with it.
#[tt::kernel]
fn turns<const M: usize>(a: &Tensor<f32, M, 32>, t: &Tensor<i32, 2>, which: u32, out: &mut Tensor<f32, 1, 32>) {
    let b = T.Kernel(1);
    let x = T.alloc_shared::<f32>(1, 32);
    let sum = T.alloc_fragment::<f32>(1, 32);
    let p = t[b];
    let q = t[b + 1];
    T.clear(sum);
    T.copy(a[(1, 0)], x);
    if which == 0 {
        for k in 0..p - q {
            for (i, j) in T.Parallel(1, 32) {
                sum[(i, j)] += x[(i, j)];
            }
        }
    } else {
        for k in (p..q).rev() {
            for (i, j) in T.Parallel(1, 32) {
                sum[(i, j)] = sum[(i, j)] * 2.0 + x[(i, j)] * k as f32;
            }
        }
    }
    T.copy(sum, out[(0, 0)]);
}

#[test]
fn a_count_that_wraps_ends_and_an_empty_range_is_empty_however_far_its_ends() {
    check(
        &[
            ([0, 5, 3], Ok(2.0)),
            ([0, LEAST, 1], Err("p - q fits in 32 bits")),
            ([0, 1, LEAST], Err("p - q fits in 32 bits")),
            ([1, 3, 5], Ok(11.0)),
            ([1, 1, LEAST], Ok(0.0)),
            ([1, MOST, LEAST], Ok(0.0)),
            ([1, LEAST, MOST], Err("fits in 32 bits")),
        ],
        turns,
    );
}

/// Masks and values over the indices of a loop, of which the ends count that a mask leaves.
#[tt::kernel]
fn masks<const M: usize>(a: &Tensor<f32, M, 32>, t: &Tensor<i32, 2>, which: u32, out: &mut Tensor<f32, 1, 32>) {
    let b = T.Kernel(1);
    let x = T.alloc_shared::<f32>(1, 32);
    let p = t[b];
    let q = t[b + 1];
    T.copy(a[(2, 0)], x);
    if which == 0 {
        for (i, j) in T.Parallel(1, 32) {
            x[(i, j)] = if p * 64 + j < q { 1.0 } else { x[(i, j)] };
        }
    } else if which == 1 {
        for (i, j) in T.Parallel(1, 32) {
            x[(i, j)] = if j < p {
                (q + j) as f32
            } else {
                (32 / (p - j - 1)) as f32
            };
        }
    } else {
        T.fill(x, (p + q) as f32);
    }
    for (i, j) in T.Parallel(1, 32) {
        out[(i, j)] = x[(i, j)] - if which == 1 { j as f32 } else { 0.0 };
    }
}

#[test]
fn masks_and_values_do_not_wrap() {
    check(
        &[
            ([0, 1, 64], Ok(2.0)),
            ([0, 1, 96], Ok(1.0)),
            ([0, (1 << 25) - 1, MOST], Ok(1.0)),
            ([0, -1, LEAST], Ok(2.0)),
            ([0, 1, LEAST], Ok(2.0)),
            ([0, 1 << 25, 0], Err("p * 64 fits in 32 bits")),
            ([0, MOST / 64, 0], Ok(2.0)),
            ([1, 32, 5], Ok(5.0)),
            ([1, 32, MOST - 31], Ok((MOST - 31) as f32)),
            ([1, 32, MOST - 30], Err("q + j fits in 32 bits")),
            ([1, 33, MOST - 30], Err("| x[(i, j)] = if (j < p)")),
            ([2, 1000, -37], Ok(963.0)),
            ([2, MOST, 1], Err("| T.fill(x, (p + q as f32))")),
        ],
        masks,
    );
}

/// A choice between integers: what is not taken does not divide, and no assertion is needed.
#[tt::kernel]
fn choices<const M: usize>(a: &Tensor<f32, M, 32>, t: &Tensor<i32, 2>, which: u32, out: &mut Tensor<f32, 1, 32>) {
    let b = T.Kernel(1);
    let x = T.alloc_shared::<f32>(1, 32);
    let p = t[b];
    let q = t[b + 1];
    if which == 0 {
        T.copy(a[(if p < q { p } else { q }, 0)], x);
    } else {
        T.copy(a[(if q > 0 { p / q } else { 3 }, 0)], x);
    }
    T.copy(x, out[(0, 0)]);
}

#[test]
fn a_choice_has_a_value_at_either_end() {
    check(
        &[
            ([0, 3, MOST], Ok(3.0)),
            ([0, MOST, 5], Ok(5.0)),
            ([0, 4, LEAST], Ok(-1.0)),
            ([0, LEAST, MOST], Ok(-1.0)),
            ([1, 40, 8], Ok(5.0)),
            ([1, 40, 0], Ok(3.0)),
            ([1, LEAST, -1], Ok(3.0)),
        ],
        choices,
    );
}

/// What the least and the greatest value of an integer's type tell is not asserted.
#[tt::kernel]
fn known<const M: usize, const B: usize>(
    a: &Tensor<f32, M, 32>,
    places: &Tensor<u16, B>,
    lengths: &Tensor<i32, B>,
    out: &mut Tensor<f32, B, 32, 32>,
) {
    let b = T.Kernel(B);
    let x = T.alloc_shared::<f32>(32, 32);
    let place = places[b];
    let length = lengths[b];
    T.clear(x);
    for k in 0..length.div_ceil(32) {
        for (i, j) in T.Parallel(32, 32) {
            x[(i, j)] += if k * 32 + j < length {
                a[(place * 32 + i, j)]
            } else {
                0.0
            };
        }
    }
    T.copy(x, out[(b, 0, 0)]);
}

#[test]
fn what_is_known_costs_nothing() {
    assert!(!known::SOURCES.writer.contains("ASSERT"));
    assert!(offsets::SOURCES.writer.contains("ASSERT"));
}

/// A product of pages that are looked up at what has to be asserted, in the loop that holds its sums.
#[tt::kernel]
fn products<const P: usize, const W: usize>(
    a: &Tensor<bf16, P, 32, 32>,
    table: &Tensor<i32, W>,
    first: &Tensor<i32, 1>,
    out: &mut Tensor<f32, 32, 32>,
) {
    let b = T.Kernel(1);
    let x = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    let from = first[b];
    T.clear(acc);
    for t in T.Pipelined(W, num_stages = 2) {
        T.copy(a[(table[t] + from, 0, 0)], x);
        T.gemm(x, x, acc);
    }
    T.copy(acc, out[(0, 0)]);
}

#[test]
fn a_product_goes_on_beside_assertions() {
    on_both_chips(|device| {
        let ones = |page: usize| bf16::from_f64((page + 1) as f64);
        let values: Vec<bf16> = (0..4 * 1024).map(|at| ones(at / 1024)).collect();
        let a = device.upload(&values, [4, 32, 32])?;
        let table = device.upload(&[7i32, 5, 6], [3])?;
        let mut out = device.zeros::<f32>([32, 32])?;
        let first = device.upload(&[-5i32], [1])?;
        products(&a, &table, &first, &mut out).run()?;
        assert_eq!(out.download()?, vec![32.0 * (9.0 + 1.0 + 4.0); 1024]);
        let first = device.upload(&[MOST - 5], [1])?;
        let error = products(&a, &table, &first, &mut out).run().expect_err("7 is too much");
        assert!(
            error.to_string().contains("table_element + from fits in 32 bits"),
            "{error}"
        );
        Ok(())
    });
}
