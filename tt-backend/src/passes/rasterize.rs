//! rasterize: from a running block number to grid coordinates, in the order asked for.
//!
//! Before: programs in which a loop over blocks gives a number, and statements mention axes of the grid. After: the axes are computed
//! from it at the head of that loop.
//!
//! The arithmetic is that of `tt_plan::CoreWork::blocks` and `BlockOrder::position`, statement by statement; a test runs both. A core of a
//! rectangle that a round has no block for goes along with the last one (`multicast_reuse`).
//!
//! A program that asks whether a variable is another than in the block before (C3, what is kept over runs) remembers what it was.
//!
//! Where two blocks may store the same element (B1), the writer says at which block it is.
//!
//! ```text
//!  row_major over (gx, gy)   ⟹   bx = block_id % gx;  by = block_id / gx;
//! ```

use super::b1_partition_work::Partition;
use super::b2_grid_to_cores::{
    BLOCK_ID, IS_OWN, RUN_LENGTH, RUN_PITCH, SHARD_BLOCK, START_ID, cores_of, every_of, place_in, rounds_of,
};
use super::give_names::Named;
use crate::device::function::{DEVICE_TIMESTAMPED_DATA, PLACE_ON_CURVE};
use crate::device::{
    Branch, Call, Calls, CppType, Expr, Leaf, Loop, Operator, Programs, Symbol, TemplateArg, call, line,
};
use crate::flow::{BEFORE_ALL, Buffer, Unchanged};
use crate::ir::{Kind, Stmt, visit};
use crate::pipeline::{Pass, Unit};
use crate::verify::tile::rasterized;
use std::collections::BTreeSet;
use tt_lang::ir::{IntExpr, IntOp, Kernel};
use tt_plan::{BlockOrder, CoreLine, PartitionMode, Placement, WorkPartition};

/// The pass.
pub const PASS: Pass<Unit<Named>, Unit<Named>> = Pass {
    name: "rasterize",
    does: "from a running block number to grid coordinates",
    run: |unit| {
        unit.changed(|facts, named| {
            let work = facts.partition.work;
            let follow = !rounds_of(work.placement, &named.parts.buffers).is_empty();
            let coordinates = coordinates(&facts.kernel, work, follow, &named.variables);
            let Programs {
                reader,
                compute,
                writer,
            } = &mut named.parts.programs;
            let runs = Runs {
                buffers: &named.parts.buffers,
                variables: &named.variables,
            };
            runs.follow(&coordinates, reader);
            runs.follow(&coordinates, compute);
            runs.follow(&of_writer(&facts.partition, coordinates), writer);
            Ok(())
        })
    },
    check: rasterized,
};

/// What the remark of a block is called.
pub const REMARK: &str = "tt_block";

/// Says at which block the program is: to the profiler of a device, if it is on, and to the emulator, which sees by it what two
/// blocks store.
fn remark_on_block(work: WorkPartition) -> Stmt<Calls<Symbol>> {
    let block = match work.mode {
        PartitionMode::Global => Expr::name(BLOCK_ID),
        PartitionMode::LocalShard => of_runs(),
    };
    line(call(&DEVICE_TIMESTAMPED_DATA, [Expr::Text(REMARK.to_string()), block]))
}

/// What the writer does first for a block, where all programs have `coordinates`.
pub fn of_writer(partition: &Partition, coordinates: Vec<Stmt<Calls<Symbol>>>) -> Vec<Stmt<Calls<Symbol>>> {
    let remark = (!partition.apart).then(|| remark_on_block(partition.work));
    remark.into_iter().chain(coordinates).collect()
}

/// The variables by which runs of blocks are told apart.
struct Runs<'a> {
    buffers: &'a [Buffer],
    /// The names of the kernel's variables.
    variables: &'a [String],
}

