//! Parallel loops: what they store, and their element expressions over buffers.

#![warn(clippy::arithmetic_side_effects)]

use super::access::Result2d;
use super::translate::{Refused, Translate, variable};
use crate::codes;
use crate::flow::{BlockOp, BlockStmt, Elementwise, Index, Operand, Read, Value, ValueKind, Write};
use crate::ir::Kind;
use crate::linear::Linear;
use crate::passes::a1_infer_layout::Orientation;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{
    Access, Assign, Buffer, CompareOp, Element, ElementKind, ElementType, IntExpr, IntOp, ParamId, ScalarKind, Span,
    VarId,
};
use tt_plan::{Formula, Number, formula};

impl Translate<'_> {
    pub(super) fn assign(
        &mut self,
        indices: &[(VarId, u64)],
        assign: &Assign,
        out: &mut Vec<BlockStmt>,
    ) -> Result<(), Refused> {
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
                let kind = Kind::Op(BlockOp::Elementwise(Elementwise {
                    target,
                    defines: self.sights.define(),
                    extent,
                    value,
                    compound: assign.compound,
                }));
                out.push(BlockStmt::new(assign.span, kind));
            }
            Buffer::Tensor(tensor) => {
                let [row, column] = place.offset.map(|offset| (offset.to_expr(), assign.target.span));
                let matrix = self.matrix_of(&assign.target);
                let region =
                    self.tile_region(tensor, matrix, [row, column], result.extent, assign.target.span, true)?;
                let target = self.direct(tensor, result.extent);
                let kind = Kind::Op(BlockOp::Elementwise(Elementwise {
                    target,
                    defines: self.sights.define(),
                    extent: result.extent,
                    value,
                    compound: assign.compound,
                }));
                out.push(BlockStmt::new(assign.span, kind));
                out.push(BlockStmt {
                    kind: Kind::Op(BlockOp::Write(Write {
                        buffer: target,
                        sees: self.sights.unknown(),
                        region,
                    })),
                    note: assign.span,
                });
            }
        }
        Ok(())
    }

    /// Rows and columns of a parallel loop's result. One index counts rows, unless what is stored to lies along a row.
    pub(super) fn result_of(&self, indices: &[(VarId, u64)], assign: &Assign) -> Result2d {
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

    pub(super) fn name_of(&self, buffer: Buffer) -> &str {
        match buffer {
            Buffer::Block(block) => &self.kernel.block(block).name,
            Buffer::Tensor(tensor) => self.kernel.params[tensor.index()].name(),
        }
    }

    /// The last two indices of an access; a block or tensor of one axis lies as its layout says.
    pub(super) fn row_and_column(&self, access: &Access) -> (Linear, Linear) {
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

    pub(super) fn matrix_of(&self, access: &Access) -> Vec<IntExpr> {
        access.indices[..access.indices.len().saturating_sub(2)].to_vec()
    }

    pub(super) fn value(
        &mut self,
        element: &Element,
        result: &Result2d,
        reads: &mut Vec<BlockStmt>,
    ) -> Result<Value, Refused> {
        let span = element.span;
        if !element.is_bool()
            && let Some(number) = self.number(element)
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
            ElementKind::CompareInt(op, a, b) => self.compare_indices(*op, a, b, result, span)?,
            ElementKind::Bool(value) => ValueKind::Number(Number::constant(f32::from(u8::from(*value)))),
            ElementKind::Int(expr) => ValueKind::Index(self.index(expr, result, span)?),
            ElementKind::Float(value) => ValueKind::Number(Number::constant(*value as f32)),
            ElementKind::Scalar(id) => ValueKind::Number(self.scalar(*id)),
        };
        Ok(Value { kind, span })
    }

    /// An integer of each element: a sum of multiples of its indices and of what is the same for all.
    fn index(&self, expr: &IntExpr, result: &Result2d, span: Span) -> Result<Index, Refused> {
        let linear = Linear::of(expr);
        let of = |var: Option<VarId>| var.map_or(0, |var| linear.coefficient(var));
        let (row, column) = (of(result.row), of(result.column));
        let indices = [result.row, result.column];
        let rest = indices.into_iter().flatten().fold(linear, Linear::without);
        if indices.into_iter().flatten().any(|var| rest.mentions(var)) {
            let message = "an element's index stands in a product, quotient, remainder, minimum or maximum";
            return Err(Diagnostic::new(&codes::INDEX_MASK, span, message)
                .note("write sums of multiples of indices: `i * 2 + k - j`; compare each side of a minimum or maximum by itself"));
        }
        // Within a tile it is computed in registers, which have to hold it.
        if [row, column].iter().any(|step| step.unsigned_abs() > 1 << 16) {
            let message = "an element's index is multiplied by more than 65536";
            return Err(Diagnostic::new(&codes::INDEX_MASK, span, message));
        }
        let rest = rest.to_expr();
        Ok(Index { row, column, rest })
    }

    /// A comparison of integers, as one with zero.
    fn compare_indices(
        &self,
        op: CompareOp,
        a: &IntExpr,
        b: &IntExpr,
        result: &Result2d,
        span: Span,
    ) -> Result<ValueKind, Refused> {
        let less = IntExpr::Binary(IntOp::Sub, Box::new(a.clone()), Box::new(b.clone()));
        let below = self.index(&less, result, span)?;
        // a > b where b - a < 0, a <= b where not a > b.
        let above = below.negated(0);
        let at_most = above.negated(1);
        let at_least = below.negated(1);
        let negative = |index| Value {
            kind: ValueKind::Negative(index),
            span,
        };
        Ok(match op {
            CompareOp::Lt => ValueKind::Negative(below),
            CompareOp::Gt => ValueKind::Negative(above),
            CompareOp::Le => ValueKind::Negative(at_most),
            CompareOp::Ge => ValueKind::Negative(at_least),
            CompareOp::Eq => ValueKind::And(Box::new(negative(at_most)), Box::new(negative(at_least))),
            CompareOp::Ne => ValueKind::Or(Box::new(negative(below)), Box::new(negative(above))),
        })
    }

    fn scalar(&self, id: ParamId) -> Number {
        let name = self.kernel.params[id.index()].name().to_string();
        match self.kernel.scalar(id).map(|scalar| scalar.kind) {
            Some(ScalarKind::I32 | ScalarKind::U32) => Number::Int(Formula::Name(name)),
            _ => Number::Scalar(name),
        }
    }

    /// The number an element expression is, where it is one known at launch.
    pub(super) fn number(&self, element: &Element) -> Option<Number> {
        Some(match &element.kind {
            ElementKind::Float(value) => Number::constant(*value as f32),
            ElementKind::Scalar(id) => self.scalar(*id),
            ElementKind::Int(expr) => Number::Int(formula(self.kernel, expr)?),
            ElementKind::Call(op, args) => {
                let numbers = args.iter().map(|arg| self.number(arg)).collect::<Option<_>>()?;
                Number::Call(*op, numbers)
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
            | ElementKind::Select(..) => return None,
        })
    }

    pub(super) fn load(
        &mut self,
        access: &Access,
        result: &Result2d,
        reads: &mut Vec<BlockStmt>,
    ) -> Result<Operand, Refused> {
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
                    let Some(start) =
                        constant.filter(|start| start.checked_add(extent[axis]).is_some_and(|end| end <= whole))
                    else {
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
                Ok(self.operand(variable(block), place.broadcast, offset))
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
                    Kind::Op(BlockOp::Read(Read {
                        buffer, region: known, ..
                    })) if *known == region => Some(*buffer),
                    Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => None,
                });
                let buffer = known.unwrap_or_else(|| {
                    let buffer = self.direct(tensor, extent);
                    let kind = Kind::Op(BlockOp::Read(Read {
                        buffer,
                        defines: self.sights.define(),
                        region,
                    }));
                    reads.push(BlockStmt::new(access.span, kind));
                    buffer
                });
                Ok(self.operand(buffer, place.broadcast, [0, 0]))
            }
        }
    }
}
