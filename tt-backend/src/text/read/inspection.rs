//! What is told of a block.

use super::super::names::NEGATIVE;
use super::{Read, Reader};
use crate::flow::{Inspection, Printed, PrintedBlock};

impl Reader<'_> {
    /// A text between quotes.
    pub fn quoted(&mut self) -> Read<String> {
        match serde_json::from_str(self.peek()) {
            Ok(text) => {
                self.skip();
                Ok(text)
            }
            Err(_) => self.wanted("a text between quotes"),
        }
    }

    /// What is told of a block, where the next word begins it.
    pub fn inspection(&mut self) -> Read<Option<Inspection>> {
        if self.eat("assert") {
            let cond = self.condition()?;
            self.expect("as")?;
            let text = self.quoted()?;
            return Ok(Some(Inspection::Assertion { cond, text }));
        }
        if !self.eat("print") {
            return Ok(None);
        }
        if self.eat("line") {
            return self
                .list("(", ")", Self::printed)
                .map(|parts| Some(Inspection::Line(parts)));
        }
        let is_vector = self.eat("vector");
        if !is_vector {
            self.expect("block")?;
        }
        let buffer = self.buffer()?;
        let sees = self.sees()?;
        self.expect("as")?;
        let name = self.quoted()?;
        self.expect("of")?;
        let rows = self.parse()?;
        self.expect("x")?;
        let columns = self.parse()?;
        self.expect("elements")?;
        let is_unsigned = self.eat(", unsigned");
        let mut has_value = Vec::new();
        while self.eat(", any of") {
            has_value.push(self.list("(", ")", |this| {
                this.expect(NEGATIVE)?;
                this.index()
            })?);
        }
        Ok(Some(Inspection::Block(PrintedBlock {
            buffer,
            sees,
            name,
            extent: [rows, columns],
            is_vector,
            is_unsigned,
            has_value,
        })))
    }

    fn printed(&mut self) -> Read<Printed> {
        if self.eat("integer") {
            return self.int().map(Printed::Integer);
        }
        if self.eat("number") {
            return self.number().map(Printed::Number);
        }
        if self.eat("computed") {
            return self.number_expr().map(Printed::Computed);
        }
        self.quoted().map(Printed::Text)
    }
}
