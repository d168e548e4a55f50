//! The plan, from everything the passes decided.

use crate::artifact::file;
use crate::device::function::{MATMUL_BLOCK, factors};
use crate::device::uses::buffers;
use crate::device::{Expr, Leaf, Program};
use crate::flow::{Buffer, BufferId};
use crate::ir::{Kind, operations, visit};
use crate::passes::b2_grid_to_cores::{Facts, semaphores_of};
use crate::target::TARGETS;
use crate::verify::{Fault, unproved};
use std::collections::BTreeMap;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Fidelity, Kernel};
use tt_plan::{
    CircularBuffer, CompileArg, ComputeConfig, CoreLine, KernelPlan, Placement, Plan, RuntimeArg, SCHEMA_VERSION,
    Semaphore, ShardRegion, Signature, TransferPlan,
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
    let lines = lines(source, programs);
    let mut circular_buffers: Vec<CircularBuffer> = buffers
        .iter()
        .enumerate()
        .filter_map(|(id, buffer)| {
            Some(CircularBuffer {
                index: buffer.index?,
                name: buffer.name.clone(),
                data_format: buffer.format.moved_as(),
                page_size: buffer.format.tile_bytes(),
                pages: buffer.pages(),
                unpack_to_dest_fp32: buffer.asks_to_unpack_to_dest(),
                lines: lines.get(&BufferId(id)).copied(),
                shard: buffer.shard.as_ref().map(|shard| ShardRegion {
                    tensor: kernel.params[shard.tensor.index()].name().to_string(),
                    first: shard.first.clone(),
                    tiles: buffer.tiles,
                    lies_there: shard.lies_there,
                }),
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
            math_fidelity: kernel
                .options
                .fidelity
                .unwrap_or_else(|| least_fidelity(buffers, programs)),
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
        cost: None,
        later: Vec::new(),
    })
}

/// The first and the last line of the source at which each buffer is used.
fn lines(source: &Kernel, programs: &[Program; 3]) -> BTreeMap<BufferId, [u32; 2]> {
    let mut lines: BTreeMap<BufferId, [u32; 2]> = BTreeMap::new();
    for program in programs {
        let mut line = None;
        visit(&program.body, &mut |stmt| {
            // A statement without a place of its own is of the one before.
            line = stmt.note.map(|span| source.location(span).line).or(line);
            if let (Kind::Op(leaf), Some(line)) = (&stmt.kind, line) {
                buffers(leaf, &mut |buffer| {
                    let known = lines.entry(buffer).or_insert([line; 2]);
                    *known = [known[0].min(line), known[1].max(line)];
                });
            }
        });
    }
    lines
}

/// The least fidelity that loses nothing of what is multiplied. Each phase multiplies 5 bits of SrcA by 7 of SrcB; HiFi2 has the rest
/// of SrcA too, HiFi3 the rest of SrcB, and HiFi4 the product of both rests (metalium.md §4). In a matmul of operands that fit bf16 that
/// last product is at most 2^-11 of the one it belongs to, and what the adders of the chip round away is more: the simulated chips
/// are as far from the sum with HiFi3 as with HiFi4 (docs/simulator.md; patterns.md, bf16 matmul fidelity), which takes a third longer.
/// Where nothing is multiplied it is the runtime's own, HiFi4.
fn least_fidelity(buffers: &[Buffer], programs: &[Program; 3]) -> Fidelity {
    let mut rests: Option<[bool; 3]> = None;
    for program in programs {
        operations(&program.body, &mut |leaf| {
            let Leaf::Call(call) = leaf else { return };
            let Some(factors) = factors(call.function) else { return };
            // Registers hold more bits than either takes.
            let bits = factors.map(|at| match at.and_then(|at| call.args.get(at)) {
                Some(Expr::Buffer(buffer)) => buffers[buffer.0].format.significant_bits(),
                _ => None,
            });
            let [of_a, of_b] = [(bits[0], 5), (bits[1], 7)].map(|(bits, most)| bits.is_none_or(|bits| bits > most));
            let is_exact = *call.function != MATMUL_BLOCK || bits.iter().any(|bits| bits.is_none_or(|bits| bits > 8));
            let [a, b, both] = rests.unwrap_or_default();
            rests = Some([a || of_a, b || of_b, both || (of_a && of_b && is_exact)]);
        });
    }
    match rests {
        Some([_, _, true]) | None => Fidelity::HiFi4,
        Some([false, false, _]) => Fidelity::LoFi,
        Some([true, false, _]) => Fidelity::HiFi2,
        Some([_, true, _]) => Fidelity::HiFi3,
    }
}

/// The semaphores of the lines of a rectangle of cores, all 0 at first.
fn semaphores(placement: Placement) -> Vec<Semaphore> {
    match placement {
        Placement::Linear => Vec::new(),
        Placement::Rectangle { .. } => CoreLine::ALL
            .into_iter()
            .flat_map(semaphores_of)
            .map(|id| Semaphore { id, initial: 0 })
            .collect(),
    }
}
