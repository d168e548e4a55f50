//! What the examples share: numbers to compute with, and how far results are from plain loops.

#![allow(dead_code, reason = "every example takes what it needs")]

use std::process::ExitCode;
use tt::prelude::*;

/// Numbers between -2 and 2 without a pattern that a kernel could hit by chance; `seed` tells tensors apart.
pub fn numbers(count: usize, seed: usize) -> Vec<bf16> {
    let mut state = seed as u64 + 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 22) as f32 - 2.0
    };
    (0..count).map(|_| bf16::from_f32(next())).collect()
}

/// The same numbers in f64.
pub fn exact(values: &[bf16]) -> Vec<f64> {
    values.iter().map(|value| value.to_f64()).collect()
}

/// Prints the largest error of a result, of 1 + |exact|, and tells whether it is within `limit`.
pub fn is_near(what: &str, found: impl IntoIterator<Item = f64>, expected: &[f64], limit: f64) -> bool {
    let found: Vec<f64> = found.into_iter().collect();
    let error = |(found, exact): (&f64, &f64)| (found - exact).abs() / (1.0 + exact.abs());
    let worst = largest(found.iter().zip(expected).map(error));
    println!(
        "{what}: worst error {worst:.1e} of {limit:.0e}, {} elements",
        expected.len()
    );
    found.len() == expected.len() && worst <= limit
}

/// The largest error; one that is no number is as far off as can be.
pub fn largest(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a })
}

/// Runs an example: whether all its results are right.
pub fn example(run: impl FnOnce(&Device) -> tt::Result<bool>) -> ExitCode {
    let result = Device::open().and_then(|device| {
        println!("{device}");
        run(&device)
    });
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("a result is not what plain loops say");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
