//! D3: circular buffers and NoC transfers.
//!
//! Before: `Reserve`, `Publish`, `Receive`, `Release`, `Read`, `Write`. After: the calls of the CB protocol, page loops of
//! reader and writer, one barrier per step of reads and per block that is written. Tiles outside a tensor are zeroed instead of read, and
//! not written: which of a row of tiles it has is computed once, before the loops, and a row is asked once whether it is one of the tensor's
//! (`device::parts`). Edges of tiles that must be zero are zeroed after the barrier. Rows that begin anywhere are moved tile by tile too, by
//! functions that the emitted file has (`codegen::edges`). A version that a line of cores shares is read by its sender and sent to the
//! others, in loops of one step of reads ahead of the turn that it is for (`device::ahead`); what is stored, and told, is so of a core's
//! own blocks alone (`multicast_reuse`). What is told of a block (`inspections`) goes by the device's debug headers. Call sequences:
//! patterns.md §1 and §8.
//!
//! ```text
//!  reserve a; read a ← a[by*4.., k*2..]; publish a
//!  ⟹ cb_reserve_back(cb_a, 8); dst = get_write_ptr(cb_a);
//!     for row < 4 { for column < 2 { noc_async_read_page(page, a, dst); dst += bytes; } }
//!     noc_async_read_barrier(); cb_push_back(cb_a, 8);
//! ```

mod inspections;
mod multicasts;
mod transfers;

use self::multicasts::{StepRead, flushed, no_versions, shared_lines, step};
use self::transfers::{constants, page_of, shift, write};
use super::b2_grid_to_cores::IS_OWN;
use super::d1_split_kernel::Split;
use crate::device::function::*;
use crate::device::{
    Around, Branch, Call, Calls, Compute, ComputeOp, CppType, Expr, Leaf, Loop, Move, Moves, Operator, Parts, Programs,
    Protocol, Source, SourceBranch, SourceLoop, Symbol, Template, call, line, print, scope, when,
};
use crate::flow::{Buffer, BufferId, BufferKind, Fetch};
use crate::ir::{Kind, Never, Rewrite, Stmt, operations};
use crate::pipeline::{Form, Pass, Unit};
use crate::verify::progress::proved;
use std::collections::BTreeSet;
use tt_device::TILE;
use tt_lang::ir::{ElementType, IntExpr, Kernel};
use tt_plan::{Placement, Role};

/// The programs after D3.
pub type Lowered = Programs<Calls<Symbol>, Compute<Leaf<Symbol>>, Calls<Symbol>>;

/// The pass.
pub const PASS: Pass<Unit<Parts<Split>>, Unit<Parts<Lowered>>> = Pass {
    name: "D3 lower_cb_protocol",
    does: "reserve, push, wait, pop and NoC transfers",
    run: |unit| {
        unit.lowered(|facts, parts| {
            let placement = facts.partition.work.placement;
            Ok(parts.with(|buffers, split| run((&facts.source, placement), buffers, split)))
        })
    },
    check: proved,
};

impl Form for Unit<Parts<Lowered>> {
    const NAME: &'static str = "Device IR: calls, and steps in registers";

    fn text(&self) -> Option<String> {
        Some(print::programs(
            &self.facts.kernel,
            &self.program.buffers,
            &self.program.programs,
        ))
    }
}

/// Runs the pass.
pub fn run((kernel, placement): (&Kernel, Placement), buffers: &[Buffer], split: Split) -> Lowered {
    let mut in_bands = BTreeSet::new();
    operations(&split.compute, &mut |op| {
        if let ComputeOp::Plain(Protocol::PublishRows(buffer, _)) = op {
            in_bands.insert(*buffer);
        }
    });
    let mut lower = Lower {
        kernel,
        buffers,
        placement,
        in_bands,
        rows_come_one_by_one: false,
    };
    let mut writer = lower.body(split.writer);
    if !writer.is_empty() {
        writer.push(line(call(&NOC_ASYNC_WRITE_BARRIER, [])));
    }
    let lines = shared_lines(&split.reader);
    let mut reader = lower.body(split.reader);
    if !lines.is_empty() {
        reader.splice(0..0, lines.into_iter().map(no_versions));
        // What was sent has arrived, and so has that the core was ready.
        reader.push(line(call(&NOC_ASYNC_WRITE_BARRIER, [])));
        reader.push(line(call(&NOC_ASYNC_ATOMIC_BARRIER, [])));
    }
    Programs {
        reader,
        compute: lower.body(split.compute),
        writer,
    }
}

