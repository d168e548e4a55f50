//! The text form of Tile IR: a kernel in the language itself, which reads back as what it was.
//!
//! Blocks are allocated first, and a variable that would hide another in its scope has a number behind its name. What the
//! syntax takes away (`let`, `const`, ranges) does not come back. Statements of which one became two
//! (`split_conditions`) share their variables, which reading tells apart.

mod expressions;

use super::*;
use crate::hash::{HashMap, HashSet};
use crate::tree::Kind;
use std::fmt::{self, Display, Write};

impl Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut source = Source::of(self);
        source.kernel();
        f.write_str(&source.text)
    }
}

/// By how much what stands in braces is indented.
const STEP: &str = "    ";

/// A kernel as it is written.
struct Source<'a> {
    kernel: &'a Kernel,
    text: String,
    /// What a line begins with.
    indentation: String,
    /// The name of every block.
    blocks: Vec<String>,
    /// The name of every variable, once it is declared.
    variables: Vec<String>,
    scope: Scope,
}

/// Names that stand for something here.
#[derive(Default)]
struct Scope {
    /// In the order of their declarations.
    names: Vec<String>,
    taken: HashSet<String>,
    /// Of a name that was wanted, the first number that may be free.
    from: HashMap<String, u32>,
}

impl Scope {
    fn push(&mut self, name: String) {
        self.taken.insert(name.clone());
        self.names.push(name);
    }

    /// `wanted`, or with the first number that makes it mean nothing else here.
    fn unused(&mut self, wanted: &str) -> String {
        let named = |number: u32| match number {
            1 => wanted.to_string(),
            _ => format!("{wanted}_{number}"),
        };
        let mut number = self.from.get(wanted).copied().unwrap_or(1);
        while wanted != "_" && self.taken.contains(&named(number)) {
            number = number.saturating_add(1);
        }
        if number > 1 {
            self.from.insert(wanted.to_string(), number);
        }
        named(number)
    }

    /// Leaves what was declared after the first `known` names.
    fn truncate(&mut self, known: usize) {
        for name in self.names.drain(known..) {
            self.taken.remove(&name);
            self.from.clear();
        }
    }
}

