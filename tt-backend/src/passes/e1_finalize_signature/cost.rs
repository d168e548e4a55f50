//! What a block of the grid takes, for launches to choose by.
//!
//! Every statement is counted as often as it runs: the product of the counts of the loops around it. A variable of a loop or of the
//! grid is taken to be in the middle of its values, and the sides of a branch run in the turns in which its condition holds or not
//! ([`hits`](super::hits)); where that is not known, of the two sides each figure is the larger one. A count that depends on what a
//! tensor holds is not known, and nothing is said of such a kernel then.

use super::hits::Part;
use super::integers::{At, Integers, Values};
use super::regions;
use super::takes::{Count, Cycles, Moved, OnChips, Takes, Times, When, constant, product, spend, unpacked};
use crate::device::function::*;
use crate::device::{Branch, Call, Calls, Expr, Leaf, Loop, Operator, Symbol, TemplateArg, Turn};
use crate::flow::{Buffer, BufferId, BufferKind, Unchanged};
use crate::ir::{Kind, Stmt, operations, visit};
use crate::passes::b2_grid_to_cores::{noc_of, versions_of};
use crate::passes::c3_build_dataflow::kept::changes;
use crate::tile_ops::PackerRow;
use std::collections::{BTreeMap, BTreeSet};
use tt_device::costs::{Costs, vector};
use tt_device::{ArchName, DataFormat, TILE};
use tt_lang::ir::{Fidelity, IntOp, Kernel, ParamId};
use tt_plan::{BlockCost, BlockRegion, CoreLine, Direction, EngineCycles, Formula, InLine, Operand, RunCost, formula};

/// Elements of a row in a face of a tile.
const FACE: i64 = TILE / 2;

/// Transfers of a few elements for each row of a tile, at most (`codegen::edges`).
const RUNS: i64 = 3;

/// Bytes of one.
const RUN_BYTES: u64 = 64;

/// Arguments of a transfer of rows: what of the region's rows and columns is left from the tile on.
const COUNTS: [usize; 2] = [8, 9];

/// What a block takes, but for how many phases a product has.
pub struct Counted {
    names: BTreeMap<ParamId, String>,
    reads: Takes,
    writes: Takes,
    computes: Takes,
    ahead: bool,
    regions: BTreeMap<(ParamId, Direction), Option<BlockRegion>>,
    registers: u32,
    unknown: BTreeSet<&'static str>,
}

impl Counted {
    /// What the programs of a kernel take; none where that depends on what tensors hold.
    pub fn of(
        kernel: &Kernel,
        (buffers, registers): (&[Buffer], u32),
        programs: [&[Stmt<Calls<Symbol>>]; 3],
    ) -> Option<Counted> {
        let mut counting = Counting {
            kernel,
            buffers,
            integers: Integers {
                kernel,
                values: BTreeMap::new(),
            },
            accumulates: false,
            is_last_turn: false,
            sends: false,
            unknown: BTreeSet::new(),
        };
        for (var, extent) in &kernel.grid.axes {
            let all = [Formula::Const(0), formula(kernel, &extent.value)?];
            let values = Values {
                usual: all.clone(),
                all,
                is_of_loop: false,
            };
            counting.integers.values.insert(*var, values);
        }
        let [reads, computes, writes] = programs.map(|body| counting.program(body, &Times::ONCE));
        let params = (0..).map(ParamId).take(kernel.params.len());
        let names = params.filter_map(|id| Some((id, kernel.tensor(id)?.name.clone())));
        Some(Counted {
            names: names.collect(),
            reads: reads?,
            computes: computes?,
            ahead: begin_ahead(programs[0]),
            regions: regions::of(kernel),
            registers,
            writes: writes?,
            unknown: counting.unknown,
        })
    }

