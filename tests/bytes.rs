//! Tensors and blocks of `u8` and `i8` against plain loops, exactly, on both emulated chips: copied, cast as in Rust, compared, and
//! what rows of numbers are quantised to.

use tt::prelude::*;

const CHIPS: [&str; 2] = ["emulator:wormhole_b0", "emulator:blackhole"];
const SHAPES: [(usize, usize); 5] = [(64, 128), (1, 1), (33, 70), (96, 65), (15, 97)];

fn bits(count: usize, seed: u32) -> Vec<u32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        })
        .collect()
}

#[tt::kernel]
fn cast<const M: usize, const N: usize>(
    a: &Tensor<i8, M, N>,
    b: &Tensor<u8, M, N>,
    n: &Tensor<i32, M, N>,
    f: &Tensor<f32, M, N>,
    c: &mut Tensor<i8, M, N>,
    d: &mut Tensor<u8, M, N>,
    sums: &mut Tensor<i32, M, N>,
    g: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let x = T.alloc_shared::<i8>(32, 64);
    let y = T.alloc_shared::<u8>(32, 64);
    let p = T.alloc_shared::<i32>(32, 64);
    let q = T.alloc_shared::<f32>(32, 64);
    let s = T.alloc_fragment::<i32>(32, 64);
    T.copy(a[(by * 32, bx * 64)], x);
    T.copy(b[(by * 32, bx * 64)], y);
    T.copy(n[(by * 32, bx * 64)], p);
    T.copy(f[(by * 32, bx * 64)], q);
    for (i, j) in T.Parallel(32, 64) {
        s[(i, j)] = x[(i, j)] as i32 * 1000 + y[(i, j)] as i32;
        g[(by * 32 + i, bx * 64 + j)] = x[(i, j)] as f32 * 0.5 + y[(i, j)] as f32;
    }
    for (i, j) in T.Parallel(32, 64) {
        x[(i, j)] = if x[(i, j)] < 0 {
            q[(i, j)] as i8
        } else {
            p[(i, j)] as i8
        };
        y[(i, j)] = if y[(i, j)] > 100 {
            x[(i, j)] as u8
        } else {
            q[(i, j)] as u8
        };
    }
    for (i, j) in T.Parallel(32, 64) {
        s[(i, j)] += if y[(i, j)] == 7 { 1 } else { (y[(i, j)] as i8) as i32 };
    }
    T.copy(x, c[(by * 32, bx * 64)]);
    T.copy(y, d[(by * 32, bx * 64)]);
    T.copy(s, sums[(by * 32, bx * 64)]);
}

#[test]
fn casts_are_those_of_rust() -> tt::Result<()> {
    for chip in CHIPS {
        let device = Device::open_named(chip)?;
        for (m, n) in SHAPES {
            let a: Vec<i8> = bits(m * n, 1).into_iter().map(|bits| bits as i8).collect();
            let b: Vec<u8> = bits(m * n, 2).into_iter().map(|bits| bits as u8).collect();
            let p: Vec<i32> = bits(m * n, 3)
                .into_iter()
                .map(|bits| bits as i32 >> (bits % 31))
                .collect();
            let f: Vec<f32> = bits(m * n, 4)
                .into_iter()
                .map(|bits| match bits % 16 {
                    0 => f32::INFINITY,
                    1 => -1e20,
                    2 => 0.9,
                    _ => (bits as i32 >> 12) as f32 / 512.0,
                })
                .collect();
            let (ta, tb) = (device.upload(&a, [m, n])?, device.upload(&b, [m, n])?);
            let (tp, tf) = (device.upload(&p, [m, n])?, device.upload(&f, [m, n])?);
            let (mut c, mut d) = (device.zeros::<i8>([m, n])?, device.zeros::<u8>([m, n])?);
            let (mut sums, mut g) = (device.zeros::<i32>([m, n])?, device.zeros::<f32>([m, n])?);
            let reference = cast(&ta, &tb, &tp, &tf, &mut c, &mut d, &mut sums, &mut g).reference()?;
            cast(&ta, &tb, &tp, &tf, &mut c, &mut d, &mut sums, &mut g).run()?;
            let x: Vec<i8> = (0..m * n)
                .map(|at| if a[at] < 0 { f[at] as i8 } else { p[at] as i8 })
                .collect();
            let y: Vec<u8> = (0..m * n)
                .map(|at| if b[at] > 100 { x[at] as u8 } else { f[at] as u8 })
                .collect();
            let s = |at: usize| {
                let before = i32::from(a[at]) * 1000 + i32::from(b[at]);
                before + if y[at] == 7 { 1 } else { i32::from(y[at] as i8) }
            };
            let s: Vec<i32> = (0..m * n).map(s).collect();
            assert_eq!(c.download()?, x, "{m} x {n} on {chip}");
            assert_eq!(d.download()?, y, "{m} x {n} on {chip}");
            assert_eq!(sums.download()?, s, "{m} x {n} on {chip}");
            let halves: Vec<f32> = (0..m * n).map(|at| f32::from(a[at]) * 0.5 + f32::from(b[at])).collect();
            assert_eq!(g.download()?, halves, "{m} x {n} on {chip}");
            let of = |name: &str| reference.get(name).expect("it is an output").to_vec();
            assert_eq!(of("c"), x.iter().map(|x| f32::from(*x)).collect::<Vec<_>>());
            assert_eq!(of("d"), y.iter().map(|y| f32::from(*y)).collect::<Vec<_>>());
            assert_eq!(of("sums"), s.iter().map(|s| *s as f32).collect::<Vec<_>>());
        }
    }
    Ok(())
}

