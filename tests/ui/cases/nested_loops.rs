//! Seventeen loops within each other.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    for a in 0..n { for b in 0..n { for c in 0..n { for d in 0..n {
    for e in 0..n { for f in 0..n { for g in 0..n { for h in 0..n {
    for o in 0..n { for p in 0..n { for q in 0..n { for r in 0..n {
    for s in 0..n { for t in 0..n { for u in 0..n { for w in 0..n {
        for z in 0..n {
            T.fill(v, alpha);
        }
    } } } }
    } } } }
    } } } }
    } } } }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
