//! A small transformer writes text on the emulated card: every operation of its forward pass is in the language (kernels.rs), with a
//! cache of keys and values, and each token is held against plain loops (reference.rs). README.md here says where the weights are
//! from.
//!
//!     cargo run --release --example gpt [TOKENS] [PROMPT]

mod kernels;
mod model;
mod reference;
#[path = "../support/mod.rs"]
mod support;
mod weights;

use model::{Model, Took};
use reference::Reference;
use std::io::Write;
use std::process::ExitCode;
use support::{Bound, on_both_chips};
use tt::prelude::*;
use weights::Weights;

/// How far a logit may be from that of the plain loops, and why. Where their two largest are closer than twice that, either is right.
const BOUND: Bound = Bound {
    limit: 5e-2,
    reason: "the matrix unit takes numbers of f32 as TF32, cut by up to 2⁻¹⁰, in 25 products one behind the other, and logits go up to 15",
};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let count = match arguments.next().map_or(Ok(200), |count| count.parse()) {
        Ok(count) => count,
        Err(error) => return failed(&format!("how many tokens? {error}")),
    };
    let text = arguments.next().unwrap_or_else(|| "And Jesus answered".to_string());
    let weights = match Weights::read() {
        Ok(weights) => weights,
        Err(error) => return failed(&error),
    };
    let Some(prompt) = weights.tokens(&text) else {
        let alphabet: String = weights.alphabet.iter().collect();
        return failed(&format!("the model knows these characters: {alphabet:?}"));
    };
    // A launch takes as many tokens as a tile has rows, and the cache keeps those that the model was trained to look back on.
    if !(1..=32).contains(&prompt.len()) || prompt.len() + count >= weights.context {
        return failed(&format!(
            "1 to 32 characters to begin with, and fewer than {} in all",
            weights.context
        ));
    }
    let expected = Reference::generate(&weights, &prompt, count);
    on_both_chips(|device| run(device, &weights, &prompt, &expected))
}

fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}

/// Writes the text as it comes, and tells whether every token is the expected one, or as likely.
fn run(device: &Device, weights: &Weights, prompt: &[i32], expected: &[(i32, Vec<f32>)]) -> tt::Result<bool> {
    let mut model = Model::new(device, weights)?;
    let mut ties = Vec::new();
    let mut worst = 0.0f32;
    let mut input = prompt.to_vec();
    for (at, (token, logits)) in expected.iter().enumerate() {
        let found = model.next(&input)?;
        if at == 0 {
            // What the first launches take has kernels in it that are compiled, or read from the cache.
            model.took = Took::default();
            let text = prompt.iter().map(|token| weights.character(*token));
            print!("\n{}", text.collect::<String>());
        }
        let off = model
            .logits()?
            .into_iter()
            .zip(logits)
            .map(|(found, exact)| (found - exact).abs());
        worst = off.fold(
            worst,
            |worst, off| if off > worst || off.is_nan() { off } else { worst },
        );
        if found != *token {
            let (found, expected) = (weights.character(found), weights.character(*token));
            let lead = Reference::lead(logits);
            let what =
                format!("token {at} is {found:?}, that of the plain loops {expected:?}, which leads by {lead:.1e}");
            if lead > 2.0 * BOUND.limit as f32 {
                println!("\n{what}");
                return Ok(false);
            }
            ties.push(what);
        }
        // Also after a tie the text goes on as that of the plain loops.
        print!("{}", weights.character(*token));
        std::io::stdout().flush().unwrap_or_default();
        input = vec![*token];
    }
    println!("\n");
    let same = expected.len() - ties.len();
    println!("{same} tokens are those of the plain loops, {} are ties", ties.len());
    ties.iter().for_each(|tie| println!("    {tie}"));
    println!(
        "logits are off by at most {worst:.1e} of {:.0e}: {}",
        BOUND.limit, BOUND.reason
    );
    show_time(&mut model, &input)?;
    Ok(f64::from(worst) <= BOUND.limit)
}

/// What the launches took of the host, and what those of one more token would take on a chip, stage by stage.
fn show_time(model: &mut Model<'_>, input: &[i32]) -> tt::Result<()> {
    let took = &model.took;
    let seconds = took.all.as_secs_f64();
    if took.launches > 0 {
        println!(
            "{:.1} tokens a second on the emulator, {} launches a token; a launch takes the host {:.0} µs to enqueue, and {:.1} ms until it is done",
            f64::from(took.tokens) / seconds,
            took.launches / took.tokens,
            took.enqueuing.as_secs_f64() * 1e6 / f64::from(took.launches),
            seconds * 1e3 / f64::from(took.launches),
        );
    }
    let stages = model.stages(input)?;
    let cycles = |stage: &tt::RunCounters| {
        stage
            .modelled
            .as_ref()
            .map_or((0, 0), |modelled| (modelled.cycles, modelled.nanoseconds))
    };
    let (all, nanoseconds) = stages
        .iter()
        .map(|(_, stage)| cycles(stage))
        .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    println!(
        "on a chip the next token would take {all} cycles, {:.0} µs, and what it takes to launch them:",
        nanoseconds as f64 / 1e3
    );
    for (name, stage) in &stages {
        let Some(modelled) = &stage.modelled else { continue };
        println!(
            "    {name:10} {} times: {:6} cycles, {:4.1} %, {:2} cores, DRAM {:6} bytes read, {:3} tile products, bound by {}",
            stage.programs,
            modelled.cycles,
            modelled.cycles as f64 * 100.0 / all as f64,
            stage.cores.len(),
            stage.total.dram_read_bytes.iter().sum::<u64>(),
            stage.total.compute.matmul_tiles,
            modelled.bound()
        );
    }
    Ok(())
}
