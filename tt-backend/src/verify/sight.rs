//! Every use finds what the source says it sees.
//!
//! Each use carries the definitions that may reach it in the user's program. Here the versions are followed through the
//! FIFO buffers and the sums of products, as the flow after C3 has them; what may be at the front where a use stands must be
//! just those. So a version that is lost, or an old one that is still there, is a fault even where all counts agree. And the
//! counts agree: paths that meet leave as many versions as each other, never more than a buffer holds, and none in the end.
//!
//! The program is a list of events with its loops and branches marked. It is run until nothing new comes round a loop:
//! as often as loops are nested, and twice more.

use super::traffic::{Step, Traffic};
use crate::flow::{
    Arg, Around, Buffer, BufferId, DefinitionId, Flow, Makes, Matmul, PackMode, Read, Section, SectionOp, Sections,
    Sees,
};
use crate::ir::{self, Frame, try_walk};
use crate::persistent::Persistent;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use tt_lang::hash::HashMap;
use tt_lang::ir::ParamId;
use tt_plan::Role;

/// Checks `flow`.
///
/// # Errors
/// The first use that finds something else.
pub fn check(flow: &Flow<Sections>) -> Result<(), String> {
    let mut events = Events::over(flow);
    try_walk(&flow.body, &mut |_, event| events.event(event))?;
    let mut run = Run {
        flow,
        events: &events.list,
        heads: HashMap::default(),
    };
    let start = State {
        queues: Persistent::new(flow.buffers.len()),
        sums: Persistent::new(events.sums),
    };
    while run.round(start.clone(), false)? {}
    run.round(start, true).map(drop)
}

/// What goes through the buffers of `flow`; nothing where it is not as C3 leaves it, which [`check`] refuses.
pub fn traffic(flow: &Flow<Sections>) -> Traffic {
    let mut events = Events::over(flow);
    let mut out = Traffic::new(&flow.buffers);
    if try_walk(&flow.body, &mut |_, event| events.event(event)).is_err() {
        return out;
    }
    for event in &events.list {
        match *event {
            Event::Append(buffer, _) | Event::AppendSums(buffer, _) => {
                out.step(Step::Push, buffer);
                out.received(buffer);
            }
            Event::Move(role, tensor) => out.moves(role, tensor),
            Event::Use(buffer, _) | Event::Load(_, buffer) | Event::Take(buffer) => out.step(Step::Use, buffer),
            Event::Release(buffer) => out.step(Step::Pop, buffer),
            Event::UseSums(..) | Event::Start(..) | Event::Add(..) => {}
            Event::Loop => out.enter_loop(),
            Event::If => out.enter_branch(),
            Event::Else => out.other_side(),
            Event::EndLoop(..) | Event::EndIf => out.leave(),
        }
    }
    out
}

/// What a version, or sums, may be.
type Set = Rc<BTreeSet<DefinitionId>>;

/// The sums of one section or of one accumulation through L1.
type Sums = usize;

#[derive(Debug, Clone, Copy)]
enum Event {
    /// A version of a buffer: of one definition, of none, or what sums are.
    Append(BufferId, Option<DefinitionId>),
    AppendSums(BufferId, Sums),
    Release(BufferId),
    Use(BufferId, Sees),
    /// Reader or writer moves elements of a tensor.
    Move(Role, ParamId),
    /// The integer that a version is.
    Take(BufferId),
    UseSums(Sums, Sees),
    /// The sums start from what a buffer has at its front, from a definition, or from nothing.
    Load(Sums, BufferId),
    Start(Sums, Option<DefinitionId>),
    /// A product adds to the sums, which then are its definition.
    Add(Sums, Option<Sees>, DefinitionId),
    Loop,
    /// The end of the loop that begins at an event, and whether it runs at least once.
    EndLoop(usize, bool),
    If,
    Else,
    EndIf,
}

/// Where there are no registers.
const OUTSIDE: &str = "an operation on registers stands in no section";

struct Events<'a> {
    buffers: &'a [Buffer],
    list: Vec<Event>,
    sums: usize,
    /// The sums of the accumulations through L1 that are under way, the innermost last.
    open: Vec<(BufferId, Sums)>,
    /// The sums of the section that is under way.
    registers: Option<Sums>,
    /// Where the loops begin that are under way.
    loops: Vec<usize>,
}

