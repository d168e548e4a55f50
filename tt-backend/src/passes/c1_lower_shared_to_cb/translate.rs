//! From Tile IR to Flow IR over variables.

use super::Variable;
use super::access::Result2d;
use crate::codes;
use crate::flow::{
    BlockOp, BlockStmt, Blocks, Broadcast, BufferId, Depth, Elementwise, FlowLoop, Fold, Gemm, Operand, ProductSees,
    Read, Reduction, Sights, Value, ValueKind, Write,
};
use crate::ir::Kind;
use crate::linear::Signs;
use crate::passes::a1_infer_layout::{Layouts, tiles};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{
    BlockId, ElementOp, IntExpr, Kernel, LoopKind, ParamId, Place, ReduceDim, ReduceOp, Span, Stmt, StmtKind, VarId,
};
use tt_plan::{DataFormat, Number};

/// Statements over variables. What uses see is for `webs` to find; until then it is unknown, and a number for each.
pub struct Translated {
    /// The blocks, then the tensors touched directly.
    pub variables: Vec<Variable>,
    /// What one block of the grid does.
    pub body: Vec<BlockStmt>,
    /// The definitions given out.
    pub sights: Sights,
}

/// Why a statement is refused.
pub(super) type Refused = Diagnostic;

/// Runs the step.
pub fn run(kernel: &Kernel, layouts: &Layouts) -> Result<Translated, Vec<Diagnostic>> {
    let variables = kernel
        .blocks
        .iter()
        .enumerate()
        .map(|(index, block)| Variable {
            name: block.name.clone(),
            block: Some(BlockId(index as u32)),
            span: block.span,
            format: layouts.blocks[index].format,
            extent: layouts.blocks[index].extent,
            depth: layouts.blocks[index].depth,
        })
        .collect();
    let ranges = kernel
        .grid
        .axes
        .iter()
        .map(|(var, extent)| (*var, extent.value.clone()))
        .collect();
    let mut this = Translate {
        kernel,
        layouts,
        variables,
        ranges,
        signs: Signs::of(kernel),
        stages: None,
        sights: Sights::default(),
        errors: Vec::new(),
    };
    let body = this.body(&kernel.body);
    if this.errors.is_empty() {
        Ok(Translated {
            variables: this.variables,
            body,
            sights: this.sights,
        })
    } else {
        Err(this.errors)
    }
}

/// A translation under way.
pub(super) struct Translate<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) layouts: &'a Layouts,
    variables: Vec<Variable>,
    /// One past the last value of the variables in scope.
    pub(super) ranges: Vec<(VarId, IntExpr)>,
    pub(super) signs: Signs,
    /// What `T.Pipelined` around here asks for.
    stages: Option<u32>,
    pub(super) sights: Sights,
    errors: Vec<Diagnostic>,
}

