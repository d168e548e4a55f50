//! A sum past the edge of a computed operand.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let w = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    for (i, j) in T.Parallel(64, 64) {
        w[(i, j)] = v[(i, j)].exp();
    }
    T.gemm(w, w, acc, transpose_b = true, clear_accum = true);
    T.copy(acc, y[(by * 64, bx * 64)]);
}

// The left operand's edge lies a tile before that of the right one.
#[tt::kernel]
fn shifted<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<f32, M, M>) {
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 96);
    let w = T.alloc_shared::<bf16>(32, 64);
    let b = T.alloc_shared::<bf16>(32, 64);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    for k in T.Pipelined(N.div_ceil(64)) {
        T.copy(x[(by * 32, k * 64)], v);
        T.copy(x[(by * 32, k * 64)], b);
        for (i, j) in T.Parallel(32, 64) {
            w[(i, j)] = v[(i, j + 32)].exp();
        }
        T.gemm(w, b, acc, transpose_b = true);
    }
    T.copy(acc, y[(by * 32, by * 32)]);
}

fn main() {}
