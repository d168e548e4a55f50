//! Statements.

use super::{
    Access, BlockId, BoolExpr, Element, ElementKind, ElementOp, IntExpr, NumberExpr, ParamId, Span, Spanned, VarId,
};
use crate::tree::{self, Head, Kind, Never, Stage};
use serde::{Deserialize, Serialize};

/// The language: what kernels are written in.
#[derive(Debug, Clone, PartialEq)]
pub enum Language {}

impl Stage for Language {
    type Op = Op;
    type Loop = For;
    /// The same for the whole block.
    type Branch = Spanned<BoolExpr>;
    type Group = Never;
    /// Its place (for calls, the method's name).
    type Note = Span;
}

/// One statement.
pub type Stmt = tree::Stmt<Language>;

/// What a statement does.
pub type StmtKind = Kind<Language>;

impl Op {
    /// The element expressions in it.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        let (fill, assigns) = match self {
            Op::Fill { value, .. } => (Some(value), [].as_slice()),
            Op::Parallel { assigns, .. } => (None, assigns.as_slice()),
            Op::Copy { .. }
            | Op::Gemm { .. }
            | Op::Reduce { .. }
            | Op::ReduceArg { .. }
            | Op::Transpose { .. }
            | Op::Fetch { .. }
            | Op::Print { .. }
            | Op::Assert { .. } => (None, [].as_slice()),
        };
        fill.into_iter().chain(assigns.iter().map(|assign| &assign.value))
    }

    /// Calls `visit` for what it stores to element by element, and for what its elements load, with whether it is stored to.
    pub fn accesses<'a>(&'a self, visit: &mut impl FnMut(&'a Access, bool)) {
        for value in self.elements() {
            value.walk(&mut |part| {
                if let ElementKind::Load(access) = &part.kind {
                    visit(access, false);
                }
            });
        }
        if let Op::Parallel { assigns, .. } = self {
            assigns.iter().for_each(|assign| visit(&assign.target, true));
        }
    }

    fn integers_mut(&mut self, visit: &mut impl FnMut(&mut IntExpr)) {
        fn element(of: &mut Element, visit: &mut impl FnMut(&mut IntExpr)) {
            of.walk_mut(&mut |part| match &mut part.kind {
                ElementKind::Int(value) => visit(value),
                ElementKind::CompareInt(_, a, b) => {
                    visit(a);
                    visit(b);
                }
                ElementKind::Load(access) => access.indices.iter_mut().for_each(&mut *visit),
                ElementKind::Float(_)
                | ElementKind::Bool(_)
                | ElementKind::Scalar(_)
                | ElementKind::Call(..)
                | ElementKind::Compare(..)
                | ElementKind::And(..)
                | ElementKind::Or(..)
                | ElementKind::Not(_)
                | ElementKind::Select(..)
                | ElementKind::Cast(..) => {}
            });
        }
        fn place(of: &mut Place, visit: &mut impl FnMut(&mut IntExpr)) {
            let Place::Tensor(region) = of else { return };
            for axis in &mut region.axes {
                visit(&mut axis.offset.value);
                axis.count.iter_mut().for_each(&mut *visit);
            }
        }
        match self {
            Op::Copy { src: a, dst: b } | Op::Gemm { a, b, .. } => {
                place(a, visit);
                place(b, visit);
            }
            Op::Fill { value, .. } => element(value, visit),
            Op::Parallel { assigns, .. } => {
                for assign in assigns {
                    assign.target.indices.iter_mut().for_each(&mut *visit);
                    element(&mut assign.value, visit);
                }
            }
            Op::ReduceArg { base, .. } => visit(base),
            Op::Fetch { from, .. } => from.indices.iter_mut().for_each(visit),
            Op::Print { items } => {
                for item in items {
                    match item {
                        PrintItem::Value(value) => visit(value),
                        PrintItem::Number(value) => value.integers_mut(visit),
                        PrintItem::Text(_) | PrintItem::Block { .. } => {}
                    }
                }
            }
            Op::Assert { cond, .. } => cond.value.integers_mut(visit),
            Op::Reduce { .. } | Op::Transpose { .. } => {}
        }
    }
}

impl Stmt {
    /// The element expressions in this statement, not in those of its bodies.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.op().into_iter().flat_map(Op::elements)
    }

    /// As [`Op::accesses`], not in the statements of its bodies.
    pub fn accesses<'a>(&'a self, visit: &mut impl FnMut(&'a Access, bool)) {
        self.op().into_iter().for_each(|op| op.accesses(visit));
    }

    /// Calls `visit` for every integer in this statement that may differ from block to block, not in those of its bodies.
    pub fn integers_mut(&mut self, visit: &mut impl FnMut(&mut IntExpr)) {
        match &mut self.kind {
            Kind::Op(op) => op.integers_mut(visit),
            Kind::Loop(For { start, end, .. }, _) => {
                visit(start);
                visit(end);
            }
            Kind::If(cond, ..) => cond.value.integers_mut(visit),
            Kind::Group(never, _) => match *never {},
        }
    }
}

