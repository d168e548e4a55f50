//! Callers of a wrong kernel give no further errors.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.clear(missing);
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn run(x: &tt::Tensor<bf16, 2>, y: &mut tt::Tensor<bf16, 2>) -> tt::Result<()> {
    println!("{} {}", scale::PLAN, scale::SOURCES.reader);
    scale(x, 1.0, 3, y).run()
}

fn main() {}
