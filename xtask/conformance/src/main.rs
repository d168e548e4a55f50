//! `cargo xtask conformance CHECK`: what we emit and what we emulate, held against TT-Metalium itself.

use std::process::ExitCode;
use xtask::arguments::{Chore, dispatch};

/// Every check, in the order of the help.
const CHECKS: &[Chore] = &[
    tt_conformance::binaries::CHECK,
    tt_conformance::headers::CHECK,
    tt_conformance::production::CHECK,
    tt_conformance::examples::CHECK,
    tt_conformance::simulator::CHECK,
    tt_conformance::sfpu::CHECK,
    tt_conformance::abi::CHECK,
    tt_conformance::launch::CHECK,
    tt_conformance::rules::CHECK,
    tt_conformance::ir_mutations::CHECK,
    tt_conformance::mutations::CHECK,
    tt_conformance::names::CHECK,
];

fn main() -> ExitCode {
    dispatch("cargo xtask conformance", CHECKS, std::env::args().skip(1))
}