/// `for var in ..`, `var` from `start` up to but not including `end`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct For {
    /// The loop variable, of this loop alone.
    pub var: VarId,
    /// First value.
    pub start: IntExpr,
    /// One past the last value.
    pub end: IntExpr,
    /// How it is run.
    pub kind: LoopKind,
}

impl Head for For {
    fn var(&self) -> VarId {
        self.var
    }
}

/// A statement that is no loop and no branch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Op {
    /// `T.copy(src, dst)`. Both sides have the same extents; at most one is a tensor region.
    Copy {
        /// Read.
        src: Place,
        /// Written.
        dst: Place,
    },
    /// `T.clear(x)` (value 0), `T.fill(x, v)`. The value has no loads and is the same for the whole block.
    Fill {
        /// Written.
        block: Spanned<BlockId>,
        /// The value.
        value: Element,
    },
    /// `T.gemm(a, b, acc)`, and the three-index parallel form.
    Gemm {
        /// Left operand, `m × k` (or `k × m`).
        a: Place,
        /// Right operand, `k × n` (or `n × k`).
        b: Place,
        /// Accumulator, `m × n`.
        acc: Spanned<BlockId>,
        /// The left operand is stored `k × m`.
        transpose_a: bool,
        /// The right operand is stored `n × k`.
        transpose_b: bool,
        /// The accumulator starts from zero.
        clear_accum: bool,
    },
    /// `for (i, j) in T.Parallel(h, w)`: one or two indices.
    Parallel {
        /// The indices and their constant extents, outermost first.
        indices: Vec<(VarId, u64)>,
        /// The assignments, each done for all elements before the next.
        assigns: Vec<Assign>,
    },
    /// `T.reduce_*(src, out, dim = ..)`.
    Reduce {
        /// The operation.
        op: ReduceOp,
        /// Read.
        src: Spanned<BlockId>,
        /// Written.
        out: Spanned<BlockId>,
        /// Along which axes.
        dim: ReduceDim,
        /// Whether what `out` holds is forgotten.
        clear: bool,
    },
    /// `T.reduce_arg*(src, val, pos, dim = ..)`: the extreme of each row or column, and the first place it stands at.
    ReduceArg {
        /// Which extreme.
        op: ArgOp,
        /// Read.
        src: Spanned<BlockId>,
        /// The extremes; `None` for `_`.
        val: Option<Spanned<BlockId>>,
        /// Their indices along the axis, plus `base`.
        pos: Spanned<BlockId>,
        /// Along which axis.
        dim: ReduceDim,
        /// Added to every index.
        base: IntExpr,
        /// Whether what `val` and `pos` hold is forgotten; else it stays where nothing exceeds it.
        clear: bool,
    },
    /// `T.transpose(src, dst)`.
    Transpose {
        /// Read.
        src: Spanned<BlockId>,
        /// Written.
        dst: Spanned<BlockId>,
    },
    /// `let var = tensor[indices];`: an integer of a tensor that is only read, the same for the whole block; 0 where the
    /// indices are none of the tensor's.
    Fetch {
        /// What stands for it from here on.
        var: VarId,
        /// The element.
        from: Access,
    },
    /// `T.print(..)`.
    Print {
        /// What is printed, in order.
        items: Vec<PrintItem>,
    },
    /// `T.assert(cond)`: the kernel goes wrong where it does not hold.
    Assert {
        /// What must hold, the same for the whole block.
        cond: Spanned<BoolExpr>,
        /// The condition as it is written.
        text: String,
    },
}

/// How a loop is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoopKind {
    /// One iteration after the other.
    Serial,
    /// Written out by the C++ compiler.
    Unroll,
    /// With this many blocks in flight per shared buffer.
    Pipelined(u32),
}

/// A side of a copy or an operand of a gemm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Place {
    /// A whole block.
    Block(Spanned<BlockId>),
    /// A region of a tensor.
    Tensor(Region),
}

/// A region of a tensor: constant extents from symbolic offsets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The tensor.
    pub tensor: ParamId,
    /// What it covers along each axis of the tensor.
    pub axes: Vec<RegionAxis>,
    /// The tensor's name as written here.
    pub span: Span,
}

