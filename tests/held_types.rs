//! Elements of types that the device holds as others, `f16`, `u32` and `u16`, against plain loops, to the bit, on both emulated
//! chips: what is copied, computed, rounded, cast and multiplied.

mod support;

use support::on_both_chips;
use tt::prelude::*;

const SHAPES: [(usize, usize); 4] = [(64, 128), (1, 1), (33, 70), (31, 65)];

/// Bits of every kind.
fn words(count: usize, seed: u32) -> Vec<u32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let ends = [0, 1, u32::MAX, 1 << 31, (1 << 31) - 1, 0xFFFF, 0x1_0000, 16_777_217];
    let mut word = |at: usize| match at % 5 {
        0 => next(),
        1 => next() >> (next() % 32),
        2 => ends[next() as usize % ends.len()],
        _ => next() >> 20,
    };
    (0..count).map(&mut word).collect()
}

/// Numbers around those of `f16`: ties, the ends of its range, its least ones, and beyond.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let number = |(at, bits): (usize, u32)| match at % 6 {
        0 => f16::from_bits((bits >> 16) as u16).to_f32(),
        // Halfway between two of them, and a little to either side.
        1 => f32::from_bits(f16::from_bits((bits >> 17) as u16).to_f32().to_bits() + 0x1000 + (bits & 3) - 1),
        2 => [
            65504.0, 65519.9, 65520.0, -65520.0, 1e38, -3e38, 6e-8, 3e-8, -2.9e-8, 6.1e-5,
        ][bits as usize % 10],
        3 => [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, 1.0, 2048.5, 2049.0, 4095.0][bits as usize % 8],
        _ => (bits as i32 >> 8) as f32 / 4096.0,
    };
    let all = words(count, seed).into_iter().enumerate().map(number);
    all.map(|number| if number.is_nan() { 1.5 } else { number }).collect()
}

fn bits(of: f16) -> u16 {
    of.to_bits()
}

/// `f16` as comparisons count it: zeros are one.
fn counted(of: f16) -> u16 {
    if of == f16::ZERO { 0 } else { of.to_bits() }
}

#[tt::kernel]
fn rounded<const M: usize, const N: usize>(
    a: &Tensor<f32, M, N>,
    h: &Tensor<f16, M, N>,
    copied: &mut Tensor<f16, M, N>,
    stored: &mut Tensor<f16, M, N>,
    computed: &mut Tensor<f16, M, N>,
    summed: &mut Tensor<f16, M, N>,
    exact: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 64);
    let y = T.alloc_shared::<f16>(32, 64);
    let z = T.alloc_fragment::<f16>(32, 64);
    let w = T.alloc_fragment::<f16>(32, 64);
    T.copy(a[(by * 32, bx * 64)], x);
    T.copy(h[(by * 32, bx * 64)], y);
    // Numbers to f16 by a copy, from a block and from a tensor.
    T.copy(x, copied[(by * 32, bx * 64)]);
    T.copy(a[(by * 32, bx * 64)], z);
    T.copy(z, stored[(by * 32, bx * 64)]);
    for (i, j) in T.Parallel(32, 64) {
        computed[(by * 32 + i, bx * 64 + j)] = y[(i, j)] * 0.3 + 1.0;
    }
    T.fill(w, 0.1);
    for (i, j) in T.Parallel(32, 64) {
        w[(i, j)] += y[(i, j)] * 0.7;
    }
    T.copy(w, summed[(by * 32, bx * 64)]);
    T.copy(y, exact[(by * 32, bx * 64)]);
}

