//! Runs one program over what is known of its state, along every path.
//!
//! Loops of tiles have constant counts and are run; loops and branches of the user's program are run until nothing new is
//! learned of the state, so that what holds then holds for every count and every condition. The state after a loop that
//! may run zero times is what holds with and without it.

use super::event::{self, CbStep, Event};
use super::protocol::Engines;
use super::range::Range;
use super::ring::Rings;
use super::value::{End, Env, Value};
use super::{Fault, Proof, fault};
use crate::device::parts::Parts;
use crate::device::{Bits, Call, Calls, Cause, Device, Expr, Leaf, Loop, Operator, Program, Scope, Turn};
use crate::ir::{Kind, Stmt, operations};
use crate::passes::b2_grid_to_cores::BLOCK_ID;
use std::rc::Rc;

/// Rounds until the state of a loop must have settled: each round some component loses what is known of it for good.
const ROUNDS: usize = 256;

/// Statements after which a program is too large to prove.
const STATEMENTS: usize = 20_000_000;

/// What is known between two statements of a program. What paths share is shared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State<'a> {
    env: Env<'a>,
    rings: Rings,
    engines: Rc<Engines>,
}

impl<'a> State<'a> {
    /// What holds where either may be the case.
    fn join(mut self, other: &State<'a>) -> Proof<State<'a>> {
        self.env.join(&other.env);
        self.rings.join(&other.rings)?;
        if !Rc::ptr_eq(&self.engines, &other.engines) {
            self.engines = Rc::new(self.engines.join(&other.engines)?);
        }
        Ok(self)
    }
}

/// What is known in a round of a loop: before some of its statements, and after all of them.
struct Round<'a> {
    before: Vec<State<'a>>,
    after: State<'a>,
}

/// Proves what concerns `program` alone.
pub fn prove(device: &Device, program: &Program) -> Proof {
    let mut walk = Walk {
        device,
        program,
        statements: 0,
        last: String::new(),
        loops: Vec::new(),
    };
    let mut state = State {
        env: Env::of(program, &device.plan),
        rings: Rings::new(&device.buffers, program.role),
        engines: Rc::new(Engines::new(&device.plan.compute)),
    };
    let result = walk.program(&mut state);
    result.map_err(|Fault(reason)| Fault(format!("{}, at `{}`: {reason}", program.role.name(), walk.last)))
}

struct Walk<'a> {
    device: &'a Device,
    program: &'a Program,
    statements: usize,
    last: String,
    /// The loops of the user's around, the innermost last.
    loops: Vec<Turns<'a>>,
}

/// A loop of the user's, and which of its turns is run.
struct Turns<'a> {
    var: &'a str,
    start: &'a Expr<Bits>,
    end: &'a Expr<Bits>,
    is_last: bool,
    /// Whether it is the first; not known of what is any of several.
    is_first: Option<bool>,
}

impl Turns<'_> {
    /// The condition of a branch for some of its turns.
    fn condition(&self, turn: Turn) -> Expr<Bits> {
        let var = || Expr::name(self.var);
        match turn {
            Turn::BeforeLast => {
                let next = Expr::operation(Operator::Add, var(), Expr::Int(1));
                Expr::operation(Operator::Less, next, self.end.clone())
            }
            Turn::AfterFirst => Expr::operation(Operator::NotEqual, var(), self.start.clone()),
        }
    }
}

impl<'a> Walk<'a> {
    fn program(&mut self, state: &mut State<'a>) -> Proof {
        self.body(&self.program.body, state, 0)?;
        self.last = "the end".to_string();
        state.rings.end(&self.device.buffers)?;
        state.engines.end()
    }

    fn body(&mut self, body: &'a [Stmt<Calls<Bits>>], state: &mut State<'a>, depth: usize) -> Proof {
        for stmt in body {
            self.statement(stmt, state, depth)?;
        }
        Ok(())
    }

    /// Statements in a scope of their own: what they declare is gone after them.
    fn scope(&mut self, body: &'a [Stmt<Calls<Bits>>], state: &mut State<'a>, depth: usize) -> Proof {
        let mark = state.env.mark();
        self.body(body, state, depth)?;
        state.env.leave(mark);
        Ok(())
    }

