//! Embedding lookup: the row of a table for every token, scaled, plus the row of its position. Which rows these are is known at
//! run time alone.
//!
//! The first stage gathers: a block has 8 tokens and 128 columns, reads the number of each token, and moves its row, those columns
//! of it, from the table to its place in a temporary, in 8 transfers of 32 bytes each way, which pass the compute engine by.
//! Nothing else of the table is read, however many rows it has; four rows are on their way at a time.
//!
//! The second stage computes, 32 tokens of 128 columns to a block, and reads and writes whole tiles. In one stage the rows would be
//! computed one by one, each at the cost of a tile that has 32, or be put together in L1, which takes a pass over the block for
//! every row.
//!
//!     cargo run --release --example embedding

mod support;

use std::process::ExitCode;
use support::{ROUNDED_ONCE, exact, is_within, numbers, on_both_chips, show_counters};
use tt::prelude::*;

#[tt::kernel]
fn embedding<const B: usize, const S: usize, const V: usize, const P: usize, const D: usize>(
    tokens: &Tensor<i32, B, S>,
    table: &Tensor<bf16, V, D>,
    positions: &Tensor<bf16, P, D>,
    scale: f32,
    y: &mut Tensor<bf16, B, S, D>,
) {
    let rows = T.alloc_global::<bf16>(B, S, D);
    {
        let (bx, by, request) = T.Kernel(D.div_ceil(128), S.div_ceil(8), B);
        let row = T.alloc_shared::<bf16>(1, 128);
        for at in T.Pipelined(by * 8..(by * 8 + 8).min(S), num_stages = 4) {
            let token = tokens[(request, at)];
            T.assert(token >= 0 && token < V);
            T.copy(table[(token, bx * 128)], row);
            T.copy(row, rows[(request, at, bx * 128)]);
        }
    }
    {
        let (bx, by, request) = T.Kernel(D.div_ceil(128), S.div_ceil(32), B);
        let found = T.alloc_shared::<bf16>(32, 128);
        let places = T.alloc_shared::<bf16>(32, 128);
        let sum = T.alloc_fragment::<f32>(32, 128);
        T.copy(rows[(request, by * 32, bx * 128)], found);
        T.copy(positions[(by * 32, bx * 128)], places);
        for (i, j) in T.Parallel(32, 128) {
            sum[(i, j)] = found[(i, j)] * scale + places[(i, j)];
        }
        T.copy(sum, y[(request, by * 32, bx * 128)]);
    }
}

fn main() -> ExitCode {
    on_both_chips(run)
}

fn run(device: &Device) -> tt::Result<bool> {
    let mut is_right = true;
    for (b, s, v, d) in [(2, 32, 1000, 128), (3, 41, 77, 200), (1, 1, 5, 3)] {
        let scale = (d as f32).sqrt();
        let (table_host, positions_host) = (numbers(v * d, 1), numbers(s * d, 2));
        let tokens_host: Vec<i32> = (0..b * s).map(|at| (at * 389 % v) as i32).collect();
        let tokens = device.upload(&tokens_host, [b, s])?;
        let table = device.upload(&table_host, [v, d])?;
        let positions = device.upload(&positions_host, [s, d])?;
        let mut y = device.zeros::<bf16>([b, s, d])?;
        let profile = embedding(&tokens, &table, &positions, scale, &mut y).profile()?;

        let (table, positions) = (exact(&table_host), exact(&positions_host));
        let mut expected = Vec::new();
        for (at, token) in tokens_host.iter().enumerate() {
            let row = &table[*token as usize * d..][..d];
            let place = &positions[at % s * d..][..d];
            expected.extend(row.iter().zip(place).map(|(x, p)| x * f64::from(scale) + p));
        }
        is_right &= is_within(
            &format!("{b} times {s} tokens of {v}, {d} columns"),
            y.download()?.iter().map(|x| x.to_f64()),
            &expected,
            &ROUNDED_ONCE,
        );
        show_counters(&profile);
    }
    Ok(is_right)
}
