//! Every use finds what the source says it sees.
//!
//! Each use carries the definitions that may reach it in the user's program. Here the versions are followed through the
//! FIFO buffers and the sums of products, as the flow after C3 has them; what may be at the front where a use stands must be
//! just those. So a version that is lost, or an old one that is still there, is a fault even where all counts agree.
//!
//! The program is a list of events with its loops and branches marked. It is run until nothing new comes round a loop:
//! as often as loops are nested, and twice more.

use super::traffic::{Step, Traffic};
use crate::flow::{
    self, Accumulate, Arg, Buffer, BufferId, DefinitionId, Flow, FlowLoop, Makes, Matmul, PackMode, Read, Section,
    SectionOp, SectionStmt, Sections, Sees,
};
use crate::ir::Kind;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

/// Checks `flow`.
///
/// # Errors
/// The first use that finds something else.
pub fn check(flow: &Flow<Sections>) -> Result<(), String> {
    let mut events = Events::over(flow);
    events.body(&flow.body, None)?;
    let mut run = Run {
        flow,
        events: &events.list,
        heads: HashMap::new(),
    };
    let start = State {
        queues: vec![VecDeque::new(); flow.buffers.len()],
        sums: vec![Rc::default(); events.sums],
    };
    while run.round(start.clone(), false)? {}
    run.round(start, true).map(drop)
}

