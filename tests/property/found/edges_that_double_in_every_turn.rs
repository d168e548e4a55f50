// Branches of elements that are shifted and stored again in a loop: the edges that they may have doubled in every turn, and the compiler never ended.
// launch: L = 1, M = 64, N = 32, K = 128, n = 1, alpha = 1
// options:
fn kernel<const L: usize, const M: usize, const N: usize, const K: usize>(
    a0: &Tensor<bf16, L, M, N>,
    a1: &Tensor<bf16, L, M, N>,
    p2: &Tensor<bf16, M, K>,
    q3: &Tensor<bf16, K, N>,
    o4: &mut Tensor<bf16, L, M, N>,
    t: &Tensor<i32, 4>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b1 = T.alloc_shared::<bf16>(32, 32);
    let b2 = T.alloc_shared::<f32>(32, 32);
    let b3 = T.alloc_shared::<bf16>(32, 64);
    let b4 = T.alloc_shared::<bf16>(32, 64);
    let b5 = T.alloc_shared::<f32>(64, 32);
    let b10 = T.alloc_shared::<bf16>(1, 1);
    T.copy(a1[(1, by * 32, bx * 32)], b2);
    T.fill(b10, 2.0);
    for k0 in T.Pipelined(2, num_stages = 2) {
        T.copy(p2[(by * 32 - 1, k0 * 64 + 12)], b3);
        for (i, j) in T.Parallel(32, 64) {
            b3[(i, j)] = (1.0 - b3[(i, j)]);
        }
        T.copy(q3[(t[k0] * 64, bx * 32)], b5);
        T.gemm(b3, b5, b2);
        for i in T.Parallel(32) {
            b2[(i, 26)] = (b2[(i, 0)] - b2[(21, 27)]);
        }
        if k0 <= 1 {
            T.copy(b5[(k0 * 32..k0 * 32 + 32, 0..32)], o4[(0, by * 32, bx * 32)]);
            for (i, j) in T.Parallel(32, 64) {
                b4[(i, j)] = (b3[(i, j)] - (b3[(3, j)] + 2.0));
            }
            for k1 in T.Pipelined(L, num_stages = 1) {
                for (i, j) in T.Parallel(32, 32) {
                    b5[(i + k1 % 2 * 32, j)] *= (if (b2[(i, j)] as u32) >= (b2[(i, j)] as u32) { a1[(k1, by * 32 + i - 1, bx * 32 + j - 9)] } else { (-2.0) });
                }
                for (i, j) in T.Parallel(32, 64) {
                    b4[(i, j)] -= (1.0 * b3[(i, j)]).clamp(-4.0, 4.0);
                }
                for (i, j) in T.Parallel(32, 32) {
                    b2[(i, j)] = ((b3[(i, j + n % 2 * 32)] + b2[(i, j)]) - (b5[(i + by % 2 * 32, j)] - b2[(0, 0)]));
                }
                for (i, j) in T.Parallel(32, 32) {
                    b3[(i, j + 32)] -= (-b4[(i, j + (if 1 != 1 { k0 } else { k0 }) * 32)]).min(b5[(i + k1 % 2 * 32, j)]);
                }
                for (i, j) in T.Parallel(32, 32) {
                    b1[(i, j)] = b2[(i, j)].clamp(-3.0, 3.0);
                }
                for j in T.Parallel(32) {
                    b2[(7, j)] += b1[(M % 32, j)];
                }
            }
        } else {
            if k0 != 0 {
                for (i, j) in T.Parallel(32, 32) {
                    b2[(i, j)] = b2[(i, j)].sign().max(a0[(k0, by * 32 + i, bx * 32 + j + 12)]);
                }
            } else {
                for (i, j) in T.Parallel(32, 32) {
                    b2[(i, j)] = (b3[(0, 0)] + 2.0);
                }
            }
        }
    }
    T.copy(b3[(0..32, N % 2 * 32..N % 2 * 32 + 32)], o4[((if n < 0 { 1 } else { 0 }), by * 32, bx * 32)]);
    T.copy(b2, o4[(t[3], by * 32, bx * 32)]);
}
