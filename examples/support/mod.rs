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

/// How far a right result may be from exact ones, of 1 + |exact|, and why.
pub struct Bound<'a> {
    pub limit: f64,
    pub reason: &'a str,
}

/// Of sums of up to thousands of products of both signs, stored in bf16. HiFi3, the default of bf16, leaves out up to 2⁻¹¹ of each
/// product (5e-3 of such sums on the emulator); a chip's adders keep as few bits, as the emulator's do with `TT_EMULATOR_FPU=exact`.
pub const PRODUCTS: Bound = Bound {
    limit: 2e-2,
    reason: "products and a chip's adders keep some 11 bits of each, of thousands of both signs 2e-2 of 1 + the sum",
};

/// Of what is computed in f32 and stored in bf16.
pub const ROUNDED_ONCE: Bound = Bound {
    limit: 4e-3,
    reason: "rounding to bf16, once, is off by up to 2⁻⁸ = 3.9e-3 of a value; what is computed in f32 by less than 1e-4",
};

/// [`is_near`], for a bound with its reason.
pub fn is_within(what: &str, found: impl IntoIterator<Item = f64>, expected: &[f64], bound: &Bound) -> bool {
    let is_right = is_near(what, found, expected, bound.limit);
    println!("    the bound: {}", bound.reason);
    is_right
}

/// What a launch moved and computed, and the cycles that it would take on a chip, in a line.
pub fn show_counters(profile: &tt::Profile) {
    let Some(counters) = &profile.counters else { return };
    let total = &counters.total;
    let bytes = |banks: &[u64]| banks.iter().sum::<u64>();
    print!(
        "    {} cores, DRAM {} bytes read and {} written, {} tile products",
        counters.cores.len(),
        bytes(&total.dram_read_bytes),
        bytes(&total.dram_write_bytes),
        total.compute.matmul_tiles
    );
    match &counters.modelled {
        Some(modelled) => println!(", {} cycles, bound by {}", modelled.cycles, modelled.bound()),
        None => println!(),
    }
}

/// Runs an example on the device that `TT_DEVICE` names: whether all its results are right.
pub fn example(run: impl FnOnce(&Device) -> tt::Result<bool>) -> ExitCode {
    verdict(Device::open().and_then(|device| {
        println!("{device}");
        run(&device)
    }))
}

/// Runs an example on both emulated chips, since one source is compiled for both: whether all its results are right.
pub fn on_both_chips(run: impl Fn(&Device) -> tt::Result<bool>) -> ExitCode {
    let on = |name| {
        let device = Device::open_named(name)?;
        println!("{device}");
        run(&device)
    };
    verdict(on("emulator:wormhole_b0").and_then(|is_right| Ok(on("emulator:blackhole")? && is_right)))
}

fn verdict(result: tt::Result<bool>) -> ExitCode {
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
