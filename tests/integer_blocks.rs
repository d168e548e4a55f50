//! Blocks of integers against plain loops, exactly, on both emulated chips: what is copied, filled, computed, chosen, cast and
//! carried; sums, differences and products wrap.

use tt::prelude::*;

const SHAPES: [(usize, usize); 5] = [(64, 128), (1, 1), (33, 70), (96, 65), (15, 97)];

/// Integers of every size, some at the ends of their range.
fn values(count: usize, seed: u32) -> Vec<i32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    (0..count)
        .map(|at| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            match at % 9 {
                0 => state as i32,
                1 => (state as i32) >> 12,
                2 => [0, 1, -1, i32::MAX, i32::MIN, 16_777_217, 7, -16_777_219][state as usize % 8],
                _ => state as i32 >> 24,
            }
        })
        .collect()
}

/// What `launch` leaves in a tensor of the shape of two tensors of integers, compared element by element, and by the reference.
fn check(
    what: &str,
    launch: impl for<'a> Fn(&'a Tensor<i32, 2>, &'a Tensor<i32, 2>, &'a mut Tensor<i32, 2>) -> tt::Launch<'a>,
    expected: impl Fn(&[i32], &[i32], usize, usize, usize) -> i32,
) {
    for name in ["emulator:wormhole_b0", "emulator:blackhole"] {
        let run = || -> tt::Result<()> {
            let device = Device::open_named(name)?;
            for (m, n) in SHAPES {
                let (a, b) = (values(m * n, 3), values(m * n, 8));
                let (x, y) = (device.upload(&a, [m, n])?, device.upload(&b, [m, n])?);
                let mut out = device.upload(&vec![-77; m * n], [m, n])?;
                launch(&x, &y, &mut out).run()?;
                let wanted: Vec<i32> = (0..m * n).map(|at| expected(&a, &b, n, at / n, at % n)).collect();
                let found = out.download()?;
                for (at, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
                    let (row, column) = (at / n, at % n);
                    assert_eq!(
                        found, wanted,
                        "{what}, ({row}, {column}) of {m} x {n} from {} and {}",
                        a[at], b[at]
                    );
                }
                let reference = launch(&x, &y, &mut out).reference()?.into_single()?;
                let wanted: Vec<f32> = wanted.iter().map(|value| *value as f32).collect();
                let differs = reference
                    .iter()
                    .zip(&wanted)
                    .position(|(found, wanted)| found != wanted);
                assert_eq!(differs, None, "{what} of {m} x {n}, the reference");
            }
            Ok(())
        };
        run().unwrap_or_else(|error| panic!("{what} on {name}: {error}"));
    }
}

/// Kernels of two tensors of integers and what they make of each element, over blocks of 32 × 64.
macro_rules! kernels {
    ($($name:ident: { $($statements:tt)* } => $expected:expr;)*) => {$(
        mod $name {
            use tt::prelude::*;

            #[tt::kernel(allow(TT0351))]
            pub fn kernel<const M: usize, const N: usize>(
                a: &Tensor<i32, M, N>,
                b: &Tensor<i32, M, N>,
                c: &mut Tensor<i32, M, N>,
            ) {
                let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
                let x = T.alloc_shared::<i32>(32, 64);
                let y = T.alloc_shared::<i32>(32, 64);
                let z = T.alloc_fragment::<i32>(32, 64);
                T.copy(a[(by * 32, bx * 64)], x);
                T.copy(b[(by * 32, bx * 64)], y);
                $($statements)*
                T.copy(z, c[(by * 32, bx * 64)]);
            }
        }

        #[test]
        fn $name() {
            check(stringify!($name), |a, b, c| $name::kernel(a, b, c), $expected);
        }
    )*};
}

