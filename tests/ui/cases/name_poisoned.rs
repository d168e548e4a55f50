//! One wrong declaration is one error.
use tt::prelude::*;

#[tt::kernel]
fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let a_block = T.alloc_shared::<bf16>(0, 64);
    let b_block = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(a[(by * 64, k * 64)], a_block);
        T.copy(b[(k * 64, bx * 64)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * 64, bx * 64)]);
}

fn main() {}
