// A block that begins behind the edge reads the elements before the edge with it, and wants none of them: EMU0421 took them for read.
// launch: L = 1, M = 32, N = 36
// options:
fn kernel<const L: usize, const M: usize, const N: usize>(o4: &mut Tensor<bf16, L, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let b1 = T.alloc_shared::<bf16>(32, 32);
    T.copy(o4[(0, by * 32, bx * 32 + 9)], b1);
    T.copy(b1, o4[(0, by * 32, bx * 32 + 9)]);
}
