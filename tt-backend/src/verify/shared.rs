//! Versions that a line of cores shares: every core of the line comes to the same ones, in the same order, and none waits for ever.
//!
//! Taken from the emitted reader alone. What differs along a line is what comes from the core's place in it, by whatever way; integers of
//! tensors may. Then it must hold that
//!
//! - a version is counted right before the branch in which one core, the sender, fills it, and the others say that they have room for it;
//!   then, in the same sequence, the sender sends what it has filled, and then all wait for it; and nowhere else is one counted,
//!   expected, sent or waited for;
//! - no room is made for another version of its buffer in between;
//! - no bound of a loop and no condition around it differs along the line, nor what the sender reads;
//! - all versions of its buffer are made under loops and conditions of which none differs, so that it lies at the same place everywhere.
//!
//! So all cores of a line come to its versions in one order, that of their program. A sender waits for cores that have yet to say that
//! they have room, and a receiver for one that has yet to send: in either case for a core that has not come as far in the program, an
//! iteration of every loop around it. Were there a round of cores that wait for each other, each would be further in the program than the
//! next, and so further than itself: there is none, and the core that is least far goes on, by what `progress` proves of its own programs.

use super::{Proof, fault};
use crate::device::function::{CB_RESERVE_BACK, EXPECT_VERSION, Function, RECEIVE_VERSION, SEND_VERSION};
use crate::device::{Bits, Branch, Call, Calls, Cause, Device, Expr, Leaf, Loop, Operator, Program};
use crate::flow::BufferId;
use crate::ir::{Kind, Stmt, operations};
use crate::passes::b2_grid_to_cores::{cores_of, every_of, noc_of, place_in, semaphores_of, sender_of, versions_of};
use std::collections::{BTreeMap, BTreeSet};
use tt_plan::{CoreLine, InLine, Role, RuntimeValue};

/// Proves it of `device`.
pub fn prove(device: &Device) -> Proof {
    for program in &device.programs {
        arguments(device, program)?;
        let shares = |function| [&EXPECT_VERSION, &SEND_VERSION, &RECEIVE_VERSION].contains(&function);
        let mut count = 0;
        operations(&program.body, &mut |leaf| {
            count += usize::from(matches!(leaf, Leaf::Call(call) if shares(call.function)))
        });
        if count == 0 {
            continue;
        }
        if program.role != Role::Reader || device.plan.work_partition.placement.rectangle().is_none() {
            return fault("versions are shared by cores that take no rounds together");
        }
        let mut out_of_step = BTreeSet::new();
        let mut found = Vec::new();
        for line in CoreLine::ALL {
            let mut walk = Walk::new(device, program, line, BTreeSet::new());
            walk.body(&program.body, true)?;
            // What a statement makes differ does so above it too, in the next turn of a loop around it.
            while walk.grows {
                walk = Walk::new(device, program, line, walk.carried);
                walk.body(&program.body, true)?;
            }
            if walk.counts != walk.shared.len() {
                return fault(format!(
                    "versions of a {} are counted that it does not share",
                    line.name()
                ));
            }
            out_of_step.extend(walk.out_of_step.into_iter().map(|buffer| (line.name(), buffer)));
            found.extend(walk.shared.into_iter().map(|buffer| (line.name(), buffer)));
        }
        if let Some((line, buffer)) = found.iter().find(|shared| out_of_step.contains(shared)) {
            return fault(format!(
                "the cores of a {line} share versions of {}, which some make out of step",
                device.buffers[buffer.0].name
            ));
        }
        if found.len() * 3 != count {
            return fault("versions are expected, sent or received outside of what a line of cores shares");
        }
    }
    Ok(())
}

