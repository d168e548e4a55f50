//! A1: the layout of every tensor and block.
//!
//! Before: Tile IR as parsed. After: every tensor has a format the compiler handles, every block a format, its tiles, and,
//! where it has one axis, an orientation: down column 0 of its tiles or along row 0.
//!
//! ```text
//!  row_max: fragment f32[32], read as row_max[i] under (i, j)   ⟹   column vector, 1 × 1 tiles, Float32
//!  bias: shared bf16[64], copied from a rank-1 tensor           ⟹   row vector, 1 × 2 tiles, Float16_b
//! ```

#![warn(clippy::arithmetic_side_effects)]

use crate::codes;
use crate::flow::Depth;
use crate::linear::Linear;
use crate::passes::facts;
use crate::passes::split_conditions::Tile;
use crate::pipeline::{Form, Pass};
use crate::target;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{
    Access, BlockId, Buffer, ElementKind, ElementType, Kernel, Param, Place, ReduceDim, Residence, Sharding, Span,
    Stmt, StmtKind, VarId,
};
use tt_plan::DataFormat;

/// The pass.
pub const PASS: Pass<Tile, Laid> = Pass {
    name: "A1 infer_layout",
    does: "format, tiles and orientation of every tensor and block",
    run: |Tile { source, kernel }| {
        let layouts = run(&kernel)?;
        Ok(Laid {
            source,
            kernel,
            layouts,
        })
    },
    check: |_| Ok(()),
};

/// Tile IR with layouts.
#[derive(Debug, Clone)]
pub struct Laid {
    /// As parsed.
    pub source: Kernel,
    /// As it is compiled.
    pub kernel: Kernel,
    /// Where its tensors and blocks lie.
    pub layouts: Layouts,
}

impl Form for Laid {
    const NAME: &'static str = "Tile IR and layouts";

    fn text(&self) -> Option<String> {
        Some(facts::layouts(&self.kernel, &self.layouts))
    }
}

/// The layouts of a kernel.
#[derive(Debug, Clone)]
pub struct Layouts {
    /// By parameter; `None` for scalars.
    pub tensors: Vec<Option<TensorLayout>>,
    /// By block.
    pub blocks: Vec<BlockLayout>,
    /// Whether destination registers hold 32 bits.
    pub fp32_dest: bool,
}

impl Layouts {
    /// Tiles that the destination registers hold in one acquire, on every chip.
    pub fn registers(&self) -> u32 {
        let tiles = target::least(|target| target.dst_half_tiles);
        match self.fp32_dest {
            true => tiles.div_euclid(2),
            false => tiles,
        }
    }
}

/// The layout of a tensor: tiles interleaved over DRAM.
#[derive(Debug, Clone, Copy)]
pub struct TensorLayout {
    /// The format of its tiles.
    pub format: DataFormat,
}

/// The layout of a block.
#[derive(Debug, Clone, Copy)]
pub struct BlockLayout {
    /// The format of its tiles.
    pub format: DataFormat,
    /// Elements along rows and columns.
    pub extent: [u64; 2],
    /// How a block of one axis lies.
    pub orientation: Option<Orientation>,
    /// How many versions of it are to be in flight (A2).
    pub depth: Depth,
}

impl BlockLayout {
    /// Rows and columns of tiles.
    pub fn tiles(&self) -> [u32; 2] {
        tiles(self.extent)
    }
}

/// Rows and columns of tiles that hold `extent` elements.
pub fn tiles(extent: [u64; 2]) -> [u32; 2] {
    extent.map(|elements| u32::try_from(elements.div_ceil(32)).unwrap_or(u32::MAX))
}

/// How a block of one axis lies in its tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// Down column 0: a value per row.
    Column,
    /// Along row 0: a value per column.
    Row,
}

