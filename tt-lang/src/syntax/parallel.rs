//! `for (i, j) in T.Parallel(h, w) { .. }`: element-wise assignments.

use super::declaration::declares_value;
use super::frontend::{Frontend, Loads, plain_name, ungrouped};
use super::limits;
use super::source_text::source_text;
use super::value::Class;
use super::vocabulary::Arguments;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{Access, Assign, Buffer, ElementKind, ElementOp, ElementType, Op, Ranges, Stmt, VarId};
use crate::tree::Kind;
use quote::ToTokens;
use syn::{BinOp, Expr, Item};

impl Frontend {
    /// Reads the loop `this`, whose range is the call `call` of `T.Parallel`.
    pub(super) fn parallel_loop(
        &mut self,
        this: &syn::ExprForLoop,
        call: &syn::ExprMethodCall,
        arguments: Option<Arguments<'_>>,
    ) -> Option<Stmt> {
        let extents: Vec<Option<u64>> = match &arguments {
            Some(arguments) => arguments
                .positional
                .iter()
                .map(|extent| self.parallel_extent(extent))
                .collect(),
            None => Vec::new(),
        };
        if let (Some(arguments), [Some(h), Some(w)]) = (&arguments, extents.as_slice())
            && h.saturating_mul(*w) > limits::ELEMENTS
        {
            let message = format!("`T.Parallel` over {h} × {w} elements");
            let note = format!("at most {} elements are in a block", limits::ELEMENTS);
            let last = arguments.positional.last().copied();
            self.error(&codes::PARALLEL_EXTENTS, last.unwrap_or(&this.expr), message, note);
        }
        let before = self.diagnostics.len();
        let names = self.pattern_names(&this.pat);
        let matching = names.as_ref().is_some_and(|names| names.len() == extents.len());
        if !matching && arguments.is_some() && self.diagnostics.len() == before {
            let (found, note) = match extents.len() {
                1 => ("one extent", "write `for i in T.Parallel(n)`"),
                2 => ("two extents", "write `for (i, j) in T.Parallel(h, w)`"),
                _ => ("three extents", "write `for (i, j, k) in T.Parallel(m, n, k)`"),
            };
            let message = format!("`T.Parallel` has {found}, and so many names are wanted");
            self.error(&codes::LOOP_PATTERN, &*this.pat, message, note);
        }
        let outer = std::mem::take(&mut self.parallel);
        let (indices, assigns) = self.scoped(|frontend| {
            let mut indices: Vec<VarId> = Vec::new();
            match names.filter(|_| matching) {
                Some(names) => indices.extend(names.iter().map(|name| frontend.declare_variable(name))),
                None => frontend.poison_pattern(&this.pat),
            }
            let known = indices.iter().zip(&extents);
            frontend.parallel = known
                .filter_map(|(var, extent)| extent.map(|extent| (*var, extent)))
                .collect();
            frontend.indices = Ranges::of(&frontend.parallel);
            let assigns = frontend.with_loads(Loads::Allowed, |frontend| frontend.assignments(&this.body));
            (indices, assigns)
        });
        let loops = std::mem::replace(&mut self.parallel, outer);
        self.indices = Ranges::of(&self.parallel);
        if !matching || loops.len() != indices.len() {
            return None;
        }
        let assigns = assigns?;
        let span = self.span_of(&call.method);
        let kind = match loops.as_slice() {
            [i, j, k] => self.contraction([*i, *j, *k], &assigns, span)?,
            _ => {
                for assign in &assigns {
                    self.check_target(assign, &loops);
                }
                Kind::Op(Op::Parallel {
                    indices: loops,
                    assigns,
                })
            }
        };
        Some(Stmt::new(span, kind))
    }

    fn parallel_extent(&mut self, extent: &Expr) -> Option<u64> {
        let value = self.integer(extent)?;
        let Some(value) = value.as_const() else {
            let note = "use the extents of the block; what lies past the edge of a tensor is left out by itself";
            self.error(
                &codes::CONSTANT_WANTED,
                extent,
                "the extents of `T.Parallel` are constants",
                note,
            );
            return None;
        };
        if value < 1 {
            let message = format!("`T.Parallel` over {value} elements");
            self.error(&codes::PARALLEL_EXTENTS, extent, message, "every extent is at least 1");
            return None;
        }
        let value = u64::try_from(value).ok();
        if value.is_some_and(|value| value > limits::ELEMENTS) {
            let message = format!("`T.Parallel` over {} elements", value.unwrap_or_default());
            let note = format!("every extent is at most {}", limits::ELEMENTS);
            self.error(&codes::PARALLEL_EXTENTS, extent, message, note);
            return None;
        }
        value
    }