    /// What `run` does while `name` has a value of its own.
    fn with(
        &mut self,
        name: &'a str,
        value: Value,
        state: &mut State<'a>,
        run: impl FnOnce(&mut Self, &mut State<'a>) -> Proof,
    ) -> Proof {
        let mark = state.env.mark();
        state.env.declare(name, value);
        run(self, state)?;
        state.env.leave(mark);
        Ok(())
    }

    /// A body that is run any number of times.
    fn repeat(
        &mut self,
        state: &mut State<'a>,
        at_least_once: bool,
        body: &'a [Stmt<Calls<Bits>>],
        depth: usize,
    ) -> Proof {
        let mut head = state.clone();
        let mark = head.env.mark();
        let mut last = None;
        for round in 0..ROUNDS {
            let mut exit = self.round(body, head.clone(), depth, &mut last)?;
            exit.env.leave(mark);
            let mut next = exit.clone().join(&head)?;
            if round > 0 {
                next.env.widen(&head.env);
            }
            if next == head {
                *state = if at_least_once { exit } else { head };
                return Ok(());
            }
            head = next;
        }
        fault("what is known of a loop does not settle")
    }

    /// A body that is run any number of times, and then once more as the last turn, which may be the first.
    fn until_the_last(&mut self, state: &mut State<'a>, body: &'a [Stmt<Calls<Bits>>], depth: usize) -> Proof {
        let mut after_others = state.clone();
        self.repeat(&mut after_others, true, body, depth)?;
        let mut only = state.clone();
        for (is_first, state) in [(false, &mut after_others), (true, &mut only)] {
            if let Some(turns) = self.loops.last_mut() {
                (turns.is_last, turns.is_first) = (true, Some(is_first));
            }
            self.scope(body, state, depth)?;
        }
        *state = after_others.join(&only)?;
        Ok(())
    }

    /// What is known after a body. Where it is the same as in the `last` round before a statement, so it is after the body; that is asked
    /// before the second, third, fifth, ninth statement, and so on.
    fn round(
        &mut self,
        body: &'a [Stmt<Calls<Bits>>],
        mut state: State<'a>,
        depth: usize,
        last: &mut Option<Round<'a>>,
    ) -> Proof<State<'a>> {
        let mut before = Vec::new();
        for (at, stmt) in body.iter().enumerate() {
            if at.is_power_of_two() {
                if let Some(last) = last
                    && last.before.get(before.len()) == Some(&state)
                {
                    return Ok(last.after.clone());
                }
                before.push(state.clone());
            }
            self.statement(stmt, &mut state, depth)?;
        }
        let after = state.clone();
        *last = Some(Round { before, after });
        Ok(state)
    }

    fn branch(
        &mut self,
        then: &'a [Stmt<Calls<Bits>>],
        otherwise: &'a [Stmt<Calls<Bits>>],
        cond: Option<&Expr<Bits>>,
        state: &mut State<'a>,
        depth: usize,
    ) -> Proof {
        let mut other = state.clone();
        if let Some(cond) = cond {
            other.env.assume(cond, &self.device.buffers);
        }
        self.scope(then, &mut other, depth)?;
        self.scope(otherwise, state, depth)?;
        *state = other.join(state)?;
        Ok(())
    }

    fn statement(&mut self, stmt: &'a Stmt<Calls<Bits>>, state: &mut State<'a>, depth: usize) -> Proof {
        match &stmt.kind {
            Kind::Op(leaf) => self.leaf(leaf, state, depth),
            Kind::Loop(head, body) => self.head(head, body, state, depth),
            // A condition of the user's may be either way; one that the compiler made says something.
            Kind::If(branch, then, otherwise) if branch.cause.origin().is_some() => {
                self.branch(then, otherwise, None, state, depth)
            }
            Kind::If(branch, then, otherwise) if let Some(turn) = branch.cause.turn() => {
                let Some(of) = self.loops.last() else {
                    return fault("a branch of some turns stands in no loop");
                };
                if branch.cond != of.condition(turn) {
                    return fault(format!("{:?} does not tell {}", branch.cond, turn.name()));
                }
                let holds = match turn {
                    Turn::BeforeLast => Some(!of.is_last),
                    Turn::AfterFirst => of.is_first.map(|is_first| !is_first),
                };
                match holds {
                    Some(true) => self.scope(then, state, depth),
                    Some(false) => self.scope(otherwise, state, depth),
                    None => self.branch(then, otherwise, None, state, depth),
                }
            }
            Kind::If(branch, then, otherwise) => match state.env.value(&branch.cond, &self.device.buffers) {
                Value::Int(range) if range.low > 0 => self.scope(then, state, depth),
                Value::Int(range) if range == Range::one(0) => self.scope(otherwise, state, depth),
                Value::Int(_) | Value::Buffer(_) | Value::Address(..) => {
                    self.branch(then, otherwise, Some(&branch.cond), state, depth)
                }
            },
            Kind::Group(Scope, body) => self.scope(body, state, depth),
        }
    }

