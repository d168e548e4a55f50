//! D4: engine state transitions.
//!
//! Before: the compute program with sections. After: `compute_kernel_hw_startup` once, and before every operation exactly
//! the transitions its engine state lacks: data formats of the unpackers, the FPU operation, the SFPU operation, the
//! packer's format, accumulation and ReLU. A transition that a loop needs in its first iteration only moves before the loop.
//!
//! The state of every component is known or unknown; branches and loops that may run zero times meet their states. Rules:
//! metalium.md §2.3, patterns.md §0 (sticky L1 accumulation, formats), §1b (sticky ReLU) and §2 (SFPU inits do not disturb the FPU's).
//!
//! ```text
//!  for k { section: matmul a b; add to part }      startup<Reverse>(a, b, part); matmul_block_init(a, b, ..);
//!                                             ⟹    for k { pack_reconfig_l1_acc(k != 0); section: matmul a b; .. }
//! ```

mod requirement;
mod state;

use super::b2_grid_to_cores::Facts;
use super::d3_lower_cb_protocol::Lowered;
use crate::device::{Around, Compute, ComputeOp, Leaf, Parts, Programs, Section, SourceLoop, Symbol, Turn};
use crate::flow::Buffer;
use crate::ir::{Kind, Stmt, operations};
use crate::pipeline::{Pass, Unit};
use crate::verify::progress::proved;
use requirement::merge;
pub use requirement::{DEST_TO_SRCA, IN_32_BITS, functions, sources};
use state::{Component, State};
use std::cell::RefCell;
use std::rc::Rc;
use tt_lang::hash::HashMap;

/// The pass.
pub const PASS: Pass<Unit<Parts<Lowered>>, Unit<Parts<Lowered>>> = Pass {
    name: "D4 insert_compute_init",
    does: "engine state transitions",
    run: |unit| {
        unit.lowered(|facts, parts| {
            Ok(parts.with(|buffers, programs| Programs {
                compute: run(&Engines::of(facts, buffers), programs.compute),
                ..programs
            }))
        })
    },
    check: proved,
};

/// What the pass must know of the kernel.
pub struct Engines<'a> {
    /// The buffers.
    pub buffers: &'a [Buffer],
    /// `approx = true`.
    pub approximate: bool,
}

impl<'a> Engines<'a> {
    /// What is known of a kernel with these buffers.
    pub fn of(facts: &Facts, buffers: &'a [Buffer]) -> Engines<'a> {
        Engines {
            buffers,
            approximate: facts.kernel.options.approx,
        }
    }
}

/// The compute program, with its calls outside of registers.
pub type Body = Vec<Line>;

/// A statement of it.
type Line = Stmt<Compute<Leaf<Symbol>>>;

/// Runs the pass. What is needed from the first block on stands before everything else.
pub fn run(engines: &Engines, body: Body) -> Body {
    let Some((startup, state)) = requirement::startup(engines, &body) else {
        return body;
    };
    let mut relu = false;
    operations(&body, &mut |op| {
        relu |= matches!(op, ComputeOp::Pack { to, .. } if to.relu)
    });
    let pass = Insertion {
        engines,
        relu,
        probes: RefCell::default(),
        last: RefCell::default(),
    };
    let mut out = transitions(vec![startup]);
    let mut rest = Vec::new();
    for stmt in body {
        match stmt.kind {
            Kind::Loop(SourceLoop::Blocks, body) => {
                let (before, body, _) = pass.around(&state, true, &body, Makes::Body);
                out.extend(transitions(before));
                rest.push(Stmt::new(stmt.note, Kind::Loop(SourceLoop::Blocks, body)));
            }
            kind @ (Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..)) => {
                rest.push(Stmt::new(stmt.note, kind))
            }
        }
    }
    out.extend(rest);
    out
}

fn transitions(calls: Vec<Leaf<Symbol>>) -> Body {
    let plain = |leaf| Stmt::new(None, Kind::Op(ComputeOp::Plain(leaf)));
    calls.into_iter().map(plain).collect()
}

