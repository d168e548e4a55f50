//! D5: the protocol of the destination registers.
//!
//! Before: sections with their transitions (D4). After: for every chunk of tiles acquire, the calls step by step, commit,
//! wait, pack, release; register numbers and tile indices are expressions over the chunk's loops.
//!
//! Register `q` of tile (r, c) of a chunk of h × w tiles is destination tile `q·h·w + r·w + c`: register 0 is laid out as
//! `matmul_block` leaves it.
//!
//! ```text
//!  section 4 × 4, chunks 2 × 2         for tile_row in (0..4).step(2) { for tile_column in (0..4).step(2) {
//!    reg0 += a · b                ⟹      tile_regs_acquire(); for step { matmul_block(..) } tile_regs_commit();
//!    pack reg0 → y                       tile_regs_wait(); for row, column { pack_tile<true>(..) } tile_regs_release(); } }
//! ```

use super::d4_insert_compute_init::{DEST_TO_SRCA, Engines};
use crate::device::function::*;
use crate::device::{Expr, Leaf, Node, SectionStep, Step, call, call_with};
use crate::flow::{self, Arg, Broadcast, BufferId, Matmul, Operand};
use crate::tile_ops::TileOp;

/// Runs the pass.
pub fn run(engines: &Engines, nodes: Vec<Node<Step>>) -> Vec<Node<Leaf>> {
    Lower { engines, chunk: [1, 1] }.nodes(nodes)
}

#[derive(Clone, Copy)]
struct Lower<'a> {
    engines: &'a Engines<'a>,
    /// The chunk of the section around.
    chunk: [u32; 2],
}

fn op(symbol: &'static str, a: Expr, b: Expr) -> Expr {
    Expr::binary(symbol, a, b)
}

fn int(value: u32) -> Expr {
    Expr::Int(i64::from(value))
}

/// A loop, or its body alone where it runs once; `index` is what stands for its variable.
fn repeat(name: &str, end: u32, step: u32, body: impl FnOnce(Expr) -> Vec<Node<Leaf>>) -> Vec<Node<Leaf>> {
    if end == step {
        return body(Expr::Int(0));
    }
    vec![Node::Tiles {
        name: name.into(),
        end,
        step,
        body: body(Expr::name(name)),
    }]
}

