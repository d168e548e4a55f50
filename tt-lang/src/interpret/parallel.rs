//! Element expressions over one row of a parallel loop at a time.
//!
//! An expression is compiled once per statement: everything but the parallel indices becomes a number. A selection
//! evaluates each side only where it is chosen, so an index may leave a block, and an element be padding, where the other
//! side is taken.

use super::block_run::BlockRun;
use super::error::{InterpretError, InterpretErrorKind as Kind};
use super::integer::Affine;
use super::storage::{Marks, PADDING, ROW, UNSET, axis_mark};
use crate::ir::{Access, Buffer, CompareOp, Element, ElementKind, ElementOp, ElementType, IntExpr, Real, Span, VarId};

/// The indices of a parallel loop; the second is the one that runs along a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Domain {
    pub outer: Option<VarId>,
    pub inner: Option<VarId>,
    pub height: usize,
    pub width: usize,
}

impl Domain {
    /// The indices with their extents.
    fn indices(self) -> [Option<(VarId, usize)>; 2] {
        let with = |var: Option<VarId>, extent| var.map(|var| (var, extent));
        [with(self.outer, self.height), with(self.inner, self.width)]
    }
}

/// An index, as a function of the parallel indices.
#[derive(Debug)]
pub(super) enum Index<'e> {
    Affine(Affine),
    General(&'e IntExpr),
}

/// An access with its indices ready.
#[derive(Debug)]
pub(super) struct Place<'e> {
    pub buffer: Buffer,
    pub indices: Vec<Index<'e>>,
    pub span: Span,
    /// For padding along each axis of what is accessed: the marks it gives the element assigned.
    axis_marks: Vec<Marks>,
}

