//! What must hold of Flow IR between the passes of stage C.
//!
//! - a buffer has one producer and one consumer: reads define incoming buffers, writes use outgoing ones, compute the rest;
//! - after C2 the chunks of a section divide its tiles, registers fit, and it publishes a version of its own just where no
//!   `Accumulate` around it reserved one;
//! - after C3 a version is in its FIFO if and only if it is live: on every path a use finds one, and loops and branches
//!   leave as many as they found, never more than the buffer holds; and every use finds what it sees in the source
//!   (`sight`).

use super::{Fault, sight, unproved};
use crate::flow::{
    Accumulate, Arg, BlockOp, Blocks, Broadcast, Buffer, BufferId, BufferKind, Fetch, Flow, Inspection, PackMode, Read,
    Section, SectionOp, SectionStmt, Sections, Shift, Step, Transfer, Write, operations,
};
use crate::ir::{self, Kind, Stage};
use crate::pipeline::Unit;
use crate::tile_ops::TileOp;
use tt_lang::diagnostic::Diagnostic;
use tt_plan::Role;

/// What must hold after C1 and pad_tiles.
///
/// # Errors
/// What does not hold, as a fault of the compiler.
pub fn blocks(unit: &Unit<Flow<Blocks>>) -> Result<(), Vec<Diagnostic>> {
    proved(unit, Check::blocks)
}

/// What must hold after C2.
///
/// # Errors
/// As [`blocks`].
pub fn sections(unit: &Unit<Flow<Sections>>) -> Result<(), Vec<Diagnostic>> {
    proved(unit, Check::sections)
}

/// What must hold after C3.
///
/// # Errors
/// As [`blocks`].
pub fn lifetimes(unit: &Unit<Flow<Sections>>) -> Result<(), Vec<Diagnostic>> {
    proved(unit, Check::lifetimes)
}

fn proved<'a, S: Stage>(
    unit: &'a Unit<Flow<S>>,
    proof: impl FnOnce(&Check<'a>, &Flow<S>) -> Result<(), String>,
) -> Result<(), Vec<Diagnostic>> {
    let check = Check {
        buffers: &unit.program.buffers,
        capacity: unit.facts.layouts.registers(),
    };
    let proof = proof(&check, &unit.program);
    proof.map_err(|reason| vec![unproved(&unit.facts.kernel, &Fault(reason))])
}

/// Each check gives the first thing found wrong, in the compiler's words.
struct Check<'a> {
    buffers: &'a [Buffer],
    capacity: u32,
}

