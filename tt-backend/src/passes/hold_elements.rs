//! hold_elements: elements of types that the device does not compute with become those of the types that hold them.
//!
//! Before: Tile IR as parsed. After: no block, tensor or expression is of `f16`, `u32` or `u16`. Elements of `f16` are held as `f32`,
//! and what is assigned to them is rounded to `f16` (the one cast to it that is left); `u32` is the bits of an `i32`, and `u16` an
//! `i32` from 0 to 65535.
//!
//! ```text
//!  h: f16 = x + y    ⟹   h: f32 = f16(x + y)
//!  p < q, of u32     ⟹   p ^ MIN < q ^ MIN, of i32
//!  p >> n, of u32    ⟹   (p >> n) & !((MIN >> n) << 1), of i32
//! ```

#![warn(clippy::arithmetic_side_effects)]

use crate::codes;
use crate::ir::{Kind, replaced, visit};
use crate::passes::split_conditions::Tile;
use crate::pipeline::Pass;
use crate::verify::tile::{holds_elements, keeps};
use tt_device::OnUnsigned;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{
    Access, Assign, Block, BlockId, BlockScope, Buffer, CompareOp, Element, ElementKind, ElementOp, ElementType, For,
    IntExpr, Kernel, LoopKind, Op, Param, Place, PrintItem, Real, Span, Spanned, Stmt, VarId, Variable,
};

/// The pass.
pub const PASS: Pass<Tile, Tile> = Pass {
    name: "hold_elements",
    does: "f16, u32 and u16 as the types that hold them",
    run: |Tile { source, kernel }| {
        let kernel = run(kernel)?;
        Ok(Tile { source, kernel })
    },
    check: |tile| keeps(tile, [holds_elements]),
};

/// Runs the pass.
pub fn run(kernel: Kernel) -> Result<Kernel, Vec<Diagnostic>> {
    let tensors = kernel.params.iter().filter_map(|param| match param {
        Param::Tensor(tensor) | Param::Temporary(tensor) => Some(tensor.element.value),
        Param::Scalar(_) | Param::Derived(_) => None,
    });
    let mut all = tensors.chain(kernel.blocks.iter().map(|block| block.element));
    if all.all(|element| held(element) == element) && !casts(&kernel.body) {
        return Ok(kernel);
    }
    let mut pass = HoldElements {
        kernel: &kernel,
        out: kernel.clone(),
        errors: Vec::new(),
    };
    let body = replaced(kernel.body.clone(), &mut |span, op| pass.operation(span, op));
    if kernel.options.fp32_acc == Some(false) {
        pass.wide_registers();
    }
    if !pass.errors.is_empty() {
        return Err(pass.errors);
    }
    let mut out = Kernel { body, ..pass.out };
    for param in &mut out.params {
        if let Param::Tensor(tensor) | Param::Temporary(tensor) = param {
            tensor.element.value = held(tensor.element.value);
        }
    }
    for block in &mut out.blocks {
        block.element = held(block.element);
    }
    Ok(out)
}

/// The type that holds elements of `element`.
fn held(element: ElementType) -> ElementType {
    match element {
        ElementType::F16 => ElementType::F32,
        ElementType::U32 | ElementType::U16 => ElementType::I32,
        ElementType::Bf16
        | ElementType::F32
        | ElementType::Bfp8
        | ElementType::Bfp4
        | ElementType::I32
        | ElementType::U8
        | ElementType::I8 => element,
    }
}

/// Whether an expression is cast to a type that is held as another.
fn casts(body: &[Stmt]) -> bool {
    let mut found = false;
    visit(body, &mut |stmt| {
        for value in stmt.elements() {
            value.walk(&mut |part| found |= matches!(part.kind, ElementKind::Cast(to, _) if held(to) != to));
        }
    });
    found
}

struct HoldElements<'k> {
    /// As written.
    kernel: &'k Kernel,
    /// As it becomes: its blocks and variables grow.
    out: Kernel,
    errors: Vec<Diagnostic>,
}

