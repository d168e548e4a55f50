//! Which statement of the user stands at a place in the source.
//!
//! The emulator's reports name the nearest `// file.rs:line` comment above the emitted line at fault.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use tt_lang::ir::{Kernel, Named, Span, StmtKind, visit};

/// The user's statements by their place.
#[derive(Debug)]
pub struct SourceLines<'a> {
    kernel: &'a Kernel,
    statements: HashMap<Span, String>,
    /// By line; nothing where several stand there.
    on_lines: HashMap<u32, Option<String>>,
}

impl<'a> SourceLines<'a> {
    /// Of all statements of `kernel`.
    pub fn new(kernel: &'a Kernel) -> SourceLines<'a> {
        let mut lines = SourceLines {
            kernel,
            statements: HashMap::new(),
            on_lines: HashMap::new(),
        };
        visit(&kernel.body, &mut |stmt| {
            let text = Named(kernel, stmt).to_string();
            if let StmtKind::Parallel { assigns, .. } = &stmt.kind {
                lines.statements.entry(stmt.span).or_insert(text);
                for assign in assigns {
                    let (target, value) = (Named(kernel, &assign.target), Named(kernel, &assign.value));
                    lines.insert(assign.span, format!("{target} = {value}"));
                }
            } else {
                lines.insert(stmt.span, text);
            }
        });
        lines
    }

    fn insert(&mut self, span: Span, text: String) {
        if let Entry::Vacant(place) = self.statements.entry(span) {
            let only = self.on_lines.entry(self.kernel.location(span).line);
            only.and_modify(|only| *only = None)
                .or_insert_with(|| Some(text.clone()));
            place.insert(text);
        }
    }

    /// The comment for `span`: file, line and the statement, where one stands just there or alone on the line.
    pub fn comment(&self, span: Span) -> String {
        let line = self.kernel.location(span).line;
        let place = format!("// {}:{line}", self.kernel.file);
        let only = || self.on_lines.get(&line)?.as_ref();
        match self.statements.get(&span).or_else(only) {
            Some(statement) => format!("{place}: {statement}"),
            None => place,
        }
    }
}
