//! rasterize: from a running block number to grid coordinates, in the order asked for.
//!
//! Before: programs in which a loop over blocks gives a number, and statements mention axes of the grid. After: the axes are computed
//! from it at the head of that loop.
//!
//! The arithmetic is that of `tt_plan::CoreWork::blocks` and `BlockOrder::position`, statement by statement; a test runs both. A core of a
//! rectangle that a round has no block for goes along with the last one (`multicast_reuse`).
//!
//! Where two blocks may store the same element (B1), the writer says at which block it is.
//!
//! ```text
//!  row_major over (gx, gy)   ⟹   bx = block_id % gx;  by = block_id / gx;
//! ```

use super::b2_grid_to_cores::{BLOCK_ID, IS_OWN, cores_of, place_in};
use super::give_names::Named;
use crate::device::function::DEVICE_TIMESTAMPED_DATA;
use crate::device::{Calls, CppType, Expr, Leaf, Loop, Operator, Programs, Symbol, call, line};
use crate::ir::{Kind, Stmt};
use crate::pipeline::{Pass, Unit};
use crate::verify::tile::rasterized;
use tt_lang::ir::{IntExpr, IntOp, Kernel};
use tt_plan::{BlockOrder, CoreLine, Placement, WorkPartition};

/// The pass.
pub const PASS: Pass<Unit<Named>, Unit<Named>> = Pass {
    name: "rasterize",
    does: "from a running block number to grid coordinates",
    run: |unit| {
        unit.changed(|facts, named| {
            let coordinates = coordinates(&facts.kernel, facts.partition.work, &named.variables);
            let Programs {
                reader,
                compute,
                writer,
            } = &mut named.parts.programs;
            for program in [reader, compute, writer] {
                at_every_block(&coordinates, program);
            }
            if !facts.partition.apart {
                at_every_block(&[remark_on_block()], &mut named.parts.programs.writer);
            }
            Ok(())
        })
    },
    check: rasterized,
};

/// What the remark of a block is called.
pub const REMARK: &str = "tt_block";

/// Says at which block the program is: to the profiler of a device, if it is on, and to the emulator, which sees by it what two
/// blocks store.
fn remark_on_block() -> Stmt<Calls<Symbol>> {
    let block = Expr::name(BLOCK_ID);
    line(call(&DEVICE_TIMESTAMPED_DATA, [Expr::Text(REMARK.to_string()), block]))
}

/// Puts `first` before what is done for a block.
fn at_every_block(first: &[Stmt<Calls<Symbol>>], program: &mut [Stmt<Calls<Symbol>>]) {
    for stmt in program {
        if let Kind::Loop(Loop::Blocks, body) = &mut stmt.kind {
            body.splice(0..0, first.iter().cloned());
        }
    }
}

