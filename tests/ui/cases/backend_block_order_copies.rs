//! An order by shards, of a kernel that copies each of its tensors otherwise.
use tt::prelude::*;

#[tt::kernel(order = match_shard)]
fn kernel(
    #[layout(l1, height_sharded(4))] a: &Tensor<f32, 256, 64>,
    #[layout(l1, height_sharded(4))] b: &Tensor<f32, 256, 64>,
    #[layout(l1, height_sharded(4))] c: &mut Tensor<f32, 256, 64>,
) {
    let by = T.Kernel(8);
    let v = T.alloc_shared::<f32>(32, 64);
    let w = T.alloc_shared::<f32>(16, 64);
    T.copy(a[((by + 3) % 8 * 32, 0)], v);
    T.copy(v, c[(by * 32, 0)]);
    for k in 0..2 {
        T.copy(b[(by * 32 + k * 16, 0)], w);
        T.print(w);
    }
}

fn main() {}
