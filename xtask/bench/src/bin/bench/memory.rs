//! Peak memory of a large run, in a process of its own.

use crate::children::ask;
use crate::inputs::seconds;
use crate::table::Row;
use crate::{Measured, Scale, kernels};
use std::time::{Duration, Instant};
use tt::{Zeros, bf16};

pub fn memory(scale: Scale) -> Measured {
    let n: usize = if scale.quick { 1024 } else { 8192 };
    let answer = ask(&["memory", &n.to_string()], &[])?;
    let mut words = answer.split_whitespace().map(str::parse::<f64>);
    let (Some(Ok(peak)), Some(Ok(time))) = (words.next(), words.next()) else {
        return Err(format!("the child answered `{answer}`").into());
    };
    let tensors = (3 * 2 * n * n) as f64;
    let ratio = peak / tensors;
    Ok(vec![Row::new(
        format!(
            "peak memory of a {n}³ matmul ({})",
            seconds(Duration::from_secs_f64(time))
        ),
        format!("{:.0} MB", peak / 1e6),
        format!("its three tensors: {:.0} MB", tensors / 1e6),
        format!("{ratio:.2} ×"),
        "below 3 ×",
        ratio < 3.0,
    )])
}

/// Runs the matmul and says the peak in bytes and the seconds that the launch took.
pub fn child(n: usize) -> Result<String, Box<dyn std::error::Error>> {
    let device = tt::Device::open()?;
    // One host copy at a time: what is measured is the run, not how its inputs are made.
    let upload = |seed: usize| {
        let host: Vec<bf16> = (0..n * n)
            .map(|i| bf16::from_f32(((i * 31 + seed) % 127) as f32 / 64.0 - 1.0))
            .collect();
        device.upload(&host, [n, n])
    };
    let (a, b) = (upload(1)?, upload(2)?);
    let mut c = device.zeros::<bf16>([n, n])?;
    let start = Instant::now();
    kernels::matmul(&a, &b, &mut c).run()?;
    let time = start.elapsed();
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .ok_or("no VmHWM in /proc/self/status")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(format!("{} {}", kilobytes * 1024, time.as_secs_f64()))
}
