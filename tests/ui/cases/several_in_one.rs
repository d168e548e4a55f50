//! Many mistakes, each reported where it stands.
use tt::prelude::*;

#[tt::kernel(fidelity = HiFi9)]
fn linear<const M: usize, const K: usize, const N: usize>(
    x: &Tensor<bf16, M, K>,
    w: &Tensor<bf61, K, N>,
    bias: &Tensor<bf16, 1, N>,
    y: &Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x_block = T.alloc_shared::<bf16>(64, 0);
    let w_block = T.alloc_shared::<bf16>(32, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.zero(acc);
    for k in T.Pipelined(K.div_ceil(32), num_stage = 2) {
        T.copy(x[(by * 64, k * 32)], x_block);
        T.copy(w[(k * 32, bx * 64)], w_block);
        T.gemm(x_block, w_block, acc);
    }
    for (i, j) in T.Parallel(64, 64) {
        acc[(i, j)] = (acc[(i, j)] + bias[(0, bx * 64 + j)]).geluu() * 2;
    }
    while bx < 3 {
        T.clear(acc);
    }
    T.copy(acc, y[(by * 64, bx * 64)]);
}

fn main() {}