/// Each row to 8 bits, and what one step of it is worth.
#[tt::kernel]
fn quantise<const M: usize>(a: &Tensor<f32, M, 128>, q: &mut Tensor<i8, M, 128>, scales: &mut Tensor<f32, M, 1>) {
    let by = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 128);
    let b = T.alloc_shared::<i8>(32, 128);
    let m = T.alloc_fragment::<f32>(32);
    let s = T.alloc_fragment::<f32>(32);
    T.copy(a[(by * 32, 0)], x);
    T.reduce_absmax(x, m, dim = 1);
    for i in T.Parallel(32) {
        s[i] = m[i].max(1e-4) / 127.0;
    }
    for (i, j) in T.Parallel(32, 128) {
        b[(i, j)] = (x[(i, j)] / s[i]).round().clamp(-127.0, 127.0) as i8;
    }
    T.copy(b, q[(by * 32, 0)]);
    T.copy(s, scales[(by * 32, 0)]);
}

/// The numbers that were quantised, nearly.
#[tt::kernel]
fn widen<const M: usize>(q: &Tensor<i8, M, 128>, scales: &Tensor<f32, M, 1>, c: &mut Tensor<f32, M, 128>) {
    let by = T.Kernel(M.div_ceil(32));
    let b = T.alloc_shared::<i8>(32, 128);
    let s = T.alloc_shared::<f32>(32);
    T.copy(q[(by * 32, 0)], b);
    T.copy(scales[(by * 32, 0)], s);
    for (i, j) in T.Parallel(32, 128) {
        c[(by * 32 + i, j)] = b[(i, j)] as f32 * s[i];
    }
}

#[test]
fn rows_are_quantised_to_8_bits_and_back() -> tt::Result<()> {
    for chip in CHIPS {
        let device = Device::open_named(chip)?;
        for m in [1, 32, 45] {
            let a: Vec<f32> = bits(m * 128, 7)
                .into_iter()
                .enumerate()
                .map(|(at, bits)| (bits as i32 >> 8) as f32 / 1e5 * (at / 128 + 1) as f32)
                .collect();
            let x = device.upload(&a, [m, 128])?;
            let mut q = device.zeros::<i8>([m, 128])?;
            let (mut scales, mut c) = (device.zeros::<f32>([m, 1])?, device.zeros::<f32>([m, 128])?);
            quantise(&x, &mut q, &mut scales).run()?;
            widen(&q, &scales, &mut c).run()?;
            let (found, scales, back) = (q.download()?, scales.download()?, c.download()?);
            for (at, x) in a.iter().enumerate() {
                let row = &a[at / 128 * 128..][..128];
                let scale = row.iter().fold(1e-4f32, |most, x| most.max(x.abs())) / 127.0;
                assert!((scales[at / 128] / scale - 1.0).abs() < 1e-6, "{chip}");
                let exact = x / scale;
                assert!(
                    (f32::from(found[at]) - exact).abs() <= 0.5 + 1e-3,
                    "{exact} became {} on {chip}",
                    found[at]
                );
                assert!(
                    (back[at] - x).abs() <= scale * 0.51,
                    "{x} came back as {} on {chip}",
                    back[at]
                );
            }
        }
    }
    Ok(())
}

