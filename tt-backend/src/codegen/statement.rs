//! Statements of the three kernels, node by node.

use super::expression::{Names, Text, Unwritable};
use super::source_lines::SourceLines;
use super::writer::Writer;
use crate::device::{Expr, Leaf, Node};
use crate::names::is_reserved;

/// Writes the statements of one program.
pub struct Statements<'a> {
    /// What names stand for.
    pub names: Names<'a>,
    /// What comments say.
    pub sources: &'a SourceLines<'a>,
}

impl Statements<'_> {
    /// Writes `nodes`.
    ///
    /// # Errors
    /// Where something stands in them that an earlier pass must have lowered.
    pub fn nodes(&self, nodes: &[Node<Leaf>], out: &mut Writer) -> Result<(), Unwritable> {
        nodes.iter().try_for_each(|node| self.node(node, out))
    }

    fn node(&self, node: &Node<Leaf>, out: &mut Writer) -> Result<(), Unwritable> {
        match node {
            Node::Leaf(leaf) => self.leaf(leaf, out)?,
            Node::Loop {
                var,
                start,
                end,
                unroll,
                body,
                origin: _,
            } => {
                let var = self.names.variable(*var)?;
                let start = self.names.expr(start)?.into_string();
                let end = Text::operator("<", &Text::primary(var), &self.names.expr(end)?);
                let end = end.ok_or("a loop without a condition")?.into_string();
                if *unroll {
                    out.line("#pragma GCC unroll 64");
                }
                out.open(format!("for (int32_t {var} = {start}; {end}; ++{var})"));
                take(var, out)?;
                self.nodes(body, out)?;
                out.close();
            }
            Node::If {
                cond,
                then,
                otherwise,
                origin: _,
            } => {
                out.open(format!("if ({})", self.names.expr(cond)?.into_string()));
                self.branches(then, otherwise, out)?;
            }
            Node::Tiles { name, end, step, body } => {
                let next = if *step == 1 {
                    format!("++{name}")
                } else {
                    format!("{name} += {step}")
                };
                out.open(format!("for (int32_t {name} = 0; {name} < {end}; {next})"));
                self.own(name)?;
                take(name, out)?;
                self.nodes(body, out)?;
                out.close();
            }
            Node::When { cond, then, otherwise } => {
                out.open(format!("if ({})", self.names.expr(cond)?.into_string()));
                self.branches(then, otherwise, out)?;
            }
            Node::Scope(body) => {
                out.open("");
                self.nodes(body, out)?;
                out.close();
            }
            Node::Source(span) => out.line(self.sources.comment(*span)),
        }
        Ok(())
    }

    /// Refuses a name of the compiler's own that users may have too.
    fn own(&self, name: &str) -> Result<(), Unwritable> {
        if is_reserved(name) {
            return Ok(());
        }
        Err(format!(
            "`{name}` is a name of the compiler that is not kept from users"
        ))
    }

    fn branches(&self, then: &[Node<Leaf>], otherwise: &[Node<Leaf>], out: &mut Writer) -> Result<(), Unwritable> {
        self.nodes(then, out)?;
        if !otherwise.is_empty() {
            out.reopen("else");
            self.nodes(otherwise, out)?;
        }
        out.close();
        Ok(())
    }

    /// Writes one statement.
    ///
    /// # Errors
    /// As [`Statements::nodes`], and where it declares a name that its scope has already.
    pub fn leaf(&self, leaf: &Leaf, out: &mut Writer) -> Result<(), Unwritable> {
        let value = |value: &Expr| Ok::<_, Unwritable>(self.names.expr(value)?.into_string());
        match leaf {
            Leaf::Call(call) => out.line(format!("{};", self.names.call(call)?)),
            Leaf::Let { kind, name, value: of } => {
                if !self.names.device.variables.contains(name) {
                    self.own(name)?;
                }
                take(name, out)?;
                out.line(format!("{kind} {name} = {};", value(of)?));
            }
            Leaf::Advance { name, value: by } => out.line(format!("{name} += {};", value(by)?)),
        }
        Ok(())
    }
}

/// Takes `name` where it is declared.
fn take(name: &str, out: &mut Writer) -> Result<(), Unwritable> {
    if out.take(name) {
        return Ok(());
    }
    Err(format!(
        "`{name}` is declared twice, or hides what is declared around it"
    ))
}
