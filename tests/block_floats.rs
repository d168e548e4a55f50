//! Tensors and blocks of `bfp8` and `bfp4` against plain loops on both emulated chips: what is uploaded, copied, computed, multiplied
//! and stored, in shapes that end within a tile, a face and a row of 16.

use tt::prelude::*;

const CHIPS: [&str; 2] = ["emulator:wormhole_b0", "emulator:blackhole"];
const SHAPES: [(usize, usize); 5] = [(64, 128), (1, 1), (33, 70), (96, 65), (15, 97)];

/// Numbers of some size, of both signs.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

/// A step of a block float of so many bits beside numbers of this size: a device that packs 4 bits cuts.
fn step(bits: i32, largest: f32) -> f32 {
    largest.abs().log2().floor().exp2() * 2f32.powi(2 - bits)
}

/// Compares each of `found`, which is rows of `columns`, with what is beside it rounded to `bits`, and `slack` more.
fn near(what: &str, found: &[f32], wanted: &[f32], columns: usize, bits: i32, slack: f32) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (at, (found, exact)) in found.iter().zip(wanted).enumerate() {
        let first = at / columns * columns + at % columns / 16 * 16;
        let last = (first + 16).min((at / columns + 1) * columns);
        let largest = wanted[first..last].iter().fold(0f32, |largest, x| largest.max(x.abs()));
        let allowed = step(bits, largest * (1.0 + slack)) + slack;
        assert!(
            (found - exact).abs() <= allowed,
            "{what}, ({}, {}): {found} is not {exact} within {allowed}",
            at / columns,
            at % columns
        );
    }
}

