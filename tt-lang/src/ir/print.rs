//! Parts of Tile IR as messages and comments show them: one line each, with names resolved. A whole kernel is in `source`.

use super::*;
use crate::tree::Kind;
use std::fmt::{self, Display, Write};

/// Something of `kernel`, shown with the kernel's names.
pub struct Named<'a, T: ?Sized>(pub &'a Kernel, pub &'a T);

impl Display for Named<'_, IntExpr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(kernel, expr) = *self;
        let operand = |f: &mut fmt::Formatter<'_>, x: &IntExpr, parentheses: bool| match parentheses {
            true => write!(f, "({})", Named(kernel, x)),
            false => write!(f, "{}", Named(kernel, x)),
        };
        let method = |f: &mut fmt::Formatter<'_>, name: &str, a: &IntExpr, b: &IntExpr| {
            operand(f, a, matches!(a, IntExpr::Binary(..)))?;
            write!(f, ".{name}({})", Named(kernel, b))
        };
        let is_sum = |x: &IntExpr| matches!(x, IntExpr::Binary(IntOp::Add | IntOp::Sub, ..));
        let is_product = |x: &IntExpr| matches!(x, IntExpr::Binary(IntOp::Mul | IntOp::Div | IntOp::Rem, ..));
        match expr {
            IntExpr::Const(value) => write!(f, "{value}"),
            IntExpr::Extent(id) => f.write_str(kernel.extent(*id)),
            IntExpr::Scalar(id) => f.write_str(kernel.params[id.index()].name()),
            IntExpr::Var(id) | IntExpr::Fetched(id) => f.write_str(kernel.variable(*id)),
            IntExpr::Binary(op @ (IntOp::CeilDiv | IntOp::Min | IntOp::Max), a, b) => method(f, op.symbol(), a, b),
            IntExpr::Binary(op, a, b) => {
                operand(f, a, is_product(expr) && is_sum(a))?;
                write!(f, " {} ", op.symbol())?;
                operand(f, b, *op != IntOp::Add && (is_sum(b) || is_product(b)))
            }
        }
    }
}

impl Display for Named<'_, BoolExpr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(kernel, expr) = *self;
        match expr {
            BoolExpr::Const(value) => write!(f, "{value}"),
            BoolExpr::Compare(op, a, b) => write!(f, "{} {} {}", Named(kernel, a), op.symbol(), Named(kernel, b)),
            BoolExpr::CompareNumbers(op, a, b) => {
                write!(f, "{} {} {}", Named(kernel, a), op.symbol(), Named(kernel, b))
            }
            BoolExpr::And(a, b) => write!(f, "({} && {})", Named(kernel, &**a), Named(kernel, &**b)),
            BoolExpr::Or(a, b) => write!(f, "({} || {})", Named(kernel, &**a), Named(kernel, &**b)),
            BoolExpr::Not(a) => write!(f, "!({})", Named(kernel, &**a)),
        }
    }
}

impl Display for Named<'_, Access> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(kernel, access) = *self;
        let name = match access.buffer {
            Buffer::Block(id) => &kernel.block(id).name,
            Buffer::Tensor(id) => kernel.params[id.index()].name(),
        };
        match access.indices.as_slice() {
            [one] => write!(f, "{name}[{}]", Named(kernel, one)),
            many => write!(f, "{name}[({})]", Listed(kernel, many)),
        }
    }
}

/// All of them, with commas between.
struct Listed<'a, T>(&'a Kernel, &'a [T]);

impl<'a, T> Display for Listed<'a, T>
where
    Named<'a, T>: Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Listed(kernel, all) = *self;
        for (at, one) in all.iter().enumerate() {
            let between = if at == 0 { "" } else { ", " };
            write!(f, "{between}{}", Named(kernel, one))?;
        }
        Ok(())
    }
}

