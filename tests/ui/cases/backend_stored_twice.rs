//! Blocks of the grid that store the same elements.
use tt::prelude::*;

#[tt::kernel]
fn forgotten<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(2, M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        y[(by * 64 + i, j)] = x[(by * 64 + i, bx * 64 + j)] * 2.0;
    }
}

#[tt::kernel]
fn overlapping<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    const BLOCKS: usize = 4;
    let (bx, by) = T.Kernel(BLOCKS, M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 32)], v);
    T.copy(v, y[(by * 64, bx * 32)]);
}

#[tt::kernel]
fn in_a_loop<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, half) = T.Kernel(N.div_ceil(64), 2);
    let v = T.alloc_shared::<bf16>(64, 64);
    for k in 0..M.div_ceil(64) {
        T.copy(x[(k * 64, bx * 64)], v);
        if n > k {
            T.copy(v, y[(k * 64, bx * 64)]);
        }
    }
}

fn main() {}
