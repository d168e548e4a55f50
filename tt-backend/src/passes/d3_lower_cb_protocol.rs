//! D3: circular buffers and NoC transfers.
//!
//! Before: `Reserve`, `Publish`, `Receive`, `Release`, `Read`, `Write`. After: the calls of the CB protocol, page loops of
//! reader and writer, one barrier per block. Tiles outside a tensor are zeroed instead of read, and not written; edges of
//! tiles that must be zero are zeroed after the barrier. Call sequences: patterns.md §1 and §8.
//!
//! ```text
//!  reserve a; read a ← a[by*4.., k*2..]; publish a
//!  ⟹ cb_reserve_back(cb_a, 8); dst = get_write_ptr(cb_a);
//!     for row < 4 { for column < 2 { noc_async_read_page(page, a, dst); dst += bytes; } }
//!     noc_async_read_barrier(); cb_push_back(cb_a, 8);
//! ```

use super::d1_split_kernel::Split;
use crate::device::function::*;
use crate::device::{
    Around, Branch, Call, Calls, Compute, ComputeOp, Expr, Leaf, Loop, Move, Moves, Parts, Programs, Protocol, Source,
    SourceBranch, SourceLoop, Symbol, call, call_with, line, print, scope, tiles, when,
};
use crate::flow::{Buffer, BufferId, Constant, TileRegion};
use crate::ir::{Kind, Never, Rewrite, Stmt};
use crate::pipeline::{Form, Pass, Unit};
use crate::verify::progress::proved;
use tt_lang::ir::ParamId;

/// The programs after D3.
pub type Lowered = Programs<Calls<Symbol>, Compute<Leaf<Symbol>>, Calls<Symbol>>;

/// The pass.
pub const PASS: Pass<Unit<Parts<Split>>, Unit<Parts<Lowered>>> = Pass {
    name: "D3 lower_cb_protocol",
    does: "reserve, push, wait, pop and NoC transfers",
    run: |unit| unit.lowered(|_, parts| Ok(parts.with(run))),
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
pub fn run(buffers: &[Buffer], split: Split) -> Lowered {
    let mut lower = Lower { buffers };
    let mut writer = lower.body(split.writer);
    if !writer.is_empty() {
        writer.push(line(call(&NOC_ASYNC_WRITE_BARRIER, [])));
    }
    Programs {
        reader: lower.body(split.reader),
        compute: lower.body(split.compute),
        writer,
    }
}

struct Lower<'a> {
    buffers: &'a [Buffer],
}

impl Lower<'_> {
    fn protocol(&self, step: Protocol) -> Leaf<Symbol> {
        let (function, buffer) = match step {
            Protocol::Reserve(buffer) => (&CB_RESERVE_BACK, buffer),
            Protocol::Publish(buffer) => (&CB_PUSH_BACK, buffer),
            Protocol::Receive(buffer) => (&CB_WAIT_FRONT, buffer),
            Protocol::Release(buffer) => (&CB_POP_FRONT, buffer),
        };
        let version = i64::from(self.buffers[buffer.0].version_tiles());
        call(function, [Expr::Buffer(buffer), Expr::Int(version)])
    }
}

impl Rewrite<Moves, Calls<Symbol>> for Lower<'_> {
    fn op(&mut self, note: Source, op: Move) -> Vec<Stmt<Calls<Symbol>>> {
        let mut out = match op {
            Move::Protocol(step) => vec![line(self.protocol(step))],
            Move::Read(buffer, region) => vec![scope(read(&self.buffers[buffer.0], buffer, &region))],
            Move::Write(buffer, region) => vec![scope(write(&self.buffers[buffer.0], buffer, &region))],
            Move::Make(buffer, constant) => constants(&self.buffers[buffer.0], buffer, constant),
        };
        if let Some(first) = out.first_mut() {
            first.note = note;
        }
        out
    }

    fn group(&mut self, _: Source, group: Never, _: Vec<Stmt<Moves>>) -> Vec<Stmt<Calls<Symbol>>> {
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
        SourceLoop::Blocks => Loop::Blocks,
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
            origin,
        },
    }
}

/// A branch of the user's as it is written.
pub(super) fn written_branch(branch: SourceBranch) -> Branch<Symbol> {
    Branch {
        cond: Expr::Value(Symbol::Condition(branch.cond)),
        origin: Some(branch.origin),
    }
}