impl Check<'_> {
    fn blocks(&self, flow: &Flow<Blocks>) -> Result<(), String> {
        let mut ops = Vec::new();
        ir::operations(&flow.body, &mut |op| ops.push(op));
        ops.into_iter().try_for_each(|op| match op {
            BlockOp::Read(read) => self.expect(read.buffer, BufferKind::Incoming, "read"),
            BlockOp::Write(write) => self.write(write),
            BlockOp::Inspect(inspection) => self.inspection(inspection),
            BlockOp::Shift(shift) => self.shift(shift),
            BlockOp::Fetch(fetch) => self.fetch(fetch),
            BlockOp::Elementwise(elementwise) => {
                self.made_by_compute(elementwise.target)?;
                let mut loaded = Vec::new();
                elementwise.value.loads(&mut |operand, _| loaded.push(operand.buffer));
                loaded.into_iter().try_for_each(|buffer| self.read_by_compute(buffer))
            }
            BlockOp::Gemm(gemm) => {
                self.made_by_compute(gemm.acc)?;
                self.read_by_compute(gemm.a)?;
                self.read_by_compute(gemm.b)
            }
        })
    }

    fn sections(&self, flow: &Flow<Sections>) -> Result<(), String> {
        let mut early = None;
        operations(&flow.body, &mut |op| {
            if let SectionOp::Blank(buffer) | SectionOp::Release(buffer) = op {
                early = early.or(Some(*buffer));
            }
        });
        if let Some(buffer) = early {
            let name = self.name(buffer);
            return Err(format!("{name} is released or made before lifetimes are known"));
        }
        self.body(&flow.body, &[])
    }

    fn lifetimes(&self, flow: &Flow<Sections>) -> Result<(), String> {
        self.body(&flow.body, &[])?;
        let mut alive = vec![0; self.buffers.len()];
        self.alive(&flow.body, &mut alive)?;
        if let Some(left) = alive.iter().position(|count| *count != 0) {
            let name = self.name(BufferId(left));
            return Err(format!("{} versions of {name} are left", alive[left]));
        }
        sight::check(flow)
    }

    fn kind(&self, buffer: BufferId) -> Result<BufferKind, String> {
        self.buffers
            .get(buffer.0)
            .map(|buffer| buffer.kind)
            .ok_or_else(|| format!("there is no buffer {}", buffer.0))
    }

    fn name(&self, buffer: BufferId) -> &str {
        &self.buffers[buffer.0].name
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
            BufferKind::Incoming
            | BufferKind::Shifted
            | BufferKind::Constant(_)
            | BufferKind::Scratch(_)
            | BufferKind::Token(_) => Err(format!(
                "compute defines the buffer {} of another program",
                self.name(buffer)
            )),
        }
    }

    /// What is fetched goes to pages that are there for it.
    fn fetch(&self, fetch: &Fetch) -> Result<(), String> {
        if let Some(buffer) = fetch
            .into
            .reader
            .filter(|_| fetch.into.passed_on(self.buffers).is_none())
        {
            self.expect(buffer, BufferKind::Scratch(Role::Reader), "fetch by the reader")?;
        }
        match fetch.into.writer {
            Some(buffer) => self.expect(buffer, BufferKind::Scratch(Role::Writer), "fetch by the writer"),
            None => Ok(()),
        }
    }

    fn write(&self, write: &Write) -> Result<(), String> {
        if write.stored.is_some() && !matches!(write.region.transfer, Transfer::Rows(_)) {
            return Err(format!(
                "whole tiles of {}, of which elements are stored",
                self.name(write.buffer)
            ));
        }
        let mut uses = write.uses();
        uses.try_for_each(|(buffer, _)| self.expect(buffer, BufferKind::Outgoing, "write"))?;
        self.waits_for(write.after, Role::Writer)
    }

    /// A transfer of `role`'s waits for a token to it.
    fn waits_for(&self, token: Option<BufferId>, role: Role) -> Result<(), String> {
        match token {
            Some(token) => self.expect(token, BufferKind::Token(role), "wait"),
            None => Ok(()),
        }
    }

    fn shift(&self, shift: &Shift) -> Result<(), String> {
        self.expect(shift.from, BufferKind::Outgoing, "shift")?;
        self.expect(shift.buffer, BufferKind::Shifted, "shift")
    }

    fn inspection(&self, inspection: &Inspection) -> Result<(), String> {
        match inspection.uses() {
            Some((buffer, _)) => self.expect(buffer, BufferKind::Outgoing, "print"),
            None => Ok(()),
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

    fn body(&self, body: &[SectionStmt], open: &[BufferId]) -> Result<(), String> {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(SectionOp::Read(Read { buffer, after, .. })) => {
                    self.expect(*buffer, BufferKind::Incoming, "read")?;
                    self.waits_for(*after, Role::Reader)?;
                }
                Kind::Op(SectionOp::Write(write)) => self.write(write)?,
                Kind::Op(SectionOp::Inspect(inspection)) => self.inspection(inspection)?,
                Kind::Op(SectionOp::Shift(shift)) => self.shift(shift)?,
                Kind::Op(SectionOp::Fetch(fetch)) => self.fetch(fetch)?,
                Kind::Op(SectionOp::Release(_) | SectionOp::Blank(_)) => {}
                Kind::Op(SectionOp::Section(section)) => self.section(section, open)?,
                Kind::Op(SectionOp::Multiply(matmul)) => {
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
        if self.buffers[section.pack.buffer.0].tiles != section.tiles {
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
        self.steps(&section.steps, section, open)
    }

    fn steps(&self, steps: &[Step], section: &Section, open: &[BufferId]) -> Result<(), String> {
        for step in steps {
            match step {
                Step::Tile { op, out, args } => self.tile(*op, *out, args, section)?,
                Step::Matmul(matmul) => {
                    self.read_by_compute(matmul.a)?;
                    self.read_by_compute(matmul.b)?;
                }
                Step::Control(body) => self.body(body, open)?,
                Step::Along { axis, tiles, steps } => {
                    if *axis > 1 || *tiles == 0 {
                        return Err(format!("{tiles} tiles along axis {axis} are reduced"));
                    }
                    self.tiles_alone(steps, section)?;
                }
                Step::Unless { steps, .. } => self.tiles_alone(steps, section)?,
            }
        }
        Ok(())
    }

    /// The steps for some tiles, in which nothing is that is done for all.
    fn tiles_alone(&self, steps: &[Step], section: &Section) -> Result<(), String> {
        match steps
            .iter()
            .any(|step| matches!(step, Step::Matmul(_) | Step::Control(_)))
        {
            true => Err("a product stands among the steps for some tiles".into()),
            false => self.steps(steps, section, &[]),
        }
    }

    fn tile(&self, op: TileOp, out: u32, args: &[Arg], section: &Section) -> Result<(), String> {
        let name = self.name(section.pack.buffer);
        for arg in args {
            match arg {
                Arg::Tile(operand) => self.read_by_compute(operand.buffer)?,
                Arg::Register(register) if *register >= section.registers => {
                    return Err(format!("register {register} of {} for {name}", section.registers));
                }
                Arg::Constant(buffer) => match self.kind(*buffer)? {
                    BufferKind::Constant(_) => {}
                    BufferKind::Incoming
                    | BufferKind::Local
                    | BufferKind::Outgoing
                    | BufferKind::Shifted
                    | BufferKind::Scratch(_)
                    | BufferKind::Token(_) => {
                        return Err(format!("{} is taken for a constant", self.name(*buffer)));
                    }
                },
                Arg::Register(_) | Arg::Number(_) | Arg::Integer(_) => {}
            }
        }
        if let (TileOp::Load, [Arg::Tile(operand)]) = (op, args)
            && matches!(
                operand.broadcast,
                Broadcast::Row | Broadcast::Column | Broadcast::Scalar
            )
            && !self.buffers[operand.buffer.0].unpack_to_dest
        {
            return Err(format!(
                "{} is broadcast without an FPU operation",
                self.name(operand.buffer)
            ));
        }
        if out >= section.registers {
            return Err(format!("register {out} of {} for {name}", section.registers));
        }
        Ok(())
    }

    fn alive(&self, body: &[SectionStmt], alive: &mut Vec<u32>) -> Result<(), String> {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(SectionOp::Read(Read { buffer, .. }) | SectionOp::Blank(buffer)) => {
                    self.append(*buffer, alive)?
                }
                Kind::Op(SectionOp::Write(write)) => {
                    write.uses().try_for_each(|(buffer, _)| self.present(buffer, alive))?;
                }
                Kind::Op(SectionOp::Shift(shift)) => {
                    self.present(shift.from, alive)?;
                    self.append(shift.buffer, alive)?;
                }
                Kind::Op(SectionOp::Inspect(inspection)) => {
                    if let Some((buffer, _)) = inspection.uses() {
                        self.present(buffer, alive)?;
                    }
                }
                // What is passed on is taken at once.
                Kind::Op(SectionOp::Fetch(fetch)) => {
                    if let Some(buffer) = fetch.into.passed_on(self.buffers) {
                        self.append(buffer, alive)?;
                        alive[buffer.0] -= 1;
                    }
                }
                Kind::Op(SectionOp::Release(buffer)) => {
                    self.present(*buffer, alive)?;
                    alive[buffer.0] -= 1;
                }
                Kind::Op(SectionOp::Section(section)) => {
                    let uses = section.uses();
                    uses.iter().try_for_each(|buffer| self.present(*buffer, alive))?;
                    section.controls().try_for_each(|body| self.alive(body, alive))?;
                    if section.pack.mode == PackMode::Publish {
                        self.append(section.pack.buffer, alive)?;
                        if uses.contains(&section.pack.buffer) {
                            alive[section.pack.buffer.0] -= 1;
                        }
                    }
                }
                Kind::Op(SectionOp::Multiply(matmul)) => {
                    self.present(matmul.a, alive)?;
                    self.present(matmul.b, alive)?;
                }
                Kind::Group(Accumulate { buffer, .. }, body) => {
                    self.alive(body, alive)?;
                    self.append(*buffer, alive)?;
                }
                Kind::Loop(_, body) => self.neutral("a loop", body, alive)?,
                Kind::If(_, then, otherwise) => {
                    let mut other = alive.clone();
                    self.alive(then, alive)?;
                    self.alive(otherwise, &mut other)?;
                    if *alive != other {
                        return Err("the two sides of a branch leave different versions".into());
                    }
                }
            }
        }
        Ok(())
    }

    fn neutral(&self, what: &str, body: &[SectionStmt], alive: &mut Vec<u32>) -> Result<(), String> {
        let before = alive.clone();
        self.alive(body, alive)?;
        match before
            .iter()
            .zip(alive.iter())
            .position(|(before, after)| before != after)
        {
            None => Ok(()),
            Some(at) => Err(format!(
                "{what} leaves {} versions of {}, it found {}",
                alive[at], self.buffers[at].name, before[at]
            )),
        }
    }

    fn append(&self, buffer: BufferId, alive: &mut [u32]) -> Result<(), String> {
        alive[buffer.0] += 1;
        let holds = self.buffers[buffer.0].versions;
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
        if alive[buffer.0] > 0 {
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
    fn flow(name: &str) -> (Flow<Sections>, u32) {
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
        let flow = c1_lower_shared_to_cb::run(&kernel, &layouts).expect("buffers");
        let capacity = layouts.registers();
        let registers = c2_lower_tile_intrinsics::Registers {
            capacity,
            fp32: layouts.fp32_dest,
            approximate: false,
        };
        let mut flow = c2_lower_tile_intrinsics::run(flow, registers).expect("sections");
        c3_build_dataflow::run(&mut flow).expect("lifetimes");
        (flow, capacity)
    }

    fn check(flow: &Flow<Sections>, capacity: u32) -> Result<(), String> {
        let buffers = &flow.buffers;
        Check { buffers, capacity }.lifetimes(flow)
    }

    /// Changes the first statement, at any depth, for which `change` says that it did.
    fn first(body: &mut [SectionStmt], change: &mut dyn FnMut(&mut SectionStmt) -> bool) -> bool {
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
            assert_eq!(check(&flow, capacity), Ok(()), "{name}");
        }
    }

    #[test]
    fn what_the_passes_must_not_make_is_refused() {
        type Change = fn(&mut SectionStmt) -> bool;
        let cases: [(&str, &str, Change); 4] = [
            ("two", "used where it has no version", |stmt| match &mut stmt.kind {
                Kind::Op(SectionOp::Read(_)) => {
                    stmt.kind = Kind::If(tt_lang::ir::BoolExpr::Const(true), Vec::new(), Vec::new());
                    true
                }
                _ => false,
            }),
            ("two", "leaves", |stmt| match &mut stmt.kind {
                Kind::Loop(_, body) => {
                    body.clear();
                    body.push(SectionStmt {
                        kind: Kind::Op(SectionOp::Release(BufferId(0))),
                        note: stmt.note,
                    });
                    true
                }
                _ => false,
            }),
            ("tall", "do not divide", |stmt| match &mut stmt.kind {
                Kind::Op(SectionOp::Section(section)) => {
                    section.chunk = [section.tiles[0] + 1, 1];
                    true
                }
                _ => false,
            }),
            ("vectors", "registers for each", |stmt| match &mut stmt.kind {
                Kind::Op(SectionOp::Section(section)) => {
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
            let error = check(&flow, capacity).expect_err(name);
            assert!(error.contains(expected), "{name}: `{error}` does not say `{expected}`");
        }
    }
}