#[test]
fn what_becomes_f16_is_rounded_to_it() {
    on_both_chips(|device| {
        for (m, n) in SHAPES {
            let a = numbers(m * n, 3);
            let h: Vec<f16> = numbers(m * n, 5).into_iter().map(f16::from_f32).collect();
            let (x, y) = (device.upload(&a, [m, n])?, device.upload(&h, [m, n])?);
            let [mut copied, mut stored, mut computed, mut summed] = [(); 4].map(|()| {
                device
                    .upload(&vec![f16::from_f32(-7.0); m * n], [m, n])
                    .expect("a tensor")
            });
            let mut exact = device.zeros::<f32>([m, n])?;
            rounded(&x, &y, &mut copied, &mut stored, &mut computed, &mut summed, &mut exact).run()?;
            let [copied, stored, computed, summed] = [copied, stored, computed, summed].map(|tensor| tensor.download());
            let (copied, stored, computed, summed) = (copied?, stored?, computed?, summed?);
            let exact = exact.download()?;
            for at in 0..m * n {
                let (number, half) = (a[at], h[at].to_f32());
                let wanted = bits(f16::from_f32(number));
                assert_eq!(bits(copied[at]), wanted, "{number} copied");
                assert_eq!(bits(stored[at]), wanted, "{number} stored");
                assert_eq!(bits(computed[at]), bits(f16::from_f32(half * 0.3 + 1.0)), "of {half}");
                let first = f16::from_f32(0.1).to_f32();
                assert_eq!(
                    bits(summed[at]),
                    bits(f16::from_f32(first + half * 0.7)),
                    "sum of {half}"
                );
                assert_eq!(exact[at], half);
            }
        }
        Ok(())
    });
}

#[tt::kernel]
fn product<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<f16, M, K>,
    b: &Tensor<f16, K, N>,
    scale: f32,
    c: &mut Tensor<f16, M, N>,
    most: &mut Tensor<f32, M>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let x = T.alloc_shared::<f16>(32, 32);
    let y = T.alloc_shared::<f16>(32, 64);
    let acc = T.alloc_fragment::<f32>(32, 64);
    let m = T.alloc_fragment::<f32>(32);
    T.clear(acc);
    T.fill(m, f32::NEG_INFINITY);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * 32, k * 32)], x);
        T.copy(b[(k * 32, bx * 64)], y);
        T.gemm(x, y, acc);
        T.reduce_max(x, m, dim = 1, clear = false);
    }
    for (i, j) in T.Parallel(32, 64) {
        acc[(i, j)] *= scale;
    }
    T.copy(acc, c[(by * 32, bx * 64)]);
    if bx == 0 {
        T.copy(m, most[by * 32]);
    }
}

/// Eighths multiply and sum exactly.
#[test]
fn products_and_maxima_of_f16_are_exact() {
    on_both_chips(|device| {
        let (m, k, n) = (45, 70, 66);
        let eighths = |count, seed| -> Vec<f16> {
            let words = words(count, seed).into_iter();
            words
                .map(|word| f16::from_f32((word % 129) as f32 / 8.0 - 8.0))
                .collect()
        };
        let (a, b) = (eighths(m * k, 1), eighths(k * n, 2));
        let (x, y) = (device.upload(&a, [m, k])?, device.upload(&b, [k, n])?);
        let (mut c, mut most) = (device.zeros::<f16>([m, n])?, device.zeros::<f32>([m])?);
        product(&x, &y, 0.25, &mut c, &mut most).run()?;
        let (c, most) = (c.download()?, most.download()?);
        for row in 0..m {
            let greatest = (0..k)
                .map(|at| a[row * k + at].to_f32())
                .fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(most[row], greatest);
            for column in 0..n {
                let sum: f32 = (0..k)
                    .map(|at| a[row * k + at].to_f32() * b[at * n + column].to_f32())
                    .sum();
                assert_eq!(
                    counted(c[row * n + column]),
                    counted(f16::from_f32(sum * 0.25)),
                    "({row}, {column})"
                );
            }
        }
        Ok(())
    });
}

