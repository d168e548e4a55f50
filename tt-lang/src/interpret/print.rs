//! What kernels print: the lines that the device prints, but of what the source says over real numbers.

use super::block_run::BlockRun;
use super::error::InterpretError;
use super::storage::BlockData;
use crate::ir::{PrintItem, Span};

impl BlockRun<'_> {
    /// `T.print(..)`: a line of the texts and values that follow each other, and every block by itself.
    pub(super) fn print(&mut self, items: &[PrintItem], span: Span) -> Result<(), InterpretError> {
        let block: Vec<String> = self.coordinates().iter().map(i64::to_string).collect();
        let block = format!("block ({}):", block.join(", "));
        let mut line = block.clone();
        let at = self.at(span);
        for item in items {
            match item {
                PrintItem::Text(text) => line += &format!(" {text}"),
                PrintItem::Value(value) => line += &format!(" {}", self.scope.integer(value).map_err(&at)?),
                PrintItem::Number(value) => {
                    let value = self.scope.number(value).map_err(&at)?;
                    line += &format!(" {}", value as f32);
                }
                PrintItem::Block { block: id, is_unsigned } => {
                    if line != block {
                        self.prints.push(std::mem::replace(&mut line, block.clone()));
                    }
                    let mut data = self.read_block(id.value, id.span)?;
                    if *is_unsigned {
                        // Of 32 bits that are held as those of an integer with a sign.
                        let negative = data.values.iter_mut().filter(|value| **value < 0.0);
                        negative.for_each(|value| *value += 2f64.powi(32));
                    }
                    let is_integer = self.scope.launch.kernel.block(id.value).element.is_integer();
                    let lines = lines(&format!("{block} {}", self.block_name(id.value)), &data, is_integer);
                    self.prints.extend(lines);
                }
            }
        }
        if line != block {
            self.prints.push(line);
        }
        Ok(())
    }
}

/// A line for every row, one for a vector; a dash for what has no value.
fn lines(head: &str, block: &BlockData, is_integer: bool) -> Vec<String> {
    let width = block.shape.last().copied().unwrap_or(1).max(1);
    let elements = block.values.iter().zip(&block.marks);
    let texts: Vec<String> = elements
        .map(|(value, marks)| match marks {
            // No f32 holds every integer.
            0 if is_integer => format!(" {value}"),
            0 => format!(" {}", *value as f32),
            _ => " -".to_string(),
        })
        .collect();
    let rows = texts.chunks(width).enumerate();
    rows.map(|(row, texts)| match block.shape.len() {
        0 | 1 => format!("{head}{}", texts.concat()),
        _ => format!("{head}[{row}]{}", texts.concat()),
    })
    .collect()
}
