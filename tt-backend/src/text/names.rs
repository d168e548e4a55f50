//! What stands in lines at every stage: buffers, integers, conditions, numbers, regions, operands.

use super::Lines;
use crate::flow::{
    Arg, Broadcast, Buffer, BufferId, BufferKind, DefinitionId, Depth, Index, Integer, Kept, Matmul, Operand, Pace,
    Pack, PackMode, Sees, ShardOf, Sights, TensorIndex, TileRegion, Transfer, Unchanged, Window,
};
use crate::tile_ops::{FpuOp, SfpuOp, TileOp};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use tt_lang::hash::HashMap;
use tt_lang::ir::{BoolExpr, IntExpr, IntOp, Kernel, NumberExpr, ParamId, Real, VarId};
use tt_plan::{GridStep, Neighbour, Number, Role};

/// What names stand for.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The circular buffers.
    pub buffers: &'a [Buffer],
    /// The names of variables where they are no longer those of the kernel.
    pub variables: Option<&'a [String]>,
    /// What uses see, in Flow IR.
    pub sights: Option<&'a Sights>,
}

/// How rows follow each other; nothing where one comes after the other.
fn pace(Pace { step, over, modulo }: Pace) -> String {
    let mut text = String::new();
    if step != 1 {
        text += &format!(" step {step}");
    }
    if over != 1 {
        text += &format!(" over {over}");
    }
    if let Some(modulo) = modulo {
        text += &format!(" modulo {modulo}");
    }
    text
}

