//! Who stores one element of a tensor, for whoever asks why it is what it is.

use crate::ir::{Kernel, ParamId, SourceLocation, Span};
use std::sync::Mutex;

/// The last store of an element.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Which stage of the kernel, from 0.
    pub stage: usize,
    /// Where in the grid the block is that stores it.
    pub block: Vec<i64>,
    /// The file of the statement, and where in it.
    pub place: (String, SourceLocation),
}

/// An element that is watched.
#[derive(Debug)]
pub(super) struct Watch {
    tensor: ParamId,
    flat: usize,
    stored: Mutex<Option<Stored>>,
}

impl Watch {
    pub fn of(tensor: ParamId, flat: usize) -> Watch {
        Watch {
            tensor,
            flat,
            stored: Mutex::new(None),
        }
    }

    /// Notes a store of `count` elements from `flat` on, if the one watched is among them.
    pub fn note(
        &self,
        (tensor, flat, count): (ParamId, usize, usize),
        (kernel, span): (&Kernel, Span),
        (stage, block): (usize, impl FnOnce() -> Vec<i64>),
    ) {
        if tensor == self.tensor && (flat..flat.saturating_add(count)).contains(&self.flat) {
            *super::lock(&self.stored) = Some(Stored {
                stage,
                block: block(),
                place: (kernel.file.clone(), kernel.location(span)),
            });
        }
    }

    pub fn into_stored(self) -> Option<Stored> {
        super::lock(&self.stored).take()
    }
}