/// The statements that give every axis of the grid its value.
pub fn coordinates(kernel: &Kernel, work: WorkPartition, variables: &[String]) -> Vec<Stmt<Calls<Symbol>>> {
    // A grid of which an extent is 0 runs nothing, and its kernels are compiled all the same: none divides by 0.
    let extent = |axis: usize| match kernel.grid.axes.get(axis).map(|(_, extent)| &extent.value) {
        None | Some(IntExpr::Const(0)) => IntExpr::Const(1),
        Some(extent) => extent.clone(),
    };
    let user = |expr: IntExpr| Expr::user(&expr);
    let name = |text: &str| Expr::name(text);
    let op = |symbol, a, b| Expr::binary(symbol, a, b);
    let mut out = Vec::new();
    let mut set = |name: &str, value: Expr<Symbol>| {
        out.push(line(Leaf::Let {
            kind: CppType::Int,
            name: name.to_string(),
            value,
        }))
    };
    let axis = |axis: usize| {
        kernel
            .grid
            .axes
            .get(axis)
            .map(|(var, _)| variables[var.index()].as_str())
    };

    let mut id = BLOCK_ID;
    // Numbers of blocks, or of rounds of a rectangle of cores, which has those of a row or column for a number of one.
    let rectangle = work.placement.rectangle();
    if let Some(axes) = rectangle {
        for (name, line) in [("across", CoreLine::Row), ("down", CoreLine::Column)] {
            let cores = || Expr::Name(cores_of(line));
            let last = op(
                Operator::Sub,
                op(Operator::Add, user(extent(axes[line.number()])), cores()),
                Expr::Int(1),
            );
            set(name, op(Operator::Div, last, cores()));
        }
    }
    let (mut below, rounds) = match work.placement {
        Placement::Linear => (IntExpr::binary(IntOp::Mul, extent(0), extent(1)), None),
        Placement::Rectangle { .. } => (IntExpr::Const(1), Some(op(Operator::Mul, name("across"), name("down")))),
    };
    let numbers = |below: &IntExpr| match &rounds {
        None => user(below.clone()),
        Some(rounds) => op(Operator::Mul, rounds.clone(), user(below.clone())),
    };
    let plane = numbers(&below);
    // The axes, the fastest first.
    let axes = work
        .placement
        .axes()
        .into_iter()
        .filter(|number| *number < kernel.grid.axes.len());
    let axes: Vec<usize> = axes.collect();
    for (place, number) in axes.iter().copied().enumerate().skip(2) {
        let Some(name_of) = axis(number) else { break };
        let above = op(Operator::Div, name(BLOCK_ID), numbers(&below));
        let is_last = place + 1 == axes.len();
        set(
            name_of,
            if is_last {
                above
            } else {
                op(Operator::Rem, above, user(extent(number)))
            },
        );
        below = IntExpr::binary(IntOp::Mul, below, extent(number));
    }
    if kernel.grid.axes.len() > 2 {
        set("plane_id", op(Operator::Rem, name(BLOCK_ID), plane));
        id = "plane_id";
    }
    let mut fastest = axes.iter().filter_map(|number| axis(*number));
    let (Some(x), y) = (fastest.next(), fastest.next()) else {
        return out;
    };
    let Some(y) = y else {
        // One axis: every order is the same.
        set(x, name(id));
        return out;
    };
    if let Some(axes) = rectangle {
        let own = [
            (
                "column_at",
                CoreLine::Row,
                op(Operator::Rem, name(id), name("across")),
                x,
            ),
            (
                "row_at",
                CoreLine::Column,
                op(Operator::Div, name(id), name("across")),
                y,
            ),
        ];
        for (at, line, round, _) in own.clone() {
            set(
                at,
                op(
                    Operator::Add,
                    Expr::Name(place_in(line)),
                    op(Operator::Mul, round, Expr::Name(cores_of(line))),
                ),
            );
        }
        let within = own
            .clone()
            .map(|(at, line, ..)| op(Operator::Less, name(at), user(extent(axes[line.number()]))));
        let [columns, rows] = within;
        set(IS_OWN, op(Operator::And, columns, rows));
        for (at, line, _, variable) in own {
            let last = op(Operator::Sub, user(extent(axes[line.number()])), Expr::Int(1));
            set(variable, Expr::operation(Operator::Min, name(at), last));
        }
        return out;
    }
    match work.order {
        BlockOrder::RowMajor => {
            set(x, op(Operator::Rem, name(id), user(extent(0))));
            set(y, op(Operator::Div, name(id), user(extent(0))));
        }
        BlockOrder::ColumnMajor => {
            set(x, op(Operator::Div, name(id), user(extent(1))));
            set(y, op(Operator::Rem, name(id), user(extent(1))));
        }
        BlockOrder::BlockLinear(h, w) => {
            let (h, w) = (i64::from(h), i64::from(w));
            let band_blocks = user(IntExpr::binary(IntOp::Mul, extent(0), IntExpr::Const(h)));
            let least = |a: Expr<Symbol>, limit: i64| Expr::operation(Operator::Min, a, Expr::Int(limit));
            set("band", op(Operator::Div, name(id), band_blocks.clone()));
            set("band_row", op(Operator::Mul, name("band"), Expr::Int(h)));
            set("rows", least(op(Operator::Sub, user(extent(1)), name("band_row")), h));
            set("within", op(Operator::Rem, name(id), band_blocks));
            set("group_blocks", op(Operator::Mul, name("rows"), Expr::Int(w)));
            set(
                "group_column",
                op(
                    Operator::Mul,
                    op(Operator::Div, name("within"), name("group_blocks")),
                    Expr::Int(w),
                ),
            );
            set(
                "columns",
                least(op(Operator::Sub, user(extent(0)), name("group_column")), w),
            );
            set("rest", op(Operator::Rem, name("within"), name("group_blocks")));
            set(
                x,
                op(
                    Operator::Add,
                    name("group_column"),
                    op(Operator::Rem, name("rest"), name("columns")),
                ),
            );
            set(
                y,
                op(
                    Operator::Add,
                    name("band_row"),
                    op(Operator::Div, name("rest"), name("columns")),
                ),
            );
        }
    }
    out
}