impl Lower<'_> {
    fn nodes(&self, nodes: Vec<Node<Step>>) -> Vec<Node<Leaf>> {
        nodes.into_iter().flat_map(|node| self.node(node)).collect()
    }

    fn node(&self, node: Node<Step>) -> Vec<Node<Leaf>> {
        vec![match node {
            Node::Leaf(Step::Leaf(leaf)) => Node::Leaf(leaf),
            Node::Leaf(Step::Section(section)) => return self.section(*section),
            Node::Leaf(Step::Multiply(matmul, before)) => {
                let mut out: Vec<Node<Leaf>> = before.into_iter().map(Node::Leaf).collect();
                out.extend(self.matmul(&matmul, Expr::Int(0), Expr::Int(0)));
                return out;
            }
            // D3 left none of these.
            Node::Leaf(
                Step::Receive(_)
                | Step::Release(_)
                | Step::Reserve(_)
                | Step::Publish(_)
                | Step::Read(..)
                | Step::ReadZeros(_)
                | Step::Write(..),
            ) => return Vec::new(),
            Node::Loop {
                var,
                start,
                end,
                unroll,
                body,
                origin,
            } => Node::Loop {
                var,
                start,
                end,
                unroll,
                body: self.nodes(body),
                origin,
            },
            Node::If {
                cond,
                then,
                otherwise,
                origin,
            } => Node::If {
                cond,
                then: self.nodes(then),
                otherwise: self.nodes(otherwise),
                origin,
            },
            Node::Tiles { name, end, step, body } => Node::Tiles {
                name,
                end,
                step,
                body: self.nodes(body),
            },
            Node::When { cond, then, otherwise } => Node::When {
                cond,
                then: self.nodes(then),
                otherwise: self.nodes(otherwise),
            },
            Node::Scope(body) => Node::Scope(self.nodes(body)),
            Node::Source(span) => Node::Source(span),
        }]
    }

    fn section(&self, step: SectionStep) -> Vec<Node<Leaf>> {
        let SectionStep {
            section,
            before,
            steps,
            pack,
            control,
        } = step;
        let inner = Lower {
            engines: self.engines,
            chunk: section.chunk,
        };
        let [h, w] = section.chunk;
        let mut out: Vec<Node<Leaf>> = before.into_iter().map(Node::Leaf).collect();
        let chunk = |tile_row: Expr, tile_column: Expr| {
            let mut body = vec![Node::Leaf(call(&TILE_REGS_ACQUIRE, []))];
            for ((flow_step, transitions), control) in section.steps.iter().zip(steps).zip(control) {
                body.extend(transitions.into_iter().map(Node::Leaf));
                body.extend(match flow_step {
                    flow::Step::Control(_) => inner.nodes(control),
                    flow::Step::Matmul(matmul) => inner.matmul(matmul, tile_row.clone(), tile_column.clone()),
                    flow::Step::Tile { op, out, args } => inner.tiles(|row, column| {
                        let at = (op_sum(&tile_row, &row), op_sum(&tile_column, &column));
                        inner.tile(*op, *out, args, at, (row, column))
                    }),
                });
            }
            body.push(Node::Leaf(call(&TILE_REGS_COMMIT, [])));
            body.push(Node::Leaf(call(&TILE_REGS_WAIT, [])));
            body.extend(pack.into_iter().map(Node::Leaf));
            body.extend(inner.tiles(|row, column| {
                let index = op(
                    "+",
                    op("*", op_sum(&tile_row, &row), int(section.tiles[1])),
                    op_sum(&tile_column, &column),
                );
                let register = inner.register(section.result, &(row, column));
                call_with(&PACK_TILE, "true", [register, Expr::Buffer(section.pack.buffer), index])
            }));
            body.push(Node::Leaf(call(&TILE_REGS_RELEASE, [])));
            body
        };
        out.extend(repeat("tile_row", section.tiles[0], h, |tile_row| {
            repeat("tile_column", section.tiles[1], w, |tile_column| {
                chunk(tile_row, tile_column)
            })
        }));
        out
    }

    /// One call for every tile of the chunk.
    fn tiles(&self, leaf: impl FnOnce(Expr, Expr) -> Leaf) -> Vec<Node<Leaf>> {
        let [h, w] = self.chunk;
        repeat("row", h, 1, |row| {
            repeat("column", w, 1, |column| vec![Node::Leaf(leaf(row, column))])
        })
    }

    /// The destination tile of a register of the tile (row, column) of the chunk.
    fn register(&self, register: u32, at: &(Expr, Expr)) -> Expr {
        let [h, w] = self.chunk;
        let tile = op("+", op("*", at.0.clone(), int(w)), at.1.clone());
        op("+", tile, int(register * h * w))
    }

    /// The page of an operand for the tile `at` of the section.
    fn page(&self, operand: &Operand, at: &(Expr, Expr)) -> Expr {
        let columns = int(self.engines.buffers[operand.buffer.0].tiles[1]);
        let [row_offset, column_offset] = operand.offset.map(int);
        let (row, column) = at.clone();
        let (row, column) = match operand.broadcast {
            Broadcast::None => (op("+", row, row_offset), op("+", column, column_offset)),
            Broadcast::Row => (row_offset, op("+", column, column_offset)),
            Broadcast::Column => (op("+", row, row_offset), column_offset),
            Broadcast::Scalar => (row_offset, column_offset),
            Broadcast::Transpose => (op("+", column, row_offset), op("+", row, column_offset)),
        };
        op("+", op("*", row, columns), column)
    }

    fn tile(&self, tile_op: TileOp, out: u32, args: &[Arg], at: (Expr, Expr), within: (Expr, Expr)) -> Leaf {
        let register = |register: u32| self.register(register, &within);
        let buffer = |operand: &Operand| Expr::Buffer(operand.buffer);
        match (tile_op, args) {
            (TileOp::Load, [Arg::Tile(operand)]) => {
                let page = self.page(operand, &at);
                match (operand.broadcast, self.engines.zeros) {
                    (Broadcast::None, _) => call(&COPY_TILE, [buffer(operand), page, register(out)]),
                    (Broadcast::Transpose, _) => call(&TRANSPOSE_TILE, [buffer(operand), page, register(out)]),
                    (broadcast, zeros) => {
                        let function = match broadcast {
                            Broadcast::Row => &ADD_TILES_BCAST_ROWS,
                            Broadcast::Column => &ADD_TILES_BCAST_COLS,
                            _ => &ADD_TILES_BCAST_SCALAR,
                        };
                        let zeros = zeros.unwrap_or(BufferId(usize::MAX));
                        call(
                            function,
                            [Expr::Buffer(zeros), buffer(operand), Expr::Int(0), page, register(out)],
                        )
                    }
                }
            }
            (TileOp::Fpu(fpu), [Arg::Tile(a), Arg::Tile(b)]) => {
                let function = fpu.functions(b.broadcast).map_or(&ADD_TILES, |(_, function)| function);
                call(
                    function,
                    [
                        buffer(a),
                        buffer(b),
                        self.page(a, &at),
                        self.page(b, &at),
                        register(out),
                    ],
                )
            }
            (TileOp::MulReuse, [Arg::Tile(b)]) => call_with(
                &MUL_REUSE_DEST_TILES,
                DEST_TO_SRCA,
                [buffer(b), self.page(b, &at), register(out)],
            ),
            (TileOp::Fill, [Arg::Number(number)]) => {
                let row = crate::tile_ops::SfpuOp::FillBits.row();
                call(&row.call, [register(out), Expr::Number(number.clone())])
            }
            (tile_op, args) => {
                let TileOp::Sfpu(sfpu) = tile_op else {
                    unreachable!("C2 gives every operation the operands of its row")
                };
                let row = sfpu.row();
                let mut values: Vec<Expr> = args
                    .iter()
                    .map(|arg| match arg {
                        Arg::Register(number) => register(*number),
                        Arg::Number(number) => Expr::Number(number.clone()),
                        Arg::Tile(operand) => self.page(operand, &at),
                    })
                    .collect();
                if row.form != crate::tile_ops::SfpuForm::Unary(args.len() - 1) {
                    values.push(register(out));
                }
                let template = match (row.call_template, self.engines.approximate) {
                    ("", true) => row.approximate,
                    ("", false) => row.exact,
                    (template, _) => template,
                };
                call_with(&row.call, template, values)
            }
        }
    }

    fn matmul(&self, matmul: &Matmul, tile_row: Expr, tile_column: Expr) -> Vec<Node<Leaf>> {
        let [h, w] = self.chunk;
        repeat("inner", matmul.k, 1, |inner| {
            let a = op("+", op("*", tile_row, int(matmul.k)), inner.clone());
            let b = op(
                "+",
                op("*", inner, int(matmul.b_step)),
                op("*", tile_column, int(matmul.b_column)),
            );
            let transpose = Expr::Int(i64::from(matmul.transpose));
            vec![Node::Leaf(call(
                &MATMUL_BLOCK,
                [
                    Expr::Buffer(matmul.a),
                    Expr::Buffer(matmul.b),
                    a,
                    b,
                    Expr::Int(0),
                    transpose,
                    int(w),
                    int(h),
                    int(matmul.k),
                ],
            ))]
        })
    }
}

fn op_sum(a: &Expr, b: &Expr) -> Expr {
    op("+", a.clone(), b.clone())
}
