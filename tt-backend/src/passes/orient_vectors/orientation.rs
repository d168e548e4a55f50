//! Which way every vector lies.

use crate::ir::operations;
use tt_lang::ir::{Access, BlockId, Buffer, ElementKind, Kernel, Linear, Op, Place, ReduceDim, Region, Spanned, VarId};

/// How a block of one axis lies in its tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// Down column 0: a value per row.
    Column,
    /// Along row 0: a value per column.
    Row,
}

/// How every vector of a kernel lies.
#[derive(Debug, Clone)]
pub struct Orientations {
    /// By block; none for blocks of two axes.
    of: Vec<Option<Orientation>>,
}

impl Orientations {
    /// Those of a kernel: each as it is first used, or else as the vectors that it meets.
    pub fn of(kernel: &Kernel) -> Orientations {
        let mut inference = Inference {
            kernel,
            of: vec![None; kernel.blocks.len()],
            links: Vec::new(),
        };
        operations(&kernel.body, &mut |op| inference.operation(op));
        inference.propagate();
        let found = kernel.blocks.iter().zip(inference.of);
        let of = found.map(|(block, found)| match block.shape.len() {
            1 => Some(found.unwrap_or(Orientation::Column)),
            _ => None,
        });
        Orientations { of: of.collect() }
    }

    /// That of a vector; none for a block of two axes.
    pub fn vector(&self, block: BlockId) -> Option<Orientation> {
        self.of.get(block.index()).copied().flatten()
    }
}

/// How a vector lies that is copied from or to a region; none where it has one element.
pub fn of_region(region: &Region) -> Option<Orientation> {
    let extent = |axis: usize| region.axes[axis].extent;
    match region.rows_and_columns() {
        Some((None, _)) => Some(Orientation::Row),
        Some((Some(rows), columns)) if extent(rows) == 1 && extent(columns) > 1 => Some(Orientation::Row),
        Some((Some(rows), columns)) if extent(rows) > 1 && extent(columns) == 1 => Some(Orientation::Column),
        _ => None,
    }
}

/// How the elements of a block of two axes lie that are all in one column or one row; none where they are not, or are one.
pub fn of_shape(shape: &[u64]) -> Option<Orientation> {
    match shape {
        [rows, 1] if *rows > 1 => Some(Orientation::Column),
        [1, columns] if *columns > 1 => Some(Orientation::Row),
        _ => None,
    }
}

/// How a vector lies that a reduction leaves; none where it has one element.
pub fn of_reduction(dim: ReduceDim) -> Option<Orientation> {
    match dim {
        ReduceDim::Rows => Some(Orientation::Column),
        ReduceDim::Columns => Some(Orientation::Row),
        ReduceDim::All => None,
    }
}

struct Inference<'a> {
    kernel: &'a Kernel,
    of: Vec<Option<Orientation>>,
    /// Blocks that lie the same way.
    links: Vec<(BlockId, BlockId)>,
}

impl Inference<'_> {
    fn is_vector(&self, block: BlockId) -> bool {
        self.kernel.block(block).shape.len() == 1
    }

    /// A vector lies as it is first used.
    fn set(&mut self, block: BlockId, orientation: Orientation) -> bool {
        if !self.is_vector(block) || self.of[block.index()].is_some() {
            return false;
        }
        self.of[block.index()] = Some(orientation);
        true
    }

    fn propagate(&mut self) {
        let links = std::mem::take(&mut self.links);
        let mut changed = true;
        while changed {
            changed = false;
            for (a, b) in &links {
                for (from, to) in [(*a, *b), (*b, *a)] {
                    if let Some(orientation) = self.of[from.index()] {
                        changed |= self.set(to, orientation);
                    }
                }
            }
        }
    }

    fn operation(&mut self, op: &Op) {
        match op {
            Op::Copy { src, dst } => match (src, dst) {
                (Place::Block(a), Place::Block(b)) => {
                    if self.is_vector(a.value) && self.is_vector(b.value) {
                        self.links.push((a.value, b.value));
                    }
                }
                (Place::Block(block), Place::Tensor(region)) | (Place::Tensor(region), Place::Block(block)) => {
                    if let Some(orientation) = of_region(region) {
                        self.set(block.value, orientation);
                    }
                }
                (Place::Tensor(_), Place::Tensor(_)) => {}
            },
            Op::Parallel { indices, assigns } => {
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
            Op::Reduce { out, dim, .. } => self.reduced(out, *dim),
            Op::ReduceArg { val, pos, dim, .. } => {
                val.iter().chain([pos]).for_each(|out| self.reduced(out, *dim));
            }
            Op::Fill { .. }
            | Op::Gemm { .. }
            | Op::Transpose { .. }
            | Op::Fetch { .. }
            | Op::Print { .. }
            | Op::Assert { .. } => {}
        }
    }

    fn reduced(&mut self, out: &Spanned<BlockId>, dim: ReduceDim) {
        if let Some(orientation) = of_reduction(dim) {
            self.set(out.value, orientation);
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
                    self.set(block, Orientation::Column);
                } else if along(0, *j) {
                    self.set(block, Orientation::Row);
                }
            }
            ([_], 1) => match vectors {
                None => *vectors = Some(block),
                Some(first) => self.links.push((*first, block)),
            },
            // x[(i, 0)] beside v[i] under one index: v lies down the rows, and the other way round.
            ([i], 2) => {
                let orientation = if along(0, *i) {
                    Orientation::Column
                } else {
                    Orientation::Row
                };
                if let Some(vector) = *vectors {
                    self.set(vector, orientation);
                }
            }
            _ => {}
        }
    }
}
