//! Text that grows line by line. It is written through a formatter of `format!`: std has that compiled with optimisation, where
//! `String::push_str` and `to_string` are compiled as the crate that calls them is, and kernels are expanded in builds without
//! optimisation too.

use std::fmt::{self, Display, Formatter};

/// The text that `write` writes.
pub fn written(write: impl Fn(&mut Formatter) -> fmt::Result) -> String {
    struct Written<W>(W);

    impl<W: Fn(&mut Formatter) -> fmt::Result> Display for Written<W> {
        fn fmt(&self, f: &mut Formatter) -> fmt::Result {
            self.0(f)
        }
    }

    format!("{}", Written(write))
}

/// The lines that `write` writes.
pub fn lines(write: impl Fn(&mut Lines) -> fmt::Result) -> String {
    written(|out| {
        let mut lines = Lines {
            out,
            beginning: "\n".to_string(),
            is_empty: true,
        };
        write(&mut lines)?;
        lines.out.write_str(if lines.is_empty { "" } else { "\n" })
    })
}

/// Text that grows line by line.
pub struct Lines<'a, 'f> {
    out: &'a mut Formatter<'f>,
    /// The end of the line before, and what a line begins with.
    beginning: String,
    is_empty: bool,
}

impl<'f> Lines<'_, 'f> {
    /// One line, indented.
    pub fn line(&mut self, line: impl AsRef<str>) -> fmt::Result {
        self.begin()?.write_str(line.as_ref())
    }

    /// Begins a line: behind what is written it is put.
    pub fn begin(&mut self) -> Result<&mut Formatter<'f>, fmt::Error> {
        // No line is before the first.
        if self.is_empty {
            self.is_empty = false;
            self.out.write_str(&self.beginning[1..])?;
        } else {
            self.out.write_str(&self.beginning)?;
        }
        Ok(self.out)
    }

    /// What `write` writes, one step further in, in braces after `head`.
    pub fn braced(&mut self, head: impl AsRef<str>, write: impl FnOnce(&mut Lines) -> fmt::Result) -> fmt::Result {
        self.begin()?.write_str(head.as_ref())?;
        self.block(write)
    }

    /// What `write` writes, one step further in, in braces behind a line that was begun.
    pub fn block(&mut self, write: impl FnOnce(&mut Lines) -> fmt::Result) -> fmt::Result {
        self.out.write_str(" {")?;
        self.nested(write)?;
        self.line("}")
    }

    /// `{ then } else { otherwise }` behind a line that was begun.
    pub fn blocks(
        &mut self,
        then: impl FnOnce(&mut Lines) -> fmt::Result,
        otherwise: impl FnOnce(&mut Lines) -> fmt::Result,
    ) -> fmt::Result {
        self.out.write_str(" {")?;
        self.nested(then)?;
        self.line("} else {")?;
        self.nested(otherwise)?;
        self.line("}")
    }

    fn nested(&mut self, write: impl FnOnce(&mut Lines) -> fmt::Result) -> fmt::Result {
        const STEP: &str = "  ";
        let depth = self.beginning.len();
        self.beginning.push_str(STEP);
        write(self)?;
        self.beginning.truncate(depth);
        Ok(())
    }
}