impl<'a> Source<'a> {
    fn of(kernel: &'a Kernel) -> Source<'a> {
        let extents = kernel.extents.iter().map(|extent| raw(&extent.name));
        let params = kernel.params.iter().map(|param| raw(param.name()));
        let mut source = Source {
            kernel,
            text: String::new(),
            indentation: String::new(),
            blocks: Vec::new(),
            variables: kernel.variables.iter().map(|variable| variable.name.clone()).collect(),
            scope: Scope::default(),
        };
        extents.chain(params).for_each(|name| source.scope.push(name));
        for (var, _) in &kernel.grid.axes {
            source.declare(*var);
        }
        for block in &kernel.blocks {
            let name = source.scope.unused(&raw(&block.name));
            source.scope.push(name.clone());
            source.blocks.push(name);
        }
        source
    }

    fn declare(&mut self, var: VarId) {
        let name = self.scope.unused(&raw(self.kernel.variable(var)));
        self.scope.push(name.clone());
        self.variables[var.index()] = name;
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&self.indentation);
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// What `write` writes, one step further in, in a scope of its own.
    fn nested(&mut self, write: impl FnOnce(&mut Self)) {
        let known = self.scope.names.len();
        let depth = self.indentation.len();
        self.indentation.push_str(STEP);
        write(self);
        self.indentation.truncate(depth);
        self.scope.truncate(known);
    }

    fn kernel(&mut self) {
        let kernel = self.kernel;
        let options = options(&kernel.options);
        self.line(&match options.is_empty() {
            true => "#[tt::kernel]".to_string(),
            false => format!("#[tt::kernel({})]", options.join(", ")),
        });
        let extents: Vec<String> = kernel
            .extents
            .iter()
            .map(|extent| format!("const {}: usize", raw(&extent.name)))
            .collect();
        let generics = if extents.is_empty() {
            String::new()
        } else {
            format!("<{}>", extents.join(", "))
        };
        let params: Vec<String> = kernel.params.iter().filter_map(|param| self.param(param)).collect();
        self.line(&format!("fn {}{generics}({}) {{", raw(&kernel.name), params.join(", ")));
        self.nested(|this| {
            for param in &kernel.params {
                if let Param::Temporary(tensor) = param {
                    let line = this.temporary(tensor);
                    this.line(&line);
                }
            }
            if kernel.later.is_empty() {
                return this.stage();
            }
            for stage in kernel.stages() {
                this.line("{");
                let mut inner = Source::of(&stage);
                inner.indentation = this.indentation.clone() + STEP;
                inner.stage();
                this.text.push_str(&inner.text);
                this.line("}");
            }
        });
        self.line("}");
    }

    /// The grid, the blocks and the body.
    fn stage(&mut self) {
        let kernel = self.kernel;
        let names: Vec<&str> = kernel
            .grid
            .axes
            .iter()
            .map(|(var, _)| self.variables[var.index()].as_str())
            .collect();
        let extents: Vec<String> = kernel
            .grid
            .axes
            .iter()
            .map(|(_, extent)| self.int(&extent.value))
            .collect();
        let grid = format!("let {} = T.Kernel({});", tuple(&names), extents.join(", "));
        self.line(&grid);
        for (block, name) in kernel.blocks.iter().zip(self.blocks.clone()) {
            let shape: Vec<String> = block.shape.iter().map(u64::to_string).collect();
            let scope = match block.scope {
                BlockScope::Shared => "shared",
                BlockScope::Fragment => "fragment",
            };
            let element = block.element.name();
            self.line(&format!(
                "let {name} = T.alloc_{scope}::<{element}>({});",
                shape.join(", ")
            ));
        }
        self.body(&kernel.body);
    }

    fn temporary(&self, tensor: &TensorParam) -> String {
        let extents: Vec<String> = tensor.extents.iter().map(|extent| self.int(&extent.value)).collect();
        format!(
            "let {} = T.alloc_global::<{}>({});",
            raw(&tensor.name),
            tensor.element.value.name(),
            extents.join(", ")
        )
    }

    fn param(&self, param: &Param) -> Option<String> {
        Some(match param {
            Param::Temporary(_) | Param::Derived(_) => return None,
            Param::Tensor(tensor) => {
                let extents: Vec<String> = tensor
                    .extents
                    .iter()
                    .map(|extent| match extent.value {
                        IntExpr::Binary(..) => format!("{{ {} }}", self.int(&extent.value)),
                        IntExpr::Const(_)
                        | IntExpr::Extent(_)
                        | IntExpr::Scalar(_)
                        | IntExpr::Var(_)
                        | IntExpr::Fetched(_) => self.int(&extent.value),
                    })
                    .collect();
                let reference = if tensor.mutable { "&mut " } else { "&" };
                let (layout, element) = (layout(&tensor.layout), tensor.element.value.name());
                format!(
                    "{layout}{}: {reference}Tensor<{element}, {}>",
                    raw(&tensor.name),
                    extents.join(", ")
                )
            }
            Param::Scalar(scalar) => {
                let kind = match scalar.kind {
                    ScalarKind::F32 => "f32",
                    ScalarKind::I32 => "i32",
                    ScalarKind::U32 => "u32",
                };
                format!("{}: {kind}", raw(&scalar.name))
            }
        })
    }

    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            Kind::Op(Op::Copy { src, dst }) => {
                let line = format!("T.copy({}, {});", self.side(src, dst), self.side(dst, src));
                self.line(&line);
            }
            Kind::Op(Op::Fill { block, value }) => {
                let class = self.kernel.block(block.value).element;
                let line = format!("T.fill({}, {});", self.block(block.value), self.element(value, class));
                self.line(&line);
            }
            Kind::Op(Op::Gemm {
                a: Place::Block(a),
                b: Place::Block(b),
                acc,
                transpose_a,
                transpose_b,
                clear_accum,
            }) => {
                let mut line = format!(
                    "T.gemm({}, {}, {}",
                    self.block(a.value),
                    self.block(b.value),
                    self.block(acc.value)
                );
                for (set, name) in [
                    (transpose_a, "transpose_a"),
                    (transpose_b, "transpose_b"),
                    (clear_accum, "clear_accum"),
                ] {
                    if *set {
                        line += &format!(", {name} = true");
                    }
                }
                self.line(&(line + ");"));
            }
            Kind::Op(Op::Gemm {
                a,
                b,
                acc,
                transpose_a,
                transpose_b,
                clear_accum: _,
            }) => self.product((a, *transpose_a), (b, *transpose_b), acc.value),
            Kind::Loop(For { var, start, end, kind }, body) => {
                let range = format!("{}..{}", self.int(start), self.int(end));
                let range = match kind {
                    LoopKind::Serial => range,
                    LoopKind::Unroll => format!("T.unroll({range})"),
                    LoopKind::Pipelined(stages) => format!("T.Pipelined({range}, num_stages = {stages})"),
                };
                let known = self.scope.names.len();
                self.declare(*var);
                self.line(&format!("for {} in {range} {{", self.variables[var.index()]));
                self.nested(|this| this.body(body));
                self.scope.truncate(known);
                self.line("}");
            }
            Kind::If(cond, then, otherwise) => {
                let line = format!("if {} {{", self.condition(&cond.value));
                self.line(&line);
                self.nested(|this| this.body(then));
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.nested(|this| this.body(otherwise));
                }
                self.line("}");
            }
            Kind::Group(never, _) => match *never {},
            Kind::Op(Op::Parallel { indices, assigns }) => {
                let known = self.scope.names.len();
                indices.iter().for_each(|(var, _)| self.declare(*var));
                let names: Vec<&str> = indices
                    .iter()
                    .map(|(var, _)| self.variables[var.index()].as_str())
                    .collect();
                let extents: Vec<String> = indices.iter().map(|(_, extent)| extent.to_string()).collect();
                let head = format!("for {} in T.Parallel({}) {{", tuple(&names), extents.join(", "));
                self.line(&head);
                self.nested(|this| {
                    for assign in assigns {
                        let class = this.class(&assign.target);
                        let (op, value) = match assign.compound() {
                            Some((op, other)) => (op.row().operator.unwrap_or(""), other),
                            None => ("", &assign.value),
                        };
                        let (target, value) = (this.access(&assign.target), this.element(value, class));
                        this.line(&format!("{target} {op}= {value};"));
                    }
                });
                self.scope.truncate(known);
                self.line("}");
            }
            Kind::Op(Op::Reduce {
                op,
                src,
                out,
                dim,
                clear,
            }) => {
                let (op, dim) = (op.name(), dim.name());
                let (src, out) = (self.block(src.value), self.block(out.value));
                let clear = if *clear { "" } else { ", clear = false" };
                let line = format!("T.reduce_{op}({src}, {out}, dim = {dim}{clear});");
                self.line(&line);
            }
            Kind::Op(Op::ReduceArg {
                op,
                src,
                val,
                pos,
                dim,
                base,
                clear,
            }) => {
                let val = val.as_ref().map_or("_", |val| self.block(val.value));
                let (src, pos) = (self.block(src.value), self.block(pos.value));
                let base = match *base == IntExpr::Const(0) {
                    true => String::new(),
                    false => format!(", base = {}", self.int(base)),
                };
                let clear = if *clear { "" } else { ", clear = false" };
                let (op, dim) = (op.name(), dim.name());
                let line = format!("T.reduce_{op}({src}, {val}, {pos}, dim = {dim}{base}{clear});");
                self.line(&line);
            }
            Kind::Op(Op::Transpose { src, dst }) => {
                let line = format!("T.transpose({}, {});", self.block(src.value), self.block(dst.value));
                self.line(&line);
            }
            Kind::Op(Op::Fetch { var, from }) => {
                let from = self.access(from);
                self.declare(*var);
                self.line(&format!("let {} = {from};", self.variables[var.index()]));
            }
            Kind::Op(Op::Print { items }) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| match item {
                        PrintItem::Text(text) => format!("{text:?}"),
                        PrintItem::Value(value) => self.int(value),
                        PrintItem::Number(value) => self.number(value),
                        PrintItem::Block { block, .. } => self.block(block.value).to_string(),
                    })
                    .collect();
                self.line(&format!("T.print({});", items.join(", ")));
            }
            Kind::Op(Op::Assert { cond, .. }) => {
                let cond = self.condition(&cond.value);
                self.line(&format!("T.assert({cond});"));
            }
        }
    }

    /// A product with an operand that is a tensor, as the loop that it is written as.
    fn product(&mut self, a: (&Place, bool), b: (&Place, bool), acc: BlockId) {
        let [row, column, inner] = ["i", "j", "k"].map(|name| self.scope.unused(name));
        let (m, n) = match self.kernel.block(acc).shape.as_slice() {
            [m, n] => (*m, *n),
            _ => (1, 1),
        };
        let k = self.extents(a.0)[usize::from(!a.1)];
        let of_a = if a.1 { [&inner, &row] } else { [&row, &inner] };
        let of_b = if b.1 { [&column, &inner] } else { [&inner, &column] };
        let (of_a, of_b) = (self.factor(a.0, of_a), self.factor(b.0, of_b));
        let acc = self.block(acc).to_string();
        self.line(&format!(
            "for ({row}, {column}, {inner}) in T.Parallel({m}, {n}, {k}) {{"
        ));
        self.nested(|this| this.line(&format!("{acc}[({row}, {column})] += {of_a} * {of_b};")));
        self.line("}");
    }

    /// Rows and columns of an operand of a product.
    fn extents(&self, place: &Place) -> [u64; 2] {
        let region = match place {
            Place::Block(block) => {
                return match self.kernel.block(block.value).shape.as_slice() {
                    [.., rows, columns] => [*rows, *columns],
                    [columns] => [1, *columns],
                    [] => [1, 1],
                };
            }
            Place::Tensor(region) => region,
        };
        let (rows, columns) = rows_and_columns(region);
        [rows, Some(columns)].map(|axis| {
            axis.and_then(|axis| region.axes.get(axis))
                .map_or(1, |axis| axis.extent)
        })
    }

    /// One element of an operand of a product.
    fn factor(&self, place: &Place, indices: [&String; 2]) -> String {
        let region = match place {
            Place::Block(block) => return format!("{}[({}, {})]", self.block(block.value), indices[0], indices[1]),
            Place::Tensor(region) => region,
        };
        let (rows, columns) = rows_and_columns(region);
        let offsets = region.axes.iter().enumerate().map(|(axis, of)| {
            let index = match axis {
                _ if Some(axis) == rows => Some(indices[0]),
                _ if axis == columns => Some(indices[1]),
                _ => None,
            };
            match (&of.offset.value, index) {
                (IntExpr::Const(0), Some(index)) => index.clone(),
                (offset, Some(index)) => format!("{} + {index}", self.int(offset)),
                (offset, None) => self.int(offset),
            }
        });
        format!("{}[{}]", self.param_name(region.tensor), listed(offsets.collect()))
    }

    fn block(&self, id: BlockId) -> &str {
        &self.blocks[id.index()]
    }

    fn param_name(&self, id: ParamId) -> String {
        raw(self.kernel.params[id.index()].name())
    }

    /// A side of a copy. Extents that are those of the block on the other side are not written.
    fn side(&self, side: &Place, other: &Place) -> String {
        let (region, shape) = match (side, other) {
            (Place::Block(block), _) => return self.block(block.value).to_string(),
            (Place::Tensor(region), Place::Block(other)) => (region, self.kernel.block(other.value).shape.clone()),
            (Place::Tensor(region), Place::Tensor(_)) => (region, region.extents()),
        };
        let extents = region.extents();
        let leading = extents.len().saturating_sub(shape.len());
        let is_plain = region.axes.iter().all(|axis| axis.step == 1 && axis.count.is_none());
        let is_the_blocks =
            is_plain && extents[leading..] == shape[..] && extents[..leading].iter().all(|extent| *extent == 1);
        let matrix = extents.len().saturating_sub(2);
        let along = matches!(region.rows_and_columns(), Some((Some(rows), _)) if rows < matrix);
        // A block of one column over a row, or of one row over a column.
        let is_across = matches!(shape.as_slice(), [1, _] | [_, 1]) && extents.get(matrix..) != Some(shape.as_slice());
        let axes = region.axes.iter().enumerate().map(|(number, axis)| {
            let first = self.int(&axis.offset.value);
            let is_point = axis.extent == 1 && axis.count.is_none() && (along || is_across || number < matrix);
            if is_the_blocks || is_point {
                return first;
            }
            let step = i64::from(axis.step);
            let length = match &axis.count {
                Some(count) => IntExpr::binary(IntOp::Mul, count.clone(), IntExpr::Const(step)),
                None => IntExpr::Const(step.saturating_mul(i64::try_from(axis.extent).unwrap_or(i64::MAX))),
            };
            let end = self.int(&IntExpr::binary(IntOp::Add, axis.offset.value.clone(), length));
            match axis.step {
                1 => format!("{first}..{end}"),
                step => format!("({first}..{end}).step_by({step})"),
            }
        });
        format!("{}[{}]", self.param_name(region.tensor), listed(axes.collect()))
    }

    fn access(&self, access: &Access) -> String {
        let name = match access.buffer {
            Buffer::Block(id) => self.block(id).to_string(),
            Buffer::Tensor(id) => self.param_name(id),
        };
        format!(
            "{name}[{}]",
            listed(access.indices.iter().map(|index| self.int(index)).collect())
        )
    }

    /// The type of what is accessed.
    fn class(&self, access: &Access) -> ElementType {
        access.buffer.element(self.kernel)
    }
}

