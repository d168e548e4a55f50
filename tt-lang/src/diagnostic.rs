//! Errors as data: a diagnostic is a value with a code, labelled spans and notes. Rendering is elsewhere
//! (`syntax::render` turns them into `compile_error!` at the right tokens, `tt-build` into text).

use crate::ir::Span;

/// The identity of a kind of error: its number (shown as `TT0123`), a title and a longer explanation.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The number behind `TT`, four digits when shown. 1–399: the language; 400–599: the compiler.
    pub number: u16,
    /// What went wrong, in a few words.
    pub title: &'static str,
    /// What it means, why it is so, and what to write instead.
    pub explanation: &'static str,
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TT{:04}", self.number)
    }
}

/// One error in a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind of error it is.
    pub code: &'static Code,
    /// Short, lower case, in the user's words: what was found and what was wanted.
    pub message: String,
    /// The token that is wrong.
    pub span: Span,
    /// Other places that matter, each with a text.
    pub labels: Vec<(Span, String)>,
    /// What to write instead, and why.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// An error of kind `code` at `span`.
    pub fn new(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            message: message.into(),
            span,
            labels: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a note: what to write instead, or why.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Points at another place that matters.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }
}
