//! The types of a signature are imported like any others.
#[tt::kernel]
fn clear<const M: usize>(x: &mut Tensor<f32, M, 32>) {
    let by = T.Kernel(M.div_ceil(32));
    let v = T.alloc_shared::<f32>(32, 32);
    T.clear(v);
    T.copy(v, x[(by * 32, 0)]);
}

fn main() {}
