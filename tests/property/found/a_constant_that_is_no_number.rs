// NaN is not equal to itself: passes that compare kernels, or conditions, to see that nothing is left to do found something for ever.
// launch: n = 1
// options:
fn kernel(o: &mut Tensor<f32, 32, 64>, n: i32) {
    let b = T.Kernel(2);
    let x = T.alloc_fragment::<f32>(32, 32);
    T.fill(x, f32::NAN);
    T.fill(x, 1.0);
    // What NaN makes is unspecified: compiled, and not run.
    if n > 1 {
        for (i, j) in T.Parallel(32, 32) {
            let known = if 0.0 / 0.0 < 1.0 { 1.0 } else { 2.0 };
            let at_launch = if f32::NAN > n as f32 { 3.0 } else { 4.0 };
            let of_block = if !(f32::INFINITY - f32::INFINITY != b as f32) { 5.0 } else { 6.0 };
            x[(i, j)] = if i < 3 { known + at_launch } else { of_block * f32::NAN };
        }
    }
    T.copy(x, o[(0, b * 32)]);
}