/// A name as Rust writes it where it has a meaning of its own.
fn raw(name: &str) -> String {
    match KEYWORDS.binary_search(&name) {
        Ok(_) => format!("r#{name}"),
        Err(_) => name.to_string(),
    }
}

/// What Rust keeps for itself, now or later, in the order of its letters.
#[rustfmt::skip]
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum", "extern",
    "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override",
    "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// `one`, or `(one, other)`.
fn tuple(names: &[&str]) -> String {
    match names {
        [one] => (*one).to_string(),
        [one, other] => format!("({one}, {other})"),
        many => format!("({})", many.join(", ")),
    }
}

/// `one`, or `(one, other)`: what stands in brackets.
fn listed(indices: Vec<String>) -> String {
    tuple(&indices.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What differs from the defaults.
fn options(options: &Options) -> Vec<String> {
    let mut out = Vec::new();
    let fidelity = options.fidelity.map(|fidelity| match fidelity {
        Fidelity::LoFi => "LoFi",
        Fidelity::HiFi2 => "HiFi2",
        Fidelity::HiFi3 => "HiFi3",
        Fidelity::HiFi4 => "HiFi4",
    });
    out.extend(fidelity.map(|fidelity| format!("fidelity = {fidelity}")));
    out.extend(options.fp32_acc.map(|wide| format!("fp32_acc = {wide}")));
    out.extend(options.approx.then(|| "approx = true".to_string()));
    let order = match options.order.value {
        Order::Auto => None,
        Order::RowMajor => Some("row_major".to_string()),
        Order::ColumnMajor => Some("column_major".to_string()),
        Order::BlockLinear(h, w) => Some(format!("block_linear({h}, {w})")),
        Order::ZOrder => Some("z_order".to_string()),
        Order::Hilbert => Some("hilbert".to_string()),
        Order::MatchShard => Some("match_shard".to_string()),
    };
    out.extend(order.map(|order| format!("order = {order}")));
    for (name, choice) in [("multicast", options.multicast), ("split", options.split)] {
        out.extend((choice == WherePaying::Off).then(|| format!("{name} = off")));
    }
    out
}

/// The attribute of a tensor that is not interleaved over DRAM.
fn layout(layout: &Layout) -> String {
    let mut words = Vec::new();
    if layout.residence == Residence::L1 {
        words.push("l1".to_string());
    }
    let list = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    match &layout.sharding {
        Sharding::Interleaved => {}
        Sharding::Height(g) => words.push(format!("height_sharded({g})")),
        Sharding::Width(g) => words.push(format!("width_sharded({g})")),
        Sharding::Block(gy, gx) => words.push(format!("block_sharded({gy}, {gx})")),
        Sharding::Nd { axes, grid, shard } => words.push(format!(
            "nd_sharded(axes = {:?}, grid = [{}], shard = [{}])",
            axes.join(" "),
            list(grid),
            list(shard)
        )),
    }
    let mut text = String::new();
    if !words.is_empty() {
        let _ = write!(text, "#[layout({})] ", words.join(", "));
    }
    text
}

/// The axes that count the rows and the columns of an operand of a product: the last ones where a region does not tell.
fn rows_and_columns(region: &Region) -> (Option<usize>, usize) {
    let last = region.axes.len().saturating_sub(1);
    region.rows_and_columns().unwrap_or((last.checked_sub(1), last))
}