/// Whether the arguments that tell of cores have the names they are known by.
fn arguments(device: &Device, program: &Program) -> Proof {
    let mut known = BTreeMap::new();
    for line in CoreLine::ALL {
        known.insert(place_in(line), RuntimeValue::Place(line));
        known.insert(cores_of(line), RuntimeValue::Cores(line));
        known.insert(every_of(line), RuntimeValue::Every(line));
        known.insert(sender_of(line), RuntimeValue::Sender(line));
        known.extend(InLine::ALL.into_iter().flat_map(|core| noc_of(line, core)));
    }
    for argument in &program.args {
        let told = match &argument.value {
            RuntimeValue::Place(_)
            | RuntimeValue::Cores(_)
            | RuntimeValue::Every(_)
            | RuntimeValue::Sender(_)
            | RuntimeValue::Noc { .. } => true,
            RuntimeValue::Address(_)
            | RuntimeValue::FirstPage(_)
            | RuntimeValue::StartId
            | RuntimeValue::Count
            | RuntimeValue::Step
            | RuntimeValue::RunLength
            | RuntimeValue::RunPitch
            | RuntimeValue::Formula(_)
            | RuntimeValue::Number(_)
            | RuntimeValue::Flag { .. } => false,
        };
        let is_named = known.get(&argument.name);
        if (told || is_named.is_some()) && is_named != Some(&argument.value) {
            return fault(format!("the argument {} is {:?}", argument.name, argument.value));
        }
    }
    for id in CoreLine::ALL.into_iter().flat_map(semaphores_of) {
        let has = device
            .plan
            .semaphores
            .iter()
            .filter(|semaphore| semaphore.id == id && semaphore.initial == 0)
            .count();
        if has != usize::from(device.plan.work_partition.placement.rectangle().is_some()) {
            return fault(format!("the plan has {has} semaphores {id} that begin with 0"));
        }
    }
    Ok(())
}

/// The names of the program's arguments that differ along a line.
fn differing(program: &Program, line: CoreLine) -> BTreeSet<String> {
    let differs = program
        .args
        .iter()
        .filter(|argument| argument.value == RuntimeValue::Place(line));
    differs.map(|argument| argument.name.clone()).collect()
}

/// A name, and which of its declarations is meant, counted through the program: 0 for those without one.
type Variable = (String, usize);

struct Walk<'a> {
    line: CoreLine,
    variables: &'a [String],
    /// The declaration that each name stands for here.
    scope: BTreeMap<String, usize>,
    declared: usize,
    /// Variables whose value differs along the line.
    differs: BTreeSet<Variable>,
    /// Variables that grow by what differs, or where only some cores come: theirs may differ wherever in the program.
    carried: BTreeSet<Variable>,
    /// One of them was found that was not known.
    grows: bool,
    /// Buffers of which a version is made where cores of the line may not come in the same turn.
    out_of_step: BTreeSet<BufferId>,
    /// The buffer of every version that the line shares.
    shared: Vec<BufferId>,
    /// How often versions of the line are counted.
    counts: usize,
    /// The buffer whose version the line is sharing here.
    open: Option<BufferId>,
}

/// A version between the branch that fills it and the call that waits for it.
#[derive(Debug, Clone)]
struct Expected {
    buffer: BufferId,
    /// Where it lies.
    place: Expr<Bits>,
    /// Whether it was sent.
    is_sent: bool,
}

