//! G: Device IR as C++, printed node by node. Nothing is recognised or decided here.
//!
//! Before: the verified [`Device`] of every stage, in which every argument is numbered and every name given, and the plan of all. After: the
//! text of `reader.cpp`, `compute.cpp`, `writer.cpp`, and of `main.cpp`, a host program over the MeshDevice API for use without Rust.
//!
//! ```text
//!  Leaf(Call(cb_reserve_back, [Buffer(0), Int(8)]))   ⟹   cb_reserve_back(cb_a_block, 8);
//! ```

mod edges;
mod expression;
mod host;
mod kernel;
mod source_lines;
mod statement;
mod writer;

use crate::artifact::{Artifact, Programs, file};
use crate::codes;
use crate::device::{Device, Program};
use crate::pipeline::{Form, Pass, of_each};
use crate::stages::Joined;
use source_lines::SourceLines;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;

/// The pass.
pub const PASS: Pass<Joined, Artifact> = Pass {
    name: "G codegen",
    does: "C++ and plan",
    run: |joined| artifact(&joined),
    check: |_| Ok(()),
};

impl Form for Artifact {
    const NAME: &'static str = "C++ and plan";

    fn text(&self) -> Option<String> {
        None
    }
}

/// All that is written of the stages of a kernel, in order, without the IR of passes.
///
/// # Errors
/// Where something is left that an earlier pass must have lowered: a fault of the compiler.
pub fn artifact(Joined { stages, plan }: &Joined) -> Result<Artifact, Vec<Diagnostic>> {
    let programs = of_each(stages, |number, (kernel, device)| written(kernel, device, number));
    let programs = programs.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut programs = programs.into_iter();
    let (Some((kernel, _)), Some(first)) = (stages.first(), programs.next()) else {
        return Err(Vec::new());
    };
    let main = host::write(kernel, plan).map_err(|reason| unwritable(kernel, "main.cpp", reason))?;
    let Programs {
        reader,
        compute,
        writer,
    } = first;
    Ok(Artifact {
        reader,
        compute,
        writer,
        main,
        plan: plan.to_json(),
        later: programs.collect(),
        stages: Vec::new(),
    })
}

/// The sources of the stage number `stage`.
fn written(kernel: &Kernel, device: &Device, stage: usize) -> Result<Programs, Vec<Diagnostic>> {
    let [reader, compute, writer] = &device.programs;
    let sources = SourceLines::new(kernel);
    let program = |program: &Program| {
        kernel::write(kernel, &sources, device, program, stage)
            .map_err(|reason| unwritable(kernel, &file(program.role, stage), reason))
    };
    Ok(Programs {
        reader: program(reader)?,
        compute: program(compute)?,
        writer: program(writer)?,
    })
}

fn unwritable(kernel: &Kernel, file: &str, reason: String) -> Vec<Diagnostic> {
    let message = format!("the compiler could not write {file} of this kernel");
    vec![Diagnostic::new(&codes::UNPROVED, kernel.span, message).note(format!(
        "this is a fault of the compiler, please report it with the kernel: {reason}"
    ))]
}

#[cfg(test)]
mod tests;
