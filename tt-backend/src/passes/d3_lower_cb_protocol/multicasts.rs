//! Versions that a line of cores shares: one core, the sender, reads them and sends them to the others (patterns.md §9). The rectangle
//! that it sends to is the whole line: a multicast leaves its sender out (metalium.md §1.4).
//!
//! Versions are numbered from 1 for every line. Any other core says that it has room for one by counting up the semaphore
//! `ready` of the sender, which waits until all have as often as there were versions, sends the version, and then its number to the
//! semaphores `sent`. Nothing is counted down. The versions of a step, each of another line, are sent before one is waited for: so a core
//! that is the sender of its column need not wait for its row first.
//!
//! ```text
//!  read x from a for the row   ⟹   row_versions += 1;
//!                                  if (place_in_row == row_sender) { .. } else { expect_version(..); }
//!                                  noc_async_read_barrier();
//!                                  if (place_in_row == row_sender) { send_version(..); }
//!                                  receive_version(..);
//! ```

use super::transfers::{read, zero_edges};
use super::{Lines, op, value};
use crate::device::function::*;
use crate::device::{Calls, CppType, Expr, Leaf, Move, Moves, Operator, Symbol, call, line, scope, when};
use crate::flow::{Buffer, BufferId, TileRegion};
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

/// A read of a step.
pub(super) type StepRead = (BufferId, TileRegion, Option<CoreLine>);

/// A step of reads: the versions are under way, have arrived, and those that a line shares are sent, before any is waited for.
pub(super) fn step(buffers: &[Buffer], reads: &[StepRead]) -> Lines {
    let [mut under_way, mut arrived, mut sent, mut received] = [const { Lines::new() }; 4];
    for (id, region, of) in reads {
        let (read, mut zeros) = (read(buffers, *id, region), zero_edges(buffers, *id, region));
        let shared = of.map(|of| SharedVersion { buffers, id: *id, of });
        let Some(shared) = shared else {
            under_way.push(scope(read));
            arrived.extend((!zeros.is_empty()).then(|| scope(zeros)));
            continue;
        };
        under_way.push(line(Leaf::Advance {
            name: versions_of(shared.of),
            value: Expr::Int(1),
        }));
        under_way.push(when(shared.is_sender(), read, vec![shared.expected()]));
        zeros.push(shared.sent());
        sent.push(when(shared.is_sender(), zeros, Lines::new()));
        received.push(shared.received());
    }
    under_way.push(line(call(&NOC_ASYNC_READ_BARRIER, [])));
    [under_way, arrived, sent, received].concat()
}

/// A version that the cores of a line share.
struct SharedVersion<'a> {
    buffers: &'a [Buffer],
    id: BufferId,
    of: CoreLine,
}

impl SharedVersion<'_> {
    fn is_sender(&self) -> Expr<Symbol> {
        op(
            Operator::Equal,
            Expr::Name(place_in(self.of)),
            Expr::Name(sender_of(self.of)),
        )
    }

    fn place(&self) -> Expr<Symbol> {
        value(&GET_WRITE_PTR, [Expr::Buffer(self.id)])
    }

    fn number(&self) -> Expr<Symbol> {
        Expr::Name(versions_of(self.of))
    }

    /// Its semaphores `ready` and `sent`.
    fn semaphores(&self) -> [Expr<Symbol>; 2] {
        semaphores_of(self.of).map(|semaphore| Expr::Int(i64::from(semaphore)))
    }

    fn at(&self, core: InLine) -> [Expr<Symbol>; 2] {
        noc_of(self.of, core).map(|(name, _)| Expr::Name(name))
    }

    /// The sender is told that there is room for it here.
    fn expected(&self) -> Stmt<Calls<Symbol>> {
        let [ready, _] = self.semaphores();
        let args = [self.place(), ready].into_iter().chain(self.at(InLine::Sender));
        line(call(&EXPECT_VERSION, args))
    }

    fn sent(&self) -> Stmt<Calls<Symbol>> {
        let bytes = op(
            Operator::Mul,
            Expr::Int(i64::from(self.buffers[self.id.0].version_tiles())),
            Expr::PageBytes(self.id),
        );
        let others = op(Operator::Sub, Expr::Name(cores_of(self.of)), Expr::Int(1));
        let args = [self.place(), bytes, self.number(), others].into_iter();
        let args = args.chain(self.semaphores());
        line(call(
            &SEND_VERSION,
            args.chain(self.at(InLine::First)).chain(self.at(InLine::Last)),
        ))
    }

    fn received(&self) -> Stmt<Calls<Symbol>> {
        let [_, sent] = self.semaphores();
        line(call(&RECEIVE_VERSION, [self.place(), self.number(), sent]))
    }
}
