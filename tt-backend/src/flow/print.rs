//! The text form of Flow IR: one statement a line, in the user's names; the same input always gives the same text. `read`
//! reads it back.

use super::{
    Accumulate, Around, BlockOp, Blocks, BufferId, Elementwise, Fetch, Flow, FlowLoop, Gemm, Makes, Read, Section,
    SectionOp, Sections, Shift, Value, ValueKind, Write,
};
use crate::ir::{Kind, Never, Stage, Stmt};
use crate::text::{Lines, NEGATIVE, Names, buffers, lines};
use std::fmt::{self, Formatter};
use tt_lang::ir::{BoolExpr, Kernel, LoopKind, Span};
use tt_plan::Number;

/// A stage of Flow IR.
pub trait Show: Stage<Loop = FlowLoop, Branch = BoolExpr, Note = Span> {
    /// What it is called.
    const NAME: &'static str;

    /// Puts the line of an operation behind what there is.
    fn op(names: &Names, op: &Self::Op, out: &mut Formatter) -> fmt::Result;
    /// Puts the line that a group begins with behind what there is.
    fn group(names: &Names, group: &Self::Group, out: &mut Formatter) -> fmt::Result;
    /// The line that what stands in a group ends with, where there is one.
    fn end(names: &Names, group: &Self::Group, out: &mut Lines) -> fmt::Result;
}

/// `flow` as text.
pub fn flow<S: Show>(kernel: &Kernel, flow: &Flow<S>) -> String {
    let names = Names {
        kernel,
        buffers: &flow.buffers,
        variables: None,
        sights: Some(&flow.sights),
    };
    lines(|out| {
        buffers(kernel, &flow.buffers, out)?;
        out.braced("body", |out| statements(&names, &flow.body, out))
    })
}

fn statements<S: Show>(names: &Names, body: &[Stmt<S>], out: &mut Lines) -> fmt::Result {
    for stmt in body {
        statement(names, stmt, out)?;
    }
    Ok(())
}

fn statement<S: Show>(names: &Names, stmt: &Stmt<S>, out: &mut Lines) -> fmt::Result {
    match &stmt.kind {
        Kind::Op(op) => S::op(names, op, out.begin()?),
        Kind::Group(group, body) => {
            S::group(names, group, out.begin()?)?;
            out.block(|out| {
                statements(names, body, out)?;
                S::end(names, group, out)
            })
        }
        Kind::Loop(head, body) => {
            let FlowLoop {
                var, start, end, kind, ..
            } = head;
            let may_not = match FlowLoop::counts(start, end) && !head.runs {
                true => ", may not run",
                false => "",
            };
            let kind = match kind {
                LoopKind::Serial => String::new(),
                LoopKind::Unroll => ", unrolled".to_string(),
                LoopKind::Pipelined(stages) => format!(", {stages} stages"),
            };
            let (var, start, end) = (names.variable(*var), names.int(start), names.int(end));
            out.braced(format!("for {var} in {start}..{end}{kind}{may_not}"), |out| {
                statements(names, body, out)
            })
        }
        Kind::If(cond, then, otherwise) => {
            write!(out.begin()?, "if {}", names.condition(cond))?;
            match otherwise.is_empty() {
                true => out.block(|out| statements(names, then, out)),
                false => out.blocks(
                    |out| statements(names, then, out),
                    |out| statements(names, otherwise, out),
                ),
            }
        }
    }
}

impl Show for Blocks {
    const NAME: &'static str = "Flow IR: blocks";

    fn op(names: &Names, op: &BlockOp, out: &mut Formatter) -> fmt::Result {
        match op {
            BlockOp::Read(of) => out.write_str(&read(names, of)),
            BlockOp::Write(of) => out.write_str(&write(names, of)),
            BlockOp::Inspect(of) => out.write_str(&names.inspection(of)),
            BlockOp::Shift(of) => out.write_str(&shifted(names, of)),
            BlockOp::Fetch(of) => out.write_str(&fetch(names, of)),
            BlockOp::Elementwise(of) => elementwise(names, of, out),
            BlockOp::Gemm(of) => out.write_str(&gemm(names, of)),
        }
    }

