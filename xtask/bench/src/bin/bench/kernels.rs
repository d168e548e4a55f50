//! The kernels that are measured.

use tt::prelude::*;

/// C = A · B. Of operands one block is in flight: where the emulator reads, it does not compute, and two take more of the host's caches.
/// Nor are they multicast: cores that wait for each other take turns, so that the sums of each leave the caches.
#[tt::kernel(multicast = off)]
pub fn matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(256), M.div_ceil(256));
    let a_block = T.alloc_shared::<bf16>(256, 512);
    let b_block = T.alloc_shared::<bf16>(512, 256);
    let acc = T.alloc_fragment::<f32>(256, 256);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(512), num_stages = 1) {
        T.copy(a[(by * 256, k * 512)], a_block);
        T.copy(b[(k * 512, bx * 256)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * 256, bx * 256)]);
}

/// The same in all phases of the multipliers: as many bits as an `f32` product of such numbers has.
#[tt::kernel(fidelity = HiFi4, multicast = off)]
pub fn whole_matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(256), M.div_ceil(256));
    let a_block = T.alloc_shared::<bf16>(256, 512);
    let b_block = T.alloc_shared::<bf16>(512, 256);
    let acc = T.alloc_fragment::<f32>(256, 256);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(512), num_stages = 1) {
        T.copy(a[(by * 256, k * 512)], a_block);
        T.copy(b[(k * 512, bx * 256)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * 256, bx * 256)]);
}

/// The same with sums in bf16, in registers of 16 bits.
#[tt::kernel(multicast = off)]
pub fn narrow_matmul<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(256), M.div_ceil(256));
    let a_block = T.alloc_shared::<bf16>(256, 512);
    let b_block = T.alloc_shared::<bf16>(512, 256);
    let acc = T.alloc_fragment::<bf16>(256, 256);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(512), num_stages = 1) {
        T.copy(a[(by * 256, k * 512)], a_block);
        T.copy(b[(k * 512, bx * 256)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * 256, bx * 256)]);
}

/// y = relu(A · B + C)
#[tt::kernel(multicast = off)]
pub fn matmul_relu<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(256), M.div_ceil(256));
    let a_block = T.alloc_shared::<bf16>(256, 512);
    let b_block = T.alloc_shared::<bf16>(512, 256);
    let c_block = T.alloc_shared::<bf16>(256, 256);
    let acc = T.alloc_fragment::<f32>(256, 256);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(512), num_stages = 1) {
        T.copy(a[(by * 256, k * 512)], a_block);
        T.copy(b[(k * 512, bx * 256)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(c[(by * 256, bx * 256)], c_block);
    for (i, j) in T.Parallel(256, 256) {
        acc[(i, j)] = (acc[(i, j)] + c_block[(i, j)]).relu();
    }
    T.copy(acc, y[(by * 256, bx * 256)]);
}

/// The same in all phases of the multipliers.
#[tt::kernel(fidelity = HiFi4, multicast = off)]
pub fn whole_matmul_relu<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(256), M.div_ceil(256));
    let a_block = T.alloc_shared::<bf16>(256, 512);
    let b_block = T.alloc_shared::<bf16>(512, 256);
    let c_block = T.alloc_shared::<bf16>(256, 256);
    let acc = T.alloc_fragment::<f32>(256, 256);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(512), num_stages = 1) {
        T.copy(a[(by * 256, k * 512)], a_block);
        T.copy(b[(k * 512, bx * 256)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(c[(by * 256, bx * 256)], c_block);
    for (i, j) in T.Parallel(256, 256) {
        acc[(i, j)] = (acc[(i, j)] + c_block[(i, j)]).relu();
    }
    T.copy(acc, y[(by * 256, bx * 256)]);
}

/// c = a + b
#[tt::kernel]
pub fn add<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<bf16, M, N>, c: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    let x = T.alloc_shared::<bf16>(128, 128);
    let y = T.alloc_shared::<bf16>(128, 128);
    let z = T.alloc_shared::<bf16>(128, 128);
    T.copy(a[(by * 128, bx * 128)], x);
    T.copy(b[(by * 128, bx * 128)], y);
    for (i, j) in T.Parallel(128, 128) {
        z[(i, j)] = x[(i, j)] + y[(i, j)];
    }
    T.copy(z, c[(by * 128, bx * 128)]);
}

/// y = (a · b + c) · d, element by element
#[tt::kernel]
pub fn multiply_add<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    b: &Tensor<bf16, M, N>,
    c: &Tensor<bf16, M, N>,
    d: &Tensor<bf16, M, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));
    for (i, j) in T.Parallel(128, 128) {
        y[(by * 128 + i, bx * 128 + j)] = (a[(by * 128 + i, bx * 128 + j)] * b[(by * 128 + i, bx * 128 + j)]
            + c[(by * 128 + i, bx * 128 + j)])
            * d[(by * 128 + i, bx * 128 + j)];
    }
}
