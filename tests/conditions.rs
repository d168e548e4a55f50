//! Choices that are the same for a whole block, as branches and inside element expressions, against plain loops.

use tt::prelude::*;

const SHAPES: [[usize; 2]; 3] = [[1, 1], [64, 64], [70, 130]];

fn values(count: usize) -> Vec<f32> {
    (0..count).map(|at| (at % 37) as f32 / 8.0 - 2.0).collect()
}

/// Runs `launch` on both chips and every shape; the result is what `expected` says of each element and its place, and
/// what `.reference()` says.
#[track_caller]
fn check(
    launch: impl Fn(&Tensor<f32, 2>, &mut Tensor<f32, 2>) -> tt::Result<Vec<f32>>,
    expected: impl Fn(f32, usize, usize) -> f32,
) {
    for chip in ["emulator:wormhole_b0", "emulator:blackhole"] {
        let device = Device::open_named(chip).unwrap();
        for [m, n] in SHAPES {
            let data = values(m * n);
            let x = device.upload(&data, [m, n]).unwrap();
            let mut y = device.zeros::<f32>([m, n]).unwrap();
            let reference = launch(&x, &mut y).unwrap();
            let wanted: Vec<f32> = (0..m * n).map(|at| expected(data[at], at / n, at % n)).collect();
            assert_eq!(y.download().unwrap(), wanted, "{chip}, {m} × {n}");
            assert_eq!(reference, wanted, "the reference, {m} × {n}");
        }
    }
}

/// Runs a launch and gives its reference.
macro_rules! run {
    ($launch:expr) => {{
        let launch = $launch;
        let reference = launch.reference()?.into_single()?;
        launch.run()?;
        Ok(reference)
    }};
}

#[tt::kernel]
fn larger<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, alpha: f32, beta: f32, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    if alpha > beta {
        for (i, j) in T.Parallel(64, 64) {
            v[(i, j)] = v[(i, j)] + 1.0;
        }
    }
    if alpha * 2.0 <= beta + M as f32 && !(alpha == beta) {
        for (i, j) in T.Parallel(64, 64) {
            v[(i, j)] = v[(i, j)] + 2.0;
        }
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[test]
fn two_scalars_decide_a_branch() {
    for [alpha, beta] in [
        [1.0, 2.0],
        [2.0, 1.0],
        [1.5, 1.5],
        [200.0, 100.0],
        [f32::INFINITY, 1.0],
        [f32::NAN, 0.0],
        [0.0, f32::NAN],
        [-0.0, 0.0],
    ] {
        let m = 64;
        let device = Device::open_named("emulator:blackhole").unwrap();
        let x = device.upload(&values(m * 64), [m, 64]).unwrap();
        let mut y = device.zeros::<f32>([m, 64]).unwrap();
        let launch = larger(&x, alpha, beta, &mut y);
        let reference = launch.reference().unwrap().into_single().unwrap();
        launch.run().unwrap();
        let mut added = 0.0;
        if alpha > beta {
            added += 1.0;
        }
        if alpha * 2.0 <= beta + m as f32 && alpha != beta {
            added += 2.0;
        }
        let wanted: Vec<f32> = values(m * 64).into_iter().map(|value| value + added).collect();
        assert_eq!(y.download().unwrap(), wanted, "{alpha} and {beta}");
        assert_eq!(reference, wanted, "the reference of {alpha} and {beta}");
    }
}

#[tt::kernel]
fn literal<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, alpha: f32, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    if alpha == 0.1 {
        for (i, j) in T.Parallel(64, 64) {
            v[(i, j)] = v[(i, j)] + 1.0;
        }
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[test]
fn a_literal_beside_a_scalar_is_f32() {
    check(|x, y| run!(literal(x, 0.1, y)), |value, _, _| value + 1.0);
    check(|x, y| run!(literal(x, 0.125, y)), |value, _, _| value);
}

#[tt::kernel]
fn chosen<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    n: u32,
    shift: i32,
    alpha: f32,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 64);
    let w = T.alloc_fragment::<f32>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.fill(w, if shift < 0 { -1.0 } else { 1.0 });
    for (i, j) in T.Parallel(64, 64) {
        w[(i, j)] = w[(i, j)] + v[(i, j)];
        w[(i, j)] = if n > 2 { w[(i, j)] } else { v[(i, j)] * 2.0 };
        w[(i, j)] += if n % 2 == 0 && v[(i, j)] > 0.0 {
            T.select(alpha > 0.5, 8.0, 16.0)
        } else {
            0.0
        };
    }
    for k in 0..3 {
        for (i, j) in T.Parallel(64, 64) {
            w[(i, j)] = if k == 1 && bx == 0 || by > 0 {
                w[(i, j)] + 32.0
            } else {
                w[(i, j)]
            };
        }
    }
    T.copy(w, y[(by * 64, bx * 64)]);
}

