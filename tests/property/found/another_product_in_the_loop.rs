// A product whose sums start anew beside one in registers: both were added to the same sums, refused with TT0430 since uses are followed.
// launch: L = 1, M = 32, N = 32, K = 64, n = 1, alpha = 1
// options:
fn kernel<const L: usize, const M: usize, const N: usize, const K: usize>(
    p2: &Tensor<bf16, M, K>,
    q3: &Tensor<bf16, K, N>,
    o4: &mut Tensor<bf16, L, M, N>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b1 = T.alloc_shared::<bf16>(32, 32);
    let b3 = T.alloc_shared::<bf16>(32, 32);
    let b4 = T.alloc_shared::<bf16>(32, 32);
    let b7 = T.alloc_shared::<bf16>(32, 32);
    T.clear(b1);
    for k2 in 0..1 {
        T.copy(p2[(by * 32, k2 * 32)], b4);
        T.copy(q3[(k2 * 32, bx * 32)], b7);
        T.gemm(b4, b7, b1);
        T.gemm(b4, b7, b3, clear_accum = true);
    }
    T.copy(b1, o4[(0, by * 32, bx * 32)]);
}