    fn group(_: &Names, group: &Never, _: &mut Formatter) -> fmt::Result {
        match *group {}
    }

    fn end(_: &Names, group: &Never, _: &mut Lines) -> fmt::Result {
        match *group {}
    }
}

impl Show for Sections {
    const NAME: &'static str = "Flow IR: sections";

    fn op(names: &Names, op: &SectionOp, out: &mut Formatter) -> fmt::Result {
        match op {
            SectionOp::Read(of) => out.write_str(&read(names, of)),
            SectionOp::Write(of) => out.write_str(&write(names, of)),
            SectionOp::Inspect(of) => out.write_str(&names.inspection(of)),
            SectionOp::Shift(of) => out.write_str(&shifted(names, of)),
            SectionOp::Fetch(of) => out.write_str(&fetch(names, of)),
            SectionOp::Blank(buffer) => write!(out, "blank {}", names.buffer(*buffer)),
            SectionOp::Release(buffer) => write!(out, "release {}", names.buffer(*buffer)),
            SectionOp::Tile { op, out: result, args } => names.tile(*op, *result, args, out),
            SectionOp::Matmul(matmul) => out.write_str(&names.matmul(matmul)),
        }
    }

    fn group(names: &Names, around: &Around, out: &mut Formatter) -> fmt::Result {
        match around {
            Around::Accumulate(Accumulate { buffer, fill }) => {
                write!(out, "accumulate {}", names.buffer(*buffer))?;
                match fill {
                    Some(fill) => write!(out, " from d{}", fill.0),
                    None => Ok(()),
                }
            }
            Around::Section(section) => {
                names.section_head(section.tiles, section.chunk, section.registers, out)?;
                if let Some(fill) = section.fill {
                    write!(out, ", from d{}", fill.0)?;
                }
                if section.in_last_turn {
                    out.write_str(", in the last turn")?;
                }
                match section.by_packer {
                    0 => Ok(()),
                    steps => write!(out, ", last {steps} by the packer"),
                }
            }
            Around::Along { axis, tiles } => out.write_str(&names.along(*axis, *tiles)),
            Around::Unless(negative) => out.write_str(&names.unless(negative)),
        }
    }

    fn end(names: &Names, around: &Around, out: &mut Lines) -> fmt::Result {
        match around {
            Around::Section(section) => packed(names, section, out.begin()?),
            Around::Accumulate(_) | Around::Along { .. } | Around::Unless(_) => Ok(()),
        }
    }
}

fn read(names: &Names, of: &Read) -> String {
    format!(
        "read {} from {}{}",
        names.defined(of.buffer, of.defines),
        names.region(&of.region),
        after(names, of.after)
    )
}

/// The token that a transfer waits for.
fn after(names: &Names, token: Option<BufferId>) -> String {
    token.map_or_else(String::new, |token| format!(" after {}", names.buffer(token)))
}

fn fetch(names: &Names, of: &Fetch) -> String {
    let mut text = format!("fetch {}", names.fetched(of.var, of.tensor, &of.indices));
    for (role, into) in [("reader", of.into.reader), ("writer", of.into.writer)] {
        if let Some(buffer) = into {
            text += &format!(", {role} into {}", names.buffer(buffer));
        }
    }
    text
}

fn write(names: &Names, of: &Write) -> String {
    let stored = |(buffer, sees)| format!(" where {}", names.seen(buffer, sees));
    format!(
        "write {} to {}{}{}",
        names.seen(of.buffer, of.sees),
        names.region(&of.region),
        of.stored.map(stored).unwrap_or_default(),
        after(names, of.after)
    )
}

fn shifted(names: &Names, of: &Shift) -> String {
    let (to, from) = (names.defined(of.buffer, of.defines), names.seen(of.from, of.sees));
    format!("shift {to} from {from} {}", names.window(&of.window))
}

/// Puts an operation on elements behind what there is.
fn elementwise(names: &Names, of: &Elementwise, out: &mut Formatter) -> fmt::Result {
    let [rows, columns] = of.extent;
    let target = names.defined(of.target, of.defines);
    let compound = if of.compound { "compound " } else { "" };
    write!(out, "{target}[{rows}, {columns}] = {compound}")?;
    value(names, &of.value, out)
}

