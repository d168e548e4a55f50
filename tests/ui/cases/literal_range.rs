//! Whole literals that are no element of the type that they are used as.
use tt::prelude::*;

#[tt::kernel]
fn levels<const M: usize, const N: usize>(x: &Tensor<u8, M, N>, y: &mut Tensor<i8, M, N>, z: &mut Tensor<i32, M, N>) {
    const TOP: usize = 200;
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<u8>(64, 64);
    let q = T.alloc_shared::<i8>(64, 64);
    let p = T.alloc_shared::<i32>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.fill(q, 128);
    T.fill(p, 2147483648);
    for (i, j) in T.Parallel(64, 64) {
        q[(i, j)] = if v[(i, j)] > 255 && v[(i, j)] >= -1 { TOP } else { -128 };
        p[(i, j)] = p[(i, j)] / 0 + 300;
        p[(i, j)] <<= 32;
        y[(by * 64 + i, bx * 64 + j)] = if v[(i, j)] == 256 { q[(i, j)] } else { 300 as i8 };
    }
    T.copy(p, z[(by * 64, bx * 64)]);
}

fn main() {}
