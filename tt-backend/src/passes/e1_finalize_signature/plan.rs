//! The plan, from everything the passes decided.

use crate::artifact::file;
use crate::device::function::{
    Function, NOC_ASYNC_READ_PAGE, NOC_ASYNC_WRITE_PAGE, READ_ELEMENTS, READ_ROWS, WRITE_ELEMENTS, WRITE_ROWS,
};
use crate::device::{Bits, Call, Calls, Expr, Leaf, Program, Source};
use crate::flow::Buffer;
use crate::ir::{Kind, Stmt};
use crate::passes::b2_grid_to_cores::Facts;
use crate::target::TARGETS;
use crate::verify::{Fault, unproved};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, ParamId};
use tt_plan::{
    CircularBuffer, CompileArg, ComputeConfig, KernelPlan, Plan, RuntimeArg, SCHEMA_VERSION, Signature, TransferClass,
    TransferPlan,
};

/// Writes the plan.
pub fn run(facts: &Facts, buffers: &[Buffer], programs: &[Program; 3]) -> Result<Plan, Vec<Diagnostic>> {
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
        return Err(vec![unproved(kernel, &fault)]);
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
        semaphores: Vec::new(),
        compute: ComputeConfig {
            math_fidelity: kernel.options.fidelity,
            fp32_dest_acc_en: layouts.fp32_dest,
            dst_full_sync_en: false,
            math_approx_mode: kernel.options.approx,
        },
        kernels: instances
            .iter()
            .zip(programs)
            .map(|(instance, program)| KernelPlan {
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
                transfers: transfers(kernel, program),
            })
            .collect(),
        later: Vec::new(),
    })
}

/// What a program moves to and from tensors, once for each statement of the source.
fn transfers(kernel: &Kernel, program: &Program) -> Vec<TransferPlan> {
    let mut found: Vec<TransferPlan> = Vec::new();
    transfers_of(&program.body, None, &mut |source, call| {
        let Some((class, tensor)) = class(call) else {
            return;
        };
        let transfer = TransferPlan {
            tensor: kernel.params[tensor.index()].name().to_string(),
            line: source.map_or(0, |span| kernel.location(span).line),
            class,
        };
        if !found.contains(&transfer) {
            found.push(transfer);
        }
    });
    found
}

/// Calls of `body` with the statement that each is of: the last that a statement is said to begin.
fn transfers_of(body: &[Stmt<Calls<Bits>>], mut source: Source, each: &mut impl FnMut(Source, &Call<Bits>)) {
    for stmt in body {
        source = stmt.note.or(source);
        if let Kind::Op(Leaf::Call(call)) = &stmt.kind {
            each(source, call);
        }
        stmt.bodies().for_each(|body| transfers_of(body, source, each));
    }
}

/// Which transfer a call is, and of which tensor.
fn class(call: &Call<Bits>) -> Option<(TransferClass, ParamId)> {
    let tensor = call.args.iter().find_map(|arg| {
        let Expr::Accessor(tensor) = arg else {
            return None;
        };
        Some(*tensor)
    })?;
    let is = |functions: [&Function; 2]| functions.contains(&call.function);
    let class = if is([&NOC_ASYNC_READ_PAGE, &NOC_ASYNC_WRITE_PAGE]) {
        TransferClass::Page
    } else if is([&READ_ELEMENTS, &WRITE_ELEMENTS]) {
        TransferClass::Element
    } else if is([&READ_ROWS, &WRITE_ROWS]) {
        // Its second argument: the rows of a page that follow each other.
        match call.template.split(", ").nth(1) {
            Some("1") => TransferClass::Axis,
            _ => TransferClass::Row,
        }
    } else {
        return None;
    };
    Some((class, tensor))
}
