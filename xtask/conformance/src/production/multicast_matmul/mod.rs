//! `ttnn.matmul` of two interleaved tensors in DRAM over a rectangle of cores: the first column reads the left operand and
//! multicasts it along its rows, the first row the right one along its columns. In which blocks, says [`Blocks`]; the
//! kernels with their arguments are a [`case`].
//!
//! The host code is not in the wheel. What it chooses and hands to the kernels is known from
//! `ttnn/cpp/ttnn/operations/matmul/device` of github.com/caryzoumvp/tt-metal-sim, commit 923191064229: the choice from
//! `config/matmul_program_config.cpp` and `utilities/matmul_utilities.cpp`, the arguments from
//! `factory/matmul_multicore_reuse_mcast_2d_program_factory.cpp`. The wheel's kernels are newer and take a few arguments
//! more, whose meaning stands where they read them.

mod blocks;
mod program;

pub use blocks::Blocks;
pub use program::{case, cases};