/// Kernels of two tensors of `u32`, and what they make of each element.
macro_rules! unsigned {
    ($($name:ident: { $($statements:tt)* } => $expected:expr;)*) => {$(
        mod $name {
            use tt::prelude::*;

            #[tt::kernel(allow(TT0351))]
            pub fn kernel<const M: usize, const N: usize>(
                a: &Tensor<u32, M, N>,
                b: &Tensor<u32, M, N>,
                c: &mut Tensor<u32, M, N>,
            ) {
                let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
                let x = T.alloc_shared::<u32>(32, 64);
                let y = T.alloc_shared::<u32>(32, 64);
                let z = T.alloc_fragment::<u32>(32, 64);
                T.copy(a[(by * 32, bx * 64)], x);
                T.copy(b[(by * 32, bx * 64)], y);
                T.fill(z, 0xFFFF_FFF0);
                for (i, j) in T.Parallel(32, 64) {
                    $($statements)*
                }
                T.copy(z, c[(by * 32, bx * 64)]);
            }
        }

        #[test]
        fn $name() {
            let expected: fn(u32, u32) -> u32 = $expected;
            on_both_chips(|device| {
                for (m, n) in SHAPES {
                    let (a, b) = (words(m * n, 3), words(m * n, 8));
                    let (x, y) = (device.upload(&a, [m, n])?, device.upload(&b, [m, n])?);
                    let mut out = device.upload(&vec![77u32; m * n], [m, n])?;
                    $name::kernel(&x, &y, &mut out).run()?;
                    let reference = $name::kernel(&x, &y, &mut out).reference()?.into_single()?;
                    let found = out.download()?;
                    for at in 0..m * n {
                        let wanted = expected(a[at], b[at]);
                        assert_eq!(found[at], wanted, "of {} and {}", a[at], b[at]);
                        // The reference is exact, where numbers are rounded.
                        let differs = (reference[at] - wanted as f32).abs();
                        assert!(differs <= wanted as f32 * 3e-7, "the reference of {} and {}", a[at], b[at]);
                    }
                }
                Ok(())
            });
        }
    )*};
}

unsigned! {
    sums_wrap: { z[(i, j)] = x[(i, j)] + y[(i, j)] * 3 - 5; }
        => |a, b| a.wrapping_add(b.wrapping_mul(3)).wrapping_sub(5);
    sums_add_up: { z[(i, j)] += x[(i, j)]; z[(i, j)] -= 1; z[(i, j)] ^= y[(i, j)]; }
        => |a, b| 0xFFFF_FFF0u32.wrapping_add(a).wrapping_sub(1) ^ b;
    bits_are_those_of_words: { z[(i, j)] = (x[(i, j)] & y[(i, j)] | 0x8000_0001) ^ !x[(i, j)] << 3; }
        => |a, b| (a & b | 0x8000_0001) ^ !a << 3;
    shifts_bring_zeros: { z[(i, j)] = x[(i, j)] >> 7; z[(i, j)] = z[(i, j)] ^ y[(i, j)] >> (x[(i, j)] & 31); }
        => |a, b| a >> 7 ^ b >> (a & 31);
    shifts_in_place: { z[(i, j)] >>= y[(i, j)] & 31; z[(i, j)] |= x[(i, j)] >> 31; }
        => |a, b| 0xFFFF_FFF0u32 >> (b & 31) | a >> 31;
    quotients: { z[(i, j)] = x[(i, j)] / (y[(i, j)] | 1) ^ (y[(i, j)] / 10) << 1 ^ x[(i, j)] / 0x9000_0000; }
        => |a, b| (a / (b | 1)) ^ ((b / 10) << 1) ^ (a / 0x9000_0000);
    what_quotients_leave: { z[(i, j)] = (x[(i, j)] + 1) % (y[(i, j)] >> 3 | 1) ^ y[(i, j)] % 1000 ^ y[(i, j)] % (x[(i, j)] | 0x8000_0000); }
        => |a, b| (a.wrapping_add(1) % ((b >> 3) | 1)) ^ (b % 1000) ^ (b % (a | (1 << 31)));
    quotients_in_place: { z[(i, j)] /= x[(i, j)] >> 5 | 1; z[(i, j)] %= y[(i, j)] >> 20 | 1; }
        => |a, b| 0xFFFF_FFF0u32 / (a >> 5 | 1) % (b >> 20 | 1);
    order_is_that_of_words: {
        z[(i, j)] = if x[(i, j)] < y[(i, j)] { 1 } else { 0 };
        z[(i, j)] += if x[(i, j)] >= 0x8000_0000 { 2 } else { 0 };
        z[(i, j)] += if x[(i, j)] == y[(i, j)] { 4 } else { 0 };
    } => |a, b| u32::from(a < b) + 2 * u32::from(a >= 1 << 31) + 4 * u32::from(a == b);
    least_and_most: {
        z[(i, j)] = x[(i, j)].min(y[(i, j)]) ^ x[(i, j)].max(7) ^ y[(i, j)].clamp(100, 3_000_000_000);
    } => |a, b| a.min(b) ^ a.max(7) ^ b.clamp(100, 3_000_000_000);
    numbers_and_back: { z[(i, j)] = (x[(i, j)] as f32 * 0.5) as u32 + (0.0 - y[(i, j)] as f32) as u32; }
        => |a, _| (a as f32 * 0.5) as u32;
    numbers_saturate: { z[(i, j)] = (x[(i, j)] as f32 * 3.0) as u32; }
        => |a, _| (a as f32 * 3.0) as u32;
    the_same_bits: { z[(i, j)] = (x[(i, j)] as i32 >> 3) as u32 ^ (y[(i, j)] as u16) as u32 + (x[(i, j)] as u8) as u32; }
        => |a, b| (a as i32 >> 3) as u32 ^ u32::from(b as u16).wrapping_add(u32::from(a as u8));
}

