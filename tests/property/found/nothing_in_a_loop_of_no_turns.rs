// A launch computes the ends of what a loop makes: of one without turns they were the wrong way round, and divided by 0.
// launch: L = 3, M = 32, N = 32, n = 1
// options:
fn kernel<const L: usize, const M: usize, const N: usize>(o3: &mut Tensor<bf16, L, M, N>, n: u32) {
    let g5 = T.alloc_global::<bf16>(L, M, N);
    let b = T.Kernel(N.div_ceil(32) * M.div_ceil(32));
    let by = b / N.div_ceil(32);
    let bx = b % N.div_ceil(32);
    let b3 = T.alloc_shared::<bf16>(32, 32);
    T.fill(b3, -2.0);
    for k1 in 1..0 {
        for (i, j) in T.Parallel(32, 32) {
            g5[(0, by * 32 + i, bx * 32 + j)] = (if 1 * i < 0 { (if 1 * i >= 0 { b3[(i + 17 + (-5) * ((if k1 > 0 { n } else { by })), j)] } else { 2.0 }) } else { 2.0 });
        }
    }
    T.copy(b3, o3[(2, by * 32, bx * 32)]);
}
