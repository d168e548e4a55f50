//! Work before the grid.
use tt::prelude::*;

#[tt::kernel]
fn copy(x: &Tensor<bf16, 64, 64>, y: &mut Tensor<bf16, 64, 64>) {
    const H: usize = 32;
    let v = T.alloc_shared::<bf16>(H, 64);
    let bx = T.Kernel(2);
    T.copy(x[(bx * H, 0)], v);
    T.copy(v, y[(bx * H, 0)]);
}

fn main() {}
