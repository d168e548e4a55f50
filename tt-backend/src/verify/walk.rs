//! Runs one program over what is known of its state, along every path.
//!
//! Loops of tiles have constant counts and are run; loops and branches of the user's program are run until nothing new is
//! learned of the state, so that what holds then holds for every count and every condition. The state after a loop that
//! may run zero times is what holds with and without it.

use super::event::{self, CbStep, Event};
use super::protocol::Engines;
use super::ring::Rings;
use super::value::{End, Env, Range, Value};
use super::{Fault, Proof, fault};
use crate::device::{Device, Expr, Leaf, Node, Program};
use crate::passes::b2_grid_to_cores::BLOCK_ID;

/// Rounds until the state of a loop must have settled: every component can only lose knowledge, and loses it at once.
const ROUNDS: usize = 64;

/// Statements after which a program is too large to prove.
const STATEMENTS: usize = 20_000_000;

/// What is known between two statements of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    env: Env,
    rings: Rings,
    engines: Engines,
}

impl State {
    fn join(&self, other: &State) -> Proof<State> {
        Ok(State {
            env: self.env.join(&other.env),
            rings: self.rings.join(&other.rings)?,
            engines: self.engines.join(&other.engines)?,
        })
    }
}

/// Proves what concerns `program` alone.
pub fn prove(device: &Device, program: &Program) -> Proof {
    let mut walk = Walk { device, program, statements: 0, last: String::new() };
    let mut state = State {
        env: Env::of(program, &device.plan),
        rings: Rings::new(&device.buffers, program.role),
        engines: Engines::new(&device.plan.compute),
    };
    let result = walk.program(&mut state);
    result.map_err(|Fault(reason)| Fault(format!("{}, at `{}`: {reason}", program.role.name(), walk.last)))
}

struct Walk<'a> {
    device: &'a Device,
    program: &'a Program,
    statements: usize,
    last: String,
}

