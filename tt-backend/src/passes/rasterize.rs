//! rasterize: from a running block number to grid coordinates, in the order asked for.
//!
//! The arithmetic is that of `tt_plan::BlockOrder::position`, statement by statement; a test runs both.
//!
//! ```text
//!  row_major over (gx, gy)   ⟹   bx = block_id % gx;  by = block_id / gx;
//! ```

use super::b2_grid_to_cores::BLOCK_ID;
use crate::device::{Calls, Expr, Leaf, Symbol, line};
use crate::ir::Stmt;
use tt_lang::ir::{IntExpr, IntOp, Kernel};
use tt_plan::BlockOrder;

/// Runs the pass: the statements that give every grid axis its value, named by `name_of`.
pub fn run(kernel: &Kernel, order: BlockOrder, names: &[String]) -> Vec<Stmt<Calls<Symbol>>> {
    let extent = |axis: usize| {
        kernel
            .grid
            .axes
            .get(axis)
            .map_or(IntExpr::Const(1), |(_, extent)| extent.value.clone())
    };
    let user = |expr: IntExpr| Expr::user(&expr);
    let name = |text: &str| Expr::name(text);
    let op = |symbol, a, b| Expr::binary(symbol, a, b);
    let mut out = Vec::new();
    let mut set = |name: &str, value: Expr<Symbol>| {
        out.push(line(Leaf::Let {
            kind: "const int32_t",
            name: name.to_string(),
            value,
        }))
    };
    let axis = |axis: usize| kernel.grid.axes.get(axis).map(|(var, _)| names[var.index()].as_str());

    let mut id = BLOCK_ID;
    let plane = IntExpr::binary(IntOp::Mul, extent(0), extent(1));
    if let Some(z) = axis(2) {
        set(z, op("/", name(BLOCK_ID), user(plane.clone())));
        set("plane_id", op("%", name(BLOCK_ID), user(plane)));
        id = "plane_id";
    }
    let (Some(x), y) = (axis(0), axis(1)) else { return out };
    let Some(y) = y else {
        // One axis: every order is the same.
        set(x, name(id));
        return out;
    };
    match order {
        BlockOrder::RowMajor => {
            set(x, op("%", name(id), user(extent(0))));
            set(y, op("/", name(id), user(extent(0))));
        }
        BlockOrder::ColumnMajor => {
            set(x, op("/", name(id), user(extent(1))));
            set(y, op("%", name(id), user(extent(1))));
        }
        BlockOrder::BlockLinear(h, w) => {
            let (h, w) = (i64::from(h), i64::from(w));
            let band_blocks = user(IntExpr::binary(IntOp::Mul, extent(0), IntExpr::Const(h)));
            let least = |a: Expr<Symbol>, limit: i64| Expr::operation("min", a, Expr::Int(limit));
            set("band", op("/", name(id), band_blocks.clone()));
            set("band_row", op("*", name("band"), Expr::Int(h)));
            set("rows", least(op("-", user(extent(1)), name("band_row")), h));
            set("within", op("%", name(id), band_blocks));
            set("group_blocks", op("*", name("rows"), Expr::Int(w)));
            set(
                "group_column",
                op("*", op("/", name("within"), name("group_blocks")), Expr::Int(w)),
            );
            set("columns", least(op("-", user(extent(0)), name("group_column")), w));
            set("rest", op("%", name("within"), name("group_blocks")));
            set(x, op("+", name("group_column"), op("%", name("rest"), name("columns"))));
            set(y, op("+", name("band_row"), op("/", name("rest"), name("columns"))));
        }
    }
    out
}
