//! Statements that are calls on `T`: blocks, fills, products, reductions, transposes, prints. Copies are in `copy`.

use super::frontend::{Frontend, Loads, plain_name, shape};
use super::limits;
use super::scope::Binding;
use super::value::Class;
use super::vocabulary::{Arguments, Role, Word, WordRow, word};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Block, BlockId, BlockScope, Element, ElementKind, ElementOp, Place, PrintItem, ReduceDim, ReduceOp, Spanned, Stmt,
    StmtKind,
};
use syn::ext::IdentExt;
use syn::{Expr, GenericArgument, Lit, Pat};

impl Frontend {
    /// Reads `T.name(..);`.
    pub(super) fn call(&mut self, call: &syn::ExprMethodCall) -> Option<Stmt> {
        let name = call.method.unraw().to_string();
        let Some(row) = word(&name) else {
            if ElementOp::named(&name).is_some() {
                let message = format!("`T.{name}` gives a value that nothing uses");
                let note = format!("assign it inside `T.Parallel`: `x[(i, j)] = T.{name}(x[(i, j)]);`");
                self.error(&codes::OUT_OF_PLACE, &call.method, message, note);
            } else {
                self.unknown_word(&call.method);
            }
            return None;
        };
        if row.role != Role::Statement {
            self.word_out_of_place(&call.method, row, "gives a value that nothing uses");
            return None;
        }
        let arguments = self.arguments(call, row)?;
        let kind = match (row.word, arguments.positional.as_slice()) {
            (Word::Copy, [src, dst]) => self.copy(src, dst, call)?,
            (Word::Clear, [block]) => {
                let block = self.block_argument(block)?;
                let value = self.zero(block.value, call);
                StmtKind::Fill { block, value }
            }
            (Word::Fill, [block, value]) => {
                let block = self.block_argument(block);
                let found = self.with_loads(Loads::WholeBlock, |this| this.value(value));
                let (block, found) = (block?, found?);
                let class = Class::of(self.block(block.value).element);
                let value = self.number(found, class, *value)?;
                StmtKind::Fill { block, value }
            }
            (Word::Gemm, [a, b, acc]) => self.gemm([a, b, acc], &arguments)?,
            (Word::Reduce(op), [src, out]) => self.reduce(op, src, out, &arguments, call)?,
            (Word::Transpose, [src, dst]) => {
                let (src, dst) = (self.block_argument(src), self.block_argument(dst));
                self.transpose(src?, dst?)?
            }
            (Word::Print, items) => {
                let items: Vec<Option<PrintItem>> = items.iter().map(|item| self.print_item(item)).collect();
                StmtKind::Print {
                    items: items.into_iter().collect::<Option<_>>()?,
                }
            }
            // `arguments` has checked their number, and `role` that the word is a statement.
            _ => return None,
        };
        Some(Stmt {
            kind,
            span: self.span(&call.method),
        })
    }

    /// Zero, in the kind of number that the block holds.
    fn zero(&mut self, block: BlockId, call: &syn::ExprMethodCall) -> Element {
        let kind = match Class::of(self.block(block).element) {
            Class::Float => ElementKind::Float(0.0),
            Class::Integer => ElementKind::Int(crate::ir::IntExpr::Const(0)),
        };
        self.element(kind, &call.method)
    }

    /// `let x = T.alloc_shared::<E>(h, w);`
    pub(super) fn allocation(&mut self, pat: &Pat, call: &syn::ExprMethodCall, row: &WordRow) {
        let element = self.block_element(call, row);
        let arguments = self.arguments(call, row);
        let mut shape = Vec::new();
        let mut complete = arguments.is_some();
        let positional = arguments.map(|arguments| arguments.positional).unwrap_or_default();
        let axes = positional.len();
        let mut left = limits::ELEMENTS;
        for (axis, argument) in positional.into_iter().enumerate() {
            match self.block_extent(argument, axis + 2 >= axes, left) {
                Some(extent) => {
                    shape.push(extent);
                    left = left.checked_div(extent).unwrap_or(0);
                }
                None => complete = false,
            }
        }
        let Pat::Ident(name) = pat else {
            self.error(
                &codes::LET_PATTERN,
                pat,
                "a block has one name",
                format!("write `{}`", row.usage),
            );
            return self.poison_pattern(pat);
        };
        if name.by_ref.is_some() || name.mutability.is_some() || name.subpat.is_some() {
            let note = format!("write `let {} = ..;`: blocks change without `mut`", name.ident);
            self.error(&codes::LET_PATTERN, name, "a block has a plain name", note);
        }
        let (Some(element), true) = (element, complete) else {
            return self.poison(&name.ident);
        };
        let id = BlockId(self.blocks.len() as u32);
        let span = self.span(&name.ident);
        let ident = name.ident.unraw().to_string();
        self.blocks.push(Block {
            name: ident.clone(),
            span,
            scope: match row.word == Word::AllocFragment {
                true => BlockScope::Fragment,
                false => BlockScope::Shared,
            },
            element,
            shape,
        });
        self.scope.declare(ident, span, Binding::Block(id));
    }