fn gemm(names: &Names, of: &Gemm) -> String {
    let Gemm { sees, m, n, k, .. } = of;
    let transposed = |flag: bool| if flag { ".transposed" } else { "" };
    let after = sees
        .acc
        .map_or_else(String::new, |before| format!(" after {}", names.definitions(before)));
    format!(
        "{} {} {}{} * {}{}{after}, m {m}, n {n}, k {k}",
        names.defined(of.acc, of.defines),
        if sees.acc.is_none() { "=" } else { "+=" },
        names.seen(of.a, sees.a),
        transposed(of.transpose_a),
        names.seen(of.b, sees.b),
        transposed(of.transpose_b)
    )
}

/// Puts the line that a section ends with behind what there is.
fn packed(names: &Names, section: &Section, out: &mut Formatter) -> fmt::Result {
    let made = match section.makes {
        Makes::Definition(defines) => format!("@d{}", defines.0),
        Makes::OfSums { sees, defines } => format!("@d{} of {}", defines.0, names.definitions(sees)),
        Makes::Registers => String::new(),
    };
    names.pack(section.result, &section.pack, &made, out)
}

/// What is folded, by whether it is down columns and along rows.
pub(super) const ALONG: [(&str, [bool; 2]); 3] = [
    ("columns", [true, false]),
    ("rows", [false, true]),
    ("all", [true, true]),
];

/// Puts a value behind what there is.
fn value(names: &Names, of: &Value, out: &mut Formatter) -> fmt::Result {
    match &of.kind {
        ValueKind::Number(number @ (Number::Bits(_) | Number::Scalar(_))) => out.write_str(&names.number(number)),
        ValueKind::Number(number @ (Number::Int(_) | Number::Call(..) | Number::Compare(..) | Number::Bf16(..))) => {
            write!(out, "[{}]", names.number(number))
        }
        ValueKind::Load(operand) => names.operand(operand, out),
        ValueKind::Call(op, args) => call(names, op.row().name, args, out),
        ValueKind::Compare(op, a, b) => {
            out.write_str("(")?;
            value(names, a, out)?;
            write!(out, " {} ", op.symbol())?;
            value(names, b, out)?;
            out.write_str(")")
        }
        ValueKind::And(a, b) => call(names, "and", [&**a, b], out),
        ValueKind::Or(a, b) => call(names, "or", [&**a, b], out),
        ValueKind::Not(a) => call(names, "not", [&**a], out),
        ValueKind::Select(c, a, b) => call(names, "select", [&**c, a, b], out),
        ValueKind::Index(index) => out.write_str(&names.index("index", index)),
        ValueKind::Negative(index) => out.write_str(&names.index(NEGATIVE, index)),
        ValueKind::Integer(index) => out.write_str(&names.index("integer", index)),
        ValueKind::Cast(to, a) => {
            write!(out, "cast({}, ", to.name())?;
            value(names, a, out)?;
            out.write_str(")")
        }
        ValueKind::Reduce(reduction, a) => {
            let [rows, columns] = reduction.extent;
            let along = ALONG.iter().find(|(_, along)| *along == reduction.along);
            let along = along.map_or("nothing", |(name, _)| name);
            let fold = reduction.fold.name();
            write!(out, "reduce({fold}, {along} of [{rows}, {columns}], ")?;
            value(names, a, out)?;
            out.write_str(")")
        }
        ValueKind::Pick(pick, a) => {
            let [rows, columns] = pick.extent;
            let [row, column] = pick.at.each_ref().map(|at| match at {
                Some(at) => names.int(at),
                None => "_".to_string(),
            });
            write!(out, "pick([{row}, {column}] of [{rows}, {columns}], ")?;
            value(names, a, out)?;
            out.write_str(")")
        }
    }
}

/// Puts `name(arg, arg)` behind what there is.
fn call<'a>(names: &Names, name: &str, args: impl IntoIterator<Item = &'a Value>, out: &mut Formatter) -> fmt::Result {
    write!(out, "{name}(")?;
    for (at, arg) in args.into_iter().enumerate() {
        if at > 0 {
            out.write_str(", ")?;
        }
        value(names, arg, out)?;
    }
    out.write_str(")")
}
