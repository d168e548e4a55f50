// The sums of a product that a loop reads while they grow: the device said the first value plus the last step.
// launch: L = 3, M = 33, N = 40, K = 96, n = 1, alpha = 1
// options:
fn kernel<const L: usize, const M: usize, const N: usize, const K: usize>(
    p2: &Tensor<bf16, M, K>,
    q3: &Tensor<bf16, K, N>,
    o4: &mut Tensor<bf16, L, M, N>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b0 = T.alloc_fragment::<f32>(32, 32);
    let b3 = T.alloc_shared::<bf16>(32, 32);
    let b5 = T.alloc_shared::<bf16>(32, 32);
    T.clear(b0);
    for k0 in 0..L {
        T.copy(p2[(by * 32, k0 * 32)], b3);
        T.copy(q3[(k0 * 32, bx * 32)], b5);
        T.gemm(b3, b5, b0);
        T.copy(b0, o4[(k0, by * 32, bx * 32)]);
    }
}
