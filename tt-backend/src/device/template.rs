//! Template arguments of the emitted code.

use std::fmt;

/// The template arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template(Vec<TemplateArg>);

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateArg {
    /// An integer.
    Int(i64),
    /// Words of C++ and of the headers: a type, a truth value, an enumerator, or several of them, as the catalogue has them.
    Words(&'static str),
}

impl Template {
    /// Each of them, in order.
    pub fn args(&self) -> &[TemplateArg] {
        &self.0
    }

    /// Whether one is, or has in it, this word.
    pub fn mentions(&self, word: &str) -> bool {
        self.0.iter().any(|arg| match arg {
            TemplateArg::Int(_) => false,
            TemplateArg::Words(words) => words.split(", ").any(|one| one == word),
        })
    }
}

/// What `words` says; none where it is empty.
impl From<&'static str> for Template {
    fn from(words: &'static str) -> Template {
        let is_some = !words.is_empty();
        Template(is_some.then_some(TemplateArg::Words(words)).into_iter().collect())
    }
}

impl FromIterator<TemplateArg> for Template {
    fn from_iter<I: IntoIterator<Item = TemplateArg>>(args: I) -> Template {
        Template(args.into_iter().collect())
    }
}

/// All integers.
impl<const COUNT: usize> From<[i64; COUNT]> for Template {
    fn from(args: [i64; COUNT]) -> Template {
        args.into_iter().map(TemplateArg::Int).collect()
    }
}

/// `<2, true>`, as the emitted code has it; nothing where there are none.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, arg) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "<" } else { ", " })?;
            match arg {
                TemplateArg::Int(value) => write!(f, "{value}")?,
                TemplateArg::Words(words) => f.write_str(words)?,
            }
        }
        f.write_str(if self.0.is_empty() { "" } else { ">" })
    }
}
