//! Page loops, zeroed edges and moved elements: what reads, writes and constant tiles become.

use super::{Lines, op, set, value};
use crate::device::function::*;
use crate::device::{
    Calls, CppType, Expr, Leaf, Operator, Symbol, Template, TemplateArg, call, call_with, line, scope, tiles,
    tiles_in_parts, when,
};
use crate::flow::{Buffer, BufferId, BufferKind, Constant, Pace, Rows, TensorIndex, TileRegion, Transfer, Window};
use crate::ir::Stmt;
use tt_device::TILE;
use tt_lang::ir::{IntExpr, ParamId};
use tt_plan::{DataFormat, Role, TransferClass};

/// The first row and column of a region: of tiles, where it is moved in pages, otherwise of elements.
fn first(region: &TileRegion) -> [Expr<Symbol>; 2] {
    let first = match &region.transfer {
        Transfer::Pages(tile) => tile,
        Transfer::Rows(rows) => &rows.first,
    };
    first.each_ref().map(Expr::user)
}

/// `first_row` and `first_column` of a region.
fn origin(region: &TileRegion) -> Lines {
    let [row, column] = first(region);
    vec![set("first_row", row), set("first_column", column)]
}

/// The number of the tile in this row and column of a matrix, counted over the tensor's tiles, matrix by matrix.
pub(super) fn page_of(
    tensor: ParamId,
    matrix: &[TensorIndex],
    row: Expr<Symbol>,
    column: Expr<Symbol>,
) -> Expr<Symbol> {
    let mut number = Expr::Int(0);
    for (axis, index) in matrix.iter().enumerate() {
        number = op(
            Operator::Add,
            op(Operator::Mul, number, Expr::Value(Symbol::TensorExtent(tensor, axis))),
            Expr::user(&index.at),
        );
    }
    let row = op(
        Operator::Add,
        op(Operator::Mul, number, Expr::Value(Symbol::TensorTiles(tensor, 0))),
        row,
    );
    let of_rows = op(Operator::Mul, row, Expr::Value(Symbol::TensorTiles(tensor, 1)));
    let first = op(Operator::Add, Expr::Value(Symbol::FirstPage(tensor)), of_rows);
    op(Operator::Add, first, column)
}

/// That the region's matrix is one of the tensor's, and its rows the tensor's where they are those of all matrices; nothing where that is
/// always so.
fn has_matrix(region: &TileRegion) -> Vec<Expr<Symbol>> {
    let mut asked = Vec::new();
    let mut within = |index: &IntExpr, extent| {
        asked.push(op(Operator::AtLeast, Expr::user(index), Expr::Int(0)));
        asked.push(op(Operator::Less, Expr::user(index), Expr::Value(extent)));
    };
    for (axis, index) in region.matrix.iter().enumerate() {
        if index.may_miss {
            within(&index.at, Symbol::TensorExtent(region.tensor, axis));
        }
    }
    if let Transfer::Rows(Rows {
        along: Some((_, line)), ..
    }) = &region.transfer
    {
        within(line, Symbol::TensorAxis(region.tensor, 0));
    }
    asked
}

/// What the tiles along an axis of a block are called: the one that a loop is at, the first in the tensor, and in the block those before the
/// tensor's first, and one past the last that the tensor has.
const AXES: [[&str; 4]; 2] = [
    ["row", "first_row", "rows_before", "rows_within"],
    ["column", "first_column", "columns_before", "columns_within"],
];

/// Whether a region may begin before a tensor, and end behind it, along an axis of tiles.
fn passes_edges(region: &TileRegion, axis: usize) -> [bool; 2] {
    match region.transfer {
        Transfer::Pages(_) => [region.may_precede[axis], region.may_exceed[axis]],
        Transfer::Rows(_) => [false; 2],
    }
}

/// That a row (0) or column (1) of tiles of a region is one of the tensor's; nothing where it always is.
fn inside(region: &TileRegion, axis: usize) -> Vec<Expr<Symbol>> {
    let [index, first, ..] = AXES[axis];
    let at = || op(Operator::Add, Expr::name(first), Expr::name(index));
    let [precedes, exceeds] = passes_edges(region, axis);
    let extent = Expr::Value(Symbol::TensorTiles(region.tensor, axis));
    let from = precedes.then(|| op(Operator::AtLeast, at(), Expr::Int(0)));
    from.into_iter()
        .chain(exceeds.then(|| op(Operator::Less, at(), extent)))
        .collect()
}

