//! Versions that a line of cores shares: one core, the sender, reads them and sends them to the others (patterns.md §9). The rectangle
//! that it sends to is the whole line: a multicast leaves its sender out (metalium.md §1.4).
//!
//! Versions are numbered from 1 for every line. Any other core says that it has room for one by counting up the semaphore
//! `ready` of the sender, which waits until all have as often as there were versions, sends the version, and then its number to the
//! semaphores `sent`. Nothing is counted down.
//!
//! ```text
//!  read x from a for the row   ⟹   row_versions += 1;
//!                                  if (place_in_row == row_sender) { .. send_version(..); } else { receive_version(..); }
//! ```

use super::{Lines, op, value};
use crate::device::function::*;
use crate::device::{Calls, CppType, Expr, Leaf, Move, Moves, Operator, Symbol, call, line, when};
use crate::flow::{Buffer, BufferId};
use crate::ir::{Stmt, operations};
use crate::passes::b2_grid_to_cores::{cores_of, noc_of, place_in, semaphores_of, sender_of, versions_of};
use tt_plan::{CoreLine, InLine};

/// The lines along which a program shares versions.
pub(super) fn shared_lines(program: &[Stmt<Moves>]) -> Vec<CoreLine> {
    let mut shared = Vec::new();
    operations(program, &mut |op| {
        if let Move::Read(_, _, Some(of)) = op
            && !shared.contains(of)
        {
            shared.push(*of);
        }
    });
    shared
}

/// No version was shared so far.
pub(super) fn no_versions(of: CoreLine) -> Stmt<Calls<Symbol>> {
    line(Leaf::Let {
        kind: CppType::Word,
        name: versions_of(of),
        value: Expr::Int(0),
    })
}

/// A version that the cores of a line share, which `read` reads.
pub(super) fn shared(buffer: &Buffer, id: BufferId, of: CoreLine, read: Lines) -> Lines {
    let place = || value(&GET_WRITE_PTR, [Expr::Buffer(id)]);
    let [ready, sent] = semaphores_of(of).map(|semaphore| Expr::Int(i64::from(semaphore)));
    let at = |core| noc_of(of, core).map(|(name, _)| Expr::Name(name));
    let number = || Expr::Name(versions_of(of));
    let bytes = op(
        Operator::Mul,
        Expr::Int(i64::from(buffer.version_tiles())),
        Expr::PageBytes(id),
    );
    let others = op(Operator::Sub, Expr::Name(cores_of(of)), Expr::Int(1));
    let semaphores = [ready, sent];
    let sends = [place(), bytes, number(), others].into_iter().chain(semaphores.clone());
    let sends = sends.chain(at(InLine::First)).chain(at(InLine::Last));
    let receives = [place(), number()]
        .into_iter()
        .chain(semaphores)
        .chain(at(InLine::Sender));
    let mut own = read;
    own.push(line(call(&SEND_VERSION, sends)));
    let is_sender = op(Operator::Equal, Expr::Name(place_in(of)), Expr::Name(sender_of(of)));
    vec![
        line(Leaf::Advance {
            name: versions_of(of),
            value: Expr::Int(1),
        }),
        when(is_sender, own, vec![line(call(&RECEIVE_VERSION, receives))]),
    ]
}
