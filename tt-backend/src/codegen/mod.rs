//! G: Device IR as C++, printed node by node. Nothing is recognised or decided here.
//!
//! Before: a verified [`Device`] in which every argument is numbered and every name given. After: the text of `reader.cpp`,
//! `compute.cpp`, `writer.cpp`, and of `main.cpp`, a host program over the MeshDevice API for use without Rust.
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
mod uses;
mod writer;

use crate::artifact::Artifact;
use crate::codes;
use crate::device::Device;
use crate::pipeline::{Form, Pass};
use crate::verify::Verified;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;

pub(crate) use uses::Uses;

/// The pass.
pub const PASS: Pass<Verified, Artifact> = Pass {
    name: "G codegen",
    does: "C++ and plan",
    run: |Verified(unit)| artifact(&unit.facts.source, &unit.program),
    check: |_| Ok(()),
};

impl Form for Artifact {
    const NAME: &'static str = "C++ and plan";

    fn text(&self) -> Option<String> {
        None
    }
}

/// All that is written of `device`, without the IR of stages.
///
/// # Errors
/// As [`write()`].
pub fn artifact(kernel: &Kernel, device: &Device) -> Result<Artifact, Vec<Diagnostic>> {
    let Sources {
        reader,
        compute,
        writer,
        main,
    } = write(kernel, device)?;
    Ok(Artifact {
        reader,
        compute,
        writer,
        main,
        plan: device.plan.to_json(),
        stages: Vec::new(),
    })
}

/// What is written for one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// `reader.cpp`.
    pub reader: String,
    /// `compute.cpp`.
    pub compute: String,
    /// `writer.cpp`.
    pub writer: String,
    /// `main.cpp`.
    pub main: String,
}

/// Writes `device`.
///
/// # Errors
/// Where something is left that an earlier pass must have lowered: a fault of the compiler.
pub fn write(kernel: &Kernel, device: &Device) -> Result<Sources, Vec<Diagnostic>> {
    let unwritable = |file: &str, reason: String| {
        vec![
            Diagnostic::new(
                &codes::UNPROVED,
                kernel.span,
                format!("the compiler could not write {file} of this kernel"),
            )
            .note(format!(
                "this is a fault of the compiler, please report it with the kernel: {reason}"
            )),
        ]
    };
    let [reader, compute, writer] = &device.programs;
    let program = |program, file| kernel::write(kernel, device, program).map_err(|reason| unwritable(file, reason));
    Ok(Sources {
        reader: program(reader, "reader.cpp")?,
        compute: program(compute, "compute.cpp")?,
        writer: program(writer, "writer.cpp")?,
        main: host::write(kernel, &device.plan).map_err(|reason| unwritable("main.cpp", reason))?,
    })
}

#[cfg(test)]
mod tests;
