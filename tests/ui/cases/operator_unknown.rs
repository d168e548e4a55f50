//! Operators that the language does not have.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    let q = T.alloc_shared::<i32>(64, 64);
    T.clear(q);
    T.copy(x[(by * 64 + (n << 1), bx * 64)], v);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] = v[(i, j)] ^ 2.0 + ((n << 1) as f32);
        v[(i, j)] = (v[(i, j)] & 1) + v[(i, j)].to_bits(1);
        v[(i, j)] |= 2.0;
        q[(i, j)] = q[(i, j)] % 3 + (q[(i, j)] << 32) + (1 << 31);
        q[(i, j)] %= 3;
        q[(i, j)] = q[(i, j)].exp() + q[(i, j)].to_bits();
        v[(i, j)] = f32::from_bits(v[(i, j)]) + f32::from_bits(1, 2);
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
