//! Compiles the kernels of the examples and tests ahead of time, where those are built.

fn main() {
    if std::env::var_os("CARGO_FEATURE_OWN_KERNELS").is_some() {
        tt_build::compile()
    } else {
        println!("cargo::rerun-if-changed=build.rs")
    }
}
