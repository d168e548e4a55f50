//! The text form of Device IR at every stage: one statement a line, the same input always the same text.

use super::{Call, Device, Expr, Leaf, Node, Program, Programs, SectionStep, Step};
use crate::flow::Buffer;
use crate::flow::Step as FlowStep;
use crate::flow::print::{Lines, Names, buffers, number};
use tt_lang::ir::Kernel;
use tt_plan::RuntimeValue;

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
    };
    let mut out = Lines::default();
    out.line("reader");
    out.nested(|out| nodes(&names, &programs.reader, out));
    out.line("compute");
    out.nested(|out| nodes(&names, &programs.compute, out));
    out.line("writer");
    out.nested(|out| nodes(&names, &programs.writer, out));
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
    buffers(&device.buffers, Some(&device.indices), &mut out);
    for program in &device.programs {
        out.line(program.role.name());
        out.nested(|out| final_program(&names, program, out));
    }
    out.text
}

/// The first line of a statement of the device program.
pub fn statement(kernel: &Kernel, device: &Device, node: &Node<Leaf>) -> String {
    let names = Names {
        kernel,
        buffers: &device.buffers,
        variables: Some(&device.variables),
    };
    let mut out = Lines::default();
    nodes(&names, std::slice::from_ref(node), &mut out);
    out.text.lines().next().unwrap_or_default().to_string()
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
    let coordinates: Vec<Node<Leaf>> = program.coordinates.iter().cloned().map(Node::Leaf).collect();
    for (title, part) in [
        ("before", &program.before),
        ("coordinates", &coordinates),
        ("body", &program.body),
        ("after", &program.after),
    ] {
        if !part.is_empty() {
            out.line(title);
            out.nested(|out| nodes(names, part, out));
        }
    }
}

/// A leaf that has a text form.
pub trait Show {
    /// Writes the leaf.
    #[doc(hidden)]
    fn show(&self, printer: &mut Printer<'_, '_>);
}

/// What a leaf is written to.
pub struct Printer<'a, 'b> {
    names: &'a Names<'b>,
    out: &'a mut Lines,
}

impl Show for Leaf {
    fn show(&self, printer: &mut Printer<'_, '_>) {
        let text = leaf(printer.names, self);
        printer.out.line(text);
    }
}

impl Show for Step {
    fn show(&self, printer: &mut Printer<'_, '_>) {
        let Printer { names, out } = printer;
        match self {
            Step::Leaf(leaf) => leaf.show(printer),
            Step::Receive(buffer) => out.line(format!("receive {}", names.buffer(*buffer))),
            Step::Release(buffer) => out.line(format!("release {}", names.buffer(*buffer))),
            Step::Reserve(buffer) => out.line(format!("reserve {}", names.buffer(*buffer))),
            Step::Publish(buffer) => out.line(format!("publish {}", names.buffer(*buffer))),
            Step::Read(buffer, region) => {
                out.line(format!("read {} from {}", names.buffer(*buffer), names.region(region)));
            }
            Step::ReadZeros(buffer) => out.line(format!("zeros in {}", names.buffer(*buffer))),
            Step::Write(buffer, region) => {
                out.line(format!("write {} to {}", names.buffer(*buffer), names.region(region)));
            }
            Step::Section(section) => section_step(names, section, out),
            Step::Multiply(matmul, before) => {
                leaves(names, before, out);
                out.line(names.matmul(matmul));
            }
        }
    }
}

fn section_step(names: &Names, step: &SectionStep, out: &mut Lines) {
    let section = &step.section;
    leaves(names, &step.before, out);
    out.line(names.section_head(section));
    out.nested(|out| {
        for (index, what) in section.steps.iter().enumerate() {
            leaves(names, step.steps.get(index).map_or(&[], Vec::as_slice), out);
            out.line(names.step(what));
            if let FlowStep::Control(_) = what {
                out.nested(|out| nodes(names, step.control.get(index).map_or(&[], Vec::as_slice), out));
            }
        }
        leaves(names, &step.pack, out);
        out.line(names.pack(section.result, &section.pack));
    });
}

