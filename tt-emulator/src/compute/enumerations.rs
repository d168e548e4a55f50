//! Enumerations of the compute API.

include!("../abi/compute_enumerations.rs");
