//! What must hold of Flow IR between the passes of stage C.
//!
//! - a buffer has one producer and one consumer: reads define incoming buffers, writes use outgoing ones, compute the rest;
//! - after C2 there are sections only: chunks divide their tiles, registers fit, and a section publishes a version of its
//!   own just where no `Accumulate` around it reserved one;
//! - after C3 a version is in its FIFO if and only if it is live: on every path a use finds one, and loops and branches
//!   leave as many as they found, never more than the buffer holds; and every use finds what it sees in the source
//!   (`sight`).

use super::sight;
use crate::flow::{Accumulate, Arg, BufferId, BufferKind, Flow, FlowOp, FlowStmt, PackMode, Section, Step};
use crate::ir::Kind;

/// How far the flow has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// After C1 and pad_tiles.
    Buffers,
    /// After C2.
    Sections,
    /// After C3.
    Lifetimes,
}

/// Checks `flow`; the first thing found wrong, in the compiler's words.
///
/// # Errors
/// What does not hold.
pub fn check(flow: &Flow, stage: Stage, capacity: u32) -> Result<(), String> {
    let check = Check { flow, stage, capacity };
    check.body(&flow.body, &[])?;
    if stage == Stage::Lifetimes {
        let mut alive = vec![0; flow.buffers.len()];
        check.lifetimes(&flow.body, &mut alive)?;
        if let Some(left) = alive.iter().position(|count| *count != 0) {
            return Err(format!(
                "{} versions of {} are left",
                alive[left], flow.buffers[left].name
            ));
        }
        sight::check(flow)?;
    }
    Ok(())
}

struct Check<'a> {
    flow: &'a Flow,
    stage: Stage,
    capacity: u32,
}

