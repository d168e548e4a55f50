//! The text form of Flow IR: one statement a line, in the user's names; the same input always gives the same text.

use super::{
    Accumulate, Arg, Broadcast, Buffer, BufferId, BufferKind, Elementwise, Flow, FlowLoop, FlowOp, FlowStmt, Gemm,
    Matmul, Operand, Pack, PackMode, Step, TileRegion, Value, ValueKind,
};
use crate::ir::Kind;
use crate::tile_ops::{FpuOp, TileOp};
use tt_lang::ir::{BoolExpr, IntExpr, IntOp, Kernel, LoopKind, Named, ParamId, VarId};
use tt_plan::{Neighbour, Number};

/// `flow` as text.
pub fn flow(kernel: &Kernel, flow: &Flow) -> String {
    let mut out = Lines::default();
    let names = Names {
        kernel,
        buffers: &flow.buffers,
        variables: None,
    };
    buffers(&flow.buffers, &mut out);
    out.line("body");
    out.nested(|out| statements(&names, &flow.body, out));
    out.text
}

/// Text that grows line by line.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// What there is.
    pub text: String,
    depth: usize,
}

impl Lines {
    /// One line, indented.
    pub fn line(&mut self, line: impl AsRef<str>) {
        self.text.extend(std::iter::repeat_n("  ", self.depth));
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// What `write` writes, one step further in.
    pub fn nested(&mut self, write: impl FnOnce(&mut Lines)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }
}

/// What names stand for.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The circular buffers.
    pub buffers: &'a [Buffer],
    /// The names of variables where they are no longer those of the kernel.
    pub variables: Option<&'a [String]>,
}