/// What goes through the buffers of `flow`; nothing where it is not as C3 leaves it, which [`check`] refuses.
pub fn traffic(flow: &Flow<Sections>) -> Traffic {
    let mut events = Events::over(flow);
    let mut out = Traffic::new(flow.buffers.len());
    if events.body(&flow.body, None).is_err() {
        return out;
    }
    for event in &events.list {
        match *event {
            Event::Append(buffer, _) | Event::AppendSums(buffer, _) => out.step(Step::Push, buffer),
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

struct Events<'a> {
    buffers: &'a [Buffer],
    list: Vec<Event>,
    sums: usize,
    /// The sums of the accumulations through L1 that are under way.
    open: HashMap<BufferId, Sums>,
}

impl<'a> Events<'a> {
    fn over(flow: &'a Flow<Sections>) -> Events<'a> {
        Events {
            buffers: &flow.buffers,
            list: Vec::new(),
            sums: 0,
            open: HashMap::new(),
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

    /// `registers`: the sums of the section around.
    fn body(&mut self, body: &[SectionStmt], registers: Option<Sums>) -> Result<(), String> {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(SectionOp::Read(Read {
                    buffer, defines, after, ..
                })) => {
                    self.token(*after);
                    self.list.push(Event::Append(*buffer, Some(*defines)))
                }
                Kind::Op(SectionOp::Fetch(fetch)) => {
                    if let Some(buffer) = fetch.into.passed_on(self.buffers) {
                        self.list
                            .extend([Event::Append(buffer, None), Event::Take(buffer), Event::Release(buffer)]);
                    }
                }
                Kind::Op(SectionOp::Blank(buffer)) => self.list.push(Event::Append(*buffer, None)),
                Kind::Op(SectionOp::Write(write)) => {
                    self.token(write.after);
                    self.list
                        .extend(write.uses().map(|(buffer, sees)| Event::Use(buffer, sees)));
                }
                Kind::Op(SectionOp::Shift(shift)) => self.list.extend([
                    Event::Use(shift.from, shift.sees),
                    Event::Append(shift.buffer, Some(shift.defines)),
                ]),
                Kind::Op(SectionOp::Inspect(inspection)) => {
                    self.list
                        .extend(inspection.uses().map(|(buffer, sees)| Event::Use(buffer, sees)));
                }
                Kind::Op(SectionOp::Release(buffer)) => self.list.push(Event::Release(*buffer)),
                Kind::Op(SectionOp::Section(section)) => self.section(section)?,
                Kind::Op(SectionOp::Multiply(matmul)) => {
                    let sums = registers.ok_or("a product in registers stands in no section")?;
                    self.product(matmul, sums);
                }
                Kind::Group(Accumulate { buffer, fill }, body) => {
                    let sums = self.sums();
                    self.list.push(Event::Start(sums, *fill));
                    let outer = self.open.insert(*buffer, sums);
                    self.body(body, registers)?;
                    match outer {
                        Some(outer) => self.open.insert(*buffer, outer),
                        None => self.open.remove(buffer),
                    };
                    self.list.push(Event::AppendSums(*buffer, sums));
                }
                Kind::Loop(FlowLoop { runs, .. }, body) => {
                    let head = self.list.len();
                    self.list.push(Event::Loop);
                    self.body(body, registers)?;
                    self.list.push(Event::EndLoop(head, *runs));
                }
                Kind::If(_, then, otherwise) => {
                    self.list.push(Event::If);
                    self.body(then, registers)?;
                    self.list.push(Event::Else);
                    self.body(otherwise, registers)?;
                    self.list.push(Event::EndIf);
                }
            }
        }
        Ok(())
    }

    fn section(&mut self, section: &Section) -> Result<(), String> {
        let buffer = section.pack.buffer;
        let reserved = match section.pack.mode {
            PackMode::Publish => None,
            PackMode::Overwrite | PackMode::Add | PackMode::AddAfterFirst(_) => {
                let sums = self.open.get(&buffer);
                Some(*sums.ok_or("a section packs to a version that nothing reserved")?)
            }
        };
        let sums = reserved.unwrap_or_else(|| self.sums());
        // What adds to a reserved version starts from it.
        let starts = match section.pack.mode {
            PackMode::Publish | PackMode::Overwrite => true,
            PackMode::Add | PackMode::AddAfterFirst(_) => false,
        };
        if starts {
            self.list.push(Event::Start(sums, section.fill));
        }
        for step in &section.steps {
            match step {
                flow::Step::Tile { .. } | flow::Step::Along { .. } | flow::Step::Unless { .. } => {
                    flow::tile_steps(std::slice::from_ref(step), &mut |_, args| self.operands(args, sums));
                }
                flow::Step::Matmul(matmul) => self.product(matmul, sums),
                flow::Step::Control(body) => self.body(body, Some(sums))?,
            }
        }
        let made = match section.makes {
            Makes::Definition(defines) => Some(defines),
            Makes::OfSums { sees, defines } => {
                self.list.push(Event::UseSums(sums, sees));
                Some(defines)
            }
            Makes::Registers => None,
        };
        if reserved.is_some() {
            if let Some(defines) = made {
                self.list.push(Event::Start(sums, Some(defines)));
            }
            return Ok(());
        }
        if let Some(old) = section.replaces() {
            self.list.push(Event::Release(old));
        }
        self.list.push(match made {
            Some(_) => Event::Append(buffer, made),
            None => Event::AppendSums(buffer, sums),
        });
        Ok(())
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
#[derive(Debug, Clone, PartialEq)]
struct State {
    queues: Vec<VecDeque<Set>>,
    sums: Vec<Set>,
}

impl State {
    /// This where either may be.
    fn join(&mut self, other: &State) -> Result<(), String> {
        for (queue, other) in self.queues.iter_mut().zip(&other.queues) {
            if queue.len() != other.len() {
                return Err("two paths leave different numbers of versions".into());
            }
            queue.iter_mut().zip(other).for_each(|(set, other)| unite(set, other));
        }
        self.sums
            .iter_mut()
            .zip(&other.sums)
            .for_each(|(set, other)| unite(set, other));
        Ok(())
    }
}

fn unite(set: &mut Set, other: &Set) {
    if !Rc::ptr_eq(set, other) && !other.is_subset(set) {
        Rc::make_mut(set).extend(other.iter());
    }
}

struct Run<'a> {
    flow: &'a Flow<Sections>,
    events: &'a [Event],
    /// What has come round each loop, by its first event.
    heads: HashMap<usize, State>,
}

impl Run<'_> {
    /// Runs all events once; whether something new came round a loop.
    fn round(&mut self, mut state: State, check: bool) -> Result<bool, String> {
        let mut changed = false;
        let mut outer: Vec<State> = Vec::new();
        for (at, event) in self.events.iter().enumerate() {
            match *event {
                Event::Append(buffer, made) => state.queues[buffer.0].push_back(Rc::new(made.into_iter().collect())),
                Event::AppendSums(buffer, sums) => state.queues[buffer.0].push_back(state.sums[sums].clone()),
                Event::Release(buffer) => drop(state.queues[buffer.0].pop_front()),
                Event::Use(buffer, sees) if check => {
                    let found = self.front(&state, buffer)?;
                    self.compare(&self.flow.buffers[buffer.0].name, &found, sees)?;
                }
                Event::UseSums(sums, sees) | Event::Add(sums, Some(sees), _) if check => {
                    self.compare("a sum", &state.sums[sums], sees)?;
                }
                Event::Use(..) | Event::UseSums(..) | Event::Add(..) | Event::Take(_) => {}
                Event::Load(sums, buffer) => state.sums[sums] = self.front(&state, buffer)?,
                Event::Start(sums, from) => state.sums[sums] = Rc::new(from.into_iter().collect()),
                Event::Loop => {
                    outer.push(state.clone());
                    if let Some(head) = self.heads.get(&at) {
                        state.join(head)?;
                    }
                }
                Event::EndLoop(head, runs) => {
                    let known = self.heads.get(&head);
                    let mut round = known.cloned().unwrap_or_else(|| state.clone());
                    round.join(&state)?;
                    if known != Some(&round) {
                        changed = true;
                        self.heads.insert(head, round);
                    }
                    let before = outer.pop().ok_or("a loop ends that did not begin")?;
                    if !runs {
                        state.join(&before)?;
                    }
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
                state.sums[sums] = Rc::new(BTreeSet::from([defines]));
            }
        }
        Ok(changed)
    }

    fn front(&self, state: &State, buffer: BufferId) -> Result<Set, String> {
        let front = state.queues[buffer.0].front();
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
