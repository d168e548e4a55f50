//! Kernels where no module can stand.
use tt::prelude::*;

struct Model;

impl Model {
    #[tt::kernel]
    pub fn copy<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
        let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
        let v = T.alloc_shared::<bf16>(64, 64);
        T.copy(x[(by * 64, bx * 64)], v);
        T.copy(v, y[(by * 64, bx * 64)]);
    }
}

trait Layer {
    #[tt::kernel]
    fn forward<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
        let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
        let v = T.alloc_shared::<bf16>(64, 64);
        T.copy(x[(by * 64, bx * 64)], v);
        T.copy(v, y[(by * 64, bx * 64)]);
    }
}

fn run(x: &Tensor<bf16, 2>, y: &mut Tensor<bf16, 2>) -> Result<()> {
    Model::copy(x, y).run()
}

fn main() {}