kernels! {
    copied: { T.copy(x, z); T.copy(y, x); } => |a, _, n, i, j| a[i * n + j];
    wrapped: {
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = x[(i, j)] * y[(i, j)] + 7 * x[(i, j)] - (y[(i, j)] - 16777217);
        }
    } => |a, b, n, i, j| {
        let (x, y) = (a[i * n + j], b[i * n + j]);
        x.wrapping_mul(y).wrapping_add(7i32.wrapping_mul(x)).wrapping_sub(y.wrapping_sub(16_777_217))
    };
    nearer: {
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = (-x[(i, j)]).min(y[(i, j)]).clamp(-70000, 2147483647);
        }
    } => |a, b, n, i, j| a[i * n + j].wrapping_neg().min(b[i * n + j]).max(-70000);
    divided_by_both: {
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = (x[(i, j)] >> 1).gcd(y[(i, j)] >> 1) ^ (x[(i, j)] >> 18).lcm(y[(i, j)] >> 18).gcd(6)
                ^ (x[(i, j)] >> 1).lcm(y[(i, j)] >> 1);
        }
    } => |a, b, n, i, j| {
        fn divisor(x: i32, y: i32) -> i32 {
            if y == 0 { x.abs() } else { divisor(y, x % y) }
        }
        let multiple = |x: i32, y: i32| (x.abs() / divisor(x, y).max(1)).wrapping_mul(y.abs());
        let (x, y) = (a[i * n + j], b[i * n + j]);
        divisor(x >> 1, y >> 1) ^ divisor(multiple(x >> 18, y >> 18), 6) ^ multiple(x >> 1, y >> 1)
    };
    chosen: {
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = if x[(i, j)] < y[(i, j)] && y[(i, j)] != 7 || x[(i, j)] == -2147483647 - 1 { x[(i, j)] } else { 5 };
            z[(i, j)] = T.select(x[(i, j)] >= 0, z[(i, j)], z[(i, j)] - 1);
        }
    } => |a, b, n, i, j| {
        let (x, y) = (a[i * n + j], b[i * n + j]);
        let z = if x < y && y != 7 || x == i32::MIN { x } else { 5 };
        if x >= 0 { z } else { z.wrapping_sub(1) }
    };
    placed: {
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = if by * 32 + i > bx * 64 + j { x[(i, j)] } else { (by * 32 + i) * 60000 - j };
            z[(i, j)] += (bx * 64 + j) * 3;
        }
    } => |a, _, n, i, j| {
        let (row, column) = (i as i32, j as i32);
        let z = if row > column { a[i * n + j] } else { row * 60_000 - column % 64 };
        z.wrapping_add(column * 3)
    };
    cast: {
        let f = T.alloc_fragment::<f32>(32, 64);
        for (i, j) in T.Parallel(32, 64) {
            f[(i, j)] = x[(i, j)].min(1000000).max(-1000000) as f32 * 0.5;
            z[(i, j)] = (f[(i, j)] * 4.0) as i32 - (f[(i, j)] - 0.25) as i32;
            z[(i, j)] = z[(i, j)] + if f[(i, j)] > 0.0 { y[(i, j)] } else { 0 };
        }
    } => |a, b, n, i, j| {
        let f = a[i * n + j].clamp(-1_000_000, 1_000_000) as f32 * 0.5;
        let z = ((f * 4.0) as i32).wrapping_sub((f - 0.25) as i32);
        z.wrapping_add(if f > 0.0 { b[i * n + j] } else { 0 })
    };
    carried: {
        T.fill(z, 9);
        for k in 0..5 {
            if k % 2 == 0 {
                for (i, j) in T.Parallel(32, 64) {
                    z[(i, j)] += x[(i, j)];
                }
            } else {
                for (i, j) in T.Parallel(32, 64) {
                    z[(i, j)] = z[(i, j)] * 3 - y[(i, j)];
                }
            }
        }
    } => |a, b, n, i, j| (0..5).fold(9i32, |z, k| match k % 2 {
        0 => z.wrapping_add(a[i * n + j]),
        _ => z.wrapping_mul(3).wrapping_sub(b[i * n + j]),
    });
    repeated: {
        let column = T.alloc_fragment::<i32>(32);
        let row = T.alloc_fragment::<i32>(64);
        for i in T.Parallel(32) {
            column[i] = x[(i, 0)] - 1;
        }
        for j in T.Parallel(64) {
            row[j] = y[(0, j)] * 5;
        }
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = column[i] - row[j] + x[(i, 0)] * y[(0, 0)];
        }
    } => |a, b, n, i, j| {
        let (top, left) = (i / 32 * 32, j / 64 * 64);
        let column = a[i * n + left].wrapping_sub(1);
        let row = b[top * n + j].wrapping_mul(5);
        column.wrapping_sub(row).wrapping_add(a[i * n + left].wrapping_mul(b[top * n + left]))
    };
    read_directly: {
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = a[(by * 32 + i, bx * 64 + j)] - b[(by * 32 + i, bx * 64 + j)] * 2;
        }
    } => |a, b, n, i, j| a[i * n + j].wrapping_sub(b[i * n + j].wrapping_mul(2));
    turned: {
        let t = T.alloc_shared::<i32>(64, 32);
        let v = T.alloc_fragment::<i32>(32);
        let s = T.alloc_fragment::<i32>(32, 32);
        T.transpose(x, t);
        for i in T.Parallel(32) {
            v[i] = y[(i, 0)] + i;
        }
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = t[(j, i)] - v[i];
        }
        for (i, j) in T.Parallel(32, 32) {
            s[(i, j)] = v[j] * 3 - v[i];
        }
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] += s[(i, 0)];
        }
    } => |a, b, n, i, j| {
        let (top, left) = (i / 32 * 32, j / 64 * 64);
        let v = |row: usize| b[row * n + left].wrapping_add((row - top) as i32);
        let turned = v(top).wrapping_mul(3).wrapping_sub(v(i));
        a[i * n + j].wrapping_sub(v(i)).wrapping_add(turned)
    };
    bits: {
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = (x[(i, j)] & y[(i, j)]) ^ !(x[(i, j)] | 0x00FF) ^ ((x[(i, j)] + i) << 3 >> 1 | 5);
            z[(i, j)] |= y[(i, j)] & 0x10;
            z[(i, j)] ^= -2;
            z[(i, j)] &= !y[(i, j)];
        }
    } => |a, b, n, i, j| {
        let (x, y) = (a[i * n + j], b[i * n + j]);
        let z = (x & y) ^ !(x | 0xFF) ^ (x.wrapping_add(i as i32 % 32) << 3 >> 1 | 5);
        ((z | y & 0x10) ^ -2) & !y
    };
    shifted: {
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = (x[(i, j)] << (y[(i, j)] & 31)) - (x[(i, j)] >> (i - 1)) + (y[(i, j)] >> 31);
            z[(i, j)] <<= 1;
            z[(i, j)] >>= 2;
        }
    } => |a, b, n, i, j| {
        let (x, y) = (a[i * n + j], b[i * n + j]);
        let right = if i % 32 == 0 { 0 } else { x >> (i % 32 - 1) };
        (x << (y & 31)).wrapping_sub(right).wrapping_add(y >> 31) << 1 >> 2
    };
    divided: {
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = x[(i, j)] / (y[(i, j)] | 1) + y[(i, j)].abs() / (i + 1);
            z[(i, j)] -= x[(i, j)] - x[(i, j)] / 7 * 7;
        }
    } => |a, b, n, i, j| {
        let (x, y) = (a[i * n + j], b[i * n + j]);
        let z = x.wrapping_div(y | 1).wrapping_add(y.wrapping_abs() / (i as i32 % 32 + 1));
        z.wrapping_sub(x % 7)
    };
    remainders: {
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = x[(i, j)] % (y[(i, j)] | 1) + (x[(i, j)] + y[(i, j)]) % 1000 % (i - 40);
            z[(i, j)] += if x[(i, j)] % 3 == -1 { 5 } else { 16777217 % (x[(i, j)] | j + 1) };
            z[(i, j)] %= y[(i, j)].max(9);
        }
    } => |a, b, n, i, j| {
        let (x, y) = (a[i * n + j], b[i * n + j]);
        let (row, column) = (i as i32 % 32, j as i32 % 64);
        let z = x.wrapping_rem(y | 1).wrapping_add(x.wrapping_add(y) % 1000 % (row - 40));
        let z = z.wrapping_add(if x % 3 == -1 { 5 } else { 16_777_217i32.wrapping_rem(x | (column + 1)) });
        z.wrapping_rem(y.max(9))
    };
    bits_of_numbers: {
        let f = T.alloc_fragment::<f32>(32, 64);
        for (i, j) in T.Parallel(32, 64) {
            f[(i, j)] = x[(i, j)] as f32;
            z[(i, j)] = (f[(i, j)] * 0.5).to_bits() >> 23;
            f[(i, j)] = f32::from_bits((f[(i, j)].to_bits() & 0x7FFFFFFF) + (1 << 23));
            z[(i, j)] = if f[(i, j)] < 1e6 { f[(i, j)] as i32 + z[(i, j)] } else { 2.5.to_bits() };
        }
    } => |a, _, n, i, j| {
        let f = a[i * n + j] as f32;
        let z = (f * 0.5).to_bits() as i32 >> 23;
        let f = f32::from_bits((f.to_bits() & 0x7FFF_FFFF) + (1 << 23));
        if f < 1e6 { f as i32 + z } else { 2.5f32.to_bits() as i32 }
    };
    counted_by_rows: {
        let ones = T.alloc_fragment::<f32>(32, 64);
        let count = T.alloc_fragment::<f32>(32);
        for (i, j) in T.Parallel(32, 64) {
            ones[(i, j)] = if x[(i, j)] > y[(i, j)] { 1.0 } else { 0.0 };
        }
        T.reduce_sum(ones, count, dim = 1);
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = count[i] as i32 * 1000000;
        }
    } => |a, b, n, i, j| {
        let left = j / 64 * 64;
        let row = left..(left + 64).min(n);
        row.filter(|j| a[i * n + j] > b[i * n + j]).count() as i32 * 1_000_000
    };
    place_of_the_largest: {
        let f = T.alloc_fragment::<f32>(32, 64);
        let best = T.alloc_fragment::<f32>(64);
        let place = T.alloc_fragment::<i32>(64);
        for (i, j) in T.Parallel(32, 64) {
            f[(i, j)] = (x[(i, j)].min(100).max(-100)) as f32;
        }
        T.reduce_argmin(f, best, place, dim = 0, base = by * 32);
        for (i, j) in T.Parallel(32, 64) {
            z[(i, j)] = if by * 32 + i == 3 { x[(i, j)] } else { place[j] * 2 - best[j] as i32 };
        }
    } => |a, _, n, i, j| {
        let m = a.len() / n;
        let top = i / 32 * 32;
        let of = |i: usize| a[i * n + j].clamp(-100, 100);
        let least = (top..(top + 32).min(m)).min_by_key(|i| (of(*i), *i)).unwrap_or(top);
        if i == 3 { a[i * n + j] } else { least as i32 * 2 - of(least) }
    };
}

