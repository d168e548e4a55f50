//! What checks need from elsewhere: the runtime's headers, sources and library out of the `ttnn` wheel, and a RISC-V compiler
//! out of Debian's packages. Versions and checksums are pinned here; what was fetched stays in a cache folder.
//!
//! Everything comes into being under a temporary name and is renamed when it is complete, so that whatever goes wrong
//! (no network, a full disk, an interrupted run) leaves nothing that a later run would take for good. Two runs at once wait
//! for each other.

mod cache;
mod debian;
#[cfg(test)]
mod failures;
mod machine;
mod pinned;
#[cfg(test)]
pub(crate) mod testing;
mod wheel;

pub use cache::Cache;
pub use debian::{Compiler, Library, compiler, fmt, protobuf};
pub use machine::{Downloads, Machine};
pub use pinned::{PACKAGES, Package, Pinned, TTNN_VERSION, WHEEL};
pub use wheel::{headers, library};