impl Names<'_> {
    /// A circular buffer.
    pub fn buffer(&self, id: BufferId) -> Cow<'_, str> {
        match self.buffers.get(id.0) {
            Some(buffer) => Cow::Borrowed(&buffer.name),
            None => Cow::Owned(format!("buffer{}", id.0)),
        }
    }

    /// A circular buffer as a definition leaves it.
    pub fn defined(&self, id: BufferId, defines: DefinitionId) -> String {
        self.buffer(id).into_owned() + &self.definition(defines)
    }

    /// A circular buffer as a use finds it.
    pub fn seen(&self, id: BufferId, sees: Sees) -> String {
        self.buffer(id).into_owned() + &self.sees(sees)
    }

    /// `@d3`, in Flow IR.
    fn definition(&self, DefinitionId(number): DefinitionId) -> String {
        match self.sights {
            Some(_) => format!("@d{number}"),
            None => String::new(),
        }
    }

    /// `@d3|d4`, in Flow IR.
    fn sees(&self, sees: Sees) -> String {
        match self.sights {
            Some(_) => format!("@{}", self.definitions(sees)),
            None => String::new(),
        }
    }

    /// `d3|d4`
    pub fn definitions(&self, sees: Sees) -> impl Display {
        Definitions(self.sights.map(|sights| sights.definitions(sees)))
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
        if let Some(names) = self.variables {
            return names.get(id.index()).cloned().unwrap_or_else(|| id.to_string());
        }
        let kernel = self.kernel;
        let Some(variable) = kernel.variables.get(id.index()) else {
            return id.to_string();
        };
        let name = variable.name.as_str();
        let namesakes = kernel.variables.iter().filter(|variable| variable.name == name).count()
            + kernel.extents.iter().filter(|extent| extent.name == name).count()
            + kernel.params.iter().filter(|param| param.name() == name).count();
        match namesakes {
            1 => name.to_string(),
            _ => format!("{name}~{}", id.0),
        }
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
            IntExpr::Var(id) | IntExpr::Fetched(id) => self.variable(*id),
            IntExpr::Binary(op, a, b) => {
                let side = |x: &IntExpr, wraps: fn(IntOp) -> bool| match x {
                    IntExpr::Binary(inner, ..) if wraps(*inner) => format!("({})", self.int(x)),
                    IntExpr::Const(_)
                    | IntExpr::Extent(_)
                    | IntExpr::Scalar(_)
                    | IntExpr::Var(_)
                    | IntExpr::Fetched(_)
                    | IntExpr::Binary(..) => self.int(x),
                };
                let sum: fn(IntOp) -> bool = |op| matches!(op, IntOp::Add | IntOp::Sub);
                let all: fn(IntOp) -> bool = |_| true;
                let none: fn(IntOp) -> bool = |_| false;
                match op {
                    IntOp::Add => format!("{} + {}", side(a, none), side(b, sum)),
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
                format!("{} {} {}", self.number_expr(a), op.symbol(), self.number_expr(b))
            }
            BoolExpr::And(a, b) => format!("({} && {})", self.condition(a), self.condition(b)),
            BoolExpr::Or(a, b) => format!("({} || {})", self.condition(a), self.condition(b)),
            BoolExpr::Not(a) => format!("!({})", self.condition(a)),
        }
    }

    /// A number of a kernel.
    pub fn number_expr(&self, number: &NumberExpr) -> String {
        match number {
            NumberExpr::Literal(Real(value)) => format!("{value:?}"),
            NumberExpr::Scalar(id) => self.scalar(&self.param(*id)),
            NumberExpr::Int(value) => format!("f32({})", self.int(value)),
            NumberExpr::Call(op, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.number_expr(arg)).collect();
                format!("{}({})", op.row().name, args.join(", "))
            }
        }
    }

    /// A number known at launch.
    pub fn number(&self, value: &Number) -> String {
        match value {
            Number::Bits(bits) => Literal(*bits).to_string(),
            Number::Scalar(name) => self.scalar(name),
            Number::Int(formula) => format!("f32({formula})"),
            Number::Call(op, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.number(arg)).collect();
                format!("{}({})", op.row().name, args.join(", "))
            }
            Number::Compare(op, a, b) => format!("({} {} {})", self.number(a), op.symbol(), self.number(b)),
            Number::Bf16(neighbour, of) => format!("{}({})", neighbour_name(*neighbour), self.number(of)),
        }
    }

    /// A scalar, bare where that cannot be read as anything else.
    fn scalar(&self, name: &str) -> String {
        let is_taken = WORDS_OF_NUMBERS.contains(&name) || self.buffers.iter().any(|buffer| buffer.name == name);
        match is_taken {
            true => format!("scalar {name}"),
            false => name.to_string(),
        }
    }

    /// Some elements of a block.
    pub fn window(&self, window: &Window) -> String {
        let both = |pair: &[IntExpr; 2]| format!("({}, {})", self.int(&pair[0]), self.int(&pair[1]));
        let [rows, columns] = window.extent.each_ref().map(|count| self.int(count));
        format!(
            "at {}{} to {} of {rows} x {columns} elements",
            both(&window.from),
            pace(window.pace),
            both(&window.to)
        )
    }

    /// A rectangle of tiles of a tensor.
    pub fn region(&self, region: &TileRegion) -> String {
        let mut text = self.param(region.tensor);
        if !region.matrix.is_empty() {
            text += &format!(" matrix {}", self.indices(&region.matrix));
        }
        let both = |pair: &[IntExpr; 2]| format!("({}, {})", self.int(&pair[0]), self.int(&pair[1]));
        match &region.transfer {
            Transfer::Pages(tile) => text += &format!(" tile {}", both(tile)),
            Transfer::Rows(rows) => {
                text += &format!(" rows {} at most {}", both(&rows.first), both(&rows.count));
                text += &pace(rows.pace);
                if let Some((axis, line)) = &rows.along {
                    text += &format!(" along {axis} in row {}", self.int(line));
                }
            }
        }
        text += &format!(" of {} x {} elements", region.extent[0], region.extent[1]);
        let flags = [
            ("may exceed", region.may_exceed),
            ("may precede", region.may_precede),
            ("zero edge of", region.zero_edge),
        ];
        for (what, flags) in flags {
            let axes = match flags {
                [true, true] => "rows and columns",
                [true, false] => "rows",
                [false, true] => "columns",
                [false, false] => continue,
            };
            text += &format!(", {what} {axes}");
        }
        if let Some(axes) = axes_missed(&region.matrix) {
            text += &format!(", matrix may miss {axes}");
        }
        text
    }

    /// `(b, t)`
    fn indices(&self, indices: &[TensorIndex]) -> String {
        let indices: Vec<String> = indices.iter().map(|index| self.int(&index.at)).collect();
        format!("({})", indices.join(", "))
    }

    /// An integer from a tensor: `page = pages (b, t), may miss 1`
    pub fn fetched(&self, var: VarId, tensor: ParamId, indices: &[TensorIndex]) -> String {
        let (var, tensor) = (self.variable(var), self.param(tensor));
        let text = format!("{var} = {tensor} {}", self.indices(indices));
        match axes_missed(indices) {
            None => text,
            Some(axes) => text + &format!(", may miss {axes}"),
        }
    }

    /// Puts tiles of a buffer behind what there is.
    pub fn operand(&self, operand: &Operand, out: &mut Formatter) -> fmt::Result {
        out.write_str(&self.buffer(operand.buffer))?;
        if let (Some(sees), Some(_)) = (operand.sees, self.sights) {
            write!(out, "@{}", self.definitions(sees))?;
        }
        if operand.offset != [0, 0] {
            write!(out, "[{:+}, {:+}]", operand.offset[0], operand.offset[1])?;
        }
        out.write_str(match operand.broadcast {
            Broadcast::None => "",
            Broadcast::Row => ".row",
            Broadcast::Column => ".column",
            Broadcast::Scalar => ".scalar",
            Broadcast::Transpose => ".transposed",
        })
    }

    /// `%0 += a · b`
    pub fn matmul(&self, matmul: &Matmul) -> String {
        let mut text = format!(
            "%0{} += {} * {}",
            self.definition(matmul.defines),
            self.seen(matmul.a, matmul.sees.a),
            self.seen(matmul.b, matmul.sees.b)
        );
        if matmul.transpose {
            text += ".transposed";
        }
        if let (Some(before), Some(_)) = (matmul.sees.acc, self.sights) {
            text += &format!(" after {}", self.definitions(before));
        }
        text + &format!(
            ", k {}, b step {}, b column {}",
            matmul.k, matmul.b_step, matmul.b_column
        )
    }

    /// Puts an operation on registers behind what there is.
    pub fn tile(&self, op: TileOp, result: u32, args: &[Arg], out: &mut Formatter) -> fmt::Result {
        register(result, out)?;
        out.write_str(" = ")?;
        out.write_str(tile_op(op))?;
        out.write_str("(")?;
        for (at, arg) in args.iter().enumerate() {
            if at > 0 {
                out.write_str(", ")?;
            }
            match arg {
                Arg::Tile(operand) => self.operand(operand, out)?,
                Arg::Constant(buffer) => out.write_str(&self.buffer(*buffer))?,
                Arg::Register(number) => register(*number, out)?,
                Arg::Number(Number::Bits(bits)) => Display::fmt(&Literal(*bits), out)?,
                Arg::Number(value) => out.write_str(&self.number(value))?,
                Arg::Integer(integer) => out.write_str(&self.integer(integer))?,
            }
        }
        out.write_str(")")
    }

    /// `integer(by * 64, 32, 0)`, with what it is divided by and bounds behind it where it has some.
    fn integer(&self, integer: &Integer) -> String {
        let [down, right] = integer.per_tile;
        let over = match integer.over {
            1 => String::new(),
            over => format!(" over {over}"),
        };
        let bounds = integer
            .between
            .map_or_else(String::new, |[low, high]| format!(", {low}, {high}"));
        format!("integer({}, {down}, {right}{over}{bounds})", self.int(&integer.first))
    }

    /// `index(1, 0, by * 64)`
    pub fn index(&self, name: &str, index: &Index) -> String {
        format!("{name}({}, {}, {})", index.row, index.column, self.int(&index.rest))
    }

    /// What stands before steps for one tile after the other.
    pub fn along(&self, axis: usize, tiles: u32) -> String {
        format!("along axis {axis}, {tiles} tiles")
    }

    /// What stands before steps for some tiles alone.
    pub fn unless(&self, negative: &Index) -> String {
        format!("unless {}", self.index(NEGATIVE, negative))
    }

    /// Puts the head of a section behind what there is.
    pub fn section_head(&self, tiles: [u32; 2], chunk: [u32; 2], registers: u32, out: &mut Formatter) -> fmt::Result {
        let ([rows, columns], [chunk_rows, chunk_columns]) = (tiles, chunk);
        let plural = if registers == 1 { "register" } else { "registers" };
        write!(
            out,
            "section {rows} x {columns} tiles by {chunk_rows} x {chunk_columns}, {registers} {plural} each"
        )
    }

    /// Puts the end of a section behind what there is; `made` says what the packed version is.
    pub fn pack(&self, result: u32, pack: &Pack, made: &str, out: &mut Formatter) -> fmt::Result {
        write!(out, "pack %{result} into {}{made} (", self.buffer(pack.buffer))?;
        if pack.relu {
            out.write_str("relu, ")?;
        }
        match &pack.mode {
            PackMode::Publish => out.write_str("publish)"),
            PackMode::Overwrite => out.write_str("overwrite)"),
            PackMode::Add => out.write_str("add)"),
            PackMode::AddAfterFirst(loops) => {
                let loops: Vec<String> = loops
                    .iter()
                    .map(|(var, start)| format!("{} = {}", self.variable(*var), self.int(start)))
                    .collect();
                write!(out, "add unless {})", loops.join(" and "))
            }
        }
    }
}

