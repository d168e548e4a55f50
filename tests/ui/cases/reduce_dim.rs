//! A reduction without its axis.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    let s = T.alloc_fragment::<f32>(64);
    T.reduce_sum(v, s);
    T.reduce_max(v, s, dim = 2);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
