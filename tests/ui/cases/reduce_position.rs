//! What holds the positions of a reduction, and the values.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, y: &mut Tensor<i32, M, 1>) {
    let by = T.Kernel(M.div_ceil(64));
    let v = T.alloc_shared::<f32>(64, 64);
    let whole = T.alloc_shared::<i32>(64, 64);
    let top = T.alloc_fragment::<f32>(64);
    let other = T.alloc_fragment::<f32>(64);
    let at = T.alloc_fragment::<i32>(64);
    let one = T.alloc_fragment::<i32>(1);
    T.copy(x[(by * 64, 0)], v);
    T.clear(whole);
    T.clear(top);
    T.reduce_argmax(v, top, other, dim = 1);
    T.reduce_argmax(whole, top, at, dim = 1);
    T.reduce_argmin(v, at, at, dim = 1);
    T.reduce_argmin(v, _, at, dim = 1, clear = false);
    T.reduce_argmax(v, _, one, dim = (0, 1));
    T.reduce_argmax(v, top, one, dim = 1);
    T.reduce_argmax(v, top, at, dim = 1, base = top[0]);
    T.copy(at, y[(by * 64, 0)]);
}

fn main() {}