    /// The same for a fidelity.
    pub fn at(&self, fidelity: Fidelity) -> BlockCost {
        let computed = self.computes.computed.iter().zip(&self.computes.in_steps);
        let compute = ArchName::ALL.iter().zip(computed);
        let compute = compute.map(|(chip, (all, in_steps))| EngineCycles {
            architecture: chip.chip().name.to_string(),
            all: all.cycles(fidelity),
            in_steps: in_steps.cycles(fidelity),
        });
        let moved = self.reads.operands.iter().chain(&self.writes.operands);
        let operands = moved.filter_map(|((tensor, direction, line, when), moved)| {
            Some(Operand {
                tensor: self.names.get(tensor)?.clone(),
                direction: *direction,
                line: *line,
                once: *when == When::Once,
                run: match when {
                    When::EachRun(axes) => axes.clone(),
                    When::EachBlock | When::Once => Vec::new(),
                },
                count: moved.count.formula(),
                bytes: moved.bytes.formula(),
                region: self.regions.get(&(*tensor, *direction)).cloned().flatten(),
            })
        });
        BlockCost {
            operands: operands.collect(),
            ahead: self.ahead,
            reads: self.reads.own.transfers(),
            shared: self.reads.shared.each_ref().map(Moved::transfers),
            once: self.reads.once.transfers(),
            shared_once: self.reads.shared_once.each_ref().map(Moved::transfers),
            runs: self
                .reads
                .runs
                .iter()
                .map(|(axes, (own, shared))| RunCost {
                    axes: axes.clone(),
                    reads: own.transfers(),
                    shared: shared.each_ref().map(Moved::transfers),
                })
                .collect(),
            writes: self.writes.own.transfers(),
            compute: compute.collect(),
            registers: self.registers,
            unknown: self.unknown.iter().map(|name| (*name).to_string()).collect(),
        }
    }
}

/// Goes through programs.
struct Counting<'k> {
    kernel: &'k Kernel,
    buffers: &'k [Buffer],
    integers: Integers<'k>,
    /// Whether the packer adds to what is in L1.
    accumulates: bool,
    /// What is counted is what a last turn does beside what every turn does.
    is_last_turn: bool,
    /// Whether the program sends versions, which counts with that they have left.
    sends: bool,
    unknown: BTreeSet<&'static str>,
}

