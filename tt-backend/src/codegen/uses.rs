//! What a program uses, and so what its file must declare first: headers, buffers, page sizes, constants, edge functions.

use super::edges::EdgeFunction;
use crate::device::{Bits, Call, Calls, Expr, Leaf};
use crate::flow::BufferId;
use crate::ir::{Kind, Stmt, visit};
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
}

/// The format of the destination registers, where an operation names it (patterns.md, surprise 3).
pub const DST_FORMAT: &str = "DST_FORMAT";

impl Uses {
    /// What the statements of a program use.
    pub fn of(body: &[Stmt<Calls<Bits>>]) -> Uses {
        let mut uses = Uses::default();
        visit(body, &mut |stmt| match &stmt.kind {
            Kind::Op(leaf) => uses.leaf(leaf),
            Kind::If(branch, ..) => uses.expr(&branch.cond),
            // Loops run between variables, arguments and constants.
            Kind::Loop(..) | Kind::Group(..) => {}
        });
        uses
    }

    fn leaf(&mut self, leaf: &Leaf<Bits>) {
        match leaf {
            Leaf::Call(call) | Leaf::Define { call, .. } => self.call(call),
            Leaf::Let { value, .. } | Leaf::Advance { value, .. } => self.expr(value),
        }
    }

    fn call(&mut self, call: &Call<Bits>) {
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

    fn expr(&mut self, expr: &Expr<Bits>) {
        match expr {
            Expr::Buffer(id) => drop(self.buffers.insert(*id)),
            Expr::PageBytes(id) => drop(self.page_bytes.insert(*id)),
            Expr::Constant(name) => drop(self.constants.insert(name)),
            Expr::Call(call) => self.call(call),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Int(_) | Expr::Bool(_) | Expr::Name(_) | Expr::Value(_) | Expr::Accessor(_) | Expr::Text(_) => {}
        }
    }
}
