//! Measurements in a process of their own: this program started again as `bench child ..`.

use crate::inputs::values;
use crate::table::Row;
use crate::{Measured, Scale, kernels, memory, throughput};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::{Command, ExitCode};
use tt::{Zeros, bf16};

/// Runs `bench child WORDS` with some environment variables and gives back what it printed.
pub fn ask(words: &[&str], environment: &[(&str, &str)]) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .arg("child")
        .args(words)
        .envs(environment.iter().copied())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!(
            "the process of `{}` failed: {}",
            words.join(" "),
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// What a child does.
pub fn answer(words: &[String]) -> ExitCode {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["bits", n] => n.parse().map_err(|_| "no size".into()).and_then(bits),
        ["sums", n] => n.parse().map_err(|_| "no size".into()).and_then(throughput::child),
        ["memory", n] => n.parse().map_err(|_| "no size".into()).and_then(memory::child),
        _ => Err("no such child".into()),
    };
    match outcome {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A number over every bit of some results.
fn bits(n: usize) -> Result<String, Box<dyn std::error::Error>> {
    let device = tt::Device::open()?;
    let (a, b) = (
        device.upload(&values(n * n, 1), [n, n])?,
        device.upload(&values(n * n, 2), [n, n])?,
    );
    let mut c = device.zeros::<bf16>([n, n])?;
    let mut hasher = DefaultHasher::new();
    kernels::matmul(&a, &b, &mut c).run()?;
    c.download()?.iter().for_each(|value| value.to_bits().hash(&mut hasher));
    kernels::matmul_relu(&a, &b, &a, &mut c).run()?;
    c.download()?.iter().for_each(|value| value.to_bits().hash(&mut hasher));
    kernels::multiply_add(&a, &b, &a, &b, &mut c).run()?;
    c.download()?.iter().for_each(|value| value.to_bits().hash(&mut hasher));
    Ok(format!("{:016x}", hasher.finish()))
}

pub fn threads(scale: Scale) -> Measured {
    let n = if scale.quick { "300" } else { "1000" };
    let one = ask(&["bits", n], &[("TT_EMULATOR_THREADS", "1")])?;
    let two = ask(&["bits", n], &[("TT_EMULATOR_THREADS", "2")])?;
    let same = one == two;
    Ok(vec![Row::new(
        format!("bits of three kernels at {n}²"),
        format!("1 thread: {one}"),
        format!("2 threads: {two}"),
        if same { "the same" } else { "different" },
        "the same",
        same,
    )])
}
