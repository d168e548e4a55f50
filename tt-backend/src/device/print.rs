//! The text form of Device IR at every stage: one statement a line, the input always the same text.

use super::{
    Bits, Branch, Call, Calls, Compute, ComputeOp, Device, Expr, Leaf, Loop, Move, Moves, Never, Program, Programs,
    Protocol, Scope, Section, Source, SourceBranch, SourceLoop, Symbol,
};
use crate::flow::Buffer;
use crate::flow::print::{Lines, Names, buffers, number};
use crate::ir::{Kind, Stage, Stmt};
use std::fmt::Debug;
use tt_lang::ir::{IntExpr, Kernel};
use tt_plan::RuntimeValue;

/// The three programs between D1 and D5 as text.
pub(crate) fn programs<R: Show, C: Show, W: Show>(
    kernel: &Kernel,
    buffers: &[Buffer],
    programs: &Programs<R, C, W>,
) -> String {
    let names = Names {
        kernel,
        buffers,
        variables: None,
    };
    let mut out = Lines::default();
    out.line("reader");
    out.nested(|out| body(&names, &programs.reader, out));
    out.line("compute");
    out.nested(|out| body(&names, &programs.compute, out));
    out.line("writer");
    out.nested(|out| body(&names, &programs.writer, out));
    out.text
}

/// The device program in full, as the code writer takes it.
pub fn device(kernel: &Kernel, device: &Device) -> String {
    let names = Names {
        kernel,
        buffers: &device.buffers,
        variables: Some(&device.variables),
    };
    let mut out = Lines::default();
    buffers(&device.buffers, &mut out);
    for program in &device.programs {
        out.line(program.role.name());
        out.nested(|out| final_program(&names, program, out));
    }
    out.text
}

/// The first line of a statement of the device program.
pub fn statement(kernel: &Kernel, device: &Device, stmt: &Stmt<Calls<Bits>>) -> String {
    let names = Names {
        kernel,
        buffers: &device.buffers,
        variables: Some(&device.variables),
    };
    head(&names, stmt)
}

fn final_program(names: &Names, program: &Program, out: &mut Lines) {
    for argument in &program.args {
        let value = match &argument.value {
            RuntimeValue::Address(tensor) => format!("address of {tensor}"),
            RuntimeValue::StartId => "first block".to_string(),
            RuntimeValue::Count => "blocks".to_string(),
            RuntimeValue::Formula(formula) => formula.to_string(),
            RuntimeValue::Number(value) => format!("bits of {}", number(value)),
            RuntimeValue::Flag { op, a, b } => format!("{} {} {}", number(a), op.symbol(), number(b)),
        };
        out.line(format!("arg {} {} = {value}", argument.kind, argument.name));
    }
    for accessor in &program.accessors {
        out.line(format!(
            "accessor {} of {} at {}",
            accessor.name,
            names.param(accessor.tensor),
            accessor.address
        ));
    }
    for (name, value) in &program.defines {
        out.line(format!("define {name} {value}"));
    }
    body(names, &program.body, out);
}

/// A stage that has a text form.
pub(crate) trait Show: Stage<Note = Source> {
    /// The line of an operation.
    fn op(names: &Names, op: &Self::Op) -> String;
    /// The line that a loop begins with.
    fn head(names: &Names, head: &Self::Loop) -> String;
    /// The line that a branch begins with.
    fn branch(names: &Names, branch: &Self::Branch) -> String;
    /// The line that a group begins with.
    fn group(names: &Names, group: &Self::Group) -> String;
}

