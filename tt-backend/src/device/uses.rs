//! What a program uses, and so what its file must declare first: headers, buffers, page sizes, functions.

use super::function::Function;
use super::{Bits, Call, Calls, Expr, Leaf};
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
    /// Whether a template argument is [`DST_FORMAT`].
    pub dst_format: bool,
    /// Names of functions of no header: those of C++, and those that the file defines.
    pub functions: BTreeSet<&'static str>,
    /// Every function that is called: most calls are of one that was called before.
    called: Vec<&'static Function>,
}

/// The format of the destination registers, where an operation names it (patterns.md, surprise 3).
pub const DST_FORMAT: &str = "DST_FORMAT";

/// Calls `each` with the buffers whose index an operation uses.
pub fn buffers(leaf: &Leaf<Bits>, each: &mut impl FnMut(BufferId)) {
    let mut part = |part: &Expr<Bits>| {
        if let Expr::Buffer(id) = part {
            each(*id);
        }
    };
    match leaf {
        Leaf::Call(call) | Leaf::Define { call, .. } => call.args.iter().for_each(|arg| arg.walk(&mut part)),
        Leaf::Let { value, .. } | Leaf::Advance { value, .. } => value.walk(&mut part),
    }
}

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

    /// Adds what an operation uses.
    fn leaf(&mut self, leaf: &Leaf<Bits>) {
        match leaf {
            Leaf::Call(call) | Leaf::Define { call, .. } => self.call(call),
            Leaf::Let { value, .. } | Leaf::Advance { value, .. } => self.expr(value),
        }
    }

    fn call(&mut self, call: &Call<Bits>) {
        if !call.function.is_among(&self.called) {
            self.called.push(call.function);
            match call.function.header {
                None => self.functions.insert(call.function.name),
                Some(header) => self.headers.insert(header),
            };
        }
        self.dst_format |= call.template.mentions(DST_FORMAT);
        call.args.iter().for_each(|arg| self.expr(arg));
    }

    fn expr(&mut self, expr: &Expr<Bits>) {
        match expr {
            Expr::Buffer(id) => drop(self.buffers.insert(*id)),
            Expr::PageBytes(id) => drop(self.page_bytes.insert(*id)),
            Expr::Call(call) => self.call(call),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Int(_) | Expr::Bool(_) | Expr::Name(_) | Expr::Value(_) | Expr::Accessor(_) | Expr::Text(_) => {}
        }
    }
}
