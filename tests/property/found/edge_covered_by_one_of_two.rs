// What meets a computed operand of a gemm past its edge was read there on one path and filled with ones on the other.
// launch: L = 1, M = 32, N = 32, K = 69, n = 1, alpha = 1
// options:
fn kernel<const L: usize, const M: usize, const N: usize, const K: usize>(
    p1: &Tensor<bf16, M, K>,
    q2: &Tensor<bf16, K, N>,
    o3: &mut Tensor<bf16, L, M, N>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let acc = T.alloc_fragment::<f32>(32, 32);
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    T.clear(acc);
    for k in 0..K.div_ceil(32) {
        T.copy(p1[(by * 32, k * 32)], x);
        for (i, j) in T.Parallel(32, 32) {
            x[(i, j)] = x[(i, j)] * 2.0;
        }
        T.fill(y, 1.0);
        if n > 1 {
            T.copy(q2[(k * 32, bx * 32)], y);
        }
        T.gemm(x, y, acc);
    }
    T.copy(acc, o3[(0, by * 32, bx * 32)]);
}