/// As [`inside`], of the turns of a loop over `count` of them: between which bounds, and first what these are.
fn bounds(region: &TileRegion, axis: usize, count: u32) -> (Lines, Vec<Expr<Symbol>>) {
    let [index, first, before, within] = AXES[axis];
    let [precedes, exceeds] = passes_edges(region, axis);
    let count = i64::from(count);
    let extent = Expr::Value(Symbol::TensorTiles(region.tensor, axis));
    let (mut computed, mut asked) = (Lines::new(), Vec::new());
    let mut rest = op(Operator::Sub, extent.clone(), Expr::name(first));
    if precedes {
        // However far before the tensor a block begins: no more than all of it is.
        let cut = op(Operator::Max, Expr::name(first), Expr::Int(-count));
        computed.push(set(before, op(Operator::Sub, Expr::Int(0), cut)));
        asked.push(op(Operator::AtLeast, Expr::name(index), Expr::name(before)));
        rest = op(Operator::Add, extent, Expr::name(before));
    }
    if exceeds {
        computed.push(set(within, op(Operator::Min, rest, Expr::Int(count))));
        asked.push(op(Operator::Less, Expr::name(index), Expr::name(within)));
    }
    (computed, asked)
}

/// The loops over the tiles of a block, in the order in which they lie in its buffer: `moved` for those that the tensor has, `instead` for
/// others, `advance` behind either, `of_row` before each row of them. First is what is computed before the loops, of which the inner one asks
/// nothing of a tile.
fn page_loops(
    (buffer, region): (&Buffer, &TileRegion),
    of_row: Option<Leaf<Symbol>>,
    moved: Leaf<Symbol>,
    instead: Lines,
    advance: Lines,
) -> (Lines, Stmt<Calls<Symbol>>) {
    let [mut outer, mut inner] = if buffer.column_major { [1, 0] } else { [0, 1] };
    let mut asked = has_matrix(region);
    let is_asked = !asked.is_empty() || (0..2).any(|axis| passes_edges(region, axis) != [false; 2]);
    // The tiles of a single row or column lie alike either way.
    if is_asked && of_row.is_none() && buffer.tiles[inner] == 1 && buffer.tiles[outer] > 1 {
        [outer, inner] = [inner, outer];
    }
    let [across, along] = [outer, inner].map(|axis| (AXES[axis][0], buffer.tiles[axis]));
    asked.extend(inside(region, outer));
    let (computed, of_turns) = match along {
        (_, 1) => (Lines::new(), inside(region, inner)),
        (_, count) => bounds(region, inner, count),
    };
    asked.extend(of_turns);
    let moved = vec![line(moved)];
    let loops = match asked.into_iter().reduce(|a, b| op(Operator::And, a, b)) {
        None => tiles(along.0, along.1, 1, [moved, advance].concat()),
        Some(asked) => {
            let turn = [vec![when(asked, moved, instead)], advance].concat();
            match along {
                (index, 1) => tiles(index, 1, 1, turn),
                (index, count) => tiles_in_parts(index, count, turn),
            }
        }
    };
    let row = of_row.map(line).into_iter().chain([loops]).collect();
    (computed, tiles(across.0, across.1, 1, row))
}

