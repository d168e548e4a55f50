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
use crate::device::{Accessor, Node, Step};
use std::collections::BTreeSet;
use tt_lang::ir::{Kernel, ParamId};

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
    let bind = |nodes: &[Node<Step>]| {
        let mut touched = BTreeSet::new();
        tensors(nodes, &mut touched);
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

fn tensors(nodes: &[Node<Step>], touched: &mut BTreeSet<ParamId>) {
    for node in nodes {
        match node {
            Node::Leaf(Step::Read(_, region) | Step::Write(_, region)) => drop(touched.insert(region.tensor)),
            Node::Loop { body, .. } | Node::Tiles { body, .. } | Node::Scope(body) => tensors(body, touched),
            Node::If { then, otherwise, .. } | Node::When { then, otherwise, .. } => {
                tensors(then, touched);
                tensors(otherwise, touched);
            }
            Node::Leaf(_) | Node::Source(_) => {}
        }
    }
}