impl HoldElements<'_> {
    fn operation(&mut self, span: Span, mut op: Op) -> Vec<Stmt> {
        match &mut op {
            Op::Parallel { assigns, .. } => {
                *assigns = assigns.iter().flat_map(|assign| self.assign(assign)).collect();
            }
            Op::Fill { block, value } => {
                let target = self.kernel.block(block.value).element;
                *value = self.stored(value, target);
            }
            Op::Copy { src, dst } => {
                let [from, to] = [&*src, &*dst].map(|place| match place {
                    Place::Block(block) => Buffer::Block(block.value).element(self.kernel),
                    Place::Tensor(region) => Buffer::Tensor(region.tensor).element(self.kernel),
                });
                if self.of_one_kind([from, to], "copy", span) && to == ElementType::F16 && from != to {
                    return self.rounded_copy(src, dst, from, span);
                }
            }
            Op::Transpose { src, dst } => {
                let types = [&*src, &*dst].map(|block| self.kernel.block(block.value).element);
                if self.of_one_kind(types, "transposition", span) && types[0] != types[1] {
                    self.of_own_type(dst, "the result of a transposition of others");
                }
            }
            Op::Gemm { a, b, acc, .. } => {
                for place in [&*a, &*b] {
                    if let Place::Block(block) = place {
                        self.numbers(block, "T.gemm");
                    }
                }
                self.of_own_type(acc, "the accumulator of a gemm");
            }
            Op::Reduce { src, out, op, .. } => {
                if self.numbers(src, &format!("T.reduce_{}", op.name())) {
                    self.of_own_type(out, "the result of a reduction");
                }
            }
            Op::ReduceArg { src, val, op, .. } => {
                let of = self.kernel.block(src.value).element;
                // One of the elements, which are rounded already, needs no rounding.
                if self.numbers(src, &format!("T.reduce_{}", op.name()))
                    && let Some(val) = val
                    && self.kernel.block(val.value).element != of
                {
                    self.of_own_type(val, "the result of a reduction of others");
                }
            }
            Op::Print { items } => {
                for item in items {
                    if let PrintItem::Block { block, is_unsigned } = item {
                        *is_unsigned = self.kernel.block(block.value).element == ElementType::U32;
                    }
                }
            }
            Op::Fetch { .. } | Op::Assert { .. } => {}
        }
        vec![Stmt::new(span, Kind::Op(op))]
    }

    /// The assignments that `assign` becomes.
    fn assign(&mut self, assign: &Assign) -> Vec<Assign> {
        let target = assign.target.buffer.element(self.kernel);
        if let Some((op, other)) = assign.compound() {
            // A sum is stored and then rounded, so that what has no value leaves the element as it was.
            if target == ElementType::F16 && matches!(assign.target.buffer, Buffer::Block(_)) {
                let sum = Assign {
                    value: self.value(&assign.value, target),
                    ..assign.clone()
                };
                let load = element(ElementKind::Load(assign.target.clone()), assign.target.span);
                let rounded = Assign {
                    value: cast(ElementType::F16, load),
                    compound: false,
                    ..assign.clone()
                };
                return vec![sum, rounded];
            }
            if target == ElementType::U32 && op == ElementOp::Shr {
                let bits = self.value(other, target);
                let part = |op, value: Element| {
                    let load = element(ElementKind::Load(assign.target.clone()), assign.target.span);
                    Assign {
                        value: call(op, [load, value]),
                        ..assign.clone()
                    }
                };
                let low = low_bits(bits.clone());
                return vec![part(ElementOp::Shr, bits), part(ElementOp::BitAnd, low)];
            }
        }
        // A store leaves what has no value as it was by itself.
        let compound = assign.compound && target != ElementType::F16;
        let value = match compound {
            true => self.value(&assign.value, target),
            false => self.stored(&assign.value, target),
        };
        vec![Assign {
            value,
            compound,
            ..assign.clone()
        }]
    }

    /// `value` as an element of `target` that is stored.
    fn stored(&mut self, value: &Element, target: ElementType) -> Element {
        let out = self.value(value, target);
        let is_rounded = match &value.kind {
            ElementKind::Load(access) => access.buffer.element(self.kernel) == ElementType::F16,
            ElementKind::Cast(to, _) => *to == ElementType::F16,
            ElementKind::Float(Real(number)) => is_half(*number),
            ElementKind::Bool(_)
            | ElementKind::Scalar(_)
            | ElementKind::Int(_)
            | ElementKind::Call(..)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_)
            | ElementKind::Select(..) => false,
        };
        match target == ElementType::F16 && !is_rounded {
            true => cast(ElementType::F16, out),
            false => out,
        }
    }

    /// `value`, one of type `wanted`, over the types that hold.
    fn value(&mut self, value: &Element, wanted: ElementType) -> Element {
        let span = value.span;
        let inner = value.operand_type(self.kernel, wanted);
        let operands: Vec<Element> = value
            .operands()
            .iter()
            .map(|operand| self.value(operand, inner))
            .collect();
        match &value.kind {
            ElementKind::Load(access) => {
                let found = access.buffer.element(self.kernel);
                let differ = found != wanted && wanted.is_integer() && found.is_integer();
                if differ && [found, wanted].iter().any(|of| held(*of) != *of) {
                    self.errors.push(mixed(found, wanted, span));
                }
                value.clone()
            }
            ElementKind::Int(IntExpr::Const(number)) if wanted == ElementType::U32 => {
                element(ElementKind::Int(IntExpr::Const((*number as u32 as i32).into())), span)
            }
            ElementKind::Int(expr) if wanted == ElementType::U16 && expr.as_const().is_none() => {
                call(ElementOp::BitAnd, [value.clone(), constant(0xFFFF, span)])
            }
            ElementKind::Call(op, _) if inner == ElementType::U16 && wanted == ElementType::U16 => {
                let name = op.row().operator.unwrap_or(op.row().name);
                let message = format!("`{name}` of `u16`, which has no arithmetic");
                let note = "compute in `i32` or `f32`, and cast: `(x[(i, j)] as i32 + 1) as u16`";
                self.errors
                    .push(Diagnostic::new(&codes::ELEMENT_TYPE, span, message).note(note));
                value.clone()
            }
            ElementKind::Call(op, _) if inner == ElementType::U32 => self.unsigned(*op, value, operands),
            ElementKind::Compare(op, _, _)
                if inner == ElementType::U32 && !matches!(op, CompareOp::Eq | CompareOp::Ne) =>
            {
                with(value, operands.into_iter().map(flipped))
            }
            ElementKind::Cast(to, _) => operands
                .into_iter()
                .next()
                .map_or_else(|| value.clone(), |of| converted(of, inner, *to)),
            ElementKind::Float(_)
            | ElementKind::Bool(_)
            | ElementKind::Scalar(_)
            | ElementKind::Int(_)
            | ElementKind::Call(..)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_)
            | ElementKind::Select(..) => with(value, operands),
        }
    }

    /// The operation `value` of `u32`, of these operands.
    fn unsigned(&mut self, op: ElementOp, value: &Element, operands: Vec<Element>) -> Element {
        match op.row().unsigned {
            // What integers do not have is refused where it is lowered.
            Some(OnUnsigned::Same) | None => with(value, operands),
            Some(OnUnsigned::InOrder) => flipped(with(value, operands.into_iter().map(flipped))),
            Some(OnUnsigned::WithoutSign) => {
                let kept = operands.get(1).cloned().map(low_bits);
                let shifted = with(value, operands);
                match kept {
                    Some(kept) => call(ElementOp::BitAnd, [shifted, kept]),
                    None => shifted,
                }
            }
            Some(OnUnsigned::Is(op)) => element(ElementKind::Call(op, operands), value.span),
            Some(OnUnsigned::Operand) => operands.into_iter().next().unwrap_or_else(|| value.clone()),
            Some(OnUnsigned::Refused) => {
                let message = format!("`{}` of `u32` is not compiled", op.row().name);
                let note = "the device has that of integers with a sign: cast both to `i32`";
                self.errors
                    .push(Diagnostic::new(&codes::ELEMENT_TYPE, value.span, message).note(note));
                value.clone()
            }
        }
    }

    /// A copy into elements of `f16` from numbers of another type, by way of a block of that type or of the result.
    fn rounded_copy(&mut self, src: &Place, dst: &Place, from: ElementType, span: Span) -> Vec<Stmt> {
        let mut out = Vec::new();
        let shape = match (src, dst) {
            (Place::Block(block), _) | (_, Place::Block(block)) => self.out.block(block.value).shape.clone(),
            (Place::Tensor(region), Place::Tensor(_)) => region.extents(),
        };
        let copy = |src: Place, dst: Place| Stmt::new(span, Kind::Op(Op::Copy { src, dst }));
        let source = match src {
            Place::Block(block) => block.value,
            Place::Tensor(_) => {
                let block = self.hidden("copied", from, &shape, span);
                out.push(copy(src.clone(), Place::Block(Spanned { value: block, span })));
                block
            }
        };
        let target = match dst {
            Place::Block(block) => block.value,
            Place::Tensor(_) => self.hidden("rounded", ElementType::F16, &shape, span),
        };
        let indices: Vec<(VarId, u64)> = shape.iter().map(|extent| (self.variable(span), *extent)).collect();
        let at = |block| Access {
            buffer: Buffer::Block(block),
            indices: indices.iter().map(|(var, _)| IntExpr::Var(*var)).collect(),
            span,
        };
        let assign = Assign {
            target: at(target),
            value: cast(ElementType::F16, element(ElementKind::Load(at(source)), span)),
            compound: false,
            span,
        };
        // The blocks of a stack, each by itself.
        let (stack, inner) = indices.split_at(indices.len().saturating_sub(2));
        let kind = Kind::Op(Op::Parallel {
            assigns: vec![assign],
            indices: inner.to_vec(),
        });
        let each = stack.iter().fold(kind, |kind, (var, count)| {
            Kind::Loop(
                For {
                    var: *var,
                    start: IntExpr::Const(0),
                    end: IntExpr::Const(i64::try_from(*count).unwrap_or(i64::MAX)),
                    kind: LoopKind::Serial,
                },
                vec![Stmt::new(span, kind)],
            )
        });
        out.push(Stmt::new(span, each));
        if let Place::Tensor(_) = dst {
            out.push(copy(Place::Block(Spanned { value: target, span }), dst.clone()));
        }
        out
    }

    fn hidden(&mut self, name: &str, element: ElementType, shape: &[u64], span: Span) -> BlockId {
        self.out.add_block(Block {
            name: name.into(),
            span,
            scope: BlockScope::Shared,
            element,
            shape: shape.to_vec(),
        })
    }

    fn variable(&mut self, span: Span) -> VarId {
        let name = "element".into();
        self.out.add_variable(Variable { name, span })
    }

    /// Refuses registers of 16 bits where numbers are rounded to `f16`.
    fn wide_registers(&mut self) {
        let tensors = self.kernel.params.iter().filter_map(|param| match param {
            Param::Tensor(tensor) | Param::Temporary(tensor) => Some((tensor.element.value, tensor.element.span)),
            Param::Scalar(_) | Param::Derived(_) => None,
        });
        let mut all = tensors.chain(self.kernel.blocks.iter().map(|block| (block.element, block.span)));
        if let Some((_, span)) = all.find(|(element, _)| *element == ElementType::F16) {
            let message = "elements of `f16` are computed in 32-bit registers, which `fp32_acc = false` rules out";
            let note = "leave `fp32_acc = false` out";
            self.errors
                .push(Diagnostic::new(&codes::ELEMENT_TYPE, span, message).note(note));
        }
    }

    /// Whether `what` moves integers of one type, or numbers.
    fn of_one_kind(&mut self, [from, to]: [ElementType; 2], what: &str, span: Span) -> bool {
        // What is of neither is seen to by C1.
        let is_held = [from, to].iter().any(|of| held(*of) != *of);
        if from == to || !from.is_integer() && !to.is_integer() || !is_held {
            return true;
        }
        let (from, to) = (from.name(), to.name());
        let message = format!("a {what} does not make `{to}` of `{from}`");
        let note = format!("write `y[(i, j)] = x[(i, j)] as {to};` in `T.Parallel`");
        self.errors
            .push(Diagnostic::new(&codes::ELEMENT_TYPE, span, message).note(note));
        false
    }

    /// Refuses `what` of a block of unsigned integers; whether it is none.
    fn numbers(&mut self, block: &Spanned<BlockId>, what: &str) -> bool {
        let element = self.kernel.block(block.value).element;
        let is_refused = element.is_integer() && held(element) != element;
        if is_refused {
            let message = format!("`{what}` of elements of `{}` is not compiled", element.name());
            let note = "cast the block to `f32` first";
            self.errors
                .push(Diagnostic::new(&codes::ELEMENT_TYPE, block.span, message).note(note));
        }
        !is_refused
    }

    /// Refuses a block whose elements are held as others as `what`.
    fn of_own_type(&mut self, block: &Spanned<BlockId>, what: &str) {
        let element = self.kernel.block(block.value).element;
        if held(element) != element {
            let message = format!("{what} is no block of `{}`", element.name());
            let note = format!("use `{}`, and assign it: `y[(i, j)] = x[(i, j)]`", held(element).name());
            self.errors
                .push(Diagnostic::new(&codes::ELEMENT_TYPE, block.span, message).note(note));
        }
    }
}

