//! The text form of Device IR at every stage: one statement a line, the same input always the same text. `read` reads it
//! back.

use super::{
    Accessor, Around, Bits, Branch, Call, Calls, Cause, Compute, ComputeOp, Device, Expr, Leaf, Loop, Move, Moves,
    Parts, Program, Programs, Protocol, Scope, Source, SourceBranch, SourceLoop, Symbol,
};
use crate::flow::Buffer;
use crate::ir::{Kind, Never, Stage, Stmt};
use crate::passes::facts::bound;
use crate::text::{Lines, Literal, Names, buffers, lines, quoted, written};
use std::fmt::{self, Debug, Display, Formatter};
use tt_lang::ir::Kernel;
use tt_plan::{Role, RuntimeValue};

/// The three programs between D1 and D5 as text.
pub fn programs<R: Show, C: Show, W: Show>(
    kernel: &Kernel,
    buffers: &[Buffer],
    programs: &Programs<R, C, W>,
) -> String {
    let names = Names {
        kernel,
        buffers,
        variables: None,
        sights: None,
    };
    of_programs(&names, programs)
}

fn of_programs<R: Show, C: Show, W: Show>(names: &Names, programs: &Programs<R, C, W>) -> String {
    lines(|out| {
        buffers(names.kernel, names.buffers, out)?;
        program(names, Role::Reader, &programs.reader, out)?;
        program(names, Role::Compute, &programs.compute, out)?;
        program(names, Role::Writer, &programs.writer, out)
    })
}

/// The three programs, with the names that their buffers, accessors and variables have.
pub(crate) fn named<R: Show, C: Show, W: Show>(
    kernel: &Kernel,
    parts: &Parts<Programs<R, C, W>>,
    variables: &[String],
) -> String {
    let names = Names {
        kernel,
        buffers: &parts.buffers,
        variables: Some(variables),
        sights: None,
    };
    of_programs(&names, &parts.programs) + &bound(kernel, &parts.accessors)
}

/// A program, where it does anything.
fn program<S: Show>(names: &Names, role: Role, stmts: &[Stmt<S>], out: &mut Lines) -> fmt::Result {
    match stmts.is_empty() {
        true => Ok(()),
        false => out.braced(role.name(), |out| body(names, stmts, out)),
    }
}

/// Statements of one program as text.
pub fn statements<S: Show>(kernel: &Kernel, buffers: &[Buffer], stmts: &[Stmt<S>]) -> String {
    let names = Names {
        kernel,
        buffers,
        variables: None,
        sights: None,
    };
    lines(|out| body(&names, stmts, out))
}

/// The device program in full, as the code writer takes it, but for its plan, which has a form of its own.
pub fn device(kernel: &Kernel, device: &Device) -> String {
    let names = Names {
        kernel,
        buffers: &device.buffers,
        variables: Some(&device.variables),
        sights: None,
    };
    lines(|out| {
        buffers(kernel, &device.buffers, out)?;
        for program in &device.programs {
            out.braced(program.role.name(), |out| final_program(&names, program, out))?;
        }
        Ok(())
    })
}

/// A tensor accessed by a program, as a line.
pub(crate) fn accessor(kernel: &Kernel, accessor: &Accessor) -> String {
    let tensor = kernel.params[accessor.tensor.index()].name();
    format!("accessor {} of {tensor} at {}", accessor.name, accessor.address)
}

/// The first line of a statement of the device program.
pub fn statement(kernel: &Kernel, device: &Device, stmt: &Stmt<Calls<Bits>>) -> String {
    let names = Names {
        kernel,
        buffers: &device.buffers,
        variables: Some(&device.variables),
        sights: None,
    };
    written(|out| head(&names, stmt, out))
}