impl Walk<'_> {
    fn program(&mut self, state: &mut State) -> Proof {
        self.nodes(&self.program.before, state, 0)?;
        // The persistent loop. The grid coordinates are declared at its start.
        let mut body: Vec<Node<Leaf>> = self.program.coordinates.iter().cloned().map(Node::Leaf).collect();
        body.extend(self.program.body.iter().cloned());
        let block_id = Value::Int(state.env.loop_range(&Expr::name("start_id"), &Expr::name("end"), &[]).0);
        self.with(BLOCK_ID.to_string(), block_id, state, |walk, state| walk.repeat(&body, state, 0, false))?;
        self.nodes(&self.program.after, state, 0)?;
        self.last = "the end".to_string();
        state.rings.end(&self.device.buffers)?;
        state.engines.end()
    }

    fn nodes(&mut self, nodes: &[Node<Leaf>], state: &mut State, depth: usize) -> Proof {
        nodes.iter().try_for_each(|node| self.node(node, state, depth))
    }

    /// Statements in a scope of their own: what they declare is gone after them.
    fn scope(&mut self, nodes: &[Node<Leaf>], state: &mut State, depth: usize) -> Proof {
        let outer = state.env.clone();
        self.nodes(nodes, state, depth)?;
        let declared = |name: &String| {
            nodes.iter().any(|node| matches!(node, Node::Leaf(Leaf::Let { name: declared, .. }) if declared == name))
        };
        let inner = std::mem::take(&mut state.env);
        for (name, before) in outer.0 {
            match inner.0.get(&name) {
                _ if declared(&name) => drop(state.env.0.insert(name, before)),
                Some(now) => drop(state.env.0.insert(name, *now)),
                None => {}
            }
        }
        Ok(())
    }

    /// What `run` does while `name` has a value of its own.
    fn with(
        &mut self,
        name: String,
        value: Value,
        state: &mut State,
        run: impl FnOnce(&mut Self, &mut State) -> Proof,
    ) -> Proof {
        let before = state.env.0.insert(name.clone(), value);
        run(self, state)?;
        match before {
            Some(value) => drop(state.env.0.insert(name, value)),
            None => drop(state.env.0.remove(&name)),
        }
        Ok(())
    }

    /// A body that is run any number of times.
    fn repeat(&mut self, body: &[Node<Leaf>], state: &mut State, depth: usize, at_least_once: bool) -> Proof {
        let mut head = state.clone();
        for _ in 0..ROUNDS {
            let mut exit = head.clone();
            self.scope(body, &mut exit, depth + 1)?;
            let next = head.join(&exit)?;
            if next == head {
                *state = if at_least_once { exit } else { head };
                return Ok(());
            }
            head = next;
        }
        fault("what is known of a loop does not settle")
    }

    fn branch(&mut self, then: &[Node<Leaf>], otherwise: &[Node<Leaf>], cond: Option<&Expr>, state: &mut State, depth: usize) -> Proof {
        let mut other = state.clone();
        if let Some(cond) = cond {
            state.env.assume(cond, &self.device.buffers);
        }
        self.scope(then, state, depth)?;
        self.scope(otherwise, &mut other, depth)?;
        *state = state.join(&other)?;
        Ok(())
    }

    fn node(&mut self, node: &Node<Leaf>, state: &mut State, depth: usize) -> Proof {
        match node {
            Node::Leaf(leaf) => self.leaf(leaf, state, depth),
            Node::Loop { var, start, end, unroll: _, body, origin: _ } => {
                let (range, once) = state.env.loop_range(start, end, &self.device.buffers);
                let name = self.device.variables.get(var.index()).cloned().unwrap_or_default();
                self.with(name, Value::Int(range), state, |walk, state| walk.repeat(body, state, depth, once))
            }
            Node::If { cond: _, then, otherwise, origin: _ } => self.branch(then, otherwise, None, state, depth),
            Node::Tiles { name, end, step, body } => {
                (0..*end).step_by((*step).max(1) as usize).try_for_each(|at| {
                    let value = Value::Int(Range::one(i64::from(at)));
                    self.with(name.clone(), value, state, |walk, state| walk.scope(body, state, depth))
                })
            }
            Node::When { cond, then, otherwise } => match state.env.value(cond, &self.device.buffers) {
                Value::Int(range) if range.low > 0 => self.scope(then, state, depth),
                Value::Int(range) if range == Range::one(0) => self.scope(otherwise, state, depth),
                _ => self.branch(then, otherwise, Some(cond), state, depth),
            },
            Node::Scope(body) => self.scope(body, state, depth),
            Node::Source(_) => Ok(()),
        }
    }

    fn leaf(&mut self, leaf: &Leaf, state: &mut State, depth: usize) -> Proof {
        self.statements += 1;
        if self.statements > STATEMENTS {
            return fault("the program is too large to prove");
        }
        let buffers = &self.device.buffers;
        match leaf {
            Leaf::Let { kind: _, name, value } => {
                let value = state.env.value(value, buffers);
                state.env.0.insert(name.clone(), value);
            }
            Leaf::Advance { name, value } => {
                let next = Expr::Binary("+", Box::new(Expr::Name(name.clone())), Box::new(value.clone()));
                let value = state.env.value(&next, buffers);
                state.env.0.insert(name.clone(), value);
            }
            Leaf::Call(call) => {
                let step = event::of(call, &state.env, buffers).and_then(|event| {
                    state.rings.step(&event, buffers, state.engines.accumulation(), depth)?;
                    state.engines.step(&event, buffers)?;
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
            }
        }
        Ok(())
    }
}

fn describe(call: &crate::device::Call, buffers: &[crate::flow::Buffer]) -> String {
    let args: Vec<String> = call
        .args
        .iter()
        .map(|arg| match arg {
            Expr::Buffer(id) => buffers.get(id.0).map_or_else(|| format!("{id:?}"), |buffer| buffer.name.clone()),
            Expr::Int(value) => value.to_string(),
            Expr::Name(name) => name.clone(),
            other => format!("{other:?}"),
        })
        .collect();
    format!("{}({})", call.function.name, args.join(", "))
}
