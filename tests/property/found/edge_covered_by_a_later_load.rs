// A gemm's computed operand was taken for covered at the K edge by the other operand's next load, which comes after the gemm: wrong on both chips.
// launch: L = 3, M = 32, N = 32, K = 69, n = 2, alpha = 1
// options:
fn kernel<const L: usize, const M: usize, const N: usize, const K: usize>(
    p1: &Tensor<bf16, M, K>,
    q2: &Tensor<bf16, K, N>,
    o3: &mut Tensor<bf16, L, M, N>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b1 = T.alloc_shared::<bf16>(32, 32);
    let b3 = T.alloc_shared::<bf16>(32, 64);
    let b4 = T.alloc_shared::<bf16>(64, 32);
    T.clear(b1);
    T.copy(p1[(by * 32, 0 * 64)], b3);
    T.copy(q2[(1 * 64, bx * 32)], b4);
    T.gemm(b3, b4, b1);
    for k1 in 0..1 {
        for (i, j) in T.Parallel(32, 64) {
            b3[(i, j)] = b3[(i, j)];
        }
        T.copy(p1[(by * 32, 1 * 64)], b3);
        for (i, j) in T.Parallel(64, 32) {
            b4[(i, j)] = b4[(i, j)];
        }
    }
    T.copy(b1, o3[(2, by * 32, bx * 32)]);
}