fn final_program(names: &Names, program: &Program, out: &mut Lines) -> fmt::Result {
    for argument in &program.args {
        let value = match &argument.value {
            RuntimeValue::Address(tensor) => format!("address of {tensor}"),
            RuntimeValue::FirstPage(tensor) => format!("first page of {tensor}"),
            RuntimeValue::StartId => "first block".to_string(),
            RuntimeValue::Count => "block count".to_string(),
            RuntimeValue::Step => "block step".to_string(),
            RuntimeValue::RunLength => "length of runs of blocks".to_string(),
            RuntimeValue::RunPitch => "pitch of runs of blocks".to_string(),
            RuntimeValue::Place(line) => format!("place in {}", line.name()),
            RuntimeValue::Cores(line) => format!("cores of {}", line.name()),
            RuntimeValue::Every(line) => format!("rounds along {}", line.name()),
            RuntimeValue::Sender(line) => format!("sender of {}", line.name()),
            RuntimeValue::Noc { line, core, axis } => format!("{} of {} in {}", axis.name(), core.name(), line.name()),
            RuntimeValue::Formula(formula) => formula.to_string(),
            RuntimeValue::Number(value) => format!("bits of {}", names.number(value)),
            RuntimeValue::Flag { op, a, b } => {
                format!("flag of {} {} {}", names.number(a), op.symbol(), names.number(b))
            }
        };
        out.line(format!("arg {} {} = {value}", argument.kind, argument.name))?;
    }
    for of in &program.accessors {
        out.line(accessor(names.kernel, of))?;
    }
    for (name, value) in &program.defines {
        out.line(format!("define {name} {value}"))?;
    }
    body(names, &program.body, out)
}

/// A stage that has a text form.
pub trait Show: Stage<Note = Source> {
    /// Puts the line of an operation behind what there is.
    fn op(names: &Names, op: &Self::Op, out: &mut Formatter) -> fmt::Result;
    /// The line that a loop begins with.
    fn head(names: &Names, head: &Self::Loop, out: &mut Formatter) -> fmt::Result;
    /// The line that a branch begins with.
    fn branch(names: &Names, branch: &Self::Branch, out: &mut Formatter) -> fmt::Result;
    /// The line that a group begins with.
    fn group(names: &Names, group: &Self::Group, out: &mut Formatter) -> fmt::Result;
}

impl Show for Moves {
    fn op(names: &Names, op: &Move, out: &mut Formatter) -> fmt::Result {
        match op {
            Move::Protocol(step) => protocol(names, *step, out),
            Move::Read(buffer, region, line) => write!(
                out,
                "read {} from {}{}",
                names.buffer(*buffer),
                names.region(region),
                line.map_or_else(String::new, |line| format!(" for the {}", line.name()))
            ),
            Move::Make(buffer, constant) => write!(out, "{} in {}", constant.name(), names.buffer(*buffer)),
            Move::Fetch(buffer, of) => write!(
                out,
                "fetch {} into {}",
                names.fetched(of.var, of.tensor, &of.indices),
                names.buffer(*buffer)
            ),
            Move::Inspect(inspection) => out.write_str(&names.inspection(inspection)),
            Move::Shift { from, to, window } => {
                let [from, to] = [from, to].map(|buffer| names.buffer(*buffer));
                write!(out, "shift {to} from {from} {}", names.window(window))
            }
            Move::Write(buffer, region, stored) => write!(
                out,
                "write {} to {}{}",
                names.buffer(*buffer),
                names.region(region),
                stored.map_or_else(String::new, |stored| format!(" where {}", names.buffer(stored)))
            ),
        }
    }

    fn head(names: &Names, head: &SourceLoop, out: &mut Formatter) -> fmt::Result {
        source_loop(names, head, out)
    }

    fn branch(names: &Names, branch: &SourceBranch, out: &mut Formatter) -> fmt::Result {
        source_branch(names, branch, out)
    }

    fn group(_: &Names, group: &Never, _: &mut Formatter) -> fmt::Result {
        match *group {}
    }
}