#[test]
fn scalars_extents_and_loops_choose_elements() {
    for n in [0u32, 2, 3, 4] {
        for (shift, alpha) in [(-1i32, 0.25f32), (7, 0.75)] {
            check(
                |x, y| run!(chosen(x, n, shift, alpha, y)),
                |value, row, column| {
                    let mut w = if shift < 0 { -1.0 } else { 1.0 } + value;
                    if n <= 2 {
                        w = value * 2.0;
                    }
                    if n % 2 == 0 && value > 0.0 {
                        w += if alpha > 0.5 { 8.0 } else { 16.0 };
                    }
                    for k in 0..3 {
                        if k == 1 && column / 64 == 0 || row / 64 > 0 {
                            w += 32.0;
                        }
                    }
                    w
                },
            );
        }
    }
}

#[tt::kernel]
fn of_functions<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>, n: i32, alpha: f32) {
    const HALF: usize = 2;
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    /// Between `-c` and `c`; it is called before it stands.
    fn capped(x: f32, c: f32) -> f32 {
        let negative = below(x, -c);
        if negative { -c } else { x.min(c) }
    }
    for (i, j) in T.Parallel(32, 32) {
        y[(by * 32 + i, bx * 32 + j)] =
            capped(capped(x[(by * 32 + i, bx * 32 + j)] * 2.0, alpha), 1.5) * (half(n) as f32);
    }
    fn below(x: f32, limit: f32) -> bool {
        x < limit
    }
    fn half(n: i32) -> i32 {
        let alpha = n / HALF;
        alpha.max(1)
    }
}

#[test]
fn functions_of_the_body_are_written_out() {
    for (n, alpha) in [(0, 1.0), (7, 3.0)] {
        check(
            |x, y| {
                let launch = of_functions(x, y, n, alpha);
                let reference = launch.reference()?.into_single()?;
                launch.run()?;
                Ok(reference)
            },
            |x, _, _| (x * 2.0).clamp(-alpha, alpha).clamp(-1.5, 1.5) * ((n / 2).max(1) as f32),
        );
    }
}

/// What differs from block to block is computed in `f64`, of parts that are known at launch as `f32`.
#[tt::kernel]
fn by_block<const M: usize, const N: usize, const B: usize>(
    x: &Tensor<f32, M, N>,
    counts: &Tensor<i32, B>,
    alpha: f32,
    beta: f32,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 64);
    let n = counts[bx + by];
    T.copy(x[(by * 64, bx * 64)], v);
    if (bx as f32) * alpha > beta - by as f32 / 3.0 {
        for (i, j) in T.Parallel(64, 64) {
            v[(i, j)] += 1.0;
        }
    }
    for k in 0..3 {
        if !(-(k as f32) + (alpha / 3.0).exp() >= n as f32 * 0.1) || (bx + k) as f32 == alpha {
            for (i, j) in T.Parallel(64, 64) {
                v[(i, j)] += 2.0;
            }
        }
    }
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] += if by as f32 <= beta && x[(by * 64 + i, bx * 64 + j)] < 8.0 {
            16.0
        } else {
            32.0
        };
    }
    // Its argument is called otherwise in programs that have the one before.
    if n as f32 * 0.5 != alpha + 0.25 {
        for (i, j) in T.Parallel(64, 64) {
            v[(i, j)] += 0.0;
        }
    }
    T.assert(!(n as f32 - alpha > 1e9));
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[test]
fn numbers_that_differ_from_block_to_block_decide_a_branch() {
    let counts = [0, 30, -4, 7, 11, 3];
    for [alpha, beta] in [
        [1.0f32, 2.0f32],
        [0.1, 0.05],
        [-0.75, -1.0],
        [f32::INFINITY, 1.0],
        [f32::NAN, 0.0],
        [3.0, 1.0 / 3.0],
    ] {
        check(
            |x, y| {
                let counts = x.device()?.upload(&counts, [counts.len()])?;
                run!(by_block(x, &counts, alpha, beta, y))
            },
            |value, row, column| {
                let [alpha, beta] = [alpha, beta].map(f64::from);
                let (bx, by) = ((column / 64) as f64, (row / 64) as f64);
                let mut w = value;
                if (bx * alpha) as f32 > (beta - by / 3.0) as f32 {
                    w += 1.0;
                }
                let n = f64::from(counts[row / 64 + column / 64]);
                for k in 0..3 {
                    let k = f64::from(k);
                    let known = f64::from((alpha / 3.0).exp() as f32);
                    let is_at_least = (-k + known) as f32 >= (n * f64::from(0.1f32)) as f32;
                    if !is_at_least || (bx + k) as f32 == alpha as f32 {
                        w += 2.0;
                    }
                }
                w + if by as f32 <= beta as f32 && value < 8.0 {
                    16.0
                } else {
                    32.0
                }
            },
        );
    }
}