    fn block_element(&mut self, call: &syn::ExprMethodCall, row: &WordRow) -> Option<crate::ir::ElementType> {
        let arguments: Vec<&GenericArgument> = call.turbofish.iter().flat_map(|types| &types.args).collect();
        match arguments.as_slice() {
            [GenericArgument::Type(ty)] => self.element_type(ty),
            [] => {
                let message = format!("`T.{}` needs the element type", row.name);
                self.error(
                    &codes::BLOCK_TYPE,
                    &call.method,
                    message,
                    format!("write `{}`", row.usage),
                );
                None
            }
            _ => {
                let message = format!("`T.{}` takes one element type", row.name);
                self.error(
                    &codes::BLOCK_TYPE,
                    &call.turbofish,
                    message,
                    format!("write `{}`", row.usage),
                );
                None
            }
        }
    }

    /// The extent of a block along one axis; `tiled` for the last two, `left` where the axes before leave so many elements.
    fn block_extent(&mut self, argument: &Expr, tiled: bool, left: u64) -> Option<u64> {
        let value = self.integer(argument)?;
        let Some(extent) = value.as_const() else {
            self.error(
                &codes::CONSTANT_WANTED,
                argument,
                "the extents of a block are constants",
                "a core's memory is laid out when the kernel is compiled: use a literal or a `const`",
            );
            return None;
        };
        let multiple = !tiled || extent < 32 || extent % 32 == 0;
        match u64::try_from(extent) {
            Ok(extent) if extent > left => {
                let message = format!("with the extent {extent} the block is larger than the memory of any core");
                let note = "let each block of the grid work on a part of the tensor";
                self.error(&codes::BLOCK_EXTENT, argument, message, note);
                None
            }
            Ok(extent) if extent >= 1 && multiple => Some(extent),
            _ => {
                let note = if extent < 1 {
                    "every axis has at least one element".to_string()
                } else {
                    let down = extent / 32 * 32;
                    format!(
                        "write {down} or {}: extents are multiples of 32, or smaller than 32",
                        down.saturating_add(32)
                    )
                };
                self.error(
                    &codes::BLOCK_EXTENT,
                    argument,
                    format!("a block cannot have the extent {extent}"),
                    note,
                );
                None
            }
        }
    }

    fn gemm(&mut self, operands: [&Expr; 3], arguments: &Arguments<'_>) -> Option<StmtKind> {
        let [a, b, acc] = operands.map(|operand| self.block_argument(operand));
        let transpose_a = self.flag("transpose_a", arguments.option("transpose_a"), false);
        let transpose_b = self.flag("transpose_b", arguments.option("transpose_b"), false);
        let clear_accum = self.flag("clear_accum", arguments.option("clear_accum"), false);
        let (a, b, acc) = (a?, b?, acc?);
        let (transpose_a, transpose_b, clear_accum) = (transpose_a?, transpose_b?, clear_accum?);
        for operand in [&a, &b] {
            if operand.value == acc.value {
                let name = self.block(acc.value).name.clone();
                self.report(
                    Diagnostic::new(
                        &codes::SAME_BLOCK,
                        acc.span,
                        format!("`{name}` is an operand and the accumulator"),
                    )
                    .label(operand.span, "read here")
                    .note("accumulate into another block"),
                );
                return None;
            }
        }
        let mut shapes = Vec::new();
        for operand in [&a, &b, &acc] {
            let block = self.block(operand.value);
            let [rows, columns] = block.shape[..] else {
                let message = format!("{}: a product takes blocks of two axes", self.shape_of(operand.value));
                let note = "allocate it as `(h, w)`";
                self.report(Diagnostic::new(&codes::GEMM_OPERAND, operand.span, message).note(note));
                return None;
            };
            shapes.push((rows, columns));
        }
        let flip = |(rows, columns): (u64, u64), flip: bool| if flip { (columns, rows) } else { (rows, columns) };
        let (m, k) = flip(shapes[0], transpose_a);
        let (k_of_b, n) = flip(shapes[1], transpose_b);
        let wrong = if k != k_of_b {
            let turned = |transposed: bool| if transposed { ", transposed," } else { "" };
            let (a, name) = (&self.block(a.value).name, &self.block(b.value).name);
            let (of_a, of_b) = (turned(transpose_a), turned(transpose_b));
            let message = format!("`{a}`{of_a} has {k} columns, `{name}`{of_b} has {k_of_b} rows");
            Some((b.span, message))
        } else if shapes[2] != (m, n) {
            Some((
                acc.span,
                format!(
                    "the product is {}, the accumulator {}",
                    shape(&[m, n]),
                    shape(&[shapes[2].0, shapes[2].1])
                ),
            ))
        } else {
            None
        };
        if let Some((span, message)) = wrong {
            let mut shown: Vec<String> = Vec::new();
            for (operand, transposed) in [(&a, transpose_a), (&b, transpose_b), (&acc, false)] {
                let suffix = if transposed { ", transposed" } else { "" };
                shown.push(format!("{}{suffix}", self.shape_of(operand.value)));
            }
            self.report(
                Diagnostic::new(&codes::GEMM_SHAPE, span, message)
                    .note(shown.join("; "))
                    .note("wanted: a of m × k, b of k × n, acc of m × n"),
            );
            return None;
        }
        Some(StmtKind::Gemm {
            a: Place::Block(a),
            b: Place::Block(b),
            acc,
            transpose_a,
            transpose_b,
            clear_accum,
        })
    }

