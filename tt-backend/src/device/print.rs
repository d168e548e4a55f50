//! The text form of Device IR at every stage: one statement a line, the same input always the same text. `read` reads it
//! back.

use super::{
    Accessor, Around, Bits, Branch, Call, Calls, Compute, ComputeOp, Device, Expr, Leaf, Loop, Move, Moves, Parts,
    Program, Programs, Protocol, Scope, Source, SourceBranch, SourceLoop, Symbol,
};
use crate::flow::Buffer;
use crate::ir::{Kind, Never, Stage, Stmt};
use crate::passes::facts::bound;
use crate::text::{Lines, Names, buffers, literal, quoted};
use std::fmt::Debug;
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
    let mut out = Lines::default();
    buffers(names.kernel, names.buffers, &mut out);
    program(names, Role::Reader, &programs.reader, &mut out);
    program(names, Role::Compute, &programs.compute, &mut out);
    program(names, Role::Writer, &programs.writer, &mut out);
    out.text
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
fn program<S: Show>(names: &Names, role: Role, stmts: &[Stmt<S>], out: &mut Lines) {
    if !stmts.is_empty() {
        out.braced(role.name(), |out| body(names, stmts, out));
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
    let mut out = Lines::default();
    body(&names, stmts, &mut out);
    out.text
}

/// The device program in full, as the code writer takes it, but for its plan, which has a form of its own.
pub fn device(kernel: &Kernel, device: &Device) -> String {
    let names = Names {
        kernel,
        buffers: &device.buffers,
        variables: Some(&device.variables),
        sights: None,
    };
    let mut out = Lines::default();
    buffers(kernel, &device.buffers, &mut out);
    for program in &device.programs {
        out.braced(program.role.name(), |out| final_program(&names, program, out));
    }
    out.text
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
    let mut text = String::new();
    head(&names, stmt, &mut text);
    text
}

fn final_program(names: &Names, program: &Program, out: &mut Lines) {
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
            RuntimeValue::Sender(line) => format!("sender of {}", line.name()),
            RuntimeValue::Noc { line, core, axis } => format!("{} of {} in {}", axis.name(), core.name(), line.name()),
            RuntimeValue::Formula(formula) => formula.to_string(),
            RuntimeValue::Number(value) => format!("bits of {}", names.number(value)),
            RuntimeValue::Flag { op, a, b } => {
                format!("flag of {} {} {}", names.number(a), op.symbol(), names.number(b))
            }
        };
        out.line(format!("arg {} {} = {value}", argument.kind, argument.name));
    }
    for of in &program.accessors {
        out.line(accessor(names.kernel, of));
    }
    for (name, value) in &program.defines {
        out.line(format!("define {name} {value}"));
    }
    body(names, &program.body, out);
}

/// A stage that has a text form.
pub trait Show: Stage<Note = Source> {
    /// Puts the line of an operation behind what there is.
    fn op(names: &Names, op: &Self::Op, out: &mut String);
    /// The line that a loop begins with.
    fn head(names: &Names, head: &Self::Loop) -> String;
    /// The line that a branch begins with.
    fn branch(names: &Names, branch: &Self::Branch) -> String;
    /// The line that a group begins with.
    fn group(names: &Names, group: &Self::Group) -> String;
}

impl Show for Moves {
    fn op(names: &Names, op: &Move, out: &mut String) {
        let text = match op {
            Move::Protocol(step) => return protocol(names, *step, out),
            Move::Read(buffer, region, line) => format!(
                "read {} from {}{}",
                names.buffer(*buffer),
                names.region(region),
                line.map_or_else(String::new, |line| format!(" for the {}", line.name()))
            ),
            Move::Make(buffer, constant) => format!("{} in {}", constant.name(), names.buffer(*buffer)),
            Move::Fetch(buffer, of) => format!(
                "fetch {} into {}",
                names.fetched(of.var, of.tensor, &of.indices),
                names.buffer(*buffer)
            ),
            Move::Inspect(inspection) => names.inspection(inspection),
            Move::Shift { from, to, window } => {
                let [from, to] = [from, to].map(|buffer| names.buffer(*buffer));
                format!("shift {to} from {from} {}", names.window(window))
            }
            Move::Write(buffer, region, stored) => format!(
                "write {} to {}{}",
                names.buffer(*buffer),
                names.region(region),
                stored.map_or_else(String::new, |stored| format!(" where {}", names.buffer(stored)))
            ),
        };
        out.push_str(&text);
    }

    fn head(names: &Names, head: &SourceLoop) -> String {
        source_loop(names, head)
    }

    fn branch(names: &Names, branch: &SourceBranch) -> String {
        source_branch(names, branch)
    }

    fn group(_: &Names, group: &Never) -> String {
        match *group {}
    }
}

