//! What elements that share exponents are not for.
use tt::prelude::*;

#[tt::kernel]
fn vector<const M: usize, const N: usize>(x: &Tensor<bfp8, M, N>, y: &mut Tensor<bf16, M, N>) {
    let by = T.Kernel(M);
    let v = T.alloc_shared::<bfp8>(64);
    T.copy(x[(by, 0)], v);
    T.copy(v, y[(by, 0)]);
}

#[tt::kernel]
fn parts<const M: usize, const N: usize>(x: &Tensor<bfp4, M, N>, y: &mut Tensor<bfp8, M, N>) {
    let by = T.Kernel(M.div_ceil(64));
    let v = T.alloc_shared::<bfp4>(64, 64);
    let acc = T.alloc_fragment::<bfp8>(64, 64);
    let sums = T.alloc_fragment::<bfp8>(64, 1);
    T.copy(x[(by * 64 + 1, 0)], v);
    T.clear(acc);
    for (i, j) in T.Parallel(64, 64) {
        acc[(i, j)] = v[(i, 5)];
    }
    T.gemm(v, v, acc);
    T.reduce_sum(acc, sums, dim = 1);
    T.copy(acc, y[(by * 64, 16)]);
    T.copy(sums, y[(by * 64, 0)]);
}

fn main() {}
