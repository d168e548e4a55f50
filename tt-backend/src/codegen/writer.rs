//! The text of a C++ file as it grows: knows its indentation and which names are taken where it stands.

use super::expression::Unwritable;
use crate::text::written;
use std::cell::Cell;
use std::fmt::Formatter;
use tt_lang::hash::HashSet;

/// By how much what stands in a scope is indented.
const STEP: &str = "    ";

/// A C++ file being written.
pub struct Writer<'a, 'f> {
    out: &'a mut Formatter<'f>,
    /// What a line begins with.
    indentation: String,
    /// What the file ends with so far.
    end: End,
    /// The names that are taken in each scope that is open.
    scopes: Vec<Vec<String>>,
    /// All of them.
    taken: HashSet<String>,
}

/// What a file ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// There is nothing in it.
    Nothing,
    /// A line with which a scope begins.
    Head,
    /// Any other line.
    Line,
    /// An empty line.
    Blank,
}

/// The file that `write` writes.
///
/// # Errors
/// As `write`.
pub fn file(write: impl Fn(&mut Writer) -> Result<(), Unwritable>) -> Result<String, Unwritable> {
    let reason = Cell::new(None);
    let text = written(|out| {
        reason.set(write(&mut Writer::new(out)).err());
        Ok(())
    });
    reason.into_inner().map_or(Ok(text), Err)
}

impl<'a, 'f> Writer<'a, 'f> {
    /// An empty file.
    fn new(out: &'a mut Formatter<'f>) -> Writer<'a, 'f> {
        Writer {
            out,
            indentation: String::new(),
            end: End::Nothing,
            scopes: vec![Vec::new()],
            taken: HashSet::default(),
        }
    }

    /// One line, indented.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if line.is_empty() {
            self.put("\n");
            self.end = End::Blank;
            return;
        }
        self.begin();
        self.put(line);
        self.end_line("");
        if matches!(line.as_bytes(), [.., b'{']) {
            self.end = End::Head;
        }
    }

    /// Begins a line, indented: what is put follows, up to [`Writer::end_line`].
    pub fn begin(&mut self) {
        // A text takes all that is written.
        let _ = self.out.write_str(&self.indentation);
    }

    /// Puts a part of a line.
    pub fn put(&mut self, part: &str) {
        let _ = self.out.write_str(part);
    }

    /// Ends a line with `end`.
    pub fn end_line(&mut self, end: &str) {
        self.put(end);
        self.put("\n");
        self.end = End::Line;
    }

    /// The lines of `text`.
    pub fn lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(line));
    }

    /// An empty line, unless there is one already or a scope has just begun.
    pub fn blank(&mut self) {
        if self.end == End::Line {
            self.put("\n");
            self.end = End::Blank;
        }
    }

    /// `head {`, or `{` alone; what follows is indented and in a scope of its own until [`Writer::close`].
    pub fn open(&mut self, head: impl AsRef<str>) {
        let head = head.as_ref();
        self.begin();
        self.put(head);
        self.put(if head.is_empty() { "{\n" } else { " {\n" });
        self.end = End::Head;
        self.indentation.push_str(STEP);
        self.scopes.push(Vec::new());
    }

    /// `} head {`: the end of one scope and the beginning of the next.
    pub fn reopen(&mut self, head: &str) {
        self.leave();
        self.open(format!("}} {head}"));
    }

    /// `}`
    pub fn close(&mut self) {
        self.close_with("");
    }

    /// `}` and what ends the declaration.
    pub fn close_with(&mut self, end: &str) {
        self.leave();
        self.begin();
        self.put("}");
        self.end_line(end);
    }

    fn leave(&mut self) {
        let depth = self.indentation.len().saturating_sub(STEP.len());
        self.indentation.truncate(depth);
        if self.scopes.len() > 1
            && let Some(names) = self.scopes.pop()
        {
            for name in &names {
                self.taken.remove(name);
            }
        }
    }

    /// Takes `name` in the scope that is open; false where it, or one around it, has the name already.
    pub fn take(&mut self, name: &str) -> bool {
        if !self.taken.insert(name.to_string()) {
            return false;
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.to_string());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_indent_and_keep_their_own_names() {
        let text = file(|writer| {
            assert!(writer.take("a"));
            writer.open("if (a)");
            assert!(writer.take("b") && !writer.take("b") && !writer.take("a"));
            writer.blank();
            writer.line("one();");
            writer.reopen("else");
            assert!(writer.take("b"));
            writer.blank();
            writer.lines("two();\nthree();");
            writer.close();
            assert!(!writer.take("a"));
            Ok(())
        });
        assert_eq!(
            text.unwrap(),
            "if (a) {\n    one();\n} else {\n    two();\n    three();\n}\n"
        );
    }
}
