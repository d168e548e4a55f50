//! Element types that parse, and are not compiled yet.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<f16, M, N>, y: &mut Tensor<u16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<u32>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
