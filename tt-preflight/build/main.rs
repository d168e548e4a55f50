//! Asks for what a build needs, and stops it with our words where that is not there.

use std::env;

mod compiler;

fn main() {
    // A build that fails here asks again. One that did not fail does not: the search depends on PATH, which is another in every
    // terminal, and asking again would compile everything again.
    println!("cargo::rerun-if-changed=build");
    if let Err(message) = compiler::check(&|name| env::var(name).ok()) {
        println!("cargo::error={message}");
    }
}
