//! The kernel as a whole: its parameters, extents, options, grid and blocks.

use super::{BlockId, CompareOp, ElementType, ExtentId, IntExpr, NumberExpr, ParamId, Span, Stmt, VarId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// The function's name.
    pub name: String,
    /// The name's place.
    pub span: Span,
    /// The file it stands in, without folders (`matmul.rs`).
    pub file: String,
    /// What `#[tt::kernel(..)]` asked for.
    pub options: Options,
    /// `const M: usize` and so on, in order.
    pub extents: Vec<Extent>,
    /// Tensors and scalars, in order, and behind them what the launcher passes itself: the temporaries of `T.alloc_global`, and
    /// what it computes.
    pub params: Vec<Param>,
    /// `T.Kernel(..)`; of several stages that of the first, as `blocks`, `variables` and `body` are.
    pub grid: Grid,
    /// Blocks, in order of allocation.
    pub blocks: Vec<Block>,
    /// Integer variables; those of `let n = ..` and `const` are substituted and do not appear.
    pub variables: Vec<Variable>,
    /// Everything after `T.Kernel(..)`.
    pub body: Vec<Stmt>,
    /// The stages after the first, in order; most kernels have none.
    pub later: Vec<Stage>,
    /// Lines and columns of every [`Span`].
    pub locations: Vec<SourceLocation>,
}

/// `{ let (bx, by) = T.Kernel(gx, gy); .. }`: a grid of blocks that sees what the stages before it stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// `T.Kernel(..)`.
    pub grid: Grid,
    /// Its blocks, in order of allocation.
    pub blocks: Vec<Block>,
    /// Its integer variables.
    pub variables: Vec<Variable>,
    /// Everything after `T.Kernel(..)`.
    pub body: Vec<Stmt>,
}

impl Kernel {
    /// The kernel as a program has it in itself, for [`Kernel::of_stored`] of the same version.
    ///
    /// # Errors
    /// Why it has no such form.
    pub fn stored(&self) -> Result<Vec<u8>, String> {
        postcard::to_allocvec(self).map_err(|error| error.to_string())
    }

    /// The kernel that was stored so.
    ///
    /// # Errors
    /// Why the bytes are no kernel.
    pub fn of_stored(bytes: &[u8]) -> Result<Kernel, String> {
        postcard::from_bytes(bytes).map_err(|error| error.to_string())
    }

    /// The location of `span`.
    pub fn location(&self, span: Span) -> SourceLocation {
        self.locations.get(span.0 as usize).copied().unwrap_or_default()
    }

    /// One more block.
    pub fn add_block(&mut self, block: Block) -> BlockId {
        self.blocks.push(block);
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// One more variable.
    pub fn add_variable(&mut self, variable: Variable) -> VarId {
        self.variables.push(variable);
        VarId(self.variables.len() as u32 - 1)
    }

    /// One more parameter.
    pub fn add_param(&mut self, param: Param) -> ParamId {
        self.params.push(param);
        ParamId(self.params.len() as u32 - 1)
    }

    /// `wanted`, with a number behind it where a parameter or extent has that name.
    pub fn free_name(&self, wanted: &str) -> String {
        free_name(wanted, &self.extents, &self.params)
    }

    /// The stages in order, each as a kernel that has no other.
    pub fn stages(&self) -> Vec<Cow<'_, Kernel>> {
        if self.later.is_empty() {
            return vec![Cow::Borrowed(self)];
        }
        let first = Kernel {
            later: Vec::new(),
            ..self.clone()
        };
        let later = self.later.iter().map(|stage| {
            let Stage {
                grid,
                blocks,
                variables,
                body,
            } = stage.clone();
            Kernel {
                grid,
                blocks,
                variables,
                body,
                later: Vec::new(),
                ..first.clone()
            }
        });
        let later: Vec<Kernel> = later.collect();
        std::iter::once(first).chain(later).map(Cow::Owned).collect()
    }

    /// The block `id`.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// The tensor `id`, a parameter or a temporary, if it is one.
    pub fn tensor(&self, id: ParamId) -> Option<&TensorParam> {
        match &self.params[id.index()] {
            Param::Tensor(tensor) | Param::Temporary(tensor) => Some(tensor),
            Param::Scalar(_) | Param::Derived(_) => None,
        }
    }

    /// The scalar parameter `id`, if it is one.
    pub fn scalar(&self, id: ParamId) -> Option<&ScalarParam> {
        match &self.params[id.index()] {
            Param::Scalar(scalar) => Some(scalar),
            Param::Tensor(_) | Param::Temporary(_) | Param::Derived(_) => None,
        }
    }

    /// The name of the variable `id`.
    pub fn variable(&self, id: VarId) -> &str {
        &self.variables[id.index()].name
    }

    /// The name of the extent `id`.
    pub fn extent(&self, id: ExtentId) -> &str {
        &self.extents[id.index()].name
    }
}

/// Line and column of a token. Lines count from 1, columns from 0; line 0 means unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceLocation {
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

/// `const M: usize`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extent {
    /// Its name.
    pub name: String,
    /// Its place.
    pub span: Span,
}

/// An integer variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name as written.
    pub name: String,
    /// Its place.
    pub span: Span,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Param {
    /// `a: &Tensor<..>`.
    Tensor(TensorParam),
    /// `alpha: f32`.
    Scalar(ScalarParam),
    /// `let partial = T.alloc_global::<f32>(..);`: passed by the launcher itself.
    Temporary(TensorParam),
    /// What `if alpha > 0.0 { 1 } else { 0 }` is: computed by the launcher itself.
    Derived(DerivedParam),
}

