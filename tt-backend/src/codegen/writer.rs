//! The text of a C++ file as it grows: knows its indentation and which names are taken where it stands.

use tt_lang::hash::HashSet;

/// By how much what stands in a scope is indented.
const STEP: &str = "    ";

/// A C++ file being written.
#[derive(Debug, Default)]
pub struct Writer {
    text: String,
    /// What a line begins with.
    indentation: String,
    /// The names that are taken in each scope that is open.
    scopes: Vec<Vec<String>>,
    /// All of them.
    taken: HashSet<String>,
}

impl Writer {
    /// An empty file.
    pub fn new() -> Writer {
        Writer {
            text: String::new(),
            indentation: String::new(),
            scopes: vec![Vec::new()],
            taken: HashSet::default(),
        }
    }

    /// One line, indented.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.text.push_str(&self.indentation);
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// The lines of `text`.
    pub fn lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(line));
    }

    /// An empty line, unless there is one already or a scope has just begun.
    pub fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") && !self.text.ends_with("{\n") {
            self.text.push('\n');
        }
    }

    /// `head {`, or `{` alone; what follows is indented and in a scope of its own until [`Writer::close`].
    pub fn open(&mut self, head: impl AsRef<str>) {
        let head = head.as_ref();
        self.text.push_str(&self.indentation);
        self.text.push_str(head);
        self.text.push_str(if head.is_empty() { "{\n" } else { " {\n" });
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
        self.text.push_str(&self.indentation);
        self.text.push('}');
        self.text.push_str(end);
        self.text.push('\n');
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

    /// The file.
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_indent_and_keep_their_own_names() {
        let mut writer = Writer::new();
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
        assert_eq!(
            writer.finish(),
            "if (a) {\n    one();\n} else {\n    two();\n    three();\n}\n"
        );
    }
}
