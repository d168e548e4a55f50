//! `main.cpp`: a host program over the MeshDevice API that runs the three kernels, those of each stage after the other, without
//! Rust.
//!
//! It takes extents and scalars from its command line, fills what is read with numbers that are the same in every run,
//! splits the work over the cores just as `tt_plan::Plan::partition` does, and prints a checksum of everything written.

mod formula;
mod members;

use super::writer::{Writer, file};
use formula::{compares, integer, number};
use members::Members;
use tt_lang::ir::{ElementType, Fidelity, Kernel, ScalarKind, Sharding};
use tt_plan::{
    BlockOrder, CompileArg, CoreLine, DataFormat, DataMovementProcessor, DerivedInteger, Engine, Formula, GridStep,
    KernelPlan, Memory, Noc, Parameter, PartitionMode, Placement, Plan, RangeLimit, RuntimeValue, ShardRegion,
    Temporary, TensorLayout,
};

const SUPPORT: &str = include_str!("support.cpp");
/// How integers of 32 bits are summed.
const INTEGERS: &str = include_str!("integers.cpp");
/// Tensors, and the work of cores.
const TENSOR: &str = include_str!("tensor.cpp");
/// Cores that share what they read.
const RECTANGLE: &str = include_str!("rectangle.cpp");
/// Integers of 8 bits as numbers.
const BYTES: &str = include_str!("bytes.cpp");
/// Tensors whose elements share exponents.
const BLOCK_FLOAT: &str = include_str!("block_float.cpp");
/// Tensors in L1 and in shards.
const PLACED: &str = include_str!("placed.cpp");
/// Cores that take the blocks whose shards they have.
const LOCAL: &str = include_str!("local.cpp");
/// What numbers call that elements are compared with.
const COMPARED: &str = include_str!("compared.cpp");

const STANDARD_HEADERS: [&str; 16] = [
    "algorithm",
    "bit",
    "cinttypes",
    "cmath",
    "cstdint",
    "cstdio",
    "exception",
    "filesystem",
    "limits",
    "map",
    "memory",
    "stdexcept",
    "string",
    "type_traits",
    "utility",
    "vector",
];

const METALIUM_HEADERS: [&str; 10] = [
    "circular_buffer_config",
    "distributed",
    "hal",
    "host_api",
    "kernel_types",
    "mesh_buffer",
    "mesh_command_queue",
    "mesh_device",
    "mesh_workload",
    "tensor_accessor_args",
];

