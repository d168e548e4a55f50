//! The 256×256 matmul that the TIR specifications follow through every pass: an 8×8 grid of 32×32 blocks.
use tt::prelude::*;

#[tt::kernel]
pub fn matmul_256(a: &Tensor<bf16, 256, 256>, b: &Tensor<bf16, 256, 256>, c: &mut Tensor<bf16, 256, 256>) {
    let (bx, by) = T.Kernel(8, 8);
    let a_tile = T.alloc_fragment::<bf16>(32, 32);
    let b_tile = T.alloc_fragment::<bf16>(32, 32);
    let c_tile = T.alloc_fragment::<f32>(32, 32);

    T.clear(c_tile);
    for step in 0..8 {
        T.copy(a[(by * 32..(by + 1) * 32, step * 32..(step + 1) * 32)], a_tile);
        T.copy(b[(step * 32..(step + 1) * 32, bx * 32..(bx + 1) * 32)], b_tile);
        T.gemm(a_tile, b_tile, c_tile);
    }
    T.copy(c_tile, c[(by * 32..(by + 1) * 32, bx * 32..(bx + 1) * 32)]);
}

/// The same product as a three-index parallel loop, straight on the tensors.
#[tt::kernel]
pub fn matmul_256_loops(a: &Tensor<bf16, 256, 256>, b: &Tensor<bf16, 256, 256>, c: &mut Tensor<bf16, 256, 256>) {
    let (bx, by) = T.Kernel(8, 8);
    let sum = T.alloc_fragment::<f32>(32, 32);
    T.clear(sum);
    for kt in T.serial(8) {
        for (i, j, k) in T.Parallel(32, 32, 32) {
            sum[(i, j)] += a[(by * 32 + i, kt * 32 + k)] * b[(kt * 32 + k, bx * 32 + j)];
        }
    }
    T.copy(sum, c[(by * 32, bx * 32)]);
}
