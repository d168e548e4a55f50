// An element that lies before its tensor stands for a block: zeros were stored.
// wrong on emulator:wormhole_b0, Shape { m: 32, n: 32, k: 64, l: 2, count: 1, alpha: -1, seed: 575492869 }: the device says o3[13 of [2, 32, 32]] is 0, plain loops -2; 490 of 2048 differ
// launch: L = 2, M = 32, N = 32, K = 64, n = 1, alpha = -1
// options: 
fn kernel<const L: usize, const M: usize, const N: usize>(
    o3: &mut Tensor<bf16, L, M, N>,
    t: &Tensor<i32, 4>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b0 = T.alloc_shared::<bf16>(32, 32);
    let b4 = T.alloc_shared::<bf16>(32, 32);
    T.copy(o3[(1, by * 32 - 2, bx * 32 + 13)], b0);
    for (i, j) in T.Parallel(32, 32) {
        b4[(i, j)] = b0[(0, 0)];
    }
    T.copy(b4, o3[(0, by * 32 - 2, bx * 32 + 13)]);
}