#[tt::kernel]
fn halfwords<const M: usize, const N: usize>(
    a: &Tensor<u16, M, N>,
    x: &Tensor<f32, M, N>,
    c: &mut Tensor<u16, M, N>,
    d: &mut Tensor<u16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let p = T.alloc_shared::<u16>(32, 64);
    let v = T.alloc_shared::<f32>(32, 64);
    let q = T.alloc_fragment::<u16>(32, 64);
    T.copy(a[(by * 32, bx * 64)], p);
    T.copy(x[(by * 32, bx * 64)], v);
    for (i, j) in T.Parallel(32, 64) {
        q[(i, j)] = if p[(i, j)] > 40000 {
            v[(i, j)] as u16
        } else {
            (p[(i, j)] as i32 * 5) as u16
        };
    }
    T.copy(q, c[(by * 32, bx * 64)]);
    for (i, j) in T.Parallel(32, 64) {
        q[(i, j)] = bx * 64 + j - 3;
        d[(by * 32 + i, bx * 64 + j)] = if (p[(i, j)] as f32) < v[(i, j)] {
            q[(i, j)]
        } else {
            0xFFFF
        };
    }
}

#[test]
fn halfwords_are_kept_and_cut() {
    on_both_chips(|device| {
        for (m, n) in SHAPES {
            let a: Vec<u16> = words(m * n, 7).into_iter().map(|word| word as u16).collect();
            let x: Vec<f32> = words(m * n, 9)
                .into_iter()
                .map(|word| word as i32 as f32 / 16.0)
                .collect();
            let (p, v) = (device.upload(&a, [m, n])?, device.upload(&x, [m, n])?);
            let (mut c, mut d) = (device.zeros::<u16>([m, n])?, device.zeros::<u16>([m, n])?);
            halfwords(&p, &v, &mut c, &mut d).run()?;
            let launch = halfwords(&p, &v, &mut c, &mut d).reference()?;
            let names = ["c", "d"].map(|name| launch.get(name).expect("an output").to_vec());
            let (c, d) = (c.download()?, d.download()?);
            for at in 0..m * n {
                let chosen = if a[at] > 40000 {
                    x[at] as u16
                } else {
                    (i32::from(a[at]) * 5) as u16
                };
                assert_eq!(c[at], chosen, "of {} and {}", a[at], x[at]);
                let index = (at % n) as i32 - 3;
                let wanted = if f32::from(a[at]) < x[at] { index as u16 } else { 0xFFFF };
                assert_eq!(d[at], wanted, "of {} and {}", a[at], x[at]);
                assert_eq!([names[0][at], names[1][at]], [f32::from(chosen), f32::from(wanted)]);
            }
        }
        Ok(())
    });
}
