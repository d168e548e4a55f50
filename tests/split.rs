//! Sums of small grids, cut into parts by the compiler.

mod support;

use support::on_both_chips;
use tt::prelude::*;

#[tt::kernel]
fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let left = T.alloc_shared::<bf16>(64, 64);
    let right = T.alloc_shared::<bf16>(64, 64);
    let sums = T.alloc_fragment::<f32>(64, 64);
    T.clear(sums);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 64, k * 64)], left);
        T.copy(b[(k * 64, bx * 64)], right);
        T.gemm(left, right, sums);
    }
    T.copy(sums, c[(by * 64, bx * 64)]);
}

#[test]
fn scratch() {
    for [m, n, k] in [[256, 256, 8192], [256, 256, 1024], [64, 64, 8192], [256, 256, 256], [1024, 1024, 1024]] {
        on_both_chips(|device| {
            let a = device.upload(&vec![bf16::ONE; m * k], [m, k])?;
            let b = device.upload(&vec![bf16::ONE; k * n], [k, n])?;
            let mut c = device.zeros::<bf16>([m, n])?;
            println!("{m} {n} {k}: takes {}", matmul(&a, &b, &mut c).parts()?);
            for parts in [1, 2, 4, 8, 16] {
                let launch = matmul(&a, &b, &mut c).in_parts(parts);
                let estimate = launch.estimate()?;
                let counters = launch.profile()?.counters.expect("the emulator counts");
                let modelled = counters.modelled.as_ref().expect("the clock was on").cycles as f64;
                println!("  {parts}: {modelled} cycles, {estimate:?} estimated");
                assert!(c.download()?.iter().all(|x| x.to_f32() == k as f32));
            }
            Ok(())
        });
    }
}
