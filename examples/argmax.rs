//! The next token by the largest logit: where every row has its maximum, and its value, over rows longer than a block; the lowest
//! place on a tie.
//!
//!     cargo run --release --example argmax

mod support;

use std::process::ExitCode;
use support::{example, is_near, numbers};
use tt::prelude::*;

#[tt::kernel]
fn argmax<const M: usize, const N: usize>(
    logits: &Tensor<bf16, M, N>,
    token: &mut Tensor<i32, M>,
    logit: &mut Tensor<f32, M>,
) {
    let by = T.Kernel(M.div_ceil(32));
    let block = T.alloc_shared::<bf16>(32, 128);
    let most = T.alloc_fragment::<f32>(32);
    let at = T.alloc_fragment::<i32>(32);
    T.fill(most, f32::NEG_INFINITY);
    T.clear(at);
    for k in T.Pipelined(N.div_ceil(128), num_stages = 2) {
        T.copy(logits[(by * 32, k * 128)], block);
        T.reduce_argmax(block, most, at, dim = 1, base = k * 128, clear = false);
    }
    T.copy(at, token[by * 32]);
    T.copy(most, logit[by * 32]);
}

fn main() -> ExitCode {
    example(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (m, n) in [(64, 1024), (33, 1000), (70, 257), (1, 1)] {
        let host = numbers(m * n, 1);
        let logits = device.upload(&host, [m, n])?;
        let mut token = device.zeros::<i32>([m])?;
        let mut logit = device.zeros::<f32>([m])?;
        argmax(&logits, &mut token, &mut logit).run()?;
        let (token, logit) = (token.download()?, logit.download()?);
        let (mut wrong, mut exact) = (0, Vec::new());
        for (row, values) in host.chunks(n).enumerate() {
            let largest = values.iter().map(|x| x.to_f32()).fold(f32::MIN, f32::max);
            let first = values.iter().position(|x| x.to_f32() == largest);
            wrong += usize::from(usize::try_from(token[row]).ok() != first);
            exact.push(f64::from(largest));
        }
        println!("argmax {m} × {n}: {wrong} places of {m} are wrong");
        is_right &= wrong == 0;
        is_right &= is_near("the values there", logit.iter().map(|x| f64::from(*x)), &exact, 0.0);
    }
    Ok(is_right)
}