/// What may be seen, in Flow IR.
struct Definitions<'a>(Option<&'a BTreeSet<DefinitionId>>);

impl Display for Definitions<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Some(definitions) = self.0 else { return Ok(()) };
        if definitions.is_empty() {
            return f.write_str("nothing");
        }
        for (at, DefinitionId(number)) in definitions.iter().enumerate() {
            let between = if at == 0 { "" } else { "|" };
            write!(f, "{between}d{number}")?;
        }
        Ok(())
    }
}

/// `0 and 2`: the axes along which an index may be none of the tensor's, if there are any.
fn axes_missed(indices: &[TensorIndex]) -> Option<String> {
    let axes = indices.iter().enumerate().filter(|(_, index)| index.may_miss);
    let axes: Vec<String> = axes.map(|(axis, _)| axis.to_string()).collect();
    (!axes.is_empty()).then(|| axes.join(" and "))
}

/// The table of buffers, with their indices on the device where they have them.
pub(crate) fn buffers(kernel: &Kernel, buffers: &[Buffer], out: &mut Lines) -> fmt::Result {
    let mut times = HashMap::<&str, usize>::default();
    for block in &kernel.blocks {
        *times.entry(&block.name).or_default() += 1;
    }
    // A block of the kernel, with its number behind it where another has its name.
    let block_name = |index: usize| match kernel.blocks.get(index) {
        None => format!("block{index}"),
        Some(block) if times.get(block.name.as_str()) == Some(&1) => block.name.clone(),
        Some(block) => format!("{}~{index}", block.name),
    };
    let names = Names {
        kernel,
        buffers,
        sights: None,
        variables: None,
    };
    out.braced("buffers", |out| {
        for buffer in buffers {
            let kind = buffer_kind(buffer.kind);
            let index = buffer.index.map_or_else(String::new, |index| format!("c_{index} "));
            let ([rows, columns], format) = (buffer.tiles, buffer.format.name());
            let versions = if buffer.versions == 1 { "version" } else { "versions" };
            let line = out.begin()?;
            write!(
                line,
                "{index}{}: {kind}, {rows} x {columns} {format}, {} {versions}",
                buffer.name, buffer.versions
            )?;
            if let Depth::Asked(depth) = buffer.depth {
                write!(line, ", {depth} asked")?;
            }
            if let Some(block) = buffer.block {
                write!(line, ", block {}", block_name(block.index()))?;
            }
            if buffer.column_major {
                line.write_str(", column by column")?;
            }
            if buffer.unpack_to_dest {
                line.write_str(", unpacked to destination")?;
            }
            match &buffer.kept {
                None => {}
                Some(Kept::Always) => line.write_str(", kept")?,
                Some(Kept::While(unchanged)) => {
                    let of = |of: &Unchanged| format!("{} is {}", names.variable(of.axis), names.variable(of.before));
                    let of: Vec<String> = unchanged.iter().map(of).collect();
                    write!(line, ", kept while {}", of.join(" and "))?;
                }
            }
            if let Some(ShardOf {
                tensor,
                first,
                lies_there,
            }) = &buffer.shard
            {
                let how = if *lies_there { "on" } else { "of" };
                let steps = first
                    .iter()
                    .map(|GridStep { first, step, axis }| format!("{first} + {step} of {axis}"));
                let steps: Vec<String> = steps.collect();
                write!(
                    line,
                    ", {how} the shard of {} at {}",
                    kernel.params[tensor.index()].name(),
                    steps.join(" and ")
                )?;
            }
        }
        Ok(())
    })
}

