//! A grid without blocks.
use tt::prelude::*;

#[tt::kernel]
fn copy() {
    let bx = T.Kernel(0);
}

fn main() {}
