//! Parallel loops: what they store, and their element expressions over buffers.

#![warn(clippy::arithmetic_side_effects)]

use super::access::Result2d;
use super::assign::tiles_from;
use super::index_values::uniform;
use super::regions::Purpose;
use super::tensor_elements::TensorPlace;
use super::translate::{Refused, Translate, variable, what_is_done_with};
use crate::codes;
use crate::flow::{BlockOp, BlockStmt, Broadcast, BufferId, Elementwise, Operand, Pace, Pick, Read, Value, ValueKind};
use crate::ir::Kind;
use crate::passes::a1_infer_layout::Orientation;
use crate::passes::hold_elements::mixed;
use tt_device::{OnIntegers, are_whole_tiles};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{
    Access, Assign, BlockId, Buffer, CompareOp, Element, ElementKind, ElementOp, ElementType, IntExpr, Linear, ParamId,
    Real, ScalarKind, Span, VarId,
};
use tt_plan::{DataFormat, Formula, Number, formula};

impl Translate<'_> {
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

    /// The indices of an element of a block; one of one axis lies as its layout says.
    fn row_and_column(&self, block: BlockId, access: &Access) -> (Linear, Linear) {
        let zero = Linear::default;
        match access.indices.as_slice() {
            [index] if self.layouts.blocks[block.index()].orientation != Some(Orientation::Row) => {
                (Linear::of(index), zero())
            }
            [index] => (zero(), Linear::of(index)),
            [.., row, column] => (Linear::of(row), Linear::of(column)),
            [] => (zero(), zero()),
        }
    }

    /// Where the elements lie that an access means.
    pub(super) fn place(&self, access: &Access, result: &Result2d) -> Result<TensorPlace, Refused> {
        match access.buffer {
            Buffer::Tensor(tensor) => self.tensor_place(tensor, access, result),
            Buffer::Block(block) => {
                let (row, column) = self.row_and_column(block, access);
                let is_row = self.layouts.blocks[block.index()].orientation == Some(Orientation::Row);
                let index = match access.indices.as_slice() {
                    [_] if is_row => None,
                    [index] | [.., index, _] => Some(index),
                    [] => None,
                };
                let paced = index.and_then(|index| self.rows_at_pace(index, result));
                let (row, pace) = paced.unwrap_or((row, Pace::PLAIN));
                let name = &self.kernel.block(block).name;
                Ok(TensorPlace {
                    meets: result.classify(&row, &column, name, access.span)?,
                    pace,
                    along: None,
                })
            }
        }
    }

    /// The value of an element of the type `wanted`.
    pub(super) fn value(
        &mut self,
        element: &Element,
        wanted: ElementType,
        result: &Result2d,
        reads: &mut Vec<BlockStmt>,
    ) -> Result<Value, Refused> {
        let span = element.span;
        if !element.is_bool()
            && !wanted.is_integer()
            && let Some(number) = self.number(element)
        {
            return Ok(Value {
                kind: ValueKind::Number(number),
                span,
            });
        }
        let inner = element.operand_type(self.kernel, wanted);
        let mut of = |this: &mut Self, element: &Element| this.value(element, inner, result, reads);
        let kind = match &element.kind {
            ElementKind::Load(access) => {
                let element = access.buffer.element(self.kernel);
                if wanted.is_integer() && element != wanted {
                    return Err(mixed(element, wanted, span));
                }
                let operand = self.load(access, result, reads)?;
                if DataFormat::of(element).is_byte() && operand.broadcast != crate::flow::Broadcast::None {
                    let message = format!("an element of `{}` is read at its own place alone", element.name());
                    return Err(Diagnostic::new(&codes::ELEMENT_TYPE, span, message)
                        .note("cast the block to `i32` or `f32` first, and spread or turn that"));
                }
                ValueKind::Load(operand)
            }
            ElementKind::Call(op, args) => {
                if DataFormat::of(wanted).is_byte() {
                    let message = format!("`{}` has no arithmetic", wanted.name());
                    return Err(Diagnostic::new(&codes::ELEMENT_TYPE, span, message).note(format!(
                        "compute in `i32` or `f32`, and cast: `(x[(i, j)] as i32 + 1) as {}`",
                        wanted.name()
                    )));
                }
                if wanted.is_integer() && op.row().integers.is_none() {
                    let message = format!(
                        "`{}` of integers is not compiled yet",
                        op.row().operator.unwrap_or(op.row().name)
                    );
                    return Err(Diagnostic::new(&codes::ELEMENT_TYPE, span, message).note(what_is_done_with(wanted)));
                }
                let args = args.iter().map(|arg| of(self, arg)).collect::<Result<Vec<_>, _>>()?;
                match (op.row().integers, <[Value; 2]>::try_from(args)) {
                    (Some(OnIntegers::Remainder), Ok(args)) => {
                        let [x, y] = args.map(|arg| self.computed_once(arg, result, reads));
                        self.remainder(x, y)
                    }
                    (Some(OnIntegers::Multiple), Ok(args)) => {
                        let [x, y] = args.map(|arg| self.computed_once(arg, result, reads));
                        let divisor = binary(ElementOp::Gcd, x.clone(), y.clone());
                        let [x, y] = [x, y].map(magnitude);
                        binary(ElementOp::Mul, binary(ElementOp::Div, x, divisor), y).kind
                    }
                    (Some(OnIntegers::Unsigned), Ok(args)) => {
                        let [x, y] = args.map(|arg| self.computed_once(arg, result, reads));
                        let quotient = self.quotient_of_unsigned(&x, &y, result, reads);
                        // The first operand of `x /= y` is `x`.
                        let rest = if *op == ElementOp::RemUnsigned {
                            binary(ElementOp::Mul, quotient, y)
                        } else {
                            binary(ElementOp::Sub, x.clone(), quotient)
                        };
                        binary(ElementOp::Sub, x, rest).kind
                    }
                    (_, Ok(args)) => ValueKind::Call(*op, args.into()),
                    (_, Err(args)) => ValueKind::Call(*op, args),
                }
            }
            ElementKind::Compare(op, a, b) => ValueKind::Compare(*op, Box::new(of(self, a)?), Box::new(of(self, b)?)),
            ElementKind::And(a, b) => {
                ValueKind::And(Box::new(of(self, a)?), Box::new(self.chosen(|this| of(this, b))?))
            }
            ElementKind::Or(a, b) => ValueKind::Or(Box::new(of(self, a)?), Box::new(self.chosen(|this| of(this, b))?)),
            ElementKind::Not(a) => ValueKind::Not(Box::new(of(self, a)?)),
            ElementKind::Select(c, a, b) => ValueKind::Select(
                Box::new(of(self, c)?),
                Box::new(self.chosen(|this| of(this, a))?),
                Box::new(self.chosen(|this| of(this, b))?),
            ),
            ElementKind::Cast(to @ (ElementType::U8 | ElementType::I8), a) if inner != *to => {
                ValueKind::Cast(*to, Box::new(of(self, a)?))
            }
            ElementKind::Cast(
                to @ (ElementType::F32
                | ElementType::Bf16
                | ElementType::F16
                | ElementType::I32
                | ElementType::U8
                | ElementType::I8),
                a,
            ) => match (inner.is_integer(), to.is_integer()) {
                (false, false) if *to == ElementType::F16 || *to == ElementType::Bf16 && !self.is_of_16_bits(a) => {
                    ValueKind::Cast(*to, Box::new(of(self, a)?))
                }
                (false, false) | (true, true) => of(self, a)?.kind,
                (false, true) => ValueKind::Cast(ElementType::I32, Box::new(of(self, a)?)),
                (true, false) => {
                    let kind = ValueKind::Cast(ElementType::F32, Box::new(of(self, a)?));
                    if *to == ElementType::Bf16 {
                        ValueKind::Cast(*to, Box::new(Value { kind, span }))
                    } else {
                        kind
                    }
                }
            },
            ElementKind::Cast(to, _) => {
                return Err(Diagnostic::new(
                    &codes::ELEMENT_TYPE,
                    span,
                    format!("a cast to `{}` is not compiled yet", to.name()),
                )
                .note("cast to `f32`, `f16`, `bf16` or an integer type"));
            }
            ElementKind::CompareInt(op, a, b) => self.compare_indices(*op, a, b, result, span, reads),
            ElementKind::Bool(value) => ValueKind::Number(Number::constant(f32::from(u8::from(*value)))),
            ElementKind::Int(expr) if wanted.is_integer() => {
                let Value { kind, .. } = self.integer(expr, result, span, reads);
                match DataFormat::of(wanted).is_byte() {
                    true => ValueKind::Cast(wanted, Box::new(Value { kind, span })),
                    false => kind,
                }
            }
            ElementKind::Int(expr) => self.index_as_number(expr, result, span, reads)?,
            ElementKind::Float(Real(value)) => ValueKind::Number(Number::constant(*value as f32)),
            ElementKind::Scalar(id) => ValueKind::Number(self.scalar(*id)),
        };
        Ok(Value { kind, span })
    }

    /// Whether an element is read from what `bf16` holds.
    fn is_of_16_bits(&self, element: &Element) -> bool {
        matches!(&element.kind, ElementKind::Load(access)
            if DataFormat::of(access.buffer.element(self.kernel)).fits_bf16())
    }

    /// What is left of `x` over `y`, which are integers: `x - x / y * y`.
    pub(super) fn remainder(&self, x: Value, y: Value) -> ValueKind {
        let quotient = binary(ElementOp::Div, x.clone(), y.clone());
        binary(ElementOp::Sub, x, binary(ElementOp::Mul, quotient, y)).kind
    }

    /// How often `y` is in `x`, integers without a sign that are held as those with one: half of `x` is divided, which has no
    /// upper bit, and what is left is at most once more. A `y` with the upper bit is in it once or not at all.
    fn quotient_of_unsigned(&mut self, x: &Value, y: &Value, result: &Result2d, reads: &mut Vec<BlockStmt>) -> Value {
        let span = x.span;
        let constant = |value: i64| {
            let kind = ValueKind::Integer(uniform(IntExpr::Const(value)));
            Value { kind, span }
        };
        let flipped = |x: &Value| Box::new(binary(ElementOp::BitXor, x.clone(), constant(i32::MIN.into())));
        let select = |condition, a, b| {
            let condition = Box::new(Value { kind: condition, span });
            let kind = ValueKind::Select(condition, Box::new(a), Box::new(b));
            Value { kind, span }
        };
        let holds = |x: &Value, y: &Value| ValueKind::Compare(CompareOp::Ge, flipped(x), flipped(y));

        let half = binary(ElementOp::Shr, x.clone(), constant(1));
        let half = binary(ElementOp::BitAnd, half, constant(i32::MAX.into()));
        let twice = binary(ElementOp::Shl, binary(ElementOp::Div, half, y.clone()), constant(1));
        let twice = self.computed_once(twice, result, reads);
        let rest = binary(
            ElementOp::Sub,
            x.clone(),
            binary(ElementOp::Mul, twice.clone(), y.clone()),
        );
        let once_more = select(holds(&rest, y), constant(1), constant(0));
        let has_upper_bit = ValueKind::Compare(CompareOp::Lt, Box::new(y.clone()), Box::new(constant(0)));
        select(
            has_upper_bit,
            select(holds(x, y), constant(1), constant(0)),
            binary(ElementOp::Add, twice, once_more),
        )
    }

    /// `value`, an integer of each element, as an operand that may be taken several times: what is computed has a block of its own.
    pub(super) fn computed_once(&mut self, value: Value, result: &Result2d, reads: &mut Vec<BlockStmt>) -> Value {
        if let ValueKind::Load(_) | ValueKind::Integer(_) | ValueKind::Number(_) = value.kind {
            return value;
        }
        let span = value.span;
        let once = self.temporary("operand", "once", span, DataFormat::Int32, result.extent);
        self.computed_first(once, result.extent, value.kind, span, reads);
        Value {
            kind: ValueKind::Load(self.operand(once, Broadcast::None, [0, 0])),
            span,
        }
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
            ElementKind::Float(Real(value)) => Number::constant(*value as f32),
            ElementKind::Scalar(id) => self.scalar(*id),
            ElementKind::Int(expr) => Number::Int(formula(self.kernel, expr)?),
            ElementKind::Call(op, args) if op.row().is_computed_at_launch() => {
                let numbers = args.iter().map(|arg| self.number(arg)).collect::<Option<_>>()?;
                Number::Call(*op, numbers)
            }
            ElementKind::Cast(ElementType::F32, a) => self.number(a)?,
            ElementKind::Cast(ElementType::Bf16, a) => {
                let known = self.number(a)?.evaluate(&|_| None, &|_| None).ok()?;
                Number::constant(ElementType::Bf16.nearest(known as f32))
            }
            ElementKind::Cast(..)
            | ElementKind::Call(..)
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
        let name = self.name_of(access.buffer).to_string();
        let lies = self.place(access, result)?;
        let place = &lies.meets;
        // The elements read: those of the result, one row or column of them, or their transpose.
        let [rows, columns] = result.extent;
        let is_row = place.uniform[0];
        let extent = match (place.crossed, place.broadcast) {
            (true, _) if is_row => [1, rows],
            (true, _) => [columns, 1],
            (false, Broadcast::None) => [rows, columns],
            (false, Broadcast::Row) => [1, columns],
            (false, Broadcast::Column) => [rows, 1],
            (false, Broadcast::Scalar) => [1, 1],
            (false, Broadcast::Transpose) => [columns, rows],
        };
        let broadcast = if place.crossed {
            Broadcast::Transpose
        } else {
            place.broadcast
        };
        let operand = self.load_elements(access, &lies, extent, broadcast, reads)?;
        if !place.crossed {
            return Ok(operand);
        }
        self.of_lone_elements(access.buffer, access.span)?;
        let [down, across] = extent;
        let (format, of) = match access.buffer {
            Buffer::Block(block) => {
                let block = block.index();
                (self.layouts.blocks[block].format, &self.kernel.blocks[block].name)
            }
            Buffer::Tensor(tensor) => {
                let layout = self.layouts.tensors[tensor.index()];
                let format = layout.map_or(DataFormat::Float16B, |layout| layout.format);
                (format, &name)
            }
        };
        let turned = self.temporary(of, "turned", access.span, format, [across, down]);
        self.computed_first(turned, [across, down], ValueKind::Load(operand), access.span, reads);
        Ok(self.operand(turned, place.broadcast, [0, 0]))
    }

    /// Refuses one row or column where it is moved by way of a block of its own, which bytes are not, and whose elements would
    /// share other exponents.
    pub(super) fn of_lone_elements(&self, buffer: Buffer, span: Span) -> Result<(), Refused> {
        self.of_shared_exponents(buffer, span)?;
        let element = buffer.element(self.kernel);
        match DataFormat::of(element).is_byte() {
            true => Err(not_picked_out(element, span).note("cast the block to `f32` first")),
            false => Ok(()),
        }
    }

    /// Refuses elements that are moved among others, with which they would share other exponents.
    pub(super) fn of_shared_exponents(&self, buffer: Buffer, span: Span) -> Result<(), Refused> {
        let element = buffer.element(self.kernel);
        match DataFormat::of(element).shares_exponents() {
            true => Err(not_picked_out(element, span).note("copy the block to one of `bf16` or `f32` first")),
            false => Ok(()),
        }
    }

    /// A statement before the one that reads what it makes.
    pub(super) fn computed_first(
        &mut self,
        target: BufferId,
        extent: [u64; 2],
        kind: ValueKind,
        span: Span,
        reads: &mut Vec<BlockStmt>,
    ) {
        let kind = Kind::Op(BlockOp::Elementwise(Elementwise {
            target,
            defines: self.sights.define(),
            extent,
            value: Value { kind, span },
            compound: false,
        }));
        reads.push(BlockStmt::new(span, kind));
    }

    fn load_elements(
        &mut self,
        access: &Access,
        place: &TensorPlace,
        extent: [u64; 2],
        broadcast: Broadcast,
        reads: &mut Vec<BlockStmt>,
    ) -> Result<Operand, Refused> {
        match access.buffer {
            Buffer::Block(block) => self.load_block(block, access, place, extent, broadcast, reads),
            Buffer::Tensor(tensor) => {
                let region = self.tile_region(self.rectangle(tensor, access, place, extent, Purpose::Operand))?;
                // The same tiles read twice in one expression are read once.
                let known = reads.iter().find_map(|read| match &read.kind {
                    Kind::Op(BlockOp::Read(Read {
                        buffer, region: known, ..
                    })) if *known == region => Some(*buffer),
                    Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => None,
                });
                let buffer = known.unwrap_or_else(|| {
                    let buffer = self.direct(tensor, extent, access.span);
                    let kind = Kind::Op(BlockOp::Read(Read {
                        buffer,
                        defines: self.sights.define(),
                        region,
                        after: None,
                    }));
                    reads.push(BlockStmt::new(access.span, kind));
                    buffer
                });
                Ok(self.operand(buffer, broadcast, [0, 0]))
            }
        }
    }

    /// Elements of a block: in its tiles as they lie there, or from a row or column anywhere, which is picked out first.
    fn load_block(
        &mut self,
        block: BlockId,
        access: &Access,
        TensorPlace { meets: place, pace, .. }: &TensorPlace,
        extent: [u64; 2],
        broadcast: Broadcast,
        reads: &mut Vec<BlockStmt>,
    ) -> Result<Operand, Refused> {
        let name = self.kernel.block(block).name.clone();
        let whole = self.layouts.blocks[block.index()].extent;
        let mut pick = Pick {
            at: [None, None],
            extent,
        };
        let mut offset = [0; 2];
        let mut is_shifted = false;
        if let (Some(modulo), false) = (pace.modulo, self.is_chosen)
            && u64::from(modulo) > whole[0]
        {
            let message = format!("`{name}` is read at a remainder by {modulo}, and has {} rows", whole[0]);
            return Err(Diagnostic::new(&codes::ACCESS, access.span, message).note("take the remainder by fewer rows"));
        }
        for axis in 0..2 {
            if axis == 0 && *pace != Pace::PLAIN {
                is_shifted = true;
                continue;
            }
            let linear = &place.offset[axis];
            let constant = linear.terms.is_empty().then_some(linear.constant);
            let inside = constant
                .and_then(|constant| u64::try_from(constant).ok())
                .filter(|start| start.checked_add(extent[axis]).is_some_and(|end| end <= whole[axis]));
            match (inside, constant) {
                (Some(start), _) if are_whole_tiles(start) => offset[axis] = tiles_from(start),
                (Some(_), _) | (None, None) if place.uniform[axis] => {
                    pick.at[axis] = Some(linear.to_expr());
                    pick.extent[axis] = whole[axis];
                }
                (Some(_), _) => is_shifted = true,
                (None, None) if extent[axis] <= whole[axis] => is_shifted = true,
                (None, _) if self.is_chosen => is_shifted = true,
                (None, _) => {
                    let whole = whole[axis];
                    let message = format!("`{name}` is read outside its {whole} elements");
                    let note = format!(
                        "let `T.Parallel` count no more than {whole} here, make `{name}` larger, or choose by a comparison of indices where it is read: `if i + n < {whole} {{ .. }} else {{ 0.0 }}`"
                    );
                    return Err(Diagnostic::new(&codes::ACCESS, access.span, message).note(note));
                }
            }
        }
        // Picking out is arithmetic of numbers.
        let is_picked = pick.at != [None, None];
        let element = self.kernel.block(block).element;
        if is_shifted || is_picked && element.is_integer() {
            let from = place.offset.each_ref().map(Linear::to_expr);
            let shifted = self.shifted(block, (from, *pace), extent, access.span, reads)?;
            return Ok(self.operand(shifted, broadcast, [0, 0]));
        }
        if !is_picked {
            return Ok(self.operand(variable(block), broadcast, offset));
        }
        self.of_lone_elements(access.buffer, access.span)?;
        if !self.is_chosen {
            self.assert_inside(block, &pick.at, access.span, reads);
        }
        let span = access.span;
        let load = ValueKind::Load(self.operand(variable(block), Broadcast::None, offset));
        let of = Box::new(Value { kind: load, span });
        let format = self.layouts.blocks[block.index()].format;
        let picked = self.temporary(&name, "picked", span, format, extent);
        self.computed_first(picked, extent, ValueKind::Pick(pick, of), span, reads);
        Ok(self.operand(picked, broadcast, [0, 0]))
    }
}

/// `op` of two integers of each element.
fn binary(op: ElementOp, x: Value, y: Value) -> Value {
    let span = x.span;
    let kind = ValueKind::Call(op, vec![x, y]);
    Value { kind, span }
}

/// The magnitude of an integer of each element.
fn magnitude(of: Value) -> Value {
    let span = of.span;
    let kind = ValueKind::Call(ElementOp::Abs, vec![of]);
    Value { kind, span }
}

fn not_picked_out(element: ElementType, span: Span) -> Diagnostic {
    let message = format!("a part of a block of `{}` is not moved alone", element.name());
    Diagnostic::new(&codes::ELEMENT_TYPE, span, message)
}