/// Writes an operation with its arguments.
fn call<'a, T>(kernel: &'a Kernel, op: ElementOp, args: &'a [T], f: &mut fmt::Formatter<'_>) -> fmt::Result
where
    Named<'a, T>: Display,
{
    let row = op.row();
    match (row.operator, args) {
        (Some(operator), [a]) => write!(f, "({operator}{})", Named(kernel, a)),
        (Some(operator), [a, b]) => write!(f, "({} {operator} {})", Named(kernel, a), Named(kernel, b)),
        (_, [first, rest @ ..]) => write!(f, "{}.{}({})", Named(kernel, first), row.name, Listed(kernel, rest)),
        (_, []) => write!(f, "{}()", row.name),
    }
}

impl Display for Named<'_, NumberExpr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(kernel, number) = *self;
        match number {
            NumberExpr::Literal(Real(value)) => write!(f, "{value:?}"),
            NumberExpr::Scalar(id) => f.write_str(kernel.params[id.index()].name()),
            NumberExpr::Int(expr) => write!(f, "({} as f32)", Named(kernel, expr)),
            NumberExpr::Call(op, args) => call(kernel, *op, args, f),
        }
    }
}

impl Display for Named<'_, Element> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(kernel, element) = *self;
        let show = |x| Named::<Element>(kernel, x);
        match &element.kind {
            // As short as it reads back as the `f32` that literals are.
            ElementKind::Float(Real(value)) if f64::from(*value as f32) == *value => write!(f, "{:?}", *value as f32),
            ElementKind::Float(Real(value)) => write!(f, "{value:?}"),
            ElementKind::Bool(value) => write!(f, "{value}"),
            ElementKind::Scalar(id) => f.write_str(kernel.params[id.index()].name()),
            ElementKind::Int(expr) => write!(f, "({} as f32)", Named(kernel, expr)),
            ElementKind::Load(access) => write!(f, "{}", Named(kernel, access)),
            ElementKind::Call(op, args) => call(kernel, *op, args, f),
            ElementKind::Compare(op, a, b) => write!(f, "({} {} {})", show(a), op.symbol(), show(b)),
            ElementKind::CompareInt(op, a, b) => {
                write!(f, "({} {} {})", Named(kernel, a), op.symbol(), Named(kernel, b))
            }
            ElementKind::And(a, b) => write!(f, "({} && {})", show(a), show(b)),
            ElementKind::Or(a, b) => write!(f, "({} || {})", show(a), show(b)),
            ElementKind::Not(a) => write!(f, "!{}", show(a)),
            ElementKind::Select(c, a, b) => write!(f, "if {} {{ {} }} else {{ {} }}", show(c), show(a), show(b)),
            ElementKind::Cast(to, a) => write!(f, "({} as {})", show(a), to.name()),
        }
    }
}

impl Display for Named<'_, Region> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(kernel, region) = *self;
        let axis = |axis: &RegionAxis| {
            let mut text = format!("{}; {}", Named(kernel, &axis.offset.value), axis.extent);
            if axis.step != 1 {
                text += &format!(" step {}", axis.step);
            }
            if let Some(count) = &axis.count {
                text += &format!(" at most {}", Named(kernel, count));
            }
            text
        };
        let axes: Vec<String> = region.axes.iter().map(axis).collect();
        write!(
            f,
            "{}[({})]",
            kernel.params[region.tensor.index()].name(),
            axes.join(", ")
        )
    }
}

impl Display for Named<'_, Place> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Place::Block(id) => f.write_str(&self.0.block(id.value).name),
            Place::Tensor(region) => write!(f, "{}", Named(self.0, region)),
        }
    }
}

