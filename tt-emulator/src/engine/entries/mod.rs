//! The functions of the tables that kernels call ([`crate::abi`]): each finds its RISC and does one call.

mod compute;
mod dataflow;
mod debug;
mod noted;
mod threads;
mod tilize;

use crate::abi::Api;

/// The tables that kernels get.
pub(super) static API: Api = Api {
    dataflow: &dataflow::DATAFLOW_API,
    compute: &compute::COMPUTE_API,
};
