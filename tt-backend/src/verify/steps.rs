//! What of a program concerns the circular buffers: its steps under its loops and branches, at every stage of Device IR.

use super::event::{CbStep, moves_elements, reads_pages};
use super::{Proof, fault};
use crate::device::{
    Argument, Around, Branch, Call, Calls, Compute, ComputeOp, Expr, Leaf, Loop, Move, Moves, Origin, Protocol, Scope,
    SourceBranch, SourceLoop, Symbol, Turn,
};
use crate::flow::{Arg, Buffer, BufferId};
use crate::ir::{Kind, Never, Stage, Stmt};
use std::fmt;
use tt_lang::ir::ParamId;
use tt_plan::Role;

/// Where the programs meet: the loop over the blocks, or a loop or branch of the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The loop over the blocks.
    Blocks,
    /// A statement of Flow IR.
    Statement(Origin),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Blocks => write!(f, "the loop over the blocks"),
            Place::Statement(Origin(number)) => write!(f, "statement {number}"),
        }
    }
}

/// The bounds of a loop or the condition of a branch, with runtime arguments as what they are bound to: they must be the same
/// in every program that takes part.
pub type Asked = String;

/// A step of a circular buffer: which, of which buffer, and over how many pages.
type Step = (CbStep, BufferId, i64);

/// What matters of a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A step of a circular buffer.
    Cb(CbStep, BufferId, i64),
    /// A loop of the compiler's own: how often, and what.
    Tiles(u32, Vec<Item>),
    /// A loop that the programs run together: over what, and what; and what in its last turn, where that is something else.
    Loop(Place, Asked, Vec<Item>, Option<Vec<Item>>),
    /// In such a loop: what in all turns but the last, and what in that.
    Turns(Vec<Item>, Vec<Item>),
    /// A branch that they take together: on what condition, and what.
    If(Place, Asked, Vec<Item>, Vec<Item>),
}

impl Item {
    /// Where the programs meet here.
    pub fn place(&self) -> Option<Place> {
        match self {
            Item::Loop(place, ..) | Item::If(place, ..) => Some(*place),
            Item::Cb(..) | Item::Tiles(..) | Item::Turns(..) => None,
        }
    }
}

/// What a program's expressions are read with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The circular buffers.
    pub buffers: &'a [Buffer],
    /// The runtime arguments; none before E1.
    pub args: &'a [Argument],
}

/// What a loop is to the programs.
pub enum Head {
    /// The one over the blocks, which they run together.
    Blocks,
    /// One of the user's, which they run together: which, between which bounds, and whether its turns begin ahead.
    Users(Origin, Asked, bool),
    /// One of the compiler's own, run this often.
    Tiles(u32),
}

/// A stage of Device IR.
pub trait Steps: Stage {
    /// The step that an operation is.
    fn step(op: &Self::Op, context: Context) -> Proof<Option<Step>>;
    /// Calls `each` with every buffer whose front version an operation uses.
    fn uses(op: &Self::Op, each: impl FnMut(BufferId));
    /// The tensor that an operation moves elements of, and the processor that does; fetched integers apart, whose tensors nobody
    /// stores to.
    fn moves(op: &Self::Op) -> Option<(Role, ParamId)>;
    /// What a loop is.
    fn head(head: &Self::Loop, context: Context) -> Head;
    /// Where a branch is taken together, and on what condition; none for one of the compiler's own.
    fn branch(branch: &Self::Branch, context: Context) -> Option<(Place, Asked)>;
    /// The turns of the loop around that a branch is of.
    fn turn(branch: &Self::Branch) -> Option<Turn>;
    /// How often a group is run.
    fn times(group: &Self::Group) -> u32;
}

/// What matters of `body`.
///
/// # Errors
/// Steps that are not understood.
pub fn items<S: Steps>(body: &[Stmt<S>], context: Context) -> Proof<Vec<Item>> {
    let mut out = Vec::new();
    let times = |times, body: Vec<Item>, out: &mut Vec<Item>| match times {
        1 => out.extend(body),
        _ if body.is_empty() => {}
        times => out.push(Item::Tiles(times, body)),
    };
    for stmt in body {
        match &stmt.kind {
            Kind::Op(op) => {
                if let Some((step, buffer, pages)) = S::step(op, context)? {
                    out.push(Item::Cb(step, buffer, pages));
                }
            }
            Kind::Group(group, body) => times(S::times(group), items(body, context)?, &mut out),
            Kind::Loop(head, body) => {
                let body = items(body, context)?;
                match S::head(head, context) {
                    Head::Blocks => out.push(Item::Loop(Place::Blocks, Asked::new(), body, None)),
                    Head::Users(origin, bounds, ahead) => {
                        let body = if ahead { begun_ahead(body) } else { body };
                        let (every, last) = in_turns(body);
                        out.push(Item::Loop(Place::Statement(origin), bounds, every, last));
                    }
                    Head::Tiles(count) => times(count, body, &mut out),
                }
            }
            Kind::If(branch, then, otherwise) => {
                let (then, otherwise) = (items(then, context)?, items(otherwise, context)?);
                if S::turn(branch) == Some(Turn::BeforeLast) {
                    out.push(Item::Turns(then, otherwise));
                    continue;
                }
                match S::branch(branch, context) {
                    Some((place, cond)) => out.push(Item::If(place, cond, then, otherwise)),
                    // What goes on after more waiting goes on after less.
                    None if waits(&then) && waits(&otherwise) => out.extend(then.into_iter().chain(otherwise)),
                    None => return fault("a buffer call under a condition that the compiler made"),
                }
            }
        }
    }
    Ok(out)
}