/// The head of a statement, on one line: for loops and branches without their bodies.
impl Display for Named<'_, Stmt> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(kernel, stmt) = *self;
        match &stmt.kind {
            Kind::Op(Op::Copy { src, dst }) => write!(f, "T.copy({}, {})", Named(kernel, src), Named(kernel, dst)),
            Kind::Op(Op::Fill { block, value }) => {
                write!(
                    f,
                    "T.fill({}, {})",
                    kernel.block(block.value).name,
                    Named(kernel, value)
                )
            }
            Kind::Op(Op::Gemm {
                a,
                b,
                acc,
                transpose_a,
                transpose_b,
                clear_accum,
            }) => {
                write!(
                    f,
                    "T.gemm({}, {}, {}",
                    Named(kernel, a),
                    Named(kernel, b),
                    kernel.block(acc.value).name
                )?;
                for (set, name) in [
                    (transpose_a, "transpose_a"),
                    (transpose_b, "transpose_b"),
                    (clear_accum, "clear_accum"),
                ] {
                    if *set {
                        write!(f, ", {name} = true")?;
                    }
                }
                f.write_char(')')
            }
            Kind::Loop(For { var, start, end, kind }, _) => {
                let name = kernel.variable(*var);
                let (start, end) = (Named(kernel, start), Named(kernel, end));
                match kind {
                    LoopKind::Serial => write!(f, "for {name} in {start}..{end}"),
                    LoopKind::Unroll => write!(f, "for {name} in T.unroll({start}..{end})"),
                    LoopKind::Pipelined(stages) => {
                        write!(f, "for {name} in T.Pipelined({start}..{end}, num_stages = {stages})")
                    }
                }
            }
            Kind::Op(Op::Fetch { var, from }) => write!(f, "let {} = {}", kernel.variable(*var), Named(kernel, from)),
            Kind::If(cond, _, _) => write!(f, "if {}", Named(kernel, &cond.value)),
            Kind::Group(never, _) => match *never {},
            Kind::Op(Op::Parallel { indices, assigns }) => {
                let names: Vec<&str> = indices.iter().map(|(var, _)| kernel.variable(*var)).collect();
                let extents: Vec<String> = indices.iter().map(|(_, extent)| extent.to_string()).collect();
                write!(f, "for ({}) in T.Parallel({}) {{", names.join(", "), extents.join(", "))?;
                for assign in assigns {
                    write!(
                        f,
                        " {} = {};",
                        Named(kernel, &assign.target),
                        Named(kernel, &assign.value)
                    )?;
                }
                f.write_str(" }")
            }
            Kind::Op(Op::Reduce {
                op,
                src,
                out,
                dim,
                clear,
            }) => write!(
                f,
                "T.reduce_{}({}, {}, dim = {}, clear = {clear})",
                op.name(),
                kernel.block(src.value).name,
                kernel.block(out.value).name,
                dim.name(),
            ),
            Kind::Op(Op::ReduceArg {
                op,
                src,
                val,
                pos,
                dim,
                base,
                clear,
            }) => write!(
                f,
                "T.reduce_{}({}, {}, {}, dim = {}, base = {}, clear = {clear})",
                op.name(),
                kernel.block(src.value).name,
                val.as_ref().map_or("_", |val| &kernel.block(val.value).name),
                kernel.block(pos.value).name,
                dim.name(),
                Named(kernel, base),
            ),
            Kind::Op(Op::Transpose { src, dst }) => {
                write!(
                    f,
                    "T.transpose({}, {})",
                    kernel.block(src.value).name,
                    kernel.block(dst.value).name
                )
            }
            Kind::Op(Op::Print { items }) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| match item {
                        PrintItem::Text(text) => format!("{text:?}"),
                        PrintItem::Value(value) => Named(kernel, value).to_string(),
                        PrintItem::Number(value) => Named(kernel, value).to_string(),
                        PrintItem::Block { block, is_unsigned } => {
                            let name = &kernel.block(block.value).name;
                            if *is_unsigned {
                                format!("{name} as u32")
                            } else {
                                name.clone()
                            }
                        }
                    })
                    .collect();
                write!(f, "T.print({})", items.join(", "))
            }
            Kind::Op(Op::Assert { text, .. }) => write!(f, "T.assert({text})"),
        }
    }
}
