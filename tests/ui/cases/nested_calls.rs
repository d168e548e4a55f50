//! Functions that call each other, seventeen deep.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    fn f0(x: f32) -> f32 { x + 1.0 }
    fn f1(x: f32) -> f32 { f0(x) * 2.0 }
    fn f2(x: f32) -> f32 { f1(x) * 2.0 }
    fn f3(x: f32) -> f32 { f2(x) * 2.0 }
    fn f4(x: f32) -> f32 { f3(x) * 2.0 }
    fn f5(x: f32) -> f32 { f4(x) * 2.0 }
    fn f6(x: f32) -> f32 { f5(x) * 2.0 }
    fn f7(x: f32) -> f32 { f6(x) * 2.0 }
    fn f8(x: f32) -> f32 { f7(x) * 2.0 }
    fn f9(x: f32) -> f32 { f8(x) * 2.0 }
    fn f10(x: f32) -> f32 { f9(x) * 2.0 }
    fn f11(x: f32) -> f32 { f10(x) * 2.0 }
    fn f12(x: f32) -> f32 { f11(x) * 2.0 }
    fn f13(x: f32) -> f32 { f12(x) * 2.0 }
    fn f14(x: f32) -> f32 { f13(x) * 2.0 }
    fn f15(x: f32) -> f32 { f14(x) * 2.0 }
    fn f16(x: f32) -> f32 { f15(x) * 2.0 }
    T.fill(v, f16(alpha));
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
