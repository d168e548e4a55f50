//! What must hold of Flow IR between the passes of stage C.
//!
//! - a buffer has one producer and one consumer: reads define incoming buffers, writes use outgoing ones, compute the rest;
//! - after C2 the chunks of a section divide its tiles, registers fit, and it publishes a version of its own just where no
//!   `Accumulate` around it reserved one;
//! - after C3 a version is in its FIFO if and only if it is live: on every path a use finds one, and loops and branches
//!   leave as many as they found, never more than the buffer holds; and every use finds what it sees in the source. All that
//!   `sight` proves.

use super::{Fault, sight, unproved};
use crate::flow::{
    Arg, Around, BlockOp, Blocks, Broadcast, Buffer, BufferId, BufferKind, Fetch, Flow, Inspection, PackMode, Read,
    Section, SectionOp, SectionStmt, Sections, Shift, Transfer, Write,
};
use crate::ir::{self, Event, Frame, Head, Kind, Stage};
use crate::passes::c3_build_dataflow::kept;
use crate::pipeline::Unit;
use crate::tile_ops::TileOp;
use std::collections::BTreeSet;
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

fn proved<'a, S: Stage<Loop: Head>>(
    unit: &'a Unit<Flow<S>>,
    proof: impl FnOnce(&Check<'a>, &Flow<S>) -> Result<(), String>,
) -> Result<(), Vec<Diagnostic>> {
    let check = Check {
        buffers: &unit.program.buffers,
        capacity: unit.facts.layouts.registers(),
    };
    let proof = loops_apart(&unit.program).and_then(|()| proof(&check, &unit.program));
    proof.map_err(|reason| vec![unproved(unit.facts.kernel.span, &Fault(reason))])
}