/// What is done in all turns but the last, and what in that, where it is something else.
fn in_turns(body: Vec<Item>) -> (Vec<Item>, Option<Vec<Item>>) {
    let differs = body.iter().any(|item| matches!(item, Item::Turns(..)));
    let side = |is_last: bool| {
        let of = |item: &Item| match item {
            Item::Turns(every, last) => if is_last { last } else { every }.clone(),
            item @ (Item::Cb(..) | Item::Tiles(..) | Item::Loop(..) | Item::If(..)) => vec![item.clone()],
        };
        body.iter().flat_map(of).collect()
    };
    match differs {
        true => (side(false), Some(side(true))),
        false => (body, None),
    }
}

/// Whether nothing but waiting for pages is done.
fn waits(items: &[Item]) -> bool {
    items.iter().all(|item| match item {
        Item::Cb(step, ..) => *step == CbStep::Wait,
        Item::Tiles(_, body) => waits(body),
        Item::Loop(..) | Item::If(..) | Item::Turns(..) => false,
    })
}

/// A turn that begins ahead: room for the next version of a buffer is made as soon as one has been pushed. Of the last turn nothing follows,
/// and then none is made: what can go on where it is, can go on without.
fn begun_ahead(turn: Vec<Item>) -> Vec<Item> {
    let begins = |item: &Item| match item {
        Item::Cb(CbStep::Push, buffer, pages) => Some(Item::Cb(CbStep::Reserve, *buffer, *pages)),
        Item::Cb(..) | Item::Tiles(..) | Item::Loop(..) | Item::If(..) | Item::Turns(..) => None,
    };
    let with_next = turn.into_iter().flat_map(|item| {
        let next = begins(&item);
        std::iter::once(item).chain(next)
    });
    with_next.collect()
}

fn protocol(step: Protocol, context: Context) -> Proof<Option<Step>> {
    let (step, buffer, rows) = match step {
        Protocol::Reserve(buffer) => (CbStep::Reserve, buffer, None),
        Protocol::Publish(buffer) => (CbStep::Push, buffer, None),
        Protocol::PublishRows(buffer, rows) => (CbStep::Push, buffer, Some(rows)),
        Protocol::Receive(buffer) => (CbStep::Wait, buffer, None),
        Protocol::Release(buffer) => (CbStep::Pop, buffer, None),
        Protocol::Take(..) => return Ok(None),
    };
    let Some(of) = context.buffers.get(buffer.0) else {
        return fault(format!("there is no buffer {}", buffer.0));
    };
    let pages = rows.map_or_else(|| of.version_tiles(), |rows| of.tiles_of_rows(rows));
    Ok(Some((step, buffer, i64::from(pages))))
}

fn written<V: fmt::Debug>(leaf: &Leaf<V>, context: Context) -> Proof<Option<Step>> {
    match leaf {
        Leaf::Call(Call { function, args, .. }) => match (CbStep::of(function), args.as_slice()) {
            (None, _) => Ok(None),
            (Some(step), [Expr::Buffer(buffer), Expr::Int(pages)]) => Ok(Some((step, *buffer, *pages))),
            // For the rows of a version so far (`ring` holds that they are of one): what has all of it goes on too.
            (Some(CbStep::Wait), [Expr::Buffer(buffer), _]) => protocol(Protocol::Receive(*buffer), context),
            (Some(_), args) => fault(format!("{}({args:?})", function.name)),
        },
        Leaf::Let { .. } | Leaf::Define { .. } | Leaf::Advance { .. } => Ok(None),
    }
}

fn source_head(head: &SourceLoop) -> Head {
    match head {
        SourceLoop::Blocks => Head::Blocks,
        SourceLoop::Over { start, end, origin, .. } => {
            let [start, end] = [start, end].map(|bound| asked(&Expr::user(bound), &[]));
            Head::Users(*origin, format!("{start}..{end}"), false)
        }
    }
}

