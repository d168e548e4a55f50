//! Kernels after whose branches and loops the engines may be in either of two states.
use tt::prelude::*;

#[tt::kernel]
pub fn branches<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<f32, M, N>,
    n: u32,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let w = T.alloc_shared::<f32>(32, 32);
    let y = T.alloc_fragment::<f32>(32, 32);
    T.copy(a[(by * 32, bx * 32)], x);
    T.copy(b[(by * 32, bx * 32)], w);
    if (bx + by) % 2 == 0 {
        for (i, j) in T.Parallel(32, 32) {
            y[(i, j)] = x[(i, j)].exp();
        }
    } else {
        for (i, j) in T.Parallel(32, 32) {
            y[(i, j)] = w[(i, j)].exp().tanh();
        }
    }
    for (i, j) in T.Parallel(32, 32) {
        y[(i, j)] = x[(i, j)].exp() - y[(i, j)];
    }
    for k in 0..n {
        for (i, j) in T.Parallel(32, 32) {
            y[(i, j)] = w[(i, j)].tanh() + y[(i, j)];
        }
    }
    for (i, j) in T.Parallel(32, 32) {
        y[(i, j)] = w[(i, j)] + y[(i, j)];
    }
    T.copy(y, c[(by * 32, bx * 32)]);
}
