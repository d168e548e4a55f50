// The right side of `&&` and `||` is not looked at where the left one decides, also where they choose an integer.
// launch: n = 0
// options:
fn kernel(o: &mut Tensor<f32, 32, 32>, t: &Tensor<i32, 8>, n: i32) {
    let b = T.Kernel(1);
    let x = T.alloc_fragment::<f32>(32, 32);
    T.clear(x);
    for k in 0..(if n == 0 || 100 % n > 3 { 7 } else { 1 }) {
        let p = t[k];
        let q = t[k + 1];
        let quotient = if q != 0 && p / q > 0 { 3 } else { 5 };
        let rest = if !(q != 0) || p % q == 0 { 7 } else { 9 };
        for (i, j) in T.Parallel(32, 32) {
            x[(i, j)] += quotient as f32;
            x[(i, j)] += rest as f32;
        }
    }
    T.copy(x, o[(0, 0)]);
}
