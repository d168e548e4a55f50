// A loop of as many turns as the block has a number, and one: on a rectangle of cores the verifier did not know that it runs.
// launch: L = 2, M = 64, N = 64, K = 96, n = 1, alpha = 2
// options: fp32_acc = false, multicast = auto
fn kernel<const L: usize, const M: usize, const N: usize, const K: usize>(
    q2: &Tensor<f32, K, N>,
    o5: &mut Tensor<f32, L, M, 2, N>,
    t: &Tensor<i32, 4>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b2 = T.alloc_shared::<bf16>(32, 32);
    let b4 = T.alloc_shared::<bf16>(32, 32);
    let b5 = T.alloc_shared::<bf16>(32, 32);
    T.clear(b2);
    T.clear(b4);
    for k0 in 0..=bx {
        T.copy(q2[(1 * 32, bx * 32)], b5);
        T.gemm(b4, b5, b2);
        T.fill(b4, 1.0);
    }
    T.copy(b2, o5[(t[by], by * 32..by * 32 + 32, 0, bx * 32..bx * 32 + 32)]);
}