/// Regions that begin and end anywhere, in both types, to and from.
#[tt::kernel]
fn regions<const M: usize, const N: usize>(
    a: &Tensor<u8, M, N>,
    b: &Tensor<i8, M, N>,
    n: i32,
    lines: &mut Tensor<u8, M, N>,
    pieces: &mut Tensor<i8, M, N>,
    elements: &mut Tensor<u8, M, N>,
    few: &mut Tensor<i8, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let x = T.alloc_shared::<u8>(32, 64);
    let y = T.alloc_shared::<i8>(32, 64);
    let z = T.alloc_shared::<u8>(32, 64);
    let w = T.alloc_shared::<i8>(20, 40);
    // Rows of other tiles, and pieces of 16 columns.
    T.copy(a[(by * 32 + 3, bx * 64)], x);
    T.copy(x, lines[(by * 32, bx * 64)]);
    T.copy(b[(by * 32, bx * 64 + 16)], y);
    T.copy(y, pieces[(by * 32 - 5, bx * 64 + 16)]);
    // Any columns, a mask, and a store of those that have a value.
    for (i, j) in T.Parallel(32, 64) {
        z[(i, j)] = if i > 3 {
            a[(by * 32 + i - 1, bx * 64 + j + n)]
        } else {
            7
        };
    }
    T.copy(z, elements[(by * 32, bx * 64 + n)]);
    if bx == 0 {
        T.copy(b[(by * 32 + 1, 3)], w);
        T.copy(w, few[(by * 32 + 2, 5)]);
    }
}

#[test]
fn regions_of_bytes_begin_and_end_anywhere() -> tt::Result<()> {
    for ((m, n), more) in SHAPES.iter().flat_map(|shape| [(*shape, 5), (*shape, -1)]) {
        let a: Vec<u8> = bits(m * n, 11).iter().map(|bits| *bits as u8).collect();
        let b: Vec<i8> = bits(m * n, 12).iter().map(|bits| *bits as i8).collect();
        let of = |row: i64, column: i64| {
            let (row, column) = (usize::try_from(row).ok()?, usize::try_from(column).ok()?);
            (row < m && column < n).then_some(row * n + column)
        };
        let (mut lines, mut pieces, mut elements, mut few) =
            (vec![1u8; m * n], vec![2i8; m * n], vec![3u8; m * n], vec![4i8; m * n]);
        for by in 0..m.div_ceil(32) as i64 {
            for bx in 0..n.div_ceil(64) as i64 {
                for i in 0..32 {
                    for j in 0..64 {
                        let (row, column) = (by * 32 + i, bx * 64 + j);
                        if let (Some(from), Some(to)) = (of(row + 3, column), of(row, column)) {
                            lines[to] = a[from];
                        }
                        if let (Some(from), Some(to)) = (of(row, column + 16), of(row - 5, column + 16)) {
                            pieces[to] = b[from];
                        }
                        let value = match i > 3 {
                            true => of(row - 1, column + more).map(|from| a[from]),
                            false => Some(7),
                        };
                        if let (Some(value), Some(to)) = (value, of(row, column + more)) {
                            elements[to] = value;
                        }
                        if let (Some(from), Some(to)) = (of(row + 1, j + 3), of(row + 2, j + 5))
                            && bx == 0
                            && i < 20
                            && j < 40
                        {
                            few[to] = b[from];
                        }
                    }
                }
            }
        }
        for chip in CHIPS {
            let device = Device::open_named(chip)?;
            let (a, b) = (device.upload(&a, [m, n])?, device.upload(&b, [m, n])?);
            let mut found = (
                device.upload(&vec![1u8; m * n], [m, n])?,
                device.upload(&vec![2i8; m * n], [m, n])?,
                device.upload(&vec![3u8; m * n], [m, n])?,
                device.upload(&vec![4i8; m * n], [m, n])?,
            );
            regions(
                &a,
                &b,
                more as i32,
                &mut found.0,
                &mut found.1,
                &mut found.2,
                &mut found.3,
            )
            .check(0.0)?;
            assert_eq!(found.0.download()?, lines, "lines of {m} × {n} by {more} on {chip}");
            assert_eq!(found.1.download()?, pieces, "pieces of {m} × {n} by {more} on {chip}");
            assert_eq!(
                found.2.download()?,
                elements,
                "elements of {m} × {n} by {more} on {chip}"
            );
            assert_eq!(found.3.download()?, few, "few of {m} × {n} by {more} on {chip}");
        }
    }
    Ok(())
}