impl Counting<'_> {
    /// What a program takes for a block, and what it moves once, before the first.
    fn program(&mut self, body: &[Stmt<Calls<Symbol>>], once: &Times) -> Option<Takes> {
        self.sends = sends(body) > 0;
        let is_blocks = |stmt: &Stmt<Calls<Symbol>>| matches!(stmt.kind, Kind::Loop(Loop::Blocks { .. }, _));
        let (before, rest) = body.split_at(body.iter().position(is_blocks).unwrap_or(0));
        let mut takes = self.side(before, once)?.once();
        self.body(rest, once, &mut takes)?;
        Some(takes)
    }

    /// What statements take that run so often.
    fn side(&mut self, body: &[Stmt<Calls<Symbol>>], times: &Times) -> Option<Takes> {
        let mut takes = Takes::default();
        self.body(body, times, &mut takes)?;
        Some(takes)
    }

    /// Adds what statements take that run so often.
    fn body(&mut self, body: &[Stmt<Calls<Symbol>>], times: &Times, takes: &mut Takes) -> Option<()> {
        for stmt in body {
            match &stmt.kind {
                Kind::Op(leaf) => self.leaf(leaf, times, takes),
                Kind::Group(_, body) | Kind::Loop(Loop::Blocks { .. }, body) => self.body(body, times, takes)?,
                Kind::Loop(Loop::Tiles { end, step, .. }, body) => {
                    let turns = constant(u64::from(end.div_ceil((*step).max(1))));
                    self.body(body, &times.by(&turns), takes)?;
                }
                Kind::Loop(Loop::Over { var, start, end, .. }, body) => {
                    let all = [
                        self.integers.value_at(start, At::First)?,
                        self.integers.value_at(end, At::Last)?,
                    ];
                    let (start, end) = (self.integers.value(start)?, self.integers.value(end)?);
                    let turns = match start == Formula::Const(0) {
                        true => end.clone(),
                        false => Formula::binary(IntOp::Sub, end.clone(), start.clone()),
                    };
                    let turns = match self.integers.is_natural(&turns) {
                        true => turns,
                        false => Formula::binary(IntOp::Max, turns, Formula::Const(0)),
                    };
                    let values = Values {
                        usual: [start, end],
                        all,
                        is_of_loop: true,
                    };
                    let outer = self.integers.values.insert(*var, values);
                    let mut of_loop = self.side(body, &times.by(&turns))?;
                    if self.reads(body) {
                        of_loop.in_steps = of_loop.computed.clone();
                    }
                    match outer {
                        Some(outer) => self.integers.values.insert(*var, outer),
                        None => self.integers.values.remove(var),
                    };
                    takes.and(of_loop, Count::sum);
                    if let Some(last) = last_turn(body) {
                        let outer = std::mem::replace(&mut self.is_last_turn, true);
                        let of_last = self.side(last, times)?;
                        self.is_last_turn = outer;
                        takes.and(of_last, Count::sum);
                    }
                }
                Kind::If(branch, then, _) if branch.cause.turn() == Some(Turn::BeforeLast) => {
                    self.body(then, times, takes)?;
                }
                Kind::If(branch, then, _) if let Some(axes) = self.run_begun_by(branch) => {
                    let of_run = self.side(then, times)?.where_run_begins(&axes);
                    takes.and(of_run, Count::sum);
                }
                Kind::If(branch, then, otherwise) if let Some(part) = self.part(branch) => {
                    self.body(then, &times.part(&part), takes)?;
                    self.body(otherwise, &times.part(&part.rest()), takes)?;
                }
                Kind::If(_, then, otherwise) => {
                    let mut of_then = self.side(then, times)?;
                    let of_branch = match line_of(then).or_else(|| line_of(otherwise)) {
                        // Of the line's sender; the others are told.
                        Some(line) => {
                            let of_line =
                                |((tensor, direction, _, when), moved)| ((tensor, direction, Some(line), when), moved);
                            let mut takes = Takes {
                                operands: of_then.operands.into_iter().map(of_line).collect(),
                                ..Takes::default()
                            };
                            takes.shared[line.number()] = of_then.own;
                            takes
                        }
                        None => {
                            of_then.and(self.side(otherwise, times)?, Count::larger);
                            of_then
                        }
                    };
                    takes.and(of_branch, Count::sum);
                }
            }
        }
        Some(())
    }

    /// In how many turns a condition of the kernel's own holds.
    fn part(&self, branch: &Branch<Symbol>) -> Option<Part> {
        let Expr::Value(Symbol::Condition(cond)) = &branch.cond else {
            return None;
        };
        self.integers.part(cond)
    }

    /// The axes of the grid that stay in the runs of blocks of which a branch asks whether one begins.
    fn run_begun_by(&self, branch: &Branch<Symbol>) -> Option<Vec<usize>> {
        let Expr::Value(Symbol::Condition(cond)) = &branch.cond else {
            return None;
        };
        let kept = self.buffers.iter().map(Buffer::kept_while);
        let unchanged = kept
            .into_iter()
            .find(|unchanged| changes(unchanged).as_ref() == Some(cond))?;
        let axis = |of: &Unchanged| self.kernel.grid.axes.iter().position(|(var, _)| *var == of.axis);
        unchanged.iter().map(axis).collect()
    }

    /// Whether statements wait for what is read.
    fn reads(&self, body: &[Stmt<Calls<Symbol>>]) -> bool {
        let mut found = false;
        visit(body, &mut |stmt| {
            if let Some(Leaf::Call(call)) = stmt.op()
                && *call.function == CB_WAIT_FRONT
                && let Some(Expr::Buffer(BufferId(id))) = call.args.first()
            {
                found |= self
                    .buffers
                    .get(*id)
                    .is_some_and(|buffer| buffer.kind == BufferKind::Incoming);
            }
        });
        found
    }

    fn leaf(&mut self, leaf: &Leaf<Symbol>, times: &Times, takes: &mut Takes) {
        match leaf {
            Leaf::Call(call) | Leaf::Define { call, .. } => {
                let is_of_compute = |header: &str| header.starts_with("api/compute/");
                if !call.function.header.is_some_and(is_of_compute) {
                    self.moves(call, times, takes);
                }
                if call.function.header.is_none_or(is_of_compute) {
                    self.computes(call, times, &mut takes.computed);
                }
            }
            Leaf::Let { .. } | Leaf::Advance { .. } => {}
        }
    }

    fn moves(&self, call: &Call<Symbol>, times: &Times, takes: &mut Takes) {
        let tensor = call.args.iter().find_map(|arg| {
            if let Expr::Accessor(tensor) = arg {
                Some(*tensor)
            } else {
                None
            }
        });
        let page = || {
            let tensor = tensor.and_then(|tensor| self.kernel.tensor(tensor));
            tensor.map_or(0, |tensor| u64::from(DataFormat::of(tensor.element.value).tile_bytes()))
        };
        let function = call.function;
        // What lies where it is to go is left out of a launch.
        let pages = [
            &NOC_ASYNC_READ_PAGE,
            &NOC_ASYNC_WRITE_PAGE,
            &READ_PLACED_PAGE,
            &WRITE_PLACED_PAGE,
        ];
        let (count, bytes, waits) = if function.is_among(&pages) {
            (constant(1), constant(page()), 0)
        } else if function.is_among(&[&READ_ROWS, &WRITE_ROWS]) {
            let [rows, faces] = self.rows_moved(call);
            let row_bytes = template_integer(call, 0).unwrap_or(0);
            let bytes = product(&product(&rows, &faces), &Formula::Const(row_bytes));
            (product(&runs_of(call, rows), &faces), bytes, 0)
        } else if function.is_among(&[&READ_ELEMENTS, &WRITE_ELEMENTS]) {
            let [rows, _] = self.rows_moved(call);
            let count = product(&rows, &Formula::Const(RUNS));
            (count.clone(), product(&count, &constant(RUN_BYTES)), 2)
        } else if *function == READ_INTEGER {
            (constant(1), constant(RUN_BYTES), 1)
        } else if function.is_among(&[&NOC_ASYNC_READ_BARRIER, &NOC_ASYNC_WRITE_BARRIER, &SEND_VERSION])
            || *function == NOC_ASYNC_WRITES_FLUSHED && !self.sends
        {
            (constant(0), constant(0), 1)
        } else {
            return;
        };
        takes.own.count.add_each(times, &count);
        takes.own.bytes.add_each(times, &bytes);
        takes.own.waits.add(times, waits);
        if let Some(tensor) = tensor
            && bytes != constant(0)
        {
            let writes = [&NOC_ASYNC_WRITE_PAGE, &WRITE_PLACED_PAGE, &WRITE_ROWS, &WRITE_ELEMENTS];
            let direction = match function.is_among(&writes) {
                true => Direction::Written,
                false => Direction::Read,
            };
            let operand = takes
                .operands
                .entry((tensor, direction, None, When::EachBlock))
                .or_default();
            operand.count.add_each(times, &count);
            operand.bytes.add_each(times, &bytes);
        }
    }

    /// Rows of a tile that a transfer of rows moves, and faces beside each other that they lie in: all of a tile where more are asked for.
    fn rows_moved(&self, call: &Call<Symbol>) -> [Formula; 2] {
        let of_tile = |arg: usize| {
            let rest = match call.args.get(arg) {
                Some(Expr::Binary(Operator::Sub, count, _)) => self.integers.value(count),
                Some(_) | None => None,
            };
            let whole = Formula::Const(TILE);
            rest.map_or(whole.clone(), |rest| Formula::binary(IntOp::Min, rest, whole))
        };
        let [rows, columns] = COUNTS.map(of_tile);
        [rows, Formula::binary(IntOp::CeilDiv, columns, Formula::Const(FACE))]
    }

    /// Bytes of a tile of the buffer that is this argument.
    fn tile_bytes(&self, call: &Call<Symbol>, arg: usize) -> u64 {
        match call.args.get(arg) {
            Some(Expr::Buffer(BufferId(id))) => self
                .buffers
                .get(*id)
                .map_or(0, |buffer| u64::from(buffer.format.tile_bytes())),
            _ => 0,
        }
    }

    fn computes(&mut self, call: &Call<Symbol>, times: &Times, computed: &mut OnChips) {
        let function = call.function;
        let name = function.name;
        let mut spend = |cycles: &dyn Fn(&Costs) -> Cycles| spend(computed, times, cycles);
        let unpack = |unpack| Cycles {
            unpack,
            ..Cycles::default()
        };
        let math = |math| Cycles {
            math,
            ..Cycles::default()
        };
        let pack = |pack| Cycles {
            pack,
            ..Cycles::default()
        };
        if function.is_among(&[&CB_WAIT_FRONT, &CB_POP_FRONT]) {
            spend(&|costs| unpack(costs.buffer));
        } else if function.is_among(&[&CB_RESERVE_BACK, &CB_PUSH_BACK]) {
            spend(&|costs| pack(costs.buffer));
        } else if function.is_among(&[&TILE_REGS_ACQUIRE, &TILE_REGS_COMMIT]) {
            spend(&|costs| math(costs.registers));
        } else if function.is_among(&[&TILE_REGS_WAIT, &PACKER_SFPU_BEGIN, &TILE_REGS_RELEASE]) {
            spend(&|costs| pack(costs.registers));
        } else if *function == MATMUL_BLOCK && self.is_last_turn {
            // Counted with those of all turns.
        } else if *function == MATMUL_BLOCK {
            let [columns, rows] = [6, 7].map(|at: usize| match call.args.get(at) {
                Some(Expr::Int(tiles)) => u64::try_from(*tiles).unwrap_or(1),
                _ => 1,
            });
            let tiles = columns.saturating_mul(rows);
            // The operand with fewer tiles is unpacked once, the other for every tile.
            let [first, second] = if columns >= rows {
                [rows, tiles]
            } else {
                [tiles, columns]
            };
            let bytes = [(0, first), (1, second)].map(|(arg, tiles)| self.tile_bytes(call, arg).saturating_mul(tiles));
            spend(&|costs| Cycles {
                unpack: unpacked(costs, bytes, tiles),
                phases: tiles.saturating_mul(costs.matmul),
                ..math(costs.matrix_call)
            });
        } else if let Some(factors) = factors(function) {
            let bytes = factors.map(|arg| arg.map_or(0, |arg| self.tile_bytes(call, arg)));
            spend(&|costs| Cycles {
                unpack: unpacked(costs, bytes, 1),
                phases: costs.eltwise,
                ..math(costs.matrix_call)
            });
        } else if *function == PACK_TILE {
            let bytes = (0..call.args.len()).fold(0u64, |sum, arg| sum.saturating_add(self.tile_bytes(call, arg)));
            spend(&|costs| {
                let bytes = bytes.saturating_mul(if self.accumulates { costs.accumulate } else { 1 });
                pack(bytes.div_ceil(costs.pack).saturating_add(costs.pack_call))
            });
        } else if *function == PACK_RECONFIG_L1_ACC {
            self.accumulates = call.args.first() != Some(&Expr::Int(0));
            spend(&|costs| pack(costs.configure));
        } else if let Some(row) = PackerRow::of_call(function) {
            let name = row.op.row().call.name;
            match vector::cycles_per_tile(name) {
                Some(cycles) => spend(&|costs| pack(cycles.saturating_add(costs.vector_call))),
                None => drop(self.unknown.insert(name)),
            }
        } else if name.starts_with("pack_reconfig")
            || *function == PACK_RELU_CONFIG
            || PackerRow::of_init(function).is_some()
        {
            spend(&|costs| pack(costs.configure));
        } else if name.ends_with("_init") || name.ends_with("_uninit") || name.starts_with("reconfig_") {
            spend(&|costs| Cycles {
                unpack: costs.configure,
                ..math(costs.configure)
            });
        } else if call.args.iter().any(|arg| matches!(arg, Expr::Buffer(_))) && function.header.is_some() {
            let bytes = [0, 1].map(|arg| self.tile_bytes(call, arg));
            spend(&|costs| Cycles {
                unpack: unpacked(costs, bytes, 1),
                ..math(costs.eltwise.saturating_add(costs.matrix_call))
            });
        } else if function.header.is_some_and(|header| header.starts_with("api/compute/")) && name.ends_with("_tile") {
            match vector::cycles_per_tile(name) {
                Some(cycles) => spend(&|costs| math(cycles.saturating_add(costs.vector_call))),
                None => drop(self.unknown.insert(name)),
            }
        }
    }
}