/// What stands outside of registers.
pub trait ShowPlain: Debug + Clone + PartialEq {
    /// Puts its line behind what there is.
    fn put(&self, names: &Names, out: &mut String);
}

impl ShowPlain for Protocol {
    fn put(&self, names: &Names, out: &mut String) {
        protocol(names, *self, out);
    }
}

impl ShowPlain for Leaf<Symbol> {
    fn put(&self, names: &Names, out: &mut String) {
        leaf(names, self, out);
    }
}

impl<P: ShowPlain> Show for Compute<P> {
    fn op(names: &Names, op: &ComputeOp<P>, out: &mut String) {
        match op {
            ComputeOp::Plain(plain) => plain.put(names, out),
            ComputeOp::Tile { op, out: result, args } => names.tile(*op, *result, args, out),
            ComputeOp::Matmul(matmul) => out.push_str(&names.matmul(matmul)),
            ComputeOp::Commit => out.push_str("commit"),
            ComputeOp::Pack { register, to } => out.push_str(&names.pack(*register, to, "")),
        }
    }

    fn head(names: &Names, head: &SourceLoop) -> String {
        source_loop(names, head)
    }

    fn branch(names: &Names, branch: &SourceBranch) -> String {
        source_branch(names, branch)
    }

    fn group(names: &Names, around: &Around) -> String {
        match around {
            Around::Section(section) => {
                let head = names.section_head(section.tiles, section.chunk, section.registers);
                match section.first {
                    [0, 0] => head,
                    [row, column] => format!("{head}, from {row} x {column}"),
                }
            }
            Around::Along { axis, tiles } => names.along(*axis, *tiles),
            Around::Unless(negative) => names.unless(negative),
        }
    }
}

/// What expressions mention beside names.
pub trait ShowValue: Debug + Clone + PartialEq {
    /// Its text.
    fn text(&self, names: &Names) -> String;
}

impl ShowValue for Symbol {
    fn text(&self, names: &Names) -> String {
        match self {
            Symbol::Int(value) => format!("[{}]", names.int(value)),
            Symbol::Wide(value) => format!("wide[{}]", names.int(value)),
            Symbol::Condition(value) => format!("[{}]", names.condition(value)),
            Symbol::WideCondition(value) => format!("wide[{}]", names.condition(value)),
            Symbol::Number(value) => format!("bits({})", names.number(value)),
            Symbol::Computed(value) => format!("computed[{}]", names.number_expr(value)),
            Symbol::FirstPage(tensor) => format!("page({})", names.param(*tensor)),
            Symbol::TensorTiles(tensor, axis) => format!("tiles({}, {axis})", names.param(*tensor)),
            Symbol::TensorExtent(tensor, axis) => format!("extent({}, {axis})", names.param(*tensor)),
            Symbol::TensorAxis(tensor, axis) => format!("axis({}, {axis})", names.param(*tensor)),
        }
    }
}

impl ShowValue for Bits {
    fn text(&self, _: &Names) -> String {
        format!("bits({})", literal(self.0))
    }
}

impl<V: ShowValue> Show for Calls<V> {
    fn op(names: &Names, op: &Leaf<V>, out: &mut String) {
        leaf(names, op, out);
    }

    fn head(names: &Names, head: &Loop<V>) -> String {
        match head {
            // The text form does not say between which.
            Loop::Blocks { .. } => BLOCKS.to_string(),
            Loop::Over {
                var,
                start,
                end,
                unroll,
                ahead,
                origin,
            } => {
                let unrolled = if *unroll { ", unrolled" } else { "" };
                let ahead = if *ahead { ", ahead" } else { "" };
                let (from, to) = (expr(names, start), expr(names, end));
                let var = names.variable(*var);
                format!("for {var} in {from}..{to}{unrolled}{ahead} #{}", origin.0)
            }
            Loop::Tiles { name, end, step: 1 } => format!("tiles {name} in 0..{end}"),
            Loop::Tiles { name, end, step } => format!("tiles {name} in 0..{end} by {step}"),
        }
    }

    fn branch(names: &Names, branch: &Branch<V>) -> String {
        match branch.origin {
            Some(origin) => format!("if {} #{}", expr(names, &branch.cond), origin.0),
            None => format!("when {}", expr(names, &branch.cond)),
        }
    }

    fn group(_: &Names, _: &Scope) -> String {
        "scope".to_string()
    }
}

const BLOCKS: &str = "for every block";

fn source_loop(names: &Names, head: &SourceLoop) -> String {
    match head {
        SourceLoop::Blocks => BLOCKS.to_string(),
        SourceLoop::Over {
            var,
            start,
            end,
            unroll,
            origin,
        } => {
            let unrolled = if *unroll { ", unrolled" } else { "" };
            let (from, to) = (names.int(start), names.int(end));
            format!("for {} in {from}..{to}{unrolled} #{}", names.variable(*var), origin.0)
        }
    }
}

