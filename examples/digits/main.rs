//! Handwritten digits, read by a perceptron of two layers on the device. README.md here says where data and weights are from.
//!
//!     cargo run --release --example digits

mod data;

use data::{Picture, Weights};
use std::process::ExitCode;
use std::time::Instant;
use tt::prelude::*;

/// y = relu(x · w + bias): product, bias and activation in one pass, so the sums never leave the core.
#[tt::kernel]
fn linear_relu<const M: usize, const K: usize, const N: usize>(
    x: &Tensor<bf16, M, K>,
    w: &Tensor<bf16, K, N>,
    bias: &Tensor<bf16, 1, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x_block = T.alloc_shared::<bf16>(64, 64);
    let w_block = T.alloc_shared::<bf16>(64, 64);
    let bias_row = T.alloc_shared::<bf16>(1, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    T.copy(bias[(0, bx * 64)], bias_row);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(x[(by * 64, k * 64)], x_block);
        T.copy(w[(k * 64, bx * 64)], w_block);
        T.gemm(x_block, w_block, acc);
    }
    for (i, j) in T.Parallel(64, 64) {
        acc[(i, j)] = (acc[(i, j)] + bias_row[(0, j)]).relu();
    }
    T.copy(acc, y[(by * 64, bx * 64)]);
}

/// y = x · w + bias, for the few columns of the classes.
#[tt::kernel]
fn linear<const M: usize, const K: usize, const N: usize>(
    x: &Tensor<bf16, M, K>,
    w: &Tensor<bf16, K, N>,
    bias: &Tensor<bf16, 1, N>,
    y: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(64));
    let x_block = T.alloc_shared::<bf16>(64, 64);
    let w_block = T.alloc_shared::<bf16>(64, 32);
    let bias_row = T.alloc_shared::<bf16>(1, 32);
    let acc = T.alloc_fragment::<f32>(64, 32);
    T.copy(bias[(0, bx * 32)], bias_row);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(64), num_stages = 2) {
        T.copy(x[(by * 64, k * 64)], x_block);
        T.copy(w[(k * 64, bx * 32)], w_block);
        T.gemm(x_block, w_block, acc);
    }
    for (i, j) in T.Parallel(64, 32) {
        acc[(i, j)] = acc[(i, j)] + bias_row[(0, j)];
    }
    T.copy(acc, y[(by * 64, bx * 32)]);
}

/// The share of pictures the network never saw that it has to read right.
const LEAST_ACCURACY: f64 = 0.95;

fn main() -> ExitCode {
    match run() {
        Ok(accuracy) if accuracy >= LEAST_ACCURACY => ExitCode::SUCCESS,
        Ok(_) => {
            eprintln!(
                "fewer than {:.0} % of the held-out digits were read right",
                LEAST_ACCURACY * 100.0
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Reads every picture and gives back the accuracy on those held out of the training.
fn run() -> Result<f64, Box<dyn std::error::Error>> {
    let pictures = data::pictures()?;
    let weights = data::weights()?;
    let device = tt::Device::open()?;
    println!("{device}\n");

    let start = Instant::now();
    let (read, profiles) = classify(&device, &pictures, &weights)?;
    let time = start.elapsed();

    let held_out: Vec<usize> = (0..pictures.len()).filter(|i| data::is_held_out(*i)).collect();
    draw(&pictures, &read, &held_out[..6]);
    let wrong: Vec<usize> = held_out
        .iter()
        .copied()
        .filter(|i| read[*i] != pictures[*i].digit)
        .collect();
    if !wrong.is_empty() {
        println!("misread:");
        draw(&pictures, &read, &wrong[..wrong.len().min(6)]);
    }

    for (name, profile) in profiles {
        println!("{name}\n{profile}\n");
    }
    println!(
        "{} pictures in {:.1} ms, upload and download included",
        pictures.len(),
        time.as_secs_f64() * 1e3
    );
    let right = held_out.len() - wrong.len();
    let accuracy = right as f64 / held_out.len() as f64;
    println!(
        "held out: {right} of {} right, {:.1} %",
        held_out.len(),
        accuracy * 100.0
    );
    Ok(accuracy)
}

/// A layer's name and what it took.
type Layer = (&'static str, tt::Profile);

/// The digit read in each picture, and what each layer took.
fn classify(device: &Device, pictures: &[Picture], weights: &Weights) -> tt::Result<(Vec<usize>, [Layer; 2])> {
    let (count, pixels, hidden, classes) = (pictures.len(), weights.pixels, weights.hidden, weights.classes);
    let grey: Vec<bf16> = pictures
        .iter()
        .flat_map(|picture| picture.grey.map(|v| bf16::from_f32(v / 16.0)))
        .collect();
    let x = device.upload(&grey, [count, pixels])?;
    let w1 = device.upload(&weights.w1, [pixels, hidden])?;
    let b1 = device.upload(&weights.b1, [1, hidden])?;
    let w2 = device.upload(&weights.w2, [hidden, classes])?;
    let b2 = device.upload(&weights.b2, [1, classes])?;
    let mut inner = device.zeros::<bf16>([count, hidden])?;
    let mut out = device.zeros::<bf16>([count, classes])?;

    let first = linear_relu(&x, &w1, &b1, &mut inner).profile()?;
    let second = linear(&inner, &w2, &b2, &mut out).profile()?;
    let scores = out.download()?;
    let read = scores.chunks(classes).map(|scores| {
        let best = scores.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
        best.map_or(0, |(digit, _)| digit)
    });
    Ok((read.collect(), [("hidden layer", first), ("output layer", second)]))
}

/// Draws some pictures side by side with what was read in them.
fn draw(pictures: &[Picture], read: &[usize], which: &[usize]) {
    const SHADES: [&str; 5] = ["  ", "░░", "▒▒", "▓▓", "██"];
    for row in 0..8 {
        let line: Vec<String> = which
            .iter()
            .map(|i| {
                pictures[*i].grey[row * 8..][..8]
                    .iter()
                    .map(|v| SHADES[(v / 16.0 * 4.0).round() as usize])
                    .collect()
            })
            .collect();
        println!("  {}", line.join("   "));
    }
    let labels: Vec<String> = which
        .iter()
        .map(|i| match (read[*i], pictures[*i].digit) {
            (read, digit) if read == digit => format!("{:16}", format!("read as {read}")),
            (read, digit) => format!("{:16}", format!("{read}, but is {digit}")),
        })
        .collect();
    println!("  {}\n", labels.join("   "));
}
