//! One block of the grid: its statements, one after the other.

use super::error::{InterpretError, InterpretErrorKind as Kind};
use super::integer::Scope;
use super::launch::Launch;
use super::parallel::{held, uniform};
use super::storage::{BlockData, COLUMN, Marks, PADDING, ROW, TensorData, axis_mark, swap};
use super::{assign, gemm, reduce};
use crate::ir::{Access, BlockId, Buffer, For, IntOp, Op, ParamId, Place, Region, Span, Stmt, StmtKind, VarId};
use std::ops::Range;

/// The state of one block of the grid.
pub(super) struct BlockRun<'a> {
    pub scope: Scope<'a>,
    pub blocks: Vec<BlockData>,
    pub prints: Vec<String>,
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

    /// Where in the grid the block is.
    pub fn coordinates(&self) -> Vec<i64> {
        let axes = &self.scope.launch.kernel.grid.axes;
        axes.iter().map(|(var, _)| self.scope.variables[var.index()]).collect()
    }

    /// Notes a store to a tensor of so many elements from one on, if that is asked for.
    pub fn stores(&self, what: (ParamId, usize, usize), span: Span) {
        let launch = self.scope.launch;
        if let Some(watch) = &launch.watch {
            watch.note(what, (launch.kernel, span), (launch.stage, || self.coordinates()));
        }
    }

    pub fn block_name(&self, id: BlockId) -> String {
        self.scope.launch.kernel.block(id).name.clone()
    }

    pub fn at(&self, span: Span) -> impl Fn(Kind) -> InterpretError + use<'a> {
        let kernel = self.scope.launch.kernel;
        move |kind| InterpretError::at(kernel, span, kind)
    }

    fn body(&mut self, body: &[Stmt]) -> Result<(), InterpretError> {
        body.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), InterpretError> {
        let at = self.at(stmt.note);
        match &stmt.kind {
            StmtKind::Op(Op::Copy { src, dst }) => self.copy(src, dst, stmt.note),
            StmtKind::Op(Op::Fill { block, value }) => {
                let element = self.scope.launch.kernel.block(block.value).element;
                let value = uniform(self, value, element)?;
                self.blocks[block.value.index()].fill(value);
                Ok(())
            }
            StmtKind::Op(Op::Gemm {
                a,
                b,
                acc,
                transpose_a,
                transpose_b,
                clear_accum,
            }) => {
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
            StmtKind::Loop(For { var, start, end, .. }, body) => {
                let start = self.scope.integer(start).map_err(&at)?;
                let end = self.scope.integer(end).map_err(&at)?;
                for value in start..end {
                    self.scope.variables[var.index()] = value;
                    self.body(body)?;
                }
                Ok(())
            }
            StmtKind::If(cond, then, otherwise) => {
                let holds = self.scope.boolean(&cond.value).map_err(self.at(cond.span))?;
                self.body(if holds { then } else { otherwise })
            }
            StmtKind::Group(never, _) => match *never {},
            StmtKind::Op(Op::Parallel { indices, assigns }) => {
                assigns.iter().try_for_each(|assign| assign::run(self, indices, assign))
            }
            StmtKind::Op(Op::Reduce {
                op,
                src,
                out,
                dim,
                clear,
            }) => {
                let from = self.read_block(src.value, src.span)?;
                let to = &mut self.blocks[out.value.index()];
                if !clear && to.has_unset() {
                    return Err(self.at(out.span)(Kind::ReadBeforeWrite(self.block_name(out.value))));
                }
                reduce::reduce(*op, *dim, *clear, &from, to).map_err(at)?;
                let element = self.scope.launch.kernel.block(out.value).element;
                if element.is_integer() {
                    to.values.iter_mut().for_each(|value| *value = held(*value, element));
                }
                Ok(())
            }
            StmtKind::Op(Op::ReduceArg {
                op,
                src,
                val,
                pos,
                dim,
                base,
                clear,
            }) => {
                let from = self.read_block(src.value, src.span)?;
                let base = self.scope.integer(base).map_err(&at)?;
                for out in val.iter().chain([pos]).filter(|_| !clear) {
                    if self.blocks[out.value.index()].has_unset() {
                        return Err(self.at(out.span)(Kind::ReadBeforeWrite(self.block_name(out.value))));
                    }
                }
                let how = (*op, *dim, base, *clear);
                let mut values = val.as_ref().map(|val| self.blocks[val.value.index()].clone());
                let reduced = reduce::reduce_arg(how, &from, values.as_mut(), &mut self.blocks[pos.value.index()]);
                if let (Some(val), Some(values)) = (val, values) {
                    self.blocks[val.value.index()] = values;
                }
                reduced.map_err(at)
            }
            StmtKind::Op(Op::Transpose { src, dst }) => {
                let from = self.read_block(src.value, src.span)?;
                transpose(&from, &mut self.blocks[dst.value.index()]).map_err(at)
            }
            StmtKind::Op(Op::Fetch { var, from }) => self.fetch(*var, from),
            StmtKind::Op(Op::Print { items }) => self.print(items, stmt.note),
            StmtKind::Op(Op::Assert { cond, text }) => {
                match self.scope.boolean(&cond.value).map_err(self.at(cond.span))? {
                    true => Ok(()),
                    false => Err(at(Kind::Assertion {
                        text: text.clone(),
                        block: self.coordinates(),
                    })),
                }
            }
        }
    }

    /// A copy of the block `id`, all of which must have been written.
    pub fn read_block(&self, id: BlockId, span: Span) -> Result<BlockData, InterpretError> {
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
        if region.axes.len() != rank || rank == 0 {
            return Err(unsupported());
        }
        let mut axes = Vec::with_capacity(rank);
        for axis in &region.axes {
            let at = self.at(axis.offset.span);
            let count = match &axis.count {
                Some(count) => usize::try_from(self.scope.integer(count).map_err(&at)?).unwrap_or(0),
                None => axis.extent as usize,
            };
            if count > axis.extent as usize {
                let found = [vec![count], vec![axis.extent as usize]];
                let what = "a range and the block it is copied from or to";
                return Err(at(Kind::Extents { what, found }));
            }
            axes.push(Steps {
                first: self.scope.integer(&axis.offset.value).map_err(at)?,
                step: i64::from(axis.step),
                count,
            });
        }
        let extents = shape_of(region);
        let last = rank - 1;
        let inside = axes[last].inside(tensor.shape[last]);
        // Where nothing is inside there is no first element, and nobody asks for it.
        let first = axes[last].place(inside.start, tensor.shape[last]).unwrap_or(0);
        for run in 0..extents[..last].iter().product() {
            let (mut rest, mut flat, mut stride, mut marks) = (run, first, tensor.shape[last], 0);
            for axis in (0..last).rev() {
                match axes[axis].place(rest % extents[axis], tensor.shape[axis]) {
                    Some(index) => flat = flat.saturating_add(index * stride),
                    None => marks |= mark_of(region, axis),
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
        let past = mark_of(region, data.shape.len() - 1);
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
                let mut flat = run.flat;
                let mut at = inside.start;
                // What has no value is not stored.
                for alike in from.marks[inside].chunk_by(|a, b| (a & PADDING) == (b & PADDING)) {
                    if alike[0] & PADDING == 0 {
                        self.stores((region.tensor, flat, alike.len()), region.span);
                        written &= tensor.write(flat, &from.values[at..at + alike.len()]);
                    }
                    flat += alike.len();
                    at += alike.len();
                }
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

    /// The integer at `from`, as the 32 bits with a sign that integers have; 0 where that is outside the tensor.
    fn fetch(&mut self, var: VarId, from: &Access) -> Result<(), InterpretError> {
        let at = self.at(from.span);
        let unsupported = || at(Kind::Unsupported("an integer of something that is no tensor"));
        let tensor = match from.buffer {
            Buffer::Tensor(id) => self.scope.launch.tensors[id.index()].as_ref(),
            Buffer::Block(_) => None,
        };
        let tensor = tensor.ok_or_else(unsupported)?;
        if from.indices.len() != tensor.shape.len() {
            return Err(unsupported());
        }
        let mut flat = Some(0);
        for (index, extent) in from.indices.iter().zip(&tensor.shape) {
            let index = self.scope.integer(index).map_err(&at)?;
            let inside = usize::try_from(index).ok().filter(|index| index < extent);
            flat = flat.zip(inside).map(|(flat, index)| flat * extent + index);
        }
        let found = flat.map_or(0.0, |flat| tensor.get(flat));
        if found.is_nan() {
            return Err(at(Kind::UnspecifiedInteger(tensor.name.to_string())));
        }
        self.scope.variables[var.index()] = i64::from(found as i64 as i32);
        Ok(())
    }
}

/// The mark of what lies past the tensor along `axis`.
fn mark_of(region: &Region, axis: usize) -> Marks {
    match region.rows_and_columns() {
        Some((Some(rows), _)) if rows == axis => ROW,
        Some((Some(_), columns)) if columns == axis => COLUMN,
        _ => axis_mark(region.axes.len(), axis),
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

/// The elements of a region along one axis.
struct Steps {
    first: i64,
    step: i64,
    count: usize,
}

impl Steps {
    /// Which of them an axis of `extent` elements has.
    fn inside(&self, extent: usize) -> Range<usize> {
        // The first of them that is not below `index`.
        let up_to = |index: i64| {
            let way = IntOp::CeilDiv.apply(index.saturating_sub(self.first), self.step);
            usize::try_from(way.unwrap_or(0)).unwrap_or(0).min(self.count)
        };
        up_to(0)..up_to(i64::try_from(extent).unwrap_or(i64::MAX))
    }

    /// The index of the one numbered `at`, where an axis of `extent` elements has it.
    fn place(&self, at: usize, extent: usize) -> Option<usize> {
        if at >= self.count {
            return None;
        }
        let way = i64::try_from(at).ok()?.checked_mul(self.step)?;
        let index = self.first.checked_add(way)?;
        usize::try_from(index).ok().filter(|index| *index < extent)
    }
}

fn shape_of(region: &Region) -> Vec<usize> {
    region.axes.iter().map(|axis| axis.extent as usize).collect()
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
