//! D5: the protocol of the destination registers.
//!
//! Before: sections with their transitions (D4). After: for every chunk of tiles acquire, the calls step by step, commit,
//! wait, pack, release; register numbers and tile indices are expressions over the chunk's loops.
//!
//! What stands behind the commit is the packer's thread's: it waits in another way then, and packs once the SFPU is done.
//!
//! Register `q` of tile (r, c) of a chunk of h × w tiles is destination tile `q·h·w + r·w + c`: register 0 is laid out as
//! `matmul_block` leaves it.
//!
//! ```text
//!  section 4 × 4, chunks 2 × 2         for tile_row in (0..4).step(2) { for tile_column in (0..4).step(2) {
//!    reg0 += a · b                ⟹      tile_regs_acquire(); for step { matmul_block(..) } tile_regs_commit();
//!    pack reg0 → y                       tile_regs_wait(); for row, column { pack_tile<true>(..) } tile_regs_release(); } }
//! ```

use super::d3_lower_cb_protocol::{Lowered, written_branch, written_loop};
use super::d4_insert_compute_init::{Body, DEST_TO_SRCA, Engines, IN_32_BITS, functions, sources};
use crate::device::function::*;
use crate::device::{
    Around, Branch, Call, Calls, Compute, ComputeOp, Expr, Leaf, Loop, Operator, Parts, Programs, Section, Source,
    SourceBranch, SourceLoop, Symbol, Template, call, call_with, line, print, tiles, when,
};
use crate::flow::{Arg, Broadcast, Index, Integer, Matmul, Operand, Pack};
use crate::ir::{Rewrite, Stmt};
use crate::pipeline::{Form, Pass, Unit};
use crate::tile_ops::{PackerRow, SfpuForm, SfpuOp, TileOp, spread};
use crate::verify::progress::proved;
use tt_lang::ir::IntExpr;

type Lines = Vec<Stmt<Calls<Symbol>>>;
type Value = Expr<Symbol>;

/// The pass.
pub const PASS: Pass<Unit<Parts<Lowered>>, Unit<Parts<Symbolic>>> = Pass {
    name: "D5 insert_dst_management",
    does: "acquire, commit, wait, pack, release",
    run: |unit| {
        unit.lowered(|facts, parts| {
            Ok(parts.with(|buffers, programs| Programs {
                reader: programs.reader,
                compute: run(&Engines::of(facts, buffers), programs.compute),
                writer: programs.writer,
            }))
        })
    },
    check: proved,
};

/// The programs after D5.
pub type Symbolic = Programs<Calls<Symbol>, Calls<Symbol>, Calls<Symbol>>;

impl Form for Unit<Parts<Symbolic>> {
    const NAME: &'static str = "Device IR: calls";

    fn text(&self) -> Option<String> {
        Some(print::programs(
            &self.facts.kernel,
            &self.program.buffers,
            &self.program.programs,
        ))
    }
}

/// Runs the pass.
pub fn run(engines: &Engines, body: Body) -> Lines {
    let mut lower = Lower {
        engines,
        section: Section {
            first: [0, 0],
            tiles: [1, 1],
            chunk: [1, 1],
            registers: 1,
        },
        by_packer: ByPacker::Packs,
        first: (Expr::Int(0), Expr::Int(0)),
        band: (Expr::Int(0), 0),
        alone: None,
        reduced: [None, None],
    };
    lower.body(body)
}

struct Lower<'a> {
    engines: &'a Engines<'a>,
    /// The section around.
    section: Section,
    /// What the packer's thread does in it.
    by_packer: ByPacker,
    /// The row and column of its chunk's first tile in what it packs to.
    first: (Value, Value),
    /// The first row of the band that it packs to, and how many rows further the last one begins.
    band: (Value, u32),
    /// The tile of the chunk that steps are for, where it is one alone.
    alone: Option<(Value, Value)>,
    /// The row and the column of the tile of operands, where it is not that of the result.
    reduced: [Option<(Value, u32)>; 2],
}

