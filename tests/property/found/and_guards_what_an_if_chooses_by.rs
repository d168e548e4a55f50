// The right side of `&&` and `||` is not looked at where the left one decides, also where they choose an integer.
// launch: n = 0
// options:
fn kernel(o: &mut Tensor<f32, 32, 32>, t: &Tensor<i32, 8>, n: i32) {
    let b = T.Kernel(1);
    let x = T.alloc_fragment::<f32>(32, 32);
    T.fill(x, if n != 0 && 100 / n > 3 { 2.0 } else { 1.0 });
    for k in 0..(if n == 0 || 100 % n > 3 { 7 } else { 1 }) {
        let p = t[k];
        let q = t[k + 1];
        let quotient = if q != 0 && p / q > 0 { 3 } else { 5 };
        let rest = if !(q != 0) || p % q == 0 { 7 } else { 9 };
        let sum = if p < 0 || p + -2147483648 > 5 { 11 } else { 13 };
        let both = if p < 1 && (p.min(2) + 2147483647 > 0 && q != 0) && p / q < 1 { 17 } else { 19 };
        for (i, j) in T.Parallel(32, 32) {
            x[(i, j)] = x[(i, j)] + (quotient + rest * i + sum * j + both * (i + j)) as f32;
        }
    }
    T.copy(x, o[(0, 0)]);
}