/// Writes the host program.
///
/// # Errors
/// Where the plan holds something that only a later version of this program can bind.
pub fn write(kernel: &Kernel, plan: &Plan) -> Result<String, String> {
    let tensors = plan.parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Tensor { name, .. } => Some(name.as_str()),
        Parameter::Scalar { .. } => None,
    });
    let tensors = tensors.chain(plan.temporaries.iter().map(|temporary| temporary.name.as_str()));
    let arguments_of = inputs(plan).into_iter().map(|(name, _)| name);
    let derived = plan.derived.iter().map(|derived| derived.name.as_str());
    let members = &Members::of(arguments_of.chain(derived), tensors);
    file(|out| {
        out.line(format!(
            "// {}: a host program. Generated from {}, do not edit.",
            plan.kernel, kernel.file
        ));
        out.line("//");
        out.line(format!("// usage: main{}", usage(plan)));
        out.line("// The kernels are read from the folder of this file; the device is the first one.");
        out.blank();
        let later = plan.later.iter().map(|stage| &stage.work_partition);
        let matches = std::iter::once(&plan.work_partition)
            .chain(later)
            .any(|work| work.mode == PartitionMode::LocalShard);
        let is_placed = |parameter: &Parameter| match parameter {
            Parameter::Tensor { layout, .. } => placement(layout).is_some(),
            Parameter::Scalar { .. } => false,
        };
        let is_placed = plan.parameters.iter().any(is_placed);
        for header in STANDARD_HEADERS {
            out.line(format!("#include <{header}>"));
            if header == "memory" && is_placed {
                out.line("#include <optional>");
            }
        }
        out.blank();
        METALIUM_HEADERS
            .iter()
            .for_each(|header| out.line(format!("#include <tt-metalium/{header}.hpp>")));
        out.blank();
        out.lines(SUPPORT);
        let holds_integers = |parameter: &Parameter| match parameter {
            Parameter::Tensor { element, mutable, .. } => *mutable && DataFormat::of(*element) == DataFormat::Int32,
            Parameter::Scalar { .. } => false,
        };
        if plan.parameters.iter().any(holds_integers) {
            out.lines(INTEGERS);
        }
        let holds_bytes = |parameter: &Parameter| match parameter {
            Parameter::Tensor { element, mutable, .. } => *mutable && DataFormat::of(*element).is_byte(),
            Parameter::Scalar { .. } => false,
        };
        if plan.parameters.iter().any(holds_bytes) {
            out.lines(BYTES);
        }
        out.blank();
        out.lines(TENSOR);
        out.blank();
        let stages = plan.later.iter().map(|stage| stage.work_partition);
        if std::iter::once(plan.work_partition)
            .chain(stages)
            .any(|work| work.placement.rectangle().is_some())
        {
            out.lines(RECTANGLE);
            out.blank();
        }
        let shares_exponents = |parameter: &Parameter| match parameter {
            Parameter::Tensor { element, .. } => DataFormat::of(*element).shares_exponents(),
            Parameter::Scalar { .. } => false,
        };
        let temporaries = plan.temporaries.iter();
        if plan.parameters.iter().any(shares_exponents)
            || temporaries
                .map(|of| DataFormat::of(of.element))
                .any(DataFormat::shares_exponents)
        {
            out.lines(BLOCK_FLOAT);
            out.blank();
        }
        if is_placed {
            out.lines(PLACED);
            out.blank();
        }
        if matches {
            out.lines(LOCAL);
            out.blank();
        }
        let kernels = plan
            .kernels
            .iter()
            .chain(plan.later.iter().flat_map(|stage| &stage.kernels));
        if kernels
            .flat_map(|kernel| &kernel.runtime_args)
            .any(|arg| matches!(&arg.value, RuntimeValue::Number(value) if compares(value)))
        {
            out.lines(COMPARED);
            out.blank();
        }
        arguments(plan, members, out);
        out.blank();
        run(plan, members, out)?;
        out.blank();
        out.line("}  // namespace");
        out.blank();
        main(plan, members, out);
        Ok(())
    })
}

/// Extents and scalars in the order of the command line, each with its C++ type.
fn inputs(plan: &Plan) -> Vec<(&str, &'static str)> {
    let extents = plan.extents.iter().map(|name| (name.as_str(), "int64_t"));
    let scalars = plan.parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Scalar {
            name,
            kind: ScalarKind::F32,
        } => Some((name.as_str(), "float")),
        Parameter::Scalar {
            name,
            kind: ScalarKind::I32 | ScalarKind::U32,
        } => Some((name.as_str(), "int64_t")),
        Parameter::Tensor { .. } => None,
    });
    extents.chain(scalars).collect()
}

fn usage(plan: &Plan) -> String {
    inputs(plan).iter().map(|(name, _)| format!(" <{name}>")).collect()
}

fn arguments(plan: &Plan, members: &Members, out: &mut Writer) {
    out.line(match plan.derived.is_empty() {
        true => "// Extents and scalars of this run.",
        false => "// Extents and scalars of this run, and what is computed of them.",
    });
    out.open("struct Arguments");
    for (name, kind) in inputs(plan) {
        out.line(format!("{kind} {} = 0;", members.member(name)));
    }
    for derived in &plan.derived {
        out.line(format!("int64_t {} = 0;", members.member(&derived.name)));
    }
    out.close_with(";");
}

