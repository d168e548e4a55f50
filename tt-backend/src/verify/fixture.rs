//! A small device program for tests: `y = exp(x)` in blocks of 2 × 2 tiles, `rounds` times per block of the grid.

use crate::device::function::*;
use crate::device::{
    Accessor, Argument, Bits, Branch, Calls, Cause, CppType, Device, Expr, Leaf, Loop, Operator, Origin, Program,
    Template, call, call_with, line, made, scope, tiles,
};
use crate::flow::{Buffer, BufferId, BufferKind};
use crate::ir::Kind;
use crate::tile_ops::SfpuOp;
use crate::verify::traffic::Traffic;
use tt_lang::ir::{
    BlockScope, Element, ElementKind, ElementType, Extent, ExtentId, Fidelity, Grid, IntExpr, IntOp, Kernel, Layout,
    Op, Options, Order, Param, ParamId, Real, Residence, ScalarKind, ScalarParam, Sharding, SourceLocation, Span,
    Spanned, TensorParam, VarId, Variable, WherePaying,
};
use tt_plan::{
    BlockOrder, CircularBuffer, CompileArg, ComputeConfig, CoreSet, DataFormat, Engine, Formula, KernelPlan, Memory,
    Number, Parameter, PartitionMode, Placement, Plan, Role, RuntimeArg, RuntimeValue, SCHEMA_VERSION, TensorLayout,
    WorkPartition,
};

/// Buffer of the reader's blocks.
pub const X: BufferId = BufferId(0);
/// Buffer of the writer's blocks.
pub const Y: BufferId = BufferId(1);

fn spanned<T>(value: T) -> Spanned<T> {
    Spanned { value, span: Span(0) }
}

fn tensor(name: &str, mutable: bool) -> Param {
    Param::Tensor(TensorParam {
        name: name.into(),
        span: Span(0),
        element: spanned(ElementType::Bf16),
        extents: vec![spanned(IntExpr::Extent(ExtentId(0))), spanned(IntExpr::Const(64))],
        mutable,
        layout: Layout {
            residence: Residence::Dram,
            sharding: Sharding::Interleaved,
            span: Span(0),
        },
    })
}

/// The kernel; its body matters only to comments.
pub fn kernel() -> Kernel {
    let fill = tt_lang::ir::Stmt {
        kind: Kind::Op(Op::Fill {
            block: spanned(tt_lang::ir::BlockId(0)),
            value: Element {
                kind: ElementKind::Float(Real(1.0)),
                span: Span(1),
            },
        }),
        note: Span(1),
    };
    let block = tt_lang::ir::Block {
        name: "x_block".into(),
        span: Span(0),
        scope: BlockScope::Shared,
        element: ElementType::Bf16,
        shape: vec![64, 64],
    };
    Kernel {
        name: "exponential".into(),
        span: Span(0),
        file: "exponential.rs".into(),
        options: Options {
            fidelity: None,
            fp32_acc: None,
            approx: false,
            order: spanned(Order::Auto),
            multicast: WherePaying::Auto,
            split: WherePaying::Auto,
        },
        extents: vec![Extent {
            name: "M".into(),
            span: Span(0),
        }],
        params: vec![
            tensor("x", false),
            tensor("y", true),
            Param::Scalar(ScalarParam {
                name: "alpha".into(),
                span: Span(0),
                kind: ScalarKind::F32,
            }),
        ],
        grid: Grid {
            axes: vec![(VarId(0), spanned(IntExpr::Extent(ExtentId(0))))],
            span: Span(0),
        },
        blocks: vec![block],
        variables: ["by", "k"]
            .map(|name| Variable {
                name: name.into(),
                span: Span(0),
            })
            .to_vec(),
        body: vec![fill],
        later: Vec::new(),
        locations: [1, 7].map(|line| SourceLocation { line, column: 0 }).to_vec(),
    }
}

fn buffer(name: &str, kind: BufferKind) -> Buffer {
    Buffer {
        versions: 2,
        index: Some(u8::from(kind == BufferKind::Outgoing)),
        ..Buffer::new(name.into(), Span(0), kind, DataFormat::Float16B, [2, 2])
    }
}

/// A statement of the emitted code.
pub type Stmt = crate::ir::Stmt<Calls<Bits>>;

/// A statement that is a call.
pub fn run(function: &'static Function, args: impl IntoIterator<Item = Expr<Bits>>) -> Stmt {
    line(call(function, args))
}

/// A call with template arguments.
pub fn run_with(
    function: &'static Function,
    template: impl Into<Template>,
    args: impl IntoIterator<Item = Expr<Bits>>,
) -> Stmt {
    line(call_with(function, template, args))
}

/// A circular buffer call.
pub fn cb(function: &'static Function, buffer: BufferId, pages: i64) -> Stmt {
    run(function, [Expr::Buffer(buffer), Expr::Int(pages)])
}