#[tt::kernel]
fn filled<const N: usize>(n: i32, c: &mut Tensor<i32, N>) {
    let bx = T.Kernel(N.div_ceil(64));
    let x = T.alloc_shared::<i32>(64);
    if bx % 2 == 0 {
        T.fill(x, n * 2 - bx);
    } else {
        T.clear(x);
    }
    T.copy(x, c[bx * 64]);
}

#[test]
fn blocks_are_filled_with_integers_that_differ_from_block_to_block() -> tt::Result<()> {
    for name in ["emulator:wormhole_b0", "emulator:blackhole"] {
        let device = Device::open_named(name)?;
        let mut c = device.zeros::<i32>([300])?;
        filled(-8_388_609, &mut c).run()?;
        let wanted: Vec<i32> = (0..300)
            .map(|at| at / 64)
            .map(|block| if block % 2 == 0 { -16_777_218 - block } else { 0 })
            .collect();
        assert_eq!(c.download()?, wanted);
    }
    Ok(())
}

#[tt::kernel]
fn saturated<const N: usize>(
    a: &Tensor<i32, N>,
    f: &Tensor<f32, N>,
    c: &mut Tensor<i32, N>,
    d: &mut Tensor<f32, N>,
    u: &mut Tensor<u32, N>,
    h: &mut Tensor<u16, N>,
) {
    let bx = T.Kernel(N.div_ceil(32));
    let x = T.alloc_shared::<i32>(32);
    let y = T.alloc_shared::<f32>(32);
    T.copy(a[bx * 32], x);
    T.copy(f[bx * 32], y);
    for i in T.Parallel(32) {
        c[bx * 32 + i] = y[i] as i32;
        d[bx * 32 + i] = x[i] as f32;
        u[bx * 32 + i] = y[i] as u32;
        h[bx * 32 + i] = y[i] as u16;
    }
}

