//! The matrix engine: products, sums and reductions of source tiles into destination registers.

pub mod datapath;
pub mod eltwise;
pub mod exact;
pub mod fidelity;
pub mod integers;
pub mod left_out;
pub mod matmul;
mod pairs;
pub mod reduce;
mod sums;