/// An integer of the template of a call.
fn template_integer(call: &Call<Symbol>, at: usize) -> Option<i64> {
    match call.template.args().get(at) {
        Some(TemplateArg::Int(value)) => Some(*value),
        Some(TemplateArg::Words(_)) | None => None,
    }
}

/// Transfers of so many rows in one face: those that follow each other in a face of the tensor, too, are one (`codegen::edges`). As many as
/// a tile has begin within a face of the tensor, else they were pages; fewer are taken to lie in one.
fn runs_of(call: &Call<Symbol>, rows: Formula) -> Formula {
    let template = [1, 2, 3].map(|at| template_integer(call, at));
    if template != [Some(TILE), Some(1), None] {
        return rows;
    }
    let faces = Formula::binary(IntOp::CeilDiv, rows.clone(), Formula::Const(FACE));
    if matches!(rows, Formula::Const(..TILE)) {
        return faces;
    }
    Formula::binary(IntOp::Min, rows, product(&faces, &Formula::Const(2)))
}

/// How many statements send a version.
fn sends(body: &[Stmt<Calls<Symbol>>]) -> usize {
    let mut count = 0;
    operations(body, &mut |leaf| {
        count += usize::from(matches!(leaf, Leaf::Call(call) if *call.function == SEND_VERSION));
    });
    count
}

