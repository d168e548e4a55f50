// A block that a loop with a positive constant count makes is read after it: refused with TT0430, "used where it has no version".
// launch: L = 1, M = 32, N = 32, n = 1, alpha = 1
// options:
fn kernel<const L: usize, const M: usize, const N: usize>(
    o3: &mut Tensor<bf16, L, M, N>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b1 = T.alloc_shared::<bf16>(32, 32);
    for k1 in 0..1 {
        T.fill(b1, -2.0);
    }
    T.copy(b1, o3[(0, by * 32, bx * 32)]);
}
