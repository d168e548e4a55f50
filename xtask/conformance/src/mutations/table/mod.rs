//! The mutants, by the part of the compiler that they break.

mod dst;
mod init;
mod names;
mod protocol;
mod split;
mod writer;

use super::mutant::Mutant;

/// Every mutant, in the order of the table.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    [split::D2, protocol::D3, init::D4, dst::D5, writer::WRITER, names::NAMES]
        .into_iter()
        .flatten()
}
