//! The reference interpreter: what a kernel's source says, over real numbers.
//!
//! Every value is an `f64` and nothing is rounded to a format, so a device result differs from this one by the rounding of
//! its formats and by nothing else. Blocks of the grid are independent and run on all host threads.
//!
//! Edges follow one rule: a padded element never reaches a result. Reading past a tensor gives 0 and *marks* the element as
//! padding along the axis that was left (`storage`); marks travel with values through every element-wise operation, and
//! whoever folds elements together (gemm, reductions) leaves marked ones out.
//!
//! ```
//! # fn show(kernel: &tt_lang::ir::Kernel) -> Result<(), tt_lang::interpret::InterpretError> {
//! use tt_lang::interpret::{Inputs, run};
//! let a = [1.0f32, 2.0, 3.0];
//! let inputs = Inputs::new().tensor("a", &[1, 3], &a[..]).tensor("c", &[1, 3], &[0.0f32; 3][..]);
//! let outputs = run(kernel, &inputs)?;
//! println!("{:?}", outputs.tensor("c"));
//! # Ok(()) }
//! ```

mod assign;
mod block_run;
mod error;
mod gemm;
mod inputs;
mod integer;
mod launch;
mod parallel;
mod print;
mod reduce;
mod storage;
#[cfg(test)]
mod tests;
mod watch;

pub use error::{InterpretError, InterpretErrorKind};
pub use inputs::{Inputs, Outputs, Values};
pub use watch::Stored;

use crate::ir::Kernel;
use block_run::BlockRun;
use launch::Launch;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Runs `kernel` on `inputs` and gives back every mutable tensor.
///
/// # Errors
/// Where an input is missing or its shape disagrees with the signature, where an integer expression divides by zero or
/// overflows, where an index leaves a block, and where a block is read before it was written.
pub fn run(kernel: &Kernel, inputs: &Inputs<'_>) -> Result<Outputs, InterpretError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    run_with_threads(kernel, inputs, threads)
}

/// [`run`] on at most `threads` host threads. The result does not depend on their number.
///
/// # Errors
/// As [`run`].
pub fn run_with_threads(kernel: &Kernel, inputs: &Inputs<'_>, threads: usize) -> Result<Outputs, InterpretError> {
    let stages = kernel.stages();
    let mut launch: Option<Launch<'_>> = None;
    let mut prints = Vec::new();
    for stage in &stages {
        let this = match launch.take() {
            None => Launch::new(stage, inputs)?,
            Some(before) => before.then(stage)?,
        };
        prints.extend(run_grid(&this, threads)?);
        launch = Some(this);
    }
    Ok(launch.map(|launch| launch.into_outputs(prints)).unwrap_or_default())
}

/// Runs every block of one grid, and gives what they print.
fn run_grid(launch: &Launch<'_>, threads: usize) -> Result<Vec<String>, InterpretError> {
    let blocks = launch.block_count();
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let failure: Mutex<Option<(u64, InterpretError)>> = Mutex::new(None);
    let prints: Mutex<Vec<(u64, Vec<String>)>> = Mutex::new(Vec::new());
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let id = next.fetch_add(1, Ordering::Relaxed);
            if id >= blocks {
                break;
            }
            match BlockRun::new(launch, id).run() {
                Ok(lines) if lines.is_empty() => {}
                Ok(lines) => lock(&prints).push((id, lines)),
                Err(error) => {
                    stop.store(true, Ordering::Relaxed);
                    // Block numbers are handed out in order, so the first block to fail is always among those that ran.
                    let mut first = lock(&failure);
                    if first.as_ref().is_none_or(|(other, _)| id < *other) {
                        *first = Some((id, error));
                    }
                }
            }
        }
    };
    let helpers = usize::try_from(blocks)
        .unwrap_or(usize::MAX)
        .min(threads)
        .saturating_sub(1);
    std::thread::scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(work);
        }
        work();
    });
    if let Some((_, error)) = lock(&failure).take() {
        return Err(error);
    }
    let mut lines = std::mem::take(&mut *lock(&prints));
    lines.sort();
    Ok(lines.into_iter().flat_map(|(_, lines)| lines).collect())
}

/// Locks `mutex`; what it guards is replaced whole, so a panic elsewhere cannot leave it half written.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
