// What `^` of a mask and of numbers chooses is true or false, where the numbers are known: the compiler split that for ever.
// launch: N = 40, alpha = 2
// options:
fn kernel<const N: usize>(o3: &mut Tensor<f32, 32, N>, alpha: f32) {
    let bx = T.Kernel(N.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 32);
    for (i, j) in T.Parallel(32, 32) {
        x[(i, j)] = (if (i < j) ^ (alpha > 1.0) { 1.0 } else { 2.0 }) + (((j > 3) ^ (-1.0 > alpha)) as i32 as f32);
    }
    T.copy(x, o3[(0, bx * 32)]);
}