/// A loop of the user's, over `k` in `0..K_blocks`.
pub fn rounds(body: Vec<Stmt>) -> Stmt {
    let head = Loop::Over {
        var: VarId(1),
        start: Expr::Int(0),
        end: Expr::name("K_blocks"),
        unroll: false,
        ahead: false,
        origin: Origin(1),
    };
    made(Kind::Loop(head, body))
}

/// A branch of the user's, on `by`.
pub fn branch(origin: u32, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    let cond = Expr::operation(Operator::Greater, Expr::name("by"), Expr::Int(3));
    let cause = Cause::User(Origin(origin));
    made(Kind::If(Branch { cond, cause }, then, otherwise))
}

/// The loop over the blocks.
fn over_blocks(mut body: Vec<Stmt>) -> Stmt {
    let by = Leaf::Let {
        kind: CppType::Int,
        name: "by".into(),
        value: Expr::name("block_id"),
    };
    body.insert(0, line(by));
    made(Kind::Loop(Loop::over_blocks(), body))
}

fn page() -> Expr<Bits> {
    let row = Expr::binary(Operator::Mul, Expr::name("by"), Expr::Int(2));
    Expr::binary(Operator::Add, row, Expr::name("column"))
}

/// What moves one block between a tensor and a buffer.
fn transfer(pointer: &'static Function, buffer: BufferId, noc: &'static Function, tensor: ParamId) -> Stmt {
    let address = Expr::Call(Box::new(crate::device::Call {
        function: pointer,
        template: Template::default(),
        args: vec![Expr::Buffer(buffer)],
    }));
    let next = Leaf::Advance {
        name: "dst".into(),
        value: Expr::PageBytes(buffer),
    };
    scope(vec![
        line(Leaf::Let {
            kind: CppType::Word,
            name: "dst".into(),
            value: address,
        }),
        tiles(
            "column",
            4,
            1,
            vec![
                run(noc, [page(), Expr::Accessor(tensor), Expr::name("dst")]),
                line(next),
            ],
        ),
    ])
}

/// What the compute kernel does with one chunk of two tiles.
pub fn chunk() -> Vec<Stmt> {
    let exp = SfpuOp::Exp.row();
    let index = |add| Expr::binary(Operator::Add, Expr::name("tile_column"), Expr::Int(add));
    vec![
        cb(&CB_RESERVE_BACK, Y, 2),
        run(&TILE_REGS_ACQUIRE, []),
        run(&COPY_TILE, [Expr::Buffer(X), index(0), Expr::Int(0)]),
        run(&COPY_TILE, [Expr::Buffer(X), index(1), Expr::Int(1)]),
        run_with(&exp.call, "false", [Expr::Int(0)]),
        run_with(&exp.call, "false", [Expr::Int(1)]),
        run(&TILE_REGS_COMMIT, []),
        run(&TILE_REGS_WAIT, []),
        run_with(&PACK_TILE, "true", [Expr::Int(0), Expr::Buffer(Y), Expr::Int(0)]),
        run_with(&PACK_TILE, "true", [Expr::Int(1), Expr::Buffer(Y), Expr::Int(1)]),
        run(&TILE_REGS_RELEASE, []),
        cb(&CB_PUSH_BACK, Y, 2),
    ]
}

/// What a program does for a block.
pub fn block(device: &mut Device, program: usize) -> &mut Vec<Stmt> {
    let body = device.programs[program].body.iter_mut();
    body.filter_map(|stmt| match &mut stmt.kind {
        Kind::Loop(Loop::Blocks { .. }, body) => Some(body),
        _ => None,
    })
    .next()
    .expect("every program runs over the blocks")
}