/// `value` with other operands.
fn with(value: &Element, operands: impl IntoIterator<Item = Element>) -> Element {
    let mut out = value.clone();
    for (to, operand) in out.operands_mut().into_iter().zip(operands) {
        *to = operand;
    }
    out
}

/// An element of `wanted` beside one of another type.
pub(crate) fn mixed(found: ElementType, wanted: ElementType, span: Span) -> Diagnostic {
    let (found, wanted) = (found.name(), wanted.name());
    let message = format!("an element of `{wanted}` is wanted, found one of `{found}`");
    Diagnostic::new(&codes::ELEMENT_TYPE, span, message).note(format!("write the conversion: `x[(i, j)] as {wanted}`"))
}

/// `of`, held from an element of `from`, as one of `to`.
fn converted(of: Element, from: ElementType, to: ElementType) -> Element {
    let span = of.span;
    let number = |value: f64| element(ElementKind::Float(Real(value)), span);
    match (from.is_integer(), to) {
        (true, ElementType::U16) if from != to => {
            call(ElementOp::BitAnd, [cast(ElementType::I32, of), constant(0xFFFF, span)])
        }
        (true, ElementType::U32 | ElementType::U16) => cast(ElementType::I32, of),
        (false, ElementType::U16) => {
            let above = call(ElementOp::Max, [cast(ElementType::I32, of), constant(0, span)]);
            call(ElementOp::Min, [above, constant(0xFFFF, span)])
        }
        // What is at least 2³¹ has the upper bit: no number below is the largest of `i32`.
        (false, ElementType::U32) => {
            let upper = call(ElementOp::Sub, [of.clone(), number(f64::from(1u32 << 31))]);
            let upper = cast(ElementType::I32, upper);
            let held = cast(ElementType::I32, of);
            let lower = call(ElementOp::Max, [held.clone(), constant(0, span)]);
            let most = constant(i64::from(i32::MAX), span);
            let is_upper = ElementKind::Compare(CompareOp::Eq, Box::new(held), Box::new(most));
            let select = ElementKind::Select(
                Box::new(element(is_upper, span)),
                Box::new(flipped(upper)),
                Box::new(lower),
            );
            element(select, span)
        }
        (true, _) if from == ElementType::U32 && !to.is_integer() => {
            let upper = call(
                ElementOp::BitAnd,
                [
                    call(ElementOp::Shr, [of.clone(), constant(16, span)]),
                    constant(0xFFFF, span),
                ],
            );
            let lower = call(ElementOp::BitAnd, [of, constant(0xFFFF, span)]);
            let [upper, lower] = [upper, lower].map(|part| cast(ElementType::F32, part));
            let sum = call(ElementOp::Add, [call(ElementOp::Mul, [upper, number(65536.0)]), lower]);
            rounded(sum, to)
        }
        (true, ElementType::F16) => rounded(cast(ElementType::F32, of), to),
        _ => cast(to, of),
    }
}

