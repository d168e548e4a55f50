//! Turns that begin ahead: what is done a turn earlier than it stands is what would have been done in its place.
//!
//! All other proofs take a turn in the order of Device IR ([`crate::device::ahead`]). What the emitted code does earlier, room for a version
//! and what fills it, comes before other versions of the turn are received and pushed. Then it must hold that
//!
//! - it concerns the buffer whose version it begins, of which the last was pushed before, and nothing that what it passes concerns: from the
//!   first push on a turn only receives and pushes versions, those of a buffer before its next is begun;
//! - what it is told by (names, and the buffer's place) is the same in both places: a turn changes nothing but the counts of versions, each
//!   of one buffer;
//! - its buffer holds two versions, so that the one before stays while it is filled, and may leave meanwhile (`ring`).
//!
//! The room is waited for earlier, too: `progress` runs the programs with it there. What leaves at the end of a loop is flushed behind it.

use super::event::CbStep;
use super::{Proof, fault};
use crate::device::ahead::{Turn, pushed};
use crate::device::function::RECEIVE_VERSION;
use crate::device::uses::Uses;
use crate::device::{Bits, Calls, Device, Expr, Leaf, Loop};
use crate::flow::BufferKind;
use crate::ir::{Kind, Stmt, operations, visit};
use std::collections::BTreeSet;
use tt_plan::Role;

type Body = [Stmt<Calls<Bits>>];

/// Proves it of `device`.
pub fn prove(device: &Device) -> Proof {
    for program in &device.programs {
        let mut proof = Ok(());
        visit(&program.body, &mut |stmt| {
            if let Kind::Loop(
                Loop::Over {
                    ahead: true, unroll, ..
                },
                body,
            ) = &stmt.kind
                && proof.is_ok()
            {
                proof = match (program.role, unroll) {
                    (Role::Reader, false) => turn(device, body),
                    (Role::Reader | Role::Compute | Role::Writer, _) => fault("turns begin ahead that cannot"),
                };
            }
        });
        proof?;
    }
    Ok(())
}

fn turn(device: &Device, body: &Body) -> Proof {
    let turn = Turn::of(body);
    let begun: Vec<_> = turn.begun().collect();
    let statements: usize = begun.iter().map(|(_, first)| first.len()).sum();
    if begun.is_empty() || statements + turn.rest.len() != body.len() {
        return fault("a turn that begins ahead begins with more than room for versions, and what fills it");
    }
    let behind = turn.rest.iter().position(|stmt| pushed(stmt).is_some());
    let (before, behind) = turn.rest.split_at(behind.unwrap_or(turn.rest.len()));
    if steps(before) != 0 || !changed(before).is_empty() {
        return fault("a turn that begins ahead changes what the next is told by");
    }
    let is_passed_on = |stmt: &Stmt<Calls<Bits>>| {
        pushed(stmt).is_some() || matches!(&stmt.kind, Kind::Op(Leaf::Call(call)) if *call.function == RECEIVE_VERSION)
    };
    if !behind.iter().all(is_passed_on) {
        return fault("a turn that begins ahead does more than pass versions on after the first of them");
    }
    for (at, (id, first)) in begun.iter().enumerate() {
        let Some(buffer) = device.buffers.get(id.0) else {
            return fault(format!("there is no buffer {}", id.0));
        };
        let uses = Uses::of(first);
        let is_own = uses.buffers.union(&uses.page_bytes).all(|used| {
            let of = device.buffers.get(used.0);
            used == id || of.is_some_and(|of| of.kind == BufferKind::Scratch(Role::Reader))
        });
        let again = begun.iter().take(at).any(|(other, _)| other == id);
        if buffer.versions < 2 || !is_own || again || steps(first) != 1 {
            return fault(format!("a version of {} cannot be begun ahead", buffer.name));
        }
        let mut pushes = behind.iter().enumerate().filter(|(_, stmt)| pushed(stmt) == Some(*id));
        let (Some((push, _)), None) = (pushes.next(), pushes.next()) else {
            return fault(format!("a turn does not pass on one version of {}", buffer.name));
        };
        let later = behind.get(push + 1..).unwrap_or(&[]);
        let changes = changed(first);
        let mut concerns = Uses::of(later).buffers.contains(id);
        operations(later, &mut |leaf| {
            if let Leaf::Call(call) = leaf {
                let mut part =
                    |part: &Expr<Bits>| concerns |= matches!(part, Expr::Name(name) if changes.contains(name.as_str()));
                call.args.iter().for_each(|arg| arg.walk(&mut part));
            }
        });
        if concerns {
            return fault(format!(
                "the next version of {} is begun before this one is done with",
                buffer.name
            ));
        }
    }
    Ok(())
}

/// How many calls of the protocol of circular buffers there are.
fn steps(body: &Body) -> usize {
    let mut count = 0;
    operations(body, &mut |leaf| {
        count += usize::from(matches!(leaf, Leaf::Call(call) if CbStep::of(call.function).is_some()));
    });
    count
}

/// The names that statements change or give, but for their own.
fn changed(body: &Body) -> BTreeSet<&str> {
    let mut own = BTreeSet::new();
    let mut changed = BTreeSet::new();
    operations(body, &mut |leaf| match leaf {
        Leaf::Let { name, .. } => drop(own.insert(name.as_str())),
        Leaf::Advance { name, .. } if !own.contains(name.as_str()) => drop(changed.insert(name.as_str())),
        Leaf::Define { .. } => drop(changed.insert("")),
        Leaf::Advance { .. } | Leaf::Call(_) => {}
    });
    changed
}
