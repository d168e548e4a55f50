//! Other ways to run a kernel, which the compiler adds where it may: a launch takes the one that it estimates to be fastest.

use crate::in_parts::in_parts;
use crate::{Artifact, compile_each};
use std::borrow::Cow;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, Order, Param};
use tt_plan::Way;

/// A kernel as it is run in one way.
#[derive(Debug)]
pub struct Compiled<'k> {
    /// Which of the kernels that were asked for it is.
    pub of: usize,
    /// The way.
    pub way: Way,
    /// Its Tile IR.
    pub kernel: Cow<'k, Kernel>,
    /// What was made of it, or why it is refused: as it was written only.
    pub outcome: Result<Artifact, Vec<Diagnostic>>,
}

/// The ways that `kernel` may be run in but as it was written. Each is compiled like any kernel, and is none where the compiler refuses it:
/// it may need more of a core than there is, or lack what the way is for.
pub fn other_ways(kernel: &Kernel) -> Vec<(Way, Kernel)> {
    let parts = in_parts(kernel).map(|kernel| (Way::InParts, kernel));
    let shards = on_shards(kernel).map(|kernel| (Way::OnShards, kernel));
    parts.into_iter().chain(shards).collect()
}

/// Compiles `kernels` in all ways, beside each other: first each as it was written, in order, then the other ways that there are of those
/// that are not refused.
pub fn compile_all_ways<'k>(kernels: &[&'k Kernel]) -> Vec<Compiled<'k>> {
    let written = kernels
        .iter()
        .enumerate()
        .map(|(of, kernel)| (of, Way::Written, Cow::Borrowed(*kernel)));
    let others = kernels.iter().enumerate().flat_map(|(of, kernel)| {
        let ways = other_ways(kernel).into_iter();
        ways.map(move |(way, kernel)| (of, way, Cow::Owned(kernel)))
    });
    let all: Vec<_> = written.chain(others).collect();
    let outcomes = compile_each(&all.iter().map(|(.., kernel)| &**kernel).collect::<Vec<_>>());
    let is_refused: Vec<bool> = outcomes.iter().take(kernels.len()).map(Result::is_err).collect();
    let compiled = all
        .into_iter()
        .zip(outcomes)
        .map(|((of, way, kernel), outcome)| Compiled {
            of,
            way,
            kernel,
            outcome,
        });
    compiled
        .filter(|compiled| {
            let is_run = compiled.outcome.is_ok() && !is_refused.get(compiled.of).is_some_and(|refused| *refused);
            compiled.way == Way::Written || is_run
        })
        .collect()
}

/// `kernel` with every core taking the blocks whose shards lie with it, where no order is asked for and a tensor lies in shards of L1.
fn on_shards(kernel: &Kernel) -> Option<Kernel> {
    let in_shards = |param: &Param| match param {
        Param::Tensor(of) => of.layout.is_in_shards_of_l1(),
        Param::Temporary(_) | Param::Scalar(_) | Param::Derived(_) => false,
    };
    if kernel.options.order.value != Order::Auto || !kernel.params.iter().any(in_shards) {
        return None;
    }
    let mut kernel = kernel.clone();
    kernel.options.order.value = Order::MatchShard;
    Some(kernel)
}
