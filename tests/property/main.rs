//! Random kernels on random shapes: the emulator's result must lie in the interval that the formats allow.
//!
//! Each kernel is generated as source text with an interval evaluator beside it ([`source`], [`interval`]), compiled as the
//! macro compiles it, run through the host library on several shapes (one element, ragged, long), and compared twice: with
//! the interval, element by element, and with the reference interpreter, which must lie in it too.
//!
//! The seed is fixed, so a run is repeatable. `TT_PROPERTY_SEED` and `TT_PROPERTY_KERNELS` change it and the number of
//! kernels. A failure prints the kernel's seed and the source of the smallest kernel that [`shrink`] reached from it.

#[path = "../support/compiled.rs"]
mod compiled;
mod elementwise;
mod gemm;
mod interval;
mod programs;
mod random;
mod run;
mod shrink;

use random::Random;
use run::{Case, Verdict};

/// Kernels of each kind, unless `TT_PROPERTY_KERNELS` says otherwise: a compromise with the C++ compiler's time.
const KERNELS: u64 = 16;

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

fn check_all(kind: &str, generate: impl Fn(&mut Random) -> Case) {
    let seed = variable("TT_PROPERTY_SEED", 1);
    let kernels = variable("TT_PROPERTY_KERNELS", KERNELS);
    let (choices, cases): (Vec<_>, Vec<_>) = (0..kernels)
        .map(|number| {
            let mut random = Random::new(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number));
            let case = generate(&mut random);
            (random.into_choices(), case)
        })
        .unzip();
    for (number, (choices, verdict)) in choices.into_iter().zip(run::check(&cases)).enumerate() {
        let Verdict::Wrong(mut report) = verdict else { continue };
        let small = shrink::shrink(choices, &generate, |cases| {
            run::check(cases).into_iter().position(|verdict| match verdict {
                Verdict::Wrong(found) => {
                    report = found;
                    true
                }
                Verdict::Right => false,
            })
        });
        panic!(
            "{kind} kernel {number} of seed {seed}, made small: {report}\n{}",
            small.source
        );
    }
    println!("{kind}: {kernels} kernels right");
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
    for (case, verdict) in cases.iter().zip(run::check(&cases)) {
        assert!(matches!(verdict, Verdict::Wrong(_)), "not caught:\n{}", case.source);
    }
}
