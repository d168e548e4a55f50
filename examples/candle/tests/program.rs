//! The program, as `cargo run` runs it, finds its results right.

use std::process::Command;

#[test]
fn the_program_is_right_on_both_chips() {
    for chip in ["emulator:wormhole_b0", "emulator:blackhole"] {
        let run = Command::new(env!("CARGO_BIN_EXE_tt-candle"))
            .env("TT_DEVICE", chip)
            .output()
            .unwrap();
        let [said, wrong] = [run.stdout, run.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(run.status.success() && said.starts_with(chip), "{said}{wrong}");
        println!("{said}");
    }
}
