//! What is not done with integers yet.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, z: &Tensor<i32, M, N>, y: &mut Tensor<i32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<i32>(64, 64);
    let w = T.alloc_shared::<i32>(64, 64);
    let u = T.alloc_shared::<f32>(64, 64);
    let top = T.alloc_fragment::<i32>(64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.copy(z[(by * 64, bx * 64)], v);
    T.transpose(v, u);
    T.gemm(v, v, w);
    T.reduce_prod(v, top, dim = 1);
    for (i, j) in T.Parallel(64, 64) {
        w[(i, j)] = v[(i, j)].sqrt() + top[i];
    }
    for (i, j) in T.Parallel(64, 64) {
        w[(i, j)] = v[(i, j)].sign();
    }
    T.copy(w, y[(by * 64, bx * 64)]);
}

#[tt::kernel(fp32_acc = false)]
fn narrow<const M: usize, const N: usize>(z: &Tensor<i32, M, N>, y: &mut Tensor<i32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<i32>(64, 64);
    T.copy(z[(by * 64, bx * 64)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
