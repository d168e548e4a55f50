//! Integers of elements in kernels whose destination registers have 16 bits, where bf16 has all integers to 256 alone: edges of rows
//! at a pace, which the compiler compares itself, and comparisons of indices.

mod support;

use support::on_both_chips;
use tt::prelude::*;

/// Sums of 1 over the rows that a tensor of `M` has of 64 at a pace: by a copy, by an index, from before the tensor, and backwards.
macro_rules! paces {
    ($($name:ident($($option:tt)*) = $step:literal from $first:literal;)*) => {
        $(#[tt::kernel($($option)*)]
        fn $name<const M: usize>(a: &Tensor<bf16, M, 32>, c: &mut Tensor<bf16, 4, 32>) {
            let _ = T.Kernel(1);
            let x = T.alloc_shared::<bf16>(64, 32);
            let v = T.alloc_fragment::<bf16>(32);
            T.copy(a[(($first..$first + 64 * $step).step_by($step), 0..32)], x);
            for (i, j) in T.Parallel(64, 32) {
                x[(i, j)] = x[(i, j)] + 1.0;
            }
            T.reduce_sum(x, v, dim = 0);
            T.copy(v, c[(0, 0)]);
            for (i, j) in T.Parallel(64, 32) {
                x[(i, j)] = a[($step * i + $first, j)] + 1.0;
            }
            T.reduce_sum(x, v, dim = 0);
            T.copy(v, c[(1, 0)]);
            for (i, j) in T.Parallel(64, 32) {
                x[(i, j)] = a[($step * i - $first, j)] + 1.0;
            }
            T.reduce_sum(x, v, dim = 0);
            T.copy(v, c[(2, 0)]);
            for (i, j) in T.Parallel(64, 32) {
                x[(i, j)] = a[(M - $first - $step * i, j)] + 1.0;
            }
            T.reduce_sum(x, v, dim = 0);
            T.copy(v, c[(3, 0)]);
        })*

        fn rows_at_paces(device: &tt::Device, m: usize) -> tt::Result<()> {
            $(let a = device.zeros::<bf16>([m, 32])?;
            let mut c = device.zeros::<bf16>([4, 32])?;
            $name(&a, &mut c).run()?;
            let found: Vec<usize> = c.download()?.chunks(32).map(|row| row[0].to_f32() as usize).collect();
            let (end, step, first) = (m as i64, $step, $first);
            let rows = |row: &dyn Fn(i64) -> i64| (0..64).filter(|i| (0..end).contains(&row(*i))).count();
            let expected = [
                rows(&|i| first + step * i),
                rows(&|i| first + step * i),
                rows(&|i| step * i - first),
                rows(&|i| end - first - step * i),
            ];
            assert_eq!(found, expected, "{} at M = {m}", stringify!($name));)*
            Ok(())
        }
    };
}

paces! {
    by_nine() = 9 from 1;
    by_seventeen() = 17 from 257;
    by_thirteen(fp32_acc = false) = 13 from 5;
    by_seven() = 7 from 299;
}

#[test]
fn rows_at_any_pace_end_with_their_tensor() {
    on_both_chips(|device| {
        for m in [
            1, 8, 9, 10, 256, 257, 258, 259, 260, 261, 262, 263, 264, 270, 278, 279, 280, 520, 549, 567, 700,
        ] {
            rows_at_paces(device, m)?;
        }
        Ok(())
    });
}

/// Where comparisons of indices hold, in 16-bit registers or, by themselves, in those that the kernel takes.
macro_rules! comparisons {
    ($i:ident $j:ident $n:ident $by:ident, $($name:ident($($option:tt)*) = $condition:expr;)*) => {
        $(#[tt::kernel($($option)*)]
        fn $name($n: u32, c: &mut Tensor<bf16, 64, 64>) {
            let $by = T.Kernel(2);
            let x = T.alloc_shared::<bf16>(32, 64);
            for ($i, $j) in T.Parallel(32, 64) {
                x[($i, $j)] = if $condition { 1.0 } else { 0.0 };
            }
            T.copy(x, c[($by * 32, 0)]);
        })*

        fn compared(device: &tt::Device, $n: i32) -> tt::Result<()> {
            $(let mut c = device.zeros::<bf16>([64, 64])?;
            $name($n as u32, &mut c).run()?;
            for (at, found) in c.download()?.iter().enumerate() {
                let (row, $j) = ((at / 64) as i32, (at % 64) as i32);
                let ($by, $i) = (row / 32, row % 32);
                let _ = ($by, $i);
                let expected = f32::from($condition);
                assert_eq!(found.to_f32(), expected, "{} at ({row}, {}), n = {}", stringify!($condition), $j, $n);
            })*
            Ok(())
        }
    };
}

comparisons! {
    i j n by,
    along_columns(fp32_acc = false) = j * 37 > 601;
    along_rows(fp32_acc = false) = i * 300 <= 2999 + n;
    backwards(fp32_acc = false) = 5000 - i * 161 >= n * 9;
    equal(fp32_acc = false) = j * 37 == 962 - n * 37;
    unequal(fp32_acc = false) = 64 * j != 1024;
    by_a_common_factor(fp32_acc = false) = i * 36 + j * 60 < 2403 - n;
    by_small_factors(fp32_acc = false) = by * 1000 + i * 2 + n <= 1000 + j * 3;
    approximate(approx = true) = i * 64 + j != 1025 + n;
    in_wide_registers() = j * 37 > i * 5 + 600 - n;
}

#[test]
fn comparisons_of_indices_are_exact_in_registers_of_any_size() {
    on_both_chips(|device| {
        for n in [0, 2, 7, 300] {
            compared(device, n)?;
        }
        Ok(())
    });
}
