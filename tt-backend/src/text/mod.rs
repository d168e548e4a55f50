//! The text form of Flow IR and Device IR: one grammar, printed for dumps and read back for the tests of passes.
//!
//! ```text
//! buffers {
//!   x: incoming, 2 x 2 Float16_b, 2 versions
//! }
//! body {
//!   for k in 0..K.div_ceil(64), 3 stages {
//!     read x@d0 from a tile (by * 2, k * 2) of 64 x 64 elements, may exceed rows and columns
//!   }
//! }
//! ```
//!
//! - A statement is a line; loops, branches and what stands around others have their statements in braces.
//! - Names are the kernel's. A variable that shares its name with another variable, an extent or a parameter has its number
//!   behind it (`k~3`).
//! - `x@d0` is the version of buffer `x` that definition 0 made, `x@d0|d3` one of two, in Flow IR. Device IR asks no more
//!   which definition it is, and says `x`.
//! - `%0` is a register; `scalar x` the scalar `x` where a bare name would be something else; `f32(n)` an integer as a number.
//! - `[..]` within an expression of another kind is the language's: integers and conditions in Device IR, numbers that
//!   the host computes in the expressions of Flow IR.
//! - `// line 7` says the place in the source of the next statement of Device IR; every other comment is the reader's.
//!
//! What prints stands here in `names`, in `flow::print` and `device::print`; what reads, in `read`, `flow::read` and
//! `device::read`, which only tests need (feature `text`). A test holds that reading gives back what was printed.

mod inspection;
mod lines;
mod names;
#[cfg(feature = "text")]
mod read;

pub(crate) use inspection::quoted;
pub use lines::Lines;
pub(crate) use lines::{lines, written};
pub use names::Names;
pub(crate) use names::{Literal, NEGATIVE, buffers};
#[cfg(feature = "text")]
pub use read::{Misread, Read, Reader, Registers};