    /// The assignments of the body; `None` where one is wrong.
    fn assignments(&mut self, body: &syn::Block) -> Option<Vec<Assign>> {
        let mut assigns = Some(Vec::new());
        for stmt in &body.stmts {
            let assign = match stmt {
                syn::Stmt::Item(Item::Const(_)) => {
                    self.integer_declaration(stmt);
                    continue;
                }
                syn::Stmt::Local(_) if declares_value(stmt) => {
                    self.integer_declaration(stmt);
                    continue;
                }
                syn::Stmt::Expr(expr, _) => match assignment(expr) {
                    Some((target, op, value)) => {
                        let assign = self.assign(target, op, value, expr);
                        if let Some(assign) = &assign {
                            self.outdate(assign.target.buffer);
                        }
                        assign
                    }
                    None => {
                        self.refuse_in_parallel(expr);
                        None
                    }
                },
                syn::Stmt::Local(local) => {
                    let note = "allocate blocks before the loop";
                    self.error(
                        &codes::PARALLEL_BODY,
                        &local.pat,
                        "a block allocated inside `T.Parallel`",
                        note,
                    );
                    self.poison_pattern(&local.pat);
                    None
                }
                syn::Stmt::Item(item) => {
                    self.refuse_item(item);
                    None
                }
                syn::Stmt::Macro(stmt) => {
                    self.refuse_macro(&stmt.mac);
                    None
                }
            };
            match (assign, &mut assigns) {
                (Some(assign), Some(assigns)) => assigns.push(assign),
                (None, assigns) => *assigns = None,
                (Some(_), None) => {}
            }
        }
        if assigns.as_ref().is_some_and(Vec::is_empty) {
            let place = self.spans.of_first_token(body);
            self.report(
                Diagnostic::new(&codes::PARALLEL_BODY, place, "nothing is assigned in this `T.Parallel`")
                    .note("write `x[(i, j)] = ..;`, or leave the loop out"),
            );
            return None;
        }
        assigns
    }

