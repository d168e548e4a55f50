//! From Tile IR to Flow IR over variables.

use super::Variable;
use super::access::Result2d;
use crate::codes;
use crate::flow::{BufferId, Elementwise, FlowKind, FlowStmt, Gemm, Operand, TileRegion, Value, ValueKind};
use crate::formula::formula;
use crate::linear::{Linear, lower_bound};
use crate::passes::a1_infer_layout::{Layouts, Orientation, tiles};
use crate::passes::a2_propagate_layout::{Depth, Geometry};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{
    Access, Assign, BlockId, Buffer, Element, ElementKind, ElementType, IntExpr, IntOp, Kernel, LoopKind, ParamId,
    Place, Region, ScalarKind, Span, Stmt, StmtKind, VarId,
};
use tt_plan::{DataFormat, Formula, Number};

type Refused = Diagnostic;

/// Runs the step.
pub fn run(
    kernel: &Kernel,
    layouts: &Layouts,
    geometry: &[Geometry],
) -> Result<(Vec<Variable>, Vec<FlowStmt>), Vec<Diagnostic>> {
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
            depth: geometry[index].depth,
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
        stages: None,
        errors: Vec::new(),
    };
    let body = this.body(&kernel.body);
    if this.errors.is_empty() {
        Ok((this.variables, body))
    } else {
        Err(this.errors)
    }
}

struct Translate<'a> {
    kernel: &'a Kernel,
    layouts: &'a Layouts,
    variables: Vec<Variable>,
    /// One past the last value of the variables in scope.
    ranges: Vec<(VarId, IntExpr)>,
    /// What `T.Pipelined` around here asks for.
    stages: Option<u32>,
    errors: Vec<Diagnostic>,
}

