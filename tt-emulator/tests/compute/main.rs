//! Compute kernels on the emulated chip: C++ against our device headers, results against plain loops.

mod rig;

mod blocks;
mod elementwise;
mod matmul;
mod oracle_specs;
mod vector_calls;
mod violations;
