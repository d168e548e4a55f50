//! What is certainly not meant but allowed; each warning is rustc's, and can be allowed.
#![deny(deprecated)]
use tt::prelude::*;

#[tt::kernel]
fn never_stored<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>, z: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[tt::kernel]
fn never_read<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let w = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.copy(x[(by * 64, bx * 64)], w);
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[tt::kernel]
fn unread_temporaries<const M: usize>(a: &Tensor<f32, M, 32>, c: &mut Tensor<f32, M, 32>) {
    let t = T.alloc_global::<f32>(M, 32);
    let u = T.alloc_global::<f32>(M, 32);
    {
        let b = T.Kernel(M.div_ceil(32));
        let x = T.alloc_shared::<f32>(32, 32);
        T.copy(a[(b * 32, 0)], x);
        T.copy(x, t[(b * 32, 0)]);
    }
    {
        let b = T.Kernel(M.div_ceil(32));
        let x = T.alloc_shared::<f32>(32, 32);
        T.copy(a[(b * 32, 0)], x);
        T.copy(x, c[(b * 32, 0)]);
    }
}

#[tt::kernel]
fn rounded_down<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N / 64, M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[tt::kernel(reference)]
fn compiles<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[tt::kernel(allow(TT0352), reference = false)]
fn allowed_by_code<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N / 64, M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[allow(deprecated)]
#[tt::kernel]
fn allowed_all<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N / 64, M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
}

fn main() {}
