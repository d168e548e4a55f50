//! An order by shards, of a kernel whose tensors have none.
use tt::prelude::*;

#[tt::kernel(order = match_shard)]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
