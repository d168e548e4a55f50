//! Blocks of integers, and the positions of extremes, against plain loops, on both emulated chips.

use tt::Element;
mod support;

use support::on_both_chips;
use tt::prelude::*;

const SHAPES: [(usize, usize); 7] = [(64, 128), (1, 1), (31, 33), (33, 127), (65, 129), (15, 97), (100, 17)];

/// Halves between -8 and 8, most of them several times.
fn values(count: usize) -> Vec<f64> {
    (0..count)
        .map(|at| ((at * 37 + at * at % 11 * 5) % 33) as f64 / 2.0 - 8.0)
        .collect()
}

/// A number as an element, which holds it exactly.
trait Rounded {
    fn rounded(x: f64) -> Self;
}

impl Rounded for bf16 {
    fn rounded(x: f64) -> bf16 {
        bf16::from_f64(x)
    }
}

impl Rounded for f32 {
    fn rounded(x: f64) -> f32 {
        x as f32
    }
}

/// Where the extreme of `of` stands first.
fn first(of: impl Iterator<Item = f64>, largest: bool) -> (f64, i32) {
    let sign = if largest { 1.0 } else { -1.0 };
    let start = (f64::NEG_INFINITY, 0);
    let (best, place) =
        of.map(|value| value * sign).enumerate().fold(
            start,
            |best, (at, value)| if value > best.0 { (value, at as i32) } else { best },
        );
    (best * sign, place)
}

/// For each axis: over blocks one after the other, and the last block alone.
macro_rules! positions {
    ($($module:ident: $reduce:ident of $element:ident, $init:expr;)*) => {$(
        mod $module {
            use tt::prelude::*;

            #[tt::kernel]
            pub fn rows<const M: usize, const N: usize>(
                x: &Tensor<$element, M, N>,
                best: &mut Tensor<f32, M, 1>,
                place: &mut Tensor<i32, M, 1>,
            ) {
                let by = T.Kernel(M.div_ceil(64));
                let block = T.alloc_shared::<$element>(64, 64);
                let top = T.alloc_fragment::<f32>(64);
                let at = T.alloc_fragment::<i32>(64);
                T.fill(top, $init);
                T.clear(at);
                for k in T.Pipelined(N.div_ceil(64), num_stages = 2) {
                    T.copy(x[(by * 64, k * 64)], block);
                    T.$reduce(block, top, at, dim = 1, base = k * 64, clear = false);
                }
                T.copy(top, best[(by * 64, 0)]);
                T.copy(at, place[(by * 64, 0)]);
            }

            #[tt::kernel]
            pub fn columns<const M: usize, const N: usize>(
                x: &Tensor<$element, M, N>,
                best: &mut Tensor<$element, 1, N>,
                place: &mut Tensor<i32, 1, N>,
            ) {
                let bx = T.Kernel(N.div_ceil(32));
                let block = T.alloc_shared::<$element>(128, 32);
                let top = T.alloc_shared::<$element>(1, 32);
                let at = T.alloc_shared::<i32>(1, 32);
                T.copy(x[(0, bx * 32)], block);
                T.$reduce(block, top, at, dim = 0, base = 16777217);
                T.copy(top, best[(0, bx * 32)]);
                T.copy(at, place[(0, bx * 32)]);
            }

            #[tt::kernel]
            pub fn places<const M: usize, const N: usize>(
                x: &Tensor<$element, M, N>,
                place: &mut Tensor<i32, M, 1>,
            ) {
                let by = T.Kernel(M.div_ceil(32));
                let block = T.alloc_shared::<$element>(32, 160);
                let at = T.alloc_fragment::<i32>(32);
                T.copy(x[(by * 32, 0)], block);
                T.$reduce(block, _, at, dim = 1);
                T.copy(at, place[(by * 32, 0)]);
            }
        }
    )*};
}

positions! {
    largest_bf16: reduce_argmax of bf16, f32::NEG_INFINITY;
    largest_f32: reduce_argmax of f32, f32::NEG_INFINITY;
    smallest_f32: reduce_argmin of f32, f32::INFINITY;
}

