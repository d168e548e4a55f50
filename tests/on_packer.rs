//! Activations behind products on the packer's thread, while math is at the next products.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Sums over a loop, of which the last turn does the activation, in blocks of 16 tiles.
#[tt::kernel]
fn gelu_of_sums<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    let left = T.alloc_shared::<bf16>(128, 64);
    let right = T.alloc_shared::<bf16>(64, 128);
    let sums = T.alloc_fragment::<f32>(128, 128);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 128, k * 64)], left);
        T.copy(b[(k * 64, bx * 128)], right);
        T.gemm(left, right, sums);
    }
    for (i, j) in T.Parallel(128, 128) {
        sums[(i, j)] = sums[(i, j)].gelu();
    }
    T.copy(sums, c[(by * 128, bx * 128)]);
}

/// Of 4 tiles.
#[tt::kernel]
fn silu_of_sums<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 32);
    let right = T.alloc_shared::<bf16>(32, 64);
    let sums = T.alloc_fragment::<f32>(64, 64);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * 64, k * 32)], left);
        T.copy(b[(k * 32, bx * 64)], right);
        T.gemm(left, right, sums);
    }
    for (i, j) in T.Parallel(64, 64) {
        sums[(i, j)] = sums[(i, j)].silu();
    }
    T.copy(sums, c[(by * 64, bx * 64)]);
}

/// Of 15.
#[tt::kernel]
fn tanh_of_sums<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(160), M.div_ceil(96));
    let left = T.alloc_shared::<bf16>(96, 32);
    let right = T.alloc_shared::<bf16>(32, 160);
    let sums = T.alloc_fragment::<f32>(96, 160);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * 96, k * 32)], left);
        T.copy(b[(k * 32, bx * 160)], right);
        T.gemm(left, right, sums);
    }
    for (i, j) in T.Parallel(96, 160) {
        sums[(i, j)] = sums[(i, j)].tanh();
    }
    T.copy(sums, c[(by * 96, bx * 160)]);
}

/// Of one.
#[tt::kernel]
fn sigmoid_of_sums<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let left = T.alloc_shared::<bf16>(32, 32);
    let right = T.alloc_shared::<bf16>(32, 32);
    let sums = T.alloc_fragment::<f32>(32, 32);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * 32, k * 32)], left);
        T.copy(b[(k * 32, bx * 32)], right);
        T.gemm(left, right, sums);
    }
    for (i, j) in T.Parallel(32, 32) {
        sums[(i, j)] = sums[(i, j)].sigmoid();
    }
    T.copy(sums, c[(by * 32, bx * 32)]);
}

/// One product a block, with two activations in a row behind it; approximate.
#[tt::kernel(approx = true)]
fn of_one_product<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 96>,
    b: &Tensor<bf16, 96, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(96), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 96);
    let right = T.alloc_shared::<bf16>(96, 96);
    let product = T.alloc_fragment::<f32>(64, 96);
    T.copy(a[(by * 64, 0)], left);
    T.copy(b[(0, bx * 96)], right);
    T.clear(product);
    T.gemm(left, right, product);
    for (i, j) in T.Parallel(64, 96) {
        product[(i, j)] = product[(i, j)].tanh().sigmoid();
    }
    T.copy(product, c[(by * 64, bx * 96)]);
}

/// Two layers, with an activation each.
#[tt::kernel]
fn two_layers<const M: usize>(
    a: &Tensor<bf16, M, 64>,
    first: &Tensor<bf16, 64, 128>,
    second: &Tensor<bf16, 128, 96>,
    c: &mut Tensor<bf16, M, 96>,
) {
    let by = T.Kernel(M.div_ceil(64));
    let rows = T.alloc_shared::<bf16>(64, 64);
    let left = T.alloc_shared::<bf16>(64, 128);
    let right = T.alloc_shared::<bf16>(128, 96);
    let hidden = T.alloc_fragment::<f32>(64, 128);
    let inner = T.alloc_shared::<bf16>(64, 128);
    let out = T.alloc_fragment::<f32>(64, 96);
    T.copy(a[(by * 64, 0)], rows);
    T.copy(first[(0, 0)], left);
    T.copy(second[(0, 0)], right);
    T.clear(hidden);
    T.gemm(rows, left, hidden);
    for (i, j) in T.Parallel(64, 128) {
        inner[(i, j)] = hidden[(i, j)].silu();
    }
    T.clear(out);
    T.gemm(inner, right, out);
    for (i, j) in T.Parallel(64, 96) {
        out[(i, j)] = out[(i, j)].gelu();
    }
    T.copy(out, c[(by * 64, 0)]);
}

