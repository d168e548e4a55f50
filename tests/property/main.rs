//! Random kernels on random shapes: the emulator's result must lie in the interval that the formats allow.
//!
//! Each kernel is generated as source text with an interval evaluator beside it ([`source`], [`interval`]), compiled as the
//! macro compiles it, run through the host library on several shapes (one element, ragged, long), and compared twice: with
//! the interval, element by element, and with the reference interpreter, which must lie in it too.
//!
//! The seed is fixed, so a run is repeatable. `TT_PROPERTY_SEED` and `TT_PROPERTY_KERNELS` change it and the number of
//! kernels. A failure prints the kernel's seed and its source.

mod elementwise;
mod gemm;
mod interval;
mod programs;
mod random;
mod run;

use random::Random;
use run::{Case, Verdict};
use tt_emulator::ArchName;

/// Kernels of each kind, unless `TT_PROPERTY_KERNELS` says otherwise: a compromise with the C++ compiler's time.
const KERNELS: u64 = 16;
/// At most this share of generated kernels may be refused by the compiler (for want of destination registers).
const MOST_REFUSED: f64 = 0.25;

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

fn check_all(kind: &str, generate: impl Fn(&mut Random) -> Case) {
    let seed = variable("TT_PROPERTY_SEED", 1);
    let kernels = variable("TT_PROPERTY_KERNELS", KERNELS);
    let (mut done, mut refused) = (0, Vec::new());
    let mut number = 0;
    while done < kernels {
        let batch: Vec<(u64, Random, Case)> = (number..number + kernels - done)
            .map(|number| {
                let mut random = Random::new(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number));
                let case = generate(&mut random);
                (number, random, case)
            })
            .collect();
        let compiled: Vec<_> = batch.iter().map(|(.., case)| run::compile(case)).collect();
        programs::prepare(compiled.iter().flatten(), &[ArchName::WormholeB0]);
        for ((own, mut random, case), compiled) in batch.into_iter().zip(compiled) {
            let verdict = match compiled {
                Ok(compiled) => run::run(&case, programs::kernel(compiled), &mut random),
                Err(verdict) => verdict,
            };
            match verdict {
                Verdict::Right => done += 1,
                Verdict::Refused(reason) => refused.push(reason),
                Verdict::Wrong(report) => panic!("{kind} kernel {own} of seed {seed}: {report}\n{}", case.source),
            }
            number += 1;
        }
        let share = refused.len() as f64 / number as f64;
        assert!(
            number < 8 || share <= MOST_REFUSED,
            "{} of {number} refused:\n{}",
            refused.len(),
            refused.join("\n")
        );
    }
    println!("{kind}: {done} kernels right, {} refused", refused.len());
}

#[test]
fn random_elementwise_kernels_stay_within_their_formats() {
    check_all("element-wise", elementwise::generate);
}

#[test]
fn random_gemm_kernels_stay_within_their_formats() {
    check_all("gemm", gemm::generate);
}

#[test]
fn a_kernel_that_computes_something_else_is_caught() {
    // The interval evaluator still has the expression and the extents of the original.
    let changed = |mut case: Case, from: &str, to: &str| {
        let source = case.source.replace(from, to);
        assert_ne!(source, case.source, "nothing to change in\n{source}");
        case.source = source;
        case
    };
    let first = |generate: fn(&mut Random) -> Case, text: &str| {
        let cases = (1..).map(|seed| generate(&mut Random::new(seed)));
        cases
            .into_iter()
            .find(|case| case.source.contains(text))
            .expect("seeds do not end")
    };
    let cases = [
        // The last, ragged step along K is left out.
        changed(
            first(gemm::generate, "K.div_ceil"),
            "in T.Pipelined(K.div_ceil",
            "in T.Pipelined((K - 1).div_ceil",
        ),
        // One operand is taken for the other.
        changed(first(elementwise::generate, "+ y[(i, j)]"), "y[(i, j)]", "x[(i, j)]"),
    ];
    for case in cases {
        let verdict = run::check(&case, &mut Random::new(1));
        assert!(matches!(verdict, Verdict::Wrong(_)), "not caught:\n{}", case.source);
    }
}
