//! A copy kernel written by hand in C++, with plans that differ in what its launch must satisfy.
#![allow(dead_code, reason = "not every test uses all of it")]

use tt_host::{Argument, Element, ElementType, Kernel, Launch, Sources, Tensor};
use tt_lang::ir::{
    Block, BlockId, BlockScope, Extent, ExtentId, Fidelity, Grid, IntExpr, IntOp, Kernel as TileIr, Layout, Op,
    Options, Order, Param, ParamId, Place, Region, RegionAxis, Residence, ScalarKind, ScalarParam, Sharding, Span,
    Spanned, Stmt, TensorParam, VarId, Variable, WherePaying,
};
use tt_lang::tree::Kind;
use tt_plan::{
    BlockOrder, CircularBuffer, CompileArg, ComputeConfig, CoreSet, DataFormat, Engine, Formula, KernelPlan, Memory,
    Parameter, PartitionMode, Placement, Plan, Role, RuntimeArg, RuntimeValue, SCHEMA_VERSION, TensorLayout,
    WorkPartition,
};

pub const READER: &str = include_str!("../kernels/copy_reader.cpp");
pub const COMPUTE: &str = include_str!("../kernels/copy_compute.cpp");
pub const WRITER: &str = include_str!("../kernels/copy_writer.cpp");
pub const HANGING_WRITER: &str = include_str!("../kernels/hang_writer.cpp");

pub const SOURCES: Sources = Sources {
    reader: READER,
    compute: COMPUTE,
    writer: WRITER,
    host: "",
    later: &[],
};

pub fn name(name: &str) -> Formula {
    Formula::Name(name.into())
}

/// The plan of `copy<M, N>(a: &Tensor<E, M, N>, c: &mut Tensor<E, M, N>)`.
pub fn copy_plan(element: ElementType) -> Plan {
    plan(element, ["M", "N"].map(name), ["M", "N"].map(name))
}

/// The plan of a copy whose tensors have these extents.
pub fn plan(element: ElementType, a: [Formula; 2], c: [Formula; 2]) -> Plan {
    let format = DataFormat::of(element);
    let page_size = format.tile_bytes();
    let layout = TensorLayout {
        shard: Memory::Dram,
        interleave: true,
        sharding: Default::default(),
        tile_shape: [32, 32],
        page_size,
    };
    let tensor = |name: &str, mutable, extents: &[Formula; 2]| Parameter::Tensor {
        name: name.into(),
        element,
        mutable,
        extents: extents.to_vec(),
        layout: layout.clone(),
    };
    let mover = |role, file: &str, tensor: &str| KernelPlan {
        role,
        engine: Engine::of(role),
        cores: CoreSet::Busy,
        file: file.into(),
        compile_args: vec![CompileArg::Accessor(tensor.into())],
        runtime_args: [
            ("address", RuntimeValue::Address(tensor.into())),
            ("first", RuntimeValue::StartId),
            ("count", RuntimeValue::Count),
            ("step", RuntimeValue::Step),
        ]
        .map(|(name, value)| RuntimeArg {
            name: name.into(),
            value,
        })
        .into(),
        transfers: Vec::new(),
    };
    let tiles = |extent: &Formula| Formula::binary(IntOp::CeilDiv, extent.clone(), Formula::Const(32));
    let mut extents = Vec::new();
    for formula in a.iter().chain(&c) {
        formula.names(&mut |name| {
            if !extents.iter().any(|known| known == name) {
                extents.push(name.to_owned());
            }
        });
    }
    Plan {
        schema: SCHEMA_VERSION,
        kernel: "copy".into(),
        architectures: vec!["wormhole_b0".into(), "blackhole".into()],
        extents,
        parameters: vec![tensor("a", false, &a), tensor("c", true, &c)],
        temporaries: Vec::new(),
        derived: Vec::new(),
        grid: vec![tiles(&a[1]), tiles(&a[0])],
        work_partition: WorkPartition {
            mode: PartitionMode::Global,
            order: BlockOrder::RowMajor,
            placement: Placement::Linear,
            in_turn: false,
        },
        lone_axes: Vec::new(),
        ranges: Vec::new(),
        circular_buffers: vec![CircularBuffer {
            index: 0,
            name: "tiles".into(),
            data_format: format,
            page_size,
            pages: 2,
            unpack_to_dest_fp32: false,
            lines: None,
            shard: None,
        }],
        semaphores: Vec::new(),
        compute: ComputeConfig {
            math_fidelity: Fidelity::HiFi4,
            fp32_dest_acc_en: false,
            dst_full_sync_en: false,
            math_approx_mode: false,
        },
        kernels: vec![
            mover(Role::Reader, "reader.cpp", "a"),
            KernelPlan {
                role: Role::Compute,
                engine: Engine::Compute,
                cores: CoreSet::Busy,
                file: "compute.cpp".into(),
                compile_args: vec![],
                runtime_args: vec![],
                transfers: Vec::new(),
            },
            mover(Role::Writer, "writer.cpp", "c"),
        ],
        cost: None,
        later: Vec::new(),
    }
}

