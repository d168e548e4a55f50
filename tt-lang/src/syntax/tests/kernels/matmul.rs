//! C = A · B for any shape: the language page's first program.
use tt::prelude::*;

#[tt::kernel]
pub fn matmul<const M: usize, const K: usize, const N: usize>(
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