fn source_branch(names: &Names, branch: &SourceBranch) -> String {
    format!("if {} #{}", names.condition(&branch.cond), branch.origin.0)
}

/// Puts the line of a step of the protocol behind what there is.
fn protocol(names: &Names, step: Protocol, out: &mut String) {
    let (what, buffer) = match step {
        Protocol::Reserve(buffer) => ("reserve ", buffer),
        Protocol::Publish(buffer) => ("publish ", buffer),
        Protocol::Receive(buffer) => ("receive ", buffer),
        Protocol::Release(buffer) => ("release ", buffer),
        Protocol::Take(var, buffer) => {
            out.push_str(&format!("take {} from ", names.variable(var)));
            ("", buffer)
        }
    };
    out.push_str(what);
    out.push_str(&names.buffer(buffer));
}

fn body<S: Show>(names: &Names, stmts: &[Stmt<S>], out: &mut Lines) {
    for stmt in stmts {
        if let Some(span) = stmt.note {
            out.line(format!("// line {}", names.kernel.location(span).line));
        }
        head(names, stmt, out.begin());
        match &stmt.kind {
            Kind::Op(_) => out.end(),
            Kind::Group(_, inner) | Kind::Loop(_, inner) => out.block(|out| body(names, inner, out)),
            Kind::If(_, then, otherwise) => {
                let otherwise = (!otherwise.is_empty()).then_some(|out: &mut Lines| body(names, otherwise, out));
                out.branch(|out| body(names, then, out), otherwise);
            }
        }
    }
}

/// Puts the line that a statement begins with behind what there is.
fn head<S: Show>(names: &Names, stmt: &Stmt<S>, out: &mut String) {
    match &stmt.kind {
        Kind::Op(op) => S::op(names, op, out),
        Kind::Group(group, _) => out.push_str(&S::group(names, group)),
        Kind::Loop(head, _) => out.push_str(&S::head(names, head)),
        Kind::If(branch, ..) => out.push_str(&S::branch(names, branch)),
    }
}

/// Puts the line of a leaf behind what there is.
fn leaf<V: ShowValue>(names: &Names, leaf: &Leaf<V>, out: &mut String) {
    match leaf {
        Leaf::Call(what) => call(names, what, out),
        Leaf::Let { kind, name, value } => {
            out.push_str(&format!("{} {name} = ", kind.declared()));
            put(names, value, out);
        }
        Leaf::Define { var, call: of } => {
            out.push_str(&format!("define {} = ", names.variable(*var)));
            call(names, of, out);
        }
        Leaf::Advance { name, value } => {
            out.push_str(&format!("{name} += "));
            put(names, value, out);
        }
    }
}

/// Puts the text of a call behind what there is.
fn call<V: ShowValue>(names: &Names, call: &Call<V>, out: &mut String) {
    out.push_str(call.function.name);
    if !call.template.args().is_empty() {
        out.push_str(&call.template.to_string());
    }
    out.push('(');
    for (at, arg) in call.args.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        put(names, arg, out);
    }
    out.push(')');
}

fn expr<V: ShowValue>(names: &Names, value: &Expr<V>) -> String {
    let mut text = String::new();
    put(names, value, &mut text);
    text
}

/// Puts the text of an expression behind what there is.
fn put<V: ShowValue>(names: &Names, value: &Expr<V>, out: &mut String) {
    let of = |what: &str, name: &str, out: &mut String| {
        out.push_str(what);
        out.push_str(name);
        out.push(')');
    };
    match value {
        Expr::Int(value) => out.push_str(&value.to_string()),
        Expr::Bool(value) => out.push_str(&value.to_string()),
        Expr::Name(name) => out.push_str(name),
        Expr::Value(value) => out.push_str(&value.text(names)),
        Expr::Buffer(id) => of("cb(", &names.buffer(*id), out),
        Expr::PageBytes(id) => of("page_bytes(", &names.buffer(*id), out),
        Expr::Accessor(tensor) => of("accessor(", &names.param(*tensor), out),
        Expr::Text(text) => out.push_str(&quoted(text)),
        Expr::Call(what) => call(names, what, out),
        Expr::Binary(op, a, b) => {
            side(names, a, out);
            out.push(' ');
            out.push_str(op.word());
            out.push(' ');
            side(names, b, out);
        }
    }
}

/// Puts one of two operands behind what there is, in parentheses where it has two itself.
fn side<V: ShowValue>(names: &Names, value: &Expr<V>, out: &mut String) {
    match value {
        Expr::Binary(..) => {
            out.push('(');
            put(names, value, out);
            out.push(')');
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