impl Show for Moves {
    fn op(names: &Names, op: &Move) -> String {
        match op {
            Move::Protocol(step) => protocol(names, *step),
            Move::Read(buffer, region) => format!("read {} from {}", names.buffer(*buffer), names.region(region)),
            Move::ReadZeros(buffer) => format!("zeros in {}", names.buffer(*buffer)),
            Move::Write(buffer, region) => format!("write {} to {}", names.buffer(*buffer), names.region(region)),
        }
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
pub(crate) trait ShowPlain: Debug + Clone + PartialEq {
    /// Its line.
    fn line(&self, names: &Names) -> String;
}

impl ShowPlain for Protocol {
    fn line(&self, names: &Names) -> String {
        protocol(names, *self)
    }
}

impl ShowPlain for Leaf<Symbol> {
    fn line(&self, names: &Names) -> String {
        leaf(names, self)
    }
}

impl<P: ShowPlain> Show for Compute<P> {
    fn op(names: &Names, op: &ComputeOp<P>) -> String {
        match op {
            ComputeOp::Plain(plain) => plain.line(names),
            ComputeOp::Tile { op, out, args } => names.tile(*op, *out, args),
            ComputeOp::Matmul(matmul) => names.matmul(matmul),
            ComputeOp::Commit => "commit".to_string(),
            ComputeOp::Pack { register, to } => names.pack(*register, to),
        }
    }

    fn head(names: &Names, head: &SourceLoop) -> String {
        source_loop(names, head)
    }

    fn branch(names: &Names, branch: &SourceBranch) -> String {
        source_branch(names, branch)
    }

    fn group(names: &Names, section: &Section) -> String {
        names.section_head(section.tiles, section.chunk, section.registers)
    }
}

/// What expressions mention beside names.
pub(crate) trait ShowValue: Debug + Clone + PartialEq {
    /// Its text.
    fn text(&self, names: &Names) -> String;
    /// Whether it stands in parentheses beside an operator.
    fn is_sum(&self) -> bool;
}

impl ShowValue for Symbol {
    fn text(&self, names: &Names) -> String {
        match self {
            Symbol::Int(value) => names.int(value),
            Symbol::Condition(value) => names.condition(value),
            Symbol::Number(value) => format!("bits({})", number(value)),
            Symbol::TensorTiles(tensor, axis) => format!("tiles({}, {axis})", names.param(*tensor)),
            Symbol::TensorExtent(tensor, axis) => format!("extent({}, {axis})", names.param(*tensor)),
            Symbol::TensorAxis(tensor, axis) => format!("axis({}, {axis})", names.param(*tensor)),
        }
    }

    fn is_sum(&self) -> bool {
        matches!(self, Symbol::Int(IntExpr::Binary(..)))
    }
}

impl ShowValue for Bits {
    fn text(&self, _: &Names) -> String {
        format!("bits({})", f32::from_bits(self.0))
    }

    fn is_sum(&self) -> bool {
        false
    }
}

impl<V: ShowValue> Show for Calls<V> {
    fn op(names: &Names, op: &Leaf<V>) -> String {
        leaf(names, op)
    }

    fn head(names: &Names, head: &Loop<V>) -> String {
        match head {
            Loop::Blocks => BLOCKS.to_string(),
            Loop::Over {
                var,
                start,
                end,
                unroll,
                origin,
            } => {
                let unrolled = if *unroll { ", unrolled" } else { "" };
                let (from, to) = (expr(names, start), expr(names, end));
                format!("for {} in {from}..{to}{unrolled}  #{}", names.variable(*var), origin.0)
            }
            Loop::Tiles { name, end, step: 1 } => format!("tiles {name} in 0..{end}"),
            Loop::Tiles { name, end, step } => format!("tiles {name} in 0..{end} by {step}"),
        }
    }

    fn branch(names: &Names, branch: &Branch<V>) -> String {
        match branch.origin {
            Some(origin) => format!("if {}  #{}", expr(names, &branch.cond), origin.0),
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
            format!("for {} in {from}..{to}{unrolled}  #{}", names.variable(*var), origin.0)
        }
    }
}

fn source_branch(names: &Names, branch: &SourceBranch) -> String {
    format!("if {}  #{}", names.condition(&branch.cond), branch.origin.0)
}

fn protocol(names: &Names, step: Protocol) -> String {
    let (what, buffer) = match step {
        Protocol::Reserve(buffer) => ("reserve", buffer),
        Protocol::Publish(buffer) => ("publish", buffer),
        Protocol::Receive(buffer) => ("receive", buffer),
        Protocol::Release(buffer) => ("release", buffer),
    };
    format!("{what} {}", names.buffer(buffer))
}

fn body<S: Show>(names: &Names, stmts: &[Stmt<S>], out: &mut Lines) {
    for stmt in stmts {
        if let Some(span) = stmt.note {
            out.line(format!("// line {}", names.kernel.location(span).line));
        }
        out.line(head(names, stmt));
        match &stmt.kind {
            Kind::Op(_) => {}
            Kind::Group(_, inner) | Kind::Loop(_, inner) => out.nested(|out| body(names, inner, out)),
            Kind::If(_, then, otherwise) => {
                out.nested(|out| body(names, then, out));
                if !otherwise.is_empty() {
                    out.line("else");
                    out.nested(|out| body(names, otherwise, out));
                }
            }
        }
    }
}

/// The line that a statement begins with.
fn head<S: Show>(names: &Names, stmt: &Stmt<S>) -> String {
    match &stmt.kind {
        Kind::Op(op) => S::op(names, op),
        Kind::Group(group, _) => S::group(names, group),
        Kind::Loop(head, _) => S::head(names, head),
        Kind::If(branch, ..) => S::branch(names, branch),
    }
}

fn leaf<V: ShowValue>(names: &Names, leaf: &Leaf<V>) -> String {
    match leaf {
        Leaf::Call(what) => call(names, what),
        Leaf::Let { kind, name, value } => format!("{kind} {name} = {}", expr(names, value)),
        Leaf::Advance { name, value } => format!("{name} += {}", expr(names, value)),
    }
}

fn call<V: ShowValue>(names: &Names, call: &Call<V>) -> String {
    let args: Vec<String> = call.args.iter().map(|arg| expr(names, arg)).collect();
    let template = if call.template.is_empty() {
        String::new()
    } else {
        format!("<{}>", call.template)
    };
    format!("{}{template}({})", call.function.name, args.join(", "))
}

fn expr<V: ShowValue>(names: &Names, value: &Expr<V>) -> String {
    match value {
        Expr::Int(value) => value.to_string(),
        Expr::Bool(value) => value.to_string(),
        Expr::Name(name) => name.clone(),
        Expr::Value(value) => value.text(names),
        Expr::Buffer(id) => names.buffer(*id),
        Expr::PageBytes(id) => format!("page_bytes({})", names.buffer(*id)),
        Expr::Accessor(tensor) => format!("accessor({})", names.param(*tensor)),
        Expr::Constant(name) => (*name).to_string(),
        Expr::Call(what) => call(names, what),
        Expr::Binary(op, a, b) => {
            let side = |x: &Expr<V>| match x {
                Expr::Binary(..) => format!("({})", expr(names, x)),
                Expr::Value(value) if value.is_sum() => format!("({})", expr(names, x)),
                _ => expr(names, x),
            };
            format!("{} {op} {}", side(a), side(b))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::verify::fixture;

    #[test]
    fn a_device_program_reads_from_top_to_bottom() {
        let text = super::device(&fixture::kernel(), &fixture::device());
        let compute = text
            .split("compute\n")
            .nth(1)
            .and_then(|rest| rest.split("writer\n").next())
            .unwrap();
        assert_eq!(
            compute,
            "  arg int32_t start_id = first block
  arg int32_t count = blocks
  arg int32_t K_blocks = M.div_ceil(64)
  arg uint32_t alpha_bits = bits of alpha
  compute_kernel_hw_startup(x_block, x_block, y_block)
  copy_init(x_block)
  exp_tile_init<false>()
  for every block
    const int32_t by = block_id
    for k in 0..K_blocks  #1
      // line 7
      cb_wait_front(x_block, 4)
      tiles tile_column in 0..4 by 2
        cb_reserve_back(y_block, 2)
        tile_regs_acquire()
        copy_tile(x_block, tile_column, 0)
        copy_tile(x_block, tile_column + 1, 1)
        exp_tile<false>(0)
        exp_tile<false>(1)
        tile_regs_commit()
        tile_regs_wait()
        pack_tile<true>(0, y_block, 0)
        pack_tile<true>(1, y_block, 1)
        tile_regs_release()
        cb_push_back(y_block, 2)
      cb_pop_front(x_block, 4)
"
        );
    }
}