impl<'a> Walk<'a> {
    fn new(device: &'a Device, program: &Program, line: CoreLine, carried: BTreeSet<Variable>) -> Walk<'a> {
        let differs = differing(program, line).into_iter();
        Walk {
            line,
            variables: &device.variables,
            scope: BTreeMap::new(),
            declared: 0,
            differs: differs.map(|name| (name, 0)).collect(),
            carried,
            grows: false,
            out_of_step: BTreeSet::new(),
            shared: Vec::new(),
            counts: 0,
            open: None,
        }
    }

    fn variable(&self, name: &str) -> Variable {
        (name.to_owned(), self.scope.get(name).copied().unwrap_or(0))
    }

    /// Takes the value of a variable of the kernel for one that differs.
    fn differ(&mut self, var: usize) {
        let variable = self.variables.get(var).map(|name| self.variable(name));
        self.differs.extend(variable);
    }

    /// A body, whose declarations end with it.
    fn body(&mut self, body: &[Stmt<Calls<Bits>>], in_step: bool) -> Proof {
        let outside = self.scope.clone();
        self.statements(body, in_step)?;
        self.scope = outside;
        Ok(())
    }

    fn statements(&mut self, body: &[Stmt<Calls<Bits>>], in_step: bool) -> Proof {
        let mut expected: Option<Expected> = None;
        for (at, stmt) in body.iter().enumerate() {
            match &stmt.kind {
                Kind::Op(Leaf::Call(call)) if self.receives(call) => {
                    let version = expected.take().filter(|version| version.is_sent);
                    let [_, mark] = self.semaphores();
                    let is_one = version
                        .as_ref()
                        .is_some_and(|version| call.args.as_slice() == [version.place.clone(), self.number(), mark]);
                    let (true, Some(version)) = (is_one, version) else {
                        return fault(format!(
                            "a version of a {} is received that was not sent",
                            self.line.name()
                        ));
                    };
                    self.open = None;
                    self.shared.push(version.buffer);
                }
                Kind::Op(leaf) => self.leaf(leaf, in_step)?,
                Kind::Group(_, body) => self.body(body, in_step)?,
                Kind::Loop(head, body) => {
                    let alike = match head {
                        Loop::Blocks { .. } | Loop::Tiles { .. } => true,
                        Loop::Over { var, start, end, .. } => {
                            let alike = !self.is_other(start) && !self.is_other(end);
                            if !alike {
                                self.differ(var.index());
                            }
                            alike
                        }
                    };
                    self.body(body, in_step && alike)?;
                }
                Kind::If(branch, then, otherwise) if self.is_sender(branch) => match expected.take() {
                    None => {
                        let before = at.checked_sub(1).and_then(|before| body.get(before));
                        expected = Some(self.expect(before, then, otherwise, in_step)?);
                    }
                    Some(version) => expected = Some(self.send(version, then, otherwise, in_step)?),
                },
                Kind::If(branch, then, otherwise) => {
                    let alike = !self.is_other(&branch.cond);
                    self.body(then, in_step && alike)?;
                    self.body(otherwise, in_step && alike)?;
                }
            }
        }
        match expected {
            None => Ok(()),
            Some(_) => fault(format!("a version of a {} is not received", self.line.name())),
        }
    }

    /// Whether a call waits for a version of the line.
    fn receives(&self, call: &Call<Bits>) -> bool {
        *call.function == RECEIVE_VERSION && call.args.get(1) == Some(&self.number())
    }

    fn number(&self) -> Expr<Bits> {
        Expr::Name(versions_of(self.line))
    }

    /// Its semaphores `ready` and `sent`.
    fn semaphores(&self) -> [Expr<Bits>; 2] {
        semaphores_of(self.line).map(|id| Expr::Int(i64::from(id)))
    }

    fn at(&self, core: InLine) -> [Expr<Bits>; 2] {
        noc_of(self.line, core).map(|(name, _)| Expr::Name(name))
    }

    fn leaf(&mut self, leaf: &Leaf<Bits>, in_step: bool) -> Proof {
        match leaf {
            Leaf::Let { name, value, .. } => {
                let differs = self.is_other(value);
                // A name declared again is another variable.
                self.declared += 1;
                self.scope.insert(name.clone(), self.declared);
                if differs {
                    self.differs.insert(self.variable(name));
                }
                if *name == versions_of(self.line) && *value != Expr::Int(0) {
                    return fault(format!("{name} does not begin with 0"));
                }
            }
            Leaf::Advance { name, value } => {
                self.counts += usize::from(*name == versions_of(self.line));
                if !in_step || self.is_other(value) {
                    self.grows |= self.carried.insert(self.variable(name));
                }
            }
            Leaf::Define { var, .. } => self.differ(var.index()),
            Leaf::Call(call) => {
                if let (true, [Expr::Buffer(buffer), ..]) = (*call.function == CB_RESERVE_BACK, call.args.as_slice()) {
                    if self.open == Some(*buffer) {
                        return fault("room is made for a version after it was said to be there");
                    }
                    if !in_step {
                        self.out_of_step.insert(*buffer);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether `expr` may differ along the line.
    fn is_other(&self, expr: &Expr<Bits>) -> bool {
        let mut is_other = false;
        expr.walk(&mut |part| {
            if let Expr::Name(name) = part {
                let variable = self.variable(name);
                is_other |= self.differs.contains(&variable) || self.carried.contains(&variable);
            }
        });
        is_other
    }

    /// Whether a branch asks for the sender of the line.
    fn is_sender(&self, branch: &Branch<Bits>) -> bool {
        let place = Expr::Name(place_in(self.line));
        branch.cause == Cause::Compiler
            && branch.cond == Expr::operation(Operator::Equal, place, Expr::Name(sender_of(self.line)))
    }

    /// The branch in which the sender fills a version, after the statement `before`.
    fn expect(
        &mut self,
        before: Option<&Stmt<Calls<Bits>>>,
        sender: &[Stmt<Calls<Bits>>],
        others: &[Stmt<Calls<Bits>>],
        in_step: bool,
    ) -> Proof<Expected> {
        let line = self.line;
        let is_counted = before.is_some_and(|stmt| {
            matches!(&stmt.kind, Kind::Op(Leaf::Advance { name, value: Expr::Int(1) }) if *name == versions_of(line))
        });
        let expected = match others {
            [expect] => shares(&EXPECT_VERSION, expect),
            _ => None,
        };
        let place = expected.and_then(|call| call.args.first());
        let buffer = match place {
            Some(Expr::Call(place)) => match place.args.as_slice() {
                [Expr::Buffer(buffer)] => Some(*buffer),
                _ => None,
            },
            _ => None,
        };
        let [ready, _] = self.semaphores();
        let expects = std::iter::once(ready).chain(self.at(InLine::Sender));
        let is_one = expected.and_then(|call| call.args.get(1..)) == Some(expects.collect::<Vec<_>>().as_slice());
        let (true, true, true, None, Some(buffer), Some(place)) =
            (is_counted, is_one, in_step, self.open, buffer, place)
        else {
            return self.not_alike();
        };
        self.of_sender(sender, in_step)?;
        self.open = Some(buffer);
        Ok(Expected {
            buffer,
            place: place.clone(),
            is_sent: false,
        })
    }

    /// The branch in which the sender sends a version.
    fn send(
        &mut self,
        version: Expected,
        sender: &[Stmt<Calls<Bits>>],
        others: &[Stmt<Calls<Bits>>],
        in_step: bool,
    ) -> Proof<Expected> {
        let cores = Expr::operation(Operator::Sub, Expr::Name(cores_of(self.line)), Expr::Int(1));
        let sends = [self.number(), cores].into_iter().chain(self.semaphores());
        let sends = sends.chain(self.at(InLine::First)).chain(self.at(InLine::Last));
        let last = sender.split_last();
        let sent = last.and_then(|(send, _)| shares(&SEND_VERSION, send));
        let is_one = sent.is_some_and(|sent| {
            sent.args.first() == Some(&version.place)
                && sent.args.get(2..) == Some(sends.collect::<Vec<_>>().as_slice())
        });
        let (true, false, true, Some((_, before))) = (is_one, version.is_sent, others.is_empty(), last) else {
            return self.not_alike();
        };
        self.of_sender(before, in_step)?;
        Ok(Expected {
            is_sent: true,
            ..version
        })
    }

    fn not_alike<T>(&self) -> Proof<T> {
        let line = self.line.name();
        fault(format!("a version of a {line} is not shared by all of its cores alike"))
    }

    /// What only the sender does: what any of the others would, and it keeps nothing that they have not.
    fn of_sender(&mut self, body: &[Stmt<Calls<Bits>>], in_step: bool) -> Proof {
        let known = (self.differs.clone(), self.scope.clone());
        self.statements(body, in_step)?;
        let mut differs = false;
        let mut own = BTreeSet::new();
        operations(body, &mut |leaf| {
            differs |= match leaf {
                Leaf::Let { name, value, .. } => {
                    own.insert(name);
                    self.is_other(value)
                }
                Leaf::Advance { name, value } => !own.contains(name) || self.is_other(value),
                Leaf::Define { .. } => true,
                Leaf::Call(call) => call.args.iter().any(|arg| self.is_other(arg)),
            }
        });
        crate::ir::visit(body, &mut |stmt| {
            differs |= matches!(&stmt.kind, Kind::If(branch, ..) if self.is_other(&branch.cond))
        });
        (self.differs, self.scope) = known;
        match differs {
            true => fault(format!(
                "the sender of a {} reads what the others would not",
                self.line.name()
            )),
            false => Ok(()),
        }
    }
}

/// The call of `function` that a statement is.
fn shares<'a>(function: &Function, stmt: &'a Stmt<Calls<Bits>>) -> Option<&'a Call<Bits>> {
    match &stmt.kind {
        Kind::Op(Leaf::Call(call)) if call.function == function => Some(call),
        Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => None,
    }
}

#[cfg(test)]
mod tests;