struct Lower<'a> {
    /// As parsed: `u32` and what holds it differ in their integers.
    kernel: &'a Kernel,
    buffers: &'a [Buffer],
    placement: Placement,
    /// The buffers whose versions are published a band of rows at a time.
    in_bands: BTreeSet<BufferId>,
    /// What is stored next has not been waited for.
    rows_come_one_by_one: bool,
}

impl Lower<'_> {
    fn protocol(&self, step: Protocol) -> Leaf<Symbol> {
        let version = |buffer: BufferId| self.buffers[buffer.0].version_tiles();
        let (function, buffer, pages) = match step {
            Protocol::Reserve(buffer) => (&CB_RESERVE_BACK, buffer, version(buffer)),
            Protocol::Publish(buffer) => (&CB_PUSH_BACK, buffer, version(buffer)),
            Protocol::PublishRows(buffer, rows) => (&CB_PUSH_BACK, buffer, self.buffers[buffer.0].tiles_of_rows(rows)),
            Protocol::Receive(buffer) => (&CB_WAIT_FRONT, buffer, version(buffer)),
            Protocol::Release(buffer) => (&CB_POP_FRONT, buffer, version(buffer)),
            Protocol::Take(var, buffer) => {
                let call = Call {
                    function: &READ_TILE_VALUE,
                    template: Template::default(),
                    args: vec![Expr::Buffer(buffer), Expr::Int(0), Expr::Int(0)],
                };
                return Leaf::Define { var, call };
            }
        };
        call(function, [Expr::Buffer(buffer), Expr::Int(i64::from(pages))])
    }
}

impl Lower<'_> {
    /// What is done of the core's own blocks alone.
    fn of_own_block(&self, body: Lines) -> Stmt<Calls<Symbol>> {
        match self.placement {
            Placement::Linear => scope(body),
            Placement::Rectangle { .. } => when(Expr::name(IS_OWN), body, Vec::new()),
        }
    }

    /// Whether a statement is the wait for a version that comes a band of rows at a time, and the next one stores it: it waits for each
    /// row itself then, and what is not stored is waited for behind it.
    fn stores_in_bands(&self, wait: &Stmt<Moves>, store: &Stmt<Moves>) -> bool {
        match (&wait.kind, &store.kind) {
            (Kind::Op(Move::Protocol(Protocol::Receive(received))), Kind::Op(Move::Write(stored, ..))) => {
                received == stored && self.in_bands.contains(stored)
            }
            _ => false,
        }
    }

    /// A loop of a program that moves: one whose turns begin ahead where it can be.
    fn repeated(&mut self, note: Source, head: SourceLoop, body: Vec<Stmt<Moves>>) -> Lines {
        let mut head = written_loop(head);
        if let Loop::Over {
            ahead, unroll: false, ..
        } = &mut head
            && let Some(turn) = self.ahead(&body)
        {
            *ahead = true;
            return vec![Stmt::new(note, Kind::Loop(head, turn)), flushed()];
        }
        vec![Stmt::new(note, Kind::Loop(head, self.body(body)))]
    }

    /// An integer of a tensor: the page that holds it, and its row and column. A version of an incoming buffer then is it.
    fn fetch(&self, buffer: BufferId, of: &Fetch) -> Lines {
        let tensor = of.tensor;
        let may_miss = of.indices.iter().enumerate().filter(|(_, index)| index.may_miss);
        let inside = may_miss.flat_map(|(axis, index)| {
            let index = || Expr::user(&index.at);
            let extent = Expr::Value(Symbol::TensorExtent(tensor, axis));
            [
                op(Operator::AtLeast, index(), Expr::Int(0)),
                op(Operator::Less, index(), extent),
            ]
        });
        let inside = inside
            .reduce(|a, b| op(Operator::And, a, b))
            .unwrap_or(Expr::Bool(true));
        let (matrix, row, column) = match of.indices.as_slice() {
            [matrix @ .., row, column] => (matrix, Expr::user(&row.at), Expr::user(&column.at)),
            [column] => (&[][..], Expr::Int(0), Expr::user(&column.at)),
            [] => (&[][..], Expr::Int(0), Expr::Int(0)),
        };
        let tile = |index: &Expr<Symbol>| {
            if let Expr::Int(index) = index {
                return Expr::Int(index.div_euclid(TILE));
            }
            op(Operator::Div, index.clone(), Expr::Int(TILE))
        };
        let page = page_of(tensor, matrix, tile(&row), tile(&column));
        let element = self.kernel.tensor(tensor).map(|tensor| tensor.element.value);
        let read = Call {
            function: &READ_INTEGER,
            template: element.map_or("int32_t", word).into(),
            args: vec![
                Expr::Accessor(tensor),
                inside,
                page,
                row,
                column,
                value(&GET_WRITE_PTR, [Expr::Buffer(buffer)]),
            ],
        };
        let mut out = vec![line(Leaf::Define {
            var: of.var,
            call: read,
        })];
        if self.buffers[buffer.0].kind == BufferKind::Incoming {
            let address = value(&GET_WRITE_PTR, [Expr::Buffer(buffer)]);
            let fetched = Expr::user(&IntExpr::Fetched(of.var));
            out.push(line(call(&PUT_INTEGER, [address, fetched])));
        }
        out
    }
}

