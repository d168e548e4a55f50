//! From Tile IR to Flow IR over variables.

use super::Variable;
use super::access::Result2d;
use super::reductions::ArgReduction;
use super::regions::Purpose;
use crate::codes;
use crate::flow::{
    BlockOp, BlockStmt, Blocks, Broadcast, BufferId, Depth, Elementwise, Fetch, FetchedInto, FlowLoop, Gemm,
    Inspection, Operand, Printed, PrintedBlock, ProductSees, Read, Sights, Value, ValueKind, Write,
};
use crate::ir::Kind;
use crate::linear::Signs;
use crate::passes::a1_infer_layout::{Layouts, tiles};
use crate::verify::{Fault, unproved};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{
    BlockId, Buffer, ElementType, For, IntExpr, Kernel, LoopKind, Op, ParamId, Place, PrintItem, Span, Spanned, Stmt,
    VarId,
};
use tt_plan::DataFormat;

/// Statements over variables. What uses see is for `webs` to find; until then it is unknown, and a number for each.
pub struct Translated {
    /// The blocks, then the tensors touched directly.
    pub variables: Vec<Variable>,
    /// What one block of the grid does.
    pub body: Vec<BlockStmt>,
    /// The definitions given out.
    pub sights: Sights,
}

/// Why a statement is refused.
pub(super) type Refused = Diagnostic;

/// Runs the step.
pub fn run(kernel: &Kernel, layouts: &Layouts) -> Result<Translated, Vec<Diagnostic>> {
    let variables = kernel
        .blocks
        .iter()
        .enumerate()
        .map(|(index, block)| Variable {
            name: block.name.clone(),
            block: Some(BlockId(index as u32)),
            span: block.span,
            format: layouts.blocks[index].format,
            extent: layouts.blocks[index].extent,
            depth: layouts.blocks[index].depth,
        })
        .collect();
    let ranges = kernel
        .grid
        .axes
        .iter()
        .map(|(var, extent)| (*var, extent.value.clone()))
        .collect();
    let mut this = Translate {
        kernel,
        layouts,
        variables,
        ranges,
        signs: Signs::of(kernel),
        stages: None,
        sights: Sights::default(),
        is_chosen: false,
        errors: Vec::new(),
    };
    let body = this.body(&kernel.body);
    if this.errors.is_empty() {
        Ok(Translated {
            variables: this.variables,
            body,
            sights: this.sights,
        })
    } else {
        Err(this.errors)
    }
}

pub(super) fn not_of_integers(element: ElementType, span: Span, what: &str) -> Refused {
    let message = format!("{what} of `{}` is not compiled yet", element.name());
    Diagnostic::new(&codes::ELEMENT_TYPE, span, message)
        .note("cast it to `f32` first: `y[(i, j)] = x[(i, j)] as f32;`")
        .note(what_is_done_with(element))
}

/// What is compiled of blocks of `element`, which are integers.
pub(super) fn what_is_done_with(element: ElementType) -> &'static str {
    match DataFormat::of(element).is_byte() {
        true => "blocks of `u8` and `i8` are copied, filled, compared, chosen, cast and printed",
        false => {
            "blocks of `i32` are copied, filled, transposed, printed, and computed in `T.Parallel`: `+ - * / %`, `& | ^ << >> !`, \
             `abs`, `min`, `max`, `clamp`, comparisons, choices and casts; sums, maxima and minima are reduced"
        }
    }
}

/// A translation under way.
pub(super) struct Translate<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) layouts: &'a Layouts,
    pub(super) variables: Vec<Variable>,
    /// One past the last value of the variables in scope.
    pub(super) ranges: Vec<(VarId, IntExpr)>,
    pub(super) signs: Signs,
    /// What `T.Pipelined` around here asks for.
    stages: Option<u32>,
    pub(super) sights: Sights,
    /// Whether what is translated may be of no element: a branch of a choice between elements.
    pub(super) is_chosen: bool,
    errors: Vec<Diagnostic>,
}

