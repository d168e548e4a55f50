//! reduce_integers: sums and extremes of integers become reductions of their digits.
//!
//! Before: Tile IR as parsed. After: no sum, maximum or minimum of `i32` or `u32` is reduced. The digits of such a block are numbers that
//! TF32 holds, few enough of them are summed that an `f32` holds the sum, and what is made of the sums wraps as the elements do. An
//! extreme is that of the upper halves, and that of the lower halves beside it. Of nothing it is the least or the greatest integer.
//!
//! ```text
//!  reduce_sum(x, s)   ⟹   a = (x & 2047) as f32; b = (x >> 11 & 2047) as f32; c = (x >> 22) as f32; reduce_sum(a, sa); ..
//!                         s = sa as i32 + (sb as i32 << 11) + (sc as i32 << 22)
//!  reduce_max(x, m)   ⟹   h = (x >> 16) as f32; reduce_max(h, mh); l = if h == mh { (x & 65535) as f32 } else { -1.0 };
//!                         reduce_max(l, ml); m = if mh < -40000.0 { i32::MIN } else { mh as i32 << 16 | ml as i32 }
//! ```

#![warn(clippy::arithmetic_side_effects)]

use crate::ir::{Kind, replaced};
use crate::passes::split_conditions::Tile;
use crate::pipeline::Pass;
use crate::verify::tile::{keeps, reduces_no_integers};
use tt_lang::ir::{
    Access, ArgOp, Assign, Block, BlockId, BlockScope, Buffer, CompareOp, Element, ElementKind, ElementOp, ElementType,
    IntExpr, IntegerFold, Kernel, Op, Real, ReduceDim, ReduceOp, Span, Spanned, Stmt, VarId, Variable,
};

/// The pass.
pub const PASS: Pass<Tile, Tile> = Pass {
    name: "reduce_integers",
    does: "sums and extremes of integers become reductions of their digits",
    run: |Tile { source, kernel }| {
        let kernel = run(kernel);
        Ok(Tile { source, kernel })
    },
    check: |tile| keeps(tile, [reduces_no_integers]),
};

/// Bits of an integer.
const BITS: u32 = 32;
/// Bits that TF32 holds of an integer.
const DIGIT: u32 = 11;
/// Bits that an `f32` holds of one.
const EXACT: u32 = 24;

/// Runs the pass.
pub fn run(mut kernel: Kernel) -> Kernel {
    let body = std::mem::take(&mut kernel.body);
    let mut pass = ReduceIntegers { kernel };
    let body = replaced(body, &mut |span, op| {
        let mut out = Vec::new();
        match pass.integers(span, &op) {
            Some((integers, IntegerFold::Sum, clear)) => pass.sum(&integers, clear, &mut out),
            Some((integers, IntegerFold::Extreme(of), clear)) => pass.extreme(&integers, of, clear, &mut out),
            None => out.push(Stmt::new(span, Kind::Op(op))),
        }
        out
    });
    Kernel { body, ..pass.kernel }
}

struct ReduceIntegers {
    /// Its blocks and variables grow.
    kernel: Kernel,
}

/// A reduction of integers.
struct Integers {
    src: BlockId,
    out: BlockId,
    element: ElementType,
    /// The indices of what is reduced.
    indices: [(VarId, u64); 2],
    dim: ReduceDim,
    span: Span,
}

impl ReduceIntegers {
    /// A sum, maximum or minimum of integers, and whether what its result holds is forgotten.
    fn integers(&mut self, span: Span, op: &Op) -> Option<(Integers, IntegerFold, bool)> {
        let Op::Reduce {
            op,
            src,
            out,
            dim,
            clear,
        } = op
        else {
            return None;
        };
        let fold = op.of_integers()?;
        let [from, to] = [src, out].map(|block| self.kernel.block(block.value));
        let element @ (ElementType::I32 | ElementType::U32) = from.element else {
            return None;
        };
        let [rows, columns] = from.shape[..] else { return None };
        if to.element != element {
            return None;
        }
        let indices = [("row", rows), ("column", columns)].map(|(name, extent)| (self.variable(name, span), extent));
        let integers = Integers {
            src: src.value,
            out: out.value,
            element,
            indices,
            dim: *dim,
            span,
        };
        Some((integers, fold, *clear))
    }

