//! What blocks of a launch did to each other, and the lines that did it.

use super::Stores;
use crate::engine::program::Kernel;
use crate::report::{Report, SourceMarker, cited, quote, statement_of};
use crate::rules;
use std::sync::Arc;

/// A line of a kernel that stores to something watched, or reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    /// The number of what is watched.
    pub tensor: usize,
    pub is_store: bool,
    pub line: i32,
}

/// What blocks of a launch did to each other: two stored an element, or one read what another stored.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Misused {
    pub is_read: bool,
    /// The number of the tensor.
    pub tensor: usize,
    pub detail: String,
}

impl Misused {
    /// As a report that quotes the lines of `kernels` that touch the tensor, and those of the user's source that they come from; of
    /// `stores` those that were not seen so, for a call of a function has the line of what is in it.
    pub fn report(self, kernels: &[(Touch, Arc<Kernel>)], stores: Option<&Stores>) -> Box<Report> {
        let Misused {
            is_read,
            tensor,
            mut detail,
        } = self;
        let mut quoted: Vec<String> = Vec::new();
        let mut add = |line: String| {
            if !quoted.contains(&line) {
                quoted.push(line);
            }
        };
        let touching = |touch: &Touch| touch.tensor == tensor && (is_read || touch.is_store);
        for (touch, kernel) in kernels.iter().filter(|(touch, _)| touching(touch)) {
            let line = touch.line.max(0) as u32;
            let (code, source) = cited(&kernel.request.source, line);
            add(quote(&format!("{}:{line}", kernel.file), &code));
            add(source.as_ref().map(SourceMarker::quoted).unwrap_or_default());
        }
        let known = stores.and_then(|stores| stores.tensors.get(tensor));
        let lines = known.into_iter().flat_map(|tensor| {
            let reads = tensor.read_lines.iter().filter(|_| is_read);
            tensor.lines.iter().chain(reads)
        });
        for line in lines {
            let mut sources = kernels.iter().map(|(_, kernel)| &kernel.request.source);
            let statement = sources.find_map(|source| statement_of(source, *line));
            add(statement.as_ref().map(SourceMarker::quoted).unwrap_or_default());
        }
        detail.extend(quoted);
        let rule = if is_read {
            &rules::STORED_ELSEWHERE
        } else {
            &rules::STORED_TWICE
        };
        Report::launch(rule, detail)
    }
}
