//! The attribute on a type.
use tt::prelude::*;

#[tt::kernel]
struct Matmul {
    size: usize,
}

fn main() {}
