//! `cargo xtask conformance CHECK`: what we emit and what we emulate, held against TT-Metalium itself.

use clap::Parser;
use std::process::ExitCode;
use tt_conformance::{
    abi, binaries, corpus, examples, headers, ir_mutations, launch, mutations, names, production, rules, sfpu,
    simulator,
};

/// Holds what we emit and what we emulate against TT-Metalium itself
#[derive(Parser)]
#[command(name = "cargo xtask conformance", bin_name = "cargo xtask conformance")]
enum Check {
    Binaries(binaries::Arguments),
    Headers(headers::Arguments),
    Kernels(production::Arguments),
    Examples(examples::Arguments),
    Simulator(simulator::Arguments),
    Sfpu(sfpu::Arguments),
    Abi(abi::Arguments),
    Launch(launch::Arguments),
    Corpus(corpus::Arguments),
    Rules(rules::Arguments),
    IrMutations(ir_mutations::Arguments),
    Mutations(mutations::Arguments),
    Names(names::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Check::parse() {
        Check::Binaries(arguments) => binaries::run(&arguments),
        Check::Headers(arguments) => headers::run(&arguments),
        Check::Kernels(arguments) => production::run(&arguments),
        Check::Examples(arguments) => examples::run(&arguments),
        Check::Simulator(arguments) => simulator::run(&arguments),
        Check::Sfpu(arguments) => sfpu::run(&arguments),
        Check::Abi(arguments) => abi::run(&arguments),
        Check::Launch(arguments) => launch::run(&arguments),
        Check::Corpus(arguments) => corpus::run(&arguments),
        Check::Rules(arguments) => rules::run(&arguments),
        Check::IrMutations(arguments) => ir_mutations::run(&arguments),
        Check::Mutations(arguments) => mutations::run(&arguments),
        Check::Names(arguments) => names::run(&arguments),
    };
    xtask::exit("cargo xtask conformance", outcome)
}