/// The C++ type that holds an integer of a tensor.
fn word(element: ElementType) -> &'static str {
    match element {
        ElementType::U8 => "uint8_t",
        ElementType::I8 => "int8_t",
        ElementType::U32 => "uint32_t",
        ElementType::I32
        | ElementType::U16
        | ElementType::Bf16
        | ElementType::F32
        | ElementType::F16
        | ElementType::Bfp8
        | ElementType::Bfp4 => "int32_t",
    }
}

impl Rewrite<Moves, Calls<Symbol>> for Lower<'_> {
    fn body(&mut self, body: Vec<Stmt<Moves>>) -> Lines {
        let mut out = Lines::new();
        let mut reads: Vec<StepRead> = Vec::new();
        let mut body = body.into_iter().peekable();
        while let Some(stmt) = body.next() {
            let next = if let Kind::Op(Move::Read(buffer, region, of)) = stmt.kind {
                Ok((buffer, region, of))
            } else {
                Err(stmt)
            };
            // A line shares one version in a step.
            let ends = match &next {
                Ok((.., of)) => of.is_some() && reads.iter().any(|(.., other)| other == of),
                Err(_) => true,
            };
            if ends && !reads.is_empty() {
                out.extend(step(self.buffers, &reads));
                reads.clear();
            }
            match next {
                Ok(read) => reads.push(read),
                Err(Stmt {
                    note,
                    kind: Kind::Loop(head, body),
                }) => out.extend(self.repeated(note, head, body)),
                Err(wait) => match body.next_if(|next| self.stores_in_bands(&wait, next)) {
                    Some(mut store) => {
                        store.note = store.note.or(wait.note);
                        self.rows_come_one_by_one = true;
                        self.stmt(store, &mut out);
                        self.rows_come_one_by_one = false;
                        self.stmt(Stmt { note: None, ..wait }, &mut out);
                    }
                    None => self.stmt(wait, &mut out),
                },
            }
        }
        if !reads.is_empty() {
            out.extend(step(self.buffers, &reads));
        }
        out
    }

    fn op(&mut self, note: Source, op: Move, out: &mut Lines) {
        let from = out.len();
        match op {
            Move::Protocol(step) => {
                let passed_on = match step {
                    Protocol::Publish(buffer) => self.buffers[buffer.0].kind == BufferKind::Token(Role::Reader),
                    Protocol::Reserve(_)
                    | Protocol::PublishRows(..)
                    | Protocol::Receive(_)
                    | Protocol::Release(_)
                    | Protocol::Take(..) => false,
                };
                out.extend(passed_on.then(|| line(call(&NOC_ASYNC_WRITE_BARRIER, []))));
                out.push(line(self.protocol(step)));
            }
            Move::Read(buffer, region, of) => out.extend(step(self.buffers, &[(buffer, region, of)])),
            Move::Write(buffer, region, stored) => {
                let lines = write(self.buffers, buffer, &region, stored, self.rows_come_one_by_one);
                out.push(self.of_own_block(lines));
            }
            Move::Shift { from, to, window } => out.push(scope(shift(self.buffers, [from, to], &window))),
            Move::Inspect(inspection) => {
                let told = inspections::lowered(self.kernel, self.buffers, &inspection);
                match self.placement {
                    Placement::Linear => out.extend(told),
                    Placement::Rectangle { .. } => out.push(self.of_own_block(told)),
                }
            }
            Move::Fetch(buffer, of) => out.extend(self.fetch(buffer, &of)),
            Move::Make(buffer, constant) => out.extend(constants(&self.buffers[buffer.0], buffer, constant)),
        }
        if let Some(first) = out.get_mut(from) {
            first.note = note;
        }
    }

    fn group(&mut self, _: Source, group: Never, _: Vec<Stmt<Moves>>, _: &mut Lines) {
        match group {}
    }

    fn head(&mut self, head: SourceLoop) -> Loop<Symbol> {
        written_loop(head)
    }

    fn branch(&mut self, branch: SourceBranch) -> Branch<Symbol> {
        written_branch(branch)
    }

    fn note(&mut self, note: Source) -> Source {
        note
    }
}

