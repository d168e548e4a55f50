//! Transfers of one tensor that the source has an order for.
//!
//! What a block reads and what it stores goes by two processors of its core, each in its own time. A store is after a read
//! where compute stands between: what is stored is made after what is read has come. Nothing makes a read wait for a store
//! before it, nor a store for a read where what is stored was made before it. There one waits for a token of the other's, which is
//! passed on when all transfers before it have arrived.
//!
//! ```text
//!  write v to x[..]; read w from x[..]      ⟹      write v to x[..]; read w from x[..] after stored
//! ```

use crate::flow::{BufferId, BufferKind, Buffers, Flow, Read, SectionOp, Sections, TileRegion, Transfer, Write};
use crate::ir::{Event, Frame, walk_mut};
use crate::passes::a1_infer_layout::tiles;
use std::collections::BTreeMap;
use tt_lang::ir::{IntExpr, Linear, ParamId, Span, VarId};
use tt_plan::{DataFormat, Role};

/// Runs the step.
pub fn run(flow: &mut Flow<Sections>) {
    let Flow { buffers, body, .. } = flow;
    let mut all = Accesses::default();
    walk_mut(body, &mut |span, event| all.event(*span, event));
    let Accesses {
        mut of_tensors, made, ..
    } = all;
    let mut tokens = BTreeMap::new();
    for [reads, stores] in of_tensors.values_mut() {
        let waiting_reads = waiting(reads, stores, |_, _| false);
        let made_after = |store: &Access, read: &Access| {
            let makes = store.buffers.iter().filter_map(|buffer| made.get(buffer));
            makes
                .clone()
                .any(|makes| makes.iter().all(|made| made.between(read, store)))
        };
        let waiting_stores = waiting(stores, reads, made_after);
        for (role, accesses, waiting) in [
            (Role::Reader, reads, waiting_reads),
            (Role::Writer, stores, waiting_stores),
        ] {
            for (access, _) in accesses.iter_mut().zip(waiting).filter(|(_, waits)| *waits) {
                let token = tokens
                    .entry(role.name())
                    .or_insert_with(|| token(buffers, role, access.span));
                *access.after = Some(*token);
            }
        }
    }
}

/// Which of `these` wait for any of `others`, but for those that something else orders.
fn waiting(these: &[Access], others: &[Access], is_ordered: impl Fn(&Access, &Access) -> bool) -> Vec<bool> {
    let waits = |access: &Access| {
        let before = |other: &Access| other.may_precede(access) && !is_ordered(access, other);
        others.iter().any(before)
    };
    these.iter().map(waits).collect()
}

/// The page that tokens to `role` go by.
fn token(buffers: &mut Buffers, role: Role, span: Span) -> BufferId {
    let name = if role == Role::Reader { "stored" } else { "loaded" };
    buffers.add(name, span, BufferKind::Token(role), DataFormat::UInt8, [1, 1])
}

/// Where something stands.
#[derive(Debug, Clone, Default)]
struct Point {
    /// The how-many-th of all it is.
    number: usize,
    /// The loops and sides of branches around it, outermost first.
    path: Vec<Around>,
}

/// Something around a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    /// A loop over this variable.
    Loop(VarId),
    /// One side of the branch of this number.
    Side(usize, bool),
}

impl Around {
    fn variable(self) -> Option<VarId> {
        match self {
            Around::Loop(var) => Some(var),
            Around::Side(..) => None,
        }
    }
}

impl Point {
    /// How many loops and sides are around both.
    fn shared(&self, other: &Point) -> usize {
        self.path.iter().zip(&other.path).take_while(|(a, b)| a == b).count()
    }

    /// Whether a version is made here for `store` and, wherever `read` comes before that, after `read`.
    fn between(&self, read: &Access, store: &Access) -> bool {
        // A version from before a loop around both may be stored again and again.
        let common = store.at.shared(&read.at);
        self.shared(&store.at) >= common
            && self.number < store.at.number
            && (read.at.number < self.number || read.at.number > store.at.number)
    }
}

/// A read or a store.
#[derive(Debug)]
struct Access<'a> {
    region: &'a TileRegion,
    at: Point,
    span: Span,
    /// The buffers that a store takes.
    buffers: Vec<BufferId>,
    /// The token that it waits for.
    after: &'a mut Option<BufferId>,
}

