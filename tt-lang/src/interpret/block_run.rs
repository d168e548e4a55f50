//! One block of the grid: its statements, one after the other.

use super::error::{InterpretError, InterpretErrorKind as Kind};
use super::integer::Scope;
use super::launch::Launch;
use super::parallel::uniform;
use super::storage::{BlockData, Marks, TensorData, axis_mark, swap};
use super::{assign, gemm, reduce};
use crate::ir::{BlockId, Place, PrintItem, Region, Span, Stmt, StmtKind};
use std::ops::Range;

/// The state of one block of the grid.
pub(super) struct BlockRun<'a> {
    pub scope: Scope<'a>,
    pub blocks: Vec<BlockData>,
    prints: Vec<String>,
}

impl<'a> BlockRun<'a> {
    /// Block number `id`, counted along the first grid axis first.
    pub fn new(launch: &'a Launch<'a>, id: u64) -> Self {
        let mut scope = launch.scope();
        let mut rest = id;
        for ((var, _), extent) in launch.kernel.grid.axes.iter().zip(&launch.grid) {
            scope.variables[var.index()] = (rest % extent) as i64;
            rest /= extent;
        }
        let blocks = launch
            .kernel
            .blocks
            .iter()
            .map(|block| BlockData::unset(block.shape.iter().map(|extent| *extent as usize).collect()))
            .collect();
        BlockRun {
            scope,
            blocks,
            prints: Vec::new(),
        }
    }

    /// Runs the kernel's body and gives back what it printed.
    pub fn run(mut self) -> Result<Vec<String>, InterpretError> {
        self.body(&self.scope.launch.kernel.body)?;
        Ok(self.prints)
    }

    pub fn block_name(&self, id: BlockId) -> String {
        self.scope.launch.kernel.block(id).name.clone()
    }

