//! Tensors of another element type or rank, an output that is not borrowed mutably, a scalar of another type and one too few
//! are type errors at the call.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    for (i, j) in T.Parallel(64, 64) {
        v[(i, j)] *= alpha;
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn element_type(x: &Tensor<f32, 2>, y: &mut Tensor<bf16, 2>) -> tt::Result<()> {
    scale(x, 1.0, y).run()
}

fn mutability(x: &Tensor<bf16, 2>, y: &Tensor<bf16, 2>) -> tt::Result<()> {
    scale(x, 1.0, y).run()
}

fn rank(x: &Tensor<bf16, 3>, y: &mut Tensor<bf16, 2>) -> tt::Result<()> {
    scale(x, 1.0, y).run()
}

fn scalar(x: &Tensor<bf16, 2>, y: &mut Tensor<bf16, 2>) -> tt::Result<()> {
    scale(x, 2, y).run()?;
    scale(x, y).run()
}

fn main() {}
