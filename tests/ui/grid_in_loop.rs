//! A grid inside a loop.
use tt::prelude::*;

#[tt::kernel]
fn copy() {
    for k in 0..4 {
        let bx = T.Kernel(8);
    }
}

fn main() {}