    fn reduce(
        &mut self,
        op: ReduceOp,
        src: &Expr,
        out: &Expr,
        arguments: &Arguments<'_>,
        call: &syn::ExprMethodCall,
    ) -> Option<StmtKind> {
        let (src, out) = (self.block_argument(src), self.block_argument(out));
        let dim = self.reduce_dim(arguments.option("dim"), call);
        let clear = self.flag("clear", arguments.option("clear"), true);
        let (src, out, dim, clear) = (src?, out?, dim?, clear?);
        if src.value == out.value {
            return self.same_block(&src, &out, "reduced into itself");
        }
        let [h, w] = self.block(src.value).shape[..] else {
            let message = format!("{}: a reduction takes a block of two axes", self.shape_of(src.value));
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
        Some(StmtKind::Reduce {
            op,
            src,
            out,
            dim,
            clear,
        })
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

    pub(super) fn same_block(&mut self, a: &Spanned<BlockId>, b: &Spanned<BlockId>, what: &str) -> Option<StmtKind> {
        let name = self.block(a.value).name.clone();
        self.report(
            Diagnostic::new(&codes::SAME_BLOCK, b.span, format!("`{name}` is {what}"))
                .label(a.span, "read here")
                .note("write into another block"),
        );
        None
    }

    fn transpose(&mut self, src: Spanned<BlockId>, dst: Spanned<BlockId>) -> Option<StmtKind> {
        if src.value == dst.value {
            return self.same_block(&src, &dst, "transposed into itself");
        }
        let fits = match (&self.block(src.value).shape[..], &self.block(dst.value).shape[..]) {
            ([h, w], [x, y]) => h == y && w == x,
            _ => false,
        };
        if !fits {
            let message = format!("{}, {}", self.shape_of(src.value), self.shape_of(dst.value));
            let note = "transposing (h, w) gives (w, h)";
            self.report(Diagnostic::new(&codes::TRANSPOSE_SHAPE, dst.span, message).note(note));
            return None;
        }
        Some(StmtKind::Transpose { src, dst })
    }

    fn print_item(&mut self, item: &Expr) -> Option<PrintItem> {
        if let Expr::Lit(syn::ExprLit {
            lit: Lit::Str(text), ..
        }) = item
        {
            return Some(PrintItem::Text(text.value()));
        }
        if let Some(ident) = plain_name(item)
            && let Some(Binding::Block(id)) = self
                .scope
                .find(&ident.unraw().to_string())
                .map(|known| known.binding.clone())
        {
            return Some(PrintItem::Block(id));
        }
        let found = self.with_loads(Loads::WholeBlock, |this| this.value(item))?;
        match found {
            super::value::Value::Integer(value) => Some(PrintItem::Value(value)),
            other @ (super::value::Value::Number(..) | super::value::Value::Truth(_)) => {
                let message = format!("{} cannot be printed", other.describe());
                let note = "print texts, whole blocks and integers: `T.print(\"k\", k)`";
                self.error(&codes::PRINT_ARGUMENT, item, message, note);
                None
            }
        }
    }
}
