//! Too many blocks in flight for L1.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(256, 256);
    let acc = T.alloc_fragment::<f32>(256, 256);
    T.clear(acc);
    for k in T.Pipelined(N.div_ceil(256), num_stages = 12) {
        T.copy(x[(by * 256, k * 256)], v);
        for (i, j) in T.Parallel(256, 256) {
            acc[(i, j)] += v[(i, j)];
        }
    }
    T.copy(acc, y[(by * 256, bx * 256)]);
}

fn main() {}
