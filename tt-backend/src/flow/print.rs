//! The text form of Flow IR: one statement a line, in the user's names; the same input always gives the same text. `read`
//! reads it back.

use super::{
    Accumulate, Around, BlockOp, Blocks, BufferId, Elementwise, Fetch, Flow, FlowLoop, Gemm, Makes, Read, Section,
    SectionOp, Sections, Shift, Value, ValueKind, Write,
};
use crate::ir::{Kind, Never, Stage, Stmt};
use crate::text::{Lines, NEGATIVE, Names, buffers};
use tt_lang::ir::{BoolExpr, Kernel, LoopKind, Span};
use tt_plan::Number;

/// A stage of Flow IR.
pub trait Show: Stage<Loop = FlowLoop, Branch = BoolExpr, Note = Span> {
    /// What it is called.
    const NAME: &'static str;

    /// Puts the line of an operation behind what there is.
    fn op(names: &Names, op: &Self::Op, out: &mut String);
    /// The line that a group begins with.
    fn group(names: &Names, group: &Self::Group) -> String;
    /// The line that what stands in a group ends with.
    fn end(names: &Names, group: &Self::Group) -> Option<String>;
}

/// `flow` as text.
pub fn flow<S: Show>(kernel: &Kernel, flow: &Flow<S>) -> String {
    let mut out = Lines::default();
    let names = Names {
        kernel,
        buffers: &flow.buffers,
        variables: None,
        sights: Some(&flow.sights),
    };
    buffers(kernel, &flow.buffers, &mut out);
    out.braced("body", |out| statements(&names, &flow.body, out));
    out.text
}

fn statements<S: Show>(names: &Names, body: &[Stmt<S>], out: &mut Lines) {
    for stmt in body {
        statement(names, stmt, out);
    }
}

fn statement<S: Show>(names: &Names, stmt: &Stmt<S>, out: &mut Lines) {
    match &stmt.kind {
        Kind::Op(op) => {
            S::op(names, op, out.begin());
            out.end();
        }
        Kind::Group(group, body) => out.braced(S::group(names, group), |out| {
            statements(names, body, out);
            S::end(names, group).into_iter().for_each(|end| out.line(end));
        }),
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
                statements(names, body, out);
            });
        }
        Kind::If(cond, then, otherwise) => {
            out.begin().push_str(&format!("if {}", names.condition(cond)));
            let otherwise = (!otherwise.is_empty()).then_some(|out: &mut Lines| statements(names, otherwise, out));
            out.branch(|out| statements(names, then, out), otherwise);
        }
    }
}

impl Show for Blocks {
    const NAME: &'static str = "Flow IR: blocks";

    fn op(names: &Names, op: &BlockOp, out: &mut String) {
        match op {
            BlockOp::Read(of) => out.push_str(&read(names, of)),
            BlockOp::Write(of) => out.push_str(&write(names, of)),
            BlockOp::Inspect(of) => out.push_str(&names.inspection(of)),
            BlockOp::Shift(of) => out.push_str(&shifted(names, of)),
            BlockOp::Fetch(of) => out.push_str(&fetch(names, of)),
            BlockOp::Elementwise(of) => elementwise(names, of, out),
            BlockOp::Gemm(of) => out.push_str(&gemm(names, of)),
        }
    }

    fn group(_: &Names, group: &Never) -> String {
        match *group {}
    }

    fn end(_: &Names, group: &Never) -> Option<String> {
        match *group {}
    }
}

impl Show for Sections {
    const NAME: &'static str = "Flow IR: sections";

    fn op(names: &Names, op: &SectionOp, out: &mut String) {
        match op {
            SectionOp::Read(of) => out.push_str(&read(names, of)),
            SectionOp::Write(of) => out.push_str(&write(names, of)),
            SectionOp::Inspect(of) => out.push_str(&names.inspection(of)),
            SectionOp::Shift(of) => out.push_str(&shifted(names, of)),
            SectionOp::Fetch(of) => out.push_str(&fetch(names, of)),
            SectionOp::Blank(buffer) => {
                out.push_str("blank ");
                out.push_str(&names.buffer(*buffer));
            }
            SectionOp::Release(buffer) => {
                out.push_str("release ");
                out.push_str(&names.buffer(*buffer));
            }
            SectionOp::Tile { op, out: result, args } => names.tile(*op, *result, args, out),
            SectionOp::Matmul(matmul) => out.push_str(&names.matmul(matmul)),
        }
    }

