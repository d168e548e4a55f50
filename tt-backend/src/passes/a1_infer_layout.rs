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
use crate::flow::{Depth, Index, MOST_PER_ELEMENT};
use crate::ir::{Kind, visit};
use crate::passes::facts;
pub use crate::passes::orient_vectors::Orientation;
use crate::passes::orient_vectors::Orientations;
use crate::passes::split_conditions::Tile;
use crate::pipeline::{Form, Pass};
use crate::target;
use crate::verify::tile::laid;
use tt_device::{TILE_SIDE, tiles_along};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::hash::HashSet;
use tt_lang::ir::{
    BlockId, Buffer, ElementKind, ElementType, IntExpr, IntOp, Kernel, Linear, Op, Param, ParamId, Place, Sharding,
    Span, Stmt, VarId,
};
use tt_plan::DataFormat;

/// Tiles of a block along one of its axes, far more than L1 has.
pub const MOST_TILES: u32 = 1 << 12;

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
    check: laid,
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

/// The layout of a tensor's tiles; which banks of which memory they go to is in its parameter.
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
    extent.map(|elements| u32::try_from(tiles_along(elements)).unwrap_or(u32::MAX))
}

/// Runs the pass.
pub fn run(kernel: &Kernel) -> Result<Layouts, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let moved = tensors_moved(&kernel.body);
    let tensors: Vec<Option<TensorLayout>> = kernel
        .params
        .iter()
        .map(|param| match param {
            Param::Scalar(_) | Param::Derived(_) => None,
            Param::Tensor(tensor) | Param::Temporary(tensor) => {
                if let Sharding::Nd { shard, .. } = &tensor.layout.sharding
                    && !shard
                        .iter()
                        .rev()
                        .take(2)
                        .all(|extent| extent.is_multiple_of(u64::from(TILE_SIDE)))
                {
                    let message = format!("shards of {shard:?} elements cut tiles");
                    let note = "a tile is 32 × 32 elements: shards are multiples of 32 along the last two axes";
                    errors.push(Diagnostic::new(&codes::LAYOUT, tensor.layout.span, message).note(note));
                }
                Some(TensorLayout {
                    format: DataFormat::of(tensor.element.value),
                })
            }
        })
        .collect();

    let orientations = Orientations::of(kernel);

    let mut blocks = Vec::new();
    for (index, block) in kernel.blocks.iter().enumerate() {
        if DataFormat::of(block.element).shares_exponents() && block.shape.len() == 1 {
            let message = format!("a vector of `{}` is not compiled", block.element.name());
            let note = "its elements would share exponents with what lies beside them: use `bf16` or `f32`";
            errors.push(Diagnostic::new(&codes::ELEMENT_TYPE, block.span, message).note(note));
        }
        let orientation = orientations.vector(BlockId(index as u32));
        let extent = match (block.shape.as_slice(), orientation) {
            ([n], Some(Orientation::Row)) => [1, *n],
            ([n], _) => [*n, 1],
            ([rows, columns], _) => [*rows, *columns],
            _ => {
                errors.push(
                    Diagnostic::new(
                        &codes::STACKED_BLOCK,
                        block.span,
                        format!("a block of {} axes", block.shape.len()),
                    )
                    .note("a block has one axis or two, and three where it is a stack of blocks"),
                );
                [1, 1]
            }
        };
        if tiles(extent).iter().any(|count| *count > MOST_TILES) {
            let message = format!(
                "a block of {} × {} elements is far larger than L1",
                extent[0], extent[1]
            );
            let note = "a core has about 1.4 MB, 700 tiles of `bf16`: let each block of the grid have a part, as `T.alloc_shared::<E>(64, 64)`, or loop over parts";
            errors.push(Diagnostic::new(&codes::L1_CAPACITY, block.span, message).note(note));
        }
        blocks.push(BlockLayout {
            format: DataFormat::of(block.element),
            extent,
            orientation,
            depth: Depth::Default,
        });
    }
    let wide = |element: ElementType| element == ElementType::F32;
    let holds_integers = integers(kernel, &moved);
    let fp32_dest = kernel.options.fp32_acc.unwrap_or_else(|| {
        kernel.blocks.iter().any(|block| wide(block.element))
            || kernel.params.iter().any(|param| match param {
                Param::Tensor(tensor) | Param::Temporary(tensor) => wide(tensor.element.value),
                Param::Scalar(_) | Param::Derived(_) => false,
            })
            || holds_integers.is_some()
            || calls_wide_function(&kernel.body, kernel.options.approx)
            || compares_wide_integers(&kernel.body).is_some()
    });
    if !fp32_dest && let Some(span) = holds_integers {
        let message = "integers and `f16` are computed in 32-bit registers, which `fp32_acc = false` rules out";
        errors.push(Diagnostic::new(&codes::ELEMENT_TYPE, span, message).note("leave `fp32_acc = false` out"));
    }
    if !fp32_dest && let Some(span) = compares_wide_integers(&kernel.body) {
        errors.push(wide_comparison(span));
    }
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

