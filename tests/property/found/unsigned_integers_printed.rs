// The reference of what the passes make of the kernel printed the bits of a u32 as an integer with a sign.
// launch: L = 1, M = 32, N = 32, K = 64, n = 1, alpha = 2
// options:
fn kernel<const L: usize, const M: usize, const N: usize>(
    o4: &mut Tensor<bf16, L, M, N>,
    t: &Tensor<i32, 4>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b0 = T.alloc_shared::<bf16>(32, 32);
    let b6 = T.alloc_shared::<u32>(32, 1);
    T.fill(b0, 1.0);
    for (i, j) in T.Parallel(32, 1) {
        b6[(i, j)] = (!(b0[(i, j)] as u32));
    }
    T.print(b6);
    T.copy(b0, o4[(0, by * 32, bx * 32)]);
}
