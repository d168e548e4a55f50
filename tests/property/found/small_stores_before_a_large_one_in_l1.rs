// Rows of 32 bytes to the L1 of another core travelled behind the page that was stored after them.
// launch: L = 2, M = 32, N = 32
// options:
fn kernel<const L: usize, const M: usize, const N: usize>(
    a0: &Tensor<bf16, L, M, N>,
    #[layout(l1, interleaved)] o5: &mut Tensor<bf16, L, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b1 = T.alloc_shared::<bf16>(32, 32);
    let b6 = T.alloc_shared::<bf16>(32, 32);
    T.fill(b6, 1.0);
    T.copy(a0[(0, by * 32, bx * 32)], b1);
    T.copy(b1, o5[(1, by * 32 + 3, bx * 32)]);
    T.copy(b6, o5[(1, by * 32, bx * 32)]);
    T.copy(b6, o5[(0, by * 32, bx * 32)]);
}
