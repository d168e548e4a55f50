//! Columns that are rows of the tensor.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(
    z: &Tensor<bf16, M, N, 64>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(z[(by * 64..by * 64 + 64, bx * 64..bx * 64 + 64, 3)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