/// The first tensor or block whose elements are integers, apart from tensors that integers are only fetched from, or the first
/// number that an expression makes an integer, or one of `f16`.
fn integers(kernel: &Kernel, moved: &HashSet<ParamId>) -> Option<Span> {
    let tensors = kernel
        .params
        .iter()
        .enumerate()
        .filter_map(|(index, param)| match param {
            Param::Tensor(tensor) | Param::Temporary(tensor) if moved.contains(&ParamId(index as u32)) => {
                Some((tensor.element.value, tensor.element.span))
            }
            Param::Tensor(_) | Param::Temporary(_) | Param::Scalar(_) | Param::Derived(_) => None,
        });
    let blocks = kernel.blocks.iter().map(|block| (block.element, block.span));
    let mut all = tensors.chain(blocks);
    let is_made = |kind: &ElementKind, indices: &[(VarId, u64)]| {
        // What is no sum of multiples of indices is computed as elements are.
        let is_computed = |expr: &IntExpr| {
            let sum = Linear::of(expr);
            let is_small = |slope: i64| slope.unsigned_abs() <= MOST_PER_ELEMENT;
            indices.iter().any(|(var, _)| !sum.slope(*var).is_some_and(is_small))
        };
        match kind {
            ElementKind::Cast(to, _) => to.is_integer() || *to == ElementType::F16,
            ElementKind::Call(op, _) => op.row().is_of_integers_alone(),
            ElementKind::Int(expr) => is_computed(expr),
            ElementKind::CompareInt(_, a, b) => is_computed(&IntExpr::binary(IntOp::Sub, a.clone(), b.clone())),
            ElementKind::Float(_)
            | ElementKind::Bool(_)
            | ElementKind::Scalar(_)
            | ElementKind::Load(_)
            | ElementKind::Compare(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_)
            | ElementKind::Select(..) => false,
        }
    };
    all.find_map(|(element, span)| element.is_integer().then_some(span))
        .or_else(|| part(&kernel.body, &is_made))
}

/// Whether an element expression calls a function that is composed in 32-bit registers, or, in a kernel that is not approximate,
/// computes with indices.
fn calls_wide_function(body: &[Stmt], approximate: bool) -> bool {
    let is_wide = |kind: &ElementKind, _: &[(VarId, u64)]| match kind {
        ElementKind::Call(op, _) => op.row().wants_wide_registers(approximate),
        // Registers of 16 bits hold integers to 256.
        ElementKind::CompareInt(..) => !approximate,
        ElementKind::Int(expr) => !approximate && !expr.is_launch_constant(),
        ElementKind::Cast(..)
        | ElementKind::Float(_)
        | ElementKind::Bool(_)
        | ElementKind::Scalar(_)
        | ElementKind::Load(_)
        | ElementKind::Compare(..)
        | ElementKind::And(..)
        | ElementKind::Or(..)
        | ElementKind::Not(_)
        | ElementKind::Select(..) => false,
    };
    part(body, &is_wide).is_some()
}

/// The first comparison of sums of multiples of indices that registers of 16 bits do not hold.
fn compares_wide_integers(body: &[Stmt]) -> Option<Span> {
    part(body, &|kind, indices| {
        let ElementKind::CompareInt(_, a, b) = kind else {
            return false;
        };
        let difference = Linear::difference(a, b);
        let mut steps = indices.iter().map(|(var, _)| difference.coefficient(*var));
        // Of one index it does not matter along which axis it lies.
        let index = Index {
            row: steps.next().unwrap_or_default(),
            column: steps.next().unwrap_or_default(),
            rest: IntExpr::Const(0),
        };
        index.divisor(false).is_none()
    })
}

/// Refuses a comparison of integers that registers of 16 bits do not hold.
pub(in crate::passes) fn wide_comparison(span: Span) -> Diagnostic {
    let message = "this comparison of both indices is computed in 32-bit registers, which `fp32_acc = false` rules out";
    Diagnostic::new(&codes::ELEMENT_TYPE, span, message).note("leave `fp32_acc = false` out")
}

/// The first part of an element expression of a loop that is as `is` says, which is told the indices of the loop too.
fn part(body: &[Stmt], is: &impl Fn(&ElementKind, &[(VarId, u64)]) -> bool) -> Option<Span> {
    let mut found = None;
    visit(body, &mut |stmt| {
        if let Kind::Op(Op::Parallel { indices, assigns }) = &stmt.kind {
            for assign in assigns {
                assign.value.walk(&mut |part| {
                    found = found.or_else(|| is(&part.kind, indices).then_some(part.span));
                });
            }
        }
    });
    found
}

/// The tensors whose elements blocks hold or are made of, or that are stored to: all that is done with them but fetching.
fn tensors_moved(body: &[Stmt]) -> HashSet<ParamId> {
    let mut moved = HashSet::default();
    visit(body, &mut |stmt| {
        if let Kind::Op(Op::Copy { src: a, dst: b } | Op::Gemm { a, b, .. }) = &stmt.kind {
            for place in [a, b] {
                if let Place::Tensor(region) = place {
                    moved.insert(region.tensor);
                }
            }
        }
        stmt.accesses(&mut |access, _| {
            if let Buffer::Tensor(tensor) = access.buffer {
                moved.insert(tensor);
            }
        });
    });
    moved
}