/// Runs the pass.
pub fn run(kernel: &Kernel) -> Result<Layouts, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let tensors: Vec<Option<TensorLayout>> = kernel
        .params
        .iter()
        .map(|param| match param {
            Param::Scalar(_) => None,
            Param::Tensor(tensor) => {
                if tensor.layout.residence != Residence::Dram || tensor.layout.sharding != Sharding::Interleaved {
                    errors.push(
                        Diagnostic::new(
                            &codes::LAYOUT,
                            tensor.layout.span,
                            "only tensors interleaved over dram are compiled yet",
                        )
                        .note("leave `#[layout(..)]` out"),
                    );
                }
                check_element(tensor.element.value, tensor.element.span, &mut errors);
                Some(TensorLayout {
                    format: DataFormat::of(tensor.element.value),
                })
            }
        })
        .collect();

    let mut orientations = Orientations {
        kernel,
        of: vec![None; kernel.blocks.len()],
        links: Vec::new(),
        errors: Vec::new(),
    };
    orientations.statements(&kernel.body);
    orientations.propagate();
    errors.append(&mut orientations.errors);

    let mut blocks = Vec::new();
    for (index, block) in kernel.blocks.iter().enumerate() {
        check_element(block.element, block.span, &mut errors);
        let orientation = (block.shape.len() == 1).then(|| orientations.of[index].unwrap_or(Orientation::Column));
        let extent = match (block.shape.as_slice(), orientation) {
            ([n], Some(Orientation::Row)) => [1, *n],
            ([n], _) => [*n, 1],
            ([rows, columns], _) => [*rows, *columns],
            _ => {
                errors.push(
                    Diagnostic::new(
                        &codes::STACKED_BLOCK,
                        block.span,
                        "blocks with a leading axis are not compiled yet",
                    )
                    .note("allocate one block per index of the leading axis"),
                );
                [1, 1]
            }
        };
        if tiles(extent).iter().any(|count| *count > 1 << 12) {
            errors.push(Diagnostic::new(
                &codes::L1_CAPACITY,
                block.span,
                format!(
                    "a block of {} × {} elements is far larger than L1",
                    extent[0], extent[1]
                ),
            ));
        }
        blocks.push(BlockLayout {
            format: DataFormat::of(block.element),
            extent,
            orientation,
            depth: Depth::Default,
        });
    }
    let wide = |element: ElementType| element == ElementType::F32;
    let fp32_dest = kernel.options.fp32_acc.unwrap_or_else(|| {
        kernel.blocks.iter().any(|block| wide(block.element))
            || kernel
                .params
                .iter()
                .any(|param| matches!(param, Param::Tensor(tensor) if wide(tensor.element.value)))
            || !kernel.options.approx && calls_wide_function(&kernel.body)
    });
    if errors.is_empty() {
        Ok(Layouts {
            tensors,
            blocks,
            fp32_dest,
        })
    } else {
        Err(errors)
    }
}

/// Whether an element expression calls a function that is composed in 32-bit registers, or computes with indices.
fn calls_wide_function(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::For { body, .. } => calls_wide_function(body),
        StmtKind::If { then, otherwise, .. } => calls_wide_function(then) || calls_wide_function(otherwise),
        StmtKind::Parallel { assigns, .. } => assigns.iter().any(|assign| {
            let mut calls = false;
            assign.value.walk(&mut |element| {
                calls |= match &element.kind {
                    ElementKind::Call(op, _) => op.row().wants_wide_registers(),
                    // Registers of 16 bits hold integers to 256.
                    ElementKind::CompareInt(..) => true,
                    ElementKind::Int(expr) => !expr.is_launch_constant(),
                    ElementKind::Float(_)
                    | ElementKind::Bool(_)
                    | ElementKind::Scalar(_)
                    | ElementKind::Load(_)
                    | ElementKind::Compare(..)
                    | ElementKind::And(..)
                    | ElementKind::Or(..)
                    | ElementKind::Not(_)
                    | ElementKind::Select(..)
                    | ElementKind::Cast(..) => false,
                };
            });
            calls
        }),
        StmtKind::Copy { .. }
        | StmtKind::Reduce { .. }
        | StmtKind::Fill { .. }
        | StmtKind::Gemm { .. }
        | StmtKind::Transpose { .. }
        | StmtKind::Print { .. } => false,
    })
}

fn check_element(element: ElementType, span: Span, errors: &mut Vec<Diagnostic>) {
    if !matches!(element, ElementType::Bf16 | ElementType::F32) {
        errors.push(
            Diagnostic::new(
                &codes::ELEMENT_TYPE,
                span,
                format!("`{}` is not compiled yet", element.name()),
            )
            .note("use `bf16` or `f32`"),
        );
    }
}

struct Orientations<'a> {
    kernel: &'a Kernel,
    of: Vec<Option<Orientation>>,
    /// Blocks that lie the same way.
    links: Vec<(BlockId, BlockId, Span)>,
    errors: Vec<Diagnostic>,
}