/// The transfer of the tile (row, column) of a region, between the tensor and the page at `address`.
fn transfer(
    buffer: &Buffer,
    region: &TileRegion,
    address: &str,
    [in_pages, in_rows]: [&'static Function; 2],
    more: &[Expr<Symbol>],
) -> Leaf<Symbol> {
    let tensor = region.tensor;
    let (accessor, address) = (Expr::Accessor(tensor), Expr::name(address));
    let rows = match &region.transfer {
        Transfer::Pages(_) => {
            let at = |first, index| op(Operator::Add, Expr::name(first), Expr::name(index));
            let page = page_of(
                tensor,
                &region.matrix,
                at("first_row", "row"),
                at("first_column", "column"),
            );
            return call(in_pages, [page, accessor, address]);
        }
        Transfer::Rows(rows) => rows,
    };
    let across = || Expr::Value(Symbol::TensorTiles(tensor, 1));
    // From a page to that of the rows which follow; which row in it.
    let (first, pages, line, page_rows, extent) = match &rows.along {
        None => (
            Expr::Int(0),
            across(),
            Expr::Int(0),
            TILE,
            Symbol::TensorAxis(tensor, 0),
        ),
        Some((axis, line)) => {
            let line = || Expr::user(line);
            let first = op(Operator::Div, line(), Expr::Int(TILE));
            let of_matrix = op(Operator::Mul, Expr::Value(Symbol::TensorTiles(tensor, 0)), across());
            let inner = axis.saturating_add(1)..region.matrix.len();
            let pages = inner.fold(of_matrix, |pages, axis| {
                op(Operator::Mul, pages, Expr::Value(Symbol::TensorExtent(tensor, axis)))
            });
            let line = op(Operator::Rem, line(), Expr::Int(TILE));
            (first, pages, line, 1, Symbol::TensorExtent(tensor, *axis))
        }
    };
    // What shares exponents has no rows, and C1 moves whole pages of it; the verifier holds this to the format.
    let row_bytes = buffer.format.row_bytes().unwrap_or(0);
    let tiles = |index: &str, step: i64| op(Operator::Mul, Expr::name(index), Expr::Int(step.saturating_mul(TILE)));
    let Pace { step, over, modulo } = rows.pace;
    let step = i64::from(step);
    let mut words = vec![i64::from(row_bytes), page_rows, step];
    match modulo {
        None if over == 1 => {}
        None => words.push(over.into()),
        Some(modulo) => words.extend([over, modulo].map(i64::from)),
    }
    let template: Template = words.into_iter().map(TemplateArg::Int).collect();
    call_with(
        in_rows,
        template,
        [
            accessor,
            page_of(tensor, &region.matrix, first, Expr::Int(0)),
            pages,
            line,
            Expr::Value(extent),
            Expr::Value(Symbol::TensorAxis(tensor, 1)),
            op(Operator::Add, Expr::name("first_row"), tiles("row", step)),
            op(Operator::Add, Expr::name("first_column"), tiles("column", 1)),
            Expr::operation(Operator::Sub, Expr::user(&rows.count[0]), tiles("row", 1)),
            Expr::operation(Operator::Sub, Expr::user(&rows.count[1]), tiles("column", 1)),
            address,
        ]
        .into_iter()
        .chain(more.iter().cloned()),
    )
}

/// A version whose tiles are all this constant.
pub(super) fn constants(buffer: &Buffer, id: BufferId, constant: Constant) -> Lines {
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
            kind: CppType::Word,
            name: "dst".into(),
            value: address,
        }),
        tiles("row", buffer.version_tiles(), 1, page),
    ])]
}

/// Whether a launch may lay the buffer on the shard of the tensor that it is moved from or to.
fn may_lie_there(buffer: &Buffer) -> bool {
    buffer.shard.as_ref().is_some_and(|shard| shard.lies_there)
}

/// The pages of a version under way.
pub(super) fn read(buffers: &[Buffer], id: BufferId, region: &TileRegion) -> Lines {
    let buffer = &buffers[id.0];
    let in_rows = match region.transfer.class_of_read() == TransferClass::Element {
        true => &READ_ELEMENTS,
        false => &READ_ROWS,
    };
    let page = match may_lie_there(buffer) {
        true => &READ_PLACED_PAGE,
        false => &NOC_ASYNC_READ_PAGE,
    };
    let moved = transfer(
        buffer,
        region,
        "dst",
        [page, in_rows],
        &[scratch(buffers, Role::Reader)],
    );
    let zero = line(call(&ZERO_PAGE, [Expr::name("dst"), Expr::PageBytes(id)]));
    let (bounds, loops) = page_loops((buffer, region), None, moved, vec![zero], vec![advance("dst", id)]);
    let mut out = origin(region);
    out.extend(bounds);
    out.push(line(Leaf::Let {
        kind: CppType::Word,
        name: "dst".into(),
        value: value(&GET_WRITE_PTR, [Expr::Buffer(id)]),
    }));
    out.push(loops);
    out
}

/// The page behind that at an address.
fn advance(name: &str, id: BufferId) -> Stmt<Calls<Symbol>> {
    line(Leaf::Advance {
        name: name.into(),
        value: Expr::PageBytes(id),
    })
}

