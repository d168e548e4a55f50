//! Write tile kernels for Tenstorrent accelerators in Rust.