impl Translate<'_> {
    fn body(&mut self, body: &[Stmt]) -> Vec<FlowStmt> {
        let mut out = Vec::new();
        for stmt in body {
            if let Err(error) = self.stmt(stmt, &mut out) {
                self.errors.push(error);
            }
        }
        out
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<FlowStmt>) -> Result<(), Refused> {
        let span = stmt.span;
        let mut emit = |kind| out.push(FlowStmt { kind, span });
        match &stmt.kind {
            StmtKind::Copy {
                src: Place::Tensor(region),
                dst: Place::Block(block),
            } => {
                let extent = self.layouts.blocks[block.value.index()].extent;
                let region = self.region(region, extent)?;
                emit(FlowKind::Read {
                    buffer: variable(block.value),
                    region,
                });
            }
            StmtKind::Copy {
                src: Place::Block(block),
                dst: Place::Tensor(region),
            } => {
                let extent = self.layouts.blocks[block.value.index()].extent;
                let region = self.region(region, extent)?;
                emit(FlowKind::Write {
                    buffer: variable(block.value),
                    region,
                });
            }
            StmtKind::Copy {
                src: Place::Block(src),
                dst: Place::Block(dst),
            } => {
                let (from, to) = (
                    self.layouts.blocks[src.value.index()],
                    self.layouts.blocks[dst.value.index()],
                );
                if from.extent != to.extent {
                    return Err(
                        Diagnostic::new(&codes::SHAPES, span, "the two blocks of the copy lie differently")
                            .note("a value per row cannot be copied to a value per column"),
                    );
                }
                let load = operand(variable(src.value), crate::flow::Broadcast::None, [0, 0]);
                let value = Value {
                    kind: ValueKind::Load(load),
                    span,
                };
                emit(FlowKind::Elementwise(Elementwise {
                    target: variable(dst.value),
                    extent: to.extent,
                    value,
                }));
            }
            StmtKind::Copy {
                src: Place::Tensor(_),
                dst: Place::Tensor(_),
            } => {
                return Err(Diagnostic::new(&codes::SHAPES, span, "a copy goes through a block")
                    .note("copy into a shared block first, then out of it"));
            }
            StmtKind::Fill { block, value } => {
                let number = self.number(value)?.ok_or_else(|| {
                    Diagnostic::new(
                        &codes::LOOP_NUMBER,
                        value.span,
                        "the value of a fill must be known at launch",
                    )
                })?;
                let value = Value {
                    kind: ValueKind::Number(number),
                    span: value.span,
                };
                let extent = self.layouts.blocks[block.value.index()].extent;
                emit(FlowKind::Elementwise(Elementwise {
                    target: variable(block.value),
                    extent,
                    value,
                }));
            }
            StmtKind::Transpose { src, dst } => {
                let [rows, columns] = self.layouts.blocks[src.value.index()].extent;
                let extent = self.layouts.blocks[dst.value.index()].extent;
                if extent != [columns, rows] {
                    return Err(Diagnostic::new(
                        &codes::SHAPES,
                        span,
                        "the two blocks are not each other's transposed shape",
                    ));
                }
                let load = operand(variable(src.value), crate::flow::Broadcast::Transpose, [0, 0]);
                let value = Value {
                    kind: ValueKind::Load(load),
                    span,
                };
                emit(FlowKind::Elementwise(Elementwise {
                    target: variable(dst.value),
                    extent,
                    value,
                }));
            }
            StmtKind::Gemm {
                a,
                b,
                acc,
                transpose_a,
                transpose_b,
                clear_accum,
            } => {
                let (a, a_extent) = self.gemm_operand(a, span, out)?;
                let (b, b_extent) = self.gemm_operand(b, span, out)?;
                let flip = |extent: [u64; 2], flip: bool| if flip { [extent[1], extent[0]] } else { extent };
                let ([m, k], [k2, n]) = (flip(a_extent, *transpose_a), flip(b_extent, *transpose_b));
                let acc_extent = self.layouts.blocks[acc.value.index()].extent;
                if k != k2 || acc_extent != [m, n] {
                    return Err(Diagnostic::new(
                        &codes::SHAPES,
                        span,
                        format!(
                            "a gemm of {m} × {k} by {k2} × {n} into {} × {}",
                            acc_extent[0], acc_extent[1]
                        ),
                    ));
                }
                let [m, k] = tiles([m, k]);
                let [n, _] = tiles([n, 1]);
                let (transpose_a, transpose_b, clear) = (*transpose_a, *transpose_b, *clear_accum);
                let acc = variable(acc.value);
                out.push(FlowStmt {
                    kind: FlowKind::Gemm(Gemm {
                        a,
                        b,
                        acc,
                        m,
                        n,
                        k,
                        transpose_a,
                        transpose_b,
                        clear,
                    }),
                    span,
                });
            }
            StmtKind::Parallel { indices, assigns } => {
                for assign in assigns {
                    self.assign(indices, assign, out)?;
                }
            }
            StmtKind::For {
                var,
                start,
                end,
                kind,
                body,
            } => {
                let outer = self.stages;
                if let LoopKind::Pipelined(stages) = kind {
                    self.stages = Some(*stages);
                }
                self.ranges.push((*var, end.clone()));
                let body = self.body(body);
                self.ranges.pop();
                self.stages = outer;
                emit(FlowKind::For {
                    var: *var,
                    start: start.clone(),
                    end: end.clone(),
                    kind: *kind,
                    body,
                });
            }
            StmtKind::If { cond, then, otherwise } => {
                let (then, otherwise) = (self.body(then), self.body(otherwise));
                emit(FlowKind::If {
                    cond: cond.value.clone(),
                    then,
                    otherwise,
                });
            }
            StmtKind::Reduce { .. } => {
                return Err(
                    Diagnostic::new(&codes::REDUCTION, span, "reductions are not compiled yet")
                        .note("the reference interpreter runs them; on the device they come with a later version"),
                );
            }
            StmtKind::Print { .. } => {
                return Err(Diagnostic::new(&codes::PRINT, span, "printing is not compiled yet")
                    .note("leave the statement out"));
            }
        }
        Ok(())
    }

    /// The variable for an operand of a gemm, read from its tensor first where it is a region of one.
    fn gemm_operand(
        &mut self,
        place: &Place,
        span: Span,
        out: &mut Vec<FlowStmt>,
    ) -> Result<(BufferId, [u64; 2]), Refused> {
        match place {
            Place::Block(block) => Ok((variable(block.value), self.layouts.blocks[block.value.index()].extent)),
            Place::Tensor(region) => {
                let extent = match region.extents.as_slice() {
                    [n] => [1, *n],
                    [.., rows, columns] => [*rows, *columns],
                    [] => [1, 1],
                };
                let tiles = self.region(region, extent)?;
                let buffer = self.direct(region.tensor, extent);
                out.push(FlowStmt {
                    kind: FlowKind::Read { buffer, region: tiles },
                    span,
                });
                Ok((buffer, extent))
            }
        }
    }

    /// A variable for a tensor that is touched directly.
    fn direct(&mut self, tensor: ParamId, extent: [u64; 2]) -> BufferId {
        let format = self.layouts.tensors[tensor.index()].map_or(DataFormat::Float16B, |layout| layout.format);
        let (name, span) = self
            .kernel
            .tensor(tensor)
            .map_or((String::new(), Span(0)), |t| (t.name.clone(), t.span));
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

    /// A region of a tensor for a copy, in tiles.
    fn region(&self, region: &Region, extent: [u64; 2]) -> Result<TileRegion, Refused> {
        let count = region.offsets.len();
        let given = match region.extents.as_slice() {
            [n] => [1, *n],
            [.., rows, columns] => [*rows, *columns],
            [] => [1, 1],
        };
        // A block of one axis lies as A1 decided; the region must cover the same elements.
        if given != extent && given.iter().product::<u64>() != extent.iter().product::<u64>() {
            return Err(Diagnostic::new(
                &codes::SHAPES,
                region.span,
                format!(
                    "the region has {} × {} elements, the block {} × {}",
                    given[0], given[1], extent[0], extent[1]
                ),
            ));
        }
        let zero = IntExpr::Const(0);
        let leading = count.saturating_sub(2);
        if let Some(axis) = (0..leading).find(|axis| region.extents[*axis] != 1) {
            return Err(Diagnostic::new(
                &codes::SHAPES,
                region.offsets[axis].span,
                "a copy moves one matrix at a time",
            )
            .note("give one index for every leading axis"));
        }
        let matrix = region.offsets[..leading]
            .iter()
            .map(|offset| offset.value.clone())
            .collect();
        let (row, column) = match &region.offsets[leading..] {
            [column] => ((zero, region.span), (column.value.clone(), column.span)),
            [row, column] => ((row.value.clone(), row.span), (column.value.clone(), column.span)),
            _ => ((zero.clone(), region.span), (zero, region.span)),
        };
        self.tile_region(region.tensor, matrix, [row, column], extent, region.span, true)
    }

    /// The tiles of a rectangle; `exact` where no element beyond `extent` may be touched.
    fn tile_region(
        &self,
        tensor: ParamId,
        matrix: Vec<IntExpr>,
        offsets: [(IntExpr, Span); 2],
        extent: [u64; 2],
        span: Span,
        exact: bool,
    ) -> Result<TileRegion, Refused> {
        let name = self.kernel.params[tensor.index()].name();
        let mut tile = [IntExpr::Const(0), IntExpr::Const(0)];
        let mut may_exceed = [false; 2];
        let mut may_precede = [false; 2];
        let mut zero_edge = [false; 2];
        for axis in 0..2 {
            let (offset, offset_span) = &offsets[axis];
            let linear = Linear::of(offset);
            let start = linear.divided_by(32).ok_or_else(|| {
                Diagnostic::new(
                    &codes::UNALIGNED,
                    *offset_span,
                    "this offset is not a multiple of 32 whatever the values at launch",
                )
                .note(format!(
                    "`{name}` is stored in tiles of 32 × 32; start at multiples of 32"
                ))
            })?;
            let whole = self.tensor_extent(tensor, axis);
            if exact
                && !extent[axis].is_multiple_of(32)
                && (whole.as_const() != Some(extent[axis] as i64) || offset.as_const() != Some(0))
            {
                return Err(Diagnostic::new(
                    &codes::PART_OF_TILE,
                    span,
                    format!(
                        "{} elements of `{name}`, which is longer, are a part of a tile",
                        extent[axis]
                    ),
                )
                .note("use a block extent that is a multiple of 32, or make the tensor's extent this literal"));
            }
            tile[axis] = start.to_expr();
            may_precede[axis] = !at_least_zero(&tile[axis]);
            may_exceed[axis] = !self.within(&start, u64::from(tiles(extent)[axis]), &whole);
            zero_edge[axis] = whole.as_const().is_none_or(|extent| extent % 32 != 0);
        }
        let matrix_may_miss = matrix
            .iter()
            .enumerate()
            .map(|(axis, index)| !self.selects(tensor, axis, index))
            .collect();
        Ok(TileRegion {
            tensor,
            matrix,
            tile,
            extent,
            may_exceed,
            may_precede,
            matrix_may_miss,
            zero_edge,
        })
    }

    /// Whether `index` is always one of the tensor's along the leading axis `axis`.
    fn selects(&self, tensor: ParamId, axis: usize, index: &IntExpr) -> bool {
        let Some(extent) = self.kernel.tensor(tensor).and_then(|tensor| tensor.extents.get(axis)) else {
            return false;
        };
        match index {
            // An extent is at least 1.
            IntExpr::Const(index) => (0..lower_bound(&extent.value).unwrap_or(0)).contains(index),
            IntExpr::Var(var) => self
                .ranges
                .iter()
                .rev()
                .find(|(known, _)| known == var)
                .is_some_and(|(_, end)| {
                    *end == extent.value
                        || end
                            .as_const()
                            .zip(extent.value.as_const())
                            .is_some_and(|(end, extent)| end <= extent)
                }),
            _ => false,
        }
    }

    /// The extent of a tensor along its rows (0) or columns (1).
    fn tensor_extent(&self, tensor: ParamId, axis: usize) -> IntExpr {
        let Some(tensor) = self.kernel.tensor(tensor) else {
            return IntExpr::Const(1);
        };
        match (tensor.extents.len() + axis).checked_sub(2) {
            Some(index) => tensor.extents[index].value.clone(),
            None => IntExpr::Const(1),
        }
    }

    /// Whether `count` tiles from tile `start` are always tiles of an extent of `whole` elements.
    fn within(&self, start: &Linear, count: u64, whole: &IntExpr) -> bool {
        // v < whole.div_ceil(32 · count) and the tensor in whole blocks, or one tile each.
        if let [(IntExpr::Var(var), 1)] = start.terms.as_slice()
            && start.constant == 0
            && count == 1
            && let Some((_, end)) = self.ranges.iter().rev().find(|(v, _)| v == var)
            && *end == IntExpr::binary(IntOp::CeilDiv, whole.clone(), IntExpr::Const(32))
        {
            return true;
        }
        let Some(whole) = whole.as_const() else {
            // An extent is at least 1, so the first tile always exists.
            return start.terms.is_empty()
                && start.constant == 0
                && count == 1
                && lower_bound(whole).is_some_and(|low| low >= 1);
        };
        let mut last = start.constant;
        for (atom, coefficient) in &start.terms {
            let IntExpr::Var(var) = atom else { return false };
            let Some(end) = self
                .ranges
                .iter()
                .rev()
                .find(|(v, _)| v == var)
                .and_then(|(_, end)| end.as_const())
            else {
                return false;
            };
            if *coefficient < 0 {
                return false;
            }
            last += coefficient * (end - 1).max(0);
        }
        last + count as i64 <= IntOp::CeilDiv.apply(whole, 32).unwrap_or(0)
    }

    fn assign(&mut self, indices: &[(VarId, u64)], assign: &Assign, out: &mut Vec<FlowStmt>) -> Result<(), Refused> {
        let result = self.result_of(indices, assign);
        // Loads come first: the tensors among them are read before the expression runs.
        let mut reads = Vec::new();
        let value = self.value(&assign.value, &result, &mut reads)?;
        let (row, column) = self.row_and_column(&assign.target);
        let whole = |this: &Self| {
            let name = this.name_of(assign.target.buffer);
            Diagnostic::new(
                &codes::PARTIAL_STORE,
                assign.target.span,
                format!("this stores to a part of `{name}`"),
            )
            .note("give the loop the block's extents, and store at its plain indices")
        };
        let name = self.name_of(assign.target.buffer).to_string();
        let place = result
            .classify(&row, &column, &name, assign.target.span)
            .map_err(|_| whole(self))?;
        if place.broadcast != crate::flow::Broadcast::None {
            return Err(whole(self));
        }
        out.append(&mut reads);
        match assign.target.buffer {
            Buffer::Block(block) => {
                let extent = self.layouts.blocks[block.index()].extent;
                if extent != result.extent || place.offset.iter().any(|offset| *offset != Linear::default()) {
                    return Err(whole(self));
                }
                let target = variable(block);
                let kind = FlowKind::Elementwise(Elementwise { target, extent, value });
                out.push(FlowStmt {
                    kind,
                    span: assign.span,
                });
            }
            Buffer::Tensor(tensor) => {
                let [row, column] = place.offset.map(|offset| (offset.to_expr(), assign.target.span));
                let matrix = self.matrix_of(&assign.target);
                let region =
                    self.tile_region(tensor, matrix, [row, column], result.extent, assign.target.span, true)?;
                let target = self.direct(tensor, result.extent);
                let kind = FlowKind::Elementwise(Elementwise {
                    target,
                    extent: result.extent,
                    value,
                });
                out.push(FlowStmt {
                    kind,
                    span: assign.span,
                });
                out.push(FlowStmt {
                    kind: FlowKind::Write { buffer: target, region },
                    span: assign.span,
                });
            }
        }
        Ok(())
    }

    /// Rows and columns of a parallel loop's result. One index counts rows, unless what is stored to lies along a row.
    fn result_of(&self, indices: &[(VarId, u64)], assign: &Assign) -> Result2d {
        match indices {
            [(i, h), (j, w)] => Result2d {
                row: Some(*i),
                column: Some(*j),
                extent: [*h, *w],
            },
            [(i, n)] => {
                let along_row = match assign.target.buffer {
                    Buffer::Block(block) => match self.layouts.blocks[block.index()].orientation {
                        Some(orientation) => orientation == Orientation::Row,
                        None => Linear::of(&assign.target.indices[1]).coefficient(*i) != 0,
                    },
                    Buffer::Tensor(_) => assign
                        .target
                        .indices
                        .last()
                        .is_some_and(|index| Linear::of(index).coefficient(*i) != 0),
                };
                if along_row {
                    Result2d {
                        row: None,
                        column: Some(*i),
                        extent: [1, *n],
                    }
                } else {
                    Result2d {
                        row: Some(*i),
                        column: None,
                        extent: [*n, 1],
                    }
                }
            }
            _ => Result2d {
                row: None,
                column: None,
                extent: [1, 1],
            },
        }
    }

    fn name_of(&self, buffer: Buffer) -> &str {
        match buffer {
            Buffer::Block(block) => &self.kernel.block(block).name,
            Buffer::Tensor(tensor) => self.kernel.params[tensor.index()].name(),
        }
    }

    /// The last two indices of an access; a block or tensor of one axis lies as its layout says.
    fn row_and_column(&self, access: &Access) -> (Linear, Linear) {
        let zero = Linear::default;
        match (access.indices.as_slice(), access.buffer) {
            ([index], Buffer::Block(block))
                if self.layouts.blocks[block.index()].orientation != Some(Orientation::Row) =>
            {
                (Linear::of(index), zero())
            }
            ([index], _) => (zero(), Linear::of(index)),
            ([.., row, column], _) => (Linear::of(row), Linear::of(column)),
            ([], _) => (zero(), zero()),
        }
    }

    fn matrix_of(&self, access: &Access) -> Vec<IntExpr> {
        access.indices[..access.indices.len().saturating_sub(2)].to_vec()
    }

    fn value(&mut self, element: &Element, result: &Result2d, reads: &mut Vec<FlowStmt>) -> Result<Value, Refused> {
        let span = element.span;
        if !element.is_bool()
            && let Some(number) = self.number(element)?
        {
            return Ok(Value {
                kind: ValueKind::Number(number),
                span,
            });
        }
        let mut of = |this: &mut Self, element: &Element| this.value(element, result, reads);
        let kind = match &element.kind {
            ElementKind::Load(access) => ValueKind::Load(self.load(access, result, reads)?),
            ElementKind::Call(op, args) => {
                ValueKind::Call(*op, args.iter().map(|arg| of(self, arg)).collect::<Result<_, _>>()?)
            }
            ElementKind::Compare(op, a, b) => ValueKind::Compare(*op, Box::new(of(self, a)?), Box::new(of(self, b)?)),
            ElementKind::And(a, b) => ValueKind::And(Box::new(of(self, a)?), Box::new(of(self, b)?)),
            ElementKind::Or(a, b) => ValueKind::Or(Box::new(of(self, a)?), Box::new(of(self, b)?)),
            ElementKind::Not(a) => ValueKind::Not(Box::new(of(self, a)?)),
            ElementKind::Select(c, a, b) => {
                ValueKind::Select(Box::new(of(self, c)?), Box::new(of(self, a)?), Box::new(of(self, b)?))
            }
            ElementKind::Cast(ElementType::F32 | ElementType::Bf16, a) => of(self, a)?.kind,
            ElementKind::Cast(to, _) => {
                return Err(Diagnostic::new(
                    &codes::ELEMENT_TYPE,
                    span,
                    format!("a cast to `{}` is not compiled yet", to.name()),
                )
                .note("cast to `f32` or `bf16`, or use `trunc()`"));
            }
            ElementKind::CompareInt(..) => {
                return Err(
                    Diagnostic::new(&codes::INDEX_MASK, span, "a comparison of indices is not compiled yet")
                        .note("edges of tensors need no mask: reads past them are neutral, writes are dropped"),
                );
            }
            ElementKind::Bool(value) => ValueKind::Number(Number::constant(f32::from(u8::from(*value)))),
            ElementKind::Float(_) | ElementKind::Scalar(_) | ElementKind::Int(_) => {
                return Err(self.loop_number(span));
            }
        };
        Ok(Value { kind, span })
    }

    fn loop_number(&self, span: Span) -> Diagnostic {
        Diagnostic::new(
            &codes::LOOP_NUMBER,
            span,
            "a number that changes from block to block is not compiled yet",
        )
        .note("numbers must be known at launch: literals, scalars, extents and arithmetic on them")
    }

    /// The number an element expression is, where it is one known at launch.
    fn number(&self, element: &Element) -> Result<Option<Number>, Refused> {
        Ok(match &element.kind {
            ElementKind::Float(value) => Some(Number::constant(*value as f32)),
            ElementKind::Scalar(id) => {
                let name = self.kernel.params[id.index()].name().to_string();
                Some(match self.kernel.scalar(*id).map(|scalar| scalar.kind) {
                    Some(ScalarKind::I32 | ScalarKind::U32) => Number::Int(Formula::Name(name)),
                    _ => Number::Scalar(name),
                })
            }
            ElementKind::Int(expr) => match formula(self.kernel, expr) {
                Some(formula) => Some(Number::Int(formula)),
                None => {
                    let mut index = false;
                    expr.walk(&mut |e| {
                        index |= matches!(e, IntExpr::Var(var) if !self.ranges.iter().any(|(known, _)| known == var));
                    });
                    return Err(if index {
                        Diagnostic::new(
                            &codes::INDEX_MASK,
                            element.span,
                            "an element's index as a value is not compiled yet",
                        )
                    } else {
                        self.loop_number(element.span)
                    });
                }
            },
            ElementKind::Call(op, args) => {
                let mut numbers = Vec::new();
                for arg in args {
                    match self.number(arg)? {
                        Some(number) => numbers.push(number),
                        None => return Ok(None),
                    }
                }
                Some(Number::Call(*op, numbers))
            }
            ElementKind::Cast(ElementType::F32 | ElementType::Bf16, a) => self.number(a)?,
            ElementKind::Cast(..)
            | ElementKind::Bool(_)
            | ElementKind::Load(_)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_)
            | ElementKind::Select(..) => None,
        })
    }

    fn load(&mut self, access: &Access, result: &Result2d, reads: &mut Vec<FlowStmt>) -> Result<Operand, Refused> {
        use crate::flow::Broadcast;
        let (row, column) = self.row_and_column(access);
        let name = self.name_of(access.buffer).to_string();
        let place = result.classify(&row, &column, &name, access.span)?;
        // The elements read: those of the result, one row or column of them, or their transpose.
        let [rows, columns] = result.extent;
        let extent = match place.broadcast {
            Broadcast::None => [rows, columns],
            Broadcast::Row => [1, columns],
            Broadcast::Column => [rows, 1],
            Broadcast::Scalar => [1, 1],
            Broadcast::Transpose => [columns, rows],
        };
        match access.buffer {
            Buffer::Block(block) => {
                let mut offset = [0; 2];
                for axis in 0..2 {
                    let linear = &place.offset[axis];
                    let whole = self.layouts.blocks[block.index()].extent[axis];
                    let constant = linear
                        .terms
                        .is_empty()
                        .then_some(linear.constant)
                        .and_then(|c| u64::try_from(c).ok());
                    let Some(start) = constant.filter(|start| start + extent[axis] <= whole) else {
                        return Err(Diagnostic::new(
                            &codes::ACCESS,
                            access.span,
                            format!(
                                "`{name}` is read outside its {whole} elements, or at an offset that is not constant"
                            ),
                        ));
                    };
                    offset[axis] = (start / 32) as u32;
                }
                Ok(operand(variable(block), place.broadcast, offset))
            }
            Buffer::Tensor(tensor) => {
                let [row, column] = place.offset.map(|offset| (offset.to_expr(), access.span));
                let region = self.tile_region(
                    tensor,
                    self.matrix_of(access),
                    [row, column],
                    extent,
                    access.span,
                    false,
                )?;
                // The same tiles read twice in one expression are read once.
                let known = reads.iter().find_map(|read| match &read.kind {
                    FlowKind::Read { buffer, region: known } if *known == region => Some(*buffer),
                    _ => None,
                });
                let buffer = known.unwrap_or_else(|| {
                    let buffer = self.direct(tensor, extent);
                    reads.push(FlowStmt {
                        kind: FlowKind::Read { buffer, region },
                        span: access.span,
                    });
                    buffer
                });
                Ok(operand(buffer, place.broadcast, [0, 0]))
            }
        }
    }
}

fn at_least_zero(expr: &IntExpr) -> bool {
    lower_bound(expr).is_some_and(|low| low >= 0)
}

fn variable(block: BlockId) -> BufferId {
    BufferId(block.index())
}

fn operand(buffer: BufferId, broadcast: crate::flow::Broadcast, offset: [u32; 2]) -> Operand {
    Operand {
        buffer,
        offset,
        broadcast,
    }
}
