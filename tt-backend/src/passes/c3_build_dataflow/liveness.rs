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

use crate::flow::{Accumulate, BufferId, Flow, Inspection, Read, SectionOp, SectionStmt, Sections, Shift, Write};
use crate::ir::Kind;
use std::collections::BTreeSet;
use tt_lang::ir::Span;

type Live = BTreeSet<BufferId>;

/// Inserts the releases; returns the most versions of each buffer alive at once.
pub fn run(flow: &mut Flow<Sections>) -> Vec<u32> {
    let body = std::mem::take(&mut flow.body);
    let (body, _) = list(body, Live::new());
    let mut most = vec![0; flow.buffers.len()];
    let mut alive = vec![0; flow.buffers.len()];
    count(&body, &mut alive, &mut most);
    flow.body = body;
    most
}

fn release(buffer: BufferId, span: Span) -> SectionStmt {
    SectionStmt::new(span, Kind::Op(SectionOp::Release(buffer)))
}

/// The statements with releases, and what is live before them when `live` is live after.
fn list(body: Vec<SectionStmt>, mut live: Live) -> (Vec<SectionStmt>, Live) {
    let mut out = Vec::new();
    for stmt in body.into_iter().rev() {
        let (stmts, before) = statement(stmt, &live);
        out.extend(stmts.into_iter().rev());
        live = before;
    }
    out.reverse();
    (out, live)
}

/// What running statements uses of what was there before, and what it replaces on every path.
#[derive(Default)]
struct Effect {
    uses: Live,
    replaces: Live,
}

impl Effect {
    fn then(&mut self, next: Effect) {
        self.uses.extend(next.uses.difference(&self.replaces));
        self.replaces.extend(next.replaces);
    }
}

/// The buffer that is printed.
fn printed(inspection: &Inspection) -> Live {
    inspection.uses().into_iter().map(|(buffer, _)| buffer).collect()
}

/// What a store uses.
fn stored(write: &Write) -> Live {
    write.uses().map(|(buffer, _)| buffer).collect()
}

fn effect(body: &[SectionStmt]) -> Effect {
    let mut out = Effect::default();
    let replaces = |buffer| Effect {
        uses: Live::new(),
        replaces: Live::from([buffer]),
    };
    let uses = |uses| Effect {
        uses,
        replaces: Live::new(),
    };
    for stmt in body {
        match &stmt.kind {
            Kind::Op(SectionOp::Read(Read { buffer, .. }) | SectionOp::Blank(buffer)) => out.then(replaces(*buffer)),
            Kind::Op(SectionOp::Write(write)) => out.then(uses(stored(write))),
            Kind::Op(SectionOp::Inspect(inspection)) => out.then(uses(printed(inspection))),
            Kind::Op(SectionOp::Shift(shift)) => {
                out.then(uses(Live::from([shift.from])));
                out.then(replaces(shift.buffer));
            }
            Kind::Op(SectionOp::Multiply(matmul)) => out.then(uses(Live::from([matmul.a, matmul.b]))),
            Kind::Op(SectionOp::Section(section)) => {
                out.then(uses(section.uses()));
                for body in section.controls() {
                    out.then(effect(body));
                }
                out.then(section.defines().map(replaces).unwrap_or_default());
            }
            Kind::Group(Accumulate { buffer, .. }, body) => {
                out.then(effect(body));
                out.then(replaces(*buffer));
            }
            Kind::Loop(head, body) => {
                let mut once = effect(body);
                if !head.runs {
                    once.replaces.clear();
                }
                out.then(once);
            }
            Kind::If(_, then, otherwise) => {
                let (mut either, other) = (effect(then), effect(otherwise));
                either.uses.extend(other.uses);
                either.replaces.retain(|buffer| other.replaces.contains(buffer));
                out.then(either);
            }
            Kind::Op(SectionOp::Fetch(_) | SectionOp::Release(_)) => {}
        }
    }
    out
}