impl<'a> Events<'a> {
    fn over(flow: &'a Flow<Sections>) -> Events<'a> {
        Events {
            buffers: &flow.buffers,
            list: Vec::new(),
            sums: 0,
            open: Vec::new(),
            registers: None,
            loops: Vec::new(),
        }
    }

    fn sums(&mut self) -> Sums {
        self.sums += 1;
        self.sums - 1
    }

    /// What is waited for is passed on and taken.
    fn token(&mut self, token: Option<BufferId>) {
        self.list.extend(
            token
                .into_iter()
                .flat_map(|token| [Event::Append(token, None), Event::Release(token)]),
        );
    }

    fn event(&mut self, event: ir::Event<Sections>) -> Result<(), String> {
        match event {
            ir::Event::Op(op) => self.op(op)?,
            ir::Event::Enter(Frame::Group(Around::Accumulate(of), _)) => {
                let sums = self.sums();
                self.list.push(Event::Start(sums, of.fill));
                self.open.push((of.buffer, sums));
            }
            ir::Event::Leave(Frame::Group(Around::Accumulate(_), _)) => {
                let ended = self.open.pop();
                self.list
                    .extend(ended.map(|(buffer, sums)| Event::AppendSums(buffer, sums)));
            }
            ir::Event::Enter(Frame::Group(Around::Section(section), _)) => self.section(section)?,
            ir::Event::Leave(Frame::Group(around @ Around::Section(section), body)) => {
                let sums = self.registers.take();
                self.pack(section, sums.ok_or(OUTSIDE)?, around.replaces(body));
            }
            ir::Event::Enter(Frame::Group(Around::Along { .. } | Around::Unless(_), _))
            | ir::Event::Leave(Frame::Group(Around::Along { .. } | Around::Unless(_), _)) => {}
            ir::Event::Enter(Frame::Loop(_)) => {
                self.loops.push(self.list.len());
                self.list.push(Event::Loop);
            }
            ir::Event::Leave(Frame::Loop(head)) => {
                let begin = self.loops.pop();
                self.list.extend(begin.map(|begin| Event::EndLoop(begin, head.runs)));
            }
            ir::Event::Enter(Frame::If(_)) => self.list.push(Event::If),
            ir::Event::Otherwise => self.list.push(Event::Else),
            ir::Event::Leave(Frame::If(_)) => self.list.push(Event::EndIf),
        }
        Ok(())
    }

    fn op(&mut self, op: &SectionOp) -> Result<(), String> {
        match op {
            SectionOp::Read(Read {
                buffer,
                defines,
                region,
                after,
            }) => {
                self.token(*after);
                self.list.extend([
                    Event::Move(Role::Reader, region.tensor),
                    Event::Append(*buffer, Some(*defines)),
                ]);
            }
            SectionOp::Fetch(fetch) => {
                if let Some(buffer) = fetch.into.passed_on(self.buffers) {
                    self.list
                        .extend([Event::Append(buffer, None), Event::Take(buffer), Event::Release(buffer)]);
                }
            }
            SectionOp::Blank(buffer) => self.list.push(Event::Append(*buffer, None)),
            SectionOp::Write(write) => {
                self.token(write.after);
                self.list
                    .extend(write.uses().map(|(buffer, sees)| Event::Use(buffer, sees)));
                self.list.push(Event::Move(Role::Writer, write.region.tensor));
            }
            SectionOp::Shift(shift) => self.list.extend([
                Event::Use(shift.from, shift.sees),
                Event::Append(shift.buffer, Some(shift.defines)),
            ]),
            SectionOp::Inspect(inspection) => {
                self.list
                    .extend(inspection.uses().map(|(buffer, sees)| Event::Use(buffer, sees)));
            }
            SectionOp::Release(buffer) => self.list.push(Event::Release(*buffer)),
            SectionOp::Tile { args, .. } => {
                let sums = self.registers.ok_or(OUTSIDE)?;
                self.operands(args, sums);
            }
            SectionOp::Matmul(matmul) => {
                let sums = self.registers.ok_or(OUTSIDE)?;
                self.product(matmul, sums);
            }
        }
        Ok(())
    }

    /// A section begins.
    fn section(&mut self, section: &Section) -> Result<(), String> {
        let sums = match section.pack.mode {
            PackMode::Publish => self.sums(),
            PackMode::Overwrite | PackMode::Add | PackMode::AddAfterFirst(_) => {
                let mut open = self.open.iter().rev();
                let reserved = open.find(|(buffer, _)| *buffer == section.pack.buffer);
                reserved.ok_or("a section packs to a version that nothing reserved")?.1
            }
        };
        // What adds to a reserved version starts from it.
        match section.pack.mode {
            PackMode::Publish | PackMode::Overwrite => self.list.push(Event::Start(sums, section.fill)),
            PackMode::Add | PackMode::AddAfterFirst(_) => {}
        }
        self.registers = Some(sums);
        Ok(())
    }

    /// A section ends, which replaces a version of `replaced`.
    fn pack(&mut self, section: &Section, sums: Sums, replaced: Option<BufferId>) {
        let made = match section.makes {
            Makes::Definition(defines) => Some(defines),
            Makes::OfSums { sees, defines } => {
                self.list.push(Event::UseSums(sums, sees));
                Some(defines)
            }
            Makes::Registers => None,
        };
        match (section.defines(), made) {
            (None, None) => {}
            (None, Some(_)) => self.list.push(Event::Start(sums, made)),
            (Some(buffer), Some(_)) => self.list.push(Event::Append(buffer, made)),
            (Some(buffer), None) => self.list.push(Event::AppendSums(buffer, sums)),
        }
        self.list.extend(replaced.map(Event::Release));
    }

    fn operands(&mut self, args: &[Arg], sums: Sums) {
        for arg in args {
            match arg {
                Arg::Tile(operand) => match operand.sees {
                    Some(sees) => self.list.push(Event::Use(operand.buffer, sees)),
                    None => self.list.push(Event::Load(sums, operand.buffer)),
                },
                Arg::Constant(_) | Arg::Register(_) | Arg::Number(_) | Arg::Integer(_) => {}
            }
        }
    }

    fn product(&mut self, matmul: &Matmul, sums: Sums) {
        self.list.push(Event::Use(matmul.a, matmul.sees.a));
        self.list.push(Event::Use(matmul.b, matmul.sees.b));
        self.list.push(Event::Add(sums, matmul.sees.acc, matmul.defines));
    }
}

/// What may be in every buffer, front first, and in all sums.
#[derive(Debug, Clone)]
struct State {
    queues: Persistent<VecDeque<Set>>,
    sums: Persistent<Set>,
}

impl State {
    /// This where either may be.
    fn join(&mut self, other: &State) -> Result<(), String> {
        let mine = self.clone();
        self.join_since(&mine, other)
    }

