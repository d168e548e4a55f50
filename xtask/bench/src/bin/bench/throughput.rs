//! Arithmetic: the emulator against the same work without one.

use crate::children::ask;
use crate::inputs::{fastest_in_turn, seconds, values};
use crate::kernels;
use crate::table::Row;
use crate::{Measured, Scale};
use rayon::prelude::*;
use std::time::Duration;
use tt::{Zeros, bf16};

/// A matmul's operations per second, in 10⁹.
fn gflops(n: usize, time: Duration) -> f64 {
    2.0 * (n as f64).powi(3) / time.as_secs_f64() / 1e9
}

pub fn gemm(scale: Scale) -> Measured {
    let n = if scale.quick { 512 } else { 2048 };
    let (a_host, b_host) = (values(n * n, 1), values(n * n, 2));
    let device = tt::Device::open()?;
    let (a, b) = (device.upload(&a_host, [n, n])?, device.upload(&b_host, [n, n])?);
    let mut c = device.zeros::<bf16>([n, n])?;
    // The first run compiles what is not compiled yet.
    kernels::matmul(&a, &b, &mut c).run()?;
    kernels::whole_matmul(&a, &b, &mut c).run()?;

    let wide = |values: &[bf16]| values.iter().map(|value| value.to_f32()).collect::<Vec<f32>>();
    let (a_wide, b_wide, mut c_wide) = (wide(&a_host), wide(&b_host), vec![0.0f32; n * n]);
    let threads = rayon::current_num_threads();
    let mut product = || {
        // SAFETY: the three slices have n × n elements, and the strides are those of row-major matrices of that size.
        unsafe {
            gemm::gemm(
                n,
                n,
                n,
                c_wide.as_mut_ptr(),
                1,
                n as isize,
                false,
                a_wide.as_ptr(),
                1,
                n as isize,
                b_wide.as_ptr(),
                1,
                n as isize,
                0.0,
                1.0,
                false,
                false,
                false,
                gemm::Parallelism::Rayon(threads),
            );
        }
        Ok(())
    };
    let results = std::cell::RefCell::new(c);
    let [ours, whole, plain] = fastest_in_turn(
        15,
        [
            &mut || kernels::matmul(&a, &b, &mut results.borrow_mut()).run(),
            &mut || kernels::whole_matmul(&a, &b, &mut results.borrow_mut()).run(),
            &mut product,
        ],
    )?;
    let row = |fidelity, ours: Duration| {
        let ratio = plain.as_secs_f64() / ours.as_secs_f64();
        Row::new(
            format!("{n}³ matmul, bf16 with f32 sums, {fidelity}"),
            format!("{} ({:.1} GFLOP/s)", seconds(ours), gflops(n, ours)),
            format!(
                "gemm 0.19 in f32, {threads} threads: {} ({:.1} GFLOP/s)",
                seconds(plain),
                gflops(n, plain)
            ),
            format!("{:.0} %", ratio * 100.0),
            "at least 90 %".to_string(),
            ratio >= 0.9,
        )
    };
    // HiFi3 leaves out the product of low bits, which is formed in integers of 8 bits beside that of whole numbers.
    Ok(vec![row("HiFi4", whole), row("HiFi3, the default", ours)])
}

pub fn sums(scale: Scale) -> Measured {
    let n = if scale.quick { 256 } else { 1024 };
    let words = ["sums", &n.to_string()];
    let seconds_of = |environment: &[(&str, &str)]| -> Result<[f64; 3], Box<dyn std::error::Error>> {
        let answer = ask(&words, environment)?;
        let times: Result<Vec<f64>, _> = answer.split_whitespace().map(str::parse).collect();
        Ok(times?
            .try_into()
            .map_err(|times| format!("the child answered {times:?}"))?)
    };
    let [wide, narrow, whole] = seconds_of(&[])?;
    let [exact_wide, _, exact_whole] = seconds_of(&[("TT_EMULATOR_FPU", "exact")])?;
    let row = |what: &str, ours: f64, beside: f64, most: f64| {
        let [ours_is, beside_is] = [ours, beside].map(|time| seconds(Duration::from_secs_f64(time)));
        let ratio = ours / beside;
        Row::new(
            format!("{n}³ matmul, bf16, {what}"),
            ours_is,
            format!("f32 sums, by default: {beside_is}"),
            format!("{ratio:.1} ×"),
            format!("at most {most} ×"),
            ratio <= most,
        )
    };
    Ok(vec![
        row("bf16 sums, HiFi3", narrow, wide, 2.0),
        row("a chip's adders, HiFi3", exact_wide, wide, 30.0),
        row("a chip's adders, HiFi4", exact_whole, whole, 30.0),
    ])
}

/// Runs matmuls and says how many seconds each takes: with f32 sums, with bf16 sums, and with f32 sums in HiFi4.
pub fn child(n: usize) -> Result<String, Box<dyn std::error::Error>> {
    let device = tt::Device::open()?;
    let (a, b) = (
        device.upload(&values(n * n, 1), [n, n])?,
        device.upload(&values(n * n, 2), [n, n])?,
    );
    let results = std::cell::RefCell::new(device.zeros::<bf16>([n, n])?);
    let times = fastest_in_turn(
        4,
        [
            &mut || kernels::matmul(&a, &b, &mut results.borrow_mut()).run(),
            &mut || kernels::narrow_matmul(&a, &b, &mut results.borrow_mut()).run(),
            &mut || kernels::whole_matmul(&a, &b, &mut results.borrow_mut()).run(),
        ],
    )?;
    Ok(times.map(|time| time.as_secs_f64().to_string()).join(" "))
}

pub fn add(scale: Scale) -> Measured {
    let n = if scale.quick { 1024 } else { 8192 };
    let (a_host, b_host) = (values(n * n, 3), values(n * n, 4));
    let device = tt::Device::open()?;
    let (a, b) = (device.upload(&a_host, [n, n])?, device.upload(&b_host, [n, n])?);
    let mut c = device.zeros::<bf16>([n, n])?;
    kernels::add(&a, &b, &mut c).run()?;

    let mut sums = vec![bf16::ZERO; n * n];
    let mut plain = || {
        const CHUNK: usize = 1 << 16;
        sums.par_chunks_mut(CHUNK)
            .zip(a_host.par_chunks(CHUNK).zip(b_host.par_chunks(CHUNK)))
            .for_each(|(c, (a, b))| {
                for (c, (a, b)) in c.iter_mut().zip(a.iter().zip(b)) {
                    *c = rounded(wide(*a) + wide(*b));
                }
            });
        Ok(())
    };
    let [ours, plain] = fastest_in_turn(15, [&mut || kernels::add(&a, &b, &mut c).run(), &mut plain])?;
    let ratio = plain.as_secs_f64() / ours.as_secs_f64();
    Ok(vec![Row::new(
        format!("{n}² addition, bf16"),
        seconds(ours),
        format!(
            "plain loop, {} threads: {}",
            rayon::current_num_threads(),
            seconds(plain)
        ),
        format!("{:.0} %", ratio * 100.0),
        "at least 50 %",
        ratio >= 0.5,
    )])
}

/// As `bf16::to_f32`, but without its branch on NaN, so that the loop is vectorised.
fn wide(value: bf16) -> f32 {
    f32::from_bits(u32::from(value.to_bits()) << 16)
}

/// Rounded to nearest even; the values here are no NaN.
fn rounded(value: f32) -> bf16 {
    let bits = value.to_bits();
    bf16::from_bits(((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16)
}
