//! Callers of a wrong kernel give no further errors, nor does what stands in its place, whatever is wrong with its head.
use tt::prelude::*;

#[tt::kernel]
fn scale<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, n: u32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(64, 64);
    T.copy(x[(by * 64, bx * 64)], v);
    T.clear(missing);
    T.copy(v, y[(by * 64, bx * 64)]);
}

#[tt::kernel]
async unsafe fn kind<const M: usize>(x: &Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
}

#[tt::kernel]
fn returns<const M: usize>(x: &Tensor<bf16, M, 64>) -> Tensor<bf16, M, 64> {
    let by = T.Kernel(M.div_ceil(64));
}

#[tt::kernel]
fn generic<E: Copy, const M: usize>(x: &Tensor<E, M, 64>, y: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
}

#[tt::kernel]
fn parameters<const M: usize>(w: &[f32], x: Tensor<bf16, M, 64>, z: &Tensro<bf16, M, 64>, n: usize, p: f64) {
    let by = T.Kernel(M.div_ceil(64));
}

#[tt::kernel]
fn elements<const M: usize>(x: &Tensor<f64, M, 64>, y: &mut Tensor<bf61, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
}

#[tt::kernel]
fn shapes<const M: usize, const K: usize>(x: &Tensor<bf16, M, D>, y: &Tensor<bf16>, z: &Tensor<bf16, 1, 1, 1, 1, 1, 32, 32>) {
    let by = T.Kernel(M.div_ceil(64));
}

#[tt::kernel]
fn names<const M: usize>(x: &Tensor<bf16, M, 64>, x: &mut Tensor<bf16, M, 64>, mut n: u32, (p, q): f32) {
    let by = T.Kernel(M.div_ceil(64));
}

#[tt::kernel]
#[inline(always)]
fn attributes<const M: usize>(#[layout(hight_sharded(8))] x: &Tensor<bf16, M, 64>, y: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(64));
}

#[tt::kernel(variants(BM = [32, 64], r#loop = [1]))]
fn variants<const M: usize>(x: &Tensor<bf16, M, 64>, y: &mut Tensor<bf16, M, 64>) {
    let by = T.Kernel(M.div_ceil(BM));
    T.clear(missing);
}

fn run(w: &[f32], x: &Tensor<bf16, 2>, y: &mut Tensor<bf16, 2>) -> Result<()> {
    println!("{} {}", scale::PLAN, scale::SOURCES.reader);
    scale(x, 1.0, 3, y).run()?;
    kind(x).run()?;
    returns(x).run()?;
    generic(x, y).run()?;
    parameters(w, x, x, 3, 1.0).run()?;
    elements(x, y).run()?;
    shapes(x, x, x).run()?;
    names(x, y, 3, 1.0).run()?;
    variants(x, y).with(variants::BM(64)).with(variants::r#loop(1)).run()?;
    attributes(x, y).run()
}

fn main() {}
