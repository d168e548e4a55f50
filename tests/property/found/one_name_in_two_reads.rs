// Two reads each have a variable of the same name, of which one counts under a condition that cores may not share: the verifier took
// the other's for the same.
// launch: n = 2, alpha = 1
// options: multicast = auto
fn kernel(
    p1: &Tensor<bf16, 32, 64>,
    q2: &Tensor<bf16, 64, 32>,
    o3: &mut Tensor<bf16, 2, 32, 32>,
    t: &Tensor<i32, 4>,
    alpha: f32,
    n: u32,
) {
    let (bx, by) = T.Kernel(1, 1);
    let sums = T.alloc_shared::<bf16>(32, 32);
    let a = T.alloc_shared::<bf16>(32, 32);
    let b = T.alloc_shared::<bf16>(32, 32);
    T.fill(sums, 2.0);
    T.fill(a, 1.0);
    if t[3] < 0 {
        T.copy(p1[(by * 32, 0)], a);
    }
    T.copy(q2[(32, bx * 32)], b);
    T.gemm(a, b, sums);
    T.copy(sums, o3[(0, by * 32, bx * 32)]);
}
