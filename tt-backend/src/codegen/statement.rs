//! Statements of the three kernels, one by one.

use super::expression::{Names, Text, Unwritable};
use super::source_lines::SourceLines;
use super::writer::Writer;
use crate::device::ahead::{Turn, pushed};
use crate::device::parts::Parts;
use crate::device::{Bits, Calls, Expr, Leaf, Loop, Operator, Scope};
use crate::flow::BufferId;
use crate::ir::{Kind, Stmt};
use crate::names::is_reserved;
use crate::passes::b2_grid_to_cores::BLOCK_ID;
use crate::passes::give_names::begin_name;

/// Writes the statements of one program.
pub struct Statements<'a> {
    /// What names stand for.
    pub names: Names<'a>,
    /// What comments say.
    pub sources: &'a SourceLines<'a>,
}

impl Statements<'_> {
    /// Writes `body`.
    ///
    /// # Errors
    /// Where a name is declared twice, is not the compiler's, or names nothing.
    pub fn body(&self, body: &[Stmt<Calls<Bits>>], out: &mut Writer) -> Result<(), Unwritable> {
        for stmt in body {
            self.statement(stmt, out)?;
        }
        Ok(())
    }

    fn statement(&self, stmt: &Stmt<Calls<Bits>>, out: &mut Writer) -> Result<(), Unwritable> {
        if let Some(span) = stmt.note {
            out.lines(&self.sources.comment(span));
        }
        match &stmt.kind {
            Kind::Op(leaf) => return self.leaf(leaf, out),
            Kind::Loop(head @ Loop::Over { ahead: true, .. }, body) => return self.ahead(head, body, out),
            Kind::Loop(
                Loop::Tiles {
                    name,
                    end,
                    step,
                    in_parts: true,
                },
                body,
            ) => return self.in_parts(name, [*end, *step], body, out),
            Kind::Loop(head, body) => {
                self.head(head, out)?;
                self.body(body, out)?;
            }
            Kind::If(branch, then, otherwise) => {
                out.open(format!("if ({})", self.names.expr(&branch.cond)?.into_string()));
                self.body(then, out)?;
                if !otherwise.is_empty() {
                    out.reopen("else");
                    self.body(otherwise, out)?;
                }
            }
            Kind::Group(Scope, body) => {
                out.open("");
                self.body(body, out)?;
            }
        }
        out.close();
        Ok(())
    }

    /// Opens a loop.
    fn head(&self, head: &Loop<Bits>, out: &mut Writer) -> Result<(), Unwritable> {
        match head {
            Loop::Blocks { start, count, step } => {
                let [start, count, step] = [start, count, step].map(|part| self.names.expr(part));
                let (start, step) = (start?, step?);
                let end = Text::operator(Operator::Add, &start, &Text::operator(Operator::Mul, &count?, &step));
                let within = Text::operator(Operator::Less, &Text::primary(BLOCK_ID), &end).into_string();
                let start = start.into_string();
                out.blank();
                out.open(format!(
                    "for (int32_t {BLOCK_ID} = {start}; {within}; {BLOCK_ID} += {})",
                    step.into_string()
                ));
                Ok(())
            }
            Loop::Over {
                var,
                start,
                end,
                unroll,
                ahead: _,
                origin: _,
            } => {
                let var = self.names.variable(*var)?;
                let start = self.names.expr(start)?.into_string();
                let end = Text::operator(Operator::Less, &Text::primary(var), &self.names.expr(end)?).into_string();
                if *unroll {
                    out.line("#pragma GCC unroll 64");
                }
                out.open(format!("for (int32_t {var} = {start}; {end}; ++{var})"));
                take(var, out)
            }
            Loop::Tiles {
                name,
                end,
                step,
                in_parts: _,
            } => {
                let next = next_tile(name, *step);
                out.open(format!("for (int32_t {name} = 0; {name} < {end}; {next})"));
                self.own(name)?;
                take(name, out)
            }
        }
    }

    /// A loop of tiles in parts ([`crate::device::parts`]). Its variable is one of the scope around: the parts go on where the last ended.
    fn in_parts(
        &self,
        name: &str,
        [end, step]: [u32; 2],
        body: &[Stmt<Calls<Bits>>],
        out: &mut Writer,
    ) -> Result<(), Unwritable> {
        let Some(parts) = Parts::of(name, body) else {
            return Err(format!("the turns of `{name}` are not in parts"));
        };
        let next = next_tile(name, step);
        let part = |bound: &Expr<Bits>, first: &[Stmt<Calls<Bits>>], out: &mut Writer| {
            let turns = Text::operator(Operator::Less, &Text::primary(name), &self.names.expr(bound)?).into_string();
            out.open(format!("for (; {turns}; {next})"));
            self.body(first, out)?;
            self.body(parts.rest, out)?;
            out.close();
            Ok::<_, Unwritable>(())
        };
        self.own(name)?;
        take(name, out)?;
        out.line(format!("int32_t {name} = 0;"));
        if let Some(from) = parts.from {
            part(from, parts.without, out)?;
        }
        let of_all = parts.of_all.iter().map(|asked| self.names.expr(asked));
        let of_all = of_all.reduce(|a, b| Ok(Text::operator(Operator::And, &a?, &b?)));
        let of_all = of_all.transpose()?;
        if let Some(asked) = &of_all {
            out.open(format!("if ({})", asked.clone().into_string()));
        }
        let end = Expr::Int(i64::from(end));
        part(parts.to.unwrap_or(&end), parts.within, out)?;
        if of_all.is_some() {
            out.close();
        }
        part(&end, parts.without, out)
    }

    /// A loop whose turns begin ahead ([`crate::device::ahead`]).
    fn ahead(&self, head: &Loop<Bits>, body: &[Stmt<Calls<Bits>>], out: &mut Writer) -> Result<(), Unwritable> {
        let Loop::Over { var, start, end, .. } = head else {
            return Err("the turns of a loop of the compiler's own begin ahead".to_string());
        };
        let (turn, var) = (Turn::of(body), self.names.variable(*var)?);
        let [start, end] = [self.names.expr(start)?, self.names.expr(end)?];
        let next = Text::operator(Operator::Add, &Text::primary(var), &Text::primary("1"));
        let within = |at: &Text| Text::operator(Operator::Less, at, &end).into_string();
        let mut begins: Vec<(BufferId, String)> = Vec::new();
        out.open(format!("if ({})", within(&start)));
        for (id, first) in turn.begun() {
            let begin = begin_name(&self.names.device_buffer(id)?.name);
            take(&begin, out)?;
            out.open(format!("const auto {begin} = [&](int32_t {var})"));
            take(var, out)?;
            self.body(first, out)?;
            out.close_with(";");
            begins.push((id, begin));
        }
        let (is_next, next) = (within(&next), next.into_string());
        let start = start.into_string();
        for (_, begin) in &begins {
            out.line(format!("{begin}({start});"));
        }
        self.head(head, out)?;
        for stmt in turn.rest {
            self.statement(stmt, out)?;
            let pushed = pushed(stmt);
            if let Some((_, begin)) = begins.iter().find(|(id, _)| Some(*id) == pushed) {
                out.open(format!("if ({is_next})"));
                out.line(format!("{begin}({next});"));
                out.close();
            }
        }
        out.close();
        out.close();
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

    fn leaf(&self, leaf: &Leaf<Bits>, out: &mut Writer) -> Result<(), Unwritable> {
        let value = |value: &Expr<Bits>| Ok::<_, Unwritable>(self.names.expr(value)?.into_string());
        match leaf {
            Leaf::Call(call) => {
                out.begin();
                self.names.call(call, &mut |part| out.put(part))?;
                out.end_line(";");
            }
            Leaf::Let { kind, name, value: of } => {
                if !self.names.device.variables.contains(name) {
                    self.own(name)?;
                }
                take(name, out)?;
                out.line(format!("{} {name} = {};", kind.declared(), value(of)?));
            }
            Leaf::Define { var, call } => {
                let name = self.names.variable(*var)?;
                take(name, out)?;
                out.line(format!("const int32_t {name} = {};", self.names.call_text(call)?));
            }
            Leaf::Advance { name, value: by } => out.line(format!("{name} += {};", value(by)?)),
        }
        Ok(())
    }
}

/// The step of a loop of tiles.
fn next_tile(name: &str, step: u32) -> String {
    match step {
        1 => format!("++{name}"),
        step => format!("{name} += {step}"),
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