impl Names<'_> {
    /// A circular buffer.
    pub fn buffer(&self, id: BufferId) -> String {
        self.buffers
            .get(id.0)
            .map_or_else(|| format!("buffer{}", id.0), |buffer| buffer.name.clone())
    }

    /// A parameter.
    pub fn param(&self, id: ParamId) -> String {
        self.kernel
            .params
            .get(id.index())
            .map_or_else(|| id.to_string(), |param| param.name().to_string())
    }

    /// A variable.
    pub fn variable(&self, id: VarId) -> String {
        let name = match self.variables {
            Some(names) => names.get(id.index()).cloned(),
            None => self
                .kernel
                .variables
                .get(id.index())
                .map(|variable| variable.name.clone()),
        };
        name.unwrap_or_else(|| id.to_string())
    }

    /// An integer expression.
    pub fn int(&self, expr: &IntExpr) -> String {
        match expr {
            IntExpr::Const(value) => value.to_string(),
            IntExpr::Extent(id) => self
                .kernel
                .extents
                .get(id.index())
                .map_or_else(|| id.to_string(), |extent| extent.name.clone()),
            IntExpr::Scalar(id) => self.param(*id),
            IntExpr::Var(id) => self.variable(*id),
            IntExpr::Binary(op, a, b) => {
                let side = |x: &IntExpr, wraps: fn(IntOp) -> bool| match x {
                    IntExpr::Binary(inner, ..) if wraps(*inner) => format!("({})", self.int(x)),
                    _ => self.int(x),
                };
                let sum: fn(IntOp) -> bool = |op| matches!(op, IntOp::Add | IntOp::Sub);
                let all: fn(IntOp) -> bool = |_| true;
                let none: fn(IntOp) -> bool = |_| false;
                match op {
                    IntOp::Add => format!("{} + {}", side(a, none), side(b, none)),
                    IntOp::Sub => format!("{} - {}", side(a, none), side(b, sum)),
                    IntOp::Mul => format!("{} * {}", side(a, sum), side(b, all)),
                    IntOp::Div => format!("{} / {}", side(a, sum), side(b, all)),
                    IntOp::Rem => format!("{} % {}", side(a, sum), side(b, all)),
                    IntOp::CeilDiv => format!("{}.div_ceil({})", side(a, all), self.int(b)),
                    IntOp::Min => format!("{}.min({})", side(a, all), self.int(b)),
                    IntOp::Max => format!("{}.max({})", side(a, all), self.int(b)),
                }
            }
        }
    }

    /// A condition.
    pub fn condition(&self, expr: &BoolExpr) -> String {
        match expr {
            BoolExpr::Const(value) => value.to_string(),
            BoolExpr::Compare(op, a, b) => format!("{} {} {}", self.int(a), op.symbol(), self.int(b)),
            BoolExpr::CompareNumbers(op, a, b) => {
                format!("{} {} {}", Named(self.kernel, a), op.symbol(), Named(self.kernel, b))
            }
            BoolExpr::And(a, b) => format!("({} && {})", self.condition(a), self.condition(b)),
            BoolExpr::Or(a, b) => format!("({} || {})", self.condition(a), self.condition(b)),
            BoolExpr::Not(a) => format!("!({})", self.condition(a)),
        }
    }

    /// The head of a loop.
    pub fn loop_head(&self, var: VarId, start: &IntExpr, end: &IntExpr) -> String {
        format!("for {} in {}..{}", self.variable(var), self.int(start), self.int(end))
    }

    /// A rectangle of tiles of a tensor.
    pub fn region(&self, region: &TileRegion) -> String {
        let axes = |flags: [bool; 2]| match flags {
            [true, true] => Some("rows, columns"),
            [true, false] => Some("rows"),
            [false, true] => Some("columns"),
            [false, false] => None,
        };
        let mut text = self.param(region.tensor);
        if !region.matrix.is_empty() {
            let matrix: Vec<String> = region.matrix.iter().map(|index| self.int(index)).collect();
            text += &format!(" matrix ({})", matrix.join(", "));
        }
        let [row, column] = [0, 1].map(|axis| self.int(&region.tile[axis]));
        text += &format!(
            " tile ({row}, {column}) of {} x {} elements",
            region.extent[0], region.extent[1]
        );
        if let Some(axes) = axes(region.may_exceed) {
            text += &format!(", may exceed {axes}");
        }
        if let Some(axes) = axes(region.zero_edge) {
            text += &format!(", zero edge of {axes}");
        }
        text
    }

    /// Tiles of a buffer.
    pub fn operand(&self, operand: &Operand) -> String {
        let mut text = self.buffer(operand.buffer);
        if operand.offset != [0, 0] {
            text += &format!("[+{}, +{}]", operand.offset[0], operand.offset[1]);
        }
        text + match operand.broadcast {
            Broadcast::None => "",
            Broadcast::Row => ".row",
            Broadcast::Column => ".column",
            Broadcast::Scalar => ".scalar",
            Broadcast::Transpose => ".transposed",
        }
    }

    fn value(&self, value: &Value) -> String {
        let call = |name: &str, args: &[&Value]| {
            let args: Vec<String> = args.iter().map(|arg| self.value(arg)).collect();
            format!("{name}({})", args.join(", "))
        };
        match &value.kind {
            ValueKind::Number(value) => number(value),
            ValueKind::Load(operand) => self.operand(operand),
            ValueKind::Accumulator => "accumulator".to_string(),
            ValueKind::Call(op, args) => call(op.row().name, &args.iter().collect::<Vec<_>>()),
            ValueKind::Compare(op, a, b) => format!("({} {} {})", self.value(a), op.symbol(), self.value(b)),
            ValueKind::And(a, b) => call("and", &[a, b]),
            ValueKind::Or(a, b) => call("or", &[a, b]),
            ValueKind::Not(a) => call("not", &[a]),
            ValueKind::Select(c, a, b) => call("select", &[c, a, b]),
        }
    }

    /// `register 0 += a · b`
    pub fn matmul(&self, matmul: &Matmul) -> String {
        let transposed = if matmul.transpose { ".transposed" } else { "" };
        let (a, b) = (self.buffer(matmul.a), self.buffer(matmul.b));
        format!(
            "r0 += {a} * {b}{transposed}, k {}, b step {}, b column {}",
            matmul.k, matmul.b_step, matmul.b_column
        )
    }

    /// A step of a section; those within its loops come after it.
    pub fn step(&self, step: &Step) -> String {
        match step {
            Step::Tile { op, out, args } => self.tile(*op, *out, args),
            Step::Matmul(matmul) => self.matmul(matmul),
            Step::Control(_) => "control".to_string(),
        }
    }

    /// An operation on registers.
    pub fn tile(&self, op: TileOp, out: u32, args: &[Arg]) -> String {
        let args: Vec<String> = args
            .iter()
            .map(|arg| match arg {
                Arg::Tile(operand) => self.operand(operand),
                Arg::Register(register) => format!("r{register}"),
                Arg::Number(value) => number(value),
            })
            .collect();
        format!("r{out} = {}({})", tile_op(op), args.join(", "))
    }

    /// The head of a section.
    pub fn section_head(&self, tiles: [u32; 2], chunk: [u32; 2], registers: u32) -> String {
        let ([rows, columns], [chunk_rows, chunk_columns]) = (tiles, chunk);
        let plural = if registers == 1 { "register" } else { "registers" };
        format!("section {rows} x {columns} tiles by {chunk_rows} x {chunk_columns}, {registers} {plural} each")
    }

    /// The end of a section.
    pub fn pack(&self, result: u32, pack: &Pack) -> String {
        let mode = match &pack.mode {
            PackMode::Publish => "publish".to_string(),
            PackMode::Overwrite => "overwrite".to_string(),
            PackMode::Add => "add".to_string(),
            PackMode::AddAfterFirst(loops) => {
                let loops: Vec<String> = loops
                    .iter()
                    .map(|(var, start)| format!("{} = {}", self.variable(*var), self.int(start)))
                    .collect();
                format!("add unless {}", loops.join(" and "))
            }
        };
        format!("pack r{result} into {} ({mode})", self.buffer(pack.buffer))
    }
}

