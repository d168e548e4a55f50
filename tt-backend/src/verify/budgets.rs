//! Budgets: what the program takes of a core, against every chip it is compiled for; and whether the plan says the same.
//!
//! L1, circular buffers and runtime arguments are the user's to keep, by the blocks that are allocated and the numbers
//! that are computed, so exceeding them is an error of the kernel at the block that takes most.

#![warn(clippy::arithmetic_side_effects)]

use super::{Proof, fault};
use crate::codes;
use crate::device::{Argument, Device};
use crate::flow::{Buffer, BufferKind};
use crate::target::{TARGETS, least};
use std::collections::BTreeMap;
use tt_device::SEMAPHORES;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;
use tt_plan::{Role, RuntimeValue};

/// Every budget that the kernel exceeds.
pub fn exceeded(kernel: &Kernel, device: &Device) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    errors.extend(l1(kernel, device));
    errors.extend(circular_buffers(placed(device).map(|(buffer, _)| buffer)));
    let programs = device.programs.iter();
    errors.extend(programs.filter_map(|program| runtime_arguments(kernel, program.role, &program.args)));
    errors
}

/// Why the program of this role cannot have these runtime arguments, where they are too many: what takes them.
pub fn runtime_arguments(kernel: &Kernel, role: Role, args: &[Argument]) -> Option<Diagnostic> {
    let limit = least(|target| target.runtime_args) as usize;
    if args.len() <= limit {
        return None;
    }
    let mut kinds = BTreeMap::<&str, usize>::new();
    for arg in args {
        let kind = match &arg.value {
            RuntimeValue::Address(_) | RuntimeValue::FirstPage(_) => "addresses of tensors",
            RuntimeValue::StartId
            | RuntimeValue::Count
            | RuntimeValue::Step
            | RuntimeValue::RunLength
            | RuntimeValue::RunPitch
            | RuntimeValue::Place(_)
            | RuntimeValue::Cores(_)
            | RuntimeValue::Every(_)
            | RuntimeValue::Sender(_)
            | RuntimeValue::Noc { .. } => "the core's share of the work",
            RuntimeValue::Formula(_) => "integers of extents and scalars",
            RuntimeValue::Number(_) => "numbers of scalars and extents",
            RuntimeValue::Flag { .. } => "comparisons of numbers",
        };
        let count = kinds.entry(kind).or_default();
        *count = count.saturating_add(1);
    }
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(kind, count)| format!("{kind}: {count}"))
        .collect();
    let message = format!(
        "the {} program of this kernel takes {} words of runtime arguments, {limit} are possible",
        role.name(),
        args.len()
    );
    Some(
        Diagnostic::new(&codes::RUNTIME_ARGS, kernel.span, message)
            .note(kinds.join(", "))
            .note("what differs in each takes one: compute it in a loop over `k` from `k as f32`, or read it from a tensor"),
    )
}

/// The buffers that have a place on the device, with their indices; those that nothing uses have none.
fn placed(device: &Device) -> impl Iterator<Item = (&Buffer, u8)> {
    device.buffers.iter().filter_map(|buffer| Some((buffer, buffer.index?)))
}

/// What a buffer holds, in the user's words.
fn holds(kernel: &Kernel, buffer: &Buffer) -> String {
    let Some(block) = buffer.block else {
        return "an intermediate result".to_string();
    };
    let way = match buffer.kind {
        BufferKind::Incoming => ", as it is read",
        BufferKind::Outgoing => ", as it is stored or moved",
        BufferKind::Shifted => ", as it was moved",
        BufferKind::Local => ", as it is computed with",
        BufferKind::Constant(_) | BufferKind::Scratch(_) | BufferKind::Token(_) => "",
    };
    format!("`{}`{way}", kernel.block(block).name)
}

/// The buffers from the largest to the smallest.
fn by_size(device: &Device) -> Vec<&Buffer> {
    let mut buffers: Vec<&Buffer> = placed(device).map(|(buffer, _)| buffer).collect();
    buffers.sort_by_key(|buffer| std::cmp::Reverse(buffer.bytes()));
    buffers
}

