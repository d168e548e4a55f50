//! D4: engine state transitions.
//!
//! Before: the compute program with sections. After: `compute_kernel_hw_startup` once, and before every operation exactly
//! the transitions its engine state lacks: data formats of the unpackers, the FPU operation, the SFPU operation, the
//! packer's format and accumulation. A transition that a loop needs in its first iteration only moves before the loop.
//!
//! The state of every component is known or unknown; branches and loops that may run zero times meet their states. Rules:
//! metalium.md §2.3, patterns.md §0 (sticky L1 accumulation, formats) and §2 (SFPU inits do not disturb the FPU's).
//!
//! ```text
//!  for k { section: matmul a b; add to part }      startup<Reverse>(a, b, part); matmul_block_init(a, b, ..);
//!                                             ⟹    for k { pack_reconfig_l1_acc(k != 0); section: matmul a b; .. }
//! ```

mod requirement;
mod state;

use crate::device::{Leaf, Node, Origin, SectionStep, Step};
use crate::flow::{self, Buffer, BufferId};
pub use requirement::DEST_TO_SRCA;
use requirement::merge;
use state::{Component, State};
use std::cell::RefCell;
use std::collections::HashMap;

/// What the pass must know of the kernel.
pub struct Engines<'a> {
    /// The buffers.
    pub buffers: &'a [Buffer],
    /// The tile of zeros.
    pub zeros: Option<BufferId>,
    /// `approx = true`.
    pub approximate: bool,
}

/// Runs the pass: the transitions before the persistent loop, and the program for one block.
pub fn run(engines: &Engines, mut body: Vec<Node<Step>>) -> (Vec<Leaf>, Vec<Node<Step>>) {
    let Some((startup, state)) = requirement::startup(engines, &body) else {
        return (Vec::new(), body);
    };
    let mut before = vec![startup];
    let pass = Pass {
        engines,
        probes: RefCell::default(),
    };
    let (hoisted, _) = pass.around(state, true, None, |state| pass.nodes_again(&mut body, state));
    before.extend(hoisted);
    (before, body)
}

struct Pass<'a> {
    engines: &'a Engines<'a>,
    /// What a loop of the user's needs first and what it leaves, within chunks of this size: it depends on nothing else, so
    /// that loops within loops are probed once each, not once for every run over what is around them.
    probes: RefCell<HashMap<(Origin, [u32; 2]), State>>,
}

impl Pass<'_> {
    /// A loop whose body is `run`: the transitions before it and the state after it.
    ///
    /// The body runs once from an unknown state to learn what it needs first and what it leaves. A component that is left
    /// as it is first needed is brought there before the loop.
    fn around(
        &self,
        state: State,
        may_skip: bool,
        origin: Option<Origin>,
        mut run: impl FnMut(&mut State),
    ) -> (Vec<Leaf>, State) {
        let key = origin.map(|origin| (origin, state.chunk()));
        let known = key.and_then(|key| self.probes.borrow().get(&key).cloned());
        let probe = known.unwrap_or_else(|| {
            let mut probe = State::unknown();
            probe.set_chunk(state.chunk());
            run(&mut probe);
            if let Some(key) = key {
                self.probes.borrow_mut().insert(key, probe.clone());
            }
            probe
        });
        let mut inside = state.clone();
        let mut before = Vec::new();
        for component in Component::ALL {
            if !probe.touched(component) {
                continue;
            }
            match probe.first(component) {
                Some(need) if probe.holds(need) => before.extend(inside.establish(need)),
                _ if probe.value(component) == state.value(component) => {}
                _ => inside.forget(component),
            }
        }
        inside.clear_log();
        let entered = inside.clone();
        run(&mut inside);
        let after = if may_skip { entered.meet(&inside) } else { inside };
        (merge(before), after.with_log_of(&state, &probe))
    }

    fn nodes(&self, nodes: &mut Vec<Node<Step>>, state: &mut State) {
        let mut out: Vec<Node<Step>> = Vec::new();
        for mut node in std::mem::take(nodes) {
            match &mut node {
                Node::Leaf(Step::Section(section)) => self.section(section, state),
                Node::Leaf(Step::Multiply(matmul, before)) => {
                    *before = meet(&requirement::matmul(self.engines, matmul, state.chunk()), state);
                }
                Node::Loop { body, origin, .. } => {
                    let mut inner = std::mem::take(body);
                    let run = |state: &mut State| self.nodes_again(&mut inner, state);
                    let (before, after) = self.around(state.clone(), true, Some(*origin), run);
                    out.extend(before.into_iter().map(|leaf| Node::Leaf(Step::Leaf(leaf))));
                    *body = inner;
                    *state = after;
                }
                Node::If { then, otherwise, .. } => {
                    let mut other = state.clone();
                    self.nodes_again(then, state);
                    self.nodes_again(otherwise, &mut other);
                    *state = state.meet(&other);
                }
                Node::Leaf(_) | Node::Source(_) | Node::Tiles { .. } | Node::When { .. } | Node::Scope(_) => {}
            }
            out.push(node);
        }
        *nodes = out;
    }

    /// A body that may be run over more than once: transitions of an earlier run are taken out first.
    fn nodes_again(&self, nodes: &mut Vec<Node<Step>>, state: &mut State) {
        strip(nodes);
        self.nodes(nodes, state);
    }

    fn section(&self, step: &mut SectionStep, state: &mut State) {
        let section = step.section.clone();
        let single = section.chunk == section.tiles;
        let outer_chunk = state.set_chunk(section.chunk);
        let mut control = std::mem::take(&mut step.control);
        let mut steps = vec![Vec::new(); section.steps.len()];
        let mut pack = Vec::new();
        let accumulation = requirement::accumulation(&section.pack);
        let mut run = |state: &mut State| {
            for (at, flow_step) in section.steps.iter().enumerate() {
                steps[at] = match flow_step {
                    flow::Step::Control(_) => {
                        self.nodes_again(&mut control[at], state);
                        Vec::new()
                    }
                    flow_step => meet(&requirement::step(self.engines, &section, flow_step), state),
                };
            }
            pack = meet(&requirement::pack(self.engines, &section.pack), state);
        };
        // Packing into L1 is set up once per section, not per chunk.
        let mut before: Vec<Leaf> = state.require(&accumulation);
        if single {
            run(state);
        } else {
            let (hoisted, after) = self.around(state.clone(), false, None, &mut run);
            before.extend(hoisted);
            *state = after;
        }
        step.before = before;
        step.steps = steps;
        step.pack = pack;
        step.control = control;
        state.set_chunk(outer_chunk);
    }
}

/// The transitions that the needs of a step lack.
fn meet(needs: &[requirement::Need], state: &mut State) -> Vec<Leaf> {
    merge(needs.iter().flat_map(|need| state.require(need)).collect())
}

/// Takes out the transitions that an earlier run over these nodes put before loops.
fn strip(nodes: &mut Vec<Node<Step>>) {
    nodes.retain(
        |node| !matches!(node, Node::Leaf(Step::Leaf(Leaf::Call(call))) if state::is_transition(call.function)),
    );
}
