//! Ahead-of-time compilation of a crate's kernels, for its build.rs.
