//! spec.json of shared/oracle/run_oracle, from a plan and the values of one launch.

use super::{npy, padding};
use crate::emulated::Outcome;
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use tt_backend::Artifact;
use tt_plan::{ArchName, CompileArg, CoreRange, CoreWork, Cores, DataFormat, Plan, Role, RuntimeValue};
use xtask::project;

/// The three kernels as files.
pub struct Kernels {
    paths: [(Role, PathBuf); 3],
}

impl Kernels {
    /// Writes the kernels where every run of this check finds them again, named by what is in them: the runtime's JIT builds
    /// anew what has another path, and many kernels have the same reader and writer.
    pub fn write(artifact: &Artifact) -> Result<Kernels, String> {
        Ok(Kernels {
            paths: [
                kept(Role::Reader, &artifact.reader)?,
                kept(Role::Compute, &reductions_apart(&artifact.compute))?,
                kept(Role::Writer, &artifact.writer)?,
            ],
        })
    }
}

/// The compute kernel with the reductions of the SFPU in functions of their own. They are written in machine instructions on
/// all eight of its registers, and the stand-in for the device's compiler (shared/oracle) takes those for alive through the
/// whole function that they stand in.
fn reductions_apart(compute: &str) -> String {
    const APART: &str = "\
template <PoolType pool, DataFormat format>
__attribute__((noinline)) void apart_sfpu_reduce_init() { sfpu_reduce_init<pool, format>(); }
template <PoolType pool, DataFormat format, ReduceDim dim>
__attribute__((noinline)) void apart_sfpu_reduce(uint32_t idst) { sfpu_reduce<pool, format, dim>(idst); }

void kernel_main() {";
    if !compute.contains("sfpu_reduce") {
        return compute.to_string();
    }
    compute
        .replace(" sfpu_reduce", " apart_sfpu_reduce")
        .replacen("void kernel_main() {", APART, 1)
}

fn kept(role: Role, text: &str) -> Result<(Role, PathBuf), String> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let cache = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    let folder = cache
        .unwrap_or_else(std::env::temp_dir)
        .join("tt-conformance/simulator");
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let path = folder.join(format!("{}-{:016x}.cpp", role.name(), hasher.finish()));
    let is_there = std::fs::read_to_string(&path).is_ok_and(|known| known == text);
    if !is_there {
        project::write(&path, text)?;
    }
    Ok((role, path))
}

/// Writes the folder of one launch.
pub fn write(folder: &Path, kernels: &Kernels, outcome: &Outcome, arch: &str) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("cannot write {}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(fail)?;
    let plan = &outcome.plan;
    let chip = ArchName::named(arch).ok_or_else(|| format!("no chip is called `{arch}`"))?;
    let execution = plan
        .instantiate(&outcome.bindings, Cores::of(chip, outcome.grid))
        .map_err(|error| error.to_string())?;
    let cores: Value = execution.core_ranges.iter().map(range).collect();
    let cbs = plan
        .circular_buffers
        .iter()
        .map(|cb| {
            Ok(json!({
                "index": cb.index,
                "data_format": dtype(cb.data_format)?,
                "page_size": cb.page_size,
                "num_pages": cb.pages,
                "cores": cores,
            }))
        })
        .collect::<Result<Vec<Value>, String>>()?;
    let semaphores: Vec<Value> = plan
        .semaphores
        .iter()
        .map(|semaphore| json!({ "id": semaphore.id, "cores": cores, "init": semaphore.initial }))
        .collect();
    let kernels = kernels
        .paths
        .iter()
        .map(|(role, path)| kernel(plan, outcome, *role, path, &cores, &execution.cores))
        .collect::<Result<Vec<_>, _>>()?;
    let spec = json!({
        "arch": arch,
        "buffers": buffers(folder, outcome)?,
        "cbs": cbs,
        "semaphores": semaphores,
        "kernels": kernels,
    });
    let text = serde_json::to_string_pretty(&spec).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("spec.json"), text).map_err(fail)
}

/// The file in which the simulator leaves a tensor.
pub fn output(tensor: &str) -> String {
    format!("{tensor}.simulator.npy")
}

