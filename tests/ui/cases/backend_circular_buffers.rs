//! More blocks than a core has circular buffers.
use tt::prelude::*;

#[tt::kernel]
fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, alpha: f32, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let v = T.alloc_shared::<bf16>(32, 32);
    let b0 = T.alloc_shared::<bf16>(32, 32);
    let b1 = T.alloc_shared::<bf16>(32, 32);
    let b2 = T.alloc_shared::<bf16>(32, 32);
    let b3 = T.alloc_shared::<bf16>(32, 32);
    let b4 = T.alloc_shared::<bf16>(32, 32);
    let b5 = T.alloc_shared::<bf16>(32, 32);
    let b6 = T.alloc_shared::<bf16>(32, 32);
    let b7 = T.alloc_shared::<bf16>(32, 32);
    let b8 = T.alloc_shared::<bf16>(32, 32);
    let b9 = T.alloc_shared::<bf16>(32, 32);
    let b10 = T.alloc_shared::<bf16>(32, 32);
    let b11 = T.alloc_shared::<bf16>(32, 32);
    let b12 = T.alloc_shared::<bf16>(32, 32);
    let b13 = T.alloc_shared::<bf16>(32, 32);
    let b14 = T.alloc_shared::<bf16>(32, 32);
    let b15 = T.alloc_shared::<bf16>(32, 32);
    let b16 = T.alloc_shared::<bf16>(32, 32);
    let b17 = T.alloc_shared::<bf16>(32, 32);
    let b18 = T.alloc_shared::<bf16>(32, 32);
    let b19 = T.alloc_shared::<bf16>(32, 32);
    let b20 = T.alloc_shared::<bf16>(32, 32);
    let b21 = T.alloc_shared::<bf16>(32, 32);
    let b22 = T.alloc_shared::<bf16>(32, 32);
    let b23 = T.alloc_shared::<bf16>(32, 32);
    let b24 = T.alloc_shared::<bf16>(32, 32);
    let b25 = T.alloc_shared::<bf16>(32, 32);
    let b26 = T.alloc_shared::<bf16>(32, 32);
    let b27 = T.alloc_shared::<bf16>(32, 32);
    let b28 = T.alloc_shared::<bf16>(32, 32);
    let b29 = T.alloc_shared::<bf16>(32, 32);
    let b30 = T.alloc_shared::<bf16>(32, 32);
    let b31 = T.alloc_shared::<bf16>(32, 32);
    let b32 = T.alloc_shared::<bf16>(32, 32);
    let b33 = T.alloc_shared::<bf16>(32, 32);
    T.copy(x[(by * 64, bx * 64 + 0)], b0);
    T.copy(x[(by * 64, bx * 64 + 32)], b1);
    T.copy(x[(by * 64, bx * 64 + 64)], b2);
    T.copy(x[(by * 64, bx * 64 + 96)], b3);
    T.copy(x[(by * 64, bx * 64 + 128)], b4);
    T.copy(x[(by * 64, bx * 64 + 160)], b5);
    T.copy(x[(by * 64, bx * 64 + 192)], b6);
    T.copy(x[(by * 64, bx * 64 + 224)], b7);
    T.copy(x[(by * 64, bx * 64 + 256)], b8);
    T.copy(x[(by * 64, bx * 64 + 288)], b9);
    T.copy(x[(by * 64, bx * 64 + 320)], b10);
    T.copy(x[(by * 64, bx * 64 + 352)], b11);
    T.copy(x[(by * 64, bx * 64 + 384)], b12);
    T.copy(x[(by * 64, bx * 64 + 416)], b13);
    T.copy(x[(by * 64, bx * 64 + 448)], b14);
    T.copy(x[(by * 64, bx * 64 + 480)], b15);
    T.copy(x[(by * 64, bx * 64 + 512)], b16);
    T.copy(x[(by * 64, bx * 64 + 544)], b17);
    T.copy(x[(by * 64, bx * 64 + 576)], b18);
    T.copy(x[(by * 64, bx * 64 + 608)], b19);
    T.copy(x[(by * 64, bx * 64 + 640)], b20);
    T.copy(x[(by * 64, bx * 64 + 672)], b21);
    T.copy(x[(by * 64, bx * 64 + 704)], b22);
    T.copy(x[(by * 64, bx * 64 + 736)], b23);
    T.copy(x[(by * 64, bx * 64 + 768)], b24);
    T.copy(x[(by * 64, bx * 64 + 800)], b25);
    T.copy(x[(by * 64, bx * 64 + 832)], b26);
    T.copy(x[(by * 64, bx * 64 + 864)], b27);
    T.copy(x[(by * 64, bx * 64 + 896)], b28);
    T.copy(x[(by * 64, bx * 64 + 928)], b29);
    T.copy(x[(by * 64, bx * 64 + 960)], b30);
    T.copy(x[(by * 64, bx * 64 + 992)], b31);
    T.copy(x[(by * 64, bx * 64 + 1024)], b32);
    T.copy(x[(by * 64, bx * 64 + 1056)], b33);
    for (i, j) in T.Parallel(32, 32) {
        v[(i, j)] = b0[(i, j)] + b1[(i, j)] + b2[(i, j)] + b3[(i, j)] + b4[(i, j)] + b5[(i, j)] + b6[(i, j)] + b7[(i, j)] + b8[(i, j)] + b9[(i, j)] + b10[(i, j)] + b11[(i, j)] + b12[(i, j)] + b13[(i, j)] + b14[(i, j)] + b15[(i, j)] + b16[(i, j)] + b17[(i, j)] + b18[(i, j)] + b19[(i, j)] + b20[(i, j)] + b21[(i, j)] + b22[(i, j)] + b23[(i, j)] + b24[(i, j)] + b25[(i, j)] + b26[(i, j)] + b27[(i, j)] + b28[(i, j)] + b29[(i, j)] + b30[(i, j)] + b31[(i, j)] + b32[(i, j)] + b33[(i, j)];
    }
    T.copy(v, y[(by * 64, bx * 64)]);
}

fn main() {}