fn source_branch(branch: &SourceBranch) -> Option<(Place, Asked)> {
    let origin = branch.cause.origin()?;
    let cond = Expr::Value(Symbol::Condition(branch.cond.clone()));
    Some((Place::Statement(origin), asked(&cond, &[])))
}

impl Steps for Moves {
    fn step(op: &Move, context: Context) -> Proof<Option<Step>> {
        match op {
            Move::Protocol(step) => protocol(*step, context),
            Move::Read(..)
            | Move::Make(..)
            | Move::Write(..)
            | Move::Shift { .. }
            | Move::Inspect(_)
            | Move::Fetch(..) => Ok(None),
        }
    }

    fn uses(op: &Move, mut each: impl FnMut(BufferId)) {
        match op {
            Move::Write(buffer, _, stored) => std::iter::once(*buffer).chain(*stored).for_each(each),
            Move::Shift { from, .. } => each(*from),
            Move::Inspect(inspection) => inspection.uses().into_iter().for_each(|(buffer, _)| each(buffer)),
            Move::Protocol(_) | Move::Read(..) | Move::Make(..) | Move::Fetch(..) => {}
        }
    }

    fn moves(op: &Move) -> Option<(Role, ParamId)> {
        match op {
            Move::Read(_, region, _) => Some((Role::Reader, region.tensor)),
            Move::Write(_, region, _) => Some((Role::Writer, region.tensor)),
            Move::Protocol(_) | Move::Make(..) | Move::Shift { .. } | Move::Inspect(_) | Move::Fetch(..) => None,
        }
    }

    fn head(head: &SourceLoop, _: Context) -> Head {
        source_head(head)
    }

    fn branch(branch: &SourceBranch, _: Context) -> Option<(Place, Asked)> {
        source_branch(branch)
    }

    fn turn(branch: &SourceBranch) -> Option<Turn> {
        branch.cause.turn()
    }

    fn times(group: &Never) -> u32 {
        match *group {}
    }
}

/// What stands outside of registers in the compute program.
pub trait Plain: fmt::Debug + Clone + PartialEq {
    /// The step that it is.
    fn step(&self, context: Context) -> Proof<Option<Step>>;
    /// Calls `each` with every buffer whose front version it uses.
    fn uses(&self, each: impl FnMut(BufferId));
}

impl Plain for Protocol {
    fn step(&self, context: Context) -> Proof<Option<Step>> {
        protocol(*self, context)
    }

    fn uses(&self, mut each: impl FnMut(BufferId)) {
        match self {
            Protocol::Take(_, buffer) => each(*buffer),
            Protocol::Reserve(_)
            | Protocol::Publish(_)
            | Protocol::PublishRows(..)
            | Protocol::Receive(_)
            | Protocol::Release(_) => {}
        }
    }
}

impl<V: fmt::Debug + Clone + PartialEq> Plain for Leaf<V> {
    fn step(&self, context: Context) -> Proof<Option<Step>> {
        written(self, context)
    }

    fn uses(&self, each: impl FnMut(BufferId)) {
        used(self, each);
    }
}

impl<P: Plain> Steps for Compute<P> {
    fn step(op: &ComputeOp<P>, context: Context) -> Proof<Option<Step>> {
        match op {
            ComputeOp::Plain(plain) => plain.step(context),
            ComputeOp::Tile { .. } | ComputeOp::Matmul(_) | ComputeOp::Commit | ComputeOp::Pack { .. } => Ok(None),
        }
    }

    fn uses(op: &ComputeOp<P>, mut each: impl FnMut(BufferId)) {
        match op {
            ComputeOp::Tile { args, .. } => {
                for arg in args {
                    match arg {
                        Arg::Tile(operand) => each(operand.buffer),
                        Arg::Constant(_) | Arg::Register(_) | Arg::Number(_) | Arg::Integer(_) => {}
                    }
                }
            }
            ComputeOp::Matmul(matmul) => [matmul.a, matmul.b].into_iter().for_each(each),
            ComputeOp::Plain(plain) => plain.uses(each),
            ComputeOp::Commit | ComputeOp::Pack { .. } => {}
        }
    }

    fn moves(_: &ComputeOp<P>) -> Option<(Role, ParamId)> {
        None
    }

    fn head(head: &SourceLoop, _: Context) -> Head {
        source_head(head)
    }

    fn branch(branch: &SourceBranch, _: Context) -> Option<(Place, Asked)> {
        source_branch(branch)
    }

    fn turn(branch: &SourceBranch) -> Option<Turn> {
        branch.cause.turn()
    }

