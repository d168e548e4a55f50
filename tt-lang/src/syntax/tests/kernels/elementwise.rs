//! Element-wise kernels: the lowering guide's add, a gated activation, scalars, selection and direct tensor access.
use tt::prelude::*;

#[tt::kernel]
pub fn add<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    let x = T.alloc_shared::<bf16>(128, 128);
    let y = T.alloc_shared::<bf16>(128, 128);
    let z = T.alloc_shared::<bf16>(128, 128);
    T.copy(a[(by * 128, bx * 128)], x);
    T.copy(b[(by * 128, bx * 128)], y);
    for (i, j) in T.Parallel(128, 128) {
        z[(i, j)] = x[(i, j)] + y[(i, j)];
    }
    T.copy(z, c[(by * 128, bx * 128)]);
}

/// out = silu(gate) · up · scale, straight on the tensors.
#[tt::kernel]
pub fn swiglu<const M: usize, const N: usize>(
    gate: &Tensor<bf16, M, N>,
    up: &Tensor<bf16, M, N>,
    scale: f32,
    out: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        out[(by * 64 + i, bx * 64 + j)] =
            gate[(by * 64 + i, bx * 64 + j)].silu() * up[(by * 64 + i, bx * 64 + j)] * scale;
    }
}

/// y = x where |x| > threshold, else tanh(3 x − ½) clamped to [−0.9, 0.9].
#[tt::kernel]
pub fn shrink<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, threshold: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let v = T.alloc_fragment::<f32>(32, 64);
    T.copy(x[(by * 32, bx * 64)], v);
    for (i, j) in T.Parallel(32, 64) {
        v[(i, j)] = if v[(i, j)].abs() > threshold {
            v[(i, j)]
        } else {
            (v[(i, j)] * 3.0 - 0.5).tanh().clamp(-0.9, 0.9)
        };
    }
    T.copy(v, y[(by * 32, bx * 64)]);
}
