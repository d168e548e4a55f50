//! The plan, from everything the passes decided.

use crate::artifact::file;
use crate::device::Program;
use crate::flow::Buffer;
use crate::passes::b2_grid_to_cores::{Facts, semaphores_of};
use crate::target::TARGETS;
use crate::verify::{Fault, unproved};
use tt_lang::diagnostic::Diagnostic;
use tt_plan::{
    CircularBuffer, CompileArg, ComputeConfig, CoreLine, KernelPlan, Placement, Plan, RuntimeArg, SCHEMA_VERSION,
    Semaphore, Signature, TransferPlan,
};

/// Writes the plan. `transfers`: what each program moves.
pub fn run(
    facts: &Facts,
    buffers: &[Buffer],
    programs: &[Program; 3],
    transfers: [Vec<TransferPlan>; 3],
) -> Result<Plan, Vec<Diagnostic>> {
    let Facts {
        source,
        kernel,
        layouts,
        partition,
        instances,
        ..
    } = facts;
    let Some(Signature {
        extents,
        parameters,
        temporaries,
        derived,
    }) = Signature::of(source)
    else {
        let fault = Fault("an extent of a tensor mentions a variable".into());
        return Err(vec![unproved(kernel.span, &fault)]);
    };
    let mut circular_buffers: Vec<CircularBuffer> = buffers
        .iter()
        .filter_map(|buffer| {
            Some(CircularBuffer {
                index: buffer.index?,
                name: buffer.name.clone(),
                data_format: buffer.format.moved_as(),
                page_size: buffer.format.tile_bytes(),
                pages: buffer.pages(),
                unpack_to_dest_fp32: buffer.asks_to_unpack_to_dest(),
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
        temporaries,
        derived,
        grid: partition.grid.clone(),
        work_partition: partition.work,
        lone_axes: partition.lone.clone(),
        ranges: partition.ranges.clone(),
        circular_buffers,
        semaphores: semaphores(partition.work.placement),
        compute: ComputeConfig {
            math_fidelity: kernel.options.fidelity,
            fp32_dest_acc_en: layouts.fp32_dest,
            dst_full_sync_en: false,
            math_approx_mode: kernel.options.approx,
        },
        kernels: instances
            .iter()
            .zip(programs)
            .zip(transfers)
            .map(|((instance, program), transfers)| KernelPlan {
                role: program.role,
                engine: instance.engine,
                cores: instance.cores,
                file: file(program.role, 0),
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
                transfers,
            })
            .collect(),
        later: Vec::new(),
    })
}

/// The semaphores of the lines of a rectangle of cores, all 0 at first.
fn semaphores(placement: Placement) -> Vec<Semaphore> {
    match placement {
        Placement::Linear => Vec::new(),
        Placement::Rectangle => CoreLine::ALL
            .into_iter()
            .flat_map(semaphores_of)
            .map(|id| Semaphore { id, initial: 0 })
            .collect(),
    }
}