/// What the packer's thread does in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByPacker {
    /// It packs.
    Packs,
    /// It asks the SFPU for something first.
    ComputesAndPacks,
    /// That is what comes next.
    Computes,
}

impl ByPacker {
    fn of(section: &Body) -> ByPacker {
        let is =
            |stmt: &Stmt<Compute<Leaf<Symbol>>>, of: fn(&ComputeOp<Leaf<Symbol>>) -> bool| stmt.op().is_some_and(of);
        let behind = section
            .iter()
            .skip_while(|stmt| !is(stmt, |op| matches!(op, ComputeOp::Commit)));
        match behind
            .clone()
            .any(|stmt| is(stmt, |op| matches!(op, ComputeOp::Tile { .. })))
        {
            true => ByPacker::ComputesAndPacks,
            false => ByPacker::Packs,
        }
    }
}

fn op(op: Operator, a: Value, b: Value) -> Value {
    Expr::binary(op, a, b)
}

fn int(value: u32) -> Value {
    Expr::Int(i64::from(value))
}

/// A loop, or its body alone where it runs once; `index` is what stands for its variable.
fn repeat(name: &str, end: u32, step: u32, body: impl FnOnce(Value) -> Lines) -> Lines {
    if end == step {
        return body(Expr::Int(0));
    }
    vec![tiles(name, end, step, body(Expr::name(name)))]
}