/// What stands outside of registers.
pub trait ShowPlain: Debug + Clone + PartialEq {
    /// Puts its line behind what there is.
    fn put(&self, names: &Names, out: &mut Formatter) -> fmt::Result;
}

impl ShowPlain for Protocol {
    fn put(&self, names: &Names, out: &mut Formatter) -> fmt::Result {
        protocol(names, *self, out)
    }
}

impl ShowPlain for Leaf<Symbol> {
    fn put(&self, names: &Names, out: &mut Formatter) -> fmt::Result {
        leaf(names, self, out)
    }
}

impl<P: ShowPlain> Show for Compute<P> {
    fn op(names: &Names, op: &ComputeOp<P>, out: &mut Formatter) -> fmt::Result {
        match op {
            ComputeOp::Plain(plain) => plain.put(names, out),
            ComputeOp::Tile { op, out: result, args } => names.tile(*op, *result, args, out),
            ComputeOp::Matmul(matmul) => out.write_str(&names.matmul(matmul)),
            ComputeOp::Commit => out.write_str("commit"),
            ComputeOp::Pack { register, to } => names.pack(*register, to, "", out),
        }
    }

    fn head(names: &Names, head: &SourceLoop, out: &mut Formatter) -> fmt::Result {
        source_loop(names, head, out)
    }

    fn branch(names: &Names, branch: &SourceBranch, out: &mut Formatter) -> fmt::Result {
        source_branch(names, branch, out)
    }

    fn group(names: &Names, around: &Around, out: &mut Formatter) -> fmt::Result {
        match around {
            Around::Section(section) => {
                names.section_head(section.tiles, section.chunk, section.registers, out)?;
                match section.first {
                    [0, 0] => Ok(()),
                    [row, column] => write!(out, ", from {row} x {column}"),
                }
            }
            Around::Bands { first, rows, count } => {
                write!(out, "bands {count} of {rows} rows of tiles from {first}")
            }
            Around::Along { axis, tiles } => out.write_str(&names.along(*axis, *tiles)),
            Around::Unless(negative) => out.write_str(&names.unless(negative)),
        }
    }
}

/// What expressions mention beside names.
pub trait ShowValue: Debug + Clone + PartialEq {
    /// Puts its text behind what there is.
    fn put(&self, names: &Names, out: &mut Formatter) -> fmt::Result;
}

impl ShowValue for Symbol {
    fn put(&self, names: &Names, out: &mut Formatter) -> fmt::Result {
        match self {
            Symbol::Int(value) => write!(out, "[{}]", names.int(value)),
            Symbol::Wide(value) => write!(out, "wide[{}]", names.int(value)),
            Symbol::Condition(value) => write!(out, "[{}]", names.condition(value)),
            Symbol::WideCondition(value) => write!(out, "wide[{}]", names.condition(value)),
            Symbol::Number(value) => write!(out, "bits({})", names.number(value)),
            Symbol::Computed(value) => write!(out, "computed[{}]", names.number_expr(value)),
            Symbol::FirstPage(tensor) => write!(out, "page({})", names.param(*tensor)),
            Symbol::TensorTiles(tensor, axis) => write!(out, "tiles({}, {axis})", names.param(*tensor)),
            Symbol::TensorExtent(tensor, axis) => write!(out, "extent({}, {axis})", names.param(*tensor)),
            Symbol::TensorAxis(tensor, axis) => write!(out, "axis({}, {axis})", names.param(*tensor)),
        }
    }
}

impl ShowValue for Bits {
    fn put(&self, _: &Names, out: &mut Formatter) -> fmt::Result {
        write!(out, "bits({})", Literal(self.0))
    }
}

impl<V: ShowValue> Show for Calls<V> {
    fn op(names: &Names, op: &Leaf<V>, out: &mut Formatter) -> fmt::Result {
        leaf(names, op, out)
    }