impl Translate<'_> {
    fn body(&mut self, body: &[Stmt]) -> Vec<BlockStmt> {
        let mut out = Vec::new();
        for stmt in body {
            if let Err(error) = self.stmt(stmt, &mut out) {
                self.errors.push(error);
            }
        }
        out
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<BlockStmt>) -> Result<(), Refused> {
        let span = stmt.span;
        let kind = match &stmt.kind {
            StmtKind::Copy { src, dst } => self.copy(src, dst, span)?,
            StmtKind::Fill { block, value } => {
                let everywhere = Result2d {
                    row: None,
                    column: None,
                    extent: self.extent(block.value),
                };
                let value = self.value(value, &everywhere, &mut Vec::new())?;
                self.computed(block.value, value)
            }
            StmtKind::Transpose { src, dst } => {
                let [rows, columns] = self.extent(src.value);
                if self.extent(dst.value) != [columns, rows] {
                    return Err(Diagnostic::new(
                        &codes::SHAPES,
                        span,
                        "the two blocks are not each other's transposed shape",
                    ));
                }
                self.moved(src.value, dst.value, Broadcast::Transpose, span)
            }
            StmtKind::Gemm {
                a,
                b,
                acc,
                transpose_a,
                transpose_b,
                clear_accum,
            } => {
                let operands = [self.gemm_operand(a, span, out)?, self.gemm_operand(b, span, out)?];
                self.gemm(operands, acc.value, [*transpose_a, *transpose_b], *clear_accum, span)?
            }
            StmtKind::Parallel { indices, assigns } => {
                for assign in assigns {
                    self.assign(indices, assign, out)?;
                }
                return Ok(());
            }
            StmtKind::For {
                var,
                start,
                end,
                kind,
                body,
            } => {
                let outer = self.stages;
                if let LoopKind::Pipelined(stages) = kind {
                    self.stages = Some(*stages);
                }
                self.ranges.push((*var, end.clone()));
                let body = self.body(body);
                self.ranges.pop();
                self.stages = outer;
                let head = FlowLoop {
                    var: *var,
                    start: start.clone(),
                    end: end.clone(),
                    kind: *kind,
                };
                Kind::Loop(head, body)
            }
            StmtKind::If { cond, then, otherwise } => {
                let (then, otherwise) = (self.body(then), self.body(otherwise));
                Kind::If(cond.value.clone(), then, otherwise)
            }
            StmtKind::Reduce {
                op,
                src,
                out,
                dim,
                clear,
            } => self.reduce(*op, src.value, out.value, *dim, *clear, span)?,
            StmtKind::Print { .. } => {
                return Err(Diagnostic::new(&codes::PRINT, span, "printing is not compiled yet")
                    .note("leave the statement out"));
            }
        };
        out.push(BlockStmt { kind, note: span });
        Ok(())
    }

    fn extent(&self, block: BlockId) -> [u64; 2] {
        self.layouts.blocks[block.index()].extent
    }

    /// A block that becomes `value`.
    fn computed(&mut self, target: BlockId, value: Value) -> Kind<Blocks> {
        Kind::Op(BlockOp::Elementwise(Elementwise {
            target: variable(target),
            defines: self.sights.define(),
            extent: self.extent(target),
            value,
            compound: false,
        }))
    }

    /// A block that becomes another.
    fn moved(&mut self, src: BlockId, dst: BlockId, broadcast: Broadcast, span: Span) -> Kind<Blocks> {
        let load = self.operand(variable(src), broadcast, [0, 0]);
        let kind = ValueKind::Load(load);
        self.computed(dst, Value { kind, span })
    }

    /// A block that becomes another reduced, folded with what it holds unless that is forgotten.
    fn reduce(
        &mut self,
        op: ReduceOp,
        src: BlockId,
        out: BlockId,
        dim: ReduceDim,
        clear: bool,
        span: Span,
    ) -> Result<Kind<Blocks>, Refused> {
        let value = |kind| Value { kind, span };
        let (fold, both, of) = match op {
            ReduceOp::Sum => (Fold::Sum, ElementOp::Add, None),
            ReduceOp::Mean => (Fold::Mean, ElementOp::Add, None),
            ReduceOp::Max => (Fold::Max, ElementOp::Max, None),
            ReduceOp::Min => (Fold::Min, ElementOp::Min, None),
            ReduceOp::AbsMax => (Fold::Max, ElementOp::Max, Some(ElementOp::Abs)),
        };
        let reduction = Reduction {
            fold,
            along: match dim {
                ReduceDim::Columns => [true, false],
                ReduceDim::Rows => [false, true],
                ReduceDim::All => [true, true],
            },
            extent: self.extent(src),
        };
        let left = [0, 1].map(|axis| {
            if reduction.along[axis] {
                1
            } else {
                reduction.extent[axis]
            }
        });
        if self.extent(out) != left {
            let [rows, columns] = self.extent(out);
            let message = format!("this leaves {} × {}, and goes to {rows} × {columns}", left[0], left[1]);
            return Err(Diagnostic::new(&codes::SHAPES, span, message));
        }
        let of = |load: Value| match of {
            Some(op) => value(ValueKind::Call(op, vec![load])),
            None => load,
        };
        let load = ValueKind::Load(self.operand(variable(src), Broadcast::None, [0, 0]));
        let mut reduced = value(ValueKind::Reduce(reduction, Box::new(of(value(load)))));
        if op == ReduceOp::AbsMax {
            // Of nothing it is 0.
            let zero = value(ValueKind::Number(Number::constant(0.0)));
            reduced = value(ValueKind::Call(both, vec![reduced, zero]));
        }
        if !clear {
            let before = ValueKind::Load(self.operand(variable(out), Broadcast::None, [0, 0]));
            reduced = value(ValueKind::Call(both, vec![of(value(before)), reduced]));
        }
        Ok(self.computed(out, reduced))
    }

    fn copy(&mut self, src: &Place, dst: &Place, span: Span) -> Result<Kind<Blocks>, Refused> {
        match (src, dst) {
            (Place::Tensor(region), Place::Block(block)) => {
                let region = self.region(region, self.extent(block.value))?;
                Ok(Kind::Op(BlockOp::Read(Read {
                    buffer: variable(block.value),
                    defines: self.sights.define(),
                    region,
                })))
            }
            (Place::Block(block), Place::Tensor(region)) => {
                let region = self.region(region, self.extent(block.value))?;
                Ok(Kind::Op(BlockOp::Write(Write {
                    buffer: variable(block.value),
                    sees: self.sights.unknown(),
                    region,
                })))
            }
            (Place::Block(src), Place::Block(dst)) if self.extent(src.value) != self.extent(dst.value) => Err(
                Diagnostic::new(&codes::SHAPES, span, "the two blocks of the copy lie differently")
                    .note("a value per row cannot be copied to a value per column"),
            ),
            (Place::Block(src), Place::Block(dst)) => Ok(self.moved(src.value, dst.value, Broadcast::None, span)),
            (Place::Tensor(_), Place::Tensor(_)) => {
                Err(Diagnostic::new(&codes::SHAPES, span, "a copy goes through a block")
                    .note("copy into a shared block first, then out of it"))
            }
        }
    }

    fn gemm(
        &mut self,
        [(a, a_extent), (b, b_extent)]: [(BufferId, [u64; 2]); 2],
        acc: BlockId,
        [transpose_a, transpose_b]: [bool; 2],
        clear: bool,
        span: Span,
    ) -> Result<Kind<Blocks>, Refused> {
        let flip = |extent: [u64; 2], flip: bool| if flip { [extent[1], extent[0]] } else { extent };
        let ([m, k], [k2, n]) = (flip(a_extent, transpose_a), flip(b_extent, transpose_b));
        let [rows, columns] = self.extent(acc);
        if k != k2 || [rows, columns] != [m, n] {
            let message = format!("a gemm of {m} × {k} by {k2} × {n} into {rows} × {columns}");
            return Err(Diagnostic::new(&codes::SHAPES, span, message));
        }
        let [m, k] = tiles([m, k]);
        let [n, _] = tiles([n, 1]);
        Ok(Kind::Op(BlockOp::Gemm(Gemm {
            a,
            b,
            acc: variable(acc),
            defines: self.sights.define(),
            sees: ProductSees {
                a: self.sights.unknown(),
                b: self.sights.unknown(),
                acc: (!clear).then(|| self.sights.unknown()),
            },
            m,
            n,
            k,
            transpose_a,
            transpose_b,
        })))
    }

    /// The variable for an operand of a gemm, read from its tensor first where it is a region of one.
    fn gemm_operand(
        &mut self,
        place: &Place,
        span: Span,
        out: &mut Vec<BlockStmt>,
    ) -> Result<(BufferId, [u64; 2]), Refused> {
        match place {
            Place::Block(block) => Ok((variable(block.value), self.layouts.blocks[block.value.index()].extent)),
            Place::Tensor(region) => {
                let extent = match region.extents.as_slice() {
                    [n] => [1, *n],
                    [.., rows, columns] => [*rows, *columns],
                    [] => [1, 1],
                };
                let tiles = self.region(region, extent)?;
                let buffer = self.direct(region.tensor, extent);
                let kind = Kind::Op(BlockOp::Read(Read {
                    buffer,
                    defines: self.sights.define(),
                    region: tiles,
                }));
                out.push(BlockStmt { kind, note: span });
                Ok((buffer, extent))
            }
        }
    }

    /// A use of a variable in an element expression.
    pub(super) fn operand(&mut self, buffer: BufferId, broadcast: Broadcast, offset: [u32; 2]) -> Operand {
        Operand {
            buffer,
            offset,
            broadcast,
            sees: Some(self.sights.unknown()),
        }
    }

    /// A variable for a tensor that is touched directly.
    pub(super) fn direct(&mut self, tensor: ParamId, extent: [u64; 2]) -> BufferId {
        let format = self.layouts.tensors[tensor.index()].map_or(DataFormat::Float16B, |layout| layout.format);
        let (name, span) = self
            .kernel
            .tensor(tensor)
            .map_or((String::new(), Span(0)), |t| (t.name.clone(), t.span));
        let depth = self.stages.map_or(Depth::Default, Depth::Asked);
        self.variables.push(Variable {
            name: format!("{name}_block"),
            block: None,
            span,
            format,
            extent,
            depth,
        });
        BufferId(self.variables.len() - 1)
    }
}

pub(super) fn variable(block: BlockId) -> BufferId {
    BufferId(block.index())
}