/// Every loop has a variable of its own.
fn loops_apart<S: Stage<Loop: Head>>(flow: &Flow<S>) -> Result<(), String> {
    match ir::has_loops_apart(&flow.body) {
        true => Ok(()),
        false => Err("two loops have one variable".into()),
    }
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
        ir::operations(&flow.body, &mut |op| {
            if let SectionOp::Blank(buffer) | SectionOp::Release(buffer) = op {
                early = early.or(Some(*buffer));
            }
        });
        if let Some(buffer) = early {
            let name = self.name(buffer);
            return Err(format!("{name} is released or made before lifetimes are known"));
        }
        self.body(flow)
    }

    fn lifetimes(&self, flow: &Flow<Sections>) -> Result<(), String> {
        self.body(flow)?;
        self.kept(&kept::apart(flow))?;
        sight::check(flow)
    }

    /// What is kept is read before all else alone, or where a run of blocks begins, and released after it.
    fn kept(&self, [first, block, last]: &[&[SectionStmt]; 3]) -> Result<(), String> {
        let mut wrong = None;
        let begins_no_run = |stmt: &&SectionStmt| !self.begins_run(stmt);
        for stmt in block.iter().filter(begins_no_run) {
            ir::operations(std::slice::from_ref(stmt), &mut |op| {
                let buffer = op.defines().or_else(|| op.releases());
                let kept = buffer.filter(|buffer| self.buffers.get(buffer.0).is_some_and(|of| of.kept.is_some()));
                wrong = wrong.or(kept);
            });
        }
        if let Some(buffer) = wrong {
            return Err(format!(
                "{} is kept, and defined or released in a block",
                self.name(buffer)
            ));
        }
        match first.len() == last.len() {
            true => Ok(()),
            false => Err("what is kept is not released".into()),
        }
    }

    /// Whether a statement replaces versions that are kept over runs of blocks, all where one of the same variables changes, which are all
    /// that those depend on.
    fn begins_run(&self, stmt: &SectionStmt) -> bool {
        let Kind::If(cond, begins, otherwise) = &stmt.kind else {
            return false;
        };
        let while_unchanged = |buffer: BufferId| {
            let unchanged = self.buffers.get(buffer.0).map_or(&[][..], Buffer::kept_while);
            unchanged
                .iter()
                .map(|unchanged| unchanged.axis)
                .collect::<BTreeSet<_>>()
        };
        let asks = |buffer: BufferId| {
            let of = self
                .buffers
                .get(buffer.0)
                .and_then(|buffer| kept::changes(buffer.kept_while()));
            of.as_ref() == Some(cond)
        };
        let is_replaced = |stmt: &SectionStmt| match stmt.op() {
            Some(SectionOp::Release(buffer)) => asks(*buffer),
            Some(SectionOp::Read(read)) => {
                asks(read.buffer) && kept::mentioned(read.region.integers()).is_subset(&while_unchanged(read.buffer))
            }
            _ => false,
        };
        otherwise.is_empty() && begins.iter().all(is_replaced)
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

    fn body(&self, flow: &Flow<Sections>) -> Result<(), String> {
        let mut around = Vec::new();
        ir::try_walk(&flow.body, &mut |_, event| match event {
            Event::Op(op) => self.op(op, &around),
            Event::Enter(frame) => {
                self.enter(&frame, &around)?;
                around.push(frame);
                Ok(())
            }
            Event::Otherwise => Ok(()),
            Event::Leave(_) => {
                around.pop();
                Ok(())
            }
        })
    }

    /// An operation that stands in all of `around`, the innermost last.
    fn op(&self, op: &SectionOp, around: &[Frame<Sections>]) -> Result<(), String> {
        let is_tile = matches!(op, SectionOp::Tile { .. });
        if !is_tile && around.iter().any(is_for_tiles_alone) {
            return Err("something else than an operation on registers is done for some tiles".into());
        }
        match op {
            SectionOp::Read(Read { buffer, after, .. }) => {
                self.expect(*buffer, BufferKind::Incoming, "read")?;
                self.waits_for(*after, Role::Reader)
            }
            SectionOp::Write(write) => self.write(write),
            SectionOp::Inspect(inspection) => self.inspection(inspection),
            SectionOp::Shift(shift) => self.shift(shift),
            SectionOp::Fetch(fetch) => self.fetch(fetch),
            SectionOp::Release(_) | SectionOp::Blank(_) => Ok(()),
            SectionOp::Tile { op, out, args } => {
                let section = section_of(around).ok_or("an operation on registers stands in no section")?;
                self.tile(*op, *out, args, section)
            }
            SectionOp::Matmul(matmul) => {
                section_of(around).ok_or("a product in registers stands in no section")?;
                self.read_by_compute(matmul.a)?;
                self.read_by_compute(matmul.b)
            }
        }
    }

    /// What begins in all of `around`.
    fn enter(&self, frame: &Frame<Sections>, around: &[Frame<Sections>]) -> Result<(), String> {
        if !is_for_tiles_alone(frame) && around.iter().any(is_for_tiles_alone) {
            return Err("a loop stands among the operations for some tiles".into());
        }
        let Frame::Group(group, _) = frame else {
            return Ok(());
        };
        let in_registers = section_of(around).is_some();
        match group {
            Around::Accumulate(of) => self.made_by_compute(of.buffer),
            Around::Section(_) if in_registers => Err("a section stands in a section".into()),
            Around::Section(section) => self.section(section, around),
            Around::Along { .. } | Around::Unless(_) if !in_registers => {
                Err("operations on registers stand in no section".into())
            }
            Around::Along { axis, tiles } if *axis > 1 || *tiles == 0 => {
                Err(format!("{tiles} tiles along axis {axis} are reduced"))
            }
            Around::Along { .. } | Around::Unless(_) => Ok(()),
        }
    }

    fn section(&self, section: &Section, around: &[Frame<Sections>]) -> Result<(), String> {
        let name = self.name(section.pack.buffer);
        let [h, w] = section.chunk;
        let [rows, columns] = section.tiles;
        if h == 0 || w == 0 || h > rows || w > columns {
            return Err(format!(
                "there is no chunk of {h} × {w} tiles in the {rows} × {columns} tiles of {name}"
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
        let reserves = |frame: &Frame<Sections>| matches!(frame, Frame::Group(Around::Accumulate(of), _) if of.buffer == section.pack.buffer);
        let is_reserved = around.iter().any(reserves);
        if (section.pack.mode == PackMode::Publish) == is_reserved {
            let not = if is_reserved { "not " } else { "" };
            return Err(format!("{name} is packed to as if it were {not}reserved around"));
        }
        Ok(())
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
}

/// The section among what is around something.
fn section_of<'a>(around: &[Frame<'a, Sections>]) -> Option<&'a Section> {
    around.iter().find_map(|frame| match frame {
        Frame::Group(Around::Section(section), _) => Some(section),
        Frame::Group(..) | Frame::Loop(_) | Frame::If(_) => None,
    })
}

/// Whether what stands in it is not done for every tile of the chunk.
fn is_for_tiles_alone(frame: &Frame<Sections>) -> bool {
    matches!(frame, Frame::Group(Around::Along { .. } | Around::Unless(_), _))
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
        let mut is_changed = false;
        ir::visit_mut(body, &mut |stmt| is_changed = is_changed || change(stmt));
        is_changed
    }

    /// Puts a release among what is done for some tiles alone, where `stmt` is a section.
    fn for_tiles_alone(stmt: &mut SectionStmt, axis: usize, buffer: BufferId) -> bool {
        let Kind::Group(Around::Section(_), body) = &mut stmt.kind else {
            return false;
        };
        let release = SectionStmt::new(stmt.note, Kind::Op(SectionOp::Release(buffer)));
        let along = Around::Along { axis, tiles: 1 };
        body.push(SectionStmt::new(stmt.note, Kind::Group(along, vec![release])));
        true
    }

    #[test]
    fn no_buffer_holds_more_than_there_is_room_for() {
        let (mut flow, capacity) = flow("two");
        flow.buffers.iter_mut().for_each(|buffer| buffer.versions = 0);
        let error = check(&flow, capacity).expect_err("there is no room");
        assert!(error.contains("which holds 0"), "{error}");
    }

    #[test]
    fn no_version_is_left_in_the_end() {
        let (mut flow, capacity) = flow("two");
        let last = flow.body.last().expect("a statement").note;
        flow.body
            .push(SectionStmt::new(last, Kind::Op(SectionOp::Blank(BufferId(0)))));
        let error = check(&flow, capacity).expect_err("a version is left");
        assert!(error.ends_with("is left"), "{error}");
    }

    #[test]
    fn no_loop_has_the_variable_of_another() {
        let (mut flow, _) = flow("two");
        assert_eq!(loops_apart(&flow), Ok(()));
        flow.body.extend(flow.body.clone());
        assert_eq!(loops_apart(&flow), Err("two loops have one variable".into()));
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
        let cases: [(&str, &str, Change); 8] = [
            ("two", "has no version where it is used", |stmt| match &mut stmt.kind {
                Kind::Op(SectionOp::Read(_)) => {
                    stmt.kind = Kind::If(tt_lang::ir::BoolExpr::Const(true), Vec::new(), Vec::new());
                    true
                }
                _ => false,
            }),
            ("two", "leave different numbers", |stmt| match &mut stmt.kind {
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
            ("tall", "there is no chunk", |stmt| match &mut stmt.kind {
                Kind::Group(Around::Section(section), _) => {
                    section.chunk = [section.tiles[0] + 1, 1];
                    true
                }
                _ => false,
            }),
            ("vectors", "registers for each", |stmt| match &mut stmt.kind {
                Kind::Group(Around::Section(section), _) => {
                    section.registers = 99;
                    true
                }
                _ => false,
            }),
            ("tall", "stands in no section", |stmt| match &mut stmt.kind {
                Kind::Group(Around::Section(_), body) => {
                    stmt.kind = body.remove(0).kind;
                    true
                }
                _ => false,
            }),
            ("tall", "a section stands in a section", |stmt| match &mut stmt.kind {
                Kind::Group(around @ Around::Section(_), body) => {
                    let inner = Kind::Group(around.clone(), body.clone());
                    body.push(SectionStmt::new(stmt.note, inner));
                    true
                }
                _ => false,
            }),
            ("tall", "tiles along axis 2", |stmt| {
                for_tiles_alone(stmt, 2, BufferId(0))
            }),
            ("tall", "is done for some tiles", |stmt| {
                for_tiles_alone(stmt, 1, BufferId(0))
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