/// Rows, columns and points as vectors, of rank 1 too, and rows that go along a leading axis.
#[tt::kernel]
fn lines<const B: usize, const S: usize, const H: usize>(
    a: &Tensor<u8, B, 64>,
    w: &Tensor<u8, 64, B>,
    r: &Tensor<i8, S>,
    h: &Tensor<u8, B, S, H, 48>,
    rows: &mut Tensor<u8, B, 64>,
    shifted: &mut Tensor<i8, S>,
    columns: &mut Tensor<u8, 64, B>,
    turned: &mut Tensor<u8, B, H, S, 48>,
) {
    let b = T.Kernel(B);
    let v = T.alloc_shared::<u8>(1, 64);
    let c = T.alloc_shared::<u8>(64);
    let s = T.alloc_shared::<i8>(40);
    let x = T.alloc_shared::<u8>(40, 48);
    T.copy(a[(b, 0)], v);
    T.copy(v, rows[(B - 1 - b, 0)]);
    T.copy(w[(0..64, b)], c);
    T.copy(c, columns[(0..64, B - 1 - b)]);
    if b == 0 {
        for t in 0..S.div_ceil(40) {
            T.copy(r[t * 40 + 1], s);
            T.copy(s, shifted[t * 40]);
        }
    }
    for k in 0..H {
        for t in 0..S.div_ceil(40) {
            T.copy(h[(b, t * 40..t * 40 + 40, k, 0..48)], x);
            T.copy(x, turned[(b, k, t * 40, 0)]);
        }
    }
}

#[test]
fn rows_and_columns_of_bytes_are_moved_alone() -> tt::Result<()> {
    for [b, s, h] in [[3, 40, 2], [1, 50, 1], [34, 7, 1]] {
        let bytes = |count: usize, seed| bits(count, seed).iter().map(|bits| *bits as u8).collect::<Vec<u8>>();
        let (a, w, of_heads) = (bytes(b * 64, 13), bytes(b * 64, 16), bytes(b * s * h * 48, 14));
        let r: Vec<i8> = bits(s, 15).iter().map(|bits| *bits as i8).collect();
        for chip in CHIPS {
            let device = Device::open_named(chip)?;
            let (x, y) = (device.upload(&a, [b, 64])?, device.upload(&r, [s])?);
            let w_on_device = device.upload(&w, [64, b])?;
            let z = device.upload(&of_heads, [b, s, h, 48])?;
            let mut rows = device.zeros::<u8>([b, 64])?;
            let mut shifted = device.zeros::<i8>([s])?;
            let mut columns = device.zeros::<u8>([64, b])?;
            let mut turned = device.zeros::<u8>([b, h, s, 48])?;
            lines(
                &x,
                &w_on_device,
                &y,
                &z,
                &mut rows,
                &mut shifted,
                &mut columns,
                &mut turned,
            )
            .check(0.0)?;
            let (rows, columns, turned) = (rows.download()?, columns.download()?, turned.download()?);
            for (at, value) in a.iter().enumerate().take(b * 64) {
                let (i, j) = (at / 64, at % 64);
                assert_eq!(rows[(b - 1 - i) * 64 + j], *value, "row {i}, {j} on {chip}");
                assert_eq!(columns[j * b + b - 1 - i], w[j * b + i], "column {i}, {j} on {chip}");
            }
            for (at, value) in shifted.download()?.iter().enumerate() {
                assert_eq!(*value, r.get(at + 1).copied().unwrap_or(0), "{at} on {chip}");
            }
            for (at, value) in turned.iter().enumerate() {
                let (d, row, head, batch) = (at % 48, at / 48 % s, at / 48 / s % h, at / 48 / s / h);
                let from = ((batch * s + row) * h + head) * 48 + d;
                assert_eq!(*value, of_heads[from], "{at} on {chip}");
            }
        }
    }
    Ok(())
}
