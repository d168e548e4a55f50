//! Compiles kernels given as Tile IR, outside of any macro or build script: `emit FILE`, a JSON list of kernels.
//!
//! Prints a JSON list with what is written for each and what the verifier says of it. The mutation test
//! (`cargo xtask conformance mutations`) builds this from mutated sources, so a kernel may also make the compiler fail or
//! panic: that is said too.

use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;

fn main() -> ExitCode {
    let emitted = std::env::args()
        .nth(1)
        .ok_or_else(|| "usage: emit FILE".to_string())
        .and_then(|file| std::fs::read_to_string(&file).map_err(|error| format!("cannot read {file}: {error}")))
        .and_then(|text| serde_json::from_str::<Vec<Kernel>>(&text).map_err(|error| error.to_string()));
    match emitted {
        Ok(kernels) => {
            println!("{}", Value::from_iter(kernels.iter().map(emit)));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("emit: {message}");
            ExitCode::FAILURE
        }
    }
}

fn emit(kernel: &Kernel) -> Value {
    match catch_unwind(AssertUnwindSafe(|| tt_backend::unverified(kernel))) {
        Ok(Ok((artifact, faults))) => json!({
            "reader": artifact.reader,
            "compute": artifact.compute,
            "writer": artifact.writer,
            "main": artifact.main,
            "plan": artifact.plan,
            "faults": messages(&faults),
        }),
        Ok(Err(errors)) => json!({ "refused": messages(&errors) }),
        Err(_) => json!({ "refused": ["the compiler panicked"] }),
    }
}

/// What each diagnostic says, in one line.
fn messages(diagnostics: &[Diagnostic]) -> Vec<String> {
    let line = |diagnostic: &Diagnostic| {
        let notes = diagnostic.notes.iter().cloned();
        std::iter::once(diagnostic.message.clone())
            .chain(notes)
            .collect::<Vec<_>>()
            .join("; ")
    };
    diagnostics.iter().map(line).collect()
}