/// A kernel as the attribute would leave it behind, with the lifetime of the process.
pub fn kernel(plan: &Plan, sources: Sources) -> &'static Kernel {
    let plan: &'static str = plan.to_json().leak();
    let tile: &'static [u8] = copy_tile_ir().stored().unwrap().leak();
    Box::leak(Box::new(Kernel::new("copy", sources, plan, tile, &[])))
}

/// The copy kernel for tensors of `element`.
pub fn copy_kernel(element: ElementType) -> &'static Kernel {
    kernel(&copy_plan(element), SOURCES)
}

/// `copy(a, c)`.
pub fn copy<'t, E: Element, const RANK: usize>(
    kernel: &'static Kernel,
    a: &'t Tensor<E, RANK>,
    c: &'t mut Tensor<E, RANK>,
) -> Launch<'t> {
    Launch::new(kernel, vec![Argument::from(a), Argument::from(c)])
}

/// `n` values that differ.
pub fn ramp(n: usize) -> Vec<f32> {
    (0..n).map(|i| i as f32 - n as f32 / 2.0).collect()
}

/// The Tile IR of `copy<M, N>` for `f32`: blocks of 32 × 32 through L1.
pub fn copy_tile_ir() -> TileIr {
    let span = Span(0);
    fn spanned<T>(value: T) -> Spanned<T> {
        Spanned { value, span: Span(0) }
    }
    let extent = |i: u32| IntExpr::Extent(ExtentId(i));
    let tensor = |name: &str, mutable| {
        Param::Tensor(TensorParam {
            name: name.into(),
            span,
            element: spanned(ElementType::F32),
            extents: vec![spanned(extent(0)), spanned(extent(1))],
            mutable,
            layout: Layout {
                residence: Residence::Dram,
                sharding: Sharding::Interleaved,
                span,
            },
        })
    };
    let blocks = |i: u32| IntExpr::binary(IntOp::CeilDiv, extent(i), IntExpr::Const(32));
    let offset = |i: u32| spanned(IntExpr::binary(IntOp::Mul, IntExpr::Var(VarId(i)), IntExpr::Const(32)));
    let region = |tensor| {
        Place::Tensor(Region {
            tensor: ParamId(tensor),
            axes: vec![RegionAxis::run(offset(1), 32), RegionAxis::run(offset(0), 32)],
            span,
        })
    };
    let block = || Place::Block(spanned(BlockId(0)));
    TileIr {
        name: "copy".into(),
        span,
        file: "copy.rs".into(),
        options: Options {
            fidelity: None,
            fp32_acc: None,
            approx: false,
            order: spanned(Order::Auto),
            multicast: WherePaying::Auto,
            split: WherePaying::Auto,
        },
        extents: ["M", "N"]
            .map(|name| Extent {
                name: name.into(),
                span,
            })
            .into(),
        params: vec![tensor("a", false), tensor("c", true)],
        grid: Grid {
            axes: vec![(VarId(0), spanned(blocks(1))), (VarId(1), spanned(blocks(0)))],
            span,
        },
        blocks: vec![Block {
            name: "block".into(),
            span,
            scope: BlockScope::Shared,
            element: ElementType::F32,
            shape: vec![32, 32],
        }],
        variables: ["bx", "by"]
            .map(|name| Variable {
                name: name.into(),
                span,
            })
            .into(),
        body: vec![
            Stmt::new(
                span,
                Kind::Op(Op::Copy {
                    src: region(0),
                    dst: block(),
                }),
            ),
            Stmt::new(
                span,
                Kind::Op(Op::Copy {
                    src: block(),
                    dst: region(1),
                }),
            ),
        ],
        later: Vec::new(),
        locations: vec![Default::default()],
    }
}

/// A scalar parameter, for plans that take more than tensors.
pub fn scalar(name: &str, kind: ScalarKind) -> Parameter {
    Parameter::Scalar {
        name: name.into(),
        kind,
    }
}

/// The same in Tile IR.
pub fn tile_scalar(name: &str, kind: ScalarKind) -> Param {
    Param::Scalar(ScalarParam {
        name: name.into(),
        span: Span(0),
        kind,
    })
}
