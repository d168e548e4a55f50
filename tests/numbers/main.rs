//! Numbers at the ends of the formats, and how near functions come to their values: kernels made from text, run on both
//! emulated chips, against plain Rust. The tables of docs/numbers.md are what these tests find; `TT_BLESS=1` rewrites them.

mod accuracy;
mod casts;
mod chains;
mod comparisons;
mod differences;
mod functions;
mod kernel;
mod page;
mod specials;
mod sums;
