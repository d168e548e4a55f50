//! The attribute on a type.

#[tt::kernel]
struct Matmul {
    size: usize,
}

fn main() {}
