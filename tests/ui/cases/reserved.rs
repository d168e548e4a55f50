//! Forms that are reserved, each refused by its name.
use tt::prelude::*;

#[tt::kernel(variants(E = [bf16, f32]))]
fn reserved<const M: usize, const N: usize>(
    #[layout(row_major)] x: &Tensor<f32, M, N>,
    bias: Option<&Tensor<f32, N>>,
    n: u32,
    y: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    assume(n > 0);
    let v = T.alloc_shared::<f32>(32, 32);
    let w = T.alloc_fragment::<f32>(32, 32);
    T.copy(x[(by * 32, bx * 32)], v, fill = 0.0);
    T.topk(v, w, w, dim = 1);
    T.cumsum(v, w, dim = 1);
    T.cummax(v, w, dim = 1);
    T.linear_scan(v, v, w);
    T.team_sum(v, w);
    T.team_max(v, w);
    T.team_min(v, w);
    tt::sfpu_op!(1);
    for (i, j) in T.Parallel(32, 32) {
        w[(i, j)] = T.uniform(n, i) + T.random(n, i) + T.read(v, (i, j), 0.0);
    }
    T.copy(w, y[(by * 32, bx * 32)]);
}

#[tt::kernel]
fn together<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<f32, M, N>) {
    let (bx, member) = T.Kernel(N.div_ceil(32), T.team(4));
    let v = T.alloc_shared::<f32>(32, 32);
    T.copy(x[(member * 32, bx * 32)], v);
    T.copy(v, y[(member * 32, bx * 32)]);
}

#[tt::kernel]
fn gathers<const M: usize, const N: usize>(
    table: &Tensor<bf16, M, N>,
    ids: &Tensor<i32, M>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 32);
    T.copy(table[(0..32, (0..64).step_by(2))], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] += table[(ids[by * 32 + i], bx * 32 + j)];
    }
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] += table[(i, j * 2)] + table[(i, j / 2)];
    }
    T.copy(v, y[(by * 32, bx * 32)]);
}

fn main() {}