/// Integers that numbers known at launch choose: in the grid, an offset, a count, and beside integers that differ.
#[tt::kernel]
fn chosen_by_numbers<const M: usize, const N: usize>(
    x: &Tensor<f32, M, N>,
    alpha: f32,
    beta: f32,
    n: i32,
    y: &mut Tensor<f32, M, N>,
) {
    let side = if alpha * 2.0 > beta { 32 } else { 64 };
    let (bx, by) = T.Kernel(N.div_ceil(side), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 32);
    for part in 0..(if alpha * 2.0 > beta { 1 } else { 2 }) {
        let first = bx * side + part * 32;
        T.copy(x[(by * 64, first)], v);
        for k in 0..(if alpha == beta || n > 2 { n } else { bx + 1 }) {
            for (i, j) in T.Parallel(64, 32) {
                v[(i, j)] += if !(alpha < M as f32) { 1 } else { k } as f32;
            }
        }
        T.copy(v, y[(by * 64, first)]);
    }
}

#[test]
fn numbers_known_at_launch_choose_integers() {
    for (alpha, beta, n) in [
        (0.5f32, 0.5f32, 1),
        (0.25, 0.75, 0),
        (0.25, f32::NAN, 4),
        (1000.0, 0.5, 2),
    ] {
        check(
            |x, y| run!(chosen_by_numbers(x, alpha, beta, n, y)),
            |value, _, column| {
                let side = if alpha * 2.0 > beta { 32 } else { 64 };
                let turns = if alpha == beta || n > 2 {
                    n
                } else {
                    (column / side) as i32 + 1
                };
                // No shape has 1000 rows, and each has one.
                let is_above = |k| if alpha >= 1000.0 { 1 } else { k };
                value + (0..turns).map(is_above).sum::<i32>() as f32
            },
        );
    }
}

/// Integers that grow from block to block, further than 32 bits where the grid, a loop or a scalar lets them.
#[tt::kernel]
fn grown<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, n: i32, step: i32, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    for k in 0..2 {
        if bx * n + k * step - 5 < by {
            for (i, j) in T.Parallel(64, 64) {
                v[(i, j)] += 1.0;
            }
        }
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[test]
fn an_integer_of_more_than_32_bits_in_some_block_is_refused_at_launch() {
    let device = Device::open_named("emulator:wormhole_b0").unwrap();
    let [m, n] = [64, 3 * 64];
    let x = device.upload(&values(m * n), [m, n]).unwrap();
    let mut y = device.zeros::<f32>([m, n]).unwrap();
    let largest = i32::MAX;
    // The last block is the third.
    for (factor, step) in [
        (largest / 2, 0),
        (-largest / 4, -100),
        (largest / 4, largest / 2),
        (7, 1),
    ] {
        grown(&x, factor, step, &mut y).check(0.0).unwrap();
    }
    for (factor, step, said) in [
        (
            largest / 2 + 1,
            0,
            "`bx * n` must be at most 2147483647 in every block, but is 2147483648 ",
        ),
        (
            -largest,
            0,
            "`bx * n` must be no further below zero than 2147483648 in any block, but is 4294967294 ",
        ),
        (
            largest / 2,
            2,
            "`bx * n + k * step` must be at most 2147483647 in every block, but is 2147483648 ",
        ),
        (
            -largest / 2,
            -1,
            "`bx * n + k * step - 5` must be no further below zero than 2147483648 in any block, ",
        ),
    ] {
        let launch = grown(&x, factor, step, &mut y);
        let error = launch.run().unwrap_err().to_string();
        assert!(error.contains(said), "{factor}, {step}: {error}");
        let error = launch.reference().unwrap_err().to_string();
        assert!(
            error.contains("overflows or divides by zero"),
            "{factor}, {step}: {error}"
        );
    }
}
