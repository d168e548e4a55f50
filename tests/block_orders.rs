//! Orders of blocks: every block is computed once, and those of a core follow each other along the curve.

mod support;

use std::process::Command;
use support::on_both_chips;
use tt::prelude::*;

#[tt::kernel(order = hilbert)]
fn along_hilbert<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = v[(i, j)] + ((bx * 100 + by) as f32);
    }
    T.copy(v, y[(by * 32, bx * 32)]);
    T.print("here");
}

#[tt::kernel(order = z_order)]
fn along_z<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = v[(i, j)] + ((bx * 100 + by) as f32);
    }
    T.copy(v, y[(by * 32, bx * 32)]);
    T.print("here");
}

/// A grid of several axes: the curve is that of the first two.
#[tt::kernel(order = hilbert)]
fn of_planes<const B: usize, const M: usize, const N: usize>(x: &Tensor<f32, B, M, N>, y: &mut Tensor<f32, B, M, N>) {
    let (bx, by, bz) = T.Kernel(N.div_ceil(32), M.div_ceil(32), B);
    let v = T.alloc_shared::<f32>(32, 32);
    T.copy(x[(bz, by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = v[(i, j)] + ((bz * 10000 + bx * 100 + by) as f32);
    }
    T.copy(v, y[(bz, by * 32, bx * 32)]);
}

/// What an element is in the end.
fn expected([m, n]: [usize; 2], plane: usize) -> impl Iterator<Item = f32> {
    (0..m * n).map(move |at| (plane * 10000 + at % n / 32 * 100 + at / n / 32 + at % 7) as f32)
}

fn ones([m, n]: [usize; 2], planes: usize) -> Vec<f32> {
    let plane = (0..m * n).map(|at| (at % 7) as f32).collect::<Vec<_>>();
    plane.repeat(planes)
}

#[test]
fn every_block_is_computed_once() {
    for shape in [[512, 512], [40, 700], [700, 40], [33, 33], [10, 10], [352, 224]] {
        on_both_chips(|device| {
            let x = device.upload(&ones(shape, 1), shape)?;
            let mut y = device.zeros::<f32>(shape)?;
            for launch in [along_hilbert, along_z] {
                launch(&x, &mut y).check(0.0)?;
                assert_eq!(y.download()?, expected(shape, 0).collect::<Vec<_>>(), "{shape:?}");
            }
            let [m, n] = shape;
            let x = device.upload(&ones(shape, 3), [3, m, n])?;
            let mut y = device.zeros::<f32>([3, m, n])?;
            of_planes(&x, &mut y).check(0.0)?;
            let planes = (0..3).flat_map(|plane| expected(shape, plane));
            assert_eq!(y.download()?, planes.collect::<Vec<_>>(), "{shape:?}");
            Ok(())
        });
    }
}

/// What the other test runs in a process of its own, which prints every block.
#[test]
#[ignore = "run by the other test, in a process of its own"]
fn prints() {
    let device = Device::open_named("emulator:wormhole_b0").expect("the emulator opens");
    let x = device.zeros::<f32>([512, 512]).expect("it has room");
    let mut y = device.zeros::<f32>([512, 512]).expect("it has room");
    along_hilbert(&x, &mut y).run().expect("it runs");
    along_z(&x, &mut y).run().expect("it runs");
}

/// 256 blocks on 64 cores, four on each.
#[test]
fn the_blocks_of_a_core_follow_each_other_along_the_curve() {
    let program = std::env::current_exe().expect("the program has a name");
    let output = Command::new(program)
        .args(["--exact", "prints", "--ignored", "--nocapture"])
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let visited = |kernel: &str| {
        let mut blocks: Vec<([usize; 2], [usize; 2])> = Vec::new();
        for line in said
            .lines()
            .filter(|line| line.starts_with(kernel) && line.contains("here"))
        {
            let mut pairs = line.split('(').skip(1).map(|rest| {
                let inside = rest.split(')').next().expect("it ends");
                let mut numbers = inside
                    .split(',')
                    .map(|number| number.trim().parse().expect("it is a number"));
                [numbers.next().expect("a column"), numbers.next().expect("a row")]
            });
            let ([x, y], block) = (pairs.next().expect("a core"), pairs.next().expect("a block"));
            blocks.push(([y, x], block));
        }
        // Those of a core are in their order.
        blocks.sort_by_key(|(core, _)| *core);
        blocks.into_iter().map(|(_, block)| block).collect::<Vec<_>>()
    };
    let hilbert = visited("along_hilbert");
    assert_eq!((hilbert.len(), hilbert.first()), (256, Some(&[0, 0])), "{said}");
    for pair in hilbert.windows(2) {
        let steps = pair[0][0].abs_diff(pair[1][0]) + pair[0][1].abs_diff(pair[1][1]);
        assert_eq!(steps, 1, "{pair:?}");
    }
    let number = |[x, y]: &[usize; 2]| {
        (0..4)
            .map(|bit| (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1))
            .sum::<usize>()
    };
    let z: Vec<usize> = visited("along_z").iter().map(number).collect();
    assert_eq!(z, (0..256).collect::<Vec<_>>());
}