impl Translate<'_> {
    fn body(&mut self, body: &[Stmt]) -> Vec<BlockStmt> {
        let mut out = Vec::new();
        for stmt in body {
            if let Err(error) = self.stmt(stmt, &mut out) {
                self.errors.push(error);
            }
        }
        out
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<BlockStmt>) -> Result<(), Refused> {
        let span = stmt.note;
        let kind = match &stmt.kind {
            Kind::Group(never, _) => match *never {},
            Kind::Op(Op::Copy { src, dst }) => self.copy(src, dst, span)?,
            Kind::Op(Op::Fill { block, value }) => {
                let everywhere = Result2d {
                    row: None,
                    column: None,
                    extent: self.extent(block.value),
                };
                let element = self.kernel.block(block.value).element;
                let value = self.value(value, element, &everywhere, &mut Vec::new())?;
                self.computed(block.value, value)
            }
            Kind::Op(Op::Transpose { src, dst }) => {
                self.of_one_kind(
                    [src, dst].map(|block| Buffer::Block(block.value)),
                    "transposition",
                    span,
                )?;
                let element = self.kernel.block(src.value).element;
                if DataFormat::of(element).is_byte() {
                    let message = format!("a block of `{}` is not transposed", element.name());
                    return Err(Diagnostic::new(&codes::ELEMENT_TYPE, src.span, message)
                        .note("cast it to `i32` or `f32`, and transpose that"));
                }
                let [rows, columns] = self.extent(src.value);
                if self.extent(dst.value) != [columns, rows] {
                    return Err(unproved(span, &Fault("a transposition of other shapes".to_string())));
                }
                self.moved(src.value, dst.value, Broadcast::Transpose, span)
            }
            Kind::Op(Op::Gemm {
                a,
                b,
                acc,
                transpose_a,
                transpose_b,
                clear_accum,
            }) => {
                let operands = [a, b].map(|place| match place {
                    Place::Block(block) => (Buffer::Block(block.value), block.span),
                    Place::Tensor(region) => (Buffer::Tensor(region.tensor), region.span),
                });
                for (of, at) in operands {
                    let element = of.element(self.kernel);
                    if element.is_integer() {
                        return Err(not_of_integers(element, at, "`T.gemm`"));
                    }
                }
                let element = self.kernel.block(acc.value).element;
                if element.is_integer() {
                    let message = format!("an accumulator of `{}`", element.name());
                    return Err(Diagnostic::new(&codes::ELEMENT_TYPE, acc.span, message).note(
                        "sum up in a block of `f32`, and cast what it holds: `y[(i, j)] = acc[(i, j)] as i32;`",
                    ));
                }
                self.of_own_exponents(acc, "the accumulator of a gemm")?;
                let operands = [self.gemm_operand(a, span, out)?, self.gemm_operand(b, span, out)?];
                self.gemm(operands, acc.value, [*transpose_a, *transpose_b], *clear_accum, span)?
            }
            Kind::Op(Op::Parallel { indices, assigns }) => {
                for assign in assigns {
                    self.assign(indices, assign, out)?;
                }
                return Ok(());
            }
            Kind::Loop(For { var, start, end, kind }, body) => {
                let outer = self.stages;
                if let LoopKind::Pipelined(stages) = kind {
                    self.stages = Some(*stages);
                }
                self.ranges.push((*var, end.clone()));
                let body = self.body(body);
                self.ranges.pop();
                self.stages = outer;
                let head = FlowLoop {
                    var: *var,
                    start: start.clone(),
                    end: end.clone(),
                    kind: *kind,
                    runs: self.signs.is_at_least(&FlowLoop::count(start, end), 1),
                };
                Kind::Loop(head, body)
            }
            Kind::If(cond, then, otherwise) => {
                let (then, otherwise) = (self.body(then), self.body(otherwise));
                Kind::If(cond.value.clone(), then, otherwise)
            }
            Kind::Op(Op::Reduce {
                op,
                src,
                out: reduced,
                dim,
                clear,
            }) => {
                self.numbers([src, reduced], "this reduction")?;
                self.of_own_exponents(reduced, "the result of a reduction")?;
                self.reduce((*op, *dim, *clear), [src.value, reduced.value], span, out)?
            }
            Kind::Op(Op::Fetch { var, from }) => {
                let Buffer::Tensor(tensor) = from.buffer else {
                    return Err(unproved(
                        from.span,
                        &Fault("an integer is read from a block".to_string()),
                    ));
                };
                Kind::Op(BlockOp::Fetch(Fetch {
                    var: *var,
                    tensor,
                    indices: self.indices(tensor, &from.indices),
                    into: FetchedInto::default(),
                }))
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
                let outs = (val.as_ref().map(|val| val.value), pos.value);
                let arg = ArgReduction {
                    op: *op,
                    dim: *dim,
                    base,
                    clear: *clear,
                };
                for kind in self.reduce_arg(&arg, src.value, outs, span)? {
                    out.push(BlockStmt { kind, note: span });
                }
                return Ok(());
            }
            Kind::Op(Op::Print { items }) => {
                for (inspection, span) in self.printed(items, span)? {
                    let kind = Kind::Op(BlockOp::Inspect(inspection));
                    out.push(BlockStmt { kind, note: span });
                }
                return Ok(());
            }
            Kind::Op(Op::Assert { cond, text }) => Kind::Op(BlockOp::Inspect(Inspection::Assertion {
                cond: cond.value.clone(),
                text: text.clone(),
            })),
        };
        out.push(BlockStmt { kind, note: span });
        Ok(())
    }

    /// What is printed: a line of the texts and values that follow each other, and every block by itself.
    fn printed(&mut self, items: &[PrintItem], span: Span) -> Result<Vec<(Inspection, Span)>, Refused> {
        let mut out = Vec::new();
        let mut line = Vec::new();
        for item in items {
            match item {
                PrintItem::Text(text) => line.push(Printed::Text(text.clone())),
                PrintItem::Value(value) => line.push(Printed::Integer(value.clone())),
                PrintItem::Number(value) => {
                    let known = tt_plan::number(self.kernel, value).map(Printed::Number);
                    line.push(known.unwrap_or_else(|| Printed::Computed(value.clone())));
                }
                PrintItem::Block { block, is_unsigned } => {
                    if !line.is_empty() {
                        out.push((Inspection::Line(std::mem::take(&mut line)), span));
                    }
                    let of = self.kernel.block(block.value);
                    let printed = PrintedBlock {
                        buffer: variable(block.value),
                        sees: self.sights.unknown(),
                        name: of.name.clone(),
                        extent: self.extent(block.value),
                        is_vector: of.shape.len() == 1,
                        is_unsigned: *is_unsigned,
                        has_value: Vec::new(),
                    };
                    out.push((Inspection::Block(printed), block.span));
                }
            }
        }
        if !line.is_empty() {
            out.push((Inspection::Line(line), span));
        }
        Ok(out)
    }

    /// Refuses `what` of integers to others or to numbers, and of numbers to integers.
    fn of_one_kind(&self, sides: [Buffer; 2], what: &str, span: Span) -> Result<(), Refused> {
        let [from, to] = sides.map(|side| side.element(self.kernel));
        if from == to || !from.is_integer() && !to.is_integer() {
            return Ok(());
        }
        let to = to.name();
        let message = format!("a {what} does not make `{to}` of `{}`", from.name());
        Err(Diagnostic::new(&codes::ELEMENT_TYPE, span, message)
            .note(format!("write `y[(i, j)] = x[(i, j)] as {to};` in `T.Parallel`")))
    }

    /// Refuses `what` of blocks of integers.
    fn numbers(&self, blocks: [&Spanned<BlockId>; 2], what: &str) -> Result<(), Refused> {
        let mut elements = blocks
            .into_iter()
            .map(|block| (self.kernel.block(block.value).element, block.span));
        match elements.find(|(element, _)| element.is_integer()) {
            Some((element, span)) => Err(not_of_integers(element, span, what)),
            None => Ok(()),
        }
    }

    /// Refuses a block whose elements share exponents as `what`, which has elements beside those that count.
    fn of_own_exponents(&self, block: &Spanned<BlockId>, what: &str) -> Result<(), Refused> {
        let element = self.kernel.block(block.value).element;
        if !DataFormat::of(element).shares_exponents() {
            return Ok(());
        }
        let message = format!("{what} is no block of `{}`", element.name());
        Err(Diagnostic::new(&codes::ELEMENT_TYPE, block.span, message)
            .note("use `f32` or `bf16`, and copy it afterwards"))
    }

    pub(super) fn extent(&self, block: BlockId) -> [u64; 2] {
        self.layouts.blocks[block.index()].extent
    }

    /// A block that becomes `value`.
    pub(super) fn computed(&mut self, target: BlockId, value: Value) -> Kind<Blocks> {
        Kind::Op(BlockOp::Elementwise(Elementwise {
            target: variable(target),
            defines: self.sights.define(),
            extent: self.extent(target),
            value,
            compound: false,
        }))
    }

    /// A block that becomes another.
    fn moved(&mut self, src: BlockId, dst: BlockId, broadcast: Broadcast, span: Span) -> Kind<Blocks> {
        let load = self.operand(variable(src), broadcast, [0, 0]);
        let kind = ValueKind::Load(load);
        self.computed(dst, Value { kind, span })
    }

    fn copy(&mut self, src: &Place, dst: &Place, span: Span) -> Result<Kind<Blocks>, Refused> {
        let sides = [src, dst].map(|place| match place {
            Place::Block(block) => Buffer::Block(block.value),
            Place::Tensor(region) => Buffer::Tensor(region.tensor),
        });
        self.of_one_kind(sides, "copy", span)?;
        match (src, dst) {
            (Place::Tensor(region), Place::Block(block)) => {
                let region = self.region(region, self.extent(block.value), Purpose::Contents)?;
                Ok(Kind::Op(BlockOp::Read(Read {
                    buffer: variable(block.value),
                    defines: self.sights.define(),
                    region,
                    after: None,
                })))
            }
            (Place::Block(block), Place::Tensor(region)) => {
                let region = self.region(region, self.extent(block.value), Purpose::Store)?;
                Ok(Kind::Op(BlockOp::Write(Write {
                    buffer: variable(block.value),
                    sees: self.sights.unknown(),
                    region,
                    stored: None,
                    after: None,
                })))
            }
            (Place::Block(src), Place::Block(dst)) if self.extent(src.value) == self.extent(dst.value) => {
                Ok(self.moved(src.value, dst.value, Broadcast::None, span))
            }
            (Place::Block(_), Place::Block(_)) => Err(unproved(span, &Fault("a copy of other shapes".to_string()))),
            (Place::Tensor(_), Place::Tensor(_)) => Err(unproved(span, &Fault("a copy between tensors".to_string()))),
        }
    }

    fn gemm(
        &mut self,
        [(a, a_extent), (b, b_extent)]: [(BufferId, [u64; 2]); 2],
        acc: BlockId,
        [transpose_a, transpose_b]: [bool; 2],
        clear: bool,
        span: Span,
    ) -> Result<Kind<Blocks>, Refused> {
        let flip = |extent: [u64; 2], flip: bool| if flip { [extent[1], extent[0]] } else { extent };
        let ([m, k], [k2, n]) = (flip(a_extent, transpose_a), flip(b_extent, transpose_b));
        let [rows, columns] = self.extent(acc);
        if k != k2 || [rows, columns] != [m, n] {
            let reason = format!("a gemm of {m} × {k} by {k2} × {n} into {rows} × {columns}");
            return Err(unproved(span, &Fault(reason)));
        }
        let [m, k] = tiles([m, k]);
        let [n, _] = tiles([n, 1]);
        Ok(Kind::Op(BlockOp::Gemm(Gemm {
            a,
            b,
            acc: variable(acc),
            defines: self.sights.define(),
            sees: ProductSees {
                a: self.sights.unknown(),
                b: self.sights.unknown(),
                acc: (!clear).then(|| self.sights.unknown()),
            },
            m,
            n,
            k,
            transpose_a,
            transpose_b,
        })))
    }

    /// The variable for an operand of a gemm, read from its tensor first where it is a region of one.
    fn gemm_operand(
        &mut self,
        place: &Place,
        span: Span,
        out: &mut Vec<BlockStmt>,
    ) -> Result<(BufferId, [u64; 2]), Refused> {
        match place {
            Place::Block(block) => Ok((variable(block.value), self.layouts.blocks[block.value.index()].extent)),
            Place::Tensor(region) => {
                let along = |axis: usize| region.axes.get(axis).map_or(1, |axis| axis.extent);
                let last = region.axes.len().saturating_sub(1);
                let (rows, columns) = region.rows_and_columns().unwrap_or((last.checked_sub(1), last));
                let extent = [rows.map_or(1, along), along(columns)];
                let tiles = self.region(region, extent, Purpose::Contents)?;
                let buffer = self.direct(region.tensor, extent, region.span);
                let kind = Kind::Op(BlockOp::Read(Read {
                    buffer,
                    defines: self.sights.define(),
                    region: tiles,
                    after: None,
                }));
                out.push(BlockStmt { kind, note: span });
                Ok((buffer, extent))
            }
        }
    }

    /// A use of a variable in an element expression.
    pub(super) fn operand(&mut self, buffer: BufferId, broadcast: Broadcast, offset: [i32; 2]) -> Operand {
        Operand {
            buffer,
            offset,
            broadcast,
            sees: Some(self.sights.unknown()),
        }
    }

    /// A variable for numbers that a statement keeps for itself, `name` of what is called `of`.
    pub(super) fn temporary(
        &mut self,
        of: &str,
        name: &str,
        span: Span,
        format: DataFormat,
        extent: [u64; 2],
    ) -> BufferId {
        self.variables.push(Variable {
            name: format!("{of}_{name}"),
            block: None,
            span,
            format,
            extent,
            depth: Depth::Default,
        });
        BufferId(self.variables.len() - 1)
    }

    /// A variable for a tensor that is touched directly, here first.
    pub(super) fn direct(&mut self, tensor: ParamId, extent: [u64; 2], here: Span) -> BufferId {
        let format = self.layouts.tensors[tensor.index()].map_or(DataFormat::Float16B, |layout| layout.format);
        let name = self.kernel.params[tensor.index()].name();
        let span = self.kernel.tensor(tensor).map_or(here, |tensor| tensor.span);
        let depth = self.stages.map_or(Depth::Default, Depth::Asked);
        self.variables.push(Variable {
            name: format!("{name}_block"),
            block: None,
            span,
            format,
            extent,
            depth,
        });
        BufferId(self.variables.len() - 1)
    }
}

pub(super) fn variable(block: BlockId) -> BufferId {
    BufferId(block.index())
}