    fn at(&self, span: Span) -> impl Fn(Kind) -> InterpretError + use<'a> {
        let kernel = self.scope.launch.kernel;
        move |kind| InterpretError::at(kernel, span, kind)
    }

    fn body(&mut self, body: &[Stmt]) -> Result<(), InterpretError> {
        body.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), InterpretError> {
        let at = self.at(stmt.span);
        match &stmt.kind {
            StmtKind::Copy { src, dst } => self.copy(src, dst, stmt.span),
            StmtKind::Fill { block, value } => {
                let value = uniform(self, value)?;
                self.blocks[block.value.index()].fill(value);
                Ok(())
            }
            StmtKind::Gemm {
                a,
                b,
                acc,
                transpose_a,
                transpose_b,
                clear_accum,
            } => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                let a = gemm::Operand::rows(&a, *transpose_a).map_err(&at)?;
                let b = gemm::Operand::columns(&b, *transpose_b).map_err(&at)?;
                let out = &mut self.blocks[acc.value.index()];
                if *clear_accum {
                    out.fill(0.0);
                } else if out.has_unset() {
                    return Err(self.at(acc.span)(Kind::ReadBeforeWrite(self.block_name(acc.value))));
                }
                gemm::accumulate(&a, &b, out).map_err(at)
            }
            StmtKind::For {
                var, start, end, body, ..
            } => {
                let start = self.scope.integer(start).map_err(&at)?;
                let end = self.scope.integer(end).map_err(&at)?;
                for value in start..end {
                    self.scope.variables[var.index()] = value;
                    self.body(body)?;
                }
                Ok(())
            }
            StmtKind::If { cond, then, otherwise } => {
                let holds = self.scope.boolean(&cond.value).map_err(self.at(cond.span))?;
                self.body(if holds { then } else { otherwise })
            }
            StmtKind::Parallel { indices, assigns } => {
                assigns.iter().try_for_each(|assign| assign::run(self, indices, assign))
            }
            StmtKind::Reduce {
                op,
                src,
                out,
                dim,
                clear,
            } => {
                let from = self.read_block(src.value, src.span)?;
                let to = &mut self.blocks[out.value.index()];
                if !clear && to.has_unset() {
                    return Err(self.at(out.span)(Kind::ReadBeforeWrite(self.block_name(out.value))));
                }
                reduce::reduce(*op, *dim, *clear, &from, to).map_err(at)
            }
            StmtKind::Transpose { src, dst } => {
                let from = self.read_block(src.value, src.span)?;
                transpose(&from, &mut self.blocks[dst.value.index()]).map_err(at)
            }
            StmtKind::Print { items } => self.print(items, stmt.span),
        }
    }

    /// A copy of the block `id`, all of which must have been written.
    fn read_block(&self, id: BlockId, span: Span) -> Result<BlockData, InterpretError> {
        let block = &self.blocks[id.index()];
        if block.has_unset() {
            return Err(self.at(span)(Kind::ReadBeforeWrite(self.block_name(id))));
        }
        Ok(block.clone())
    }

    fn operand(&self, place: &Place) -> Result<BlockData, InterpretError> {
        match place {
            Place::Block(block) => self.read_block(block.value, block.span),
            Place::Tensor(region) => self.read_region(region),
        }
    }

    fn copy(&mut self, src: &Place, dst: &Place, span: Span) -> Result<(), InterpretError> {
        let from = self.operand(src)?;
        match dst {
            Place::Block(block) => {
                let to = &mut self.blocks[block.value.index()];
                if !same_extents(&from.shape, &to.shape) {
                    let found = [from.shape.clone(), to.shape.clone()];
                    return Err(self.at(span)(Kind::Extents {
                        what: "a copy between blocks",
                        found,
                    }));
                }
                to.assign(&from);
                Ok(())
            }
            Place::Tensor(region) => self.write_region(region, &from),
        }
    }

    /// Calls `visit` for every run of elements along the last axis of `region`, and gives back the tensor.
    fn region_runs(&self, region: &Region, visit: &mut dyn FnMut(&TensorData<'_>, Run)) -> Result<(), InterpretError> {
        let unsupported = || self.at(region.span)(Kind::Unsupported("a region of something that is no tensor"));
        let tensor = self.scope.launch.tensors[region.tensor.index()]
            .as_ref()
            .ok_or_else(unsupported)?;
        let rank = tensor.shape.len();
        if region.offsets.len() != rank || region.extents.len() != rank || rank == 0 {
            return Err(unsupported());
        }
        let mut offsets = Vec::with_capacity(rank);
        for offset in &region.offsets {
            offsets.push(self.scope.integer(&offset.value).map_err(self.at(offset.span))?);
        }
        let extents = shape_of(region);
        let last = rank - 1;
        let inside = overlap(offsets[last], extents[last], tensor.shape[last]);
        // Where nothing is inside there is no first element, and nobody asks for it.
        let first = place(offsets[last], inside.start, tensor.shape[last]).unwrap_or(0);
        for run in 0..extents[..last].iter().product() {
            let (mut rest, mut flat, mut stride, mut marks) = (run, first, tensor.shape[last], 0);
            for axis in (0..last).rev() {
                match place(offsets[axis], rest % extents[axis], tensor.shape[axis]) {
                    Some(index) => flat = flat.saturating_add(index * stride),
                    None => marks |= axis_mark(rank, axis),
                }
                rest /= extents[axis];
                stride *= tensor.shape[axis];
            }
            visit(
                tensor,
                Run {
                    at: run * extents[last],
                    flat,
                    inside: inside.clone(),
                    marks,
                },
            );
        }
        Ok(())
    }

    fn read_region(&self, region: &Region) -> Result<BlockData, InterpretError> {
        let mut data = BlockData::unset(shape_of(region));
        let width = data.shape.last().copied().unwrap_or(0);
        let past = data.axis_mark(data.shape.len() - 1);
        self.region_runs(region, &mut |tensor, run| {
            let inside = run.at + run.inside.start..run.at + run.inside.end;
            data.marks[run.at..run.at + width].fill(run.marks | past);
            data.marks[inside.clone()].fill(run.marks);
            if run.marks == 0 && !inside.is_empty() {
                tensor.read(run.flat, &mut data.values[inside]);
            }
        })?;
        Ok(data)
    }

    fn write_region(&self, region: &Region, from: &BlockData) -> Result<(), InterpretError> {
        let shape = shape_of(region);
        if !same_extents(&from.shape, &shape) {
            let found = [from.shape.clone(), shape];
            return Err(self.at(region.span)(Kind::Extents {
                what: "a copy from a block to a tensor",
                found,
            }));
        }
        let mut written = true;
        self.region_runs(region, &mut |tensor, run| {
            if run.marks == 0 && !run.inside.is_empty() {
                let inside = run.at + run.inside.start..run.at + run.inside.end;
                written &= tensor.write(run.flat, &from.values[inside]);
            }
        })?;
        if written {
            Ok(())
        } else {
            Err(self.at(region.span)(Kind::Unsupported(
                "a tensor that is only read is written",
            )))
        }
    }

    fn print(&mut self, items: &[PrintItem], span: Span) -> Result<(), InterpretError> {
        let mut line = String::new();
        for item in items {
            if !line.is_empty() {
                line.push(' ');
            }
            match item {
                PrintItem::Text(text) => line.push_str(text),
                PrintItem::Value(value) => {
                    line.push_str(&self.scope.integer(value).map_err(self.at(span))?.to_string());
                }
                PrintItem::Block(id) => {
                    let block = self.read_block(*id, span)?;
                    line.push_str(&format!(
                        "{} {:?} {:?}",
                        self.block_name(*id),
                        block.shape,
                        block.values
                    ));
                }
            }
        }
        self.prints.push(line);
        Ok(())
    }
}