    fn head(names: &Names, head: &Loop<V>, out: &mut Formatter) -> fmt::Result {
        match head {
            // The text form does not say between which.
            Loop::Blocks { .. } => out.write_str(BLOCKS),
            Loop::Over {
                var,
                start,
                end,
                unroll,
                ahead,
                origin,
            } => {
                write!(out, "for {} in ", names.variable(*var))?;
                put(names, start, out)?;
                out.write_str("..")?;
                put(names, end, out)?;
                out.write_str(if *unroll { ", unrolled" } else { "" })?;
                out.write_str(if *ahead { ", ahead" } else { "" })?;
                write!(out, " #{}", origin.0)
            }
            Loop::Tiles {
                name,
                end,
                step,
                in_parts,
            } => {
                write!(out, "tiles {name} in 0..{end}")?;
                if *step != 1 {
                    write!(out, " by {step}")?;
                }
                out.write_str(if *in_parts { ", in parts" } else { "" })
            }
        }
    }

    fn branch(names: &Names, branch: &Branch<V>, out: &mut Formatter) -> fmt::Result {
        match branch.cause {
            Cause::User(origin) => {
                out.write_str("if ")?;
                put(names, &branch.cond, out)?;
                write!(out, " #{}", origin.0)
            }
            Cause::Compiler => {
                out.write_str("when ")?;
                put(names, &branch.cond, out)
            }
            Cause::Turn(turn) => {
                write!(out, "{}: ", turn.name())?;
                put(names, &branch.cond, out)
            }
        }
    }

    fn group(_: &Names, _: &Scope, out: &mut Formatter) -> fmt::Result {
        out.write_str("scope")
    }
}

const BLOCKS: &str = "for every block";

fn source_loop(names: &Names, head: &SourceLoop, out: &mut Formatter) -> fmt::Result {
    match head {
        SourceLoop::Blocks => out.write_str(BLOCKS),
        SourceLoop::Over {
            var,
            start,
            end,
            unroll,
            origin,
        } => {
            let unrolled = if *unroll { ", unrolled" } else { "" };
            let (from, to) = (names.int(start), names.int(end));
            let var = names.variable(*var);
            write!(out, "for {var} in {from}..{to}{unrolled} #{}", origin.0)
        }
    }
}

fn source_branch(names: &Names, branch: &SourceBranch, out: &mut Formatter) -> fmt::Result {
    let cond = names.condition(&branch.cond);
    match branch.cause {
        Cause::User(origin) => write!(out, "if {cond} #{}", origin.0),
        Cause::Compiler => write!(out, "when {cond}"),
        Cause::Turn(turn) => write!(out, "{}: {cond}", turn.name()),
    }
}

/// Puts the line of a step of the protocol behind what there is.
fn protocol(names: &Names, step: Protocol, out: &mut Formatter) -> fmt::Result {
    let (what, buffer) = match step {
        Protocol::Reserve(buffer) => ("reserve ", buffer),
        Protocol::Publish(buffer) => ("publish ", buffer),
        Protocol::PublishRows(buffer, rows) => {
            write!(out, "publish {rows} rows of ")?;
            ("", buffer)
        }
        Protocol::Receive(buffer) => ("receive ", buffer),
        Protocol::Release(buffer) => ("release ", buffer),
        Protocol::Take(var, buffer) => {
            write!(out, "take {} from ", names.variable(var))?;
            ("", buffer)
        }
    };
    out.write_str(what)?;
    out.write_str(&names.buffer(buffer))
}

fn body<S: Show>(names: &Names, stmts: &[Stmt<S>], out: &mut Lines) -> fmt::Result {
    for stmt in stmts {
        if let Some(span) = stmt.note {
            out.line(format!("// line {}", names.kernel.location(span).line))?;
        }
        head(names, stmt, out.begin()?)?;
        match &stmt.kind {
            Kind::Op(_) => {}
            Kind::Group(_, inner) | Kind::Loop(_, inner) => out.block(|out| body(names, inner, out))?,
            Kind::If(_, then, otherwise) if otherwise.is_empty() => out.block(|out| body(names, then, out))?,
            Kind::If(_, then, otherwise) => {
                out.blocks(|out| body(names, then, out), |out| body(names, otherwise, out))?;
            }
        }
    }
    Ok(())
}

