//! spec.json of shared/oracle/run_oracle, from a plan and the values of one launch.

use super::npy;
use super::run::Outcome;
use serde_json::{Map, Value, json};
use std::path::Path;
use tt_backend::Artifact;
use tt_plan::{CompileArg, CoreRange, DataFormat, Plan, Role, RuntimeValue};

/// How far the simulator may be from the emulator: a few steps of bf16, and no drift. How far it is, run_oracle says.
const RELATIVE: f64 = 0.02;
const ABSOLUTE: f64 = 0.02;
const CORRELATION: f64 = 0.9999;

/// Writes the folder of one launch.
pub fn write(folder: &Path, artifact: &Artifact, outcome: &Outcome, arch: &str) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("cannot write {}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(fail)?;
    for (role, text) in [
        (Role::Reader, &artifact.reader),
        (Role::Compute, &artifact.compute),
        (Role::Writer, &artifact.writer),
    ] {
        std::fs::write(folder.join(format!("{}.cpp", role.name())), text).map_err(fail)?;
    }
    std::fs::write(folder.join("tt.plan.json"), &artifact.plan).map_err(fail)?;

    let plan = &outcome.plan;
    let execution = plan
        .instantiate(&outcome.bindings, outcome.grid)
        .map_err(|error| error.to_string())?;
    let cores: Value = execution.core_ranges.iter().map(range).collect();
    let buffers = buffers(folder, outcome)?;
    let cbs: Vec<Value> = plan
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
        .collect::<Result<_, String>>()?;
    let semaphores: Vec<Value> = plan
        .semaphores
        .iter()
        .map(|semaphore| json!({ "id": semaphore.id, "cores": cores, "init": semaphore.initial }))
        .collect();
    let kernels = [Role::Reader, Role::Compute, Role::Writer]
        .into_iter()
        .map(|role| kernel(plan, outcome, role, &cores, &execution.cores, arch))
        .collect::<Result<Vec<_>, _>>()?;
    let spec = json!({
        "arch": arch,
        "buffers": buffers,
        "cbs": cbs,
        "semaphores": semaphores,
        "kernels": kernels,
    });
    let text = serde_json::to_string_pretty(&spec).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("spec.json"), text).map_err(fail)
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
        DataFormat::UInt32 => Ok("uint32"),
        DataFormat::Int32 => Ok("int32"),
        DataFormat::UInt16 => Ok("uint16"),
        DataFormat::Float16 | DataFormat::UInt8 => Err(format!("the oracle has no {}", format.name())),
    }
}

fn buffers(folder: &Path, outcome: &Outcome) -> Result<Map<String, Value>, String> {
    let mut buffers = Map::new();
    for tensor in &outcome.tensors {
        let mut buffer = json!({
            "shape": tensor.shape,
            "dtype": dtype(DataFormat::of(tensor.element))?,
            "layout": "tile",
            "memory": "dram",
        });
        let file = |what: &str| format!("{}.{what}.npy", tensor.name);
        npy::write(&folder.join(file("in")), &tensor.shape, &tensor.before)?;
        buffer["init"] = json!(file("in"));
        if let Some(after) = &tensor.after {
            npy::write(&folder.join(file("emulator")), &tensor.shape, after)?;
            buffer["expect"] = json!(file("emulator"));
            buffer["out"] = json!(file("simulator"));
            buffer["atol"] = json!(ABSOLUTE);
            buffer["rtol"] = json!(RELATIVE);
            if after.len() > 1 {
                buffer["pcc"] = json!(CORRELATION);
            }
        }
        buffers.insert(tensor.name.clone(), buffer);
    }
    Ok(buffers)
}

fn kernel(
    plan: &Plan,
    outcome: &Outcome,
    role: Role,
    cores: &Value,
    work: &[tt_plan::CoreWork],
    arch: &str,
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
            .runtime_args(role, &bindings, *core)
            .map_err(|error| error.to_string())?;
        let values = part
            .runtime_args
            .iter()
            .zip(words)
            .map(|(argument, word)| match &argument.value {
                RuntimeValue::Address(name) => json!(format!("addr:{name}")),
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
        "path": format!("{}.cpp", role.name()),
        "kind": role.name(),
        "cores": cores,
        "compile_args": compile_args,
        "runtime_args": arguments,
    });
    if role == Role::Compute {
        let compute = &plan.compute;
        kernel["math_fidelity"] = json!(format!("{:?}", compute.math_fidelity));
        kernel["fp32_dest_acc_en"] = json!(compute.fp32_dest_acc_en);
        kernel["math_approx_mode"] = json!(compute.math_approx_mode);
        kernel["dst_full_sync_en"] = json!(compute.dst_full_sync_en);
        // The simulated Wormhole does not have this mode (shared/oracle/README.md, limits): f32 then passes through a source
        // register, which keeps 11 bits of it.
        let has_mode = arch != "wormhole_b0";
        let unpacked = plan
            .circular_buffers
            .iter()
            .filter(|cb| cb.unpack_to_dest_fp32 && has_mode)
            .map(|cb| cb.index);
        let unpacked: Vec<u8> = unpacked.collect();
        kernel["unpack_to_dest_fp32"] = json!(unpacked);
    }
    Ok(kernel)
}
