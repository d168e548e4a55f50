//! 2-D convolution of an NHWC tensor with filters (KH, KW, C, F), and depthwise convolution with filters (KH, KW, C).
//!
//! The first is an implicit gemm: no matrix of patches is ever made. A block of the grid makes 32 pixels of a row of the output by
//! 64 filters, and its sums stay in L1. For each place of the filter and each 64 channels it reads the region of the input that
//! lies under its pixels, which is 32 pixels by 64 channels from wherever that begins, and multiplies it by the weights of that place.
//! A region may begin before the tensor and end after it: what lies outside has no value and is not summed, which is padding with
//! zeros. The input is read KH · KW times for every 64 filters, each filter once for every 32 pixels of a row.
//!
//! The second has a sum for each channel, so nothing to multiply as matrices: it adds up products of elements, pixels down the
//! tile and channels along it. Its stride along both axes is 2: an index of rows may have a constant factor.
//!
//!     cargo run --release --example convolution

mod support;

use std::process::ExitCode;
use support::{PRODUCTS, ROUNDED_ONCE, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

/// Stride 1; `padding` pixels of zeros around the input, `dilation` pixels from one place of the filter to the next.
#[tt::kernel]
fn convolution<
    const B: usize,
    const H: usize,
    const W: usize,
    const C: usize,
    const KH: usize,
    const KW: usize,
    const F: usize,
    const OH: usize,
    const OW: usize,
>(
    x: &Tensor<bf16, B, H, W, C>,
    filters: &Tensor<bf16, KH, KW, C, F>,
    bias: &Tensor<bf16, F>,
    padding: i32,
    dilation: i32,
    y: &mut Tensor<bf16, B, OH, OW, F>,
) {
    let (f, column, row, image) = T.Kernel(F.div_ceil(64), OW.div_ceil(32), OH, B);
    let pixels = T.alloc_shared::<bf16>(32, 64);
    let weights = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(32, 64);
    let parts = C.div_ceil(64);
    T.clear(acc);
    // One loop over the places of the filter and the channels, so that reading goes on from one to the next.
    for turn in T.Pipelined(KH * KW * parts, num_stages = 2) {
        let kh = turn / parts / KW;
        let kw = turn / parts % KW;
        let c = turn % parts * 64;
        let h = row + kh * dilation - padding;
        let w = column * 32 + kw * dilation - padding;
        T.copy(x[(image, h, w..w + 32, c..c + 64)], pixels);
        T.copy(filters[(kh, kw, c, f * 64)], weights);
        T.gemm(pixels, weights, acc);
    }
    for (i, j) in T.Parallel(32, 64) {
        acc[(i, j)] += bias[f * 64 + j];
    }
    T.copy(acc, y[(image, row, column * 32, f * 64)]);
}

/// Stride 2 along both axes.
#[tt::kernel]
fn depthwise<
    const B: usize,
    const H: usize,
    const W: usize,
    const C: usize,
    const KH: usize,
    const KW: usize,
    const OH: usize,
    const OW: usize,
>(
    x: &Tensor<bf16, B, H, W, C>,
    filters: &Tensor<bf16, KH, KW, C>,
    bias: &Tensor<bf16, C>,
    padding: i32,
    y: &mut Tensor<bf16, B, OH, OW, C>,
) {
    let (c, column, row, image) = T.Kernel(C.div_ceil(64), OW.div_ceil(32), OH, B);
    let acc = T.alloc_fragment::<f32>(32, 64);
    for (i, j) in T.Parallel(32, 64) {
        acc[(i, j)] = bias[c * 64 + j];
    }
    for place in T.Pipelined(KH * KW, num_stages = 2) {
        let kh = place / KW;
        let kw = place % KW;
        let h = row * 2 + kh - padding;
        let w = column * 64 + kw - padding;
        for (i, j) in T.Parallel(32, 64) {
            acc[(i, j)] += x[(image, h, w + 2 * i, c * 64 + j)] * filters[(kh, kw, c * 64 + j)];
        }
    }
    T.copy(acc, y[(image, row, column * 32, c * 64)]);
}

fn main() -> ExitCode {
    on_both_chips(run)
}

/// How the output is convolved on the host: by every filter, or each channel by its own where there are none (`f` is 0).
struct Shape {
    images: usize,
    input: [usize; 3],
    kernel: [usize; 2],
    f: usize,
    padding: usize,
    stride: usize,
    dilation: usize,
}

impl Shape {
    fn output(&self) -> [usize; 2] {
        [0, 1].map(|axis| {
            let covered = (self.kernel[axis] - 1) * self.dilation + 1;
            (self.input[axis] + 2 * self.padding - covered) / self.stride + 1
        })
    }

    fn by_loops(&self, x: &[f64], filters: &[f64], bias: &[f64]) -> Vec<f64> {
        let ([h, w, c], [oh, ow], [kh, kw]) = (self.input, self.output(), self.kernel);
        let outputs = if self.f == 0 { c } else { self.f };
        let mut out = Vec::new();
        for at in 0..self.images * oh * ow * outputs {
            let (to, pixel) = (at % outputs, at / outputs);
            let (column, row, image) = (pixel % ow, pixel / ow % oh, pixel / (ow * oh));
            let mut sum = bias[to];
            for place in 0..kh * kw {
                let y = (row * self.stride + place / kw * self.dilation).wrapping_sub(self.padding);
                let left = (column * self.stride + place % kw * self.dilation).wrapping_sub(self.padding);
                if y >= h || left >= w {
                    continue;
                }
                let under = &x[((image * h + y) * w + left) * c..][..c];
                sum += match self.f {
                    0 => under[to] * filters[place * c + to],
                    f => (0..c).map(|at| under[at] * filters[(place * c + at) * f + to]).sum(),
                };
            }
            out.push(sum);
        }
        out
    }
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    #[rustfmt::skip]
    let shapes = [
        Shape { images: 1, input: [4, 32, 64], kernel: [3, 3], f: 64, padding: 1, stride: 1, dilation: 1 },
        Shape { images: 2, input: [5, 37, 20], kernel: [3, 3], f: 40, padding: 2, stride: 1, dilation: 2 },
        Shape { images: 1, input: [7, 9, 70], kernel: [2, 5], f: 3, padding: 0, stride: 1, dilation: 1 },
        Shape { images: 1, input: [8, 64, 64], kernel: [3, 3], f: 0, padding: 1, stride: 2, dilation: 1 },
        Shape { images: 2, input: [7, 75, 40], kernel: [5, 3], f: 0, padding: 2, stride: 2, dilation: 1 },
    ];
    for shape in &shapes {
        let (b, [h, w, c], [kh, kw], [oh, ow], f) = (shape.images, shape.input, shape.kernel, shape.output(), shape.f);
        let outputs = if f == 0 { c } else { f };
        let x_host = numbers(b * h * w * c, 1);
        let filters_host = numbers(kh * kw * c * f.max(1), 2);
        let bias_host = numbers(outputs, 3);
        let x = device.upload(&x_host, [b, h, w, c])?;
        let bias = device.upload(&bias_host, [outputs])?;
        let mut y = device.zeros::<bf16>([b, oh, ow, outputs])?;
        let padding = shape.padding as i32;
        let profile = if f == 0 {
            let filters = device.upload(&filters_host, [kh, kw, c])?;
            depthwise(&x, &filters, &bias, padding, &mut y).profile()?
        } else {
            let filters = device.upload(&filters_host, [kh, kw, c, f])?;
            convolution(&x, &filters, &bias, padding, shape.dilation as i32, &mut y).profile()?
        };
        let expected = shape.by_loops(&exact(&x_host), &exact(&filters_host), &exact(&bias_host));
        let by = if f == 0 {
            "depthwise,".to_owned()
        } else {
            format!("by {f} filters of")
        };
        let what = format!("{b} × {h} × {w} × {c} {by} {kh} × {kw}");
        is_right &= is_within(
            &what,
            y.download()?.iter().map(|x| x.to_f64()),
            &expected,
            if f == 0 { &ROUNDED_ONCE } else { &PRODUCTS },
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