fn run(plan: &Plan, members: &Members, out: &mut Writer) -> Result<(), String> {
    let unused = if inputs(plan).is_empty() {
        "[[maybe_unused]] "
    } else {
        ""
    };
    out.open(format!("void run({unused}const Arguments& arguments)"));
    out.line("const auto device = distributed::MeshDevice::create_unit_mesh(0);");
    out.line("distributed::MeshCommandQueue& queue = device->mesh_command_queue();");
    out.blank();
    tensors(plan, members, out)?;
    out.blank();
    match plan.later.is_empty() {
        true => {
            let grid = grid(plan, members);
            out.line(format!("const std::vector<int64_t> grid = {{{grid}}};"));
            program(plan, members, out)?;
            out.line("distributed::MeshWorkload workload;");
            enqueue("workload", out);
        }
        false => {
            for (number, stage) in (1..).zip(&plan.stages()) {
                let workload = format!("workload_{number}");
                let grid = grid(stage, members);
                out.line(format!("// Stage {number}: nothing where its grid is empty."));
                out.line(format!("distributed::MeshWorkload {workload};"));
                let is_full = "std::find(grid.begin(), grid.end(), 0) == grid.end()";
                out.open(format!("if (const std::vector<int64_t> grid = {{{grid}}}; {is_full})"));
                program(stage, members, out)?;
                enqueue(&workload, out);
                out.close();
                out.blank();
            }
        }
    }
    out.line("distributed::Finish(queue);");
    out.blank();
    for parameter in &plan.parameters {
        if let Parameter::Tensor {
            name, mutable: true, ..
        } = parameter
        {
            let tensor = members.tensor(name);
            out.line(format!("{tensor}.download(queue);"));
            out.line(format!("{tensor}.print_checksum();"));
        }
    }
    out.line("device->close();");
    out.close();
    Ok(())
}

fn grid(stage: &Plan, members: &Members) -> String {
    let grid: Vec<String> = stage
        .grid
        .iter()
        .map(|extent| integer(extent, members).into_string())
        .collect();
    grid.join(", ")
}

/// The program of a plan of one stage, for its `grid`.
fn program(plan: &Plan, members: &Members, out: &mut Writer) -> Result<(), String> {
    let device = "device->compute_with_storage_grid_size()";
    let owner = plan.circular_buffers.iter().rev().find_map(|cb| cb.shard.as_ref());
    match plan.work_partition.placement {
        Placement::Linear if plan.work_partition.mode == PartitionMode::LocalShard => {
            let owner = owner.ok_or("blocks belong to shards, which no tensor has")?;
            out.line(format!(
                "const std::vector<CoreWork> work = match({}, {}, grid, {}, {device});",
                members.tensor(&owner.tensor),
                region(owner),
                is_down(plan)
            ));
        }
        Placement::Linear => {
            let in_runs = if plan.work_partition.order == BlockOrder::RowMajor {
                ""
            } else {
                ", true"
            };
            out.line(format!(
                "const std::vector<CoreWork> work = partition(grid, {device}{in_runs});"
            ));
        }
        Placement::Rectangle { axes: [along, down] } => {
            out.line("Rectangle rectangle;");
            out.line(format!(
                "const std::vector<CoreWork> work = deal(grid, {along}, {down}, {device}, rectangle);"
            ));
        }
    }
    for lone in &plan.lone_axes {
        let (axis, reason) = (lone.axis, &lone.reason);
        let formula = plan.grid.get(axis).map(ToString::to_string).unwrap_or_default();
        out.open(format!("if (grid[{axis}] > 1)"));
        out.line("throw std::invalid_argument(");
        out.line(format!("    \"{reason}, \""));
        out.line(format!(
            "    \"but is \" + std::to_string(grid[{axis}]) + \" ({formula})\");"
        ));
        out.close();
    }
    for range in &plan.ranges {
        let RangeLimit { length, most, reason } = range;
        let value = integer(length, members).into_string();
        out.open(format!("if (!work.empty() && {value} > {most})"));
        out.line("throw std::invalid_argument(");
        out.line(format!("    \"{reason}, \""));
        out.line(format!("    \"but is \" + std::to_string({value}) + \" ({length})\");"));
        out.close();
    }
    out.line("const CoreRangeSet cores = ranges(work);");
    out.line("Program program = CreateProgram();");
    for semaphore in &plan.semaphores {
        out.line(format!("CreateSemaphore(program, cores, {});", semaphore.initial));
    }
    out.blank();
    buffers(plan, members, out);
    out.blank();
    kernels(plan, members, out)?;
    out.blank();
    Ok(())
}

