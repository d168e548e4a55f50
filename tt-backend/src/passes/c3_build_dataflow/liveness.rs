//! Liveness of versions, backward over the structured program; a `Release` stands where a version dies.
//!
//! A version that an iteration of a loop leaves for what follows is dropped by the next iteration, which makes its own.
//! The first iteration has to find one too: where nothing before the loop made it, a `Blank` does.
//!
//! ```text
//!                              blank v
//!  for q < 4 { v = f(q) }      for q < 4 { release v; v = f(q) }
//!  y = v                  ⟹    y = v; release v
//! ```

use crate::flow::{Around, BufferId, Flow, FlowLoop, SectionOp, SectionStmt, Sections, in_registers};
use crate::ir::{Backward, Forward, Kind};
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::ir::Span;

type Live = BTreeSet<BufferId>;

/// Inserts the releases.
pub fn run(flow: &mut Flow<Sections>) {
    let body = std::mem::take(&mut flow.body);
    flow.body = Liveness.placed(body, &mut Live::new());
}

/// The most versions of each buffer alive at once, one at least, where releases stand.
pub fn most_alive(flow: &Flow<Sections>) -> Vec<u32> {
    let mut most = Most(vec![1; flow.buffers.len()]);
    most.follow(&flow.body);
    most.0
}

fn release(buffer: BufferId, span: Span) -> SectionStmt {
    SectionStmt::new(span, Kind::Op(SectionOp::Release(buffer)))
}

/// Adds what an operation uses.
fn insert_uses(op: &SectionOp, live: &mut Live) {
    op.uses(&mut |buffer| {
        live.insert(buffer);
    });
}

struct Liveness;

impl Liveness {
    /// What a section uses of what was there before; it stays until its end.
    fn uses(&self, around: &Around, body: &[SectionStmt]) -> Live {
        match around {
            Around::Section(_) => {
                let mut uses = Live::new();
                self.before(body, &mut uses);
                in_registers(body, &mut |op| insert_uses(op, &mut uses));
                uses
            }
            Around::Accumulate(_) | Around::Along { .. } | Around::Unless(_) => Live::new(),
        }
    }
}

impl Backward<Sections> for Liveness {
    type State = Live;

    fn op(&self, op: &SectionOp, live: &mut Live) {
        if let Some(buffer) = op.defines() {
            live.remove(&buffer);
        }
        insert_uses(op, live);
    }

    fn close(&self, around: &Around, body: &[SectionStmt], live: &mut Live) {
        if let Some(buffer) = around.defines() {
            live.remove(&buffer);
        }
        live.extend(self.uses(around, body));
    }

    fn runs(&self, head: &FlowLoop) -> bool {
        head.runs
    }

    fn join(&self, live: &mut Live, other: &Live) {
        live.extend(other);
    }

    /// A version used here dies here unless it is live after; a version defined here dies here if nobody uses it. What uses the
    /// buffer that it defines replaces the version itself.
    fn after(&mut self, stmt: &SectionStmt, live: &Live) -> Vec<SectionStmt> {
        let (uses, defines) = match &stmt.kind {
            Kind::Op(op) => {
                let mut uses = Live::new();
                insert_uses(op, &mut uses);
                (uses, op.defines())
            }
            Kind::Group(around, body) => (self.uses(around, body), around.defines()),
            Kind::Loop(..) | Kind::If(..) => return Vec::new(),
        };
        let used = uses.into_iter().filter(|buffer| defines != Some(*buffer));
        let dying = used.chain(defines).filter(|buffer| !live.contains(buffer));
        dying.map(|buffer| release(buffer, stmt.note)).collect()
    }

    /// What is not live there any more dies; what is live only there was not made on this way.
    fn between(&mut self, span: &Span, from: &Live, to: &Live) -> Vec<SectionStmt> {
        let blank = |buffer: &BufferId| SectionStmt::new(*span, Kind::Op(SectionOp::Blank(*buffer)));
        let dying = from.difference(to).map(|buffer| release(*buffer, *span));
        dying.chain(to.difference(from).map(blank)).collect()
    }
}

/// How many versions of each buffer are in its FIFO, of those of which one is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Alive(pub BTreeMap<BufferId, u32>);

impl Alive {
    /// One version more; how many there are then.
    pub fn append(&mut self, buffer: BufferId) -> u32 {
        let count = self.0.entry(buffer).or_default();
        *count += 1;
        *count
    }

    /// One less.
    pub fn release(&mut self, buffer: BufferId) {
        if let Some(count) = self.0.get_mut(&buffer) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&buffer);
            }
        }
    }
}

/// How many versions of each buffer are in its FIFO, at most. Loops and branches leave the counts as liveness made them:
/// equal on all paths.
struct Most(Vec<u32>);

impl Most {
    fn define(&mut self, buffer: Option<BufferId>, alive: &mut Alive) {
        if let Some(buffer) = buffer {
            let most = &mut self.0[buffer.0];
            *most = (*most).max(alive.append(buffer));
        }
    }
}

impl Forward<Sections> for Most {
    type State = Alive;

    fn begin(&mut self) -> Alive {
        Alive::default()
    }

    fn op(&mut self, _: &Span, op: &SectionOp, alive: &mut Alive) {
        self.define(op.defines(), alive);
        op.releases().into_iter().for_each(|buffer| alive.release(buffer));
    }

    /// The version that is packed is reserved while what stands in the section runs.
    fn open(&mut self, around: &Around, alive: &mut Alive) {
        self.define(around.defines(), alive);
    }

    fn close(&mut self, around: &Around, body: &[SectionStmt], alive: &mut Alive) {
        around
            .replaces(body)
            .into_iter()
            .for_each(|buffer| alive.release(buffer));
    }

    fn runs(&self, head: &FlowLoop) -> bool {
        head.runs
    }

    fn join(&mut self, _: &mut Alive, _: &Alive) {}
}
