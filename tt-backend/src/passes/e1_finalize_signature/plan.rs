//! The plan, from everything the passes decided.

use crate::device::Program;
use crate::flow::Buffer;
use crate::passes::a1_infer_layout::Layouts;
use crate::passes::b1_partition_work::Partition;
use crate::target::TARGETS;
use crate::verify::{Fault, unproved};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;
use tt_plan::{CircularBuffer, CompileArg, ComputeConfig, KernelPlan, Plan, RuntimeArg, SCHEMA_VERSION, Signature};

/// Writes the plan.
pub fn run(
    kernel: &Kernel,
    layouts: &Layouts,
    partition: &Partition,
    buffers: &[Buffer],
    programs: &[Program; 3],
) -> Result<Plan, Vec<Diagnostic>> {
    let Some(Signature { extents, parameters }) = Signature::of(kernel) else {
        let fault = Fault("an extent of a tensor mentions a variable".into());
        return Err(vec![unproved(kernel, &fault)]);
    };
    let mut circular_buffers: Vec<CircularBuffer> = buffers
        .iter()
        .filter_map(|buffer| {
            Some(CircularBuffer {
                index: buffer.index?,
                name: buffer.name.clone(),
                data_format: buffer.format,
                page_size: buffer.format.tile_bytes(),
                pages: buffer.pages(),
                unpack_to_dest_fp32: buffer.unpack_to_dest,
            })
        })
        .collect();
    circular_buffers.sort_by_key(|cb| cb.index);
    Ok(Plan {
        schema: SCHEMA_VERSION,
        kernel: kernel.name.clone(),
        architectures: TARGETS.iter().map(|target| target.name.to_string()).collect(),
        extents,
        parameters,
        grid: partition.grid.clone(),
        work_partition: partition.work,
        lone_axes: partition.lone.clone(),
        circular_buffers,
        semaphores: Vec::new(),
        compute: ComputeConfig {
            math_fidelity: kernel.options.fidelity,
            fp32_dest_acc_en: layouts.fp32_dest,
            dst_full_sync_en: false,
            math_approx_mode: kernel.options.approx,
        },
        kernels: programs
            .iter()
            .map(|program| KernelPlan {
                role: program.role,
                file: format!("{}.cpp", program.role.name()),
                compile_args: program
                    .accessors
                    .iter()
                    .map(|accessor| CompileArg::Accessor(kernel.params[accessor.tensor.index()].name().to_string()))
                    .collect(),
                runtime_args: program
                    .args
                    .iter()
                    .map(|arg| RuntimeArg {
                        name: arg.name.clone(),
                        value: arg.value.clone(),
                    })
                    .collect(),
            })
            .collect(),
    })
}
