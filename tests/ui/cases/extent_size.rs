//! Extents that the device cannot count to.
use tt::prelude::*;

#[tt::kernel]
fn wide(x: &Tensor<bf16, 32, 3000000000>, y: &mut Tensor<bf16, 32, 5000000000>) {
    let b = T.Kernel(1);
}

#[tt::kernel]
fn many(x: &Tensor<bf16, 32, 32>, y: &mut Tensor<bf16, 32, 32>) {
    let b = T.Kernel(3000000000);
    let v = T.alloc_shared::<bf16>(32, 32);
    for k in 0..65536 * 65536 {
        T.copy(x[(0, 0)], v);
    }
    T.copy(v, y[(0, 0)]);
}

fn main() {}
