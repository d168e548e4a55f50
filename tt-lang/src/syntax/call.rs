//! Statements that are calls on `T`: blocks, fills, products, transposes, prints. Copies are in `copy`, reductions in
//! `reduction`.

use super::frontend::{Frontend, Loads, name_of, plain_name, shape};
use super::limits;
use super::scope::Binding;
use super::source_text::condition_text;
use super::value::{Class, Value};
use super::vocabulary::{Arguments, Role, Word, WordRow, word};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Block, BlockId, BlockScope, BoolExpr, Element, ElementKind, ElementOp, IntExpr, Op, Param, ParamId, Place,
    PrintItem, Real, Span, Spanned, Stmt, StmtKind, TensorParam,
};
use crate::tree::Kind;
use syn::{Expr, GenericArgument, Lit, Pat};

impl Frontend {
    /// Reads `T.name(..);`.
    pub(super) fn call(&mut self, call: &syn::ExprMethodCall) -> Option<Stmt> {
        let name = name_of(&call.method);
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
            (Word::Clear, [block]) => self.filled(block, |this, block| Some(this.zero(block?, call)))?,
            (Word::Fill, [block, value]) => self.filled(block, |this, block| {
                let found = this.with_loads(Loads::WholeBlock, |this| this.value(value));
                let element = this.block(block?).element;
                let filled = this.number(found?, Class::of(element), *value)?;
                this.check_literals(&filled, element);
                Some(filled)
            })?,
            (Word::Gemm, [a, b, acc]) => self.gemm([a, b, acc], &arguments)?,
            (Word::Reduce(op), [src, out]) => self.reduce(op, src, out, &arguments, call)?,
            (Word::ReduceArg(op), [src, val, pos]) => self.reduce_arg(op, [src, val, pos], &arguments, call)?,
            (Word::Transpose, [src, dst]) => {
                let (src, dst) = (self.block_operand(src), self.block_result(dst, false, false));
                self.transpose(src?, dst?)?
            }
            (Word::Print, items) => {
                let items: Vec<Option<Printed>> = items.iter().map(|item| self.printed(item)).collect();
                let items: Vec<Printed> = items.into_iter().collect::<Option<_>>()?;
                let span = self.span(&call.method);
                let truths = items.iter().filter(|item| matches!(item, Printed::Truth(_))).count();
                if truths > MOST_TRUTHS {
                    let message = format!("more than {MOST_TRUTHS} truth values in one line");
                    self.error(
                        &codes::PRINT_ARGUMENT,
                        &call.method,
                        message,
                        "print some of them by themselves",
                    );
                    return None;
                }
                printing(&items, Vec::new(), span)
            }
            (Word::Assert, [cond]) => {
                let value = self.condition(cond, Loads::Assertion)?;
                Kind::Op(Op::Assert {
                    cond: Spanned {
                        value,
                        span: self.span(cond),
                    },
                    text: condition_text(cond),
                })
            }
            // `arguments` has checked their number.
            _ => {
                self.word_out_of_place(&call.method, row, "is not compiled");
                return None;
            }
        };
        Some(Stmt::new(self.span(&call.method), kind))
    }

    /// Zero, in the kind of number that the block holds.
    fn zero(&mut self, block: BlockId, call: &syn::ExprMethodCall) -> Element {
        let kind = match Class::of(self.block(block).element) {
            Class::Float => ElementKind::Float(Real(0.0)),
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
        let mut left = limits::ELEMENTS;
        for argument in positional {
            match self.block_extent(argument, left) {
                Some(extent) => {
                    shape.push(extent);
                    left = left.checked_div(extent).unwrap_or(0);
                }
                None => complete = false,
            }
        }
        let Some(name) = self.allocated_name(pat, row, "a block") else {
            return;
        };
        let (Some(element), true) = (element, complete) else {
            return self.poison(name);
        };
        let id = BlockId(self.blocks.len() as u32);
        let span = self.span(name);
        let ident = name_of(name);
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

    /// The name of what `row` allocates; `what` is `a block`, say.
    fn allocated_name<'a>(&mut self, pat: &'a Pat, row: &WordRow, what: &str) -> Option<&'a syn::Ident> {
        let Pat::Ident(name) = pat else {
            let note = format!("write `{}`", row.usage);
            self.error(&codes::LET_PATTERN, pat, format!("{what} has one name"), note);
            self.poison_pattern(pat);
            return None;
        };
        if name.by_ref.is_some() || name.mutability.is_some() || name.subpat.is_some() {
            let note = format!("write `let {} = ..;`: it changes without `mut`", name.ident);
            self.error(&codes::LET_PATTERN, name, format!("{what} has a plain name"), note);
        }
        Some(&name.ident)
    }

    /// `let x = T.alloc_global::<E>(m, n);`
    pub(super) fn temporary(&mut self, pat: &Pat, call: &syn::ExprMethodCall, row: &WordRow) {
        if self.in_stage || self.grid_seen.is_some() || self.nesting > 0 {
            let note = "it stands before the first `T.Kernel`, where every stage sees it; a block of a core is `T.alloc_shared`";
            let message = "`T.alloc_global` within a stage";
            self.error(&codes::TEMPORARY_PLACE, &call.method, message, note);
            return self.poison_pattern(pat);
        }
        let element = self.block_element(call, row);
        let arguments = self.arguments(call, row);
        let complete = arguments.is_some();
        let positional = arguments.map(|arguments| arguments.positional).unwrap_or_default();
        let extents: Vec<_> = positional
            .into_iter()
            .map(|argument| self.temporary_extent(argument))
            .collect();
        let Some(name) = self.allocated_name(pat, row, "a temporary") else {
            return;
        };
        let (span, ident) = (self.span(name), name_of(name));
        let extent = self
            .extents
            .iter()
            .find(|extent| extent.name == ident)
            .map(|of| of.span);
        let taken = extent.or_else(|| {
            self.params.iter().find_map(|param| match param {
                Param::Tensor(tensor) | Param::Temporary(tensor) => (tensor.name == ident).then_some(tensor.span),
                Param::Scalar(scalar) => (scalar.name == ident).then_some(scalar.span),
                // Its name is one that is left in the end.
                Param::Derived(_) => None,
            })
        });
        if let Some(first) = taken {
            self.given_twice(name, first, span);
            return self.poison(name);
        }
        let (Some(element), Some(extents), true) = (element, extents.into_iter().collect(), complete) else {
            return self.poison(name);
        };
        let id = ParamId(self.params.len() as u32);
        let element = Spanned {
            value: element,
            span: self.span(&call.turbofish),
        };
        self.params.push(Param::Temporary(TensorParam {
            name: ident.clone(),
            span,
            element,
            extents,
            mutable: true,
            layout: Self::default_layout(span),
        }));
        self.scope.declare(ident, span, Binding::Tensor(id));
    }

    fn temporary_extent(&mut self, argument: &Expr) -> Option<Spanned<IntExpr>> {
        let value = self.integer(argument)?;
        if value.as_const().is_some_and(|value| value < 1) {
            let note = "every axis has at least one element";
            self.error(&codes::TENSOR_EXTENT, argument, "an extent is at least 1", note);
            return None;
        }
        Some(Spanned {
            value,
            span: self.span(argument),
        })
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

    /// The extent of a block along one axis, where the axes before leave so many elements.
    fn block_extent(&mut self, argument: &Expr, left: u64) -> Option<u64> {
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
        match u64::try_from(extent) {
            Ok(extent) if extent > left => {
                let message = format!("with the extent {extent} the block is larger than the memory of any core");
                let note = "let each block of the grid work on a part of the tensor";
                self.error(&codes::BLOCK_EXTENT, argument, message, note);
                None
            }
            Ok(extent) if extent >= 1 => Some(extent),
            _ => {
                let message = format!("a block cannot have the extent {extent}");
                let note = "every axis has at least one element";
                self.error(&codes::BLOCK_EXTENT, argument, message, note);
                None
            }
        }
    }

    fn gemm(&mut self, operands: [&Expr; 3], arguments: &Arguments<'_>) -> Option<StmtKind> {
        let [a, b, acc] = operands;
        let clear_accum = self.flag("clear_accum", arguments.option("clear_accum"), false);
        let is_kept = clear_accum == Some(false);
        let (a, b) = (self.block_operand(a), self.block_operand(b));
        let acc = self.block_result(acc, is_kept, false);
        let transpose_a = self.flag("transpose_a", arguments.option("transpose_a"), false);
        let transpose_b = self.flag("transpose_b", arguments.option("transpose_b"), false);
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
        Some(Kind::Op(Op::Gemm {
            a: Place::Block(a),
            b: Place::Block(b),
            acc,
            transpose_a,
            transpose_b,
            clear_accum,
        }))
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
        Some(Kind::Op(Op::Transpose { src, dst }))
    }

    /// What `item` of a `T.print` prints.
    fn printed(&mut self, item: &Expr) -> Option<Printed> {
        if let Expr::Lit(syn::ExprLit {
            lit: Lit::Str(text), ..
        }) = item
        {
            let text = text.value();
            if text.contains(char::is_control) {
                let message = "a text of more than one line, or with other control characters";
                self.error(&codes::PRINT_ARGUMENT, item, message, "print every line by itself");
                return None;
            }
            return Some(Printed::Item(PrintItem::Text(text)));
        }
        if let Some(ident) = plain_name(item)
            && let Some(Binding::Block(id)) = self.scope.find(&name_of(ident)).map(|known| known.binding.clone())
        {
            let block = Spanned {
                value: id,
                span: self.span(ident),
            };
            return Some(Printed::Item(PrintItem::Block {
                block,
                is_unsigned: false,
            }));
        }
        let found = self.with_loads(Loads::Print, |this| this.value(item))?;
        let (message, note) = match &found {
            Value::Integer(value) => return Some(Printed::Item(PrintItem::Value(value.clone()))),
            Value::Truth(truth) => {
                let value = self.uniform_truth(truth)?;
                let span = self.span(item);
                return Some(Printed::Truth(Spanned { value, span }));
            }
            Value::Number(element, Class::Float) => {
                if let Some(number) = element.number_of_block() {
                    return Some(Printed::Item(PrintItem::Number(number)));
                }
                (
                    "a number that is not the same for the whole block, or not computed in kernels, cannot be printed"
                        .to_string(),
                    "numbers are printed that are made of `f32` scalars, literals and integers, of which those that differ from block to \
                     block are added, subtracted, multiplied and divided; keep others in a block: `T.print(x)`",
                )
            }
            Value::Number(_, Class::Integer) => (
                format!("{} cannot be printed", found.describe()),
                "print texts, whole blocks, integers, numbers and truth values: `T.print(\"k\", k)`",
            ),
        };
        self.error(&codes::PRINT_ARGUMENT, item, message, note);
        None
    }
}

/// Truth values in one line of print: each doubles the statements that print it.
const MOST_TRUTHS: usize = 3;

/// Something printed, as it is written.
enum Printed {
    Item(PrintItem),
    /// `true` or `false`.
    Truth(Spanned<BoolExpr>),
}

/// The statement that prints `items` behind what is `known` of the line: a branch for each truth value.
fn printing(items: &[Printed], mut known: Vec<PrintItem>, span: Span) -> StmtKind {
    for (at, item) in items.iter().enumerate() {
        match item {
            Printed::Item(item) => known.push(item.clone()),
            Printed::Truth(cond) => {
                let side = |holds: bool| {
                    let mut known = known.clone();
                    known.push(PrintItem::Text(holds.to_string()));
                    let kind = printing(items.get(at.saturating_add(1)..).unwrap_or_default(), known, span);
                    vec![Stmt::new(span, kind)]
                };
                return Kind::If(cond.clone(), side(true), side(false));
            }
        }
    }
    Kind::Op(Op::Print { items: known })
}
