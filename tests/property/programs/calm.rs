//! Makes random programs exact: what leaves the numbers that all formats hold is clamped or left out.

use super::evaluate::{self, Inexact};
use super::program::{Expr, Program, Stmt};

/// Changes the statements whose results leave what all formats hold, until all results are exact.
pub fn calm(program: &mut Program) {
    let mut known = std::collections::BTreeMap::<u32, u32>::new();
    while let Some(Inexact(id)) = program
        .shapes
        .iter()
        .find_map(|shape| evaluate::run(program, shape, evaluate::contents(program, shape)).err())
    {
        let times = known.entry(id).or_default();
        *times += 1;
        let mut body = std::mem::take(&mut program.body);
        calm_in(&mut body, id, *times);
        program.body = body;
    }
}

fn calm_in(body: &mut [Stmt], id: u32, times: u32) {
    for stmt in body {
        match stmt {
            Stmt::For { body, .. } => calm_in(body, id, times),
            Stmt::If { then, otherwise, .. } => {
                calm_in(then, id, times);
                calm_in(otherwise, id, times);
            }
            Stmt::Parallel { assigns, .. } => {
                for assign in assigns.iter_mut().filter(|assign| assign.id == id) {
                    // First the operands are kept small, then the target is forgotten, then little is left of the value.
                    match times {
                        1 => clamp_reads(&mut assign.value, 4),
                        2 => assign.op = "=",
                        3 => clamp_reads(&mut assign.value, 2),
                        _ => assign.value = first_read(&assign.value),
                    }
                }
            }
            Stmt::Gemm {
                id: own, acc, clear, ..
            } if *own == id => {
                if times == 1 && !*clear {
                    *clear = true;
                } else {
                    *stmt = Stmt::Fill { block: *acc, value: 1 };
                }
            }
            Stmt::Reduce {
                id: own,
                fold,
                to,
                clear,
                ..
            } if *own == id => match times {
                1 => (*fold, *clear) = ("absmax", *clear),
                2 => *clear = true,
                _ => *stmt = Stmt::Fill { block: *to, value: 1 },
            },
            _ => {}
        }
    }
}

fn clamp_reads(expr: &mut Expr, limit: i32) {
    match expr {
        Expr::Block(..) | Expr::Tensor(..) => *expr = Expr::Clamp(Box::new(expr.clone()), limit),
        Expr::Unary(_, a) | Expr::Clamp(a, _) => clamp_reads(a, limit),
        Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|part| clamp_reads(part, limit)),
        Expr::Select(_, parts) => parts.iter_mut().for_each(|part| clamp_reads(part, limit)),
        Expr::Masked(_, parts) => parts.iter_mut().for_each(|part| clamp_reads(part, limit)),
        Expr::Number(_) | Expr::Alpha => {}
    }
}

fn first_read(expr: &Expr) -> Expr {
    let mut first = None;
    expr.walk(&mut |part| {
        if first.is_none() && matches!(part, Expr::Block(..) | Expr::Tensor(..)) {
            first = Some(part.clone());
        }
    });
    let read = first.unwrap_or(Expr::Number(1));
    Expr::Clamp(Box::new(read), 2)
}
