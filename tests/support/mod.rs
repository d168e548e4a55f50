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
