//! What `variants(..)` may not be.
use tt::prelude::*;

#[tt::kernel(variants)]
fn no_list<const M: usize>(x: &Tensor<f32, M>, y: &mut Tensor<f32, M>) {
    let bx = T.Kernel(M.div_ceil(32));
    y[bx] = x[bx];
}

#[tt::kernel(variants(BM = 64, BN = [], BK = [32, 1.5, 32], PLAN = [1], M = [2]))]
fn values<const M: usize>(x: &Tensor<f32, M>, y: &mut Tensor<f32, M>) {
    let bx = T.Kernel(M.div_ceil(BK));
    let v = T.alloc_shared::<f32>(BK);
    T.copy(x[bx * BK], v);
    T.copy(v, y[bx * BK]);
}

#[tt::kernel(variants(A = [1, 2, 3], B = [1, 2, 3], C = [32, 64]))]
fn too_many<const M: usize>(x: &Tensor<f32, M>, y: &mut Tensor<f32, M>) {
    let bx = T.Kernel(M.div_ceil(C));
    let v = T.alloc_shared::<f32>(C);
    T.copy(x[bx * C], v);
    T.copy(v, y[bx * C]);
}

#[tt::kernel(variants(BM = [32, 64]))]
fn twice<const M: usize>(x: &Tensor<f32, M>, y: &mut Tensor<f32, M>) {
    const BM: usize = 32;
    let bx = T.Kernel(M.div_ceil(BM));
    let v = T.alloc_shared::<f32>(BM);
    T.copy(x[bx * BM], v);
    T.copy(v, y[bx * BM]);
}

#[tt::kernel(variants(BM = [32, 64, 4096]))]
fn of_one<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(BM), M.div_ceil(BM));
    let v = T.alloc_shared::<f32>(BM, BM);
    T.copy(x[(by * BM, bx * BM)], v);
    T.copy(v, y[(by * BM, bx * BM)]);
}

#[tt::kernel(variants(BM = [32, 48]))]
fn read_of_one<const M: usize>(x: &Tensor<f32, M>, y: &mut Tensor<f32, M>) {
    let bx = T.Kernel(M.div_ceil(BM));
    let v = T.alloc_shared::<f32>(BM);
    let w = T.alloc_shared::<f32>(32);
    T.copy(x[bx * BM], v);
    for i in T.Parallel(32) {
        w[i] = v[i + BM - 32];
    }
    T.copy(v[16..48], w);
    T.copy(w, y[bx * BM]);
}

#[tt::kernel(variants(BM = [32], BN: [64]))]
fn a_colon<const M: usize>(x: &Tensor<f32, M>, y: &mut Tensor<f32, M>) {
    let bx = T.Kernel(M.div_ceil(32));
    y[bx] = x[bx];
}

#[tt::kernel(variants(BM = [32 64]))]
fn no_comma<const M: usize>(x: &Tensor<f32, M>, y: &mut Tensor<f32, M>) {
    let bx = T.Kernel(M.div_ceil(32));
    y[bx] = x[bx];
}

#[tt::kernel(variants(BM = [32], BM = [64]))]
fn named_twice<const M: usize>(x: &Tensor<f32, M>, y: &mut Tensor<f32, M>) {
    let bx = T.Kernel(M.div_ceil(BM));
    let v = T.alloc_shared::<f32>(BM);
    T.copy(x[bx * BM], v);
    T.copy(v, y[bx * BM]);
}