/// A loop of the user's as it is written.
pub(super) fn written_loop(head: SourceLoop) -> Loop<Symbol> {
    match head {
        SourceLoop::Blocks => Loop::over_blocks(),
        SourceLoop::Over {
            var,
            start,
            end,
            unroll,
            origin,
        } => Loop::Over {
            var,
            start: Expr::user(&start),
            end: Expr::user(&end),
            unroll,
            ahead: false,
            origin,
        },
    }
}

/// A branch as it is written.
pub(super) fn written_branch(branch: SourceBranch) -> Branch<Symbol> {
    Branch {
        cond: Expr::Value(Symbol::Condition(branch.cond)),
        cause: branch.cause,
    }
}

impl Rewrite<Compute<Protocol>, Compute<Leaf<Symbol>>> for Lower<'_> {
    fn op(&mut self, note: Source, op: ComputeOp<Protocol>, out: &mut Vec<Stmt<Compute<Leaf<Symbol>>>>) {
        let op = match op {
            ComputeOp::Plain(step) => ComputeOp::Plain(self.protocol(step)),
            ComputeOp::Tile { op, out, args } => ComputeOp::Tile { op, out, args },
            ComputeOp::Matmul(matmul) => ComputeOp::Matmul(matmul),
            ComputeOp::Commit => ComputeOp::Commit,
            ComputeOp::Pack { register, to } => ComputeOp::Pack { register, to },
        };
        out.push(Stmt::new(note, Kind::Op(op)));
    }

    fn group(
        &mut self,
        note: Source,
        around: Around,
        body: Vec<Stmt<Compute<Protocol>>>,
        out: &mut Vec<Stmt<Compute<Leaf<Symbol>>>>,
    ) {
        out.push(Stmt::new(note, Kind::Group(around, self.body(body))));
    }

    fn head(&mut self, head: SourceLoop) -> SourceLoop {
        head
    }

    fn branch(&mut self, branch: SourceBranch) -> SourceBranch {
        branch
    }

    fn note(&mut self, note: Source) -> Source {
        note
    }
}

type Lines = Vec<Stmt<Calls<Symbol>>>;

fn value(function: &'static Function, args: impl IntoIterator<Item = Expr<Symbol>>) -> Expr<Symbol> {
    Expr::Call(Box::new(Call {
        function,
        template: Template::default(),
        args: args.into_iter().collect(),
    }))
}

fn op(op: Operator, a: Expr<Symbol>, b: Expr<Symbol>) -> Expr<Symbol> {
    if op == Operator::Add {
        Expr::sum(a, b)
    } else {
        Expr::binary(op, a, b)
    }
}

fn set(name: &str, value: Expr<Symbol>) -> Stmt<Calls<Symbol>> {
    line(Leaf::Let {
        kind: CppType::Int,
        name: name.into(),
        value,
    })
}
