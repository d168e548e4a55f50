//! A tensor of seven axes, and one of none.
use tt::prelude::*;

#[tt::kernel]
fn copy(x: &Tensor<bf16, 1, 1, 1, 1, 1, 32, 32>, y: &Tensor<bf16>, z: &mut Tensor<bf16, 32, 32>) {
    let bx = T.Kernel(1);
}

fn main() {}
