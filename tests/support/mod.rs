//! What tests of kernels share.

use tt::prelude::*;

/// Runs `test` on the emulated chips.
///
/// # Panics
/// Where it fails, with the chip's name.
#[track_caller]
pub fn on_both_chips(test: impl Fn(&Device) -> tt::Result<()>) {
    for name in ["emulator:wormhole_b0", "emulator:blackhole"] {
        let run = || test(&Device::open_named(name)?);
        run().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// Runs the other tests of this program in other orders of what a chip leaves open: once with each of some numbers.
///
/// # Panics
/// Where one of them fails, with what it printed.
#[allow(dead_code, reason = "not every program of tests has cores that talk to each other")]
pub fn in_other_orders(this: &str) {
    const ORDER: &str = "TT_EMULATOR_ORDER";
    for order in (1..=4).map(|order: u32| order.to_string()) {
        let mut others = std::process::Command::new(std::env::current_exe().expect("this program"));
        others.args(["--skip", this]).env(ORDER, &order);
        let output = others.output().expect("it runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(output.status.success(), "{ORDER}={order}: {said}");
    }
}