/// Math has something else for the SFPU to do: it keeps all of it.
#[tt::kernel]
fn with_exponentials<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, 64>,
    b: &Tensor<bf16, 64, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 64);
    let right = T.alloc_shared::<bf16>(64, 64);
    let product = T.alloc_fragment::<f32>(64, 64);
    T.copy(a[(by * 64, 0)], left);
    T.copy(b[(0, bx * 64)], right);
    T.clear(product);
    T.gemm(left, right, product);
    for (i, j) in T.Parallel(64, 64) {
        product[(i, j)] = (-product[(i, j)].exp()).gelu();
    }
    T.copy(product, c[(by * 64, bx * 64)]);
}

/// Math has nothing to do meanwhile.
#[tt::kernel]
fn without_products<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(64));
    let tile = T.alloc_shared::<bf16>(64, 128);
    T.copy(a[(by * 64, bx * 128)], tile);
    for (i, j) in T.Parallel(64, 128) {
        tile[(i, j)] = tile[(i, j)].silu();
    }
    T.copy(tile, c[(by * 64, bx * 128)]);
}

/// Multiples of 1/2 up to 1, so that every sum of products is exact.
fn halves(seed: usize, count: usize) -> Vec<bf16> {
    let value = |at: usize| ((at.wrapping_mul(2_654_435_761) >> 7).wrapping_add(seed) % 5) as f32 / 2.0 - 1.0;
    (0..count).map(|at| bf16::from_f32(value(at))).collect()
}

/// The product of two matrices of so many columns and rows.
fn product(a: &[f64], b: &[f64], k: usize, n: usize) -> Vec<f64> {
    let rows = a.len() / k;
    let element = |at: usize| (0..k).map(|l| a[at / n * k + l] * b[l * n + at % n]).sum();
    (0..rows * n).map(element).collect()
}

fn wide(of: &[bf16]) -> Vec<f64> {
    of.iter().map(|value| f64::from(value.to_f32())).collect()
}

/// By its series, which has enough digits up to 4.
fn erf(x: f64) -> f64 {
    if x.abs() > 4.0 {
        return x.signum();
    }
    let (mut sum, mut power) = (0.0, x);
    for n in 0..120 {
        sum += power / f64::from(2 * n + 1);
        power *= -x * x / f64::from(n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + erf(x / std::f64::consts::SQRT_2))
}

fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Asserts that each is as near as its type and the device's function allow: `relative`, or 1e-5.
#[track_caller]
fn near<E: Copy + Into<f64>>(found: &[E], expected: &[f64], relative: f64) {
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let found: f64 = (*found).into();
        let off = (found - expected).abs();
        assert!(
            off <= relative * expected.abs() + 1e-5,
            "{found} for {expected} at {at}"
        );
    }
}

const OF_BF16: f64 = 1.0 / 256.0;
const OF_F32: f64 = 1e-5;

#[test]
fn the_packers_thread_does_what_comes_last() {
    for (compute, activation) in [
        (gelu_of_sums::SOURCES.compute, "gelu_tile_pack<false>"),
        (silu_of_sums::SOURCES.compute, "silu_tile_pack"),
        (tanh_of_sums::SOURCES.compute, "tanh_tile_pack<false>"),
        (sigmoid_of_sums::SOURCES.compute, "sigmoid_tile_pack"),
        (of_one_product::SOURCES.compute, "tanh_tile_pack<true>"),
        (of_one_product::SOURCES.compute, "sigmoid_tile_pack"),
        (two_layers::SOURCES.compute, "gelu_tile_pack<false>"),
        (two_layers::SOURCES.compute, "silu_tile_pack"),
    ] {
        let kernel = compute.split("void kernel_main").nth(1).unwrap();
        let place = |of: &str| kernel.rfind(of).unwrap_or_else(|| panic!("no {of} in {compute}"));
        let begin = place("packer_sfpu_begin();");
        assert!(place("tile_regs_commit();") < begin, "{compute}");
        assert!(
            kernel.contains(&format!("{activation}(")),
            "no {activation} in {compute}"
        );
        assert!(begin < place("packer_sfpu_end();"), "{compute}");
        let of_math = activation.replace("_pack", "");
        assert!(
            !kernel.contains(&format!("{of_math}(")),
            "math does {activation} too in {compute}"
        );
    }
    // The turns before the last pack sums as they are.
    assert!(gelu_of_sums::SOURCES.compute.contains("tile_regs_wait();"));
}

