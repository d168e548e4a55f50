//! Computed operands of which all lies past an edge: by a leading index, by a row or column that stands for all.
use tt::prelude::*;

#[tt::kernel]
pub fn plane(a: &Tensor<bf16, 1, 32, 32>, b: &Tensor<bf16, 32, 32>, c: &mut Tensor<f32, 2, 32, 32>) {
    let z = T.Kernel(2);
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.copy(a[(z, 0, 0)], x);
    T.copy(b[(0, 0)], y);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = x[(i, j)] + 1.0;
    }
    T.clear(acc);
    T.gemm(x, y, acc);
    T.copy(acc, c[(z, 0, 0)]);
}

#[tt::kernel]
pub fn repeated_before(a: &Tensor<bf16, 32, 32>, b: &Tensor<bf16, 32, 32>, c: &mut Tensor<f32, 64, 32>) {
    let by = T.Kernel(2);
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.copy(a[(by * 32, 0)], x);
    T.copy(b[(0, 0)], y);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = x[(0, j)] + 1.0;
    }
    T.clear(acc);
    T.gemm(x, y, acc);
    T.copy(acc, c[(by * 32, 0)]);
}

#[tt::kernel]
pub fn repeated_after(a: &Tensor<bf16, 32, 32>, b: &Tensor<bf16, 32, 32>, c: &mut Tensor<f32, 64, 32>) {
    let by = T.Kernel(2);
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.copy(a[(by * 32, 0)], x);
    T.copy(b[(0, 0)], y);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = x[(i, j)] + 1.0;
    }
    T.clear(acc);
    T.gemm(x, y, acc);
    for (i, j) in T.Parallel(32, 32) {
        c[(by * 32 + i, j)] = acc[(0, j)];
    }
}

#[tt::kernel]
pub fn inner(a: &Tensor<bf16, 32, 32>, b: &Tensor<bf16, 64, 32>, c: &mut Tensor<f32, 32, 32>) {
    let _g = T.Kernel(1);
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    for k in 0..2 {
        T.copy(a[(0, k * 32)], x);
        T.copy(b[(k * 32, 0)], y);
        for (i, j) in T.Parallel(32, 32) {
            x[(i, j)] = x[(i, 0)] + 1.0;
        }
        T.gemm(x, y, acc);
    }
    T.copy(acc, c[(0, 0)]);
}

/// The first row is one of the tensor's wherever there is a block: nothing is refused.
#[tt::kernel]
pub fn inside<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<bf16, N, N>, c: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<bf16>(64, 64);
    let y = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.clear(acc);
    for k in 0..N.div_ceil(64) {
        T.copy(a[(by * 64, k * 64)], x);
        T.copy(b[(k * 64, bx * 64)], y);
        for (i, j) in T.Parallel(64, 64) {
            x[(i, j)] = x[(0, j)] + 1.0;
        }
        T.gemm(x, y, acc);
    }
    T.copy(acc, c[(by * 64, bx * 64)]);
}

fn main() {}
