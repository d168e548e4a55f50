// An element that lies before its tensor stands for a block that is stored in a later turn: zeros were stored.
// wrong on emulator:wormhole_b0, Shape { m: 32, n: 32, k: 64, l: 2, count: 2, alpha: -1, seed: 686986391 }: the device says o5[1024 of [2, 32, 32]] is 0, plain loops 1; 852 of 2048 differ
// launch: L = 2, M = 32, N = 32, K = 64, n = 2, alpha = -1
// options: 
fn kernel(
    o5: &mut Tensor<i32, 2, 32, 32>,
    t: &Tensor<i32, 4>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(1, 1);
    let b3 = T.alloc_shared::<i32>(32, 32);
    T.copy(o5[(0, by * 32, bx * 32 - 1)], b3);
    for k0 in 0..2 {
        T.copy(b3, o5[(k0, by * 32, bx * 32 - 1)]);
        for (i, j) in T.Parallel(32, 32) {
            b3[(i, j)] = b3[(0, 0)];
        }
    }
}