/// What an integer of each element is called that is asked to be below zero.
pub(crate) const NEGATIVE: &str = "below_zero";

/// Words that a number may begin with, so that a scalar of that name says that it is one.
pub(super) const WORDS_OF_NUMBERS: [&str; 5] = ["scalar", "inf", "NaN", "nan", "f32"];

/// Puts a register behind what there is.
fn register(number: u32, out: &mut Formatter) -> fmt::Result {
    out.write_str("%")?;
    Display::fmt(&number, out)
}

/// The constant with these bits.
pub(crate) struct Literal(pub(crate) u32);

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Literal(bits) = *self;
        let value = f32::from_bits(bits);
        match value.is_nan() && bits != f32::NAN.to_bits() {
            true => write!(f, "nan({bits})"),
            false => write!(f, "{value:?}"),
        }
    }
}

/// What a neighbour is called.
pub(crate) fn neighbour_name(neighbour: Neighbour) -> &'static str {
    match neighbour {
        Neighbour::Below => "bf16_below",
        Neighbour::Above => "bf16_above",
        Neighbour::Same => "bf16_same",
    }
}

/// What a kind of buffer is called.
pub(crate) fn buffer_kind(kind: BufferKind) -> &'static str {
    match kind {
        BufferKind::Incoming => "incoming",
        BufferKind::Local => "local",
        BufferKind::Outgoing => "outgoing",
        BufferKind::Shifted => "shifted",
        BufferKind::Constant(constant) => constant.name(),
        BufferKind::Scratch(Role::Reader) => "reader_scratch",
        BufferKind::Scratch(Role::Compute) => "compute_scratch",
        BufferKind::Scratch(Role::Writer) => "writer_scratch",
        BufferKind::Token(Role::Reader) => "token_to_reader",
        BufferKind::Token(Role::Compute) => "token_to_compute",
        BufferKind::Token(Role::Writer) => "token_to_writer",
    }
}

