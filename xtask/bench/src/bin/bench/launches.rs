//! What a launch costs beside what it computes: processor time, over thousands of launches of kernels that do next to nothing.

use crate::inputs::values;
use crate::table::Row;
use crate::{Measured, Scale};
use tt::bf16;
use tt::prelude::*;

/// y = a + b, a tile for each block.
#[tt::kernel]
fn add_tiles<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    for (i, j) in T.Parallel(32, 32) {
        y[(by * 32 + i, bx * 32 + j)] = a[(by * 32 + i, bx * 32 + j)] + b[(by * 32 + i, bx * 32 + j)];
    }
}

/// C = A · B, in blocks of which the launch chooses one of nine.
#[tt::kernel(variants(BM = [32, 64, 128], BN = [32, 64, 128]))]
fn matmul_of_nine<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(BN), M.div_ceil(BM));
    let a_block = T.alloc_shared::<bf16>(BM, 32);
    let b_block = T.alloc_shared::<bf16>(32, BN);
    let acc = T.alloc_fragment::<f32>(BM, BN);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * BM, k * 32)], a_block);
        T.copy(b[(k * 32, bx * BN)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * BM, bx * BN)]);
}

/// Processor time of this process, all its threads, in clock ticks of a hundredth of a second.
fn ticks() -> Result<u64, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // Behind the name in parentheses; user and system time are fields 14 and 15 (proc_pid_stat(5)).
    let (_, fields) = stat.rsplit_once(')').ok_or("no name in /proc/self/stat")?;
    let times = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    Ok(times.sum::<Result<u64, _>>()?)
}

/// Microseconds of processor time of a launch, the least of several rounds that take two seconds together.
fn processor_time(scale: Scale, mut launch: impl FnMut() -> tt::Result<()>) -> Result<f64, Box<dyn std::error::Error>> {
    let (rounds, ticks_of_round) = if scale.quick { (1, 5) } else { (5, 40) };
    launch()?;
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let (start, mut launches) = (ticks()?, 0u32);
        let spent = loop {
            for _ in 0..100 {
                launch()?;
            }
            launches += 100;
            let spent = ticks()? - start;
            if spent >= ticks_of_round {
                break spent;
            }
        };
        least = least.min(spent as f64 * 1e4 / f64::from(launches));
    }
    Ok(least)
}

pub fn launches(scale: Scale) -> Measured {
    let device = tt::Device::open()?;
    let square = |n: usize, seed| device.upload(&values(n * n, seed), [n, n]);
    let mut rows = Vec::new();
    for (cores, n, most) in [(1, 32, 10.0), (64, 256, 100.0)] {
        let (a, b) = (square(n, 1)?, square(n, 2)?);
        let mut y = device.zeros::<bf16>([n, n])?;
        let took = processor_time(scale, || add_tiles(&a, &b, &mut y).run())?;
        rows.push(Row::new(
            format!("a launch with a tile for each of its cores, {cores}: processor time"),
            format!("{took:.1} µs"),
            "",
            "",
            format!("at most {most:.0} µs"),
            took <= most,
        ));
    }
    let (a, b) = (square(32, 1)?, square(32, 2)?);
    let mut c = device.zeros::<bf16>([32, 32])?;
    let chosen = processor_time(scale, || matmul_of_nine(&a, &b, &mut c).run())?;
    let named = || {
        let launch = matmul_of_nine(&a, &b, &mut c);
        launch.with(matmul_of_nine::BM(32)).with(matmul_of_nine::BN(32)).run()
    };
    let named = processor_time(scale, named)?;
    rows.push(Row::with_ratio(
        "a matmul of a tile, one of nine variants: processor time",
        format!("{chosen:.1} µs"),
        format!("its variant named: {named:.1} µs"),
        format!("{:.1} µs more", chosen - named),
    ));
    Ok(rows)
}
