//! Flash attention, forward: softmax(q kᵀ / √d) v over batch and heads, without ever holding the score matrix.
use tt::prelude::*;

#[tt::kernel]
pub fn attention<const B: usize, const H: usize, const S: usize, const R: usize>(
    q: &Tensor<bf16, B, H, S, 64>,
    k: &Tensor<bf16, B, H, R, 64>,
    v: &Tensor<bf16, B, H, R, 64>,
    scale: f32,
    out: &mut Tensor<bf16, B, H, S, 64>,
) {
    let (block, head, batch) = T.Kernel(S.div_ceil(64), H, B);
    let q_block = T.alloc_shared::<bf16>(64, 64);
    let k_block = T.alloc_shared::<bf16>(64, 64);
    let v_block = T.alloc_shared::<bf16>(64, 64);
    let s = T.alloc_fragment::<f32>(64, 64);
    let p = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    let m_old = T.alloc_fragment::<f32>(64);
    let m_new = T.alloc_fragment::<f32>(64);
    let rescale = T.alloc_fragment::<f32>(64);
    let part = T.alloc_fragment::<f32>(64);
    let total = T.alloc_fragment::<f32>(64);

    T.copy(q[(batch, head, block * 64, 0)], q_block);
    T.clear(acc);
    T.clear(total);
    T.fill(m_new, f32::NEG_INFINITY);
    for r in T.Pipelined(R.div_ceil(64), num_stages = 2) {
        T.copy(k[(batch, head, r * 64, 0)], k_block);
        T.gemm(q_block, k_block, s, transpose_b = true, clear_accum = true);
        for (i, j) in T.Parallel(64, 64) {
            s[(i, j)] = if r * 64 + j < R {
                s[(i, j)] * scale
            } else {
                f32::NEG_INFINITY
            };
        }
        T.copy(m_new, m_old);
        T.reduce_max(s, m_new, dim = 1, clear = false);
        for i in T.Parallel(64) {
            rescale[i] = (m_old[i] - m_new[i]).exp();
        }
        for (i, j) in T.Parallel(64, 64) {
            p[(i, j)] = (s[(i, j)] - m_new[i]).exp();
        }
        T.reduce_sum(p, part, dim = 1);
        for i in T.Parallel(64) {
            total[i] = total[i] * rescale[i] + part[i];
        }
        for (i, j) in T.Parallel(64, 64) {
            acc[(i, j)] *= rescale[i];
        }
        T.copy(v[(batch, head, r * 64, 0)], v_block);
        T.gemm(p, v_block, acc);
    }
    for (i, j) in T.Parallel(64, 64) {
        acc[(i, j)] /= total[i];
    }
    T.copy(acc, out[(batch, head, block * 64, 0)]);
}