macro_rules! of {
    ($name:ident, $block:ident, $bits:literal) => {
        mod $name {
            use super::*;

            /// An exponential, which is not zero where its operand is: what lies past the edges shares no exponent.
            #[tt::kernel]
            fn elementwise<const M: usize, const N: usize>(
                a: &Tensor<$block, M, N>,
                b: &Tensor<bf16, M, N>,
                c: &mut Tensor<$block, M, N>,
                d: &mut Tensor<f32, M, N>,
            ) {
                let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
                let x = T.alloc_shared::<$block>(32, 64);
                let y = T.alloc_shared::<bf16>(32, 64);
                let z = T.alloc_fragment::<f32>(32, 64);
                T.copy(a[(by * 32, bx * 64)], x);
                T.copy(b[(by * 32, bx * 64)], y);
                for (i, j) in T.Parallel(32, 64) {
                    z[(i, j)] = (x[(i, j)] + y[(i, j)] * 2.0).exp() + x[(i, 0)];
                }
                T.copy(x, d[(by * 32, bx * 64)]);
                T.copy(z, c[(by * 32, bx * 64)]);
            }

            #[test]
            fn elements_are_computed_with_and_rounded_where_they_are_stored() -> tt::Result<()> {
                for chip in CHIPS {
                    let device = Device::open_named(chip)?;
                    for (m, n) in SHAPES {
                        let (a, b) = (numbers(m * n, 3), numbers(m * n, 4));
                        let of = |numbers: &[f32]| numbers.iter().map(|x| $block::from_f32(*x)).collect::<Vec<_>>();
                        let x = device.upload(&of(&a), [m, n])?;
                        let uploaded: Vec<f32> = x.download()?.into_iter().map(f32::from).collect();
                        near("uploaded", &uploaded, &a, n, $bits, 0.0);
                        let b: Vec<bf16> = b.into_iter().map(bf16::from_f32).collect();
                        let y = device.upload(&b, [m, n])?;
                        let mut c = device.upload(&of(&numbers(m * n, 5)), [m, n])?;
                        let mut d = device.zeros::<f32>([m, n])?;
                        elementwise(&x, &y, &mut c, &mut d).run()?;
                        assert_eq!(d.download()?, uploaded, "copies are exact, {m} x {n}");
                        let wanted: Vec<f32> = (0..m * n)
                            .map(|at| {
                                let left = at / n * n + at % n / 64 * 64;
                                (uploaded[at] + b[at].to_f32() * 2.0).exp() + uploaded[left]
                            })
                            .collect();
                        let found: Vec<f32> = c.download()?.into_iter().map(f32::from).collect();
                        near(&format!("{m} x {n} on {chip}"), &found, &wanted, n, $bits, 2e-2);
                        let reference = elementwise(&x, &y, &mut c, &mut d).reference()?;
                        let exact = reference.get("c").expect("it is an output");
                        assert!(
                            exact
                                .iter()
                                .zip(&wanted)
                                .all(|(x, y)| (x - y).abs() <= 1e-4 * (1.0 + y.abs()))
                        );
                    }
                }
                Ok(())
            }

            /// Stores to parts of such a block, whole groups of 16 that share an exponent.
            #[tt::kernel]
            fn parts<const M: usize, const N: usize>(
                a: &Tensor<$block, M, N>,
                b: &Tensor<bf16, M, N>,
                c: &mut Tensor<f32, M, N>,
            ) {
                let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
                let x = T.alloc_shared::<$block>(32, 64);
                let y = T.alloc_shared::<bf16>(32, 64);
                T.copy(a[(by * 32, bx * 64)], x);
                T.copy(b[(by * 32, bx * 64)], y);
                for (i, j) in T.Parallel(20, 16) {
                    x[(i, j)] = y[(i, j + 32)];
                }
                for (i, j) in T.Parallel(32, 16) {
                    x[(i, j + 32)] = y[(i, j)] + y[(i, j + 32)];
                }
                T.copy(x, c[(by * 32, bx * 64)]);
            }

            #[test]
            fn parts_leave_the_elements_beside_them() -> tt::Result<()> {
                for chip in CHIPS {
                    let device = Device::open_named(chip)?;
                    for (m, n) in [(64, 128), (33, 64)] {
                        let a: Vec<$block> = numbers(m * n, 3).into_iter().map($block::from_f32).collect();
                        let b: Vec<bf16> = numbers(m * n, 4).into_iter().map(bf16::from_f32).collect();
                        let (x, y) = (device.upload(&a, [m, n])?, device.upload(&b, [m, n])?);
                        let mut c = device.zeros::<f32>([m, n])?;
                        parts(&x, &y, &mut c).run()?;
                        let before: Vec<f32> = x.download()?.into_iter().map(f32::from).collect();
                        let found = c.download()?;
                        let b = |at: usize| b[at].to_f32();
                        let wanted: Vec<f32> = (0..m * n)
                            .map(|at| match (at / n % 32, at % n % 64) {
                                (..20, ..16) => b(at + 32),
                                (_, 32..48) => b(at - 32) + b(at),
                                _ => before[at],
                            })
                            .collect();
                        let is_written = |at: usize| wanted[at] != before[at];
                        let kept = (0..m * n).filter(|at| !is_written(*at));
                        kept.for_each(|at| assert_eq!(found[at], before[at], "{m} x {n} on {chip}: {at}"));
                        near(&format!("{m} x {n} on {chip}"), &found, &wanted, n, $bits, 2e-2);
                    }
                }
                Ok(())
            }

            /// A block of such elements that is computed from a tensor whose padding is anything.
            #[tt::kernel]
            fn narrowed<const M: usize, const N: usize>(b: &Tensor<bf16, M, N>, d: &mut Tensor<bf16, M, N>) {
                let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
                let x = T.alloc_shared::<$block>(32, 64);
                let y = T.alloc_shared::<bf16>(32, 64);
                T.copy(b[(by * 32, bx * 64)], y);
                for (i, j) in T.Parallel(32, 64) {
                    x[(i, j)] = y[(i, j)] * 0.5;
                }
                for (i, j) in T.Parallel(32, 64) {
                    y[(i, j)] += x[(i, j)];
                }
                T.copy(y, d[(by * 32, bx * 64)]);
            }

            #[test]
            fn what_lies_past_an_edge_shares_no_exponent() -> tt::Result<()> {
                for chip in CHIPS {
                    let device = Device::open_named(chip)?;
                    for (m, n) in SHAPES {
                        let b: Vec<bf16> = numbers(m * n, 9).into_iter().map(bf16::from_f32).collect();
                        let y = device.upload(&b, [m, n])?;
                        let mut d = device.zeros::<bf16>([m, n])?;
                        narrowed(&y, &mut d).run()?;
                        let found: Vec<f32> = d.download()?.into_iter().map(bf16::to_f32).collect();
                        let wanted: Vec<f32> = b.iter().map(|x| x.to_f32() * 1.5).collect();
                        near(&format!("{m} x {n} on {chip}"), &found, &wanted, n, $bits, 2e-2);
                    }
                }
                Ok(())
            }

            #[tt::kernel]
            fn product<const M: usize, const K: usize, const N: usize>(
                a: &Tensor<bf16, M, K>,
                b: &Tensor<$block, K, N>,
                c: &mut Tensor<f32, M, N>,
            ) {
                let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
                let x = T.alloc_shared::<bf16>(64, 32);
                let y = T.alloc_shared::<$block>(32, 64);
                let acc = T.alloc_fragment::<f32>(64, 64);
                T.clear(acc);
                for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
                    T.copy(a[(by * 64, k * 32)], x);
                    T.copy(b[(k * 32, bx * 64)], y);
                    T.gemm(x, y, acc);
                }
                T.copy(acc, c[(by * 64, bx * 64)]);
            }

            #[test]
            fn weights_are_multiplied() -> tt::Result<()> {
                for chip in CHIPS {
                    let device = Device::open_named(chip)?;
                    for (m, k, n) in [(64, 64, 64), (33, 70, 97), (1, 1, 1), (70, 33, 15)] {
                        let a: Vec<bf16> = numbers(m * k, 1).into_iter().map(bf16::from_f32).collect();
                        let b: Vec<$block> = numbers(k * n, 2).into_iter().map($block::from_f32).collect();
                        let (x, y) = (device.upload(&a, [m, k])?, device.upload(&b, [k, n])?);
                        let b: Vec<f32> = y.download()?.into_iter().map(f32::from).collect();
                        let mut c = device.zeros::<f32>([m, n])?;
                        product(&x, &y, &mut c).run()?;
                        for (at, found) in c.download()?.into_iter().enumerate() {
                            let terms = (0..k).map(|p| a[at / n * k + p].to_f32() * b[p * n + at % n]);
                            let wanted: f32 = terms.sum();
                            assert!(
                                (found - wanted).abs() < 1e-3 * k as f32,
                                "{at} of {m} x {n}: {found}, {wanted}"
                            );
                        }
                    }
                }
                Ok(())
            }
        }
    };
}