/// Puts the program into `workload`, and that into the queue.
fn enqueue(workload: &str, out: &mut Writer) {
    out.line(format!(
        "{workload}.add_program(distributed::MeshCoordinateRange(device->shape()), std::move(program));"
    ));
    out.line(format!("distributed::EnqueueMeshWorkload(queue, {workload}, false);"));
}

fn tensors(plan: &Plan, members: &Members, out: &mut Writer) -> Result<(), String> {
    for (seed, parameter) in plan.parameters.iter().enumerate() {
        let Parameter::Tensor {
            name,
            element,
            mutable,
            extents,
            layout,
        } = parameter
        else {
            continue;
        };
        let tensor = members.tensor(name);
        declare((name, *element, extents, layout), members, out)?;
        // Integers are where and how often: they stay 0, which any shape has.
        let is_filled = matches!(element, ElementType::Bf16 | ElementType::F32) && !mutable;
        if is_filled {
            out.line(format!("{tensor}.fill({});", seed + 1));
        }
        out.line(format!("{tensor}.upload(queue);"));
    }
    for temporary in &plan.temporaries {
        let Temporary {
            name,
            element,
            extents,
            layout,
        } = temporary;
        declare((name, *element, extents, layout), members, out)?;
    }
    Ok(())
}

/// The variable of a tensor: its name, its element type, its extents and where it lives.
fn declare(
    (name, element, extents, layout): (&str, ElementType, &[Formula], &TensorLayout),
    members: &Members,
    out: &mut Writer,
) -> Result<(), String> {
    let kind = match element {
        ElementType::Bf16 => "uint16_t",
        ElementType::F32 | ElementType::F16 => "uint32_t",
        ElementType::I32 | ElementType::U32 | ElementType::U16 => "int32_t",
        ElementType::U8 => "uint8_t",
        ElementType::I8 => "int8_t",
        ElementType::Bfp8 => "BlockFloat<8>",
        ElementType::Bfp4 => "BlockFloat<4>",
    };
    let extents: Vec<String> = extents
        .iter()
        .map(|extent| integer(extent, members).into_string())
        .collect();
    let tensor = members.tensor(name);
    let extents = extents.join(", ");
    out.line(match placement(layout) {
        None => format!("TiledTensor<{kind}> {tensor}(*device, \"{name}\", {{{extents}}});"),
        Some(placement) => format!("PlacedTensor<{kind}> {tensor}(*device, \"{name}\", {{{extents}}}, {placement});"),
    });
    Ok(())
}

/// Where a tensor lies, as `PlacedTensor` takes it; `None` where it is interleaved over DRAM.
fn placement(layout: &TensorLayout) -> Option<String> {
    let memory = match layout.shard {
        Memory::Dram => "DRAM",
        Memory::L1 => "L1",
    };
    let list = |numbers: &[u64]| {
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        numbers.join(", ")
    };
    let cut = match &layout.sharding {
        Sharding::Interleaved if layout.shard == Memory::Dram => return None,
        Sharding::Interleaved => "INTERLEAVED, {}, {}".to_string(),
        Sharding::Height(bands) => format!("HEIGHT, {{{bands}}}, {{}}"),
        Sharding::Width(bands) => format!("WIDTH, {{{bands}}}, {{}}"),
        Sharding::Block(down, along) => format!("BLOCK, {{{down}, {along}}}, {{}}"),
        Sharding::Nd { grid, shard, .. } => format!("ND, {{{}}}, {{{}}}", list(grid), list(shard)),
    };
    Some(format!("BufferType::{memory}, Cut{{Cut::{cut}}}"))
}

/// The pages that every block moves of the tensor of a shard, as `Region` takes them.
fn region(of: &ShardRegion) -> String {
    let steps = of
        .first
        .iter()
        .map(|GridStep { first, step, axis }| format!("{{{first}, {step}, {axis}}}"));
    let steps: Vec<String> = steps.collect();
    let [rows, columns] = of.tiles;
    format!("Region{{{{{}}}, {rows}, {columns}}}", steps.join(", "))
}

