//! Which statement of the user stands at a place in the source.
//!
//! The emulator's reports name the nearest `// file.rs:line` comment above the emitted line at fault.

use crate::ir::{Kind, visit};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use tt_lang::ir::{Kernel, Named, Op, Span};

/// The user's statements by their place.
#[derive(Debug)]
pub struct SourceLines<'a> {
    kernel: &'a Kernel,
    statements: HashMap<Span, String>,
    /// By the line and column at which they begin.
    from: BTreeMap<(u32, u32), String>,
}

impl<'a> SourceLines<'a> {
    /// Of all statements of `kernel`.
    pub fn new(kernel: &'a Kernel) -> SourceLines<'a> {
        let mut lines = SourceLines {
            kernel,
            statements: HashMap::new(),
            from: BTreeMap::new(),
        };
        visit(&kernel.body, &mut |stmt| {
            let text = Named(kernel, stmt).to_string();
            if let Kind::Op(Op::Parallel { assigns, .. }) = &stmt.kind {
                lines.statements.entry(stmt.note).or_insert(text);
                for assign in assigns {
                    let (target, value) = (Named(kernel, &assign.target), Named(kernel, &assign.value));
                    lines.insert(assign.span, format!("{target} = {value}"));
                }
            } else {
                lines.insert(stmt.note, text);
            }
        });
        lines
    }

    fn insert(&mut self, span: Span, text: String) {
        if let Entry::Vacant(place) = self.statements.entry(span) {
            let location = self.kernel.location(span);
            self.from.insert((location.line, location.column), text.clone());
            place.insert(text);
        }
    }

    /// The comment for `span`: file, line and the statement that stands there, or else the last that begins before.
    pub fn comment(&self, span: Span) -> String {
        let location = self.kernel.location(span);
        let place = format!("// {}:{}", self.kernel.file, location.line);
        let before = || self.from.range(..=(location.line, location.column)).next_back();
        match self.statements.get(&span).or_else(|| before().map(|(_, text)| text)) {
            Some(statement) => format!("{place}: {statement}"),
            None => place,
        }
    }
}
