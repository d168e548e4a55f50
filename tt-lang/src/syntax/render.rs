//! Diagnostics as text: for `tt-build` and tests a report with file, line and column, for `compile_error!` the message
//! alone, which rustc then places.

use crate::diagnostic::Diagnostic;
use crate::ir::{SourceLocation, Span};
use std::fmt::Write;

/// A report: `matmul.rs:12:9: error[TT0040]: unknown name`, and a line for each label and note. Columns count from 1.
pub fn render_text(diagnostic: &Diagnostic, locations: &[SourceLocation], file: &str) -> String {
    let at = |span: Span| {
        let location = locations.get(span.0 as usize).copied().unwrap_or_default();
        format!("{file}:{}:{}", location.line, location.column + 1)
    };
    let mut text = format!(
        "{}: error[{}]: {}",
        at(diagnostic.span),
        diagnostic.code,
        diagnostic.message
    );
    for (span, label) in &diagnostic.labels {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n  {}: {label}", at(*span));
    }
    for note in &diagnostic.notes {
        let _ = write!(text, "\n  note: {note}");
    }
    text + &render_more(diagnostic)
}

/// What `compile_error!` says: the code and the message, then labels with their lines, then notes.
pub fn render_message(diagnostic: &Diagnostic, locations: &[SourceLocation]) -> String {
    format!("{}: {}", diagnostic.code, render_note(diagnostic, locations))
}

/// [`render_message`] without the code, for where that stands elsewhere.
pub fn render_note(diagnostic: &Diagnostic, locations: &[SourceLocation]) -> String {
    let mut text = diagnostic.message.clone();
    for (span, label) in &diagnostic.labels {
        let location = locations.get(span.0 as usize).copied().unwrap_or_default();
        let _ = write!(text, "\n  line {}: {label}", location.line);
    }
    for note in &diagnostic.notes {
        let _ = write!(text, "\n  note: {note}");
    }
    text
}

/// What the code of `diagnostic` means, as a last line: for the first of several with the same code.
pub fn render_explanation(diagnostic: &Diagnostic) -> String {
    format!("\n  about {}: {}", diagnostic.code, diagnostic.code.explanation)
}

/// Where there is more about the code of `diagnostic`, as the last line of every message. Who depends on this repository has the
/// folder: nothing of it is published.
pub fn render_more(diagnostic: &Diagnostic) -> String {
    format!(
        "\n  more: `cargo xtask explain {}` in the folder of tt",
        diagnostic.code
    )
}