    fn group(names: &Names, around: &Around) -> String {
        match around {
            Around::Accumulate(Accumulate { buffer, fill }) => {
                let fill = fill.map_or_else(String::new, |fill| format!(" from d{}", fill.0));
                format!("accumulate {}{fill}", names.buffer(*buffer))
            }
            Around::Section(section) => {
                let fill = section
                    .fill
                    .map_or_else(String::new, |fill| format!(", from d{}", fill.0));
                names.section_head(section.tiles, section.chunk, section.registers) + &fill
            }
            Around::Along { axis, tiles } => names.along(*axis, *tiles),
            Around::Unless(negative) => names.unless(negative),
        }
    }

    fn end(names: &Names, around: &Around) -> Option<String> {
        match around {
            Around::Section(section) => Some(packed(names, section)),
            Around::Accumulate(_) | Around::Along { .. } | Around::Unless(_) => None,
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
fn elementwise(names: &Names, of: &Elementwise, out: &mut String) {
    let [rows, columns] = of.extent;
    let target = names.defined(of.target, of.defines);
    let compound = if of.compound { "compound " } else { "" };
    out.push_str(&format!("{target}[{rows}, {columns}] = {compound}"));
    value(names, &of.value, out);
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

fn packed(names: &Names, section: &Section) -> String {
    let made = match section.makes {
        Makes::Definition(defines) => format!("@d{}", defines.0),
        Makes::OfSums { sees, defines } => format!("@d{} of {}", defines.0, names.definitions(sees)),
        Makes::Registers => String::new(),
    };
    names.pack(section.result, &section.pack, &made)
}

/// What is folded, by whether it is down columns and along rows.
pub(super) const ALONG: [(&str, [bool; 2]); 3] = [
    ("columns", [true, false]),
    ("rows", [false, true]),
    ("all", [true, true]),
];

/// Puts a value behind what there is.
fn value(names: &Names, of: &Value, out: &mut String) {
    match &of.kind {
        ValueKind::Number(number @ (Number::Bits(_) | Number::Scalar(_))) => out.push_str(&names.number(number)),
        ValueKind::Number(number @ (Number::Int(_) | Number::Call(..) | Number::Compare(..) | Number::Bf16(..))) => {
            out.push_str(&format!("[{}]", names.number(number)));
        }
        ValueKind::Load(operand) => names.operand(operand, out),
        ValueKind::Call(op, args) => call(names, op.row().name, args, out),
        ValueKind::Compare(op, a, b) => {
            out.push('(');
            value(names, a, out);
            out.push_str(&format!(" {} ", op.symbol()));
            value(names, b, out);
            out.push(')');
        }
        ValueKind::And(a, b) => call(names, "and", [&**a, b], out),
        ValueKind::Or(a, b) => call(names, "or", [&**a, b], out),
        ValueKind::Not(a) => call(names, "not", [&**a], out),
        ValueKind::Select(c, a, b) => call(names, "select", [&**c, a, b], out),
        ValueKind::Index(index) => out.push_str(&names.index("index", index)),
        ValueKind::Negative(index) => out.push_str(&names.index(NEGATIVE, index)),
        ValueKind::Integer(index) => out.push_str(&names.index("integer", index)),
        ValueKind::Cast(to, a) => {
            out.push_str(&format!("cast({}, ", to.name()));
            value(names, a, out);
            out.push(')');
        }
        ValueKind::Reduce(reduction, a) => {
            let [rows, columns] = reduction.extent;
            let along = ALONG.iter().find(|(_, along)| *along == reduction.along);
            let along = along.map_or("nothing", |(name, _)| name);
            let fold = reduction.fold.name();
            out.push_str(&format!("reduce({fold}, {along} of [{rows}, {columns}], "));
            value(names, a, out);
            out.push(')');
        }
        ValueKind::Pick(pick, a) => {
            let [rows, columns] = pick.extent;
            let [row, column] = pick.at.each_ref().map(|at| match at {
                Some(at) => names.int(at),
                None => "_".to_string(),
            });
            out.push_str(&format!("pick([{row}, {column}] of [{rows}, {columns}], "));
            value(names, a, out);
            out.push(')');
        }
    }
}

/// Puts `name(arg, arg)` behind what there is.
fn call<'a>(names: &Names, name: &str, args: impl IntoIterator<Item = &'a Value>, out: &mut String) {
    out.push_str(name);
    out.push('(');
    for (at, arg) in args.into_iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        value(names, arg, out);
    }
    out.push(')');
}
