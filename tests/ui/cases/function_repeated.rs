//! A function that is written out more often from call to call.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    fn f0(q: f32) -> f32 {
        q * q
    }
    fn f1(q: f32) -> f32 {
        f0(q) + f0(q) - f0(q)
    }
    fn f2(q: f32) -> f32 {
        f1(q) + f1(q) - f1(q)
    }
    fn f3(q: f32) -> f32 {
        f2(q) + f2(q) - f2(q)
    }
    fn f4(q: f32) -> f32 {
        f3(q) + f3(q) - f3(q)
    }
    fn f5(q: f32) -> f32 {
        f4(q) + f4(q) - f4(q)
    }
    fn f6(q: f32) -> f32 {
        f5(q) + f5(q) - f5(q)
    }
    fn f7(q: f32) -> f32 {
        f6(q) + f6(q) - f6(q)
    }
    fn f8(q: f32) -> f32 {
        f7(q) + f7(q) - f7(q)
    }
    T.copy(x[(by * 64, bx * 64)], v);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = f8(v[(i, j)]);
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