macro_rules! check {
    ($device:expr, $module:ident, $element:ident, $largest:literal) => {
        for (m, n) in SHAPES {
            let what = format!("{} {m} x {n}", stringify!($module));
            let x = values(m * n);
            let host: Vec<$element> = x.iter().map(|x| <$element as Rounded>::rounded(*x)).collect();
            let tensor = $device.upload(&host, [m, n])?;
            let row = |i: usize| first(x[i * n..(i + 1) * n].iter().copied(), $largest);
            let column = |j: usize| first((0..m).map(|i| x[i * n + j]), $largest);

            let mut best = $device.zeros::<f32>([m, 1])?;
            let mut place = $device.zeros::<i32>([m, 1])?;
            $module::rows(&tensor, &mut best, &mut place).run()?;
            let (values, places): (Vec<f32>, Vec<i32>) = (best.download()?, place.download()?);
            let found: Vec<(f64, i32)> = values.iter().map(|x| f64::from(*x)).zip(places).collect();
            let rows: Vec<(f64, i32)> = (0..m).map(row).collect();
            assert_eq!(found, rows, "{what} rows");
            let reference = $module::rows(&tensor, &mut best, &mut place).reference()?;
            let reference = reference.get("place").map(<[f32]>::to_vec);
            assert_eq!(
                reference,
                Some(rows.iter().map(|(_, at)| *at as f32).collect()),
                "{what}"
            );

            $module::places(&tensor, &mut place).run()?;
            let places: Vec<i32> = rows.iter().map(|(_, at)| *at).collect();
            assert_eq!(place.download()?, places, "{what} places");

            let mut best = $device.zeros::<$element>([1, n])?;
            let mut place = $device.zeros::<i32>([1, n])?;
            $module::columns(&tensor, &mut best, &mut place).run()?;
            let (values, places): (Vec<$element>, Vec<i32>) = (best.download()?, place.download()?);
            let found: Vec<(f64, i32)> = values.iter().map(|x| x.to_f64()).zip(places).collect();
            let columns: Vec<(f64, i32)> = (0..n).map(|j| column(j)).map(|(x, at)| (x, at + 16777217)).collect();
            assert_eq!(found, columns, "{what} columns");
        }
    };
}

#[test]
fn the_first_place_of_an_extreme_is_found() {
    on_both_chips(|device| {
        check!(device, largest_bf16, bf16, true);
        check!(device, largest_f32, f32, true);
        check!(device, smallest_f32, f32, false);
        Ok(())
    });
}

mod products {
    use tt::prelude::*;

    #[tt::kernel]
    pub fn rows<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, 1>) {
        let by = T.Kernel(M.div_ceil(64));
        let block = T.alloc_shared::<f32>(64, 64);
        let left = T.alloc_fragment::<f32>(64);
        T.fill(left, 2.0);
        for k in T.Pipelined(N.div_ceil(64), num_stages = 2) {
            T.copy(x[(by * 64, k * 64)], block);
            T.reduce_prod(block, left, dim = 1, clear = false);
        }
        T.copy(left, y[(by * 64, 0)]);
    }

    #[tt::kernel]
    pub fn columns<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<f32, 1, N>) {
        let bx = T.Kernel(N.div_ceil(64));
        let block = T.alloc_shared::<bf16>(128, 64);
        let left = T.alloc_fragment::<f32>(64);
        T.copy(x[(0, bx * 64)], block);
        T.reduce_prod(block, left, dim = 0);
        T.copy(left, y[(0, bx * 64)]);
    }

    #[tt::kernel]
    pub fn all<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, 1, 1>) {
        let _one = T.Kernel(1);
        let block = T.alloc_shared::<f32>(128, 160);
        let left = T.alloc_fragment::<f32>(1);
        T.copy(x[(0, 0)], block);
        T.reduce_prod(block, left, dim = (0, 1));
        T.copy(left, y[(0, 0)]);
    }
}

/// Powers of two of both signs, whose products are exact and not far from 1; no two elements that are next to each other are
/// the same.
fn powers(count: usize) -> Vec<f64> {
    (0..count)
        .map(|at| [2.0, -0.5, 1.0, -1.0, 0.25, 4.0, -1.0][at % 7])
        .collect()
}

#[test]
fn products_are_exact_where_they_can_be() {
    on_both_chips(|device| {
        for (m, n) in SHAPES {
            let x = powers(m * n);
            let wide: Vec<f32> = x.iter().map(|x| *x as f32).collect();
            let narrow: Vec<bf16> = x.iter().map(|x| bf16::from_f64(*x)).collect();
            let (wide, narrow) = (device.upload(&wide, [m, n])?, device.upload(&narrow, [m, n])?);

            let mut y = device.zeros::<f32>([m, 1])?;
            products::rows(&wide, &mut y).run()?;
            let expected: Vec<f32> = x
                .chunks(n)
                .map(|row| 2.0 * row.iter().product::<f64>() as f32)
                .collect();
            assert_eq!(y.download()?, expected, "rows of {m} x {n}");
            assert_eq!(
                products::rows(&wide, &mut y).reference()?.into_single()?,
                expected,
                "{m} x {n}"
            );

            let mut y = device.zeros::<f32>([1, n])?;
            products::columns(&narrow, &mut y).run()?;
            let expected: Vec<f32> = (0..n)
                .map(|j| (0..m).map(|i| x[i * n + j]).product::<f64>() as f32)
                .collect();
            assert_eq!(y.download()?, expected, "columns of {m} x {n}");

            let mut y = device.zeros::<f32>([1, 1])?;
            products::all(&wide, &mut y).run()?;
            assert_eq!(y.download()?, [x.iter().product::<f64>() as f32], "all of {m} x {n}");
        }
        Ok(())
    });
}
