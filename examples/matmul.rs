//! C = A · B for any shape, compared with what the source says.
//!
//!     cargo run --release --example matmul [M K N]

use std::process::ExitCode;
use tt::prelude::*;

/// Each block of 128 × 128 results is one core's work; blocks of A and B are brought in while earlier ones are multiplied.
#[tt::kernel]
fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    const BM: usize = 128;
    const BN: usize = 128;
    const BK: usize = 64;

    let (bx, by) = T.Kernel(N.div_ceil(BN), M.div_ceil(BM));
    let a_block = T.alloc_shared::<bf16>(BM, BK);
    let b_block = T.alloc_shared::<bf16>(BK, BN);
    let acc = T.alloc_fragment::<f32>(BM, BN);

    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(BK), num_stages = 2) {
        T.copy(a[(by * BM, k * BK)], a_block);
        T.copy(b[(k * BK, bx * BN)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * BM, bx * BN)]);
}

fn main() -> ExitCode {
    let extents: Vec<usize> = std::env::args().skip(1).map_while(|word| word.parse().ok()).collect();
    let (m, k, n) = match (std::env::args().len(), extents.as_slice()) {
        (1, _) => (1000, 700, 1300),
        (4, [m, k, n]) => (*m, *k, *n),
        _ => {
            eprintln!("usage: matmul [M K N]");
            return ExitCode::FAILURE;
        }
    };
    match run(m, k, n) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("the result is not what the source says");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Multiplies, shows what it took, and tells whether the result is right.
fn run(m: usize, k: usize, n: usize) -> tt::Result<bool> {
    let device = tt::Device::open()?;
    println!("{device}");

    // Values with a pattern that no axis shares: a transposed or shifted block would show.
    let value = |i: usize, seed: usize| bf16::from_f32(((i * 37 + seed) % 101) as f32 / 101.0 - 0.5);
    let a_host: Vec<bf16> = (0..m * k).map(|i| value(i, 3)).collect();
    let b_host: Vec<bf16> = (0..k * n).map(|i| value(i, 58)).collect();
    let a = device.upload(&a_host, [m, k])?;
    let b = device.upload(&b_host, [k, n])?;
    let mut c = device.zeros::<bf16>([m, n])?;

    let plan = matmul(&a, &b, &mut c).plan()?;
    println!(
        "{m} × {k} · {k} × {n} on {} × {} cores",
        plan.core_grid[0], plan.core_grid[1]
    );
    let profile = matmul(&a, &b, &mut c).profile()?;
    println!("{profile}");

    let reference = matmul(&a, &b, &mut c).reference()?.into_single()?;
    let worst = c
        .download()?
        .iter()
        .zip(&reference)
        .map(|(got, exact)| (got.to_f32() - exact).abs() / (1.0 + exact.abs()))
        .fold(0.0f32, |a, b| if b > a || b.is_nan() { b } else { a });
    println!("worst error {worst:.1e} of 1 + |exact|");
    // bf16 keeps 8 bits, so a rounded result is off by up to 2⁻⁸ of itself.
    Ok(worst < 5e-3)
}