fn leaves(names: &Names, leaves: &[Leaf], out: &mut Lines) {
    for each in leaves {
        out.line(leaf(names, each));
    }
}

fn nodes<L: Show>(names: &Names, body: &[Node<L>], out: &mut Lines) {
    for node in body {
        match node {
            Node::Leaf(leaf) => leaf.show(&mut Printer { names, out }),
            Node::Loop {
                var,
                start,
                end,
                unroll,
                body,
                origin,
            } => {
                let unrolled = if *unroll { ", unrolled" } else { "" };
                let (from, to) = (expr(names, start), expr(names, end));
                out.line(format!(
                    "for {} in {from}..{to}{unrolled}  #{}",
                    names.variable(*var),
                    origin.0
                ));
                out.nested(|out| nodes(names, body, out));
            }
            Node::If {
                cond,
                then,
                otherwise,
                origin,
            } => {
                branches(
                    names,
                    format!("if {}  #{}", expr(names, cond), origin.0),
                    then,
                    otherwise,
                    out,
                );
            }
            Node::Tiles { name, end, step, body } => {
                let step = if *step == 1 {
                    String::new()
                } else {
                    format!(" by {step}")
                };
                out.line(format!("tiles {name} in 0..{end}{step}"));
                out.nested(|out| nodes(names, body, out));
            }
            Node::When { cond, then, otherwise } => {
                branches(names, format!("when {}", expr(names, cond)), then, otherwise, out);
            }
            Node::Scope(body) => {
                out.line("scope");
                out.nested(|out| nodes(names, body, out));
            }
            Node::Source(span) => out.line(format!("// line {}", names.kernel.location(*span).line)),
        }
    }
}

fn branches<L: Show>(names: &Names, head: String, then: &[Node<L>], otherwise: &[Node<L>], out: &mut Lines) {
    out.line(head);
    out.nested(|out| nodes(names, then, out));
    if !otherwise.is_empty() {
        out.line("else");
        out.nested(|out| nodes(names, otherwise, out));
    }
}

fn leaf(names: &Names, leaf: &Leaf) -> String {
    match leaf {
        Leaf::Call(what) => call(names, what),
        Leaf::Let { kind, name, value } => format!("{kind} {name} = {}", expr(names, value)),
        Leaf::Advance { name, value } => format!("{name} += {}", expr(names, value)),
    }
}

fn call(names: &Names, call: &Call) -> String {
    let args: Vec<String> = call.args.iter().map(|arg| expr(names, arg)).collect();
    let template = if call.template.is_empty() {
        String::new()
    } else {
        format!("<{}>", call.template)
    };
    format!("{}{template}({})", call.function.name, args.join(", "))
}

fn expr(names: &Names, value: &Expr) -> String {
    match value {
        Expr::Int(value) => value.to_string(),
        Expr::Bool(value) => value.to_string(),
        Expr::Name(name) => name.clone(),
        Expr::User(value) => names.int(value),
        Expr::Condition(value) => names.condition(value),
        Expr::Number(value) => format!("bits({})", number(value)),
        Expr::Buffer(id) => names.buffer(*id),
        Expr::PageBytes(id) => format!("page_bytes({})", names.buffer(*id)),
        Expr::Accessor(tensor) => format!("accessor({})", names.param(*tensor)),
        Expr::TensorTiles(tensor, axis) => format!("tiles({}, {axis})", names.param(*tensor)),
        Expr::TensorExtent(tensor, axis) => format!("extent({}, {axis})", names.param(*tensor)),
        Expr::TensorAxis(tensor, axis) => format!("axis({}, {axis})", names.param(*tensor)),
        Expr::Constant(name) => (*name).to_string(),
        Expr::Call(what) => call(names, what),
        Expr::Binary(op, a, b) => {
            let side = |x: &Expr| match x {
                Expr::Binary(..) | Expr::User(tt_lang::ir::IntExpr::Binary(..)) => format!("({})", expr(names, x)),
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
  before
    compute_kernel_hw_startup(x_block, x_block, y_block)
    copy_init(x_block)
    exp_tile_init<false>()
  coordinates
    const int32_t by = block_id
  body
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
