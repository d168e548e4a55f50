// A product in registers whose operands stand before the loop: refused with TT0430, "a loop in registers leaves 0 versions".
// launch: L = 1, M = 32, N = 32, n = 1, alpha = 1
// options:
fn kernel<const L: usize, const M: usize, const N: usize>(
    o4: &mut Tensor<bf16, L, M, N>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b0 = T.alloc_shared::<bf16>(32, 32);
    let b3 = T.alloc_shared::<bf16>(32, 32);
    let b4 = T.alloc_shared::<bf16>(32, 32);
    T.fill(b3, 1.0);
    T.fill(b4, 1.0);
    T.fill(b0, 1.0);
    for k0 in 0..2 {
        T.gemm(b3, b4, b0);
    }
    T.copy(b0, o4[(0, by * 32, bx * 32)]);
}