/// A number that is to be one of `to`.
fn rounded(number: Element, to: ElementType) -> Element {
    if to == ElementType::F32 {
        number
    } else {
        cast(to, number)
    }
}

/// Whether `f16` holds a number.
fn is_half(number: f64) -> bool {
    let scaled = number * f64::from(1 << 24);
    let significand = number.to_bits() & ((1 << 42) - 1);
    number == 0.0 || number.abs() <= 65504.0 && significand == 0 && scaled.fract() == 0.0
}

/// An integer whose order as one with a sign is that of `of` without.
fn flipped(of: Element) -> Element {
    let span = of.span;
    if let ElementKind::Int(IntExpr::Const(value)) = of.kind {
        return constant(value ^ i64::from(i32::MIN), span);
    }
    call(ElementOp::BitXor, [of, constant(i32::MIN.into(), span)])
}

/// The bits that a shift to the right by `bits` leaves: all but as many upper ones.
fn low_bits(bits: Element) -> Element {
    let span = bits.span;
    if let ElementKind::Int(IntExpr::Const(bits)) = bits.kind {
        let low = u32::try_from(bits).map_or(0, |bits| u32::MAX.checked_shr(bits).unwrap_or(0));
        return constant((low as i32).into(), span);
    }
    let copies = call(ElementOp::Shr, [constant(i32::MIN.into(), span), bits]);
    let upper = call(ElementOp::Shl, [copies, constant(1, span)]);
    call(ElementOp::BitNot, [upper])
}

fn element(kind: ElementKind, span: Span) -> Element {
    Element { kind, span }
}

fn constant(value: i64, span: Span) -> Element {
    element(ElementKind::Int(IntExpr::Const(value)), span)
}

fn cast(to: ElementType, of: Element) -> Element {
    let span = of.span;
    element(ElementKind::Cast(to, Box::new(of)), span)
}

fn call<const COUNT: usize>(op: ElementOp, args: [Element; COUNT]) -> Element {
    let span = args[0].span;
    element(ElementKind::Call(op, args.into()), span)
}
