//! B2: the grid becomes a persistent loop over block numbers on every core.
//!
//! Before: `T.Kernel(gx, gy)`. After: each core runs the body for block numbers `start_id .. start_id + count`, two runtime
//! arguments that the launcher computes. The loop itself is written out by the code writer around the body of each program.
//!
//! ```text
//!  let (bx, by) = T.Kernel(gx, gy);   ⟹   for block_id in start_id..start_id + count { (bx, by) = position(block_id) .. }
//! ```

use tt_plan::RuntimeValue;

/// The variable that holds the number of the block.
pub const BLOCK_ID: &str = "block_id";

/// The runtime arguments of the persistent loop, first in every kernel.
pub fn run() -> [(&'static str, RuntimeValue); 2] {
    [("start_id", RuntimeValue::StartId), ("count", RuntimeValue::Count)]
}
