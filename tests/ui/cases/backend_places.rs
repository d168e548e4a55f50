//! Three indices that each may mean one of nine blocks.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    let z = T.alloc_shared::<bf16>(9, 64, 64);
    T.clear(z);
    for (i, j) in T.Parallel(64, 64) {
        z[(n % 9, i, j)] = if i < j { z[(bx % 9, i, j)] } else { z[(by % 9, i, j)] };
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