/// Whether blocks are numbered down the second axis of the grid.
fn is_down(plan: &Plan) -> bool {
    plan.work_partition.order == BlockOrder::ColumnMajor
}

fn buffers(plan: &Plan, members: &Members, out: &mut Writer) {
    for buffer in &plan.circular_buffers {
        let (index, bytes) = (buffer.index, buffer.page_size);
        out.line(format!("// {}: {} pages", buffer.name, buffer.pages));
        out.open("");
        let format = buffer.data_format.name();
        let shard = buffer.shard.as_ref().filter(|shard| shard.lies_there);
        let shard = shard.map(|shard| (members.tensor(&shard.tensor), shard));
        let size = match &shard {
            None => u64::from(buffer.pages).saturating_mul(u64::from(bytes)).to_string(),
            Some((tensor, shard)) => {
                let (region, is_down) = (region(shard), is_down(plan));
                out.line(format!(
                    "const uint32_t pages = pages_on_shard({tensor}, {region}, grid, {is_down}, work);"
                ));
                format!("(pages > 0 ? pages : {}) * {bytes}", buffer.pages)
            }
        };
        out.line(format!(
            "CircularBufferConfig config({size}, {{{{{index}, tt::DataFormat::{format}}}}});"
        ));
        out.line(format!("config.set_page_size({index}, {bytes});"));
        if let Some((tensor, _)) = shard {
            out.open("if (pages > 0)");
            out.line(format!("{tensor}.lay(config);"));
            out.close();
        }
        out.line("CreateCircularBuffer(program, cores, config);");
        out.close();
    }
}

fn kernels(plan: &Plan, members: &Members, out: &mut Writer) -> Result<(), String> {
    out.line("const std::filesystem::path folder = std::filesystem::absolute(__FILE__).parent_path();");
    for kernel in &plan.kernels {
        let role = kernel.role.name();
        out.blank();
        out.line(format!("std::vector<uint32_t> {role}_compile_args;"));
        for CompileArg::Accessor(name) in &kernel.compile_args {
            out.line(format!(
                "{}.append_accessor({role}_compile_args);",
                members.tensor(name)
            ));
        }
        let config = match kernel.engine {
            Engine::DataMovement { processor, noc } => match (processor, noc) {
                (DataMovementProcessor::Ncrisc, Noc::DramRead) => {
                    format!("ReaderDataMovementConfig({role}_compile_args)")
                }
                (DataMovementProcessor::Brisc, Noc::DramWrite) => {
                    format!("WriterDataMovementConfig({role}_compile_args)")
                }
                (DataMovementProcessor::Ncrisc, Noc::DramWrite) | (DataMovementProcessor::Brisc, Noc::DramRead) => {
                    return Err(format!("no configuration has {processor:?} on the NoC {noc:?}"));
                }
            },
            Engine::Compute => {
                compute_config(plan, out);
                "compute_config".to_string()
            }
        };
        out.line(format!("const KernelHandle {role} ="));
        out.line(format!(
            "    CreateKernel(program, (folder / \"{}\").string(), cores, {config});",
            kernel.file
        ));
        runtime_args(kernel, members, out);
    }
    Ok(())
}

fn compute_config(plan: &Plan, out: &mut Writer) {
    let compute = &plan.compute;
    let fidelity = match compute.math_fidelity {
        Fidelity::LoFi => "LoFi",
        Fidelity::HiFi2 => "HiFi2",
        Fidelity::HiFi3 => "HiFi3",
        Fidelity::HiFi4 => "HiFi4",
    };
    out.line("ComputeConfig compute_config;");
    out.line(format!("compute_config.math_fidelity = MathFidelity::{fidelity};"));
    out.line(format!(
        "compute_config.fp32_dest_acc_en = {};",
        compute.fp32_dest_acc_en
    ));
    out.line(format!(
        "compute_config.dst_full_sync_en = {};",
        compute.dst_full_sync_en
    ));
    out.line(format!(
        "compute_config.math_approx_mode = {};",
        compute.math_approx_mode
    ));
    out.line("compute_config.compile_args = compute_compile_args;");
    let direct: Vec<_> = plan
        .circular_buffers
        .iter()
        .filter(|buffer| buffer.unpack_to_dest_fp32)
        .collect();
    if !direct.is_empty() {
        out.line("auto& modes = compute_config.unpack_to_dest_mode;");
        out.line("modes.assign(hal::get_arch_num_circular_buffers(), UnpackToDestMode::Default);");
        for buffer in direct {
            out.line(format!(
                "modes.at({}) = UnpackToDestMode::UnpackToDestFp32;  // {}",
                buffer.index, buffer.name
            ));
        }
    }
}

