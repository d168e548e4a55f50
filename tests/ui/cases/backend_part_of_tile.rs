//! Stores that would leave out some of the elements that share an exponent.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bfp8, M, 64>) {
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<bf16>(32, 64);
    T.copy(x[(by * 32, 0)], v);
    T.copy(v, y[(by * 32, 0)]);
}

fn main() {}