impl Rewrite<Compute<Leaf<Symbol>>, Calls<Symbol>> for Lower<'_> {
    fn op(&mut self, note: Source, op: ComputeOp<Leaf<Symbol>>, out: &mut Lines) {
        let from = out.len();
        match op {
            ComputeOp::Plain(leaf) => out.push(line(leaf)),
            ComputeOp::Matmul(matmul) => out.extend(self.matmul(&matmul)),
            ComputeOp::Tile { op, out: result, args } => out.extend(self.tiles(|row, column| {
                let at = self.at(&row, &column);
                vec![line(self.tile(op, result, &args, at, (row, column)))]
            })),
            ComputeOp::Commit => {
                out.push(line(call(&TILE_REGS_COMMIT, [])));
                out.push(line(match self.by_packer {
                    ByPacker::Packs => call(&TILE_REGS_WAIT, []),
                    ByPacker::ComputesAndPacks | ByPacker::Computes => call(&PACKER_SFPU_BEGIN, []),
                }));
                if self.by_packer == ByPacker::ComputesAndPacks {
                    self.by_packer = ByPacker::Computes;
                }
            }
            ComputeOp::Pack { register, to } => {
                if self.by_packer == ByPacker::Computes {
                    out.push(line(call(&PACKER_SFPU_END, [])));
                }
                out.extend(self.pack(register, &to));
            }
        }
        if let Some(first) = out.get_mut(from) {
            first.note = note;
        }
    }

    fn group(&mut self, note: Source, around: Around, body: Body, out: &mut Lines) {
        let section = match around {
            Around::Section(section) => section,
            Around::Bands { first, rows, count } => return out.extend(self.bands([first, rows, count], body)),
            Around::Along { axis, tiles } => return out.extend(self.along(axis, tiles, body)),
            Around::Unless(negative) => return out.extend(self.unless(&negative, body)),
        };
        let ([rows, columns], [h, w]) = (section.tiles, section.chunk);
        let [first_row, first_column] = section.first.map(int);
        let outer = (self.section.clone(), self.first.clone());
        self.section = section;
        self.by_packer = ByPacker::of(&body);
        let from = out.len();
        out.extend(repeat("tile_row", rows, h, |tile_row| {
            repeat("tile_column", columns, w, |tile_column| {
                self.first = (op_sum(&tile_row, &first_row), op_sum(&tile_column, &first_column));
                let mut chunk = vec![line(call(&TILE_REGS_ACQUIRE, []))];
                chunk.extend(self.body(body));
                chunk.push(line(call(&TILE_REGS_RELEASE, [])));
                chunk
            })
        }));
        (self.section, self.first) = outer;
        if let Some(first) = out.get_mut(from) {
            first.note = note;
        }
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

impl Lower<'_> {
    fn pack(&self, register: u32, to: &Pack) -> Lines {
        let [_, columns] = self.engines.buffers[to.buffer.0].tiles;
        self.tiles(|row, column| {
            let index = op(
                Operator::Add,
                op(Operator::Mul, op_sum(&self.first.0, &row), int(columns)),
                op_sum(&self.first.1, &column),
            );
            let register = self.register(register, &(row, column));
            vec![line(call_with(
                &PACK_TILE,
                "true",
                [register, Expr::Buffer(to.buffer), index],
            ))]
        })
    }

    /// The lines for every tile of the chunk, or for the one alone that there is.
    fn tiles(&self, lines: impl FnOnce(Value, Value) -> Lines) -> Lines {
        if let Some((row, column)) = &self.alone {
            return lines(row.clone(), column.clone());
        }
        let [h, w] = self.section.chunk;
        repeat("row", h, 1, |row| repeat("column", w, 1, |column| lines(row, column)))
    }

    /// The row of its chunk's first tile in operands.
    fn first_row(&self) -> Value {
        op_sum(&self.band.0, &self.first.0)
    }

    /// The tile of operands that the tile (row, column) of the chunk is computed from.
    fn at(&self, row: &Value, column: &Value) -> (Value, Value) {
        let [reduced_row, reduced_column] = &self.reduced;
        (
            match reduced_row {
                Some((row, _)) => row.clone(),
                None => op_sum(&self.first_row(), row),
            },
            match reduced_column {
                Some((column, _)) => column.clone(),
                None => op_sum(&self.first.1, column),
            },
        )
    }

    /// `body` for every band of rows of a version: how many rows, from which on, and how many bands.
    fn bands(&mut self, [first, rows, count]: [u32; 3], body: Body) -> Lines {
        let end = rows.saturating_mul(count);
        repeat("tile_row", end, rows, |tile_row| {
            let last = first.saturating_add(end).saturating_sub(rows);
            let outer = std::mem::replace(&mut self.band, (op_sum(&tile_row, &int(first)), last));
            let body = self.body(body);
            self.band = outer;
            body
        })
    }

    fn along(&mut self, axis: usize, tiles: u32, body: Body) -> Lines {
        let name = ["reduced_row", "reduced_column"][axis];
        repeat(name, tiles, 1, |tile| {
            let outer = self.reduced[axis].replace((tile, tiles));
            let body = self.body(body);
            self.reduced[axis] = outer;
            body
        })
    }

    /// `body` for every tile in which the integer is not below zero everywhere.
    fn unless(&mut self, negative: &Index, body: Body) -> Lines {
        let [h, w] = self.section.chunk;
        let [_, most] = negative.span();
        repeat("row", h, 1, |row| {
            repeat("column", w, 1, |column| {
                let first = integer(&negative.rest, negative.per_tile(), &self.at(&row, &column));
                let cond = op(Operator::Add, first, Expr::Int(most));
                let outer = self.alone.replace((row, column));
                let body = self.body(body);
                self.alone = outer;
                if matches!(cond, Expr::Int(0..)) {
                    return body;
                }
                vec![when(op(Operator::AtLeast, cond, Expr::Int(0)), body, Vec::new())]
            })
        })
    }

    /// The destination tile of a register of the tile (row, column) of the chunk.
    fn register(&self, register: u32, at: &(Value, Value)) -> Value {
        let [h, w] = self.section.chunk;
        let tile = op(Operator::Add, op(Operator::Mul, at.0.clone(), int(w)), at.1.clone());
        op(Operator::Add, tile, int(register * h * w))
    }

    /// The page of an operand for the tile `at` of the section.
    fn page(&self, operand: &Operand, at: &(Value, Value)) -> Value {
        let tiles = self.engines.buffers[operand.buffer.0].tiles;
        let columns = int(tiles[1]);
        let [row_offset, column_offset] = operand.offset.map(|offset| Expr::Int(i64::from(offset)));
        let (row, column) = at.clone();
        let (row, column) = match operand.broadcast {
            Broadcast::None => (
                op(Operator::Add, row, row_offset),
                op(Operator::Add, column, column_offset),
            ),
            Broadcast::Row => (row_offset, op(Operator::Add, column, column_offset)),
            Broadcast::Column => (op(Operator::Add, row, row_offset), column_offset),
            Broadcast::Scalar => (row_offset, column_offset),
            Broadcast::Transpose => (
                op(Operator::Add, column, row_offset),
                op(Operator::Add, row, column_offset),
            ),
        };
        let [row, column] = [(0, row), (1, column)].map(|(axis, at)| self.held(operand, axis, at));
        op(Operator::Add, op(Operator::Mul, row, columns), column)
    }

    /// The row (0) or column (1) of a tile that an operand has, where it may not have that of a tile of the section.
    fn held(&self, operand: &Operand, axis: usize, at: Value) -> Value {
        let along = match operand.broadcast {
            Broadcast::None => axis,
            Broadcast::Transpose => 1 - axis,
            Broadcast::Row if axis == 1 => axis,
            Broadcast::Column if axis == 0 => axis,
            Broadcast::Row | Broadcast::Column | Broadcast::Scalar => return at,
        };
        let tiles = i64::from(self.engines.buffers[operand.buffer.0].tiles[axis]);
        let first = i64::from(operand.offset[axis]);
        if let Expr::Int(at) = at {
            return Expr::Int(at.clamp(0, tiles.saturating_sub(1).max(0)));
        }
        let at = if first < 0 {
            Expr::operation(Operator::Max, at, Expr::Int(0))
        } else {
            at
        };
        let counted = self.reduced[along].as_ref().map(|(_, tiles)| *tiles);
        let band = if along == 0 { self.band.1 } else { 0 };
        let end = counted.unwrap_or(band + self.section.first[along] + self.section.tiles[along]);
        match first.saturating_add(i64::from(end)) > tiles {
            true => Expr::operation(Operator::Min, at, Expr::Int(tiles - 1)),
            false => at,
        }
    }

    fn tile(
        &self,
        tile_op: TileOp,
        out: u32,
        args: &[Arg],
        at: (Value, Value),
        within: (Value, Value),
    ) -> Leaf<Symbol> {
        let register = |register: u32| self.register(register, &within);
        let values = args.iter().map(|arg| match arg {
            Arg::Register(number) => register(*number),
            Arg::Number(number) => Expr::Value(Symbol::Number(number.clone())),
            Arg::Integer(of) if tile_op == TileOp::Sfpu(SfpuOp::FillInteger) => integer(&of.first, of.per_tile, &at),
            Arg::Integer(of) => bits(of, &at),
            Arg::Tile(operand) => self.page(operand, &at),
            Arg::Constant(_) => Expr::Int(0),
        });
        let result = register(out);
        match tile_op {
            TileOp::Load => {
                let [(buffer, broadcast)] = sources(args);
                let operands = [Expr::Buffer(buffer)].into_iter().chain(values).chain([result]);
                if let Some(template) = spread(broadcast) {
                    return call_with(&UNARY_BCAST, template, operands);
                }
                let function = match broadcast {
                    Broadcast::Transpose if !self.engines.buffers[buffer.0].unpack_to_dest => &TRANSPOSE_TILE,
                    Broadcast::Transpose | Broadcast::None | Broadcast::Row | Broadcast::Column | Broadcast::Scalar => {
                        &COPY_TILE
                    }
                };
                call(function, operands)
            }
            TileOp::Fpu(fpu) => {
                let [(a, _), (b, broadcast)] = sources(args);
                let (_, function) = functions(fpu, broadcast);
                let buffers = [a, b].map(Expr::Buffer);
                call(function, buffers.into_iter().chain(values).chain([result]))
            }
            TileOp::MulReuse => {
                let [(b, _)] = sources(args);
                let operands = [Expr::Buffer(b)].into_iter().chain(values).chain([result]);
                call_with(&MUL_REUSE_DEST_TILES, DEST_TO_SRCA, operands)
            }
            TileOp::TransposeDest => call_with(&TRANSPOSE_DEST, IN_32_BITS, [result]),
            TileOp::Fill => call(&SfpuOp::FillBits.row().call, [result].into_iter().chain(values)),
            TileOp::Sfpu(sfpu) => {
                let row = sfpu.row();
                let mut values: Vec<Value> = values.collect();
                // Behind the operands, before the numbers; what works in place has none.
                match row.form {
                    SfpuForm::Unary(numbers) if numbers + 1 == args.len() => {}
                    SfpuForm::Unary(_) | SfpuForm::Binary => values.push(result),
                    SfpuForm::Ternary(_) => values.insert(3, result),
                }
                let template = match (row.call_template, self.engines.approximate) {
                    ("", true) => row.approximate,
                    ("", false) => row.exact,
                    (template, _) => template,
                };
                let function = match (self.by_packer, PackerRow::of(sfpu)) {
                    (ByPacker::Computes, Some(of_packer)) => of_packer.call,
                    (ByPacker::Computes, None) | (ByPacker::Packs | ByPacker::ComputesAndPacks, _) => &row.call,
                };
                call_with(function, template, values)
            }
        }
    }

    fn matmul(&self, matmul: &Matmul) -> Lines {
        let [h, w] = self.section.chunk;
        let (tile_row, tile_column) = (self.first_row(), self.first.1.clone());
        repeat("inner", matmul.k, 1, |inner| {
            let a = op(Operator::Add, op(Operator::Mul, tile_row, int(matmul.k)), inner.clone());
            let b = op(
                Operator::Add,
                op(Operator::Mul, inner, int(matmul.b_step)),
                op(Operator::Mul, tile_column, int(matmul.b_column)),
            );
            let transpose = Expr::Int(i64::from(matmul.transpose));
            vec![line(call(
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

fn op_sum(a: &Value, b: &Value) -> Value {
    op(Operator::Add, a.clone(), b.clone())
}

/// An integer of the tile `at`, from that of the first tile.
fn integer(first: &IntExpr, per_tile: [i64; 2], at: &(Value, Value)) -> Value {
    let [down, right] = per_tile.map(Expr::Int);
    let moved = op(
        Operator::Add,
        op(Operator::Mul, at.0.clone(), down),
        op(Operator::Mul, at.1.clone(), right),
    );
    let first = match first {
        IntExpr::Const(value) => Expr::Int(*value),
        IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => {
            Expr::Value(Symbol::Wide(first.clone()))
        }
    };
    op(Operator::Add, first, moved)
}

/// Its bits as a number.
fn bits(of: &Integer, at: &(Value, Value)) -> Value {
    let [least, most] = of.between.unwrap_or([i32::MIN, i32::MAX].map(i64::from));
    let call = |function, args| {
        let template = Template::default();
        Expr::Call(Box::new(Call {
            function,
            template,
            args,
        }))
    };
    let value = integer(&of.first, of.per_tile, at);
    let value = match of.over {
        1 => value,
        over => call(&FLOOR_QUOTIENT, vec![value, Expr::Int(over)]),
    };
    call(&NUMBER_BITS, vec![value, Expr::Int(least), Expr::Int(most)])
}
