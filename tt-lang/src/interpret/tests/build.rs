//! Kernels of the tests, built by hand: the interpreter is tested without the parser.

use crate::ir::*;
use crate::tree::Kind;

/// A kernel under construction; every span is the same.
pub struct Build(pub Kernel);

pub const SPAN: Span = Span(0);

pub fn spanned<T>(value: T) -> Spanned<T> {
    Spanned { value, span: SPAN }
}

pub fn int(value: i64) -> IntExpr {
    IntExpr::Const(value)
}

pub fn var(id: VarId) -> IntExpr {
    IntExpr::Var(id)
}

pub fn add(a: IntExpr, b: IntExpr) -> IntExpr {
    IntExpr::binary(IntOp::Add, a, b)
}

pub fn mul(a: IntExpr, b: i64) -> IntExpr {
    IntExpr::binary(IntOp::Mul, a, int(b))
}

pub fn element(kind: ElementKind) -> Element {
    Element { kind, span: SPAN }
}

pub fn number(value: f64) -> Element {
    element(ElementKind::Float(Real(value)))
}

pub fn call<const N: usize>(op: ElementOp, args: [Element; N]) -> Element {
    element(ElementKind::Call(op, args.into()))
}

pub fn access<const N: usize>(buffer: Buffer, indices: [IntExpr; N]) -> Access {
    Access {
        buffer,
        indices: indices.into(),
        span: SPAN,
    }
}

pub fn load<const N: usize>(block: BlockId, indices: [IntExpr; N]) -> Element {
    element(ElementKind::Load(access(Buffer::Block(block), indices)))
}

pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(SPAN, kind)
}

pub fn copy(src: Place, dst: Place) -> Stmt {
    stmt(Kind::Op(Op::Copy { src, dst }))
}

pub fn fill(block: BlockId, value: f64) -> Stmt {
    stmt(Kind::Op(Op::Fill {
        block: spanned(block),
        value: number(value),
    }))
}

pub fn gemm(a: Place, b: Place, acc: BlockId, transpose_b: bool) -> Stmt {
    stmt(Kind::Op(Op::Gemm {
        a,
        b,
        acc: spanned(acc),
        transpose_a: false,
        transpose_b,
        clear_accum: false,
    }))
}

pub fn reduce(op: ReduceOp, src: BlockId, out: BlockId, dim: ReduceDim, clear: bool) -> Stmt {
    stmt(Kind::Op(Op::Reduce {
        op,
        src: spanned(src),
        out: spanned(out),
        dim,
        clear,
    }))
}

pub fn serial(var: VarId, end: IntExpr, body: Vec<Stmt>) -> Stmt {
    stmt(Kind::Loop(
        For {
            var,
            start: int(0),
            end,
            kind: LoopKind::Serial,
        },
        body,
    ))
}

pub fn parallel<const N: usize>(indices: [(VarId, u64); N], target: Access, value: Element) -> Stmt {
    stmt(Kind::Op(Op::Parallel {
        indices: indices.into(),
        assigns: vec![Assign {
            target,
            value,
            compound: false,
            span: SPAN,
        }],
    }))
}

pub fn block(id: BlockId) -> Place {
    Place::Block(spanned(id))
}

pub fn region<const N: usize>(tensor: ParamId, axes: [(IntExpr, u64); N]) -> Place {
    let axes = axes
        .into_iter()
        .map(|(offset, extent)| RegionAxis::run(spanned(offset), extent))
        .collect();
    Place::Tensor(Region {
        tensor,
        axes,
        span: SPAN,
    })
}

impl Build {
    pub fn new() -> Self {
        Build(Kernel {
            name: "kernel".into(),
            span: SPAN,
            file: "test.rs".into(),
            options: Options {
                fidelity: None,
                fp32_acc: None,
                approx: false,
                order: spanned(Order::Auto),
                multicast: WherePaying::Auto,
                split: WherePaying::Auto,
            },
            extents: Vec::new(),
            params: Vec::new(),
            grid: Grid {
                axes: Vec::new(),
                span: SPAN,
            },
            blocks: Vec::new(),
            variables: Vec::new(),
            body: Vec::new(),
            later: Vec::new(),
            locations: vec![SourceLocation { line: 7, column: 4 }],
        })
    }

    pub fn extent(&mut self, name: &str) -> IntExpr {
        self.0.extents.push(Extent {
            name: name.into(),
            span: SPAN,
        });
        IntExpr::Extent(ExtentId(self.0.extents.len() as u32 - 1))
    }

    pub fn tensor<const N: usize>(&mut self, name: &str, extents: [&IntExpr; N], mutable: bool) -> ParamId {
        self.0.params.push(Param::Tensor(TensorParam {
            name: name.into(),
            span: SPAN,
            element: spanned(ElementType::Bf16),
            extents: extents.into_iter().cloned().map(spanned).collect(),
            mutable,
            layout: Layout {
                residence: Residence::Dram,
                sharding: Sharding::Interleaved,
                span: SPAN,
            },
        }));
        ParamId(self.0.params.len() as u32 - 1)
    }

    pub fn scalar(&mut self, name: &str, kind: ScalarKind) -> ParamId {
        self.0.params.push(Param::Scalar(ScalarParam {
            name: name.into(),
            span: SPAN,
            kind,
        }));
        ParamId(self.0.params.len() as u32 - 1)
    }

    pub fn variable(&mut self, name: &str) -> VarId {
        self.0.variables.push(Variable {
            name: name.into(),
            span: SPAN,
        });
        VarId(self.0.variables.len() as u32 - 1)
    }

    pub fn grid(&mut self, name: &str, extent: IntExpr) -> IntExpr {
        let id = self.variable(name);
        self.0.grid.axes.push((id, spanned(extent)));
        var(id)
    }

    pub fn block<const N: usize>(&mut self, name: &str, shape: [u64; N]) -> BlockId {
        self.0.blocks.push(Block {
            name: name.into(),
            span: SPAN,
            scope: BlockScope::Fragment,
            element: ElementType::F32,
            shape: shape.into(),
        });
        BlockId(self.0.blocks.len() as u32 - 1)
    }

    pub fn body(mut self, body: Vec<Stmt>) -> Kernel {
        self.0.body = body;
        self.0
    }
}