impl Runs<'_> {
    /// Puts `first` before what `program` does for a block. Where it asks what variables of the grid were in the block before, they are
    /// none before the first, and what they are after each.
    fn follow(&self, first: &[Stmt<Calls<Symbol>>], program: &mut Vec<Stmt<Calls<Symbol>>>) {
        let (begin, follow) = self.of(program);
        let is_blocks = |stmt: &Stmt<Calls<Symbol>>| matches!(stmt.kind, Kind::Loop(Loop::Blocks { .. }, _));
        let Some(at) = program.iter().position(is_blocks) else {
            return;
        };
        if let Some(Kind::Loop(_, body)) = program.get_mut(at).map(|stmt| &mut stmt.kind) {
            body.splice(0..0, first.iter().cloned());
            body.extend(follow);
        }
        program.splice(at..at, begin);
    }

    /// What stands before the first block, and what at the end of each.
    fn of(&self, program: &[Stmt<Calls<Symbol>>]) -> (Lines, Lines) {
        let mut asked = BTreeSet::new();
        visit(program, &mut |stmt| {
            if let Kind::If(Branch { cond, .. }, ..) = &stmt.kind
                && let Expr::Value(Symbol::Condition(cond)) = cond
            {
                cond.integers(&mut |of| {
                    of.walk(&mut |part| {
                        if let IntExpr::Var(var) = part {
                            asked.insert(*var);
                        }
                    });
                });
            }
        });
        let all: BTreeSet<Unchanged> = self
            .buffers
            .iter()
            .flat_map(|buffer| buffer.kept_while())
            .copied()
            .collect();
        let asked = all.into_iter().filter(|unchanged| asked.contains(&unchanged.before));
        let names = asked.filter_map(|Unchanged { axis, before }| {
            Some((self.variables.get(axis.index())?, self.variables.get(before.index())?))
        });
        let lines = names.map(|(now, was)| {
            let name = was.clone();
            let kind = CppType::Changing;
            let value = Expr::Int(BEFORE_ALL);
            let begin = line(Leaf::Let { kind, name, value });
            let name = was.clone();
            let value = binary(Operator::Sub, Expr::name(now.as_str()), Expr::name(was.as_str()));
            (begin, line(Leaf::Advance { name, value }))
        });
        lines.unzip()
    }
}

/// The statements that give every axis of the grid its value. Rounds of a rectangle go along its rows, or as the launch says, where they
/// `follow` it.
pub fn coordinates(
    kernel: &Kernel,
    work: WorkPartition,
    follow: bool,
    variables: &[String],
) -> Vec<Stmt<Calls<Symbol>>> {
    let mut coordinates = Coordinates {
        kernel,
        variables,
        out: Vec::new(),
    };
    // The axes, the fastest first.
    let axes = work.placement.axes().into_iter();
    let axes: Vec<usize> = axes.filter(|axis| *axis < kernel.grid.axes.len()).collect();
    match (work.placement, axes.as_slice()) {
        (Placement::Rectangle { .. }, [axis]) => coordinates.in_rows(*axis),
        (Placement::Rectangle { axes: lines }, _) => {
            coordinates.rounds(lines);
            let plane = binary(Operator::Mul, Expr::name("across"), Expr::name("down"));
            let id = coordinates.above(BLOCK_ID, Some(plane), &axes);
            coordinates.in_rounds(id, lines, follow);
        }
        // One axis: every order is the same.
        (Placement::Linear, [axis]) => {
            let block = coordinates.number(work.mode);
            coordinates.axis(*axis, Expr::name(block));
        }
        (Placement::Linear, _) => {
            let block = coordinates.number(work.mode);
            let id = coordinates.above(block, None, &axes);
            coordinates.in_order(id, work.order);
        }
    }
    coordinates.out
}

/// The number of the block that `block_id` names, of a core whose blocks are several runs.
fn of_runs() -> Expr<Symbol> {
    let nth = || binary(Operator::Sub, Expr::name(BLOCK_ID), Expr::name(START_ID));
    let runs = binary(Operator::Div, nth(), Expr::name(RUN_LENGTH));
    let run = binary(Operator::Mul, runs, Expr::name(RUN_PITCH));
    let within = binary(Operator::Rem, nth(), Expr::name(RUN_LENGTH));
    binary(Operator::Add, binary(Operator::Add, Expr::name(START_ID), run), within)
}

