//! Versions that a line of cores shares: one core, the sender, reads them and sends them to the others (patterns.md §9). The rectangle
//! that it sends to is the whole line: a multicast leaves its sender out (metalium.md §1.4).
//!
//! Versions are numbered from 1 for every line. Any other core says that it has room for one by counting up the semaphore
//! `ready` of the sender, which waits until all have as often as there were versions, sends the version, and then its number to the
//! semaphores `sent`. Nothing is counted down. The versions of a step, each of another line, are sent before one is waited for: so a core
//! that is the sender of its column need not wait for its row first. What is sent is flushed before its place is filled again, and before
//! the next number is told.
//!
//! ```text
//!  read x from a for the row   ⟹   row_versions += 1;
//!                                  if (place_in_row == row_sender) { .. } else { expect_version(..); }
//!                                  noc_async_read_barrier();
//!                                  if (place_in_row == row_sender) { send_version(..); }
//!                                  receive_version(..);
//! ```

use super::transfers::{read, zero_edges};
use super::{Lines, Lower, op, value};
use crate::device::function::*;
use crate::device::{Calls, CppType, Expr, Leaf, Move, Moves, Operator, Protocol, Symbol, call, line, scope, when};
use crate::flow::{Buffer, BufferId, TileRegion};
use crate::ir::{Kind, Rewrite, Stmt, operations};
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

/// What becomes of a read.
#[derive(Default)]
pub(super) struct Lowered {
    /// The version is under way.
    pub under_way: Lines,
    /// What is done to it when it has arrived.
    pub arrived: Lines,
    /// Its line is sent it.
    pub sent: Lines,
    /// It is there.
    pub received: Lines,
}

/// What becomes of a read.
pub(super) fn lowered(buffers: &[Buffer], (id, region, of): &StepRead) -> Lowered {
    let (read, mut zeros) = (read(buffers, *id, region), zero_edges(buffers, *id, region));
    let Some(of) = *of else {
        return Lowered {
            under_way: vec![scope(read)],
            arrived: (!zeros.is_empty()).then(|| scope(zeros)).into_iter().collect(),
            ..Lowered::default()
        };
    };
    let shared = SharedVersion { buffers, id: *id, of };
    let counted = line(Leaf::Advance {
        name: versions_of(of),
        value: Expr::Int(1),
    });
    zeros.push(shared.sent());
    Lowered {
        under_way: vec![counted, when(shared.is_sender(), read, vec![shared.expected()])],
        arrived: Lines::new(),
        sent: vec![when(shared.is_sender(), zeros, Lines::new())],
        received: vec![shared.received()],
    }
}

/// A step of reads: the versions are under way, have arrived, and those that a line shares are sent, before any is waited for.
pub(super) fn step(buffers: &[Buffer], reads: &[StepRead]) -> Lines {
    let mut step = Lowered::default();
    for read in reads {
        let of_read = lowered(buffers, read);
        step.under_way.extend(of_read.under_way);
        step.arrived.extend(of_read.arrived);
        step.sent.extend(of_read.sent);
        step.received.extend(of_read.received);
    }
    step.under_way.push(line(call(&NOC_ASYNC_READ_BARRIER, [])));
    if !step.sent.is_empty() {
        step.sent.push(flushed());
    }
    [step.under_way, step.arrived, step.sent, step.received].concat()
}

/// What was sent has left.
pub(super) fn flushed() -> Stmt<Calls<Symbol>> {
    line(call(&NOC_ASYNC_WRITES_FLUSHED, []))
}

/// Versions that a buffer holds of which the next is begun ahead: one that compute uses, one passed on, and the next. Were it one less, there
/// would be room for the next only when compute has done with its version, and what a turn passes on after that would come late.
const VERSIONS: u32 = 3;

impl Lower<'_> {
    /// The turn of a loop that is one step of reads, of which a line shares some, into buffers that hold [`VERSIONS`]: of each buffer the
    /// statements that make room, read and pass on. What it begins with is done ahead ([`crate::device::ahead`]).
    pub(super) fn ahead(&mut self, body: &[Stmt<Moves>]) -> Option<Lines> {
        let mut turn: Vec<(BufferId, [Option<&Stmt<Moves>>; 3])> = Vec::new();
        for stmt in body {
            let (buffer, at) = match &stmt.kind {
                Kind::Op(Move::Protocol(Protocol::Reserve(buffer))) => (*buffer, 0),
                Kind::Op(Move::Read(buffer, ..)) => (*buffer, 1),
                Kind::Op(Move::Protocol(Protocol::Publish(buffer))) => (*buffer, 2),
                Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => return None,
            };
            let known = turn.iter().position(|(id, _)| *id == buffer);
            let known = known.unwrap_or_else(|| {
                turn.push((buffer, [None; 3]));
                turn.len() - 1
            });
            let (_, steps) = &mut turn[known];
            let is_next = steps.iter().take_while(|step| step.is_some()).count() == at;
            if !is_next {
                return None;
            }
            steps[at] = Some(stmt);
        }
        let mut lines = Vec::new();
        let [mut begun, mut arrived, mut sent, mut passed_on] = [const { Lines::new() }; 4];
        for (buffer, steps) in turn {
            let [Some(room), Some(read), Some(pushed)] = steps else {
                return None;
            };
            let Kind::Op(Move::Read(_, region, of)) = &read.kind else {
                return None;
            };
            if self.buffers[buffer.0].versions < VERSIONS || of.is_some() && lines.contains(of) {
                return None;
            }
            lines.push(*of);
            let of_read = lowered(self.buffers, &(buffer, region.clone(), *of));
            self.stmt(room.clone(), &mut begun);
            begun.extend(of_read.under_way);
            arrived.extend(of_read.arrived);
            sent.extend(of_read.sent);
            passed_on.extend(of_read.received);
            self.stmt(pushed.clone(), &mut passed_on);
        }
        if lines.iter().all(Option::is_none) {
            return None;
        }
        begun.push(line(call(&NOC_ASYNC_READ_BARRIER, [])));
        // What the turn before sent.
        sent.insert(0, flushed());
        Some([begun, arrived, sent, passed_on].concat())
    }
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
