//! Stages and their temporaries where they are wrong.
use tt::prelude::*;

#[tt::kernel]
fn statement_outside<const M: usize>(a: &Tensor<f32, M, 32>, c: &mut Tensor<f32, M, 32>) {
    let t = T.alloc_global::<f32>(M, 32);
    let v = T.alloc_shared::<f32>(32, 32);
    {
        let b = T.Kernel(M.div_ceil(32));
        T.copy(a[(b * 32, 0)], t[(b * 32, 0)]);
    }
    T.copy(t[(0, 0)], c[(0, 0)]);
}

#[tt::kernel]
fn two_grids<const M: usize>(a: &Tensor<f32, M, 32>, c: &mut Tensor<f32, M, 32>) {
    let b = T.Kernel(M.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 32);
    T.copy(a[(b * 32, 0)], x);
    let b = T.Kernel(M.div_ceil(32));
    T.copy(x, c[(b * 32, 0)]);
}

#[tt::kernel]
fn temporary_of_a_stage<const M: usize>(a: &Tensor<f32, M, 32>, c: &mut Tensor<f32, M, 32>) {
    {
        let b = T.Kernel(M.div_ceil(32));
        let t = T.alloc_global::<f32>(M, 32);
        let x = T.alloc_shared::<f32>(32, 32);
        T.copy(a[(b * 32, 0)], x);
        T.copy(x, t[(b * 32, 0)]);
    }
}

#[tt::kernel]
fn seventeen() {
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
    { let b = T.Kernel(1); }
}

#[tt::kernel]
fn never_stored<const M: usize>(a: &Tensor<f32, M, 32>, c: &mut Tensor<f32, M, 32>) {
    let t = T.alloc_global::<f32>(M, 32);
    let u = T.alloc_global::<f32>(M, 32);
    {
        let b = T.Kernel(M.div_ceil(32));
        let x = T.alloc_shared::<f32>(32, 32);
        T.copy(a[(b * 32, 0)], x);
        for (i, j) in T.Parallel(32, 32) {
            u[(b * 32 + i, j)] += x[(i, j)];
        }
    }
    {
        let b = T.Kernel(M.div_ceil(32));
        let x = T.alloc_shared::<f32>(32, 32);
        T.copy(t[(b * 32, 0)], x);
        T.copy(x, c[(b * 32, 0)]);
    }
}

fn main() {}