    fn head(
        &mut self,
        head: &'a Loop<Bits>,
        body: &'a [Stmt<Calls<Bits>>],
        state: &mut State<'a>,
        depth: usize,
    ) -> Proof {
        match head {
            Loop::Blocks { start, count, step } => {
                let all = Expr::binary(Operator::Mul, count.clone(), step.clone());
                let end = Expr::binary(Operator::Add, start.clone(), all);
                let blocks = state.env.loop_range(start, &end, &self.device.buffers).0;
                self.with(BLOCK_ID, Value::Int(blocks), state, |walk, state| {
                    walk.repeat(state, false, body, depth + 1)
                })
            }
            Loop::Over {
                var,
                start,
                end,
                unroll: _,
                ahead: _,
                origin: _,
            } => {
                let (range, once) = state.env.loop_range(start, end, &self.device.buffers);
                let name = self.device.variables.get(var.index()).map_or("", String::as_str);
                let is_last = |stmt: &Stmt<Calls<Bits>>| match &stmt.kind {
                    Kind::If(branch, ..) => branch.cause == Cause::Turn(Turn::BeforeLast),
                    Kind::Op(_) | Kind::Loop(..) | Kind::Group(..) => false,
                };
                let lasts = body.iter().filter(|stmt| is_last(stmt)).count();
                if lasts > 1 || lasts > 0 && !once {
                    return fault("a loop has several last turns, or none");
                }
                let turns = Turns {
                    var: name,
                    start,
                    end,
                    is_last: false,
                    is_first: None,
                };
                self.with(name, Value::Int(range), state, |walk, state| {
                    walk.loops.push(turns);
                    let result = match lasts {
                        0 => walk.repeat(state, once, body, depth + 1),
                        _ => walk.until_the_last(state, body, depth + 1),
                    };
                    walk.loops.pop();
                    result
                })
            }
            Loop::Tiles {
                name,
                end,
                step,
                in_parts,
            } => {
                if *in_parts {
                    self.parts(name, *end, body, state)?;
                }
                (0..*end).step_by((*step).max(1) as usize).try_for_each(|at| {
                    let value = Value::Int(Range::one(i64::from(at)));
                    self.with(name, value, state, |walk, state| walk.body(body, state, depth))
                })
            }
        }
    }

    /// The turns of a loop in parts ([`crate::device::parts`]) are those of the loop as it stands.
    fn parts(&self, name: &str, end: u32, body: &'a [Stmt<Calls<Bits>>], state: &State<'a>) -> Proof {
        let Some(parts) = Parts::of(name, body) else {
            return fault(format!("the turns of {name} are not in parts"));
        };
        let is_within = |bound| match state.env.value(bound, &self.device.buffers) {
            Value::Int(range) => range.high <= i64::from(end),
            Value::Buffer(_) | Value::Address(..) => false,
        };
        if !parts.bounds().all(is_within) {
            return fault(format!("a part of {name} may end behind {end}"));
        }
        let mut stays = true;
        for asked in parts.asked() {
            asked.walk(&mut |part| stays &= !matches!(part, Expr::Buffer(_)));
        }
        operations(body, &mut |leaf| {
            if let Leaf::Advance { name, .. } = leaf {
                stays &= !parts.asked().any(|asked| asked.mentions(name));
            }
        });
        match stays {
            true => Ok(()),
            false => fault(format!("what the parts of {name} are told by may change")),
        }
    }

    fn leaf(&mut self, leaf: &'a Leaf<Bits>, state: &mut State<'a>, depth: usize) -> Proof {
        self.statements += 1;
        if self.statements > STATEMENTS {
            return fault("the program is too large to prove");
        }
        let buffers = &self.device.buffers;
        match leaf {
            Leaf::Let { kind: _, name, value } => {
                let value = state.env.value(value, buffers);
                state.env.declare(name, value);
            }
            Leaf::Advance { name, value } => {
                let value = state.env.sum(state.env.get(name), state.env.value(value, buffers));
                state.env.assign(name, value);
            }
            Leaf::Define { call, .. } | Leaf::Call(call) => {
                let step = event::of(call, &state.env, buffers).and_then(|event| {
                    state.rings.step(&event, buffers, state.engines.accumulation(), depth)?;
                    Rc::make_mut(&mut state.engines).step(&event, buffers)?;
                    Ok(event)
                });
                match step {
                    Ok(Event::Cb(CbStep::Push, buffer, _)) => state.env.moved(buffer, End::Back),
                    Ok(Event::Cb(CbStep::Pop, buffer, _)) => state.env.moved(buffer, End::Front),
                    Ok(_) => {}
                    Err(reason) => {
                        self.last = describe(call, buffers);
                        return Err(reason);
                    }
                }
                if let Leaf::Define { var, .. } = leaf {
                    let name = self.device.variables.get(var.index()).map_or("", String::as_str);
                    state.env.declare(name, Value::UNKNOWN);
                }
            }
        }
        Ok(())
    }
}

fn describe(call: &Call<Bits>, buffers: &[crate::flow::Buffer]) -> String {
    let args: Vec<String> = call
        .args
        .iter()
        .map(|arg| match arg {
            Expr::Buffer(id) => buffers
                .get(id.0)
                .map_or_else(|| format!("{id:?}"), |buffer| buffer.name.clone()),
            Expr::Int(value) => value.to_string(),
            Expr::Name(name) => name.clone(),
            other @ (Expr::Bool(_)
            | Expr::Value(_)
            | Expr::PageBytes(_)
            | Expr::Accessor(_)
            | Expr::Text(_)
            | Expr::Call(_)
            | Expr::Binary(..)) => format!("{other:?}"),
        })
        .collect();
    format!("{}({})", call.function.name, args.join(", "))
}