/// Elements of a region that follow each other along its last axis.
struct Run {
    /// The first one's place in the block.
    at: usize,
    /// The place in the tensor of the first one inside; meaningless where there are marks.
    flat: usize,
    /// Which of them lie within the last axis.
    inside: Range<usize>,
    /// What the other axes say of all of them.
    marks: Marks,
}

/// Which of `count` elements from `offset` on an axis of `extent` elements has.
fn overlap(offset: i64, count: usize, extent: usize) -> Range<usize> {
    let up_to = |index: i64| usize::try_from(index.saturating_sub(offset)).unwrap_or(0).min(count);
    up_to(0)..up_to(i64::try_from(extent).unwrap_or(i64::MAX))
}

/// The index `at` elements after `offset`, where an axis of `extent` elements has it.
fn place(offset: i64, at: usize, extent: usize) -> Option<usize> {
    let index = offset.checked_add(i64::try_from(at).ok()?)?;
    usize::try_from(index).ok().filter(|index| *index < extent)
}

fn shape_of(region: &Region) -> Vec<usize> {
    region.extents.iter().map(|extent| *extent as usize).collect()
}

/// Whether the extents are the same but for axes of one element.
fn same_extents(a: &[usize], b: &[usize]) -> bool {
    let real = |extents: &[usize]| {
        extents
            .iter()
            .copied()
            .filter(|extent| *extent != 1)
            .collect::<Vec<_>>()
    };
    real(a) == real(b)
}

fn transpose(from: &BlockData, to: &mut BlockData) -> Result<(), Kind> {
    let extents = || Kind::Extents {
        what: "a transpose",
        found: [from.shape.clone(), to.shape.clone()],
    };
    let ((rows, columns), (to_rows, to_columns)) =
        (from.matrix().ok_or_else(extents)?, to.matrix().ok_or_else(extents)?);
    if (rows, columns) != (to_columns, to_rows) {
        return Err(extents());
    }
    for r in 0..rows {
        for c in 0..columns {
            to.values[c * rows + r] = from.values[r * columns + c];
            to.marks[c * rows + r] = swap(from.marks[r * columns + c]);
        }
    }
    Ok(())
}