/// Whether all that is sent is in loops whose turns begin ahead.
fn begin_ahead(body: &[Stmt<Calls<Symbol>>]) -> bool {
    let mut ahead = 0;
    visit(body, &mut |stmt| {
        if let Kind::Loop(Loop::Over { ahead: true, .. }, body) = &stmt.kind {
            ahead += sends(body);
        }
    });
    ahead > 0 && ahead == sends(body)
}

/// What the last turn of a loop does otherwise than the others.
fn last_turn(body: &[Stmt<Calls<Symbol>>]) -> Option<&[Stmt<Calls<Symbol>>]> {
    body.iter().find_map(|stmt| match &stmt.kind {
        Kind::If(branch, _, otherwise) if branch.cause.turn() == Some(Turn::BeforeLast) => Some(otherwise.as_slice()),
        Kind::Op(_) | Kind::Loop(..) | Kind::If(..) | Kind::Group(..) => None,
    })
}

/// The line of cores whose sender sends a version in these statements, or is told that there is room for it.
fn line_of(body: &[Stmt<Calls<Symbol>>]) -> Option<CoreLine> {
    body.iter().find_map(|stmt| match stmt.op() {
        Some(Leaf::Call(call)) if call.function.is_among(&[&SEND_VERSION, &EXPECT_VERSION]) => {
            let is_told = |line: &CoreLine| {
                let [(x, _), _] = noc_of(*line, InLine::Sender);
                [versions_of(*line), x]
                    .iter()
                    .any(|name| call.args.contains(&Expr::Name(name.clone())))
            };
            CoreLine::ALL.into_iter().find(is_told)
        }
        _ => None,
    })
}