impl Check<'_> {
    fn kind(&self, buffer: BufferId) -> Result<BufferKind, String> {
        self.flow
            .buffers
            .get(buffer.0)
            .map(|buffer| buffer.kind)
            .ok_or_else(|| format!("there is no buffer {}", buffer.0))
    }

    fn name(&self, buffer: BufferId) -> &str {
        &self.flow.buffers[buffer.0].name
    }

    /// Compute reads `buffer`.
    fn read_by_compute(&self, buffer: BufferId) -> Result<(), String> {
        if self.kind(buffer)? == BufferKind::Outgoing {
            return Err(format!("compute reads the outgoing buffer {}", self.name(buffer)));
        }
        Ok(())
    }

    /// Compute makes `buffer`.
    fn made_by_compute(&self, buffer: BufferId) -> Result<(), String> {
        match self.kind(buffer)? {
            BufferKind::Local | BufferKind::Outgoing => Ok(()),
            BufferKind::Incoming | BufferKind::Zeros => Err(format!(
                "compute defines the buffer {} of the reader",
                self.name(buffer)
            )),
        }
    }

    fn expect(&self, buffer: BufferId, kind: BufferKind, what: &str) -> Result<(), String> {
        if self.kind(buffer)? == kind {
            Ok(())
        } else {
            Err(format!(
                "a {what} of {}, which is {:?}",
                self.name(buffer),
                self.kind(buffer)?
            ))
        }
    }

    fn body(&self, body: &[FlowStmt], open: &[BufferId]) -> Result<(), String> {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(FlowOp::Read { buffer, .. }) => self.expect(*buffer, BufferKind::Incoming, "read")?,
                Kind::Op(FlowOp::Write { buffer, .. }) => self.expect(*buffer, BufferKind::Outgoing, "write")?,
                Kind::Op(FlowOp::Release { buffer } | FlowOp::Blank { buffer }) => {
                    if self.stage < Stage::Lifetimes {
                        let name = self.name(*buffer);
                        return Err(format!("{name} is released or made before lifetimes are known"));
                    }
                }
                Kind::Op(FlowOp::Elementwise(elementwise)) => {
                    self.lowered("an element expression")?;
                    self.made_by_compute(elementwise.target)?;
                    let mut first = Ok(());
                    elementwise.value.loads(&mut |operand, _| {
                        if first.is_ok() {
                            first = self.read_by_compute(operand.buffer);
                        }
                    });
                    first?;
                }
                Kind::Op(FlowOp::Gemm(gemm)) => {
                    self.lowered("a gemm")?;
                    self.made_by_compute(gemm.acc)?;
                    self.read_by_compute(gemm.a)?;
                    self.read_by_compute(gemm.b)?;
                }
                Kind::Op(FlowOp::Section(section)) => self.section(section, open)?,
                Kind::Op(FlowOp::Multiply(matmul)) => {
                    self.read_by_compute(matmul.a)?;
                    self.read_by_compute(matmul.b)?;
                }
                Kind::Group(Accumulate { buffer, .. }, body) => {
                    self.made_by_compute(*buffer)?;
                    let mut inside = open.to_vec();
                    inside.push(*buffer);
                    self.body(body, &inside)?;
                }
                Kind::Loop(_, body) => self.body(body, open)?,
                Kind::If(_, then, otherwise) => {
                    self.body(then, open)?;
                    self.body(otherwise, open)?;
                }
            }
        }
        Ok(())
    }

    fn lowered(&self, what: &str) -> Result<(), String> {
        if self.stage == Stage::Buffers {
            Ok(())
        } else {
            Err(format!("{what} is left after C2"))
        }
    }

    fn section(&self, section: &Section, open: &[BufferId]) -> Result<(), String> {
        let name = self.name(section.pack.buffer);
        let [h, w] = section.chunk;
        let [rows, columns] = section.tiles;
        if h == 0 || w == 0 || rows % h != 0 || columns % w != 0 {
            return Err(format!(
                "chunks of {h} × {w} tiles do not divide the {rows} × {columns} tiles of {name}"
            ));
        }
        if h * w * section.registers > self.capacity || section.result >= section.registers {
            return Err(format!(
                "{} registers for each of {h} × {w} tiles of {name}, of {}",
                section.registers, self.capacity
            ));
        }
        if self.flow.buffers[section.pack.buffer.0].tiles != section.tiles {
            return Err(format!(
                "a section of {rows} × {columns} tiles packs to {name}, which has others"
            ));
        }
        self.made_by_compute(section.pack.buffer)?;
        if (section.pack.mode == PackMode::Publish) == open.contains(&section.pack.buffer) {
            return Err(format!(
                "{name} is packed to as if it were {}reserved around",
                if open.contains(&section.pack.buffer) {
                    "not "
                } else {
                    ""
                }
            ));
        }
        for step in &section.steps {
            match step {
                Step::Tile { out, args, .. } => {
                    for arg in args {
                        match arg {
                            Arg::Tile(operand) => self.read_by_compute(operand.buffer)?,
                            Arg::Register(register) if *register >= section.registers => {
                                return Err(format!("register {register} of {} for {name}", section.registers));
                            }
                            Arg::Register(_) | Arg::Number(_) => {}
                        }
                    }
                    if *out >= section.registers {
                        return Err(format!("register {out} of {} for {name}", section.registers));
                    }
                }
                Step::Matmul(matmul) => {
                    self.read_by_compute(matmul.a)?;
                    self.read_by_compute(matmul.b)?;
                }
                Step::Control(body) => self.body(body, open)?,
            }
        }
        Ok(())
    }

    fn lifetimes(&self, body: &[FlowStmt], alive: &mut Vec<u32>) -> Result<(), String> {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(FlowOp::Read { buffer, .. } | FlowOp::Blank { buffer }) => self.append(*buffer, alive)?,
                Kind::Op(FlowOp::Write { buffer, .. }) => self.present(*buffer, alive)?,
                Kind::Op(FlowOp::Release { buffer }) => {
                    self.present(*buffer, alive)?;
                    alive[buffer.0] -= 1;
                }
                Kind::Op(FlowOp::Section(section)) => {
                    let uses = crate::passes::c3_build_dataflow::section_uses(section);
                    uses.iter().try_for_each(|buffer| self.present(*buffer, alive))?;
                    for step in &section.steps {
                        if let Step::Control(body) = step {
                            self.lifetimes(body, alive)?;
                        }
                    }
                    if section.pack.mode == PackMode::Publish {
                        self.append(section.pack.buffer, alive)?;
                        if uses.contains(&section.pack.buffer) {
                            alive[section.pack.buffer.0] -= 1;
                        }
                    }
                }
                Kind::Op(FlowOp::Multiply(matmul)) => {
                    self.present(matmul.a, alive)?;
                    self.present(matmul.b, alive)?;
                }
                Kind::Group(Accumulate { buffer, .. }, body) => {
                    self.lifetimes(body, alive)?;
                    self.append(*buffer, alive)?;
                }
                Kind::Loop(_, body) => self.neutral("a loop", body, alive)?,
                Kind::If(_, then, otherwise) => {
                    let mut other = alive.clone();
                    self.lifetimes(then, alive)?;
                    self.lifetimes(otherwise, &mut other)?;
                    if *alive != other {
                        return Err("the two sides of a branch leave different versions".into());
                    }
                }
                Kind::Op(FlowOp::Elementwise(_) | FlowOp::Gemm(_)) => {}
            }
        }
        Ok(())
    }

    fn neutral(&self, what: &str, body: &[FlowStmt], alive: &mut Vec<u32>) -> Result<(), String> {
        let before = alive.clone();
        self.lifetimes(body, alive)?;
        match before
            .iter()
            .zip(alive.iter())
            .position(|(before, after)| before != after)
        {
            None => Ok(()),
            Some(at) => Err(format!(
                "{what} leaves {} versions of {}, it found {}",
                alive[at], self.flow.buffers[at].name, before[at]
            )),
        }
    }

    fn append(&self, buffer: BufferId, alive: &mut [u32]) -> Result<(), String> {
        alive[buffer.0] += 1;
        let holds = self.flow.buffers[buffer.0].versions;
        if alive[buffer.0] > holds {
            return Err(format!(
                "{} versions of {}, which holds {holds}",
                alive[buffer.0],
                self.name(buffer)
            ));
        }
        Ok(())
    }

    fn present(&self, buffer: BufferId, alive: &[u32]) -> Result<(), String> {
        if alive[buffer.0] > 0 || self.kind(buffer)? == BufferKind::Zeros {
            return Ok(());
        }
        Err(format!("{} is used where it has no version", self.name(buffer)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::*;

    /// The flow of a kernel of the tests, after C3.
    fn flow(name: &str) -> (Flow, u32) {
        let file = syn::parse_file(include_str!("../../tests/kernels/assorted.rs")).expect("the test kernels are Rust");
        let kernel = file
            .items
            .iter()
            .find_map(|item| match item {
                syn::Item::Fn(function) if function.sig.ident == name => {
                    tt_lang::syntax::parse_item_fn(function, "assorted.rs")?.kernel
                }
                _ => None,
            })
            .expect("there is such a kernel");
        let layouts = a1_infer_layout::run(&kernel).expect("layouts");
        let geometry = a2_propagate_layout::run(&kernel, &layouts);
        let (mut flow, depths) = c1_lower_shared_to_cb::run(&kernel, &layouts, &geometry).expect("buffers");
        let capacity = if layouts.fp32_dest { 4 } else { 8 };
        c2_lower_tile_intrinsics::run(
            &mut flow,
            c2_lower_tile_intrinsics::Registers {
                capacity,
                fp32: layouts.fp32_dest,
                approximate: false,
            },
        )
        .expect("sections");
        c3_build_dataflow::run(&mut flow, &depths).expect("lifetimes");
        (flow, capacity)
    }

    /// Changes the first statement, at any depth, for which `change` says that it did.
    fn first(body: &mut [FlowStmt], change: &mut dyn FnMut(&mut FlowStmt) -> bool) -> bool {
        body.iter_mut().any(|stmt| {
            change(stmt)
                || match &mut stmt.kind {
                    Kind::Loop(_, body) | Kind::Group(_, body) => first(body, change),
                    Kind::If(_, then, otherwise) => first(then, change) || first(otherwise, change),
                    _ => false,
                }
        })
    }

    #[test]
    fn what_the_passes_make_is_accepted() {
        for name in ["tall", "two", "mlp", "vectors", "batched"] {
            let (flow, capacity) = flow(name);
            assert_eq!(check(&flow, Stage::Lifetimes, capacity), Ok(()), "{name}");
        }
    }

    #[test]
    fn what_the_passes_must_not_make_is_refused() {
        type Change = fn(&mut FlowStmt) -> bool;
        let cases: [(&str, &str, Change); 4] = [
            ("two", "used where it has no version", |stmt| match &mut stmt.kind {
                Kind::Op(FlowOp::Read { .. }) => {
                    stmt.kind = Kind::If(tt_lang::ir::BoolExpr::Const(true), Vec::new(), Vec::new());
                    true
                }
                _ => false,
            }),
            ("two", "leaves", |stmt| match &mut stmt.kind {
                Kind::Loop(_, body) => {
                    body.clear();
                    body.push(FlowStmt {
                        kind: Kind::Op(FlowOp::Release { buffer: BufferId(0) }),
                        note: stmt.note,
                    });
                    true
                }
                _ => false,
            }),
            ("tall", "do not divide", |stmt| match &mut stmt.kind {
                Kind::Op(FlowOp::Section(section)) => {
                    section.chunk = [section.tiles[0] + 1, 1];
                    true
                }
                _ => false,
            }),
            ("vectors", "registers for each", |stmt| match &mut stmt.kind {
                Kind::Op(FlowOp::Section(section)) => {
                    section.registers = 99;
                    true
                }
                _ => false,
            }),
        ];
        for (name, expected, change) in cases {
            let (mut flow, capacity) = flow(name);
            assert!(
                first(&mut flow.body, &mut |stmt| change(stmt)),
                "nothing to change in {name}"
            );
            let error = check(&flow, Stage::Lifetimes, capacity).expect_err(name);
            assert!(error.contains(expected), "{name}: `{error}` does not say `{expected}`");
        }
    }
}