fn l1(kernel: &Kernel, device: &Device) -> Option<Diagnostic> {
    let total = placed(device).fold(0, |sum: u64, (buffer, _)| sum.saturating_add(buffer.bytes()));
    let small = TARGETS
        .iter()
        .filter(|target| total > target.l1_bytes)
        .min_by_key(|target| target.l1_bytes)?;
    let buffers = by_size(device);
    let largest = buffers.first()?;
    let mut error = Diagnostic::new(
        &codes::L1_CAPACITY,
        largest.span,
        format!(
            "the blocks of this kernel take {total} bytes of L1, a core of {} has {}",
            small.name, small.l1_bytes
        ),
    );
    for buffer in &buffers {
        let [rows, columns] = buffer.tiles;
        let what = if buffer.versions == 1 {
            String::new()
        } else {
            format!(" × {} in flight", buffer.versions)
        };
        error = error.note(format!(
            "{}: {rows} × {columns} tiles of {} bytes{what} = {} bytes",
            holds(kernel, buffer),
            buffer.format.tile_bytes(),
            buffer.bytes()
        ));
    }
    let times = |block| buffers.iter().filter(|buffer| buffer.block == Some(block)).count();
    let several = buffers
        .iter()
        .filter_map(|buffer| buffer.block)
        .find(|block| times(*block) > 1);
    if let Some(block) = several {
        let name = &kernel.block(block).name;
        error = error.note(format!(
            "`{name}` takes several: contents made of others of it stand beside them, and what goes to the writer stands apart. Make \
             what is stored part by part, in a loop: `for k in 0..8 {{ for (i, j) in T.Parallel(32, 64) {{ c[(i, k * 64 + j)] = .. }} }}`"
        ));
    }
    let over = total.saturating_sub(small.l1_bytes);
    let largest = match largest.block {
        Some(block) => format!("make `{}` smaller", kernel.block(block).name),
        None => "make the blocks of the expression smaller".to_string(),
    };
    let fewer = if buffers.iter().any(|buffer| buffer.versions > 2) {
        ", or lower the `num_stages` of the loop that fills it"
    } else {
        ""
    };
    Some(error.note(format!("{over} bytes are too many: {largest}{fewer}")))
}

/// Why more circular buffers than a core has cannot be: what takes them.
pub fn circular_buffers<'a>(buffers: impl IntoIterator<Item = &'a Buffer>) -> Option<Diagnostic> {
    let limit = least(|target| target.circular_buffers) as usize;
    let all: Vec<&Buffer> = buffers.into_iter().collect();
    // The first that has no place any more.
    let span = all.get(limit)?.span;
    let over = all.len().saturating_sub(limit);
    let mut error = Diagnostic::new(
        &codes::CIRCULAR_BUFFERS,
        span,
        format!("this kernel needs {} circular buffers, a core has {limit}", all.len()),
    );
    let mut groups = BTreeMap::<(u8, &str), Vec<&str>>::new();
    for buffer in all {
        let what = match buffer.kind {
            BufferKind::Incoming => (0, "hold what is read"),
            BufferKind::Outgoing => (1, "hold what is stored, or moved within a block"),
            BufferKind::Shifted => (2, "hold what was moved within a block"),
            BufferKind::Local => (3, "hold blocks and intermediate results"),
            BufferKind::Constant(_) | BufferKind::Scratch(_) => (4, "hold indices of elements, and rows on their way"),
            BufferKind::Token(_) => (5, "order what is read and stored of one tensor"),
        };
        groups.entry(what).or_default().push(&buffer.name);
    }
    for ((_, what), names) in groups {
        error = error.note(format!("{} {what}: {}", names.len(), names.join(", ")));
    }
    Some(error.note(format!(
        "{over} are too many: read one after the other into the same block, in a loop, or split the kernel into stages"
    )))
}

/// Whether the plan says of buffers and arguments what the programs do.
pub fn consistent(device: &Device) -> Proof {
    let plan = &device.plan;
    if plan.semaphores.len() > SEMAPHORES as usize {
        return fault(format!("{} semaphores", plan.semaphores.len()));
    }
    if let [first, ..] = plan.validate().as_slice() {
        return fault(format!("the plan contradicts itself: {first}"));
    }
    if plan.circular_buffers.len() != placed(device).count() {
        return fault("the plan has other circular buffers than the programs");
    }
    for (buffer, index) in placed(device) {
        let known = plan.circular_buffers.iter().find(|known| known.index == index);
        let same = known.is_some_and(|known| {
            known.data_format == buffer.format.moved_as()
                && known.pages == buffer.pages()
                && known.page_size == buffer.format.tile_bytes()
                && known.unpack_to_dest_fp32 == buffer.asks_to_unpack_to_dest()
        });
        if !same || buffer.versions == 0 || buffer.version_tiles() == 0 {
            return fault(format!("the plan has {known:?} for {}", buffer.name));
        }
        if buffer.unpack_to_dest && !plan.compute.fp32_dest_acc_en {
            return fault(format!(
                "{} is unpacked to destination registers of 16 bits",
                buffer.name
            ));
        }
    }
    for program in &device.programs {
        let role = program.role.name();
        let Some(kernel) = plan.kernel(program.role) else {
            return fault(format!("the plan has no {role} kernel"));
        };
        let args = kernel.runtime_args.iter().map(|arg| (&arg.name, &arg.value));
        if !args.eq(program.args.iter().map(|arg| (&arg.name, &arg.value))) {
            return fault(format!("the plan binds other arguments than the {role} kernel takes"));
        }
        if kernel.compile_args.len() != program.accessors.len() {
            return fault(format!("the plan binds other accessors than the {role} kernel takes"));
        }
    }
    Ok(())
}