impl Rewrite<Compute<Protocol>, Compute<Leaf<Symbol>>> for Lower<'_> {
    fn op(&mut self, note: Source, op: ComputeOp<Protocol>) -> Vec<Stmt<Compute<Leaf<Symbol>>>> {
        let op = match op {
            ComputeOp::Plain(step) => ComputeOp::Plain(self.protocol(step)),
            ComputeOp::Tile { op, out, args } => ComputeOp::Tile { op, out, args },
            ComputeOp::Matmul(matmul) => ComputeOp::Matmul(matmul),
            ComputeOp::Commit => ComputeOp::Commit,
            ComputeOp::Pack { register, to } => ComputeOp::Pack { register, to },
        };
        vec![Stmt::new(note, Kind::Op(op))]
    }

    fn group(
        &mut self,
        note: Source,
        around: Around,
        body: Vec<Stmt<Compute<Protocol>>>,
    ) -> Vec<Stmt<Compute<Leaf<Symbol>>>> {
        vec![Stmt::new(note, Kind::Group(around, self.body(body)))]
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
        template: String::new(),
        args: args.into_iter().collect(),
    }))
}

fn op(symbol: &'static str, a: Expr<Symbol>, b: Expr<Symbol>) -> Expr<Symbol> {
    match symbol {
        "+" => Expr::sum(a, b),
        _ => Expr::binary(symbol, a, b),
    }
}

/// `first_row`, `first_column` and `first_page` of a region.
fn origin(region: &TileRegion) -> Lines {
    let set = |name: &str, value: Expr<Symbol>| {
        line(Leaf::Let {
            kind: "const int32_t",
            name: name.into(),
            value,
        })
    };
    vec![
        set("first_row", Expr::user(&region.tile[0])),
        set("first_column", Expr::user(&region.tile[1])),
    ]
}

/// The number of the tile (row, column) of the region, counted over the tensor's tiles, matrix by matrix.
fn page(region: &TileRegion) -> Expr<Symbol> {
    let tensor = region.tensor;
    let mut matrix = Expr::Int(0);
    for (axis, index) in region.matrix.iter().enumerate() {
        matrix = op(
            "+",
            op("*", matrix, Expr::Value(Symbol::TensorExtent(tensor, axis))),
            Expr::user(index),
        );
    }
    let row = op(
        "+",
        op("*", matrix, Expr::Value(Symbol::TensorTiles(tensor, 0))),
        op("+", Expr::name("first_row"), Expr::name("row")),
    );
    let column = op("+", Expr::name("first_column"), Expr::name("column"));
    op("+", op("*", row, Expr::Value(Symbol::TensorTiles(tensor, 1))), column)
}

/// Whether the tile (row, column) of the region is one of the tensor's; `None` where it always is.
fn inside(region: &TileRegion) -> Option<Expr<Symbol>> {
    let mut tests = Vec::new();
    for (axis, index) in region.matrix.iter().enumerate() {
        if region.matrix_may_miss[axis] {
            tests.push(op(">=", Expr::user(index), Expr::Int(0)));
            tests.push(op(
                "<",
                Expr::user(index),
                Expr::Value(Symbol::TensorExtent(region.tensor, axis)),
            ));
        }
    }
    for (axis, (first, index)) in [("first_row", "row"), ("first_column", "column")]
        .into_iter()
        .enumerate()
    {
        let at = || op("+", Expr::name(first), Expr::name(index));
        if region.may_precede[axis] {
            tests.push(op(">=", at(), Expr::Int(0)));
        }
        if region.may_exceed[axis] {
            tests.push(op("<", at(), Expr::Value(Symbol::TensorTiles(region.tensor, axis))));
        }
    }
    tests.into_iter().reduce(|a, b| op("&&", a, b))
}

/// A version whose tiles are all this constant.
fn constants(buffer: &Buffer, id: BufferId, constant: Constant) -> Lines {
    let address = value(&GET_WRITE_PTR, [Expr::Buffer(id)]);
    let make = |address| {
        line(match constant {
            Constant::Zeros => call(&ZERO_PAGE, [address, Expr::PageBytes(id)]),
            Constant::Rows => call_with(&NUMBER_TILE, "true", [address]),
            Constant::Columns => call_with(&NUMBER_TILE, "false", [address]),
        })
    };
    if buffer.version_tiles() == 1 {
        return vec![make(address)];
    }
    let page = vec![
        make(Expr::name("dst")),
        line(Leaf::Advance {
            name: "dst".into(),
            value: Expr::PageBytes(id),
        }),
    ];
    vec![scope(vec![
        line(Leaf::Let {
            kind: "uint32_t",
            name: "dst".into(),
            value: address,
        }),
        tiles("row", buffer.version_tiles(), 1, page),
    ])]
}