/// A compiled expression.
#[derive(Debug)]
pub(super) enum Node<'e> {
    Constant(f64),
    Int(Index<'e>, Span),
    Load(Place<'e>),
    Call(ElementOp, Vec<Node<'e>>),
    /// An operation on integers, which wrap.
    Integers(ElementOp, ElementType, Vec<Node<'e>>),
    Compare(CompareOp, Box<(Node<'e>, Node<'e>)>),
    CompareInt(CompareOp, Box<(Index<'e>, Index<'e>)>, Span),
    /// `a && b` where the flag is set, else `a || b`: the second operand counts only where the first has that value.
    Logic(bool, Box<(Node<'e>, Node<'e>)>),
    Not(Box<Node<'e>>),
    Select(Box<(Node<'e>, Node<'e>, Node<'e>)>),
    /// A cast to a type, from one of integers or of numbers.
    Cast(ElementType, ElementType, Box<Node<'e>>),
}

/// A row of results.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub values: Vec<f64>,
    pub marks: Vec<Marks>,
}

/// The value of an expression without parallel indices.
pub(super) fn uniform(run: &BlockRun<'_>, element: &Element, wanted: ElementType) -> Result<f64, InterpretError> {
    let domain = Domain {
        outer: None,
        inner: None,
        height: 1,
        width: 1,
    };
    let compiler = Compiler {
        run,
        domain,
        target: &[],
    };
    let node = compiler.node(element, wanted)?;
    Ok(Evaluator { run, domain, outer: 0 }.row(&node, None)?.values[0])
}

/// Turns expressions into nodes for one statement.
pub(super) struct Compiler<'r, 'a, 'e> {
    pub run: &'r BlockRun<'a>,
    pub domain: Domain,
    /// The indices of the element that is assigned, where its marks are kept.
    pub target: &'e [IntExpr],
}

impl<'e> Compiler<'_, '_, 'e> {
    fn index(&self, expr: &'e IntExpr) -> Index<'e> {
        let affine = self.run.scope.affine(expr, self.domain.indices());
        affine.map_or(Index::General(expr), Index::Affine)
    }

    pub fn place(&self, access: &'e Access) -> Place<'e> {
        Place {
            buffer: access.buffer,
            indices: access.indices.iter().map(|index| self.index(index)).collect(),
            span: access.span,
            axis_marks: access.indices.iter().map(|index| self.carried(index)).collect(),
        }
    }

    /// The marks that padding along an axis indexed by `index` gives the element assigned: padding along the axes that are
    /// indexed by the same parallel index, else (the element belongs to every row and column) along all of them.
    fn carried(&self, index: &IntExpr) -> Marks {
        let rank = self.target.len();
        let shares = |other: &IntExpr| {
            [self.domain.outer, self.domain.inner]
                .into_iter()
                .flatten()
                .any(|var| index.mentions(var) && other.mentions(var))
        };
        let shared = (0..rank).filter(|axis| shares(&self.target[*axis]));
        match shared.fold(0, |marks, axis| marks | axis_mark(rank, axis)) {
            0 if rank == 1 => ROW,
            0 => PADDING,
            marks => marks,
        }
    }

    /// The node of an element of the type `wanted`.
    pub fn node(&self, element: &'e Element, wanted: ElementType) -> Result<Node<'e>, InterpretError> {
        let own = wanted;
        let wanted = element.operand_type(self.run.scope.launch.kernel, wanted);
        let node = |operand| self.node(operand, wanted);
        let pair = |a, b| Ok::<_, InterpretError>(Box::new((node(a)?, node(b)?)));
        Ok(match &element.kind {
            ElementKind::Float(Real(value)) => Node::Constant(*value),
            ElementKind::Bool(value) => Node::Constant(f64::from(u8::from(*value))),
            ElementKind::Scalar(id) => Node::Constant(self.run.scope.launch.floats[id.index()]),
            ElementKind::Int(expr) => {
                let integer = Node::Int(self.index(expr), element.span);
                match own.is_integer() && own != ElementType::I32 {
                    true => Node::Cast(own, ElementType::I32, Box::new(integer)),
                    false => integer,
                }
            }
            ElementKind::Load(access) => Node::Load(self.place(access)),
            ElementKind::Call(op, args) => {
                let args = args.iter().map(node).collect::<Result<_, _>>()?;
                match own.is_integer() {
                    true => Node::Integers(*op, own, args),
                    false => Node::Call(*op, args),
                }
            }
            ElementKind::Compare(op, a, b) => Node::Compare(*op, pair(a, b)?),
            ElementKind::CompareInt(op, a, b) => {
                let operands = (self.index(a), self.index(b));
                Node::CompareInt(*op, Box::new(operands), element.span)
            }
            ElementKind::And(a, b) => Node::Logic(true, pair(a, b)?),
            ElementKind::Or(a, b) => Node::Logic(false, pair(a, b)?),
            ElementKind::Not(a) => Node::Not(Box::new(node(a)?)),
            ElementKind::Select(c, a, b) => Node::Select(Box::new((node(c)?, node(a)?, node(b)?))),
            ElementKind::Cast(to, a) => Node::Cast(*to, wanted, Box::new(node(a)?)),
        })
    }
}

/// Evaluates nodes for one value of the outer index.
pub(super) struct Evaluator<'r, 'a> {
    pub run: &'r BlockRun<'a>,
    pub domain: Domain,
    pub outer: usize,
}

impl Evaluator<'_, '_> {
    fn fail(&self, span: Span, kind: Kind) -> InterpretError {
        InterpretError::at(self.run.scope.launch.kernel, span, kind)
    }

    /// The value of `index` at position `inner` of the row.
    pub fn index(&self, index: &Index<'_>, inner: usize, span: Span) -> Result<i64, InterpretError> {
        match index {
            Index::Affine(affine) => affine
                .at(self.outer as i64, inner as i64)
                .ok_or_else(|| self.fail(span, Kind::Arithmetic("an index".into()))),
            Index::General(expr) => {
                let mut scope = self.run.scope.clone();
                let indices = [(self.domain.outer, self.outer), (self.domain.inner, inner)];
                for (var, value) in indices {
                    if let Some(slot) = var.and_then(|var| scope.variables.get_mut(var.index())) {
                        *slot = value as i64;
                    }
                }
                scope.integer(expr).map_err(|kind| self.fail(span, kind))
            }
        }
    }

    /// Evaluates `node` where `active` holds (everywhere where it is absent); elsewhere the row holds anything.
    pub fn row(&self, node: &Node<'_>, active: Option<&[bool]>) -> Result<Row, InterpretError> {
        let width = self.domain.width;
        let is_active = |i: usize| active.is_none_or(|active| active[i]);
        Ok(match node {
            Node::Constant(value) => Row {
                values: vec![*value; width],
                marks: vec![0; width],
            },
            Node::Int(index, span) => {
                let mut row = Row {
                    values: vec![0.0; width],
                    marks: vec![0; width],
                };
                for i in (0..width).filter(|i| is_active(*i)) {
                    row.values[i] = self.index(index, i, *span)? as f64;
                }
                row
            }
            Node::Load(place) => self.load(place, active)?,
            Node::Call(op, args) => {
                let mut args = args
                    .iter()
                    .map(|arg| self.row(arg, active))
                    .collect::<Result<Vec<_>, _>>()?;
                call(*op, &mut args)
            }
            Node::Integers(op, element, args) => {
                let args = args
                    .iter()
                    .map(|arg| self.row(arg, active))
                    .collect::<Result<Vec<_>, _>>()?;
                let mut row = Row {
                    values: Vec::with_capacity(width),
                    marks: vec![0; width],
                };
                for i in 0..width {
                    let operands: Vec<f64> = args.iter().map(|arg| arg.values[i]).collect();
                    row.values.push(wrapped(*op, *element, &operands));
                }
                args.iter().for_each(|arg| merge(&mut row.marks, &arg.marks));
                row
            }
            Node::Compare(op, operands) => {
                let (mut a, b) = (self.row(&operands.0, active)?, self.row(&operands.1, active)?);
                for (x, y) in a.values.iter_mut().zip(&b.values) {
                    *x = compared(*op, *x, *y);
                }
                merge(&mut a.marks, &b.marks);
                a
            }
            Node::CompareInt(op, operands, span) => {
                let mut row = Row {
                    values: vec![0.0; width],
                    marks: vec![0; width],
                };
                for i in (0..width).filter(|i| is_active(*i)) {
                    let (a, b) = (self.index(&operands.0, i, *span)?, self.index(&operands.1, i, *span)?);
                    row.values[i] = truth(op.apply(a, b));
                }
                row
            }
            Node::Logic(and, operands) => {
                let mut first = self.row(&operands.0, active)?;
                let unspecified: Vec<bool> = first.values.iter().map(|value| value.is_nan()).collect();
                let open: Vec<bool> = (0..width)
                    .map(|i| is_active(i) && (unspecified[i] || (first.values[i] != 0.0) == *and))
                    .collect();
                self.replace(&mut first, &operands.1, &open)?;
                // The second operand decides alone where it is the value that ends the expression.
                for i in (0..width).filter(|i| unspecified[*i]) {
                    if (first.values[i] != 0.0) == *and {
                        first.values[i] = f64::NAN;
                    }
                }
                first
            }
            Node::Not(operand) => {
                let mut row = self.row(operand, active)?;
                for value in row.values.iter_mut().filter(|value| !value.is_nan()) {
                    *value = truth(*value == 0.0);
                }
                row
            }
            Node::Select(parts) => {
                let mut row = self.row(&parts.0, active)?;
                // Where it is unspecified which side is taken, the value is too.
                let chosen: Vec<bool> = (0..width)
                    .map(|i| is_active(i) && row.values[i] != 0.0 && !row.values[i].is_nan())
                    .collect();
                let other: Vec<bool> = (0..width).map(|i| is_active(i) && row.values[i] == 0.0).collect();
                self.replace(&mut row, &parts.1, &chosen)?;
                self.replace(&mut row, &parts.2, &other)?;
                row
            }
            Node::Cast(to, from, operand) => {
                let mut row = self.row(operand, active)?;
                row.values
                    .iter_mut()
                    .for_each(|value| *value = cast(*to, *from, *value));
                row
            }
        })
    }

    /// Puts the values of `node` into `row` where `active` holds; marks of both count there.
    fn replace(&self, row: &mut Row, node: &Node<'_>, active: &[bool]) -> Result<(), InterpretError> {
        if !active.contains(&true) {
            return Ok(());
        }
        let new = self.row(node, Some(active))?;
        for i in (0..active.len()).filter(|i| active[*i]) {
            row.values[i] = new.values[i];
            row.marks[i] |= new.marks[i];
        }
        Ok(())
    }

    fn load(&self, place: &Place<'_>, active: Option<&[bool]>) -> Result<Row, InterpretError> {
        let width = self.domain.width;
        let mut row = Row {
            values: vec![0.0; width],
            marks: vec![0; width],
        };
        for i in (0..width).filter(|i| active.is_none_or(|active| active[*i])) {
            match place.buffer {
                Buffer::Block(id) => {
                    let block = &self.run.blocks[id.index()];
                    let flat = self.block_position(place, i)?;
                    let marks = block.marks[flat];
                    if marks & UNSET != 0 {
                        return Err(self.fail(place.span, Kind::ReadBeforeWrite(self.run.block_name(id))));
                    }
                    row.values[i] = block.values[flat];
                    if marks != 0 {
                        let carried = (0..place.indices.len()).filter(|axis| block.axis_mark(*axis) & marks != 0);
                        row.marks[i] = carried.fold(0, |all, axis| all | place.axis_marks[axis]);
                    }
                }
                Buffer::Tensor(id) => {
                    let (flat, marks) = self.tensor_position(place, i)?;
                    row.marks[i] = marks;
                    if let (0, Some(tensor)) = (marks, &self.run.scope.launch.tensors[id.index()]) {
                        row.values[i] = tensor.get(flat);
                    }
                }
            }
        }
        Ok(row)
    }

    /// The flat index of the element of a block that `place` means at position `inner`.
    pub fn block_position(&self, place: &Place<'_>, inner: usize) -> Result<usize, InterpretError> {
        let Buffer::Block(id) = place.buffer else {
            return Err(self.fail(
                place.span,
                Kind::Unsupported("a block index of something that is no block"),
            ));
        };
        let shape = &self.run.blocks[id.index()].shape;
        let mut flat = 0;
        let mut inside = place.indices.len() == shape.len();
        for (index, extent) in place.indices.iter().zip(shape) {
            let index = self.index(index, inner, place.span)?;
            match usize::try_from(index) {
                Ok(index) if index < *extent => flat = flat * extent + index,
                _ => inside = false,
            }
        }
        if inside {
            return Ok(flat);
        }
        let index = place
            .indices
            .iter()
            .map(|index| self.index(index, inner, place.span))
            .collect::<Result<_, _>>()?;
        let block = self.run.block_name(id);
        Err(self.fail(
            place.span,
            Kind::OutsideBlock {
                block,
                shape: shape.clone(),
                index,
            },
        ))
    }

    /// The flat index of the element of a tensor that `place` means at position `inner`, and the marks of the axes it lies
    /// outside of; the index is meaningless where there are marks.
    pub fn tensor_position(&self, place: &Place<'_>, inner: usize) -> Result<(usize, Marks), InterpretError> {
        let unsupported = || {
            self.fail(
                place.span,
                Kind::Unsupported("an element of something that is no tensor"),
            )
        };
        let Buffer::Tensor(id) = place.buffer else {
            return Err(unsupported());
        };
        let tensor = self.run.scope.launch.tensors[id.index()]
            .as_ref()
            .ok_or_else(unsupported)?;
        if tensor.shape.len() != place.indices.len() {
            return Err(unsupported());
        }
        let (mut flat, mut marks) = (0usize, 0);
        for (axis, (index, extent)) in place.indices.iter().zip(&tensor.shape).enumerate() {
            let index = self.index(index, inner, place.span)?;
            if let Some(at) = usize::try_from(index).ok().filter(|at| at < extent) {
                flat = flat.wrapping_mul(*extent).wrapping_add(at);
            } else {
                marks |= place.axis_marks[axis];
            }
        }
        Ok((flat, marks))
    }
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// 1 where a comparison holds, else 0; NaN, as of everything unspecified, where an operand is NaN. What is below the normal
/// range counts as 0.
fn compared(op: CompareOp, x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let normal = |x: f64| if x.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { x };
    truth(op.apply(normal(x), normal(y)))
}

fn merge(marks: &mut [Marks], other: &[Marks]) {
    for (marks, other) in marks.iter_mut().zip(other) {
        *marks |= other;
    }
}

/// Applies `op` to rows of arguments; the first one's memory takes the result.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "three operations that are worth a loop of their own"
)]
fn call(op: ElementOp, args: &mut [Row]) -> Row {
    let value = op.row().value;
    match args {
        [a] => {
            a.values.iter_mut().for_each(|x| *x = value(&[*x]));
            std::mem::replace(
                a,
                Row {
                    values: Vec::new(),
                    marks: Vec::new(),
                },
            )
        }
        [a, b] => {
            let pairs = a.values.iter_mut().zip(&b.values);
            match op {
                ElementOp::Add => pairs.for_each(|(x, y)| *x += y),
                ElementOp::Sub => pairs.for_each(|(x, y)| *x -= y),
                ElementOp::Mul => pairs.for_each(|(x, y)| *x *= y),
                _ => pairs.for_each(|(x, y)| *x = value(&[*x, *y])),
            }
            merge(&mut a.marks, &b.marks);
            std::mem::replace(
                a,
                Row {
                    values: Vec::new(),
                    marks: Vec::new(),
                },
            )
        }
        _ => {
            let width = args.first().map_or(0, |arg| arg.values.len());
            let mut row = Row {
                values: Vec::with_capacity(width),
                marks: vec![0; width],
            };
            let mut operands = vec![0.0; args.len()];
            for i in 0..width {
                operands
                    .iter_mut()
                    .zip(args.iter())
                    .for_each(|(to, arg)| *to = arg.values[i]);
                row.values.push(value(&operands));
            }
            args.iter().for_each(|arg| merge(&mut row.marks, &arg.marks));
            row
        }
    }
}

/// `op` on integers of the type `element`, modulo what that holds; operands are exact.
fn wrapped(op: ElementOp, element: ElementType, operands: &[f64]) -> f64 {
    let exact = match (op, operands) {
        // The product of two numbers of 32 bits has 64.
        _ if operands.iter().any(|operand| operand.is_nan()) => return f64::NAN,
        // What a division by zero gives is left open.
        (ElementOp::Div | ElementOp::Rem, [_, 0.0]) => return f64::NAN,
        (ElementOp::Mul, [x, y]) if !x.is_nan() && !y.is_nan() => (*x as i64).wrapping_mul(*y as i64),
        _ => match (op.row().value)(operands) {
            value if value.is_nan() => return value,
            value => value as i64,
        },
    };
    cut(exact, element)
}

/// What the integers of `element` hold of a sum of some, and of the extremes of none.
pub(super) fn held(value: f64, element: ElementType) -> f64 {
    match value.is_finite() {
        true => cut(value as i64, element),
        false => cast(element, ElementType::F32, value),
    }
}

/// What of an integer the type `element` holds.
fn cut(exact: i64, element: ElementType) -> f64 {
    match element {
        ElementType::U32 => f64::from(exact as u32),
        ElementType::U16 => f64::from(exact as u16),
        ElementType::U8 => f64::from(exact as u8),
        ElementType::I8 => f64::from(exact as i8),
        ElementType::I32
        | ElementType::Bf16
        | ElementType::F32
        | ElementType::F16
        | ElementType::Bfp8
        | ElementType::Bfp4 => f64::from(exact as i32),
    }
}

/// `value as to` as in Rust: into an integer type from another one what that holds of it, from a number towards zero, held to its range; what is unspecified stays so. To
/// `bf16` and `f16` the nearest, as of an `f32`.
fn cast(to: ElementType, from: ElementType, value: f64) -> f64 {
    match to {
        _ if value.is_nan() => value,
        _ if to.is_integer() && from.is_integer() => cut(value as i64, to),
        ElementType::Bf16 | ElementType::F16 => f64::from(to.nearest(value as f32)),
        ElementType::F32 | ElementType::Bfp8 | ElementType::Bfp4 => value,
        ElementType::I32 => f64::from(value as i32),
        ElementType::U32 => f64::from(value as u32),
        ElementType::U16 => f64::from(value as u16),
        ElementType::U8 => f64::from(value as u8),
        ElementType::I8 => f64::from(value as i8),
    }
}
