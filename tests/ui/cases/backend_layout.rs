//! Shards that cut tiles.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(
    #[layout(l1, nd_sharded(axes = "M N", grid = [8, 1], shard = [48, 64]))] x: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