    fn sum(&mut self, of: &Integers, clear: bool, out: &mut Vec<Stmt>) {
        let [(_, rows), (_, columns)] = of.indices;
        let count = match of.dim {
            ReduceDim::Columns => rows,
            ReduceDim::Rows => columns,
            ReduceDim::All => rows.saturating_mul(columns),
        };
        let carried = count.next_power_of_two().trailing_zeros();
        let width = EXACT.saturating_sub(carried).clamp(1, DIGIT);
        let mut total = None;
        for low in (0..BITS).step_by(width as usize) {
            let digit = match low.saturating_add(width) < BITS {
                true => of.call(
                    ElementOp::BitAnd,
                    of.above(low),
                    of.constant(i64::from(u32::MAX >> BITS.saturating_sub(width))),
                ),
                false => of.above(low),
            };
            let digits = self.computed("digit", of, of.number(digit), out);
            let sum = self.reduced(ReduceOp::Sum, digits, of, out);
            let value = match low {
                0 => of.integer(of.spread(sum)),
                low => of.call(ElementOp::Shl, of.integer(of.spread(sum)), of.constant(low.into())),
            };
            total = Some(match total {
                None => value,
                Some(total) => of.call(ElementOp::Add, total, value),
            });
        }
        if let Some(total) = total {
            self.assigned(of, (!clear).then_some(ElementOp::Add), total, out);
        }
    }

    fn extreme(&mut self, of: &Integers, op: ArgOp, clear: bool, out: &mut Vec<Stmt>) {
        let [least, greatest] = match of.element == ElementType::U32 {
            true => [0, i64::from(u32::MAX)],
            false => [i64::from(i32::MIN), i64::from(i32::MAX)],
        };
        // Beyond the halves of every integer, above for a minimum.
        let (fold, exceeds, none, beyond, of_nothing) = match op {
            ArgOp::Max => (ElementOp::Max, CompareOp::Lt, -1.0, -40000.0, least),
            ArgOp::Min => (ElementOp::Min, CompareOp::Gt, 65536.0, 70000.0, greatest),
        };
        let upper = self.computed("upper", of, of.number(of.above(16)), out);
        let most = self.reduced(op.extreme(), upper, of, out);
        let is_most = of.compare(CompareOp::Eq, of.load(upper), of.spread(most));
        let lower = of.number(of.call(ElementOp::BitAnd, of.load(of.src), of.constant(0xFFFF)));
        let lower = self.computed("lower", of, of.select(is_most, lower, of.float(none)), out);
        let least = self.reduced(op.extreme(), lower, of, out);
        let whole = of.call(
            ElementOp::BitOr,
            of.call(ElementOp::Shl, of.integer(of.spread(most)), of.constant(16)),
            of.integer(of.spread(least)),
        );
        let is_nothing = of.compare(exceeds, of.spread(most), of.float(beyond));
        let value = of.select(is_nothing, of.constant(of_nothing), whole);
        self.assigned(of, (!clear).then_some(fold), value, out);
    }

    /// A block of numbers that is computed of what is reduced.
    fn computed(&mut self, name: &str, of: &Integers, value: Element, out: &mut Vec<Stmt>) -> BlockId {
        let block = self.block(name, of.src, of.indices.map(|(_, extent)| extent).to_vec(), of.span);
        let target = of.at(block, of.places());
        out.push(parallel(of.indices.to_vec(), target, value, of.span));
        block
    }

    /// A block of numbers reduced as what it was computed of is to be.
    fn reduced(&mut self, op: ReduceOp, src: BlockId, of: &Integers, out: &mut Vec<Stmt>) -> BlockId {
        let [(_, rows), (_, columns)] = of.indices;
        let shape = match of.dim {
            ReduceDim::Rows => vec![rows],
            ReduceDim::Columns => vec![columns],
            ReduceDim::All => vec![1, 1],
        };
        let result = self.block(op.name(), src, shape, of.span);
        let span = of.span;
        let [src, target] = [src, result].map(|value| Spanned { value, span });
        let kind = Kind::Op(Op::Reduce {
            op,
            src,
            out: target,
            dim: of.dim,
            clear: true,
        });
        out.push(Stmt::new(span, kind));
        result
    }