/// What a run over statements is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Makes {
    /// The statements with their transitions.
    Body,
    /// The state that they leave.
    State,
}

/// Whose step it is: the packer's behind a section's commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thread {
    /// FPU and SFPU are asked by it.
    Math,
    /// The SFPU may be asked by it too.
    Packer,
}

/// Where the body of a loop lies, and the chunks that it is run within.
type Place = (*const Line, [u32; 2]);

struct Insertion<'a> {
    engines: &'a Engines<'a>,
    /// Whether the packer makes what is negative zero anywhere.
    relu: bool,
    /// What a loop needs first and what it leaves: it depends on nothing but its place, so that loops within loops are probed once each,
    /// not once for every run over what is around them.
    probes: RefCell<HashMap<Place, Rc<Probe>>>,
    /// The state that the last turn of the loop around leaves, where it does something else than the others.
    last: RefCell<Option<State>>,
}

/// What a loop asks from an unknown state on.
struct Probe {
    /// What it leaves to its next turn, and what it asks for that.
    every: State,
    /// With the last turn.
    all: State,
    /// Whether there are operations alone in it: what they leave does not go by what was before them.
    is_straight: bool,
}

impl Insertion<'_> {
    /// A loop over `body`: the transitions before it, the body with those in it, and the state after it.
    ///
    /// The body is run over once from an unknown state to learn what it needs first and what it leaves. A component that is
    /// left as it is first needed is brought there before the loop.
    fn around(&self, state: &State, may_skip: bool, body: &[Line], makes: Makes) -> (Vec<Leaf<Symbol>>, Body, State) {
        let key = (body.as_ptr(), state.chunk());
        let known = self.probes.borrow().get(&key).cloned();
        let probe = known.unwrap_or_else(|| {
            let mut every = State::unknown();
            every.set_chunk(state.chunk());
            let (_, last) = self.turn(body, &mut every, Makes::State);
            let all = last.map_or_else(|| every.clone(), |last| every.meet(&last));
            let is_straight = body.iter().all(|stmt| matches!(stmt.kind, Kind::Op(_)));
            let probe = Rc::new(Probe {
                every,
                all,
                is_straight,
            });
            self.probes.borrow_mut().insert(key, probe.clone());
            probe
        });
        let every = &probe.every;
        let mut inside = state.clone();
        let mut before = Vec::new();
        for component in Component::ALL {
            if !every.touched(component) {
                continue;
            }
            match every.first(component) {
                Some(need) if every.holds(need) => before.extend(inside.establish(need)),
                _ if every.value(component) == state.value(component) => {}
                _ => inside.forget(component),
            }
        }
        inside.clear_log();
        let entered = may_skip.then(|| inside.clone());
        let (body, last) = match makes {
            Makes::State if probe.is_straight => {
                inside.leave_as(every);
                (Body::new(), None)
            }
            Makes::State | Makes::Body => self.turn(body, &mut inside, makes),
        };
        let inside = match last {
            Some(last) => inside.meet(&last),
            None => inside,
        };
        let after = match entered {
            Some(entered) => entered.meet(&inside),
            None => inside,
        };
        (merge(before), body, after.with_log_of(state, &probe.all))
    }

    /// As [`Self::body`], of a turn of a loop; and the state that its last one leaves, where that does something else.
    fn turn(&self, body: &[Line], state: &mut State, makes: Makes) -> (Body, Option<State>) {
        let outer = self.last.take();
        let body = self.body(body, state, makes);
        (body, self.last.replace(outer))
    }

    /// `body` with the transitions that it lacks, from `state` on; nothing where that is not what the run makes.
    fn body(&self, body: &[Line], state: &mut State, makes: Makes) -> Body {
        let mut out = Vec::new();
        let mut by = Thread::Math;
        for stmt in body {
            let note = stmt.note;
            if matches!(stmt.kind, Kind::Op(ComputeOp::Commit)) {
                by = Thread::Packer;
            }
            let (before, kind) = match &stmt.kind {
                Kind::Op(op) if makes == Makes::State => {
                    self.operation(op, by, state);
                    if requirement::after(op).is_some() {
                        state.forget(Component::Math);
                    }
                    continue;
                }
                Kind::Op(op) => (self.operation(op, by, state), Kind::Op(op.clone())),
                Kind::Group(Around::Section(section), body) => self.section(section, body, state, makes),
                Kind::Group(around @ (Around::Along { .. } | Around::Bands { .. }), body) => {
                    let (before, body, after) = self.around(state, false, body, makes);
                    *state = after;
                    (before, Kind::Group(around.clone(), body))
                }
                Kind::Group(around @ Around::Unless(_), body) => {
                    let body = self.sometimes(body, state, makes);
                    (Vec::new(), Kind::Group(around.clone(), body))
                }
                Kind::Loop(head, body) => {
                    let (before, body, after) = self.around(state, true, body, makes);
                    *state = after;
                    (before, Kind::Loop(head.clone(), body))
                }
                Kind::If(branch, then, otherwise) => {
                    let mut other = state.clone();
                    let then = self.body(then, state, makes);
                    let otherwise = self.body(otherwise, &mut other, makes);
                    match branch.cause.turn() {
                        // No other turn comes after the last.
                        Some(Turn::BeforeLast) => *self.last.borrow_mut() = Some(other),
                        Some(Turn::AfterFirst) | None => *state = state.meet(&other),
                    }
                    (Vec::new(), Kind::If(branch.clone(), then, otherwise))
                }
            };
            if makes == Makes::State {
                continue;
            }
            let after = match &kind {
                Kind::Op(op) => requirement::after(op),
                Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => None,
            };
            let from = out.len();
            out.extend(transitions(before));
            out.push(Stmt::new(None, kind));
            out[from].note = note;
            if let Some(leaf) = after {
                state.forget(Component::Math);
                out.extend(transitions(vec![leaf]));
            }
        }
        out
    }

    /// `body`, which is run for some tiles one after the other: with all transitions in it, so that other tiles pay nothing.
    fn sometimes(&self, body: &[Line], state: &mut State, makes: Makes) -> Body {
        let mut probe = State::unknown();
        probe.set_chunk(state.chunk());
        self.body(body, &mut probe, Makes::State);
        let mut inside = state.clone();
        for component in Component::ALL {
            if probe.touched(component) && probe.value(component) != state.value(component) {
                inside.forget(component);
            }
        }
        let body = self.body(body, &mut inside, makes);
        *state = state.meet(&inside);
        body
    }

    /// The transitions that an operation lacks.
    fn operation(&self, op: &ComputeOp<Leaf<Symbol>>, by: Thread, state: &mut State) -> Vec<Leaf<Symbol>> {
        let mut calls = Vec::new();
        requirement::of(self.engines, op, by, state.chunk(), &mut |need| {
            if let Some(call) = state.require(need) {
                calls.push(call);
            }
        });
        merge(calls)
    }

    fn section(
        &self,
        section: &Section,
        body: &[Line],
        state: &mut State,
        makes: Makes,
    ) -> (Vec<Leaf<Symbol>>, Kind<Compute<Leaf<Symbol>>>) {
        let outer_chunk = state.set_chunk(section.chunk);
        // Packing into L1 is set up once per section, not per chunk.
        let packing = requirement::packing(self.relu, body).into_iter();
        let mut before: Vec<_> = packing.flat_map(|need| state.require(need)).collect();
        let body = if section.chunk == section.tiles {
            self.body(body, state, makes)
        } else {
            let (hoisted, body, after) = self.around(state, false, body, makes);
            before.extend(hoisted);
            *state = after;
            body
        };
        state.set_chunk(outer_chunk);
        (before, Kind::Group(Around::Section(section.clone()), body))
    }
}