    /// The versions of a buffer.
    fn queue_mut(&mut self, buffer: BufferId) -> &mut VecDeque<Set> {
        self.queues.at_mut(buffer.0).get_or_insert_default()
    }

    /// What sums are.
    fn sum(&self, sums: Sums) -> Set {
        self.sums.get(sums).cloned().unwrap_or_default()
    }

    /// This where either may be, of what is in `other` otherwise than in `since`.
    fn join_since(&mut self, since: &State, other: &State) -> Result<(), String> {
        let mut is_as_long = true;
        self.queues.merge_since(&since.queues, &other.queues, |queue, other| {
            let empty = VecDeque::new();
            let [queue, other] = [queue, other].map(|queue| queue.unwrap_or(&empty));
            is_as_long &= queue.len() == other.len();
            let sets = queue.iter().zip(other).map(|(set, other)| united(set, other));
            sets.clone().any(|set| set.is_some()).then(|| {
                let sets = queue.iter().zip(sets);
                sets.map(|(set, united)| united.unwrap_or_else(|| set.clone()))
                    .collect()
            })
        });
        self.sums
            .merge_since(&since.sums, &other.sums, |set, other| match (set, other) {
                (Some(set), Some(other)) => united(set, other),
                (None, other) => other.cloned(),
                (Some(_), None) => None,
            });
        match is_as_long {
            true => Ok(()),
            false => Err("two paths leave different numbers of versions".into()),
        }
    }
}

/// Both, where that is more than the first.
fn united(set: &Set, other: &Set) -> Option<Set> {
    let is_known = Rc::ptr_eq(set, other) || other.is_subset(set);
    (!is_known).then(|| Rc::new(&**set | &**other))
}

struct Run<'a> {
    flow: &'a Flow<Sections>,
    events: &'a [Event],
    /// What has come round each loop, by its first event, and what was before it.
    heads: HashMap<usize, [State; 2]>,
}