/// The device program.
pub fn device() -> Device {
    let start = [
        ("start_id", RuntimeValue::StartId),
        ("count", RuntimeValue::Count),
        ("block_step", RuntimeValue::Step),
    ];
    let blocks = Formula::binary(IntOp::CeilDiv, Formula::Name("M".into()), Formula::Const(64));
    let args = |more: Vec<(&str, CppType, RuntimeValue)>| -> Vec<Argument> {
        let start = start.iter().map(|(name, value)| (*name, CppType::Int, value.clone()));
        start
            .chain(more)
            .map(|(name, kind, value)| Argument {
                kind,
                name: name.into(),
                value,
            })
            .collect()
    };
    let k_blocks = ("K_blocks", CppType::Int, RuntimeValue::Formula(blocks.clone()));
    let address = |tensor: &str| RuntimeValue::Address(tensor.into());
    let accessor = |tensor, name: &str, address: &str| {
        vec![Accessor {
            tensor: ParamId(tensor),
            name: name.into(),
            address: address.into(),
        }]
    };
    let commented = |mut stmt: Stmt| {
        stmt.note = Some(Span(1));
        stmt
    };
    let reader = Program {
        role: Role::Reader,
        args: args(vec![k_blocks.clone(), ("x_address", CppType::Word, address("x"))]),
        accessors: accessor(0, "x", "x_address"),
        defines: vec![],
        body: vec![over_blocks(vec![rounds(vec![
            commented(cb(&CB_RESERVE_BACK, X, 4)),
            transfer(&GET_WRITE_PTR, X, &NOC_ASYNC_READ_PAGE, ParamId(0)),
            run(&NOC_ASYNC_READ_BARRIER, []),
            cb(&CB_PUSH_BACK, X, 4),
        ])])],
    };
    let bits = RuntimeValue::Number(Number::Scalar("alpha".into()));
    let compute = Program {
        role: Role::Compute,
        args: args(vec![k_blocks.clone(), ("alpha_bits", CppType::Word, bits)]),
        accessors: vec![],
        defines: vec![],
        body: vec![
            run(
                &COMPUTE_KERNEL_HW_STARTUP,
                [Expr::Buffer(X), Expr::Buffer(X), Expr::Buffer(Y)],
            ),
            run(&COPY_INIT, [Expr::Buffer(X)]),
            run_with(&SfpuOp::Exp.row().init, "false", []),
            over_blocks(vec![rounds(vec![
                commented(cb(&CB_WAIT_FRONT, X, 4)),
                tiles("tile_column", 4, 2, chunk()),
                cb(&CB_POP_FRONT, X, 4),
            ])]),
        ],
    };
    let writer = Program {
        role: Role::Writer,
        args: args(vec![k_blocks, ("y_address", CppType::Word, address("y"))]),
        accessors: accessor(1, "y", "y_address"),
        defines: vec![],
        body: vec![
            over_blocks(vec![rounds(vec![
                cb(&CB_WAIT_FRONT, Y, 4),
                transfer(&GET_READ_PTR, Y, &NOC_ASYNC_WRITE_PAGE, ParamId(1)),
                run(&NOC_ASYNC_WRITES_FLUSHED, []),
                cb(&CB_POP_FRONT, Y, 4),
            ])]),
            run(&NOC_ASYNC_WRITE_BARRIER, []),
        ],
    };
    let programs = [reader, compute, writer];
    let buffers = vec![
        buffer("x_block", BufferKind::Incoming),
        buffer("y_block", BufferKind::Outgoing),
    ];
    let plan = plan(&programs, &buffers, blocks);
    let variables = ["by", "k"].map(String::from).to_vec();
    Device {
        traffic: Traffic::of(&buffers, &programs).expect("its calls are known"),
        buffers,
        programs,
        variables,
        plan,
    }
}

fn plan(programs: &[Program; 3], buffers: &[Buffer], blocks: Formula) -> Plan {
    let tensor = |name: &str, mutable| Parameter::Tensor {
        name: name.into(),
        element: ElementType::Bf16,
        mutable,
        extents: vec![Formula::Name("M".into()), Formula::Const(64)],
        layout: TensorLayout {
            shard: Memory::Dram,
            interleave: true,
            sharding: Sharding::Interleaved,
            tile_shape: [32, 32],
            page_size: 2048,
        },
    };
    Plan {
        schema: SCHEMA_VERSION,
        kernel: "exponential".into(),
        architectures: vec!["wormhole_b0".into(), "blackhole".into()],
        extents: vec!["M".into()],
        parameters: vec![
            tensor("x", false),
            tensor("y", true),
            Parameter::Scalar {
                name: "alpha".into(),
                kind: ScalarKind::F32,
            },
        ],
        temporaries: Vec::new(),
        derived: Vec::new(),
        grid: vec![blocks],
        work_partition: WorkPartition {
            mode: PartitionMode::Global,
            order: BlockOrder::RowMajor,
            placement: Placement::Linear,
            in_turn: false,
        },
        lone_axes: Vec::new(),
        ranges: Vec::new(),
        circular_buffers: buffers
            .iter()
            .enumerate()
            .map(|(index, buffer)| CircularBuffer {
                index: index as u8,
                name: buffer.name.clone(),
                data_format: buffer.format,
                page_size: buffer.format.tile_bytes(),
                pages: buffer.pages(),
                unpack_to_dest_fp32: buffer.asks_to_unpack_to_dest(),
                lines: None,
                shard: None,
            })
            .collect(),
        semaphores: vec![],
        compute: ComputeConfig {
            math_fidelity: Fidelity::HiFi4,
            fp32_dest_acc_en: false,
            dst_full_sync_en: false,
            math_approx_mode: false,
        },
        kernels: programs
            .iter()
            .map(|program| KernelPlan {
                role: program.role,
                engine: Engine::of(program.role),
                cores: CoreSet::Busy,
                file: format!("{}.cpp", program.role.name()),
                compile_args: program
                    .accessors
                    .iter()
                    .map(|accessor| CompileArg::Accessor(accessor.name.clone()))
                    .collect(),
                runtime_args: program
                    .args
                    .iter()
                    .map(|arg| RuntimeArg {
                        name: arg.name.clone(),
                        value: arg.value.clone(),
                    })
                    .collect(),
                transfers: Vec::new(),
            })
            .collect(),
        cost: None,
        later: Vec::new(),
    }
}
