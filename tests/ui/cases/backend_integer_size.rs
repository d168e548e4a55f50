//! An integer of block indices that is long where it is written out.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    let p = (bx / 3).max(bx % 5);
    let q = (p / 3).max(p % 5);
    let r = (q / 3).max(q % 5);
    let s = (r / 3).max(r % 5);
    let t = (s / 3).max(s % 5);
    let u = (t / 3).max(t % 5);
    T.copy(x[(by * 64, u * 64)], v);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
