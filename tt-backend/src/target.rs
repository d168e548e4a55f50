//! The chips that a kernel is compiled for, and what all of them have.

pub use tt_device::{CHIPS as TARGETS, Chip as Target};

/// The smallest budget over all chips.
pub fn least<T: Ord>(budget: impl Fn(&Target) -> T) -> T {
    TARGETS
        .iter()
        .map(budget)
        .min()
        .unwrap_or_else(|| unreachable!("TARGETS is not empty"))
}
