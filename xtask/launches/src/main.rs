//! Launches on the device that `TT_DEVICE` names, and prints of each what its outputs are, bit by bit: a line `result: ..`.
//!
//! The same program built against the emulator and against the real library prints the same lines
//! (`cargo xtask conformance launch`). With the word `narrow`, cases with 32-bit inputs are left out: the simulated Wormhole
//! does not unpack them.

mod kernels;

use std::process::ExitCode;
use tt::prelude::*;

fn main() -> ExitCode {
    let narrow = std::env::args().any(|word| word == "narrow");
    match launches(narrow).and_then(|()| layouts()).and_then(|()| refusals()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}

/// Repeatable values in [-2, 2).
fn values(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 22) as f32 - 2.0
    };
    (0..count).map(|_| next()).collect()
}

fn bf16s(count: usize, seed: u64) -> Vec<bf16> {
    values(count, seed).into_iter().map(bf16::from_f32).collect()
}

/// Prints a hash (FNV-1a) of the values' bits, and their sum for the eye.
fn show(name: &str, values: &[f32]) {
    let bytes = values.iter().flat_map(|value| value.to_bits().to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    let sum: f64 = values.iter().map(|value| f64::from(*value)).sum();
    println!("result: {name}: {hash:016x}, sum {sum}");
}

fn show_bf16(name: &str, values: &[bf16]) {
    let values: Vec<f32> = values.iter().map(|value| value.to_f32()).collect();
    show(name, &values);
}

fn launches(narrow: bool) -> Result<()> {
    let device = Device::open()?;
    for (m, n) in [(64, 64), (50, 70), (200, 300)] {
        let a = device.upload(&bf16s(m * n, 1), [m, n])?;
        let b = device.upload(&bf16s(m * n, 2), [m, n])?;
        let mut c = device.zeros::<bf16>([m, n])?;
        kernels::add(&a, &b, &mut c).run()?;
        show_bf16(&format!("add {m} × {n}"), &c.download()?);
        kernels::swiglu(&a, &b, &mut c).run()?;
        show_bf16(&format!("swiglu {m} × {n}"), &c.download()?);
        // The same workload with other arguments, on what the launch before left.
        for (alpha, beta) in [(0.5, 1.0), (-3.0, 0.25)] {
            kernels::scale(&mut c, alpha, beta).run()?;
            show_bf16(&format!("scale {m} × {n} by {alpha}"), &c.download()?);
        }
        let weight = device.upload(&bf16s(n, 3), [1, n])?;
        let shift = device.upload(&bf16s(m, 4), [m, 1])?;
        kernels::affine(&a, &weight, &shift, &mut c).run()?;
        show_bf16(&format!("affine {m} × {n}"), &c.download()?);
    }
    for (m, k, n) in [(64, 64, 64), (150, 100, 70), (400, 330, 500)] {
        let a = device.upload(&bf16s(m * k, 5), [m, k])?;
        let b = device.upload(&bf16s(k * n, 6), [k, n])?;
        let mut c = device.zeros::<bf16>([m, n])?;
        for stages in [2, 4] {
            kernels::matmul(&a, &b, &mut c)
                .with(kernels::matmul::STAGES(stages))
                .run()?;
            show_bf16(&format!("matmul {m} × {k} × {n}, {stages} stages"), &c.download()?);
        }
    }
    if !narrow {
        let (m, n) = (70, 90);
        let a = device.upload(&values(m * n, 7), [m, n])?;
        let mut c = device.zeros::<f32>([m, n])?;
        kernels::wide(&a, 1.5, &mut c).run()?;
        show(&format!("wide {m} × {n}"), &c.download()?);
    }
    Ok(())
}

/// Tensors in L1 and in shards, full and not, and circular buffers laid on shards, of which each launch has its own.
fn layouts() -> Result<()> {
    let device = Device::open()?;
    for (m, n) in [(256, 192), (70, 100), (200, 33)] {
        let a = device.upload_in(&Layout::l1().height_sharded(8)?, &bf16s(m * n, 9), [m, n])?;
        let b = device.upload_in(&Layout::dram().width_sharded(5)?, &bf16s(m * n, 10), [m, n])?;
        let mut c = device.zeros_in::<bf16>(&Layout::l1().block_sharded(2, 3)?, [m, n])?;
        let mut d = device.zeros_in::<bf16>(&Layout::l1(), [m, n])?;
        kernels::across_layouts(&a, &b, &mut c, &mut d).run()?;
        show_bf16(&format!("across layouts {m} × {n}"), &c.download()?);
        show_bf16(&format!("across layouts {m} × {n}, to L1"), &d.download()?);
    }
    for shape @ [b, m, n] in [[3, 90, 150], [4, 96, 192], [1, 5, 7]] {
        let from = Layout::l1().nd_sharded(&[2, 3, 3], &[2, 32, 64])?;
        let to = Layout::dram().nd_sharded(&[4, 2, 8], &[1, 64, 32])?;
        let a = device.upload_in(&from, &bf16s(b * m * n, 11), shape)?;
        let mut c = device.zeros_in::<bf16>(&to, shape)?;
        kernels::reshard(&a, &mut c).run()?;
        show_bf16(&format!("reshard {b} × {m} × {n}"), &c.download()?);
    }
    for m in [512, 1024, 500, 200] {
        let rows = Layout::l1().height_sharded(8)?;
        let a = device.upload_in(&rows, &bf16s(m * 128, 12), [m, 128])?;
        let b = device.upload_in(&rows, &bf16s(m * 128, 13), [m, 128])?;
        let mut c = device.zeros_in::<bf16>(&rows, [m, 128])?;
        kernels::on_rows(&a, &b, &mut c).run()?;
        show_bf16(&format!("on rows {m} × 128"), &c.download()?);
    }
    for (m, n) in [(256, 320), (250, 300), (64, 64), (500, 640)] {
        let blocks = Layout::l1().block_sharded(4, 5)?;
        let a = device.upload_in(&blocks, &bf16s(m * n, 14), [m, n])?;
        let mut c = device.zeros_in::<bf16>(&blocks, [m, n])?;
        kernels::on_blocks(&a, &mut c).run()?;
        show_bf16(&format!("on blocks {m} × {n}"), &c.download()?);
    }
    let mut x = device.upload_in(&Layout::l1().height_sharded(4)?, &bf16s(256 * 64, 15), [256, 64])?;
    for round in 1..3 {
        kernels::turned_in_place(&mut x).run()?;
        show_bf16(&format!("turned in place {round}"), &x.download()?);
    }
    Ok(())
}

/// What the runtime throws comes as an error of this library, of the same kind everywhere, and the device stays usable.
fn refusals() -> Result<()> {
    let device = Device::open()?;
    // More than the memory of any of the chips.
    let refused = device.zeros::<bf16>([1 << 18, 1 << 18]).err();
    println!("result: too much memory: {:?}", refused.map(|error| error.kind()));
    let a = device.upload(&bf16s(32 * 32, 8), [32, 32])?;
    let mut c = device.zeros::<bf16>([32, 32])?;
    kernels::add(&a, &a, &mut c).run()?;
    show_bf16("add after a refusal", &c.download()?);
    drop(device);
    let closed = c.download().err();
    println!("result: closed: {:?}", closed.map(|error| error.kind()));
    Ok(())
}
