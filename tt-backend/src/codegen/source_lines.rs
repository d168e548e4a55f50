//! Which statement of the user stands at a place in the source.
//!
//! The emulator's reports name the nearest `// file.rs:line` comment above the emitted line at fault.

use std::collections::HashMap;
use tt_lang::ir::{Kernel, Named, Span, Stmt, StmtKind};

/// The user's statements by their place.
#[derive(Debug)]
pub struct SourceLines<'a> {
    kernel: &'a Kernel,
    statements: HashMap<Span, String>,
}

impl<'a> SourceLines<'a> {
    /// Of all statements of `kernel`.
    pub fn new(kernel: &'a Kernel) -> SourceLines<'a> {
        let mut lines = SourceLines {
            kernel,
            statements: HashMap::new(),
        };
        lines.collect(&kernel.body);
        lines
    }

    fn collect(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.statements
                .entry(stmt.span)
                .or_insert_with(|| Named(self.kernel, stmt).to_string());
            if let StmtKind::Parallel { assigns, .. } = &stmt.kind {
                for assign in assigns {
                    let (target, value) = (Named(self.kernel, &assign.target), Named(self.kernel, &assign.value));
                    self.statements
                        .entry(assign.span)
                        .or_insert_with(|| format!("{target} = {value}"));
                }
            }
            stmt.bodies().for_each(|body| self.collect(body));
        }
    }

    /// The comment for `span`: file, line and the statement, where one stands just there.
    pub fn comment(&self, span: Span) -> String {
        let place = format!("// {}:{}", self.kernel.file, self.kernel.location(span).line);
        match self.statements.get(&span) {
            Some(statement) => format!("{place}: {statement}"),
            None => place,
        }
    }
}
