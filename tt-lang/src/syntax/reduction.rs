//! `T.reduce_sum(x, out, dim = 1)` and its kin, and those that give positions.

use super::frontend::Frontend;
use super::value::Class;
use super::vocabulary::Arguments;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{ArgOp, BlockId, ElementType, IntExpr, Op, ReduceDim, ReduceOp, Spanned, StmtKind};
use crate::tree::Kind;
use syn::Expr;

impl Frontend {
    pub(super) fn reduce(
        &mut self,
        op: ReduceOp,
        src: &Expr,
        out: &Expr,
        arguments: &Arguments<'_>,
        call: &syn::ExprMethodCall,
    ) -> Option<StmtKind> {
        let clear = self.flag("clear", arguments.option("clear"), true);
        let is_kept = clear == Some(false);
        let (src, out) = (self.block_operand(src), self.block_result(out, is_kept, true));
        let dim = self.reduce_dim(arguments.option("dim"), call);
        let (src, out, dim, clear) = (src?, out?, dim?, clear?);
        if src.value == out.value {
            return self.same_block(&src, &out, "reduced into itself");
        }
        if let (true, false, Some(clear)) = (op.is_per_element(), clear, arguments.option("clear")) {
            let message = "a mean does not fold into what is there before";
            let note = "fold sums with `T.reduce_sum(.., clear = false)`, and divide by how many they are";
            self.error(&codes::OPTION_VALUE, clear, message, note);
            return None;
        }
        let (src, dim) = self.reduced_vector(src, dim, arguments.option("dim"))?;
        self.reduced_shape(&src, &out, dim)?;
        Some(Kind::Op(Op::Reduce {
            op,
            src,
            out,
            dim,
            clear,
        }))
    }

    pub(super) fn reduce_arg(
        &mut self,
        op: ArgOp,
        [src, val, pos]: [&Expr; 3],
        arguments: &Arguments<'_>,
        call: &syn::ExprMethodCall,
    ) -> Option<StmtKind> {
        let clear = self.flag("clear", arguments.option("clear"), true);
        let is_kept = clear == Some(false);
        let src = self.block_operand(src);
        let val = match matches!(val, Expr::Infer(_)) {
            true => Some(None),
            false => self.block_result(val, is_kept, true).map(Some),
        };
        let pos = self.block_result(pos, is_kept, true);
        let dim = self.reduce_dim(arguments.option("dim"), call);
        let base = match arguments.option("base") {
            Some(base) => self.integer(base),
            None => Some(IntExpr::Const(0)),
        };
        let (src, val, pos, dim, base, clear) = (src?, val?, pos?, dim?, base?, clear?);
        let from = src.value;
        let (src, dim) = self.reduced_vector(src, dim, arguments.option("dim"))?;
        for (at, out) in val.iter().chain([&pos]).enumerate() {
            if from == out.value {
                return self.same_block(&src, out, "reduced into itself");
            }
            if at == 1
                && let Some(val) = val.as_ref().filter(|val| val.value == out.value)
            {
                let name = self.block(out.value).name.clone();
                self.report(
                    Diagnostic::new(
                        &codes::SAME_BLOCK,
                        out.span,
                        format!("`{name}` holds the values and the positions"),
                    )
                    .label(val.span, "the values")
                    .note("write into another block"),
                );
                return None;
            }
            self.reduced_shape(&src, out, dim)?;
        }
        let message = if dim == ReduceDim::All {
            let dim = match arguments.option("dim") {
                Some(dim) => self.span(dim),
                None => self.span(&call.method),
            };
            let message = "a position is an index along one axis";
            let note = "write `dim = 1` (along rows) or `dim = 0` (down columns), and reduce what is left";
            self.report(Diagnostic::new(&codes::REDUCE_DIM, dim, message).note(note));
            return None;
        } else if self.block(pos.value).element != ElementType::I32 {
            let (name, element) = (&self.block(pos.value).name, self.block(pos.value).element.name());
            Some((pos.span, format!("`{name}` holds `{element}`, positions are `i32`")))
        } else if Class::of(self.block(src.value).element) != Class::Float {
            let (name, element) = (&self.block(src.value).name, self.block(src.value).element.name());
            Some((
                src.span,
                format!("`{name}` holds `{element}`, the elements compared are floating-point numbers"),
            ))
        } else if let Some(val) = val
            .as_ref()
            .filter(|val| Class::of(self.block(val.value).element) != Class::Float)
        {
            let (name, element) = (&self.block(val.value).name, self.block(val.value).element.name());
            Some((
                val.span,
                format!("`{name}` holds `{element}`, the values are floating-point numbers"),
            ))
        } else if !clear && val.is_none() {
            let span = self.span(&call.method);
            Some((
                span,
                "`clear = false` compares with values, which are not kept".to_string(),
            ))
        } else {
            None
        };
        if let Some((span, message)) = message {
            let note =
                "write `T.reduce_argmax(x, val, pos, dim = 1)`, `val` of floating-point numbers and `pos` of `i32`";
            self.report(Diagnostic::new(&codes::REDUCE_POSITION, span, message).note(note));
            return None;
        }
        Some(Kind::Op(Op::ReduceArg {
            op,
            src,
            val,
            pos,
            dim,
            base,
            clear,
        }))
    }