fn runtime_args(kernel: &KernelPlan, members: &Members, out: &mut Writer) {
    if kernel.runtime_args.is_empty() {
        return;
    }
    out.open("for (const CoreWork& each : work)");
    out.line("const std::vector<uint32_t> args = {");
    for arg in &kernel.runtime_args {
        let value = match &arg.value {
            RuntimeValue::Address(name) => format!("{}.address()", members.tensor(name)),
            // Its tensors have buffers of their own.
            RuntimeValue::FirstPage(_) => "0".to_string(),
            RuntimeValue::StartId => "word(each.start_id)".to_string(),
            RuntimeValue::Count => "word(each.count)".to_string(),
            RuntimeValue::Step => "word(each.step)".to_string(),
            RuntimeValue::RunLength => "word(each.run)".to_string(),
            RuntimeValue::RunPitch => "word(each.pitch)".to_string(),
            RuntimeValue::Place(line) => format!("word(rectangle.place(each, {}))", line.number()),
            RuntimeValue::Cores(line) => format!("word(rectangle.cores[{}])", line.number()),
            RuntimeValue::Every(CoreLine::Row) => "1".to_string(),
            RuntimeValue::Every(CoreLine::Column) => "word(rectangle.across)".to_string(),
            RuntimeValue::Sender(line) => format!("word(rectangle.sender_place(each, {}))", line.number()),
            RuntimeValue::Noc { line, core, axis } => format!(
                "uint32_t(rectangle.{}(*device, each, {}).{})",
                core.name(),
                line.number(),
                axis.name()
            ),
            RuntimeValue::Formula(formula) => format!("word({})", integer(formula, members).into_string()),
            RuntimeValue::Number(value) => format!("bits({})", number(value, members).into_string()),
            RuntimeValue::Flag { op, a, b } => {
                let [a, b] = [a, b].map(|side| format!("float({})", number(side, members).into_string()));
                format!("uint32_t({a} {} {b})", op.symbol())
            }
        };
        out.line(format!("    {value},  // {}", arg.name));
    }
    out.line("};");
    out.line(format!(
        "SetRuntimeArgs(program, {}, each.core, args);",
        kernel.role.name()
    ));
    out.close();
}

fn main(plan: &Plan, members: &Members, out: &mut Writer) {
    let inputs = inputs(plan);
    out.open("int main(int argc, char** argv)");
    out.open(format!("if (argc != {})", inputs.len() + 1));
    out.line(format!(
        "std::fprintf(stderr, \"usage: %s{}\\n\", argv[0]);",
        usage(plan)
    ));
    out.line("return 2;");
    out.close();
    out.open("try");
    out.line("Arguments arguments;");
    for (position, (name, kind)) in inputs.iter().enumerate() {
        let parse = if *kind == "float" {
            "parse_number"
        } else {
            "parse_integer"
        };
        out.line(format!(
            "arguments.{} = {parse}(\"{name}\", argv[{}]);",
            members.member(name),
            position + 1
        ));
    }
    for DerivedInteger { name, op, a, b } in &plan.derived {
        let [a, b] = [a, b].map(|side| number(side, members).into_string());
        let (member, op) = (members.member(name), op.symbol());
        out.line(format!("arguments.{member} = float({a}) {op} float({b});"));
    }
    out.line("run(arguments);");
    out.reopen("catch (const std::exception& error)");
    out.line("std::fprintf(stderr, \"%s\\n\", error.what());");
    out.line("return 1;");
    out.close();
    out.line("return 0;");
    out.close();
}
