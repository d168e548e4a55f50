//! Expressions that are deeper than a compiler's stack takes.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((v[(i, j)]))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[tt::kernel]
fn sum<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    for (i, j) in T.Parallel(64, 64) {
        y[(by * 64 + i, bx * 64 + j)] = x[(by * 64 + i, bx * 64 + j)]
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha + alpha
            + alpha;
    }
}

fn main() {}