    /// Once for every chunk, or band. No step of a buffer stands around tiles alone.
    fn times(around: &Around) -> u32 {
        let section = match around {
            Around::Section(section) => section,
            Around::Along { axis: _, tiles } => return *tiles,
            Around::Bands { count, .. } => return *count,
            Around::Unless(_) => return 1,
        };
        let along = |axis: usize| section.tiles[axis].div_ceil(section.chunk[axis].max(1));
        along(0).saturating_mul(along(1))
    }
}

/// Calls `each` with every buffer whose front version a leaf uses.
fn used<V>(op: &Leaf<V>, each: impl FnMut(BufferId)) {
    let call = match op {
        Leaf::Call(call) | Leaf::Define { call, .. } => call,
        Leaf::Let {
            value: Expr::Call(call),
            ..
        } => call,
        Leaf::Let { .. } | Leaf::Advance { .. } => return,
    };
    // Most calls mention no buffer or are steps, and what a function does is looked for long.
    // A turn of a loop over an iterator is several calls where nothing is optimised, a pattern is none.
    let mut args = call.args.as_slice();
    while let [arg, others @ ..] = args
        && mentioned(arg).is_none()
    {
        args = others;
    }
    if !args.is_empty() && CbStep::of(call.function).is_none() && reads_pages(call.function) {
        args.iter().filter_map(mentioned).for_each(each);
    }
}

/// The buffer that an argument is.
fn mentioned<V>(arg: &Expr<V>) -> Option<BufferId> {
    match arg {
        Expr::Buffer(buffer) => Some(*buffer),
        Expr::Int(_)
        | Expr::Bool(_)
        | Expr::Name(_)
        | Expr::Value(_)
        | Expr::PageBytes(_)
        | Expr::Accessor(_)
        | Expr::Text(_)
        | Expr::Call(_)
        | Expr::Binary(..) => None,
    }
}

impl<V: fmt::Debug + Clone + PartialEq> Steps for Calls<V> {
    fn step(op: &Leaf<V>, context: Context) -> Proof<Option<Step>> {
        written(op, context)
    }

    fn uses(op: &Leaf<V>, each: impl FnMut(BufferId)) {
        used(op, each);
    }

    fn moves(op: &Leaf<V>) -> Option<(Role, ParamId)> {
        let Leaf::Call(call) = op else { return None };
        let tensor = call.args.iter().find_map(accessed)?;
        Some((moves_elements(call.function)?, tensor))
    }

    fn head(head: &Loop<V>, context: Context) -> Head {
        match head {
            Loop::Blocks { .. } => Head::Blocks,
            Loop::Over {
                start,
                end,
                ahead,
                origin,
                ..
            } => {
                let bounds = format!("{}..{}", asked(start, context.args), asked(end, context.args));
                Head::Users(*origin, bounds, *ahead)
            }
            Loop::Tiles {
                name: _,
                end,
                step,
                in_parts: _,
            } => Head::Tiles(end.div_ceil((*step).max(1))),
        }
    }

    fn branch(branch: &Branch<V>, context: Context) -> Option<(Place, Asked)> {
        let origin = branch.cause.origin()?;
        Some((Place::Statement(origin), asked(&branch.cond, context.args)))
    }

    fn turn(branch: &Branch<V>) -> Option<Turn> {
        branch.cause.turn()
    }

    fn times(_: &Scope) -> u32 {
        1
    }
}

/// The tensor that an argument is the accessor of.
fn accessed<V>(arg: &Expr<V>) -> Option<ParamId> {
    match arg {
        Expr::Accessor(tensor) => Some(*tensor),
        Expr::Int(_)
        | Expr::Bool(_)
        | Expr::Name(_)
        | Expr::Value(_)
        | Expr::Buffer(_)
        | Expr::PageBytes(_)
        | Expr::Text(_)
        | Expr::Call(_)
        | Expr::Binary(..) => None,
    }
}

/// An expression with what runtime arguments are bound to.
pub fn asked<V: fmt::Debug>(expr: &Expr<V>, args: &[Argument]) -> Asked {
    match expr {
        Expr::Name(name) => match args.iter().find(|arg| arg.name == *name) {
            Some(arg) => format!("{:?}", arg.value),
            None => name.clone(),
        },
        Expr::Binary(op, a, b) => format!("({} {op} {})", asked(a, args), asked(b, args)),
        Expr::Int(_)
        | Expr::Bool(_)
        | Expr::Value(_)
        | Expr::Buffer(_)
        | Expr::PageBytes(_)
        | Expr::Accessor(_)
        | Expr::Text(_) => format!("{expr:?}"),
        Expr::Call(call) => {
            let given: Vec<String> = call.args.iter().map(|arg| asked(arg, args)).collect();
            format!("{}{}({})", call.function.name, call.template, given.join(", "))
        }
    }
}