    /// What is reduced becomes `value`, folded with what it holds.
    fn assigned(&mut self, of: &Integers, fold: Option<ElementOp>, value: Element, out: &mut Vec<Stmt>) {
        let (indices, places): (Vec<_>, Vec<_>) = match (self.kernel.block(of.out).shape.len(), of.dim) {
            (1, ReduceDim::All) => (vec![(of.indices[0].0, 1)], vec![of.place(0)]),
            (1, ReduceDim::Rows) => (vec![of.indices[0]], vec![of.place(0)]),
            (1, ReduceDim::Columns) => (vec![of.indices[1]], vec![of.place(1)]),
            (_, dim) => {
                let [row, column] = of.indices;
                let indices = match dim {
                    ReduceDim::Rows => [row, (column.0, 1)],
                    ReduceDim::Columns => [(row.0, 1), column],
                    ReduceDim::All => [(row.0, 1), (column.0, 1)],
                };
                (indices.to_vec(), of.places())
            }
        };
        let target = of.at(of.out, places);
        let held = of.element_of(ElementKind::Load(target.clone()));
        let value = match fold {
            None => value,
            Some(fold) => of.call(fold, held, value),
        };
        out.push(parallel(indices, target, value, of.span));
    }

    fn block(&mut self, name: &str, of: BlockId, shape: Vec<u64>, span: Span) -> BlockId {
        let name = format!("{}_{name}", self.kernel.block(of).name);
        self.kernel.add_block(Block {
            name,
            span,
            scope: BlockScope::Fragment,
            element: ElementType::F32,
            shape,
        })
    }

    fn variable(&mut self, name: &str, span: Span) -> VarId {
        let name = name.into();
        self.kernel.add_variable(Variable { name, span })
    }
}

impl Integers {
    fn element_of(&self, kind: ElementKind) -> Element {
        Element { kind, span: self.span }
    }

    fn place(&self, axis: usize) -> IntExpr {
        IntExpr::Var(self.indices[axis].0)
    }

    fn places(&self) -> Vec<IntExpr> {
        vec![self.place(0), self.place(1)]
    }

    fn at(&self, block: BlockId, indices: Vec<IntExpr>) -> Access {
        Access {
            buffer: Buffer::Block(block),
            indices,
            span: self.span,
        }
    }

    fn load(&self, block: BlockId) -> Element {
        self.element_of(ElementKind::Load(self.at(block, self.places())))
    }

    /// The element of a reduced block that belongs to the indices, before they are reduced and after.
    fn spread(&self, block: BlockId) -> Element {
        let places = match self.dim {
            ReduceDim::Rows => vec![self.place(0)],
            ReduceDim::Columns => vec![self.place(1)],
            ReduceDim::All => vec![IntExpr::Const(0); 2],
        };
        self.element_of(ElementKind::Load(self.at(block, places)))
    }

    /// The bits of what is reduced from `low` on, with its sign.
    fn above(&self, low: u32) -> Element {
        match low {
            0 => self.load(self.src),
            low => self.call(ElementOp::Shr, self.load(self.src), self.constant(low.into())),
        }
    }

    fn number(&self, of: Element) -> Element {
        self.element_of(ElementKind::Cast(ElementType::F32, Box::new(of)))
    }

    fn integer(&self, of: Element) -> Element {
        self.element_of(ElementKind::Cast(self.element, Box::new(of)))
    }

    fn constant(&self, value: i64) -> Element {
        self.element_of(ElementKind::Int(IntExpr::Const(value)))
    }

    fn float(&self, value: f64) -> Element {
        self.element_of(ElementKind::Float(Real(value)))
    }

    fn call(&self, op: ElementOp, a: Element, b: Element) -> Element {
        self.element_of(ElementKind::Call(op, vec![a, b]))
    }

    fn compare(&self, op: CompareOp, a: Element, b: Element) -> Element {
        self.element_of(ElementKind::Compare(op, Box::new(a), Box::new(b)))
    }

    fn select(&self, cond: Element, a: Element, b: Element) -> Element {
        self.element_of(ElementKind::Select(Box::new(cond), Box::new(a), Box::new(b)))
    }
}

/// `target = value` for all `indices`.
fn parallel(indices: Vec<(VarId, u64)>, target: Access, value: Element, span: Span) -> Stmt {
    let assigns = vec![Assign {
        target,
        value,
        compound: false,
        span,
    }];
    let kind = Kind::Op(Op::Parallel { indices, assigns });
    Stmt::new(span, kind)
}
