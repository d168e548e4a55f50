//! The memories of an emulated device: mapped regions, who owns which range, and the addresses the NoC knows.

pub(crate) mod allocator;
pub(crate) mod l1;
pub(crate) mod machine;
pub(crate) mod region;
