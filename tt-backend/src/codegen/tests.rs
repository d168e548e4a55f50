//! The emitted files of a small program, in full.

use super::*;
use crate::device::{Expr, Node, call};
use crate::verify::fixture::{cb, device, kernel, run_with, tiles};
use tt_lang::ir::{ExtentId, IntExpr};

#[test]
fn the_three_kernels_read_as_an_engineer_would_write_them() {
    let sources = write(&kernel(), &device()).unwrap();
    println!("{}\n{}\n{}\n{}", sources.reader, sources.compute, sources.writer, sources.main);
}
