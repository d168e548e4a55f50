//! Smaller kernels that still fail: the choices of their generator are left out and lowered for as long as the failure stays.
//!
//! The first of several choices is the simplest, and a generator that is told less than it asks for takes the first.

use super::random::Random;
use super::run::Case;
use std::collections::HashSet;

/// Candidates that are tried together: their C++ is compiled together.
const TOGETHER: usize = 8;
/// Candidates that are tried in all: what is left then is small enough.
const ATTEMPTS: usize = 400;

/// The smallest case reached from that of `choices` which still fails; `fails` gets several at once, the smallest first, and says
/// at which one it holds.
pub fn shrink(
    choices: Vec<usize>,
    generate: impl Fn(&mut Random) -> Case,
    mut fails: impl FnMut(&[Case]) -> Option<usize>,
) -> Case {
    let made = |choices: Vec<usize>| {
        let mut random = Random::told(choices);
        let case = generate(&mut random);
        (random.into_choices(), case)
    };
    let (mut choices, mut case) = made(choices);
    let mut tried = HashSet::new();
    loop {
        let mut smaller: Vec<(Vec<usize>, Case)> = candidates(&choices).into_iter().map(made).collect();
        smaller
            .retain(|(_, candidate)| candidate.source.len() < case.source.len() && !tried.contains(&candidate.source));
        smaller.sort_by(|(_, a), (_, b)| (a.source.len(), &a.source).cmp(&(b.source.len(), &b.source)));
        smaller.dedup_by(|(_, a), (_, b)| a.source == b.source);
        // Each batch has small and large ones: whichever fails first is the smallest that fails of the batch.
        let mut batches: Vec<(Vec<_>, Vec<Case>)> = Vec::new();
        batches.resize_with(smaller.len().div_ceil(TOGETHER), Default::default);
        let count = batches.len();
        for (at, (told, candidate)) in smaller.into_iter().enumerate() {
            batches[at % count].0.push(told);
            batches[at % count].1.push(candidate);
        }
        let found = batches.into_iter().find_map(|(told, cases)| {
            if tried.len() >= ATTEMPTS {
                return None;
            }
            tried.extend(cases.iter().map(|candidate| candidate.source.clone()));
            let at = fails(&cases)?;
            told.into_iter().zip(cases).nth(at)
        });
        match found {
            Some(found) => (choices, case) = found,
            None => return case,
        }
    }
}

/// Choices without some in a row, with or without the one before them lowered to the first.
fn candidates(choices: &[usize]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for start in 0..choices.len() {
        for end in start..=choices.len() {
            let mut fewer = choices.to_vec();
            fewer.drain(start..end);
            if start > 0 {
                let mut lowered = fewer.clone();
                lowered[start - 1] = 0;
                all.push(lowered);
            }
            all.push(fewer);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::generate;

    #[test]
    fn a_kernel_is_left_with_little_more_than_what_fails() {
        let fails = |case: &Case| case.source.contains(".gelu()");
        let simplest = generate(&mut Random::told(Vec::new())).source.len();
        for seed in 1..100 {
            let mut random = Random::new(seed);
            if !fails(&generate(&mut random)) {
                continue;
            }
            let mut attempts = 0;
            let small = shrink(random.into_choices(), generate, |cases| {
                attempts += cases.len();
                cases.iter().position(fails)
            });
            assert!(fails(&small));
            assert!(small.source.len() < simplest + 150, "seed {seed}:\n{}", small.source);
            assert!(attempts < ATTEMPTS / 2, "seed {seed}: {attempts} attempts");
        }
    }
}
