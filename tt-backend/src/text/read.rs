//! Reading: the words of a text one after the other, and the names in it.
//!
//! Whether what is read makes sense is not asked here; the checks of the stages say that.

mod expressions;
mod inspection;
mod parts;
mod tokens;

pub use parts::Registers;

use crate::flow::{Buffer, BufferId, DefinitionId, Sees, Sights};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use tokens::{Token, tokens};
use tt_lang::ir::{Kernel, ParamId, SourceLocation, Span, VarId, Variable};

/// What cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// The line.
    pub line: u32,
    /// What was wanted, and what was found.
    pub message: String,
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// What is read, or why it cannot be.
pub type Read<T> = Result<T, Misread>;

/// A text as it is read.
pub struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
    /// What names stand for; variables that loops bring are added.
    pub kernel: &'a mut Kernel,
    /// The buffers, once they are read.
    pub buffers: Vec<Buffer>,
    /// What uses see, in Flow IR.
    pub sights: Option<Sights>,
    /// The variables of what was fetched so far.
    fetched: BTreeSet<VarId>,
}

impl<'a> Reader<'a> {
    /// Reads `text`, whose first line is `line` of its file.
    pub fn new(kernel: &'a mut Kernel, text: &'a str, line: u32) -> Reader<'a> {
        Reader {
            text,
            tokens: tokens(text, line),
            at: 0,
            kernel,
            buffers: Vec::new(),
            sights: None,
            fetched: BTreeSet::new(),
        }
    }

    /// The next word.
    pub fn peek(&self) -> &'a str {
        self.peek_after(0)
    }

    /// The word after the next `count`.
    pub fn peek_after(&self, count: usize) -> &'a str {
        self.tokens.get(self.at + count).map_or("", |token| token.text)
    }

    /// Whether there is nothing left.
    pub fn is_at_end(&self) -> bool {
        self.at == self.tokens.len()
    }

    fn line(&self) -> u32 {
        self.tokens
            .get(self.at)
            .or(self.tokens.last())
            .map_or(1, |token| token.line)
    }

    /// The place of the next word, as one of the kernel's.
    pub fn span(&mut self) -> Span {
        let line = self.line();
        self.span_of_line(line)
    }

    /// A line, as a place of the kernel's.
    pub fn span_of_line(&mut self, line: u32) -> Span {
        self.kernel.locations.push(SourceLocation { line, column: 0 });
        Span(self.kernel.locations.len() as u32 - 1)
    }

    /// That something else was wanted.
    pub fn wanted<T>(&self, what: impl fmt::Display) -> Read<T> {
        let found = match self.peek() {
            "" => "the end".to_string(),
            word => format!("`{word}`"),
        };
        Err(Misread {
            line: self.line(),
            message: format!("{what} wanted, {found} found"),
        })
    }

    /// Takes `words` if they are the next.
    pub fn eat(&mut self, words: &str) -> bool {
        let count = words.split(' ').count();
        let is_next = words
            .split(' ')
            .enumerate()
            .all(|(index, word)| self.peek_after(index) == word);
        if is_next {
            self.at += count;
        }
        is_next
    }

    /// Takes `words`, which have to be the next.
    pub fn expect(&mut self, words: &str) -> Read<()> {
        match self.eat(words) {
            true => Ok(()),
            false => self.wanted(format!("`{words}`")),
        }
    }

    /// What `read` reads, or nothing where it cannot.
    pub fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Option<T> {
        let at = self.at;
        let read = read(self).ok();
        if read.is_none() {
            self.at = at;
        }
        read
    }

    /// Any name.
    pub fn name(&mut self) -> Read<&'a str> {
        let word = self.peek();
        if !word.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            return self.wanted("a name");
        }
        self.at += 1;
        Ok(word)
    }

    /// Leaves the next word out.
    pub fn skip(&mut self) {
        self.at += 1;
    }

    /// An integer, which may be below zero.
    pub fn signed(&mut self) -> Read<i64> {
        if self.peek() != "-" {
            return self.parse();
        }
        let Ok(value) = format!("-{}", self.peek_after(1)).parse() else {
            return self.wanted("a number");
        };
        self.at += 2;
        Ok(value)
    }

    /// A number that is what `T` says.
    pub fn parse<T: FromStr>(&mut self) -> Read<T> {
        match self.peek().parse() {
            Ok(value) => {
                self.at += 1;
                Ok(value)
            }
            Err(_) => self.wanted("a number"),
        }
    }

    /// `open item, item close`
    pub fn list<T>(&mut self, open: &str, close: &str, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.expect(open)?;
        let mut out = Vec::new();
        while !self.eat(close) {
            if !out.is_empty() {
                self.expect(",")?;
            }
            out.push(item(self)?);
        }
        Ok(out)
    }

    /// `{ item item }`
    pub fn braced<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.expect("{")?;
        let mut out = Vec::new();
        while !self.eat("}") {
            out.push(item(self)?);
        }
        Ok(out)
    }

    /// `then { .. } else { .. }`, after the condition.
    pub fn branches<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<(Vec<T>, Vec<T>)> {
        let then = self.braced(&mut item)?;
        let otherwise = match self.eat("else") {
            true => self.braced(&mut item)?,
            false => Vec::new(),
        };
        Ok((then, otherwise))
    }

    /// Everything up to the `>` that closes a `<` that was taken.
    pub fn template(&mut self) -> Read<&'a str> {
        let (mut depth, first) = (0, self.at);
        while depth > 0 || self.peek() != ">" {
            depth += match self.peek() {
                "" => return self.wanted("`>`"),
                "<" => 1,
                ">" => -1,
                _ => 0,
            };
            self.at += 1;
        }
        let (from, to) = (self.tokens[first].at, self.tokens[self.at].at);
        self.at += 1;
        Ok(&self.text[from..to])
    }

    /// `name`, or `name~3` where several have it.
    fn numbered(&mut self) -> Read<(&'a str, Option<usize>)> {
        let name = self.name()?;
        let number = if self.eat("~") { Some(self.parse()?) } else { None };
        Ok((name, number))
    }

    /// A circular buffer.
    pub fn buffer(&mut self) -> Read<BufferId> {
        let name = self.peek();
        match self.buffers.iter().position(|buffer| buffer.name == name) {
            Some(index) => {
                self.at += 1;
                Ok(BufferId(index))
            }
            None => self.wanted("a buffer"),
        }
    }

    /// A tensor.
    pub fn tensor(&mut self) -> Read<ParamId> {
        let name = self.peek();
        match self.kernel.params.iter().position(|param| param.name() == name) {
            Some(index) => {
                self.at += 1;
                Ok(ParamId(index as u32))
            }
            None => self.wanted("a parameter"),
        }
    }

    /// The variable of a loop, new where the kernel has none of this name.
    pub fn variable(&mut self) -> Read<VarId> {
        let span = self.span();
        let (name, number) = self.numbered()?;
        let known = || self.kernel.variables.iter().position(|variable| variable.name == name);
        let index = number.or_else(known).unwrap_or_else(|| {
            let name = name.to_string();
            self.kernel.variables.push(Variable { name, span });
            self.kernel.variables.len() - 1
        });
        Ok(VarId(index as u32))
    }

    /// The variable of what is fetched, which then stands for that.
    pub fn fetched_variable(&mut self) -> Read<VarId> {
        let var = self.variable()?;
        self.fetched.insert(var);
        Ok(var)
    }

    /// `d3`
    pub fn definition(&mut self) -> Read<DefinitionId> {
        let number = self.peek().strip_prefix('d').and_then(|number| number.parse().ok());
        let Some(number) = number else {
            return self.wanted("a definition");
        };
        self.at += 1;
        if let Some(sights) = &mut self.sights {
            sights.has(DefinitionId(number));
        }
        Ok(DefinitionId(number))
    }

    /// `@d3`; any where definitions are not told apart.
    pub fn defines(&mut self) -> Read<DefinitionId> {
        if self.sights.is_none() {
            return Ok(DefinitionId(0));
        }
        self.expect("@")?;
        self.definition()
    }

    /// `d3|d4`
    pub fn definitions(&mut self) -> Read<Sees> {
        let mut all = BTreeSet::new();
        if !self.eat("nothing") {
            all.insert(self.definition()?);
            while self.eat("|") {
                all.insert(self.definition()?);
            }
        }
        match &mut self.sights {
            Some(sights) => Ok(sights.sees(all)),
            None => Ok(Sees(0)),
        }
    }

    /// `@d3|d4`; any where definitions are not told apart.
    pub fn sees(&mut self) -> Read<Sees> {
        if self.sights.is_none() {
            return Ok(Sees(0));
        }
        self.expect("@")?;
        self.definitions()
    }
}
