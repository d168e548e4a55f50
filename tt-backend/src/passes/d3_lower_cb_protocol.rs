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

use crate::device::function::*;
use crate::device::{Call, Expr, Leaf, Node, SectionStep, Step, call, call_with};
use crate::flow::{Buffer, BufferId, TileRegion};
use tt_lang::ir::ParamId;

/// Lowers the steps of one program; sections stay for D4 and D5.
pub fn run(buffers: &[Buffer], nodes: Vec<Node<Step>>) -> Vec<Node<Step>> {
    nodes.into_iter().flat_map(|node| lower(buffers, node)).collect()
}

fn lower(buffers: &[Buffer], node: Node<Step>) -> Vec<Node<Step>> {
    let version = |buffer: BufferId| Expr::Int(i64::from(buffers[buffer.0].version_tiles()));
    let protocol = |function, buffer: BufferId| vec![leaf(call(function, [Expr::Buffer(buffer), version(buffer)]))];
    match node {
        Node::Leaf(step) => match step {
            Step::Reserve(buffer) => protocol(&CB_RESERVE_BACK, buffer),
            Step::Publish(buffer) => protocol(&CB_PUSH_BACK, buffer),
            Step::Receive(buffer) => protocol(&CB_WAIT_FRONT, buffer),
            Step::Release(buffer) => protocol(&CB_POP_FRONT, buffer),
            Step::Read(buffer, region) => vec![Node::Scope(read(&buffers[buffer.0], buffer, &region))],
            Step::Write(buffer, region) => vec![Node::Scope(write(&buffers[buffer.0], buffer, &region))],
            Step::ReadZeros(buffer) => zeros(&buffers[buffer.0], buffer),
            Step::Section(section) => {
                let SectionStep { control, .. } = *section.clone();
                let control = control.into_iter().map(|body| run(buffers, body)).collect();
                vec![Node::Leaf(Step::Section(Box::new(SectionStep { control, ..*section })))]
            }
            step @ (Step::Leaf(_) | Step::Multiply(..)) => vec![Node::Leaf(step)],
        },
        Node::Loop {
            var,
            start,
            end,
            unroll,
            body,
            origin,
        } => {
            vec![Node::Loop {
                var,
                start,
                end,
                unroll,
                body: run(buffers, body),
                origin,
            }]
        }
        Node::If {
            cond,
            then,
            otherwise,
            origin,
        } => {
            vec![Node::If {
                cond,
                then: run(buffers, then),
                otherwise: run(buffers, otherwise),
                origin,
            }]
        }
        Node::Tiles { name, end, step, body } => vec![Node::Tiles {
            name,
            end,
            step,
            body: run(buffers, body),
        }],
        Node::When { cond, then, otherwise } => {
            vec![Node::When {
                cond,
                then: run(buffers, then),
                otherwise: run(buffers, otherwise),
            }]
        }
        Node::Scope(body) => vec![Node::Scope(run(buffers, body))],
        Node::Source(span) => vec![Node::Source(span)],
    }
}

fn leaf(leaf: Leaf) -> Node<Step> {
    Node::Leaf(Step::Leaf(leaf))
}

fn value(function: &'static Function, args: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Call(Box::new(Call {
        function,
        template: String::new(),
        args: args.into_iter().collect(),
    }))
}

fn op(symbol: &'static str, a: Expr, b: Expr) -> Expr {
    Expr::binary(symbol, a, b)
}