impl Orientations<'_> {
    fn is_vector(&self, block: BlockId) -> bool {
        self.kernel.block(block).shape.len() == 1
    }

    fn set(&mut self, block: BlockId, orientation: Orientation, span: Span) -> bool {
        if !self.is_vector(block) {
            return false;
        }
        match self.of[block.index()] {
            None => {
                self.of[block.index()] = Some(orientation);
                true
            }
            Some(known) => {
                if known != orientation {
                    let name = &self.kernel.block(block).name;
                    self.errors.push(
                        Diagnostic::new(
                            &codes::ACCESS,
                            span,
                            format!("`{name}` is used as a value per row and as a value per column"),
                        )
                        .note("allocate one block for the rows and one for the columns"),
                    );
                }
                false
            }
        }
    }

    fn propagate(&mut self) {
        let links = std::mem::take(&mut self.links);
        let mut changed = true;
        while changed {
            changed = false;
            for (a, b, span) in &links {
                for (from, to) in [(*a, *b), (*b, *a)] {
                    if let Some(orientation) = self.of[from.index()]
                        && self.of[to.index()] != Some(orientation)
                    {
                        let errors = self.errors.len();
                        changed |= self.set(to, orientation, *span);
                        if self.errors.len() > errors {
                            return;
                        }
                    }
                }
            }
        }
    }

    fn statements(&mut self, body: &[Stmt]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::For { body, .. } => self.statements(body),
                StmtKind::If { then, otherwise, .. } => {
                    self.statements(then);
                    self.statements(otherwise);
                }
                StmtKind::Copy { src, dst } => match (src, dst) {
                    (Place::Block(a), Place::Block(b)) if self.is_vector(a.value) && self.is_vector(b.value) => {
                        self.links.push((a.value, b.value, stmt.span));
                    }
                    (Place::Block(block), Place::Tensor(region)) | (Place::Tensor(region), Place::Block(block)) => {
                        match region.extents.as_slice() {
                            [_] => drop(self.set(block.value, Orientation::Row, block.span)),
                            [.., 1, n] if *n > 1 => drop(self.set(block.value, Orientation::Row, block.span)),
                            [.., n, 1] if *n > 1 => drop(self.set(block.value, Orientation::Column, block.span)),
                            _ => {}
                        }
                    }
                    _ => {}
                },
                StmtKind::Parallel { indices, assigns } => {
                    let vars: Vec<VarId> = indices.iter().map(|(var, _)| *var).collect();
                    let mut vectors: Option<BlockId> = None;
                    for assign in assigns {
                        self.access(&assign.target, &vars, &mut vectors);
                        assign.value.walk(&mut |element| {
                            if let ElementKind::Load(access) = &element.kind {
                                self.access(access, &vars, &mut vectors);
                            }
                        });
                    }
                }
                StmtKind::Reduce { out, dim, .. } => match dim {
                    ReduceDim::Rows => drop(self.set(out.value, Orientation::Column, out.span)),
                    ReduceDim::Columns => drop(self.set(out.value, Orientation::Row, out.span)),
                    ReduceDim::All => {}
                },
                StmtKind::Fill { .. } | StmtKind::Gemm { .. } | StmtKind::Transpose { .. } | StmtKind::Print { .. } => {
                }
            }
        }
    }

    fn access(&mut self, access: &Access, vars: &[VarId], vectors: &mut Option<BlockId>) {
        let Buffer::Block(block) = access.buffer else { return };
        let along = |axis: usize, var: VarId| {
            access
                .indices
                .get(axis)
                .is_some_and(|index| Linear::of(index).coefficient(var) != 0)
        };
        match (vars, self.kernel.block(block).shape.len()) {
            ([i, j], 1) => {
                if along(0, *i) {
                    self.set(block, Orientation::Column, access.span);
                } else if along(0, *j) {
                    self.set(block, Orientation::Row, access.span);
                }
            }
            ([_], 1) => match vectors {
                None => *vectors = Some(block),
                Some(first) => self.links.push((*first, block, access.span)),
            },
            // x[(i, 0)] beside v[i] under one index: v lies down the rows, and the other way round.
            ([i], 2) => {
                let orientation = if along(0, *i) {
                    Orientation::Column
                } else {
                    Orientation::Row
                };
                if let Some(vector) = *vectors {
                    self.set(vector, orientation, access.span);
                }
            }
            _ => {}
        }
    }
}