impl Region {
    /// Its shape: how many elements it has along each axis of the tensor.
    pub fn extents(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.extent).collect()
    }

    /// The axes that count its rows and its columns: where two have more than one element these, otherwise the last ones.
    /// Nothing where more than two have, or where the tensor has one axis, of its rows.
    pub fn rows_and_columns(&self) -> Option<(Option<usize>, usize)> {
        let last = self.axes.len().checked_sub(1)?;
        let long: Vec<usize> = (0..=last).filter(|axis| self.axes[*axis].extent != 1).collect();
        match long.as_slice() {
            [] => Some((last.checked_sub(1), last)),
            [one] if *one == last => Some((last.checked_sub(1), last)),
            [one] => Some((Some(*one), last)),
            [rows, columns] => Some((Some(*rows), *columns)),
            [..] => None,
        }
    }
}

/// What a region covers along one axis of a tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegionAxis {
    /// The first element.
    pub offset: Spanned<IntExpr>,
    /// How many elements; leading axes that select a matrix have 1.
    pub extent: u64,
    /// From one element to the next.
    pub step: u32,
    /// How many of the elements, from the first on, are in the region, where these may be fewer than `extent`; none where it
    /// is negative.
    pub count: Option<IntExpr>,
}

impl RegionAxis {
    /// So many elements that follow each other.
    pub fn run(offset: Spanned<IntExpr>, extent: u64) -> RegionAxis {
        RegionAxis {
            offset,
            extent,
            step: 1,
            count: None,
        }
    }
}

/// `target = value` for every element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assign {
    /// What is written.
    pub target: Access,
    /// The value; a compound assignment loads the target in it.
    pub value: Element,
    /// Whether it is a compound assignment, an operation of the target and something else: an element for which that has no
    /// value stays as it was.
    pub compound: bool,
    /// Its place.
    pub span: Span,
}

impl Assign {
    /// The operation and the other operand of a compound assignment.
    pub fn compound(&self) -> Option<(ElementOp, &Element)> {
        let ElementKind::Call(op, args) = &self.value.kind else {
            return None;
        };
        args.get(1).filter(|_| self.compound).map(|other| (*op, other))
    }
}

macro_rules! reductions {
    ($($op:ident $name:literal,)*) => {
        /// The operation of a reduction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum ReduceOp {
            $($op,)*
        }

        impl ReduceOp {
            /// Every one.
            pub const ALL: &[ReduceOp] = &[$(ReduceOp::$op,)*];

            /// What stands behind `T.reduce_`.
            pub fn name(self) -> &'static str {
                match self {
                    $(ReduceOp::$op => $name,)*
                }
            }
        }
    };
}

reductions! {
    Sum "sum",
    Max "max",
    Min "min",
    AbsMax "absmax",
    Mean "mean",
    Prod "prod",
}

impl ReduceOp {
    /// Whether what is folded is divided by how many elements that are: of nothing it has no value, and it folds into nothing.
    pub fn is_per_element(self) -> bool {
        match self {
            ReduceOp::Mean => true,
            ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min | ReduceOp::AbsMax | ReduceOp::Prod => false,
        }
    }

    /// How integers are folded, of those that are.
    pub fn of_integers(self) -> Option<IntegerFold> {
        match self {
            ReduceOp::Sum => Some(IntegerFold::Sum),
            ReduceOp::Max => Some(IntegerFold::Extreme(ArgOp::Max)),
            ReduceOp::Min => Some(IntegerFold::Extreme(ArgOp::Min)),
            ReduceOp::AbsMax | ReduceOp::Mean | ReduceOp::Prod => None,
        }
    }
}

/// How a reduction folds integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntegerFold {
    /// To their sum.
    Sum,
    /// To the largest or the smallest.
    Extreme(ArgOp),
}

/// The operation of a reduction to positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ArgOp {
    Max,
    Min,
}

impl ArgOp {
    /// What stands behind `T.reduce_`.
    pub fn name(self) -> &'static str {
        match self {
            ArgOp::Max => "argmax",
            ArgOp::Min => "argmin",
        }
    }

    /// The reduction to the values.
    pub fn extreme(self) -> ReduceOp {
        match self {
            ArgOp::Max => ReduceOp::Max,
            ArgOp::Min => ReduceOp::Min,
        }
    }
}

/// The axes of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReduceDim {
    /// `dim = 0`: down each column.
    Columns,
    /// `dim = 1`: along each row.
    Rows,
    /// Both: one value.
    All,
}

impl ReduceDim {
    /// What stands behind `dim =`.
    pub fn name(self) -> &'static str {
        match self {
            ReduceDim::Columns => "0",
            ReduceDim::Rows => "1",
            ReduceDim::All => "(0, 1)",
        }
    }
}

/// Something printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PrintItem {
    /// A literal text.
    Text(String),
    /// An integer, the same for the whole block.
    Value(IntExpr),
    /// A number, the same for the whole block.
    Number(NumberExpr),
    /// A whole block.
    Block {
        /// It.
        block: Spanned<BlockId>,
        /// Whether it holds the bits of a `u32` in each `i32` (hold_elements).
        is_unsigned: bool,
    },
}