    /// What is reduced in place of `src`, and along which axis: a vector as a row.
    fn reduced_vector(
        &mut self,
        src: Spanned<BlockId>,
        dim: ReduceDim,
        written: Option<&Expr>,
    ) -> Option<(Spanned<BlockId>, ReduceDim)> {
        let [n] = self.block(src.value).shape[..] else {
            return Some((src, dim));
        };
        if dim != ReduceDim::Columns {
            let message = format!("{}: its only axis is 0", self.shape_of(src.value));
            let span = written.map_or(src.span, |dim| self.span(dim));
            self.report(Diagnostic::new(&codes::REDUCE_DIM, span, message).note("write `dim = 0`"));
            return None;
        }
        let row = Spanned {
            value: self.hidden_block(src.value, vec![1, n], src.span),
            span: src.span,
        };
        let stmt = self.moved_line(&src, &row, n);
        self.fetches.push(stmt);
        Some((row, ReduceDim::Rows))
    }

    /// Checks that `out` has the shape of `src` reduced along `dim`.
    fn reduced_shape(&mut self, src: &Spanned<BlockId>, out: &Spanned<BlockId>, dim: ReduceDim) -> Option<()> {
        let [h, w] = self.block(src.value).shape[..] else {
            let message = format!(
                "{}: a reduction takes a block of one or two axes",
                self.shape_of(src.value)
            );
            let note = "allocate it as `(h, w)`";
            self.report(Diagnostic::new(&codes::REDUCE_SHAPE, src.span, message).note(note));
            return None;
        };
        let (n, fits) = {
            let found = &self.block(out.value).shape[..];
            match dim {
                ReduceDim::Rows => (h, found == [h] || found == [h, 1]),
                ReduceDim::Columns => (w, found == [w] || found == [1, w]),
                ReduceDim::All => (1, found == [1] || found == [1, 1]),
            }
        };
        if !fits {
            let (dim, wanted) = match dim {
                ReduceDim::Rows => ("1", format!("({n}) or ({n}, 1)")),
                ReduceDim::Columns => ("0", format!("(1, {n}) or ({n})")),
                ReduceDim::All => ("(0, 1)", "(1) or (1, 1)".to_string()),
            };
            let message = format!("{}, the result of `dim = {dim}` is {wanted}", self.shape_of(out.value));
            let note = self.shape_of(src.value);
            self.report(Diagnostic::new(&codes::REDUCE_SHAPE, out.span, message).note(note));
            return None;
        }
        Some(())
    }

    fn reduce_dim(&mut self, value: Option<&Expr>, call: &syn::ExprMethodCall) -> Option<ReduceDim> {
        let note = "write `dim = 1` (along rows), `dim = 0` (down columns) or `dim = (0, 1)`";
        let Some(value) = value else {
            let message = format!("`T.{}` needs `dim`", call.method);
            self.error(&codes::REDUCE_DIM, &call.method, message, note);
            return None;
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
        let dims: Vec<i64> = match value {
            Expr::Tuple(tuple) => {
                let dims: Vec<Option<i64>> = tuple.elems.iter().map(|dim| self.integer(dim)?.as_const()).collect();
                dims.into_iter().collect::<Option<Vec<i64>>>()
            }
            Expr::Array(list) => {
                let dims: Vec<Option<i64>> = list.elems.iter().map(|dim| self.integer(dim)?.as_const()).collect();
                dims.into_iter().collect::<Option<Vec<i64>>>()
            }
            other => Some(self.integer(other)?.as_const().into_iter().collect()),
        }
        .unwrap_or_default();
        match dims.as_slice() {
            [0] => Some(ReduceDim::Columns),
            [1] => Some(ReduceDim::Rows),
            [0, 1] | [1, 0] => Some(ReduceDim::All),
            _ => {
                self.error(&codes::REDUCE_DIM, value, "`dim` is 0, 1 or both", note);
                None
            }
        }
    }
}
