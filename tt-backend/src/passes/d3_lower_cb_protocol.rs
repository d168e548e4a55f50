//! D3: circular buffers and NoC transfers.
//!
//! Before: `Reserve`, `Publish`, `Receive`, `Release`, `Read`, `Write`. After: the calls of the CB protocol, page loops of
//! reader and writer, one barrier per block. Tiles outside a tensor are zeroed instead of read, and not written; edges of
//! tiles that must be zero are zeroed after the barrier. Rows that begin anywhere are moved tile by tile too, by functions that
//! the emitted file has (`codegen::edges`). What is told of a block (`inspections`) goes by the device's debug headers. Call sequences: patterns.md §1 and §8.
//!
//! ```text
//!  reserve a; read a ← a[by*4.., k*2..]; publish a
//!  ⟹ cb_reserve_back(cb_a, 8); dst = get_write_ptr(cb_a);
//!     for row < 4 { for column < 2 { noc_async_read_page(page, a, dst); dst += bytes; } }
//!     noc_async_read_barrier(); cb_push_back(cb_a, 8);
//! ```

mod inspections;

use super::d1_split_kernel::Split;
use crate::device::function::*;
use crate::device::{
    Around, Branch, Call, Calls, Compute, ComputeOp, Expr, Leaf, Loop, Move, Moves, Parts, Programs, Protocol, Source,
    SourceBranch, SourceLoop, Symbol, call, call_with, line, print, scope, tiles, when,
};
use crate::flow::{Buffer, BufferId, BufferKind, Constant, Fetch, Rows, TileRegion, Transfer, Window};
use crate::ir::{Kind, Never, Rewrite, Stmt};
use crate::pipeline::{Form, Pass, Unit};
use crate::verify::progress::proved;
use tt_lang::ir::{ElementType, IntExpr, Kernel, ParamId};
use tt_plan::{DataFormat, Role};

/// The programs after D3.
pub type Lowered = Programs<Calls<Symbol>, Compute<Leaf<Symbol>>, Calls<Symbol>>;

/// The pass.
pub const PASS: Pass<Unit<Parts<Split>>, Unit<Parts<Lowered>>> = Pass {
    name: "D3 lower_cb_protocol",
    does: "reserve, push, wait, pop and NoC transfers",
    run: |unit| unit.lowered(|facts, parts| Ok(parts.with(|buffers, split| run(&facts.source, buffers, split)))),
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
pub fn run(kernel: &Kernel, buffers: &[Buffer], split: Split) -> Lowered {
    let mut lower = Lower { kernel, buffers };
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
    /// As parsed: `u32` and what holds it differ in their integers.
    kernel: &'a Kernel,
    buffers: &'a [Buffer],
}

impl Lower<'_> {
    fn protocol(&self, step: Protocol) -> Leaf<Symbol> {
        let (function, buffer) = match step {
            Protocol::Reserve(buffer) => (&CB_RESERVE_BACK, buffer),
            Protocol::Publish(buffer) => (&CB_PUSH_BACK, buffer),
            Protocol::Receive(buffer) => (&CB_WAIT_FRONT, buffer),
            Protocol::Release(buffer) => (&CB_POP_FRONT, buffer),
            Protocol::Take(var, buffer) => {
                let call = Call {
                    function: &READ_TILE_VALUE,
                    template: String::new(),
                    args: vec![Expr::Buffer(buffer), Expr::Int(0), Expr::Int(0)],
                };
                return Leaf::Define { var, call };
            }
        };
        let version = i64::from(self.buffers[buffer.0].version_tiles());
        call(function, [Expr::Buffer(buffer), Expr::Int(version)])
    }
}

