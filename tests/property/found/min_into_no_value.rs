// What is folded into an element without a value leaves it without one: the plain loops of the fuzzer had the minimum alone.
// launch: L = 2, M = 32, N = 32, K = 64, n = 2, alpha = 1
// options:
fn kernel<const L: usize, const M: usize, const N: usize, const K: usize>(
    q2: &Tensor<bf16, K, N>,
    o3: &mut Tensor<bf16, L, M, N>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let least = T.alloc_shared::<bf16>(32, 1);
    let val = T.alloc_shared::<bf16>(32, 1);
    let pos = T.alloc_shared::<i32>(32, 1);
    T.fill(x, 1.0);
    T.copy(q2[(50, 31)], least);
    T.copy(q2[(60, 31)], val);
    T.clear(pos);
    T.reduce_min(x, least, dim = 1, clear = false);
    T.reduce_argmin(x, val, pos, dim = 1, clear = false);
    T.copy(least, o3[(0, by * 32, bx * 32)]);
    T.copy(val, o3[(1, by * 32, bx * 32)]);
    for (i, j) in T.Parallel(32, 1) {
        val[(i, j)] = pos[(i, j)] as f32;
    }
    T.copy(val, o3[(1, by * 32, bx * 32 + 2)]);
}