/// What an operation on registers is called.
pub(crate) fn tile_op(op: TileOp) -> &'static str {
    match op {
        TileOp::Load => "load",
        TileOp::Fpu(FpuOp::Add) => "fpu_add",
        TileOp::Fpu(FpuOp::Sub) => "fpu_sub",
        TileOp::Fpu(FpuOp::Mul) => "fpu_mul",
        TileOp::MulReuse => "fpu_mul_reuse",
        TileOp::TransposeDest => "transpose_dest",
        TileOp::Fill => "fill",
        TileOp::Sfpu(SfpuOp::SumRows) => "sum_rows",
        TileOp::Sfpu(SfpuOp::MaxRows) => "max_rows",
        TileOp::Sfpu(SfpuOp::MinRows) => "min_rows",
        TileOp::Sfpu(SfpuOp::SumColumns) => "sum_columns",
        TileOp::Sfpu(SfpuOp::MaxColumns) => "max_columns",
        TileOp::Sfpu(SfpuOp::MinColumns) => "min_columns",
        TileOp::Sfpu(SfpuOp::ToInteger) => "to_integer",
        TileOp::Sfpu(SfpuOp::FromInteger) => "from_integer",
        TileOp::Sfpu(SfpuOp::ToBf16) => "to_bf16",
        TileOp::Sfpu(op) => {
            let name = op.row().call.name;
            name.strip_suffix("_tile").unwrap_or(name)
        }
    }
}
