//! The file of one of the three kernels: head, includes, constants, edge functions, and the persistent loop in `kernel_main`.

use super::edges::EdgeFunction;
use super::expression::{Names, Unwritable};
use super::source_lines::SourceLines;
use super::statement::Statements;
use super::writer::{Writer, file};
use crate::device::uses::{DST_FORMAT, Uses};
use crate::device::{Device, Program};
use crate::names::is_reserved;
use crate::passes::give_names::accessor_args_name;
use std::collections::BTreeSet;
use tt_device::Inclusion;
use tt_lang::ir::Kernel;
use tt_plan::{Role, RuntimeValue};

/// Writes `program` of the kernel's stage number `stage`.
///
/// # Errors
/// Where something stands in it that an earlier pass must have lowered or named otherwise.
pub fn write(
    kernel: &Kernel,
    sources: &SourceLines,
    device: &Device,
    program: &Program,
    stage: usize,
) -> Result<String, Unwritable> {
    let uses = Uses::of(&program.body);
    let names = Names { device, program };
    file(|out| {
        head(kernel, &names, &uses, stage, out);
        constants(&names, &uses, out)?;
        out.blank();
        if program.body.is_empty() {
            out.line("void kernel_main() {}");
            return Ok(());
        }
        out.open("void kernel_main()");
        arguments(program, out)?;
        let statements = Statements { names, sources };
        out.blank();
        statements.body(&program.body, out)?;
        out.close();
        Ok(())
    })
}

fn head(kernel: &Kernel, names: &Names, uses: &Uses, stage: usize, out: &mut Writer) {
    let role = names.program.role;
    let stage = match stage {
        0 => String::new(),
        later => format!(" of stage {}", later.saturating_add(1)),
    };
    out.line(format!(
        "// {}: the {} kernel{stage}. Generated from {}, do not edit.",
        kernel.name,
        role.name(),
        kernel.file
    ));
    out.blank();
    for (name, value) in &names.program.defines {
        out.line(format!("#define {name} {value}"));
    }
    if !names.program.defines.is_empty() {
        out.blank();
    }
    let first = match role {
        Role::Reader | Role::Writer => "api/dataflow/dataflow_api.h",
        Role::Compute => "api/compute/common.h",
    };
    out.line(format!("#include \"{first}\""));
    let (last, others): (Vec<&str>, Vec<&str>) = uses
        .headers
        .iter()
        .filter(|header| **header != first)
        .partition(|header| Inclusion::of(header) == Inclusion::Last);
    for header in others.into_iter().chain(last) {
        out.line(format!("#include \"{header}\""));
    }
}

fn constants(names: &Names, uses: &Uses, out: &mut Writer) -> Result<(), Unwritable> {
    out.blank();
    for id in &uses.buffers {
        let index = names.device_buffer(*id)?.index;
        let index = index.ok_or_else(|| format!("circular buffer {} has no index", id.0))?;
        declare(
            format!("constexpr uint32_t {} = tt::CBIndex::c_{index};", names.buffer(*id)?),
            &names.buffer(*id)?,
            out,
        )?;
    }
    for id in &uses.page_bytes {
        let (name, bytes) = (names.page_bytes(*id)?, names.device_buffer(*id)?.format.tile_bytes());
        declare(format!("constexpr uint32_t {name} = {bytes};"), &name, out)?;
    }
    if uses.dst_format {
        out.line(format!(
            "constexpr DataFormat {DST_FORMAT} = DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b;"
        ));
    }
    let edges: BTreeSet<_> = uses.functions.iter().copied().filter_map(EdgeFunction::named).collect();
    for function in edges {
        out.blank();
        out.lines(function.definition());
    }
    Ok(())
}

fn arguments(program: &Program, out: &mut Writer) -> Result<(), Unwritable> {
    for (index, argument) in program.args.iter().enumerate() {
        let (kind, name) = (argument.kind, &argument.name);
        let line = format!("const {kind} {name} = get_arg_val<{kind}>({index});");
        match argument.value {
            // The compiler's own (B2).
            RuntimeValue::StartId
            | RuntimeValue::Count
            | RuntimeValue::Step
            | RuntimeValue::RunLength
            | RuntimeValue::RunPitch
            | RuntimeValue::Place(_)
            | RuntimeValue::Cores(_)
            | RuntimeValue::Every(_)
            | RuntimeValue::Sender(_)
            | RuntimeValue::Noc { .. }
                if is_reserved(name) && out.take(name) =>
            {
                out.line(line)
            }
            RuntimeValue::Address(_)
            | RuntimeValue::FirstPage(_)
            | RuntimeValue::StartId
            | RuntimeValue::Count
            | RuntimeValue::Step
            | RuntimeValue::RunLength
            | RuntimeValue::RunPitch
            | RuntimeValue::Place(_)
            | RuntimeValue::Cores(_)
            | RuntimeValue::Every(_)
            | RuntimeValue::Sender(_)
            | RuntimeValue::Noc { .. }
            | RuntimeValue::Formula(_)
            | RuntimeValue::Number(_)
            | RuntimeValue::Flag { .. } => declare(line, name, out)?,
        }
    }
    let mut first_word = "0".to_string();
    for accessor in &program.accessors {
        let (name, address) = (&accessor.name, &accessor.address);
        let args = accessor_args_name(name);
        declare(
            format!("constexpr auto {args} = TensorAccessorArgs<{first_word}>();"),
            &args,
            out,
        )?;
        declare(
            format!("const auto {name} = TensorAccessor({args}, {address});"),
            name,
            out,
        )?;
        first_word = format!("{args}.next_compile_time_args_offset()");
    }
    Ok(())
}

fn declare(line: String, name: &str, out: &mut Writer) -> Result<(), Unwritable> {
    if is_reserved(name) {
        return Err(format!("`{name}` belongs to C++ or to the device headers"));
    }
    if !out.take(name) {
        return Err(format!(
            "`{name}` is declared twice, or hides what is declared around it"
        ));
    }
    out.line(line);
    Ok(())
}
