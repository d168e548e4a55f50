//! What a program uses, and so what its file must declare first: headers, buffers, page sizes, constants, edge functions.

use super::edges::EdgeFunction;
use crate::device::{Call, Expr, Leaf, Node, Program};
use crate::flow::BufferId;
use std::collections::BTreeSet;

/// What a program uses.
#[derive(Debug, Default)]
pub struct Uses {
    /// Headers, without those that every kernel of the role includes.
    pub headers: BTreeSet<&'static str>,
    /// Buffers whose index is used.
    pub buffers: BTreeSet<BufferId>,
    /// Buffers whose bytes per page are used.
    pub page_bytes: BTreeSet<BufferId>,
    /// Constants of the file.
    pub constants: BTreeSet<&'static str>,
    /// Functions defined in the file.
    pub edges: BTreeSet<EdgeFunction>,
    /// Whether there is anything to run.
    pub leaves: usize,
}

/// The format of the destination registers, where an operation names it (patterns.md, surprise 3).
pub const DST_FORMAT: &str = "DST_FORMAT";

impl Uses {
    /// What `program` uses.
    pub fn of(program: &Program) -> Uses {
        let mut uses = Uses::default();
        for nodes in [&program.before, &program.body, &program.after] {
            uses.nodes(nodes);
        }
        if uses.leaves > 0 {
            program.coordinates.iter().for_each(|leaf| uses.leaf(leaf));
        }
        uses
    }

    fn nodes(&mut self, nodes: &[Node<Leaf>]) {
        for node in nodes {
            match node {
                Node::Leaf(leaf) => {
                    self.leaves += 1;
                    self.leaf(leaf);
                }
                Node::Loop { body, .. } | Node::Tiles { body, .. } | Node::Scope(body) => self.nodes(body),
                Node::If { then, otherwise, .. } => {
                    self.nodes(then);
                    self.nodes(otherwise);
                }
                Node::When { cond, then, otherwise } => {
                    self.expr(cond);
                    self.nodes(then);
                    self.nodes(otherwise);
                }
                Node::Source(_) => {}
            }
        }
    }

    fn leaf(&mut self, leaf: &Leaf) {
        match leaf {
            Leaf::Call(call) => self.call(call),
            Leaf::Let { value, .. } | Leaf::Advance { value, .. } => self.expr(value),
        }
    }

    fn call(&mut self, call: &Call) {
        match EdgeFunction::named(call.function.name) {
            Some(function) => drop(self.edges.insert(function)),
            None if call.function.header.is_empty() => {}
            None => drop(self.headers.insert(call.function.header)),
        }
        if call.template.contains(DST_FORMAT) {
            self.constants.insert(DST_FORMAT);
        }
        call.args.iter().for_each(|arg| self.expr(arg));
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Buffer(id) => drop(self.buffers.insert(*id)),
            Expr::PageBytes(id) => drop(self.page_bytes.insert(*id)),
            Expr::Constant(name) => drop(self.constants.insert(name)),
            Expr::Call(call) => self.call(call),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Int(_)
            | Expr::Bool(_)
            | Expr::Name(_)
            | Expr::User(_)
            | Expr::Condition(_)
            | Expr::Number(_)
            | Expr::Accessor(_)
            | Expr::TensorTiles(..)
            | Expr::TensorExtent(..)
            | Expr::TensorAxis(..) => {}
        }
    }
}
