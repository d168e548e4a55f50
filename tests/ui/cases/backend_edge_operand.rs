//! What is reduced lies past an edge that no condition on indices tells.
use tt::prelude::*;

// Neither side of the choice says which elements it keeps.
#[tt::kernel]
fn chosen<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<f32, M, 1>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 32);
    let m = T.alloc_fragment::<f32>(32);
    T.copy(x[(by * 32, bx * 32)], v);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = if i < 5 || j < 7 { v[(i, j)] } else { 1.0 };
    }
    T.reduce_sum(v, m, dim = 1);
    T.copy(m, y[(by * 32, 0)]);
}

fn main() {}