/// A statement with its releases after it (in order), and what is live before it.
fn statement(stmt: SectionStmt, after: &Live) -> (Vec<SectionStmt>, Live) {
    let span = stmt.note;
    // A version used here dies here unless it is live after; a version defined here dies here if nobody uses it. A
    // section that uses the buffer it defines replaces the version itself.
    let simple = |kind: Kind<Sections>, uses: Live, defines: Option<BufferId>| {
        let mut before = after.clone();
        let mut releases = Vec::new();
        if let Some(buffer) = defines {
            before.remove(&buffer);
        }
        for buffer in &uses {
            if !after.contains(buffer) && defines != Some(*buffer) {
                releases.push(release(*buffer, span));
            }
        }
        if let Some(buffer) = defines
            && !after.contains(&buffer)
        {
            releases.push(release(buffer, span));
        }
        before.extend(uses);
        let mut out = vec![SectionStmt { kind, note: span }];
        out.extend(releases);
        (out, before)
    };
    match stmt.kind {
        Kind::Op(SectionOp::Read(Read { buffer, .. })) => simple(stmt.kind, Live::new(), Some(buffer)),
        Kind::Op(SectionOp::Blank(buffer)) => simple(stmt.kind, Live::new(), Some(buffer)),
        Kind::Op(SectionOp::Write(write)) => {
            let uses = stored(&write);
            simple(Kind::Op(SectionOp::Write(write)), uses, None)
        }
        Kind::Op(SectionOp::Shift(shift)) => {
            let (from, buffer) = (shift.from, shift.buffer);
            simple(Kind::Op(SectionOp::Shift(shift)), Live::from([from]), Some(buffer))
        }
        Kind::Op(SectionOp::Inspect(inspection)) => {
            let uses = printed(&inspection);
            simple(Kind::Op(SectionOp::Inspect(inspection)), uses, None)
        }
        Kind::Op(SectionOp::Multiply(matmul)) => {
            let uses = Live::from([matmul.a, matmul.b]);
            simple(Kind::Op(SectionOp::Multiply(matmul)), uses, None)
        }
        Kind::Op(SectionOp::Section(mut section)) => {
            let (mut uses, defines) = (section.uses(), section.defines());
            // What the section uses, in its control steps too, stays until its end.
            for body in section.controls() {
                uses.extend(effect(body).uses);
            }
            let mut inside = after.clone();
            if let Some(buffer) = defines {
                inside.remove(&buffer);
            }
            inside.extend(&uses);
            let mut before_control = inside.clone();
            for body in section.controls_mut().rev() {
                (*body, before_control) = list(std::mem::take(body), before_control);
            }
            let (out, _) = simple(Kind::Op(SectionOp::Section(section)), uses, defines);
            (out, before_control)
        }
        Kind::Group(group, body) => {
            let buffer = group.buffer;
            let mut inside = after.clone();
            inside.remove(&buffer);
            let (body, before) = list(body, inside);
            let mut out = vec![SectionStmt::new(span, Kind::Group(group, body))];
            if !after.contains(&buffer) {
                out.push(release(buffer, span));
            }
            (out, before)
        }
        Kind::Loop(head, body) => {
            // What every iteration finds and leaves: what is live after the loop, and what an iteration uses first.
            let runs = head.runs;
            let mut carried = after.clone();
            carried.extend(effect(&body).uses);
            let (mut body, body_before) = list(body, carried.clone());
            let dying: Vec<SectionStmt> = carried
                .difference(&body_before)
                .map(|buffer| release(*buffer, span))
                .collect();
            body.splice(0..0, dying);
            let before = if runs { body_before } else { carried.clone() };
            let blank = |buffer: &BufferId| SectionStmt::new(span, Kind::Op(SectionOp::Blank(*buffer)));
            let mut out: Vec<SectionStmt> = carried.difference(&before).map(blank).collect();
            out.push(SectionStmt::new(span, Kind::Loop(head, body)));
            out.extend(carried.difference(after).map(|buffer| release(*buffer, span)));
            (out, before)
        }
        Kind::If(cond, then, otherwise) => {
            let (mut then, then_before) = list(then, after.clone());
            let (mut otherwise, otherwise_before) = list(otherwise, after.clone());
            let before: Live = then_before.union(&otherwise_before).copied().collect();
            let dying = |branch: &Live| -> Vec<SectionStmt> {
                before.difference(branch).map(|buffer| release(*buffer, span)).collect()
            };
            then.splice(0..0, dying(&then_before));
            otherwise.splice(0..0, dying(&otherwise_before));
            (vec![SectionStmt::new(span, Kind::If(cond, then, otherwise))], before)
        }
        kind @ Kind::Op(SectionOp::Fetch(_) | SectionOp::Release(_)) => {
            (vec![SectionStmt { kind, note: span }], after.clone())
        }
    }
}

/// How many versions of each buffer are in its FIFO, at most. Loops and branches leave the counts as liveness made them:
/// equal on all paths.
fn count(body: &[SectionStmt], alive: &mut [u32], most: &mut [u32]) {
    fn define(buffer: BufferId, alive: &mut [u32], most: &mut [u32]) {
        alive[buffer.0] += 1;
        most[buffer.0] = most[buffer.0].max(alive[buffer.0]);
    }
    for stmt in body {
        match &stmt.kind {
            Kind::Op(
                SectionOp::Read(Read { buffer, .. })
                | SectionOp::Shift(Shift { buffer, .. })
                | SectionOp::Blank(buffer),
            ) => define(*buffer, alive, most),
            Kind::Op(SectionOp::Release(buffer)) => alive[buffer.0] = alive[buffer.0].saturating_sub(1),
            Kind::Op(SectionOp::Section(section)) => {
                // The version being packed is reserved while the control steps run.
                if let Some(buffer) = section.defines() {
                    define(buffer, alive, most);
                }
                for body in section.controls() {
                    count(body, alive, most);
                }
                if let Some(buffer) = section.replaces() {
                    alive[buffer.0] -= 1;
                }
            }
            Kind::Group(Accumulate { buffer, .. }, body) => {
                define(*buffer, alive, most);
                count(body, alive, most);
            }
            Kind::Loop(_, body) => count(body, alive, most),
            Kind::If(_, then, otherwise) => {
                let mut other = alive.to_vec();
                count(then, alive, most);
                count(otherwise, &mut other, most);
            }
            Kind::Op(SectionOp::Write(_) | SectionOp::Inspect(_) | SectionOp::Fetch(_) | SectionOp::Multiply(_)) => {}
        }
    }
}
