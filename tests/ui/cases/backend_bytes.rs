//! What integers of 8 bits are not for.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<u8, M, N>, y: &mut Tensor<i8, M, N>) {
    let by = T.Kernel(M.div_ceil(64));
    let a = T.alloc_shared::<u8>(64, 64);
    let b = T.alloc_shared::<i8>(64, 64);
    let c = T.alloc_shared::<u8>(64, 64);
    let n = T.alloc_shared::<i32>(64, 64);
    T.copy(x[(by * 64, 0)], a);
    T.copy(x[(by * 64, 16)], c);
    T.copy(a, b);
    T.copy(a, n);
    for (i, j) in T.Parallel(64, 64) {
        b[(i, j)] = -b[(i, j)];
    }
    for (i, j) in T.Parallel(64, 64) {
        b[(i, j)] += 1;
    }
    for (i, j) in T.Parallel(64, 64) {
        n[(i, j)] = a[(i, j)] + n[(i, j)];
    }
    for (i, j) in T.Parallel(64, 64) {
        n[(i, j)] = a[(i, 0)] as i32;
    }
    for (i, j) in T.Parallel(64, 64) {
        b[(i, j)] = a[(i, j)];
    }
    for (i, j) in T.Parallel(64, 64) {
        n[(i, j)] = a[(i, j)] as u16 as i32;
    }
    for (i, j) in T.Parallel(64, 64) {
        c[(i, j)] = a[(by, j)];
    }
    T.transpose(a, c);
    T.copy(b, y[(by * 64, 0)]);
}

fn main() {}
