//! An integer that uses another twice, line by line.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    let q0 = n * n;
    let q1 = q0 * q0;
    let q2 = q1 * q1;
    let q3 = q2 * q2;
    let q4 = q3 * q3;
    let q5 = q4 * q4;
    let q6 = q5 * q5;
    let q7 = q6 * q6;
    let q8 = q7 * q7;
    let q9 = q8 * q8;
    T.copy(x[(q9, 0)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