/// `first_row`, `first_column` and `first_page` of a region.
fn origin(region: &TileRegion) -> Vec<Node<Step>> {
    let set = |name: &str, value: Expr| {
        leaf(Leaf::Let {
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
fn page(region: &TileRegion) -> Expr {
    let tensor = region.tensor;
    let mut matrix = Expr::Int(0);
    for (axis, index) in region.matrix.iter().enumerate() {
        matrix = op(
            "+",
            op("*", matrix, Expr::TensorExtent(tensor, axis)),
            Expr::user(index),
        );
    }
    let row = op(
        "+",
        op("*", matrix, Expr::TensorTiles(tensor, 0)),
        op("+", Expr::name("first_row"), Expr::name("row")),
    );
    let column = op("+", Expr::name("first_column"), Expr::name("column"));
    op("+", op("*", row, Expr::TensorTiles(tensor, 1)), column)
}

/// Whether the tile (row, column) of the region is one of the tensor's; `None` where it always is.
fn inside(region: &TileRegion) -> Option<Expr> {
    let mut tests = Vec::new();
    for (axis, index) in region.matrix.iter().enumerate() {
        if region.matrix_may_miss[axis] {
            tests.push(op(">=", Expr::user(index), Expr::Int(0)));
            tests.push(op("<", Expr::user(index), Expr::TensorExtent(region.tensor, axis)));
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
            tests.push(op("<", at(), Expr::TensorTiles(region.tensor, axis)));
        }
    }
    tests.into_iter().reduce(|a, b| op("&&", a, b))
}

fn tiles(name: &str, end: u32, body: Vec<Node<Step>>) -> Node<Step> {
    Node::Tiles {
        name: name.into(),
        end,
        step: 1,
        body,
    }
}

/// A version of zeros.
fn zeros(buffer: &Buffer, id: BufferId) -> Vec<Node<Step>> {
    let address = value(&GET_WRITE_PTR, [Expr::Buffer(id)]);
    let zero = |address| leaf(call(&ZERO_PAGE, [address, Expr::PageBytes(id)]));
    if buffer.version_tiles() == 1 {
        return vec![zero(address)];
    }
    let page = vec![
        zero(Expr::name("dst")),
        leaf(Leaf::Advance {
            name: "dst".into(),
            value: Expr::PageBytes(id),
        }),
    ];
    vec![Node::Scope(vec![
        leaf(Leaf::Let {
            kind: "uint32_t",
            name: "dst".into(),
            value: address,
        }),
        tiles("row", buffer.version_tiles(), page),
    ])]
}

fn read(buffer: &Buffer, id: BufferId, region: &TileRegion) -> Vec<Node<Step>> {
    let [rows, columns] = buffer.tiles;
    let mut out = origin(region);
    out.push(leaf(Leaf::Let {
        kind: "uint32_t",
        name: "dst".into(),
        value: value(&GET_WRITE_PTR, [Expr::Buffer(id)]),
    }));
    let transfer = leaf(call(
        &NOC_ASYNC_READ_PAGE,
        [page(region), Expr::Accessor(region.tensor), Expr::name("dst")],
    ));
    let mut body = match inside(region) {
        None => vec![transfer],
        Some(cond) => {
            let zero = leaf(call(&ZERO_PAGE, [Expr::name("dst"), Expr::PageBytes(id)]));
            vec![Node::When {
                cond,
                then: vec![transfer],
                otherwise: vec![zero],
            }]
        }
    };
    body.push(leaf(Leaf::Advance {
        name: "dst".into(),
        value: Expr::PageBytes(id),
    }));
    out.push(if buffer.column_major {
        tiles("column", columns, vec![tiles("row", rows, body)])
    } else {
        tiles("row", rows, vec![tiles("column", columns, body)])
    });
    out.push(leaf(call(&NOC_ASYNC_READ_BARRIER, [])));
    for axis in 0..2 {
        if region.zero_edge[axis] {
            out.push(zero_edge(buffer, id, region, axis));
        }
    }
    out
}

/// Zeroes what lies past the tensor's edge in its last tiles along `axis`, where this block has them.
fn zero_edge(buffer: &Buffer, id: BufferId, region: &TileRegion, axis: usize) -> Node<Step> {
    let tensor: ParamId = region.tensor;
    let [rows, columns] = buffer.tiles;
    let (first, count, other, other_count, function) = if axis == 0 {
        ("first_row", rows, "column", columns, &ZERO_TILE_ROWS)
    } else {
        ("first_column", columns, "row", rows, &ZERO_TILE_COLUMNS)
    };
    let rank_axis = Expr::TensorAxis(tensor, axis);
    let filled = op("%", rank_axis, Expr::Int(32));
    let set = |name: &str, value: Expr| {
        leaf(Leaf::Let {
            kind: "const int32_t",
            name: name.into(),
            value,
        })
    };
    let edge = op(
        "-",
        op("-", Expr::TensorTiles(tensor, axis), Expr::Int(1)),
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
    let zero = leaf(call_with(
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
    let body = vec![tiles(other, other_count, vec![zero])];
    Node::Scope(vec![
        set("filled", filled),
        set("edge", edge),
        Node::When {
            cond: present,
            then: body,
            otherwise: Vec::new(),
        },
    ])
}

fn write(buffer: &Buffer, id: BufferId, region: &TileRegion) -> Vec<Node<Step>> {
    let [rows, columns] = buffer.tiles;
    let mut out = origin(region);
    out.push(leaf(Leaf::Let {
        kind: "uint32_t",
        name: "src".into(),
        value: value(&GET_READ_PTR, [Expr::Buffer(id)]),
    }));
    let transfer = leaf(call(
        &NOC_ASYNC_WRITE_PAGE,
        [page(region), Expr::Accessor(region.tensor), Expr::name("src")],
    ));
    let mut body = match inside(region) {
        None => vec![transfer],
        Some(cond) => vec![Node::When {
            cond,
            then: vec![transfer],
            otherwise: Vec::new(),
        }],
    };
    body.push(leaf(Leaf::Advance {
        name: "src".into(),
        value: Expr::PageBytes(id),
    }));
    out.push(tiles("row", rows, vec![tiles("column", columns, body)]));
    out.push(leaf(call(&NOC_ASYNC_WRITES_FLUSHED, [])));
    out
}
