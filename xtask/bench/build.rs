//! Compiles the kernels that are measured.
fn main() {
    tt_build::compile()
}
