//! Compiles the kernels of the examples and tests ahead of time.

fn main() {
    tt_build::compile()
}
