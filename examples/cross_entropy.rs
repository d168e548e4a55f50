//! Cross-entropy of logits and integer labels: the log-softmax of every row, and minus its value at the row's label. A label
//! below 0 leaves its row out, as padding does.
//!
//! A block of the grid has 32 rows, whose vocabulary may be of any length: it goes along them in steps of 128 columns and carries
//! the largest logit so far and the sum of exponentials under it (rescaled where the largest grows), and picks the label's logit
//! by a mask, since exactly one step has the column that it names. That is one reading of the logits for the loss. Log-softmax
//! itself, as large as the logits, is written by a second sweep. The mean is a second stage: one block sums up losses, and counts
//! rows.
//!
//!     cargo run --release --example cross_entropy

mod support;

use std::process::ExitCode;
use support::{Bound, ROUNDED_ONCE, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

/// `loss` is 0 of rows that are left out; `mean` is over the others.
#[tt::kernel]
fn cross_entropy<const M: usize, const V: usize>(
    logits: &Tensor<bf16, M, V>,
    labels: &Tensor<i32, M>,
    log_softmax: &mut Tensor<bf16, M, V>,
    loss: &mut Tensor<f32, M>,
    mean: &mut Tensor<f32, 1>,
) {
    {
        let by = T.Kernel(M.div_ceil(32));
        let block = T.alloc_shared::<bf16>(32, 128);
        let label = T.alloc_shared::<i32>(32);
        let e = T.alloc_fragment::<f32>(32, 128);
        let before = T.alloc_fragment::<f32>(32);
        let most = T.alloc_fragment::<f32>(32);
        let part = T.alloc_fragment::<f32>(32);
        let total = T.alloc_fragment::<f32>(32);
        let picked = T.alloc_fragment::<f32>(32);
        T.copy(labels[by * 32], label);
        T.fill(most, f32::NEG_INFINITY);
        T.clear(total);
        T.clear(picked);
        for k in T.Pipelined(V.div_ceil(128), num_stages = 2) {
            T.copy(logits[(by * 32, k * 128)], block);
            T.copy(most, before);
            T.reduce_max(block, most, dim = 1, clear = false);
            for (i, j) in T.Parallel(32, 128) {
                e[(i, j)] = (block[(i, j)] - most[i]).exp();
            }
            T.reduce_sum(e, part, dim = 1);
            for i in T.Parallel(32) {
                total[i] = total[i] * (before[i] - most[i]).exp() + part[i];
            }
            for (i, j) in T.Parallel(32, 128) {
                e[(i, j)] = if k * 128 + j == label[i] { block[(i, j)] } else { 0.0 };
            }
            T.reduce_sum(e, picked, dim = 1, clear = false);
        }
        for i in T.Parallel(32) {
            total[i] = most[i] + total[i].log();
            picked[i] = if label[i] < 0 { 0.0 } else { total[i] - picked[i] };
        }
        T.copy(picked, loss[by * 32]);
        for k in T.Pipelined(V.div_ceil(128), num_stages = 2) {
            T.copy(logits[(by * 32, k * 128)], block);
            for (i, j) in T.Parallel(32, 128) {
                e[(i, j)] = block[(i, j)] - total[i];
            }
            T.copy(e, log_softmax[(by * 32, k * 128)]);
        }
    }
    {
        let _ = T.Kernel(1);
        let label = T.alloc_shared::<i32>(512);
        let counted = T.alloc_fragment::<f32>(512);
        let row = T.alloc_shared::<f32>(512);
        let sum = T.alloc_fragment::<f32>(1);
        let count = T.alloc_fragment::<f32>(1);
        T.clear(sum);
        T.clear(count);
        for k in T.Pipelined(M.div_ceil(512), num_stages = 2) {
            T.copy(labels[k * 512], label);
            T.copy(loss[k * 512], row);
            for i in T.Parallel(512) {
                counted[i] = if label[i] < 0 { 0.0 } else { 1.0 };
            }
            T.reduce_sum(row, sum, dim = 0, clear = false);
            T.reduce_sum(counted, count, dim = 0, clear = false);
        }
        for i in T.Parallel(1) {
            sum[i] /= count[i];
        }
        T.copy(sum, mean[0]);
    }
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (m, v) in [(64, 512), (33, 1000), (70, 77), (600, 5)] {
        let host = numbers(m * v, 1);
        // Every seventh row has no label; the others' are all over the vocabulary.
        let label_of = |row: usize| if row % 7 == 3 { -1 } else { (row * 389 % v) as i32 };
        let labels_host: Vec<i32> = (0..m).map(label_of).collect();
        let logits = device.upload(&host, [m, v])?;
        let labels = device.upload(&labels_host, [m])?;
        let mut log_softmax = device.zeros::<bf16>([m, v])?;
        let mut loss = device.zeros::<f32>([m])?;
        let mut mean = device.zeros::<f32>([1])?;
        let profile = cross_entropy(&logits, &labels, &mut log_softmax, &mut loss, &mut mean).profile()?;

        let (mut rows, mut losses) = (Vec::new(), Vec::new());
        for (row, label) in exact(&host).chunks(v).zip(&labels_host) {
            let sum = row.iter().map(|x| x.exp()).sum::<f64>().ln();
            rows.extend(row.iter().map(|x| x - sum));
            losses.push(usize::try_from(*label).map_or(0.0, |at| sum - row[at]));
        }
        let counted = labels_host.iter().filter(|label| **label >= 0).count();
        let exact_mean = [losses.iter().sum::<f64>() / counted as f64];
        let of_f32 = Bound {
            limit: 1e-4,
            reason: "exp and log of the vector unit and sums of thousands of f32 are off by some 1e-5",
        };
        let wide = |values: Vec<f32>| values.into_iter().map(f64::from).collect::<Vec<f64>>();
        let found = log_softmax.download()?;
        println!("{m} rows, a vocabulary of {v}");
        is_right &= is_within("log-softmax", found.iter().map(|x| x.to_f64()), &rows, &ROUNDED_ONCE);
        is_right &= is_within("losses", wide(loss.download()?), &losses, &of_f32);
        is_right &= is_within("their mean", wide(mean.download()?), &exact_mean, &of_f32);
        show_counters(&profile);
    }
    Ok(is_right)
}