/// Puts the line that a statement begins with behind what there is.
fn head<S: Show>(names: &Names, stmt: &Stmt<S>, out: &mut Formatter) -> fmt::Result {
    match &stmt.kind {
        Kind::Op(op) => S::op(names, op, out),
        Kind::Group(group, _) => S::group(names, group, out),
        Kind::Loop(head, _) => S::head(names, head, out),
        Kind::If(branch, ..) => S::branch(names, branch, out),
    }
}

/// Puts the line of a leaf behind what there is.
fn leaf<V: ShowValue>(names: &Names, leaf: &Leaf<V>, out: &mut Formatter) -> fmt::Result {
    match leaf {
        Leaf::Call(what) => call(names, what, out),
        Leaf::Let { kind, name, value } => {
            write!(out, "{} {name} = ", kind.declared())?;
            put(names, value, out)
        }
        Leaf::Define { var, call: of } => {
            write!(out, "define {} = ", names.variable(*var))?;
            call(names, of, out)
        }
        Leaf::Advance { name, value } => {
            write!(out, "{name} += ")?;
            put(names, value, out)
        }
    }
}

/// Puts the text of a call behind what there is.
fn call<V: ShowValue>(names: &Names, call: &Call<V>, out: &mut Formatter) -> fmt::Result {
    out.write_str(call.function.name)?;
    if !call.template.args().is_empty() {
        Display::fmt(&call.template, out)?;
    }
    let (mut before, mut args) = ("(", call.args.as_slice());
    // A turn of a loop over an iterator is several calls where nothing is optimised, a pattern is none.
    while let [arg, others @ ..] = args {
        out.write_str(before)?;
        put(names, arg, out)?;
        (before, args) = (", ", others);
    }
    out.write_str(if call.args.is_empty() { "()" } else { ")" })
}

/// Puts the text of an expression behind what there is.
fn put<V: ShowValue>(names: &Names, value: &Expr<V>, out: &mut Formatter) -> fmt::Result {
    match value {
        Expr::Int(value) => Display::fmt(value, out),
        Expr::Bool(value) => Display::fmt(value, out),
        Expr::Name(name) => out.write_str(name),
        Expr::Value(value) => value.put(names, out),
        Expr::Buffer(id) => {
            out.write_str("cb(")?;
            out.write_str(&names.buffer(*id))?;
            out.write_str(")")
        }
        Expr::PageBytes(id) => write!(out, "page_bytes({})", names.buffer(*id)),
        Expr::Accessor(tensor) => write!(out, "accessor({})", names.param(*tensor)),
        Expr::Text(text) => out.write_str(&quoted(text)),
        Expr::Call(what) => call(names, what, out),
        Expr::Binary(op, a, b) => {
            side(names, a, out)?;
            out.write_str(" ")?;
            out.write_str(op.word())?;
            out.write_str(" ")?;
            side(names, b, out)
        }
    }
}

/// Puts one of two operands behind what there is, in parentheses where it has two itself.
fn side<V: ShowValue>(names: &Names, value: &Expr<V>, out: &mut Formatter) -> fmt::Result {
    match value {
        Expr::Binary(..) => {
            out.write_str("(")?;
            put(names, value, out)?;
            out.write_str(")")
        }
        Expr::Int(_)
        | Expr::Bool(_)
        | Expr::Name(_)
        | Expr::Value(_)
        | Expr::Buffer(_)
        | Expr::PageBytes(_)
        | Expr::Accessor(_)
        | Expr::Text(_)
        | Expr::Call(_) => put(names, value, out),
    }
}