/// The table of buffers, with their indices on the device where they have them.
pub(crate) fn buffers(buffers: &[Buffer], out: &mut Lines) {
    out.line("buffers");
    out.nested(|out| {
        for buffer in buffers {
            let kind = match buffer.kind {
                BufferKind::Incoming => "incoming",
                BufferKind::Local => "local",
                BufferKind::Outgoing => "outgoing",
                BufferKind::Zeros => "zeros",
            };
            let index = buffer.index.map_or_else(String::new, |index| format!("c_{index} "));
            let ([rows, columns], format) = (buffer.tiles, buffer.format.name());
            let mut line = format!(
                "{index}{}: {kind}, {rows} x {columns} {format}, {} versions",
                buffer.name, buffer.versions
            );
            if buffer.column_major {
                line += ", column by column";
            }
            if buffer.unpack_to_dest {
                line += ", unpacked to destination";
            }
            out.line(line);
        }
    });
}

/// A number known at launch.
pub(crate) fn number(value: &Number) -> String {
    match value {
        Number::Bits(bits) => format!("{:?}", f32::from_bits(*bits)),
        Number::Scalar(name) => name.clone(),
        Number::Int(formula) => format!("({formula} as f32)"),
        Number::Call(op, args) => {
            let args: Vec<String> = args.iter().map(number).collect();
            format!("{}({})", op.row().name, args.join(", "))
        }
        Number::Compare(op, a, b) => format!("({} {} {})", number(a), op.symbol(), number(b)),
        Number::Bf16(neighbour, of) => {
            let which = match neighbour {
                Neighbour::Below => "below",
                Neighbour::Above => "above",
                Neighbour::Same => "same",
            };
            format!("bf16_{which}({})", number(of))
        }
    }
}

fn tile_op(op: TileOp) -> &'static str {
    match op {
        TileOp::Load => "load",
        TileOp::Fpu(FpuOp::Add) => "fpu_add",
        TileOp::Fpu(FpuOp::Sub) => "fpu_sub",
        TileOp::Fpu(FpuOp::Mul) => "fpu_mul",
        TileOp::MulReuse => "fpu_mul_reuse",
        TileOp::Fill => "fill",
        TileOp::Sfpu(op) => op.row().call.name.trim_end_matches("_tile"),
    }
}

pub(crate) fn statements(names: &Names, body: &[FlowStmt], out: &mut Lines) {
    for stmt in body {
        statement(names, stmt, out);
    }
}

fn statement(names: &Names, stmt: &FlowStmt, out: &mut Lines) {
    match &stmt.kind {
        Kind::Op(FlowOp::Read { buffer, region, .. }) => {
            out.line(format!("read {} from {}", names.buffer(*buffer), names.region(region)))
        }
        Kind::Op(FlowOp::Write { buffer, region, .. }) => {
            out.line(format!("write {} to {}", names.buffer(*buffer), names.region(region)))
        }
        Kind::Op(FlowOp::Blank { buffer }) => out.line(format!("blank {}", names.buffer(*buffer))),
        Kind::Op(FlowOp::Release { buffer }) => out.line(format!("release {}", names.buffer(*buffer))),
        Kind::Op(FlowOp::Elementwise(Elementwise {
            target,
            extent: [rows, columns],
            value,
            ..
        })) => {
            out.line(format!(
                "{}[{rows}, {columns}] = {}",
                names.buffer(*target),
                names.value(value)
            ));
        }
        Kind::Op(FlowOp::Gemm(Gemm {
            a,
            b,
            acc,
            m,
            n,
            k,
            transpose_a,
            transpose_b,
            clear,
            ..
        })) => {
            let transposed = |flag: &bool| if *flag { ".transposed" } else { "" };
            out.line(format!(
                "{} {} {}{} * {}{}, m {m}, n {n}, k {k}",
                names.buffer(*acc),
                if *clear { "=" } else { "+=" },
                names.buffer(*a),
                transposed(transpose_a),
                names.buffer(*b),
                transposed(transpose_b)
            ));
        }
        Kind::Op(FlowOp::Section(section)) => {
            out.line(names.section_head(section.tiles, section.chunk, section.registers));
            out.nested(|out| {
                for step in &section.steps {
                    out.line(names.step(step));
                    if let Step::Control(body) = step {
                        out.nested(|out| statements(names, body, out));
                    }
                }
                out.line(names.pack(section.result, &section.pack));
            });
        }
        Kind::Op(FlowOp::Multiply(matmul)) => out.line(names.matmul(matmul)),
        Kind::Group(Accumulate { buffer, .. }, body) => {
            out.line(format!("accumulate {}", names.buffer(*buffer)));
            out.nested(|out| statements(names, body, out));
        }
        Kind::Loop(FlowLoop { var, start, end, kind }, body) => {
            let kind = match kind {
                LoopKind::Serial => String::new(),
                LoopKind::Unroll => ", unrolled".to_string(),
                LoopKind::Pipelined(stages) => format!(", {stages} stages"),
            };
            out.line(names.loop_head(*var, start, end) + &kind);
            out.nested(|out| statements(names, body, out));
        }
        Kind::If(cond, then, otherwise) => {
            out.line(format!("if {}", names.condition(cond)));
            out.nested(|out| statements(names, then, out));
            if !otherwise.is_empty() {
                out.line("else");
                out.nested(|out| statements(names, otherwise, out));
            }
        }
    }
}
