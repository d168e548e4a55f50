//! What goes through every circular buffer, in order: the same after every pass from C3 on.
//!
//! `sight` proves of Flow IR that every use finds the definitions which the source says. Which version a use finds is
//! decided by the pushes of the producer and the pops of the consumer before it. So a program that pushes, uses and pops the
//! versions of a buffer in the order of Flow IR, under the same loops and branches, finds the same definitions.
//!
//! The order is a line of text for each end of a buffer: `+` a version is pushed, `u` the front one is used, `-` it is
//! popped, `[..]` a loop, `(..|..)` a branch. Uses without anything between them are one; loops and branches without
//! traffic do not count, nor do loops and branches of the compiler's own, which `progress` counts.
//!
//! ```text
//!  read a; for k < n { y += a }; release a      ⟹    pushed +      taken [u]-
//! ```

use super::event::CbStep;
use super::steps::{Context, Head, Steps};
use super::{Proof, fault};
use crate::device::{Program, Programs};
use crate::flow::{Buffer, BufferId, BufferKind};
use crate::ir::{Kind, Stmt};

/// What becomes of a buffer's versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The producer appends one.
    Push,
    /// The consumer uses the front one.
    Use,
    /// The consumer drops the front one.
    Pop,
}

/// The order of the steps of one end of a buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Line {
    text: String,
    /// The loops and branches that are open in it.
    open: Vec<Within>,
}

/// A loop, or a side of a branch: its number, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Loop(usize),
    Then(usize),
    Else(usize),
}

impl Line {
    fn step(&mut self, step: Step, path: &[Within]) {
        let same = self.open.iter().zip(path).take_while(|(a, b)| a == b).count();
        let other_side = match (self.open.get(same), path.get(same)) {
            (Some(Within::Then(a)), Some(Within::Else(b))) => a == b,
            _ => false,
        };
        self.close(same + usize::from(other_side));
        if other_side {
            self.text.push('|');
            self.open[same] = path[same];
        }
        for within in &path[self.open.len()..] {
            self.text.push_str(match within {
                Within::Loop(_) => "[",
                Within::Then(_) => "(",
                Within::Else(_) => "(|",
            });
            self.open.push(*within);
        }
        match step {
            Step::Use if self.text.ends_with('u') => {}
            Step::Use => self.text.push('u'),
            Step::Push => self.text.push('+'),
            Step::Pop => self.text.push('-'),
        }
    }

    /// Closes all but the outermost `keep`.
    fn close(&mut self, keep: usize) {
        while self.open.len() > keep {
            self.text.push(match self.open.pop() {
                Some(Within::Loop(_)) => ']',
                _ => ')',
            });
        }
    }
}

/// The traffic of all buffers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traffic {
    /// By buffer: what is pushed, what is taken.
    lines: Vec<[Line; 2]>,
    /// The loops and branches around what comes next.
    path: Vec<Within>,
    /// Loops and branches so far.
    count: usize,
}

impl Traffic {
    /// Of so many buffers.
    pub fn new(buffers: usize) -> Traffic {
        Traffic {
            lines: vec![Default::default(); buffers],
            ..Traffic::default()
        }
    }

    /// Of the programs of a kernel, as they are written.
    ///
    /// # Errors
    /// Steps that are not understood.
    pub fn of(buffers: &[Buffer], programs: &[Program; 3]) -> Proof<Traffic> {
        programs
            .iter()
            .try_fold(Traffic::new(buffers.len()), |traffic, program| {
                let args = &program.args;
                traffic.and(&program.body, Context { buffers, args })
            })
    }

    /// Of the programs between D1 and E1.
    ///
    /// # Errors
    /// Steps that are not understood.
    pub fn of_stage<R: Steps, C: Steps, W: Steps>(buffers: &[Buffer], programs: &Programs<R, C, W>) -> Proof<Traffic> {
        let context = Context { buffers, args: &[] };
        Traffic::new(buffers.len())
            .and(&programs.reader, context)?
            .and(&programs.compute, context)?
            .and(&programs.writer, context)
    }

    /// This, and that of one more program.
    fn and<S: Steps>(mut self, body: &[Stmt<S>], context: Context) -> Proof<Traffic> {
        self.body(body, context)?;
        Ok(self)
    }

    fn body<S: Steps>(&mut self, body: &[Stmt<S>], context: Context) -> Proof {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(op) => {
                    for buffer in S::uses(op) {
                        self.step(Step::Use, buffer);
                    }
                    match S::step(op, context)? {
                        Some((CbStep::Push, buffer, _)) => self.step(Step::Push, buffer),
                        Some((CbStep::Pop, buffer, _)) => self.step(Step::Pop, buffer),
                        Some((CbStep::Reserve | CbStep::Wait, ..)) | None => {}
                    }
                }
                Kind::Group(_, body) => self.body(body, context)?,
                Kind::Loop(head, body) => match S::head(head, context) {
                    Head::Users(..) => {
                        self.enter_loop();
                        self.body(body, context)?;
                        self.leave();
                    }
                    Head::Blocks | Head::Tiles(_) => self.body(body, context)?,
                },
                Kind::If(branch, then, otherwise) => match S::branch(branch, context) {
                    Some(_) => {
                        self.enter_branch();
                        self.body(then, context)?;
                        self.other_side();
                        self.body(otherwise, context)?;
                        self.leave();
                    }
                    None => {
                        self.body(then, context)?;
                        self.body(otherwise, context)?;
                    }
                },
            }
        }
        Ok(())
    }

    /// A loop begins.
    pub fn enter_loop(&mut self) {
        self.path.push(Within::Loop(self.count));
        self.count += 1;
    }

    /// The first side of a branch begins.
    pub fn enter_branch(&mut self) {
        self.path.push(Within::Then(self.count));
        self.count += 1;
    }

    /// The other side of the branch begins.
    pub fn other_side(&mut self) {
        if let Some(Within::Then(number)) = self.path.pop() {
            self.path.push(Within::Else(number));
        }
    }

    /// The loop or branch ends.
    pub fn leave(&mut self) {
        self.path.pop();
    }

    /// What becomes of a version of `buffer`.
    pub fn step(&mut self, step: Step, BufferId(buffer): BufferId) {
        if let Some([pushed, taken]) = self.lines.get_mut(buffer) {
            let line = if step == Step::Push { pushed } else { taken };
            line.step(step, &self.path);
        }
    }

    /// Proves that this is the traffic `expected`, as Flow IR has it.
    ///
    /// # Errors
    /// The first buffer where it is not.
    pub fn is(mut self, expected: &Traffic, buffers: &[Buffer]) -> Proof {
        let mut expected = expected.clone();
        for ((found, expected), buffer) in self.lines.iter_mut().zip(&mut expected.lines).zip(buffers) {
            // The tiles of a constant are made once, and not by Flow IR.
            if matches!(buffer.kind, BufferKind::Constant(_)) {
                continue;
            }
            for ((found, expected), what) in found.iter_mut().zip(expected).zip(["pushed", "taken"]) {
                found.close(0);
                expected.close(0);
                if found.text != expected.text {
                    return fault(format!(
                        "versions of {} are {what} as {:?} where Flow IR has {:?}",
                        buffer.name, found.text, expected.text
                    ));
                }
            }
        }
        Ok(())
    }
}