fn binary(operator: Operator, a: Expr<Symbol>, b: Expr<Symbol>) -> Expr<Symbol> {
    Expr::binary(operator, a, b)
}

type Lines = Vec<Stmt<Calls<Symbol>>>;

struct Coordinates<'a> {
    kernel: &'a Kernel,
    /// The names of the kernel's variables.
    variables: &'a [String],
    out: Vec<Stmt<Calls<Symbol>>>,
}

impl Coordinates<'_> {
    fn set(&mut self, name: &str, value: Expr<Symbol>) {
        let name = name.to_string();
        let kind = CppType::Int;
        self.out.push(line(Leaf::Let { kind, name, value }));
    }

    /// Gives the variable of an axis its value.
    fn axis(&mut self, axis: usize, value: Expr<Symbol>) {
        let variable = self.kernel.grid.axes.get(axis);
        if let Some(name) = variable.and_then(|(var, _)| self.variables.get(var.index())) {
            self.set(name, value);
        }
    }

    /// The extent of an axis. A grid of which one is 0 runs nothing, and its kernels are compiled all the same: none divides by 0.
    fn extent(&self, axis: usize) -> IntExpr {
        match self.kernel.grid.axes.get(axis).map(|(_, extent)| &extent.value) {
            None | Some(IntExpr::Const(0)) => IntExpr::Const(1),
            Some(extent) => extent.clone(),
        }
    }

    fn user(&self, axis: usize) -> Expr<Symbol> {
        Expr::user(&self.extent(axis))
    }

    /// How many rounds a rectangle of cores takes along the axes of the grid that lie along its lines.
    fn rounds(&mut self, lines: [usize; 2]) {
        for (name, line) in [("across", CoreLine::Row), ("down", CoreLine::Column)] {
            let cores = || Expr::Name(cores_of(line));
            let blocks = binary(Operator::Add, self.user(lines[line.number()]), cores());
            let last = binary(Operator::Sub, blocks, Expr::Int(1));
            self.set(name, binary(Operator::Div, last, cores()));
        }
    }

    /// The name of what numbers blocks.
    fn number(&mut self, mode: PartitionMode) -> &'static str {
        match mode {
            PartitionMode::Global => BLOCK_ID,
            PartitionMode::LocalShard => {
                self.set(SHARD_BLOCK, of_runs());
                SHARD_BLOCK
            }
        }
    }

    /// The axes behind the two fastest; they are the slower the later they come. What numbers those two is given back: the blocks of
    /// their plane, or the rounds, where they are as many as `rounds`.
    fn above(&mut self, id: &'static str, rounds: Option<Expr<Symbol>>, axes: &[usize]) -> &'static str {
        let mut below = match rounds {
            None => IntExpr::binary(IntOp::Mul, self.extent(0), self.extent(1)),
            Some(_) => IntExpr::Const(1),
        };
        let numbers = |below: &IntExpr| match &rounds {
            None => Expr::user(below),
            Some(rounds) => binary(Operator::Mul, rounds.clone(), Expr::user(below)),
        };
        let [_, _, slower @ ..] = axes else { return id };
        let Some(slowest) = slower.last() else { return id };
        let plane = numbers(&below);
        for axis in slower {
            let above = binary(Operator::Div, Expr::name(id), numbers(&below));
            let value = match axis == slowest {
                true => above,
                false => binary(Operator::Rem, above, self.user(*axis)),
            };
            self.axis(*axis, value);
            below = IntExpr::binary(IntOp::Mul, below, self.extent(*axis));
        }
        self.set("plane_id", binary(Operator::Rem, Expr::name(id), plane));
        "plane_id"
    }

    /// The axes along the lines of a rectangle of cores, in the round that `id` names: where there is no block left, those of the last.
    fn in_rounds(&mut self, id: &str, lines: [usize; 2], follow: bool) {
        let by = |operator| binary(operator, Expr::name(id), Expr::name("across"));
        let told = |line, rounds| {
            let passed = binary(Operator::Div, Expr::name(id), Expr::Name(every_of(line)));
            binary(Operator::Rem, passed, Expr::name(rounds))
        };
        let [across, down] = match follow {
            false => [by(Operator::Rem), by(Operator::Div)],
            true => [told(CoreLine::Row, "across"), told(CoreLine::Column, "down")],
        };
        let own = [("column_at", CoreLine::Row), ("row_at", CoreLine::Column)];
        for ((at, line), round) in own.into_iter().zip([across, down]) {
            let first = binary(Operator::Mul, round, Expr::Name(cores_of(line)));
            self.set(at, binary(Operator::Add, Expr::Name(place_in(line)), first));
        }
        let [columns, rows] =
            own.map(|(at, line)| binary(Operator::Less, Expr::name(at), self.user(lines[line.number()])));
        self.set(IS_OWN, binary(Operator::And, columns, rows));
        for (at, line) in own {
            let axis = lines[line.number()];
            let last = binary(Operator::Sub, self.user(axis), Expr::Int(1));
            self.axis(axis, Expr::operation(Operator::Min, Expr::name(at), last));
        }
    }

    /// The only axis, along the rows of a rectangle of cores, one after the other, in the round that the number of the block names: where
    /// there is no block left, the last.
    fn in_rows(&mut self, axis: usize) {
        let [column, row] = [CoreLine::Row, CoreLine::Column].map(|line| Expr::Name(place_in(line)));
        let [row_cores, column_cores] = CoreLine::ALL.map(|line| Expr::Name(cores_of(line)));
        let first = binary(Operator::Mul, Expr::name(BLOCK_ID), column_cores);
        self.set("row_at", binary(Operator::Add, row, first));
        let before = binary(Operator::Mul, Expr::name("row_at"), row_cores);
        self.set("block_at", binary(Operator::Add, column, before));
        let extent = self.user(axis);
        self.set(IS_OWN, binary(Operator::Less, Expr::name("block_at"), extent.clone()));
        let last = binary(Operator::Sub, extent, Expr::Int(1));
        self.axis(axis, Expr::operation(Operator::Min, Expr::name("block_at"), last));
    }

    /// The first two axes, of the block of their plane that `id` names in this order.
    fn in_order(&mut self, id: &str, order: BlockOrder) {
        let by = |operator, extent| binary(operator, Expr::name(id), extent);
        let (columns, rows) = (self.user(0), self.user(1));
        match order {
            BlockOrder::RowMajor => {
                self.axis(0, by(Operator::Rem, columns.clone()));
                self.axis(1, by(Operator::Div, columns));
            }
            BlockOrder::ColumnMajor => {
                self.axis(0, by(Operator::Div, rows.clone()));
                self.axis(1, by(Operator::Rem, rows));
            }
            BlockOrder::BlockLinear(h, w) => self.in_groups(id, [h, w].map(i64::from)),
            BlockOrder::ZOrder | BlockOrder::Hilbert => {
                let is_hilbert = if order == BlockOrder::Hilbert { "true" } else { "false" };
                for axis in [0, 1] {
                    let template = [TemplateArg::Words(is_hilbert), TemplateArg::Int(axis)];
                    let place = Call {
                        function: &PLACE_ON_CURVE,
                        template: template.into_iter().collect(),
                        args: vec![Expr::name(id), columns.clone(), rows.clone()],
                    };
                    self.axis(usize::from(axis == 1), Expr::Call(Box::new(place)));
                }
            }
        }
    }

    /// The first two axes of a block of groups of `h` by `w`, band by band.
    fn in_groups(&mut self, id: &str, [h, w]: [i64; 2]) {
        let name = |text: &str| Expr::name(text);
        let band_blocks = Expr::user(&IntExpr::binary(IntOp::Mul, self.extent(0), IntExpr::Const(h)));
        self.set("band", binary(Operator::Div, name(id), band_blocks.clone()));
        self.set("band_row", binary(Operator::Mul, name("band"), Expr::Int(h)));
        let least = |a, limit| Expr::operation(Operator::Min, name(a), Expr::Int(limit));
        // At least one, as before every block: so the verifier knows that a place in a group is not negative.
        let left =
            |extent, first| Expr::operation(Operator::Max, binary(Operator::Sub, extent, name(first)), Expr::Int(1));
        self.set("rows_left", left(self.user(1), "band_row"));
        self.set("rows", least("rows_left", h));
        self.set("within", binary(Operator::Rem, name(id), band_blocks));
        self.set("group_blocks", binary(Operator::Mul, name("rows"), Expr::Int(w)));
        let group = binary(Operator::Div, name("within"), name("group_blocks"));
        self.set("group_column", binary(Operator::Mul, group, Expr::Int(w)));
        self.set("columns_left", left(self.user(0), "group_column"));
        self.set("columns", least("columns_left", w));
        self.set("rest", binary(Operator::Rem, name("within"), name("group_blocks")));
        for (axis, first, operator) in [(0, "group_column", Operator::Rem), (1, "band_row", Operator::Div)] {
            let rest = binary(operator, name("rest"), name("columns"));
            self.axis(axis, binary(Operator::Add, name(first), rest));
        }
    }
}