#[test]
fn math_keeps_what_would_be_of_two_threads_or_overlaps_nothing() {
    for compute in [with_exponentials::SOURCES.compute, without_products::SOURCES.compute] {
        assert!(!compute.contains("_pack("), "{compute}");
        assert!(!compute.contains("packer_sfpu"), "{compute}");
    }
}

/// Runs a kernel of one product on some shapes.
macro_rules! check {
    ($kernel:ident, $element:ty, $function:expr, $relative:expr, $shapes:expr) => {
        on_both_chips(|device| {
            for [m, k, n] in $shapes {
                let (a, b) = (halves(0, m * k), halves(1, k * n));
                let mut c = device.zeros::<$element>([m, n])?;
                $kernel(&device.upload(&a, [m, k])?, &device.upload(&b, [k, n])?, &mut c).run()?;
                let expected: Vec<f64> = product(&wide(&a), &wide(&b), k, n).into_iter().map($function).collect();
                near(&c.download()?, &expected, $relative);
            }
            Ok(())
        })
    };
}

const SHAPES: [[usize; 3]; 4] = [[128, 64, 128], [300, 20, 200], [97, 190, 33], [33, 65, 700]];

#[test]
fn gelu_in_the_last_turn() {
    check!(gelu_of_sums, bf16, gelu, OF_BF16, SHAPES);
}

#[test]
fn silu_in_the_last_turn() {
    check!(silu_of_sums, f32, silu, OF_F32, SHAPES);
}

#[test]
fn tanh_in_the_last_turn_of_odd_blocks() {
    check!(tanh_of_sums, f32, f64::tanh, OF_F32, SHAPES);
}

#[test]
fn sigmoid_in_the_last_turn_of_single_tiles() {
    check!(sigmoid_of_sums, bf16, sigmoid, OF_BF16, [[33, 65, 100]]);
}

#[test]
fn two_activations_of_one_product() {
    check!(
        of_one_product,
        f32,
        |x: f64| sigmoid(x.tanh()),
        0.05,
        [[64, 96, 96], [130, 96, 250]]
    );
}

#[test]
fn activations_of_two_layers() {
    on_both_chips(|device| {
        let m = 150;
        let (a, first, second) = (halves(0, m * 64), halves(1, 64 * 128), halves(2, 128 * 96));
        let mut c = device.zeros::<bf16>([m, 96])?;
        two_layers(
            &device.upload(&a, [m, 64])?,
            &device.upload(&first, [64, 128])?,
            &device.upload(&second, [128, 96])?,
            &mut c,
        )
        .run()?;
        let hidden = product(&wide(&a), &wide(&first), 64, 128).into_iter().map(silu);
        let hidden: Vec<f64> = hidden.map(|x| f64::from(bf16::from_f64(x).to_f32())).collect();
        let sums = product(&hidden, &wide(&second), 128, 96);
        let expected: Vec<f64> = sums.into_iter().map(gelu).collect();
        // A rounding of what is hidden moves sums of 128 of it by a little.
        for (found, expected) in c.download()?.into_iter().zip(expected) {
            let found = f64::from(found.to_f32());
            assert!(
                (found - expected).abs() <= OF_BF16 * expected.abs() + 0.05,
                "{found} for {expected}"
            );
        }
        Ok(())
    });
}

#[test]
fn what_math_keeps() {
    check!(with_exponentials, f32, |x: f64| gelu(-x.exp()), 1e-3, [[64, 64, 64]]);
    on_both_chips(|device| {
        let a = halves(0, 100 * 200);
        let mut c = device.zeros::<bf16>([100, 200])?;
        without_products(&device.upload(&a, [100, 200])?, &mut c).run()?;
        let expected: Vec<f64> = wide(&a).into_iter().map(silu).collect();
        near(&c.download()?, &expected, OF_BF16);
        Ok(())
    });
}
