//! A kernel with two grids.
use tt::prelude::*;

#[tt::kernel]
fn copy(x: &Tensor<bf16, 64, 64>, y: &mut Tensor<bf16, 64, 64>) {
    let bx = T.Kernel(2);
    let by = T.Kernel(2);
    let v = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(bx * 32, 0)], v);
    T.copy(v, y[(bx * 32, 0)]);
}

fn main() {}
