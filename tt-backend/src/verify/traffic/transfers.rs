//! The order of the transfers of each tensor by one processor, among the tokens that it passes on and takes.

use super::line::{Line, Step, Within};
use crate::verify::{Proof, fault};
use std::collections::BTreeMap;
use tt_lang::ir::ParamId;

/// The transfers of reader or writer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transfers {
    /// The tokens alone: what a tensor has before its first transfer.
    tokens: Line,
    of_tensors: BTreeMap<usize, Line>,
}

impl Transfers {
    /// A token is passed on, or taken.
    pub fn token(&mut self, step: Step, path: &[Within]) {
        for line in self.of_tensors.values_mut().chain([&mut self.tokens]) {
            line.step(step, path);
        }
    }

    /// Elements of a tensor are moved.
    pub fn transfer(&mut self, tensor: ParamId, path: &[Within]) {
        let tokens = &self.tokens;
        let line = self.of_tensors.entry(tensor.index()).or_insert_with(|| tokens.clone());
        line.step(Step::Use, path);
    }

    /// Proves that these are the transfers `expected`; `by` whom.
    ///
    /// # Errors
    /// The first tensor of which they are not.
    pub fn are(&self, expected: &Transfers, by: &str) -> Proof {
        for tensor in self.of_tensors.keys().chain(expected.of_tensors.keys()) {
            let [found, expected] = [self, expected].map(|transfers| transfers.of(*tensor).clone().closed());
            if found != expected {
                return fault(format!(
                    "the {by} moves tensor {tensor} as {found:?} where Flow IR has {expected:?}"
                ));
            }
        }
        Ok(())
    }

    fn of(&self, tensor: usize) -> &Line {
        self.of_tensors.get(&tensor).unwrap_or(&self.tokens)
    }
}