impl Lower<'_> {
    /// An integer of a tensor: the page that holds it, and its row and column. A version of an incoming buffer then is it.
    fn fetch(&self, buffer: BufferId, of: &Fetch) -> Lines {
        let tensor = of.tensor;
        let inside = of.indices.iter().zip(&of.may_miss).enumerate();
        let inside = inside
            .filter(|(_, (_, may_miss))| **may_miss)
            .flat_map(|(axis, (index, _))| {
                let extent = Expr::Value(Symbol::TensorExtent(tensor, axis));
                [
                    op(">=", Expr::user(index), Expr::Int(0)),
                    op("<", Expr::user(index), extent),
                ]
            });
        let inside = inside.reduce(|a, b| op("&&", a, b)).unwrap_or(Expr::Bool(true));
        let (matrix, row, column) = match of.indices.as_slice() {
            [matrix @ .., row, column] => (matrix, Expr::user(row), Expr::user(column)),
            [column] => (&[][..], Expr::Int(0), Expr::user(column)),
            [] => (&[][..], Expr::Int(0), Expr::Int(0)),
        };
        let tile = |index: &Expr<Symbol>| {
            if let Expr::Int(index) = index {
                return Expr::Int(index.div_euclid(32));
            }
            op("/", index.clone(), Expr::Int(32))
        };
        let page = page_of(tensor, matrix, tile(&row), tile(&column));
        let element = self.kernel.tensor(tensor).map(|tensor| tensor.element.value);
        let read = Call {
            function: &READ_INTEGER,
            template: element.map_or("int32_t", word).to_string(),
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
    fn op(&mut self, note: Source, op: Move) -> Vec<Stmt<Calls<Symbol>>> {
        let mut out = match op {
            Move::Protocol(step) => vec![line(self.protocol(step))],
            Move::Read(buffer, region) => vec![scope(read(self.buffers, buffer, &region))],
            Move::Write(buffer, region, stored) => vec![scope(write(self.buffers, buffer, &region, stored))],
            Move::Shift { from, to, window } => vec![scope(shift(self.buffers, [from, to], &window))],
            Move::Inspect(inspection) => inspections::lowered(self.kernel, self.buffers, &inspection),
            Move::Fetch(buffer, of) => self.fetch(buffer, &of),
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

fn set(name: &str, value: Expr<Symbol>) -> Stmt<Calls<Symbol>> {
    line(Leaf::Let {
        kind: "const int32_t",
        name: name.into(),
        value,
    })
}

/// `first_row` and `first_column` of a region: of tiles, where it is moved in pages, otherwise of elements.
fn origin(region: &TileRegion) -> Lines {
    let [row, column] = match &region.transfer {
        Transfer::Pages(tile) => tile,
        Transfer::Rows(rows) => &rows.first,
    };
    vec![
        set("first_row", Expr::user(row)),
        set("first_column", Expr::user(column)),
    ]
}

/// The number of the tile in this row and column of a matrix, counted over the tensor's tiles, matrix by matrix.
fn page_of(tensor: ParamId, matrix: &[IntExpr], row: Expr<Symbol>, column: Expr<Symbol>) -> Expr<Symbol> {
    let mut number = Expr::Int(0);
    for (axis, index) in matrix.iter().enumerate() {
        number = op(
            "+",
            op("*", number, Expr::Value(Symbol::TensorExtent(tensor, axis))),
            Expr::user(index),
        );
    }
    let row = op("+", op("*", number, Expr::Value(Symbol::TensorTiles(tensor, 0))), row);
    op("+", op("*", row, Expr::Value(Symbol::TensorTiles(tensor, 1))), column)
}

/// Whether the region's matrix is one of the tensor's, and its rows the tensor's where they are those of all matrices; `None`
/// where that is always so.
fn has_matrix(region: &TileRegion) -> Option<Expr<Symbol>> {
    let mut tests = Vec::new();
    let mut within = |index: &IntExpr, extent| {
        tests.push(op(">=", Expr::user(index), Expr::Int(0)));
        tests.push(op("<", Expr::user(index), Expr::Value(extent)));
    };
    for (axis, index) in region.matrix.iter().enumerate() {
        if region.matrix_may_miss[axis] {
            within(index, Symbol::TensorExtent(region.tensor, axis));
        }
    }
    if let Transfer::Rows(Rows {
        along: Some((_, line)), ..
    }) = &region.transfer
    {
        within(line, Symbol::TensorAxis(region.tensor, 0));
    }
    tests.into_iter().reduce(|a, b| op("&&", a, b))
}

/// Whether the tile (row, column) of a region in pages is one of the tensor's; `None` where it always is.
fn inside(region: &TileRegion) -> Option<Expr<Symbol>> {
    let mut tests: Vec<Expr<Symbol>> = has_matrix(region).into_iter().collect();
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

/// The transfer of the tile (row, column) of a region, between the tensor and the page at `address`, and the condition under
/// which it is made.
fn transfer(
    buffer: &Buffer,
    region: &TileRegion,
    address: &str,
    [in_pages, in_rows]: [&'static Function; 2],
    more: &[Expr<Symbol>],
) -> (Leaf<Symbol>, Option<Expr<Symbol>>) {
    let tensor = region.tensor;
    let (accessor, address) = (Expr::Accessor(tensor), Expr::name(address));
    let rows = match &region.transfer {
        Transfer::Pages(_) => {
            let at = |first, index| op("+", Expr::name(first), Expr::name(index));
            let page = page_of(
                tensor,
                &region.matrix,
                at("first_row", "row"),
                at("first_column", "column"),
            );
            return (call(in_pages, [page, accessor, address]), inside(region));
        }
        Transfer::Rows(rows) => rows,
    };
    let across = || Expr::Value(Symbol::TensorTiles(tensor, 1));
    // From a page to that of the rows which follow; which row in it.
    let (first, pages, line, page_rows, extent) = match &rows.along {
        None => (Expr::Int(0), across(), Expr::Int(0), 32, Symbol::TensorAxis(tensor, 0)),
        Some((axis, line)) => {
            let line = || Expr::user(line);
            let first = op("/", line(), Expr::Int(32));
            let of_matrix = op("*", Expr::Value(Symbol::TensorTiles(tensor, 0)), across());
            let inner = axis.saturating_add(1)..region.matrix.len();
            let pages = inner.fold(of_matrix, |pages, axis| {
                op("*", pages, Expr::Value(Symbol::TensorExtent(tensor, axis)))
            });
            let line = op("%", line(), Expr::Int(32));
            (first, pages, line, 1, Symbol::TensorExtent(tensor, *axis))
        }
    };
    let row_bytes = Rows::bytes(buffer.format);
    let tiles = |index: &str, step: i64| op("*", Expr::name(index), Expr::Int(step.saturating_mul(32)));
    let step = i64::from(rows.step);
    let moved = call_with(
        in_rows,
        format!("{row_bytes}, {page_rows}, {step}"),
        [
            accessor,
            page_of(tensor, &region.matrix, first, Expr::Int(0)),
            pages,
            line,
            Expr::Value(extent),
            Expr::Value(Symbol::TensorAxis(tensor, 1)),
            op("+", Expr::name("first_row"), tiles("row", step)),
            op("+", Expr::name("first_column"), tiles("column", 1)),
            Expr::operation("-", Expr::user(&rows.count[0]), tiles("row", 1)),
            Expr::operation("-", Expr::user(&rows.count[1]), tiles("column", 1)),
            address,
        ]
        .into_iter()
        .chain(more.iter().cloned()),
    );
    (moved, has_matrix(region))
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

fn read(buffers: &[Buffer], id: BufferId, region: &TileRegion) -> Lines {
    let buffer = &buffers[id.0];
    let [rows, columns] = buffer.tiles;
    let mut out = origin(region);
    out.push(line(Leaf::Let {
        kind: "uint32_t",
        name: "dst".into(),
        value: value(&GET_WRITE_PTR, [Expr::Buffer(id)]),
    }));
    let in_rows = match &region.transfer {
        Transfer::Rows(rows) if !rows.in_faces() => &READ_ELEMENTS,
        Transfer::Rows(_) | Transfer::Pages(_) => &READ_ROWS,
    };
    let functions = [&NOC_ASYNC_READ_PAGE, in_rows];
    let (transfer, cond) = transfer(buffer, region, "dst", functions, &[scratch(buffers, Role::Reader)]);
    let mut body = match cond {
        None => vec![line(transfer)],
        Some(cond) => {
            let zero = line(call(&ZERO_PAGE, [Expr::name("dst"), Expr::PageBytes(id)]));
            vec![when(cond, vec![line(transfer)], vec![zero])]
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
    match &region.transfer {
        Transfer::Pages(_) => {
            let axes = (0..2).filter(|axis| region.zero_edge[*axis]);
            out.extend(axes.map(|axis| zero_edge(buffer, id, region, axis)));
        }
        Transfer::Rows(rows) if region.zero_edge[1] && rows.in_faces() => {
            let columns = Expr::Value(Symbol::TensorAxis(region.tensor, 1));
            let to_edge = op("-", columns, Expr::name("first_column"));
            out.push(zero_columns(buffer, id, to_edge));
            if rows.count[1].as_const().is_none_or(|count| count % 32 != 0) {
                out.push(zero_columns(buffer, id, Expr::user(&rows.count[1])));
            }
        }
        Transfer::Rows(_) => {}
    }
    out
}

/// The page that a program has for rows on their way (C3); none where all lie in DRAM as in their tile.
fn scratch(buffers: &[Buffer], role: Role) -> Expr<Symbol> {
    let scratch = buffers
        .iter()
        .position(|buffer| buffer.kind == BufferKind::Scratch(role));
    scratch.map_or(Expr::Int(0), |id| value(&GET_WRITE_PTR, [Expr::Buffer(BufferId(id))]))
}

/// The address of the tile (row, column) of a version.
fn tile_address(buffer: &Buffer, id: BufferId, row: Expr<Symbol>, column: Expr<Symbol>) -> Expr<Symbol> {
    let [rows, columns] = buffer.tiles;
    let index = if buffer.column_major {
        op("+", op("*", column, Expr::Int(i64::from(rows))), row)
    } else {
        op("+", op("*", row, Expr::Int(i64::from(columns))), column)
    };
    let base = value(&GET_WRITE_PTR, [Expr::Buffer(id)]);
    op("+", base, op("*", index, Expr::PageBytes(id)))
}

/// Zeroes the columns of a version from `edge` on, in the tile that it lies within; those after it are zero.
fn zero_columns(buffer: &Buffer, id: BufferId, edge: Expr<Symbol>) -> Stmt<Calls<Symbol>> {
    let [rows, columns] = buffer.tiles;
    let address = tile_address(buffer, id, Expr::name("row"), Expr::name("column"));
    let zero = zero_within_tile(buffer.format, 1, address);
    let filled = Expr::operation("-", edge, op("*", Expr::name("column"), Expr::Int(32)));
    let present = op(
        "&&",
        op(">", Expr::name("filled"), Expr::Int(0)),
        op("<", Expr::name("filled"), Expr::Int(32)),
    );
    let of_column = vec![
        set("filled", filled),
        when(present, vec![tiles("row", rows, 1, vec![zero])], Vec::new()),
    ];
    tiles("column", columns, 1, of_column)
}

/// Zeroes the rows (0) or columns (1) of the tile at `address` from `filled` on.
fn zero_within_tile(format: DataFormat, axis: usize, address: Expr<Symbol>) -> Stmt<Calls<Symbol>> {
    let bits = format.element_bits();
    let (functions, template) = match bits {
        ..=8 => {
            let exponents = format.tile_bytes() - tt_device::TILE_ELEMENTS * bits / 8;
            ([&ZERO_BLOCK_ROWS, &ZERO_BLOCK_COLUMNS], format!("{bits}, {exponents}"))
        }
        _ => ([&ZERO_TILE_ROWS, &ZERO_TILE_COLUMNS], (bits / 8).to_string()),
    };
    line(call_with(functions[axis], template, [address, Expr::name("filled")]))
}

/// Zeroes what lies past the tensor's edge in its last tiles along `axis`, where this block has them.
fn zero_edge(buffer: &Buffer, id: BufferId, region: &TileRegion, axis: usize) -> Stmt<Calls<Symbol>> {
    let tensor: ParamId = region.tensor;
    let [rows, columns] = buffer.tiles;
    let (first, count, other, other_count) = if axis == 0 {
        ("first_row", rows, "column", columns)
    } else {
        ("first_column", columns, "row", rows)
    };
    let rank_axis = Expr::Value(Symbol::TensorAxis(tensor, axis));
    let filled = op("%", rank_axis, Expr::Int(32));
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
    let address = tile_address(buffer, id, row, column);
    let zero = zero_within_tile(buffer.format, axis, address);
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

fn shift(buffers: &[Buffer], ids: [BufferId; 2], window: &Window) -> Lines {
    let [from, to] = ids.map(|id| &buffers[id.0]);
    let element = match to.format.element_bits() {
        ..=8 => "uint8_t",
        16 => "uint16_t",
        _ => "uint32_t",
    };
    let numbers = [from.tiles[1], to.tiles[1]].map(|columns| Expr::Int(i64::from(columns)));
    let extent = window
        .extent
        .map(|extent| Expr::Int(i64::try_from(extent).unwrap_or(i64::MAX)));
    let addresses = [Expr::name("src"), value(&GET_WRITE_PTR, [Expr::Buffer(ids[1])])];
    let args = addresses
        .into_iter()
        .chain(numbers)
        .chain(window.integers().map(Expr::user))
        .chain(extent);
    vec![
        line(Leaf::Let {
            kind: "uint32_t",
            name: "src".into(),
            value: value(&GET_READ_PTR, [Expr::Buffer(ids[0])]),
        }),
        line(call_with(&SHIFT_ELEMENTS, element.to_string(), args)),
    ]
}

fn write(buffers: &[Buffer], id: BufferId, region: &TileRegion, stored: Option<BufferId>) -> Lines {
    let buffer = &buffers[id.0];
    let [rows, columns] = buffer.tiles;
    let mut out = origin(region);
    out.push(line(Leaf::Let {
        kind: "uint32_t",
        name: "src".into(),
        value: value(&GET_READ_PTR, [Expr::Buffer(id)]),
    }));
    let mut advances = vec![("src", id)];
    let in_elements = match &region.transfer {
        Transfer::Rows(rows) => stored.is_some() || !rows.in_pieces(),
        Transfer::Pages(_) => false,
    };
    let (transfer, cond) = match in_elements {
        true => {
            let stored = stored.map(|stored| {
                out.push(line(Leaf::Let {
                    kind: "uint32_t",
                    name: "stored".into(),
                    value: value(&GET_READ_PTR, [Expr::Buffer(stored)]),
                }));
                advances.push(("stored", stored));
                Expr::name("stored")
            });
            let more = [stored.unwrap_or(Expr::Int(0)), scratch(buffers, Role::Writer)];
            transfer(buffer, region, "src", [&NOC_ASYNC_WRITE_PAGE, &WRITE_ELEMENTS], &more)
        }
        false => transfer(buffer, region, "src", [&NOC_ASYNC_WRITE_PAGE, &WRITE_ROWS], &[]),
    };
    let mut body = match cond {
        None => vec![line(transfer)],
        Some(cond) => vec![when(cond, vec![line(transfer)], Vec::new())],
    };
    body.extend(advances.into_iter().map(|(name, id)| {
        line(Leaf::Advance {
            name: name.into(),
            value: Expr::PageBytes(id),
        })
    }));
    out.push(tiles("row", rows, 1, vec![tiles("column", columns, 1, body)]));
    // `write_elements` flushes what it writes, before it fills its scratch anew.
    if !in_elements {
        out.push(line(call(&NOC_ASYNC_WRITES_FLUSHED, [])));
    }
    out
}
