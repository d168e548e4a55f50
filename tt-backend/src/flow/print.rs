//! The text form of Flow IR: one statement a line, in the user's names; the same input always gives the same text. `read`
//! reads it back.

use super::{Accumulate, Elementwise, Flow, FlowLoop, FlowOp, FlowStmt, Gemm, Makes, Section, Step, Value, ValueKind};
use crate::ir::Kind;
use crate::text::{Lines, Names, buffers};
use tt_lang::ir::{Kernel, LoopKind};
use tt_plan::Number;

/// `flow` as text.
pub fn flow(kernel: &Kernel, flow: &Flow) -> String {
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

fn statements(names: &Names, body: &[FlowStmt], out: &mut Lines) {
    for stmt in body {
        statement(names, stmt, out);
    }
}

fn statement(names: &Names, stmt: &FlowStmt, out: &mut Lines) {
    match &stmt.kind {
        Kind::Op(op) => operation(names, op, out),
        Kind::Group(Accumulate { buffer, fill }, body) => {
            let fill = fill.map_or_else(String::new, |fill| format!(" from d{}", fill.0));
            out.braced(format!("accumulate {}{fill}", names.buffer(*buffer)), |out| {
                statements(names, body, out);
            });
        }
        Kind::Loop(FlowLoop { var, start, end, kind }, body) => {
            let kind = match kind {
                LoopKind::Serial => String::new(),
                LoopKind::Unroll => ", unrolled".to_string(),
                LoopKind::Pipelined(stages) => format!(", {stages} stages"),
            };
            let (var, start, end) = (names.variable(*var), names.int(start), names.int(end));
            out.braced(format!("for {var} in {start}..{end}{kind}"), |out| {
                statements(names, body, out);
            });
        }
        Kind::If(cond, then, otherwise) => {
            let head = format!("if {}", names.condition(cond));
            let otherwise = (!otherwise.is_empty()).then_some(|out: &mut Lines| statements(names, otherwise, out));
            out.branch(&head, |out| statements(names, then, out), otherwise);
        }
    }
}

fn operation(names: &Names, op: &FlowOp, out: &mut Lines) {
    match op {
        FlowOp::Read {
            buffer,
            defines,
            region,
        } => out.line(format!(
            "read {} from {}",
            names.defined(*buffer, *defines),
            names.region(region)
        )),
        FlowOp::Write { buffer, sees, region } => out.line(format!(
            "write {} to {}",
            names.seen(*buffer, *sees),
            names.region(region)
        )),
        FlowOp::Blank { buffer } => out.line(format!("blank {}", names.buffer(*buffer))),
        FlowOp::Release { buffer } => out.line(format!("release {}", names.buffer(*buffer))),
        FlowOp::Elementwise(Elementwise {
            target,
            defines,
            extent: [rows, columns],
            value: of,
        }) => out.line(format!(
            "{}[{rows}, {columns}] = {}",
            names.defined(*target, *defines),
            value(names, of)
        )),
        FlowOp::Gemm(Gemm {
            a,
            b,
            acc,
            defines,
            sees,
            m,
            n,
            k,
            transpose_a,
            transpose_b,
            clear,
        }) => {
            let transposed = |flag: &bool| if *flag { ".transposed" } else { "" };
            let after = sees
                .acc
                .map_or_else(String::new, |before| format!(" after {}", names.definitions(before)));
            out.line(format!(
                "{} {} {}{} * {}{}{after}, m {m}, n {n}, k {k}",
                names.defined(*acc, *defines),
                if *clear { "=" } else { "+=" },
                names.seen(*a, sees.a),
                transposed(transpose_a),
                names.seen(*b, sees.b),
                transposed(transpose_b)
            ));
        }
        FlowOp::Section(of) => section(names, of, out),
        FlowOp::Multiply(matmul) => out.line(names.matmul(matmul)),
    }
}

fn section(names: &Names, section: &Section, out: &mut Lines) {
    let mut head = names.section_head(section.tiles, section.chunk, section.registers);
    if let Some(fill) = section.fill {
        head += &format!(", from d{}", fill.0);
    }
    out.braced(head, |out| {
        for step in &section.steps {
            match step {
                Step::Tile { op, out: to, args } => out.line(names.tile(*op, *to, args)),
                Step::Matmul(matmul) => out.line(names.matmul(matmul)),
                Step::Control(body) => out.braced("control", |out| statements(names, body, out)),
            }
        }
        let made = match section.makes {
            Makes::Definition(defines) => format!("@d{}", defines.0),
            Makes::OfSums { sees, defines } => format!("@d{} of {}", defines.0, names.definitions(sees)),
            Makes::Registers => String::new(),
        };
        out.line(names.pack(section.result, &section.pack, &made));
    });
}

fn value(names: &Names, of: &Value) -> String {
    let call = |name: &str, args: &[&Value]| {
        let args: Vec<String> = args.iter().map(|arg| value(names, arg)).collect();
        format!("{name}({})", args.join(", "))
    };
    match &of.kind {
        ValueKind::Number(number @ (Number::Bits(_) | Number::Scalar(_))) => names.number(number),
        ValueKind::Number(number @ (Number::Int(_) | Number::Call(..) | Number::Compare(..) | Number::Bf16(..))) => {
            format!("[{}]", names.number(number))
        }
        ValueKind::Load(operand) => names.operand(operand),
        ValueKind::Accumulator => "accumulator".to_string(),
        ValueKind::Call(op, args) => call(op.row().name, &args.iter().collect::<Vec<_>>()),
        ValueKind::Compare(op, a, b) => format!("({} {} {})", value(names, a), op.symbol(), value(names, b)),
        ValueKind::And(a, b) => call("and", &[a, b]),
        ValueKind::Or(a, b) => call("or", &[a, b]),
        ValueKind::Not(a) => call("not", &[a]),
        ValueKind::Select(c, a, b) => call("select", &[c, a, b]),
    }
}