fn read(buffer: &Buffer, id: BufferId, region: &TileRegion) -> Lines {
    let [rows, columns] = buffer.tiles;
    let mut out = origin(region);
    out.push(line(Leaf::Let {
        kind: "uint32_t",
        name: "dst".into(),
        value: value(&GET_WRITE_PTR, [Expr::Buffer(id)]),
    }));
    let transfer = line(call(
        &NOC_ASYNC_READ_PAGE,
        [page(region), Expr::Accessor(region.tensor), Expr::name("dst")],
    ));
    let mut body = match inside(region) {
        None => vec![transfer],
        Some(cond) => {
            let zero = line(call(&ZERO_PAGE, [Expr::name("dst"), Expr::PageBytes(id)]));
            vec![when(cond, vec![transfer], vec![zero])]
        }
    };
    body.push(line(Leaf::Advance {
        name: "dst".into(),
        value: Expr::PageBytes(id),
    }));
    out.push(if buffer.column_major {
        tiles("column", columns, 1, vec![tiles("row", rows, 1, body)])
    } else {
        tiles("row", rows, 1, vec![tiles("column", columns, 1, body)])
    });
    out.push(line(call(&NOC_ASYNC_READ_BARRIER, [])));
    for axis in 0..2 {
        if region.zero_edge[axis] {
            out.push(zero_edge(buffer, id, region, axis));
        }
    }
    out
}

/// Zeroes what lies past the tensor's edge in its last tiles along `axis`, where this block has them.
fn zero_edge(buffer: &Buffer, id: BufferId, region: &TileRegion, axis: usize) -> Stmt<Calls<Symbol>> {
    let tensor: ParamId = region.tensor;
    let [rows, columns] = buffer.tiles;
    let (first, count, other, other_count, function) = if axis == 0 {
        ("first_row", rows, "column", columns, &ZERO_TILE_ROWS)
    } else {
        ("first_column", columns, "row", rows, &ZERO_TILE_COLUMNS)
    };
    let rank_axis = Expr::Value(Symbol::TensorAxis(tensor, axis));
    let filled = op("%", rank_axis, Expr::Int(32));
    let set = |name: &str, value: Expr<Symbol>| {
        line(Leaf::Let {
            kind: "const int32_t",
            name: name.into(),
            value,
        })
    };
    let edge = op(
        "-",
        op("-", Expr::Value(Symbol::TensorTiles(tensor, axis)), Expr::Int(1)),
        Expr::name(first),
    );
    let (row, column) = if axis == 0 {
        (Expr::name("edge"), Expr::name(other))
    } else {
        (Expr::name(other), Expr::name("edge"))
    };
    let index = if buffer.column_major {
        op("+", op("*", column, Expr::Int(i64::from(rows))), row)
    } else {
        op("+", op("*", row, Expr::Int(i64::from(columns))), column)
    };
    let base = value(&GET_WRITE_PTR, [Expr::Buffer(id)]);
    let address = op("+", base, op("*", index, Expr::PageBytes(id)));
    let element = buffer.format.tile_bytes() / tt_device::TILE_ELEMENTS;
    let zero = line(call_with(
        function,
        element.to_string(),
        [address, Expr::name("filled")],
    ));
    let present = op(
        "&&",
        op("!=", Expr::name("filled"), Expr::Int(0)),
        op(
            "&&",
            op(">=", Expr::name("edge"), Expr::Int(0)),
            op("<", Expr::name("edge"), Expr::Int(i64::from(count))),
        ),
    );
    let body = vec![tiles(other, other_count, 1, vec![zero])];
    scope(vec![
        set("filled", filled),
        set("edge", edge),
        when(present, body, Vec::new()),
    ])
}

fn write(buffer: &Buffer, id: BufferId, region: &TileRegion) -> Lines {
    let [rows, columns] = buffer.tiles;
    let mut out = origin(region);
    out.push(line(Leaf::Let {
        kind: "uint32_t",
        name: "src".into(),
        value: value(&GET_READ_PTR, [Expr::Buffer(id)]),
    }));
    let transfer = line(call(
        &NOC_ASYNC_WRITE_PAGE,
        [page(region), Expr::Accessor(region.tensor), Expr::name("src")],
    ));
    let mut body = match inside(region) {
        None => vec![transfer],
        Some(cond) => vec![when(cond, vec![transfer], Vec::new())],
    };
    body.push(line(Leaf::Advance {
        name: "src".into(),
        value: Expr::PageBytes(id),
    }));
    out.push(tiles("row", rows, 1, vec![tiles("column", columns, 1, body)]));
    out.push(line(call(&NOC_ASYNC_WRITES_FLUSHED, [])));
    out
}
