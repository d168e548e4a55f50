//! D2: accessors get their compile-time words and their address arguments.
//!
//! Before: abstract accessors (A3). After: reader and writer each list the tensors they touch, in the order of their
//! compile-time words; the address of each is a runtime argument.
//!
//! ```text
//!  a read, b read, c written   ⟹   reader: a at word 0 (a_address), b after it (b_address); writer: c at word 0 (c_address)
//! ```

use super::a3_attach_tensor_accessor::AbstractAccessor;
use super::d1_split_kernel::Split;
use crate::device::{Accessor, Move, Moves};
use crate::ir::{Stmt, operations};
use std::collections::BTreeSet;
use tt_lang::ir::Kernel;

/// The accessors of reader and writer.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The reader's.
    pub reader: Vec<Accessor>,
    /// The writer's.
    pub writer: Vec<Accessor>,
}

/// Runs the pass.
pub fn run(kernel: &Kernel, accessors: &[AbstractAccessor], split: &Split) -> Bound {
    let bind = |body: &[Stmt<Moves>]| {
        let mut touched = BTreeSet::new();
        operations(body, &mut |op| match op {
            Move::Read(_, region) | Move::Write(_, region) => drop(touched.insert(region.tensor)),
            Move::Protocol(_) | Move::ReadZeros(_) => {}
        });
        accessors
            .iter()
            .filter(|accessor| touched.contains(&accessor.tensor))
            .map(|accessor| {
                let name = kernel.params[accessor.tensor.index()].name();
                Accessor {
                    tensor: accessor.tensor,
                    name: name.to_string(),
                    address: format!("{name}_address"),
                }
            })
            .collect()
    };
    Bound {
        reader: bind(&split.reader),
        writer: bind(&split.writer),
    }
}