#[cfg(test)]
mod tests {
    /// Reader, compute and writer of a kernel that stores there.
    fn programs(index: &str) -> [String; 3] {
        let source = format!(
            "fn kernel<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {{
                let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
                let v = T.alloc_shared::<bf16>(32, 32);
                T.copy(x[(by * 32, bx * 32)], v);
                T.copy(v, y[(by * 32, {index})]);
            }}"
        );
        let parsed = tt_lang::syntax::parse(Default::default(), source.parse().expect("tokens"), "rasterize.rs");
        let artifact = crate::compile(&parsed.kernel.expect("a kernel")).expect("it compiles");
        [artifact.reader, artifact.compute, artifact.writer]
    }

    #[test]
    fn blocks_are_not_negative_in_any_order() {
        let orders = ["row_major", "column_major", "block_linear(2, 3)", "z_order", "hilbert"];
        // A loop that surely runs only where the coordinates are not negative, and what it sums is read after it.
        let counts = [
            "by + 1",
            "bx + by + 1",
            "(by + 1).min(4)",
            "(bx * 32 + 32).div_ceil(32)",
        ];
        for (order, count) in orders.iter().flat_map(|order| counts.map(|count| (order, count))) {
            for grid in [
                "(bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32))",
                "(bx, by, _) = T.Kernel(N.div_ceil(32), M.div_ceil(32), 1)",
            ] {
                let source = format!(
                    "fn kernel<const M: usize, const N: usize>(a: &Tensor<bf16, M, 32>, o: &mut Tensor<f32, M, N>) {{
                        let {grid};
                        let x = T.alloc_shared::<bf16>(32, 32);
                        let s = T.alloc_fragment::<f32>(32, 32);
                        T.copy(a[(by * 32, 0)], x);
                        T.clear(s);
                        for k in 0..{count} {{ T.gemm(x, x, s); }}
                        for (i, j) in T.Parallel(32, 32) {{ s[(i, j)] += 1.0; }}
                        T.copy(s, o[(by * 32, bx * 32)]);
                    }}"
                );
                let options = format!("order = {order}").parse().expect("tokens");
                let parsed = tt_lang::syntax::parse(options, source.parse().expect("tokens"), "rasterize.rs");
                let kernel = parsed.kernel.unwrap_or_else(|| panic!("{order}, {count}: no kernel"));
                if let Err(errors) = crate::compile(&kernel) {
                    panic!("{order}, {count}: {errors:?}");
                }
            }
        }
    }

    #[test]
    fn the_writer_says_its_block_where_blocks_may_meet_and_nobody_else_does() {
        let remark = "\n        DeviceTimestampedData(\"tt_block\", block_id);\n        const int32_t bx = ";
        let header = "\n#include \"api/debug/kernel_profiler.hpp\"\n";
        let [reader, compute, writer] = programs("bx / 2 * 32");
        assert!(writer.contains(remark) && writer.contains(header), "{writer}");
        let plain = programs("bx * 32");
        for program in plain.iter().chain([&reader, &compute]) {
            assert!(
                !program.contains("DeviceTimestampedData") && !program.contains("profiler"),
                "{program}"
            );
        }
    }
}