of!(of_8_bits, bfp8, 8);
of!(of_4_bits, bfp4, 4);

/// A product by the fidelity that the compiler takes, and one by the most that there is.
macro_rules! product {
    ($name:ident $(, $fidelity:ident)?: $left:ident, $right:ident) => {
        #[tt::kernel($(fidelity = $fidelity)?)]
        fn $name(a: &Tensor<$left, 64, 96>, b: &Tensor<$right, 96, 64>, y: &mut Tensor<f32, 64, 64>) {
            let bx = T.Kernel(1);
            let x = T.alloc_shared::<$left>(64, 96);
            let w = T.alloc_shared::<$right>(96, 64);
            let acc = T.alloc_fragment::<f32>(64, 64);
            T.copy(a[(bx * 64, 0)], x);
            T.copy(b[(0, 0)], w);
            T.gemm(x, w, acc, clear_accum = true);
            T.copy(acc, y[(bx * 64, 0)]);
        }
    };
}

product!(eights: bfp8, bfp8);
product!(eights_in_full, HiFi4: bfp8, bfp8);
product!(eights_cut, LoFi: bfp8, bfp8);
product!(fours: bf16, bfp4);
product!(fours_in_full, HiFi4: bf16, bfp4);

/// Sums of whole numbers of as many bits as the formats have are exact in any order: what differs is a bit that is lost.
#[test]
fn the_default_fidelity_loses_no_bit() -> tt::Result<()> {
    let whole = |most: usize| (0..64 * 96).map(move |at| (at * 37 % (2 * most + 1)) as f32 - most as f32);
    for chip in CHIPS {
        let device = tt::Device::open_named(chip)?;
        let [mut y, mut full] = [device.zeros::<f32>([64, 64])?, device.zeros::<f32>([64, 64])?];
        let of_eight: Vec<bfp8> = whole(127).map(bfp8::from_f32).collect();
        let (a, b) = (device.upload(&of_eight, [64, 96])?, device.upload(&of_eight, [96, 64])?);
        eights(&a, &b, &mut y).run()?;
        eights_in_full(&a, &b, &mut full).run()?;
        assert!(y.download()? == full.download()?, "bfp8 on {chip}");
        eights_cut(&a, &b, &mut y).run()?;
        assert!(y.download()? != full.download()?, "less cuts bits of bfp8 on {chip}");
        let a: Vec<bf16> = whole(255).map(bf16::from_f32).collect();
        let b: Vec<bfp4> = whole(7).map(bfp4::from_f32).collect();
        let (a, b) = (device.upload(&a, [64, 96])?, device.upload(&b, [96, 64])?);
        fours(&a, &b, &mut y).run()?;
        fours_in_full(&a, &b, &mut full).run()?;
        assert!(y.download()? == full.download()?, "bf16 by bfp4 on {chip}");
    }
    Ok(())
}