fn range(range: &CoreRange) -> Value {
    let [x, y] = range.start;
    json!([[x, y], [x + range.extent[0] - 1, y + range.extent[1] - 1]])
}

/// The oracle's name of a format.
fn dtype(format: DataFormat) -> Result<&'static str, String> {
    match format {
        DataFormat::Float16B => Ok("bfloat16"),
        DataFormat::Float32 => Ok("float32"),
        DataFormat::Bfp8B => Ok("bfloat8_b"),
        DataFormat::Bfp4B => Ok("bfloat4_b"),
        DataFormat::Int32 => Ok("int32"),
        DataFormat::UInt8 | DataFormat::Int8 => Err(format!("the oracle has no {}", format.name())),
    }
}

fn buffers(folder: &Path, outcome: &Outcome) -> Result<Map<String, Value>, String> {
    let mut buffers = Map::new();
    for tensor in &outcome.tensors {
        let input = format!("{}.in.npy", tensor.name);
        let shape = padding::padded(&tensor.shape);
        npy::write(
            &folder.join(&input),
            &shape,
            &padding::pad(
                &tensor.before,
                &tensor.shape,
                DataFormat::of(tensor.element).shares_exponents(),
            ),
        )?;
        let mut buffer = json!({
            "shape": shape,
            "dtype": dtype(DataFormat::of(tensor.element))?,
            "layout": "tile",
            "memory": "dram",
            "init": input,
        });
        if tensor.written {
            npy::write(
                &folder.join(format!("{}.emulator.npy", tensor.name)),
                &tensor.shape,
                &tensor.after,
            )?;
            buffer["out"] = json!(output(&tensor.name));
        }
        buffers.insert(tensor.name.clone(), buffer);
    }
    if buffers.len() == 1 {
        // The runtime wants an input and an output; a kernel that reads nothing has no input.
        let spare = json!({ "shape": [32, 32], "dtype": "bfloat16", "layout": "tile", "memory": "dram" });
        buffers.insert("spare".to_string(), spare);
    }
    Ok(buffers)
}

fn kernel(
    plan: &Plan,
    outcome: &Outcome,
    role: Role,
    path: &Path,
    cores: &Value,
    work: &[CoreWork],
) -> Result<Value, String> {
    let part = plan
        .kernel(role)
        .ok_or_else(|| format!("the plan has no {} kernel", role.name()))?;
    // Addresses are the runtime's; everything else is the launch's own.
    let mut bindings = outcome.bindings.clone();
    for tensor in &outcome.tensors {
        bindings.addresses.insert(tensor.name.clone(), 0);
    }
    let mut arguments = Map::new();
    for core in work {
        let words = plan
            .runtime_args(role, &bindings, &[*core], &Some)
            .map_err(|error| error.to_string())?;
        let values = part
            .runtime_args
            .iter()
            .zip(words)
            .map(|(argument, word)| match &argument.value {
                RuntimeValue::Address(name) => json!(format!("addr:{name}")),
                RuntimeValue::Noc { line, core: of, axis } => {
                    let [x, y] = core.in_line(*line, *of);
                    json!(format!("noc_{}:{x},{y}", axis.name()))
                }
                _ => json!(word),
            });
        arguments.insert(format!("{},{}", core.x, core.y), values.collect());
    }
    let compile_args: Vec<String> = part
        .compile_args
        .iter()
        .map(|CompileArg::Accessor(name)| format!("accessor:{name}"))
        .collect();
    let mut kernel = json!({
        "path": path,
        "kind": role.name(),
        "cores": cores,
        "compile_args": compile_args,
        "runtime_args": arguments,
    });
    if role == Role::Compute {
        let compute = &plan.compute;
        let unpacked = plan.circular_buffers.iter().filter(|cb| cb.unpack_to_dest_fp32);
        kernel["math_fidelity"] = json!(format!("{:?}", compute.math_fidelity));
        kernel["fp32_dest_acc_en"] = json!(compute.fp32_dest_acc_en);
        kernel["math_approx_mode"] = json!(compute.math_approx_mode);
        kernel["dst_full_sync_en"] = json!(compute.dst_full_sync_en);
        kernel["unpack_to_dest_fp32"] = unpacked.map(|cb| json!(cb.index)).collect();
    }
    Ok(kernel)
}