#[test]
fn casts_cut_towards_zero_and_stay_in_range() -> tt::Result<()> {
    let numbers = [
        0.0,
        0.9,
        -0.9,
        1.5,
        -2.5,
        2147483500.0,
        2147483648.0,
        -2147483648.0,
        3e38,
        -1e10,
        f32::INFINITY,
        f32::NAN,
        -f32::NAN,
        f32::NEG_INFINITY,
        4294967000.0,
        2147483904.0,
        4294967296.0,
    ];
    let integers = [
        0,
        1,
        -1,
        i32::MAX,
        i32::MIN,
        16_777_217,
        16_777_219,
        -16_777_217,
        33_554_434,
        77,
        -8,
        123_456_789,
        5,
        6,
        7,
        8,
        9,
    ];
    for name in ["emulator:wormhole_b0", "emulator:blackhole"] {
        let device = Device::open_named(name)?;
        let (a, f) = (device.upload(&integers, [17])?, device.upload(&numbers, [17])?);
        let (mut c, mut d) = (device.zeros::<i32>([17])?, device.zeros::<f32>([17])?);
        let (mut u, mut h) = (device.zeros::<u32>([17])?, device.zeros::<u16>([17])?);
        saturated(&a, &f, &mut c, &mut d, &mut u, &mut h).run()?;
        assert_eq!(c.download()?, numbers.map(|x| x as i32));
        assert_eq!(d.download()?, integers.map(|x| x as f32));
        assert_eq!(u.download()?, numbers.map(|x| x as u32));
        assert_eq!(h.download()?, numbers.map(|x| x as u16));
    }
    Ok(())
}
