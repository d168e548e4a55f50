//! Which statement of the user stands at a place in the source.
//!
//! The emulator's reports name the nearest `// file.rs:line` comment above the emitted line at fault.

use crate::ir::{Kind, visit};
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use tt_lang::hash::HashMap;
use tt_lang::ir::{Assign, Kernel, Named, Op, Span, Stmt};

/// The user's statements by their place.
#[derive(Debug)]
pub struct SourceLines<'a> {
    kernel: &'a Kernel,
    statements: HashMap<Span, Line<'a>>,
    /// By the line and column at which they begin.
    from: BTreeMap<(u32, u32), Line<'a>>,
}

/// What stands at a place.
#[derive(Debug, Clone, Copy)]
enum Line<'a> {
    Statement(&'a Stmt),
    Assign(&'a Assign),
}

impl<'a> SourceLines<'a> {
    /// Of all statements of `kernel`.
    pub fn new(kernel: &'a Kernel) -> SourceLines<'a> {
        let mut lines = SourceLines {
            kernel,
            statements: HashMap::default(),
            from: BTreeMap::new(),
        };
        visit(&kernel.body, &mut |stmt| {
            if let Kind::Op(Op::Parallel { assigns, .. }) = &stmt.kind {
                lines.statements.entry(stmt.note).or_insert(Line::Statement(stmt));
                for assign in assigns {
                    lines.insert(assign.span, Line::Assign(assign));
                }
            } else {
                lines.insert(stmt.note, Line::Statement(stmt));
            }
        });
        lines
    }

    fn insert(&mut self, span: Span, line: Line<'a>) {
        if let Entry::Vacant(place) = self.statements.entry(span) {
            let location = self.kernel.location(span);
            self.from.insert((location.line, location.column), line);
            place.insert(line);
        }
    }

    /// The comment for `span`: file, line and the statement that stands there, or else the last that begins before.
    pub fn comment(&self, span: Span) -> String {
        let location = self.kernel.location(span);
        let place = format!("// {}:{}", self.kernel.file, location.line);
        let before = || self.from.range(..=(location.line, location.column)).next_back();
        match self.statements.get(&span).or_else(|| before().map(|(_, line)| line)) {
            Some(Line::Statement(stmt)) => format!("{place}: {}", Named(self.kernel, *stmt)),
            Some(Line::Assign(Assign { target, value, .. })) => {
                format!(
                    "{place}: {} = {}",
                    Named(self.kernel, target),
                    Named(self.kernel, value)
                )
            }
            None => place,
        }
    }
}