impl Param {
    /// The parameter's name.
    pub fn name(&self) -> &str {
        match self {
            Param::Tensor(tensor) | Param::Temporary(tensor) => &tensor.name,
            Param::Scalar(scalar) => &scalar.name,
            Param::Derived(derived) => &derived.name,
        }
    }
}

/// `a: &Tensor<bf16, M, K>`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TensorParam {
    /// Its name.
    pub name: String,
    /// The name's place.
    pub span: Span,
    /// Its element type.
    pub element: Spanned<ElementType>,
    /// Its extents, outermost first; 1 to 6, over extents and literals only; those of a temporary also over integer scalars.
    pub extents: Vec<Spanned<IntExpr>>,
    /// `&mut`.
    pub mutable: bool,
    /// `#[layout(..)]`.
    pub layout: Layout,
}

/// `alpha: f32`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalarParam {
    /// Its name.
    pub name: String,
    /// The name's place.
    pub span: Span,
    /// Its type.
    pub kind: ScalarKind,
}

/// An integer that a launch computes: 1 where a comparison of numbers holds, else 0. It stands in expressions as a scalar does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DerivedParam {
    /// Its name, which nobody wrote.
    pub name: String,
    /// The comparison.
    pub op: CompareOp,
    /// Its sides, numbers known at launch, each rounded to `f32` once.
    pub sides: [NumberExpr; 2],
}

/// The type of a scalar parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ScalarKind {
    F32,
    I32,
    U32,
}

/// Where a tensor lives and how it is cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The memory.
    pub residence: Residence,
    /// The cut.
    pub sharding: Sharding,
    /// The attribute's place, or the parameter's where there is none.
    pub span: Span,
}

impl Layout {
    /// Whether it lies in the L1 of the cores that have its shards.
    pub fn is_in_shards_of_l1(&self) -> bool {
        self.residence == Residence::L1 && self.sharding != Sharding::Interleaved
    }
}

/// The memory of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Residence {
    Dram,
    L1,
}

/// How a tensor is spread over banks or cores.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharding {
    /// Page by page over all banks.
    #[default]
    Interleaved,
    /// In `g` bands of rows.
    Height(u64),
    /// In `g` bands of columns.
    Width(u64),
    /// In `gy` × `gx` rectangles.
    Block(u64, u64),
    /// Over named axes.
    Nd {
        /// One name per axis of the tensor.
        axes: Vec<String>,
        /// Shards along each axis.
        grid: Vec<u64>,
        /// Elements of a shard along each axis.
        shard: Vec<u64>,
    },
}

/// What `#[tt::kernel(..)]` asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// `fidelity = ..`; `None`: the least that loses nothing of what is multiplied.
    pub fidelity: Option<Fidelity>,
    /// `fp32_acc = ..`; `None`: true when an `f32` fragment accumulates.
    pub fp32_acc: Option<bool>,
    /// `approx = ..`, default false.
    pub approx: bool,
    /// `order = ..`, and its place where it was written.
    pub order: Spanned<Order>,
    /// `multicast = ..`: whether cores may share what they read alike.
    pub multicast: WherePaying,
    /// `split = ..`: whether a long sum of a small grid may be cut into parts.
    pub split: WherePaying,
}

/// How many passes the multiplier makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Fidelity {
    LoFi,
    HiFi2,
    HiFi3,
    HiFi4,
}

/// The order in which a core takes its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Along the first grid axis, or, where a launch is estimated to be faster so, as tensors are sharded.
    Auto,
    /// Along the first grid axis.
    RowMajor,
    /// Along the second grid axis.
    ColumnMajor,
    /// In rectangles of `h` × `w` blocks.
    BlockLinear(u64, u64),
    /// Along the Z curve.
    ZOrder,
    /// Along the Hilbert curve.
    Hilbert,
    /// As the output tensor is sharded.
    MatchShard,
}

/// Whether the compiler does something where it pays, which is the default, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum WherePaying {
    Auto,
    Off,
}

/// `wanted`, with a number behind it where one of these has that name.
pub(crate) fn free_name(wanted: &str, extents: &[Extent], params: &[Param]) -> String {
    let is_taken = |name: &str| {
        let extent = extents.iter().any(|extent| extent.name == name);
        extent || params.iter().any(|param| param.name() == name)
    };
    let mut free = wanted.to_string();
    for number in 2.. {
        if !is_taken(&free) {
            break;
        }
        free = format!("{wanted}_{number}");
    }
    free
}

/// `let (bx, by) = T.Kernel(gx, gy);`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The axes: variable and extent, the fastest first; 1 to 3.
    pub axes: Vec<(VarId, Spanned<IntExpr>)>,
    /// The statement's place.
    pub span: Span,
}

/// A block of elements in a core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Its name.
    pub name: String,
    /// Its place.
    pub span: Span,
    /// How it was allocated.
    pub scope: BlockScope,
    /// Its element type.
    pub element: ElementType,
    /// Its extents: one (a value per row or column), two, or a leading constant axis and two.
    pub shape: Vec<u64>,
}

/// How a block was allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BlockScope {
    Shared,
    Fragment,
}