/// Zeros where pages that have arrived lie past the tensor's edge; nothing where none do.
pub(super) fn zero_edges(buffers: &[Buffer], id: BufferId, region: &TileRegion) -> Lines {
    let buffer = &buffers[id.0];
    let mut out = Lines::new();
    match &region.transfer {
        Transfer::Pages(_) => {
            let axes = (0..2).filter(|axis| region.zero_edge[*axis]);
            out.extend(axes.map(|axis| zero_edge(buffer, id, region, axis)));
        }
        Transfer::Rows(rows) if region.zero_edge[1] && rows.in_faces() => {
            let columns = Expr::Value(Symbol::TensorAxis(region.tensor, 1));
            let [_, first_column] = first(region);
            out.push(zero_columns(buffer, id, op(Operator::Sub, columns, first_column)));
            if rows.count[1].as_const().is_none_or(|count| count % TILE != 0) {
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
        op(
            Operator::Add,
            op(Operator::Mul, column, Expr::Int(i64::from(rows))),
            row,
        )
    } else {
        op(
            Operator::Add,
            op(Operator::Mul, row, Expr::Int(i64::from(columns))),
            column,
        )
    };
    let base = value(&GET_WRITE_PTR, [Expr::Buffer(id)]);
    op(Operator::Add, base, op(Operator::Mul, index, Expr::PageBytes(id)))
}

/// Zeroes the columns of a version from `edge` on, in the tile that it lies within; those after it are zero.
fn zero_columns(buffer: &Buffer, id: BufferId, edge: Expr<Symbol>) -> Stmt<Calls<Symbol>> {
    let [rows, columns] = buffer.tiles;
    let address = tile_address(buffer, id, Expr::name("row"), Expr::name("column"));
    let zero = zero_within_tile(buffer.format, 1, address);
    let filled = Expr::operation(
        Operator::Sub,
        edge,
        op(Operator::Mul, Expr::name("column"), Expr::Int(TILE)),
    );
    let present = op(
        Operator::And,
        op(Operator::Greater, Expr::name("filled"), Expr::Int(0)),
        op(Operator::Less, Expr::name("filled"), Expr::Int(TILE)),
    );
    let of_column = vec![
        set("filled", filled),
        when(present, vec![tiles("row", rows, 1, vec![zero])], Vec::new()),
    ];
    tiles("column", columns, 1, of_column)
}

/// Zeroes the rows (0) or columns (1) of the tile at `address` from `filled` on.
fn zero_within_tile(format: DataFormat, axis: usize, address: Expr<Symbol>) -> Stmt<Calls<Symbol>> {
    let (functions, template) = match (format.element_bits(), format.element_bytes()) {
        (9.., Some(bytes)) => (
            [&ZERO_TILE_ROWS, &ZERO_TILE_COLUMNS],
            Template::from([i64::from(bytes)]),
        ),
        (bits, _) => {
            let template = [bits, format.exponent_bytes()].map(i64::from).into();
            ([&ZERO_BLOCK_ROWS, &ZERO_BLOCK_COLUMNS], template)
        }
    };
    line(call_with(functions[axis], template, [address, Expr::name("filled")]))
}

/// Zeroes what lies past the tensor's edge in its last tiles along `axis`, where this block has them.
fn zero_edge(buffer: &Buffer, id: BufferId, region: &TileRegion, axis: usize) -> Stmt<Calls<Symbol>> {
    let tensor: ParamId = region.tensor;
    let [rows, columns] = buffer.tiles;
    let [first_row, first_column] = first(region);
    let (first, count, other, other_count) = if axis == 0 {
        (first_row, rows, "column", columns)
    } else {
        (first_column, columns, "row", rows)
    };
    let rank_axis = Expr::Value(Symbol::TensorAxis(tensor, axis));
    let filled = op(Operator::Rem, rank_axis, Expr::Int(TILE));
    let edge = op(
        Operator::Sub,
        op(
            Operator::Sub,
            Expr::Value(Symbol::TensorTiles(tensor, axis)),
            Expr::Int(1),
        ),
        first,
    );
    let (row, column) = if axis == 0 {
        (Expr::name("edge"), Expr::name(other))
    } else {
        (Expr::name(other), Expr::name("edge"))
    };
    let address = tile_address(buffer, id, row, column);
    let zero = zero_within_tile(buffer.format, axis, address);
    let present = op(
        Operator::And,
        op(Operator::NotEqual, Expr::name("filled"), Expr::Int(0)),
        op(
            Operator::And,
            op(Operator::AtLeast, Expr::name("edge"), Expr::Int(0)),
            op(Operator::Less, Expr::name("edge"), Expr::Int(i64::from(count))),
        ),
    );
    let body = vec![tiles(other, other_count, 1, vec![zero])];
    scope(vec![
        set("filled", filled),
        set("edge", edge),
        when(present, body, Vec::new()),
    ])
}

pub(super) fn shift(buffers: &[Buffer], ids: [BufferId; 2], window: &Window) -> Lines {
    let [from, to] = ids.map(|id| &buffers[id.0]);
    let element = match to.format.element_bytes() {
        Some(1) => "uint8_t",
        Some(2) => "uint16_t",
        Some(_) | None => "uint32_t",
    };
    let Pace { step, over, modulo } = window.pace;
    let last = i64::from(from.tiles[0]).saturating_mul(TILE).saturating_sub(1);
    let pace = [step.into(), over.into(), modulo.unwrap_or(0).into(), last].map(TemplateArg::Int);
    let is_paced = window.pace != Pace::PLAIN;
    let template: Template = std::iter::once(TemplateArg::Words(element))
        .chain(pace.into_iter().filter(|_| is_paced))
        .collect();
    let numbers = [from.tiles[1], to.tiles[1]].map(|columns| Expr::Int(i64::from(columns)));
    let addresses = [Expr::name("src"), value(&GET_WRITE_PTR, [Expr::Buffer(ids[1])])];
    let args = addresses
        .into_iter()
        .chain(numbers)
        .chain(window.integers().map(Expr::user));
    vec![
        line(Leaf::Let {
            kind: CppType::Word,
            name: "src".into(),
            value: value(&GET_READ_PTR, [Expr::Buffer(ids[0])]),
        }),
        line(call_with(&SHIFT_ELEMENTS, template, args)),
    ]
}

/// The pages of a version under way to a tensor; `waits`: for each row of tiles before it, as no wait stands before all.
pub(super) fn write(
    buffers: &[Buffer],
    id: BufferId,
    region: &TileRegion,
    stored: Option<BufferId>,
    waits: bool,
) -> Lines {
    let buffer = &buffers[id.0];
    let from = |name: &str, id| {
        line(Leaf::Let {
            kind: CppType::Word,
            name: name.into(),
            value: value(&GET_READ_PTR, [Expr::Buffer(id)]),
        })
    };
    let (mut sources, mut advances) = (vec![from("src", id)], vec![advance("src", id)]);
    let page = match may_lie_there(buffer) {
        true => &WRITE_PLACED_PAGE,
        false => &NOC_ASYNC_WRITE_PAGE,
    };
    let in_elements = region.transfer.class_of_write(stored.is_some()) == TransferClass::Element;
    let moved = match in_elements {
        true => {
            let stored = stored.map(|stored| {
                sources.push(from("stored", stored));
                advances.push(advance("stored", stored));
                Expr::name("stored")
            });
            let more = [stored.unwrap_or(Expr::Int(0)), scratch(buffers, Role::Writer)];
            transfer(buffer, region, "src", [page, &WRITE_ELEMENTS], &more)
        }
        false => transfer(buffer, region, "src", [page, &WRITE_ROWS], &[]),
    };
    let so_far = || {
        let rows = op(Operator::Add, Expr::name("row"), Expr::Int(1));
        op(Operator::Mul, rows, Expr::Int(i64::from(buffer.tiles[1])))
    };
    let wait = waits.then(|| call(&CB_WAIT_FRONT, [Expr::Buffer(id), so_far()]));
    let (bounds, loops) = page_loops((buffer, region), wait, moved, Lines::new(), advances);
    let mut out = [origin(region), bounds, sources].concat();
    out.push(loops);
    // `write_elements` flushes what it writes, before it fills its scratch anew.
    if !in_elements {
        out.push(line(call(&NOC_ASYNC_WRITES_FLUSHED, [])));
    }
    out
}
