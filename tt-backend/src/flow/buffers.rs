//! The circular buffers of a program, each with a name of its own.

use super::{Buffer, BufferId, BufferKind};
use crate::names::Numbered;
use std::ops::{Deref, DerefMut};
use tt_lang::ir::Span;
use tt_plan::DataFormat;

/// All buffers, by their ids. More come to them, and none is called otherwise or goes.
#[derive(Debug, Clone)]
pub struct Buffers {
    all: Vec<Buffer>,
    names: Numbered,
}

impl Buffers {
    /// One more of one version, of a block that no user named; its name is numbered where another has it.
    pub fn add(&mut self, name: &str, span: Span, kind: BufferKind, format: DataFormat, tiles: [u32; 2]) -> BufferId {
        let name = self.names.give(name);
        self.all.push(Buffer::new(name, span, kind, format, tiles));
        BufferId(self.all.len().saturating_sub(1))
    }

    /// As [`Buffers::add`], from compute to compute.
    pub fn local(&mut self, name: &str, span: Span, format: DataFormat, tiles: [u32; 2]) -> BufferId {
        self.add(name, span, BufferKind::Local, format, tiles)
    }
}

impl From<Vec<Buffer>> for Buffers {
    /// Those, of which no two have one name.
    fn from(all: Vec<Buffer>) -> Buffers {
        let names = Numbered::of(all.iter().map(|buffer| buffer.name.clone()));
        Buffers { all, names }
    }
}

impl From<Buffers> for Vec<Buffer> {
    fn from(buffers: Buffers) -> Vec<Buffer> {
        buffers.all
    }
}

impl Deref for Buffers {
    type Target = [Buffer];

    fn deref(&self) -> &[Buffer] {
        &self.all
    }
}

impl DerefMut for Buffers {
    fn deref_mut(&mut self) -> &mut [Buffer] {
        &mut self.all
    }
}
