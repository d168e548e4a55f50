//! Integers that cannot be read where they stand.
use tt::prelude::*;

#[tt::kernel]
fn early<const M: usize>(x: &Tensor<bf16, M, 64>, n: &Tensor<i32, M>, y: &mut Tensor<bf16, M, 64>) {
    let rows = n[0];
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(by * 32, 0)], v);
    T.copy(v, y[(rows, 0)]);
}

#[tt::kernel]
fn grid<const M: usize>(x: &Tensor<bf16, M, 64>, n: &Tensor<i32, M>, y: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(n[0]);
    let v = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(by * 32, 0)], v);
    T.copy(v, y[(by * 32, 0)]);
}

#[tt::kernel]
fn inside<const M: usize>(x: &Tensor<bf16, M, 64>, n: &Tensor<i32, M>, y: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(by * 32, 0)], v);
    for (i, j) in T.Parallel(32, 64) {
        v[(i, j)] = x[(n[by] * 32 + i, j)];
    }
    T.copy(v, y[(by * 32, 0)]);
}

#[tt::kernel]
fn written<const M: usize>(x: &Tensor<bf16, M, 64>, n: &mut Tensor<i32, M>, y: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(n[by] * 32, 0)], v);
    T.copy(v, y[(by * 32, 0)]);
}

#[tt::kernel]
fn extents<const M: usize>(x: &Tensor<f32, M, 64>, n: &Tensor<i32, M>, y: &mut Tensor<bf16, M, 64>) {
    const SIZE: usize = n[0];
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(n[by], 64);
    let m = x[(by, 0)];
    T.copy(v, y[(by * 32, n[(0, 0)])]);
}

#[tt::kernel]
fn temporary<const M: usize>(x: &Tensor<bf16, M, 64>, y: &mut Tensor<bf16, M, 64>) {
    let counts = T.alloc_global::<i32>(1, M);
    {
        let by = T.Kernel(M.div_ceil(32));
        let q = T.alloc_shared::<i32>(1, 32);
        T.fill(q, by);
        T.copy(q, counts[(0, by * 32)]);
    }
    {
        let by = T.Kernel(M.div_ceil(32));
        let v = T.alloc_shared::<bf16>(32, 64);
        let q = T.alloc_shared::<i32>(1, 32);
        T.copy(x[(counts[(0, by)] * 32, 0)], v);
        T.copy(counts[(0, by * 32)], q);
        T.copy(q, counts[(0, by * 32)]);
        T.copy(v, y[(by * 32, 0)]);
    }
}

fn main() {}