impl Run<'_> {
    /// Runs all events once; whether something new came round a loop.
    fn round(&mut self, mut state: State, check: bool) -> Result<bool, String> {
        let mut changed = false;
        let mut outer: Vec<State> = Vec::new();
        for (at, event) in self.events.iter().enumerate() {
            match *event {
                Event::Append(buffer, made) => self.append(&mut state, buffer, Rc::new(made.into_iter().collect()))?,
                Event::AppendSums(buffer, sums) => {
                    let made = state.sum(sums);
                    self.append(&mut state, buffer, made)?;
                }
                Event::Release(buffer) => {
                    self.front(&state, buffer)?;
                    state.queue_mut(buffer).pop_front();
                }
                Event::Use(buffer, sees) if check => {
                    let found = self.front(&state, buffer)?;
                    self.compare(&self.flow.buffers[buffer.0].name, &found, sees)?;
                }
                Event::UseSums(sums, sees) | Event::Add(sums, Some(sees), _) if check => {
                    self.compare("a sum", &state.sum(sums), sees)?;
                }
                Event::Use(..) | Event::UseSums(..) | Event::Add(..) | Event::Take(_) | Event::Move(..) => {}
                Event::Load(sums, buffer) => *state.sums.at_mut(sums) = Some(self.front(&state, buffer)?),
                Event::Start(sums, from) => *state.sums.at_mut(sums) = Some(Rc::new(from.into_iter().collect())),
                Event::Loop => {
                    outer.push(state.clone());
                    if let Some([before, round]) = self.heads.get(&at) {
                        state.join_since(before, round)?;
                    }
                }
                Event::EndLoop(head, runs) => {
                    let before = outer.pop().ok_or("a loop ends that did not begin")?;
                    let mut round = state.clone();
                    let mut known = &before;
                    if let Some([before_known, round_known]) = self.heads.get(&head) {
                        round.join_since(before_known, round_known)?;
                        known = round_known;
                    }
                    changed |= round.queues.differs_since(&before.queues, &known.queues);
                    changed |= round.sums.differs_since(&before.sums, &known.sums);
                    if !runs {
                        state.join(&before)?;
                    }
                    self.heads.insert(head, [before, round]);
                }
                Event::If => outer.push(state.clone()),
                Event::Else => {
                    let before = outer.last_mut().ok_or("a branch ends that did not begin")?;
                    std::mem::swap(before, &mut state);
                }
                Event::EndIf => {
                    let other = outer.pop().ok_or("a branch ends that did not begin")?;
                    state.join(&other)?;
                }
            }
            if let Event::Add(sums, _, defines) = *event {
                *state.sums.at_mut(sums) = Some(Rc::new(BTreeSet::from([defines])));
            }
        }
        let is_left = |queue: &VecDeque<Set>| !queue.is_empty();
        let mut buffers = self.flow.buffers.iter().enumerate();
        match buffers.find(|(buffer, _)| state.queues.get(*buffer).is_some_and(is_left)) {
            Some((_, left)) => Err(format!("a version of {} is left", left.name)),
            None => Ok(changed),
        }
    }

    fn append(&self, state: &mut State, buffer: BufferId, made: Set) -> Result<(), String> {
        let queue = state.queue_mut(buffer);
        queue.push_back(made);
        let Buffer { name, versions, .. } = &self.flow.buffers[buffer.0];
        match u32::try_from(queue.len()).is_ok_and(|count| count <= *versions) {
            true => Ok(()),
            false => Err(format!("{} versions of {name}, which holds {versions}", queue.len())),
        }
    }

    fn front(&self, state: &State, buffer: BufferId) -> Result<Set, String> {
        let front = state.queues.get(buffer.0).and_then(VecDeque::front);
        front
            .cloned()
            .ok_or_else(|| format!("{} has no version where it is used", self.flow.buffers[buffer.0].name))
    }

    fn compare(&self, name: &str, found: &Set, sees: Sees) -> Result<(), String> {
        let expected = self.flow.sights.definitions(sees);
        if **found == *expected {
            return Ok(());
        }
        let list = |set: &BTreeSet<DefinitionId>| set.iter().map(|id| id.0.to_string()).collect::<Vec<_>>().join(", ");
        Err(format!(
            "{name} holds definitions [{}] where the source sees [{}]",
            list(found),
            list(expected)
        ))
    }
}

#[cfg(test)]
mod tests;