    /// Names of elements of `buffer` are used no more: it was assigned.
    fn outdate(&mut self, buffer: Buffer) {
        let name = match buffer {
            Buffer::Block(id) => self.block(id).name.clone(),
            Buffer::Tensor(id) => match self.tensor(id) {
                Some(tensor) => tensor.name.clone(),
                None => return,
            },
        };
        self.scope.outdate(buffer, &name);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    fn refuse_in_parallel(&mut self, expr: &Expr) {
        let (token, what, note): (&dyn ToTokens, &str, &str) = match expr {
            Expr::ForLoop(this) => (
                &this.for_token,
                "a loop inside `T.Parallel`",
                "put it around `T.Parallel`, or reduce with `T.reduce_sum(x, out, dim = 1)`",
            ),
            Expr::If(this) => (
                &this.if_token,
                "an `if` statement inside `T.Parallel`",
                "write it as the value: `x[(i, j)] = if c { y } else { x[(i, j)] };`",
            ),
            Expr::MethodCall(this) if super::vocabulary::is_vocabulary(&this.receiver) => (
                &this.method,
                "a call that assigns nothing inside `T.Parallel`",
                "put it before or after the loop; element operations are assigned: `x[(i, j)] = T.exp(x[(i, j)]);`",
            ),
            Expr::Block(this) => (
                &this.block,
                "a block of statements inside `T.Parallel`",
                "write the assignments alone",
            ),
            Expr::Paren(inner) => return self.refuse_in_parallel(&inner.expr),
            Expr::Group(inner) => return self.refuse_in_parallel(&inner.expr),
            Expr::Binary(this) if is_assignment(&this.op) => {
                let note = "assignments are `=`, `+=`, `-=`, `*=` and `/=`, of integers also `%=`, `&=`, `|=`, `^=`, `<<=` and `>>=`";
                let operator = source_text(&this.op);
                return self.error(
                    &codes::OPERATOR,
                    &this.op,
                    format!("`{operator}` is not in the language"),
                    note,
                );
            }
            Expr::Index(_)
            | Expr::Path(_)
            | Expr::Lit(_)
            | Expr::Binary(_)
            | Expr::Unary(_)
            | Expr::Cast(_)
            | Expr::MethodCall(_) => (
                expr,
                "a value that nothing uses",
                "assign it to an element: `x[(i, j)] = ..;`",
            ),
            other => return self.refuse(other),
        };
        let tokens = token.to_token_stream();
        self.error(&codes::PARALLEL_BODY, &tokens, what, note);
    }

    fn assign(&mut self, target: &Expr, op: Option<ElementOp>, value: &Expr, whole: &Expr) -> Option<Assign> {
        let place = self.target(target);
        let found = self.value(value);
        let (target_access, element) = place?;
        let class = Class::of(element);
        if let (
            Some(ElementOp::BitAnd | ElementOp::BitOr | ElementOp::BitXor | ElementOp::Shl | ElementOp::Shr),
            Class::Float,
            Expr::Binary(binary),
        ) = (op, class, whole)
        {
            return self.refuse_operator(&binary.op, class);
        }
        let right = self.number(found?, class, value)?;
        // What `%` is of numbers.
        let op = match op {
            Some(ElementOp::Rem) if class == Class::Float => Some(ElementOp::Fmod),
            op => op,
        };
        let value = match op {
            None => right,
            Some(op) => {
                let load = self.element(ElementKind::Load(target_access.clone()), target);
                self.element(ElementKind::Call(op, vec![load, right]), whole)
            }
        };
        self.check_literals(&value, element);
        Some(Assign {
            target: target_access,
            value,
            compound: op.is_some(),
            span: self.span_of(whole),
        })
    }

    /// The element that is assigned, and its type.
    fn target(&mut self, target: &Expr) -> Option<(Access, ElementType)> {
        let target = ungrouped(target);
        if let Expr::Index(index) = target {
            let (access, element) = self.access(index)?;
            if let (Buffer::Tensor(id), Some(ident)) = (access.buffer, plain_name(&index.expr)) {
                self.check_stored(id, ident);
            }
            return Some((access, element));
        }
        let Some(ident) = plain_name(target) else {
            self.refuse(target);
            return None;
        };
        match self.resolve(ident)?.buffer() {
            Ok(Buffer::Block(_) | Buffer::Tensor(_)) => {
                let note = format!("name the element: `{ident}[(i, j)] = ..;`");
                self.error(
                    &codes::WHOLE_BLOCK,
                    ident,
                    format!("`{ident}` is assigned as a whole"),
                    note,
                );
            }
            Err(_) => {
                let note = "keep what changes in a fragment: `x[(i, j)] = ..;`";
                self.error(
                    &codes::MUTABLE_VARIABLE,
                    ident,
                    format!("`{ident}` keeps its value"),
                    note,
                );
            }
        }
        None
    }

    /// Each element is assigned once: every index of the loop appears in the target.
    fn check_target(&mut self, assign: &Assign, loops: &[(VarId, u64)]) {
        for (var, extent) in loops {
            if *extent == 1 || assign.target.indices.iter().any(|index| index.mentions(*var)) {
                continue;
            }
            let name = self.variables[var.index()].name.clone();
            self.report(
                Diagnostic::new(
                    &codes::TARGET_INDICES,
                    assign.target.span,
                    format!("the same element is assigned for every `{name}`"),
                )
                .note(format!(
                    "use `{name}` in the target, or fold that axis: `T.reduce_sum(x, out, dim = 1);`"
                )),
            );
        }
    }
}

/// Target, operation and value of `target = value`, `target += value` and so on.
#[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
fn assignment(expr: &Expr) -> Option<(&Expr, Option<ElementOp>, &Expr)> {
    match expr {
        Expr::Assign(assign) => Some((&assign.left, None, &assign.right)),
        Expr::Binary(binary) => {
            let op = match binary.op {
                BinOp::AddAssign(_) => ElementOp::Add,
                BinOp::SubAssign(_) => ElementOp::Sub,
                BinOp::MulAssign(_) => ElementOp::Mul,
                BinOp::DivAssign(_) => ElementOp::Div,
                BinOp::RemAssign(_) => ElementOp::Rem,
                BinOp::BitAndAssign(_) => ElementOp::BitAnd,
                BinOp::BitOrAssign(_) => ElementOp::BitOr,
                BinOp::BitXorAssign(_) => ElementOp::BitXor,
                BinOp::ShlAssign(_) => ElementOp::Shl,
                BinOp::ShrAssign(_) => ElementOp::Shr,
                _ => return None,
            };
            Some((&binary.left, Some(op), &binary.right))
        }
        _ => None,
    }
}

/// Whether `op` is one of Rust's compound assignments.
pub(super) fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}