impl Access<'_> {
    /// Whether this may move tiles that `later` moves after it.
    fn may_precede(&self, later: &Access) -> bool {
        let shared = self.at.shared(&later.at);
        let exclude = matches!(
            (self.at.path.get(shared), later.at.path.get(shared)),
            (Some(Around::Side(a, _)), Some(Around::Side(b, _))) if a == b
        );
        if self.at.number < later.at.number && !exclude {
            return true;
        }
        // In a later iteration of any loop around both.
        self.at.path[..shared]
            .iter()
            .enumerate()
            .any(|(depth, around)| match around {
                Around::Loop(var) => {
                    let inner = [self, later].map(|access| &access.at.path[depth + 1..]).concat();
                    let inner: Vec<VarId> = inner.into_iter().filter_map(Around::variable).collect();
                    !apart(later.region, self.region, *var, &inner)
                }
                Around::Side(..) => false,
            })
    }
}

/// The reads and the stores of each tensor, in order, and where versions of buffers are made.
#[derive(Default)]
struct Accesses<'a> {
    of_tensors: BTreeMap<ParamId, [Vec<Access<'a>>; 2]>,
    made: BTreeMap<BufferId, Vec<Point>>,
    points: usize,
    branches: usize,
    /// The loops and sides of branches around what comes next, outermost first.
    path: Vec<Around>,
}

impl<'a> Accesses<'a> {
    fn point(&mut self) -> Point {
        self.points += 1;
        Point {
            number: self.points,
            path: self.path.clone(),
        }
    }

    fn make(&mut self, buffer: BufferId) {
        let at = self.point();
        self.made.entry(buffer).or_default().push(at);
    }

    fn event(&mut self, span: Span, event: Event<'a, Sections, &'a mut SectionOp, ()>) {
        match event {
            Event::Op(op) => self.op(span, op),
            Event::Enter(Frame::Loop(head)) => self.path.push(Around::Loop(head.var)),
            Event::Enter(Frame::If(_)) => {
                self.branches += 1;
                self.path.push(Around::Side(self.branches, true));
            }
            Event::Otherwise => {
                if let Some(Around::Side(branch, _)) = self.path.pop() {
                    self.path.push(Around::Side(branch, false));
                }
            }
            Event::Leave(Frame::Loop(_) | Frame::If(_)) => drop(self.path.pop()),
            Event::Enter(Frame::Group(..)) => {}
            Event::Leave(Frame::Group(around, ())) => around.defines().into_iter().for_each(|buffer| self.make(buffer)),
        }
    }

    fn op(&mut self, span: Span, op: &'a mut SectionOp) {
        let (side, buffers, region, after) = match op {
            SectionOp::Write(write) => {
                let buffers = write.uses().map(|(buffer, _)| buffer).collect();
                let Write { region, after, .. } = write;
                (1, buffers, region, after)
            }
            SectionOp::Read(Read { region, after, .. }) => (0, Vec::new(), region, after),
            SectionOp::Blank(buffer) => return self.make(*buffer),
            SectionOp::Inspect(_)
            | SectionOp::Shift(_)
            | SectionOp::Fetch(_)
            | SectionOp::Release(_)
            | SectionOp::Tile { .. }
            | SectionOp::Matmul(_) => return,
        };
        let at = self.point();
        self.of_tensors.entry(region.tensor).or_default()[side].push(Access {
            region,
            at,
            span,
            buffers,
            after,
        });
    }
}

/// Whether two regions of the same place are apart in different iterations of the loop over `var`, in which `within` vary too.
fn apart(a: &TileRegion, b: &TileRegion, var: VarId, within: &[VarId]) -> bool {
    if a.matrix != b.matrix || a.transfer != b.transfer || a.extent != b.extent {
        return false;
    }
    // What an iteration has to be further by, along rows and columns.
    let (first, count) = match &a.transfer {
        Transfer::Pages(tile) => (tile, tiles(a.extent).map(i64::from)),
        Transfer::Rows(rows) => {
            let elements = |axis: usize| i64::try_from(a.extent[axis]).unwrap_or(i64::MAX);
            // Rows of a remainder come again.
            let down = match rows.pace.modulo {
                None => elements(0)
                    .saturating_mul(i64::from(rows.pace.step).saturating_abs())
                    .saturating_add(i64::from(rows.pace.over).saturating_sub(1)),
                Some(_) => i64::MAX,
            };
            (&rows.first, [down, elements(1)])
        }
    };
    let moves = |index: &IntExpr, by: i64| {
        let index = Linear::of(index);
        let mut varies = within.iter().any(|inner| index.mentions(*inner));
        for (atom, _) in &index.terms {
            atom.walk(&mut |part| varies |= matches!(part, IntExpr::Fetched(_)));
        }
        let slope = index.slope(var).filter(|_| !varies);
        slope.is_some_and(|slope| slope.unsigned_abs() >= by.unsigned_abs())
    };
    a.matrix.iter().any(|index| moves(&index.at, 1)) || (0..2).any(|axis| moves(&first[axis], count[axis]))
}
