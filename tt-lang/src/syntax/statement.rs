//! The body: stages, `let`, `const`, `if` and nested blocks. Calls on `T` are in `call`, loops in `looping`.

use super::declaration::{declares_temporary, declares_value};
use super::frontend::{Frontend, Loads, name_of, plain_name, ungrouped};
use super::limits;
use super::scope::Binding;
use super::source_text::source_text;
use super::vocabulary::{Role, is_vocabulary, word};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{For, LoopKind, Op, Spanned, Stage, Stmt};
use crate::tree::Kind;
use std::borrow::Cow;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Expr, Item};

impl Frontend {
    /// Reads the body of the kernel called `name`: one grid, or several stages.
    pub(super) fn body(&mut self, block: &syn::Block, name: &syn::Ident) -> Vec<Stage> {
        self.refuse_attributes(block);
        let block = &without_empty_statements(block);
        if let Some(position) = block.stmts.iter().position(|stmt| grid_call(stmt).is_some()) {
            return self.grid_body(block, position).into_iter().collect();
        }
        if block.stmts.iter().any(|stmt| stage_block(stmt).is_some()) {
            return self.stage_bodies(&block.stmts);
        }
        if !mentions_grid(block) {
            let note = "begin the body with `let (bx, by) = T.Kernel(gx, gy);`";
            self.error(&codes::GRID_MISSING, name, format!("`{name}` has no `T.Kernel`"), note);
            self.grid_seen = Some(self.span(name));
        }
        self.statements(&block.stmts);
        Vec::new()
    }

    /// `{ let (bx, by) = T.Kernel(gx, gy); .. }` more than once, after what all of them see.
    fn stage_bodies(&mut self, stmts: &[syn::Stmt]) -> Vec<Stage> {
        let mut stages = Vec::new();
        let mut seen = 0_usize;
        self.with_functions(stmts, |this| {
            for stmt in stmts {
                if let Some((stage, call)) = stage_block(stmt) {
                    seen = seen.saturating_add(1);
                    if seen == limits::GRIDS + 1 {
                        let message = format!("a kernel of more than {} stages", limits::GRIDS);
                        let note = "each stage is a program that the device keeps: write a second kernel";
                        this.error(&codes::STAGE_COUNT, &call.method, message, note);
                    }
                    stages.extend(this.stage(stage));
                } else if declares_value(stmt) || declares_temporary(stmt) {
                    this.statement(stmt);
                } else {
                    let place = this.spans.of_first_token(stmt);
                    this.report(
                        Diagnostic::new(&codes::STAGE_STATEMENT, place, "a statement outside of the stages")
                            .note("put it into a block with a `T.Kernel`: `{ let (bx, by) = T.Kernel(gx, gy); .. }`"),
                    );
                    if let syn::Stmt::Local(local) = stmt {
                        this.poison_pattern(&local.pat);
                    }
                }
            }
        });
        stages
    }

    /// A stage, whose grid, blocks and variables are its own.
    fn stage(&mut self, stage: &syn::ExprBlock) -> Option<Stage> {
        if let Some(label) = &stage.label {
            self.refuse_label(label);
        }
        let position = stage.block.stmts.iter().position(|stmt| grid_call(stmt).is_some())?;
        self.scoped(|this| {
            let nesting = std::mem::take(&mut this.nesting);
            this.in_stage = true;
            let read = this.grid_body(&stage.block, position);
            this.in_stage = false;
            this.grid_seen = None;
            this.nesting = nesting;
            read
        })
    }

    /// The body of one grid, whose `T.Kernel` stands at `position`.
    fn grid_body(&mut self, block: &syn::Block, position: usize) -> Option<Stage> {
        // The grid's names are in scope everywhere, also where a statement wrongly stands before it.
        let (declarations, early): (Vec<&syn::Stmt>, Vec<&syn::Stmt>) = block.stmts[..position]
            .iter()
            .partition(|stmt| declares_value(stmt) || declares_temporary(stmt));
        let body = self.with_functions(&block.stmts, |this| {
            this.body_around(block, position, &declarations, &early)
        });
        self.check_size(&body);
        self.check_integers_of_temporaries(&body);
        let (grid, blocks) = (self.grid.take(), std::mem::take(&mut self.blocks));
        let variables = std::mem::take(&mut self.variables);
        Some(Stage {
            grid: grid?,
            blocks,
            variables,
            body,
        })
    }

    /// The body around the grid, which stands at `position`.
    fn body_around(
        &mut self,
        block: &syn::Block,
        position: usize,
        declarations: &[&syn::Stmt],
        early: &[&syn::Stmt],
    ) -> Vec<Stmt> {
        for stmt in declarations {
            self.statement(stmt);
        }
        let grid = &block.stmts[position];
        if let (Some(early), Some(call)) = (early.first(), grid_call(grid)) {
            let place = self.spans.of_first_token(*early);
            let span = self.span(&call.method);
            self.report(
                Diagnostic::new(&codes::GRID_NOT_FIRST, span, "`T.Kernel` comes first")
                    .label(place, "this stands before it")
                    .note("only integer constants and `T.alloc_global` may stand before `T.Kernel`"),
            );
        }
        self.statement(grid);
        let mut body = Vec::new();
        for stmt in early.iter().copied().chain(&block.stmts[position + 1..]) {
            body.extend(self.statement(stmt));
        }
        body
    }

    /// Reports the statement with which the kernel grows too large.
    fn check_size(&mut self, body: &[Stmt]) {
        let mut left = limits::STATEMENTS;
        if let Some((stmt, times)) = last_of(body, 1, &mut left) {
            let (unrolled, note) = match times {
                1 => ("", "write what repeats as a loop, or split the kernel"),
                _ => (
                    ", unrolled loops written out",
                    "use `T.serial(n)` in place of `T.unroll(n)`",
                ),
            };
            let message = format!("a kernel of more than {} statements{unrolled}", limits::STATEMENTS);
            self.report(Diagnostic::new(&codes::TOO_LARGE, stmt.note, message).note(note));
        }
    }

    fn refuse_attributes(&mut self, block: &syn::Block) {
        struct Attributes<'a>(Vec<&'a syn::Attribute>);
        impl<'ast> Visit<'ast> for Attributes<'ast> {
            fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
                self.0.push(attribute);
            }

            fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
                self.0
                    .extend(item.attrs.iter().filter(|attribute| !attribute.path().is_ident("doc")));
                self.visit_signature(&item.sig);
                self.visit_block(&item.block);
            }
        }
        let mut found = Attributes(Vec::new());
        found.visit_block(block);
        for attribute in found.0 {
            let name = source_text(attribute.path());
            let message = format!("`{name}` has no meaning inside a kernel");
            self.error(&codes::ATTRIBUTE, attribute.path(), message, "leave the attribute out");
        }
    }

    /// Reads statements in the scope they stand in.
    pub(super) fn statements(&mut self, stmts: &[syn::Stmt]) -> Vec<Stmt> {
        self.with_functions(stmts, |this| {
            stmts.iter().flat_map(|stmt| this.statement(stmt)).collect()
        })
    }

    /// Reads the statements of a nested block in a scope of their own.
    pub(super) fn nested(&mut self, block: &syn::Block) -> Vec<Stmt> {
        self.scoped(|this| this.statements(&block.stmts))
    }

    /// A statement, after what it takes from tensors and parts of blocks, and before what it leaves in these.
    fn statement(&mut self, stmt: &syn::Stmt) -> Vec<Stmt> {
        self.after_fetches(|this| this.one_statement(stmt))
    }

    /// What `read` reads, between what it takes and what it leaves.
    fn after_fetches(&mut self, read: impl FnOnce(&mut Self) -> Vec<Stmt>) -> Vec<Stmt> {
        let outer = (std::mem::take(&mut self.fetches), std::mem::take(&mut self.stores));
        let stmts = read(self);
        let mut out = std::mem::replace(&mut self.fetches, outer.0);
        out.extend(stmts);
        out.extend(std::mem::replace(&mut self.stores, outer.1));
        out
    }

    fn one_statement(&mut self, stmt: &syn::Stmt) -> Vec<Stmt> {
        match stmt {
            syn::Stmt::Local(local) => {
                self.local(local);
                Vec::new()
            }
            syn::Stmt::Item(Item::Const(item)) => {
                self.constant_item(item);
                Vec::new()
            }
            // Declared with the block.
            syn::Stmt::Item(Item::Fn(_)) => Vec::new(),
            syn::Stmt::Item(item) => {
                self.refuse_item(item);
                Vec::new()
            }
            syn::Stmt::Macro(stmt) => {
                self.refuse_macro(&stmt.mac);
                Vec::new()
            }
            syn::Stmt::Expr(expr, _) => self.expression_statement(expr),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    fn expression_statement(&mut self, expr: &Expr) -> Vec<Stmt> {
        match expr {
            Expr::ForLoop(this) => self.for_loop(this).into_iter().collect(),
            Expr::If(branch) => self.branch(branch).into_iter().collect(),
            Expr::Block(block) => {
                if let Some(label) = &block.label {
                    self.refuse_label(label);
                }
                self.nested(&block.block)
            }
            Expr::Paren(inner) => self.expression_statement(&inner.expr),
            Expr::Group(inner) => self.expression_statement(&inner.expr),
            Expr::MethodCall(call) if is_vocabulary(&call.receiver) => self.call(call).into_iter().collect(),
            Expr::Assign(assign) => {
                self.refuse_assignment(&assign.left, expr);
                Vec::new()
            }
            Expr::Binary(binary) if super::parallel::is_assignment(&binary.op) => {
                self.refuse_assignment(&binary.left, expr);
                Vec::new()
            }
            Expr::MethodCall(_) | Expr::Index(_) | Expr::Binary(_) | Expr::Unary(_) | Expr::Path(_) | Expr::Cast(_) => {
                let before = self.diagnostics.len();
                let value = self.with_loads(Loads::Allowed, |this| this.value(expr));
                if value.is_some() && self.diagnostics.len() == before {
                    self.error(
                        &codes::OUT_OF_PLACE,
                        expr,
                        "a value that nothing uses",
                        "assign it to an element inside `T.Parallel`: `x[(i, j)] = ..;`",
                    );
                }
                Vec::new()
            }
            other => {
                self.refuse(other);
                Vec::new()
            }
        }
    }

    pub(super) fn refuse_label(&mut self, label: &syn::Label) {
        let message = "labels are not in the language";
        self.error(
            &codes::LABEL,
            &label.name,
            message,
            "loops are never left early: leave it out",
        );
    }

    /// Refuses an assignment that stands outside `T.Parallel`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    fn refuse_assignment(&mut self, target: &Expr, assignment: &Expr) {
        let Some(ident) = plain_name(target) else {
            match target {
                Expr::Index(_) => self.error(
                    &codes::ELEMENT_OUTSIDE_PARALLEL,
                    target,
                    "an element is assigned outside `T.Parallel`",
                    "write `for (i, j) in T.Parallel(h, w) { x[(i, j)] = ..; }`",
                ),
                Expr::Infer(_) | Expr::Tuple(_) | Expr::Path(_) => self.error(
                    &codes::WRONG_KIND,
                    target,
                    "this cannot be assigned to",
                    "elements of blocks and tensors are assigned inside `T.Parallel`",
                ),
                other => self.refuse(other),
            }
            return;
        };
        match self.resolve(ident) {
            Some(Binding::Block(_)) => {
                let note =
                    format!("write `T.copy(src, {ident})`, `T.fill({ident}, v)`, or assign elements in `T.Parallel`");
                self.error(
                    &codes::WHOLE_BLOCK,
                    ident,
                    format!("`{ident}` is a whole block and is not assigned"),
                    note,
                );
            }
            Some(Binding::Tensor(_)) => {
                let note = format!("write `T.copy(block, {ident}[(row, col)])`");
                self.error(
                    &codes::WHOLE_TENSOR,
                    ident,
                    format!("`{ident}` is a whole tensor and is not assigned"),
                    note,
                );
            }
            Some(
                Binding::Integer(_)
                | Binding::Variable(_)
                | Binding::Extent(_)
                | Binding::Scalar(_)
                | Binding::Function(_)
                | Binding::Number(..)
                | Binding::Truth(_),
            ) => self.error(
                &codes::MUTABLE_VARIABLE,
                assignment,
                format!("`{ident}` keeps its value"),
                "name a new value with `let`, count with a loop, or keep what changes in a fragment",
            ),
            Some(Binding::Poisoned) | None => {}
        }
    }

    /// `if cond { .. } else { .. }` as a statement.
    fn branch(&mut self, branch: &syn::ExprIf) -> Option<Stmt> {
        let cond = if let Expr::Let(_) = *branch.cond {
            self.refuse(&branch.cond);
            None
        } else {
            self.condition(&branch.cond, Loads::Condition)
        };
        let then = self.nested(&branch.then_branch);
        let otherwise = match branch.else_branch.as_ref().map(|(_, otherwise)| &**otherwise) {
            Some(Expr::If(next)) => self.after_fetches(|this| this.branch(next).into_iter().collect()),
            Some(Expr::Block(block)) => self.nested(&block.block),
            Some(other) => {
                self.refuse(other);
                Vec::new()
            }
            None => Vec::new(),
        };
        let cond = Spanned {
            value: cond?,
            span: self.span(&branch.cond),
        };
        Some(Stmt::new(self.span(&branch.if_token), Kind::If(cond, then, otherwise)))
    }
}

/// `block` without what is nothing but `;`, in it and in the blocks within.
fn without_empty_statements(block: &syn::Block) -> Cow<'_, syn::Block> {
    fn is_empty(stmt: &syn::Stmt) -> bool {
        matches!(stmt, syn::Stmt::Expr(Expr::Verbatim(tokens), _) if tokens.is_empty())
    }
    struct Finds(bool);
    impl<'ast> Visit<'ast> for Finds {
        fn visit_block(&mut self, block: &'ast syn::Block) {
            self.0 |= block.stmts.iter().any(is_empty);
            syn::visit::visit_block(self, block);
        }
    }
    struct Drops;
    impl VisitMut for Drops {
        fn visit_block_mut(&mut self, block: &mut syn::Block) {
            block.stmts.retain(|stmt| !is_empty(stmt));
            syn::visit_mut::visit_block_mut(self, block);
        }
    }
    let mut finds = Finds(false);
    finds.visit_block(block);
    if !finds.0 {
        return Cow::Borrowed(block);
    }
    let mut block = block.clone();
    Drops.visit_block_mut(&mut block);
    Cow::Owned(block)
}

/// The statement of `body` at which `left` are used up.
fn last_of<'a>(body: &'a [Stmt], times: usize, left: &mut usize) -> Option<(&'a Stmt, usize)> {
    body.iter().find_map(|stmt| {
        let count = match &stmt.kind {
            Kind::Op(Op::Parallel { assigns, .. }) => assigns.len().max(1),
            Kind::Op(
                Op::Copy { .. }
                | Op::Fill { .. }
                | Op::Gemm { .. }
                | Op::Reduce { .. }
                | Op::ReduceArg { .. }
                | Op::Transpose { .. }
                | Op::Fetch { .. }
                | Op::Print { .. }
                | Op::Assert { .. },
            )
            | Kind::Group(..)
            | Kind::Loop(..)
            | Kind::If(..) => 1,
        };
        match left.checked_sub(count.saturating_mul(times)) {
            None => return Some((stmt, times)),
            Some(less) => *left = less,
        }
        let mut rounds = 1;
        if let Kind::Loop(For { start, end, kind, .. }, _) = &stmt.kind
            && let (LoopKind::Unroll, Some(start), Some(end)) = (kind, start.as_const(), end.as_const())
        {
            rounds = usize::try_from(end.saturating_sub(start)).unwrap_or(0).max(1);
        }
        stmt.bodies()
            .find_map(|body| last_of(body, times.saturating_mul(rounds), left))
    })
}

/// The `T.` call that `expr` is.
pub(super) fn vocabulary_call(expr: &Expr) -> Option<&syn::ExprMethodCall> {
    let Expr::MethodCall(call) = ungrouped(expr) else {
        return None;
    };
    is_vocabulary(&call.receiver).then_some(call)
}

/// The `T.Kernel` call that `stmt` binds.
fn grid_call(stmt: &syn::Stmt) -> Option<&syn::ExprMethodCall> {
    let syn::Stmt::Local(local) = stmt else { return None };
    let call = vocabulary_call(&local.init.as_ref()?.expr)?;
    word(&name_of(&call.method))
        .filter(|row| row.role == Role::Grid)
        .map(|_| call)
}

/// The block that `stmt` is and its `T.Kernel`, if it is a stage.
fn stage_block(stmt: &syn::Stmt) -> Option<(&syn::ExprBlock, &syn::ExprMethodCall)> {
    let syn::Stmt::Expr(Expr::Block(block), _) = stmt else {
        return None;
    };
    let grid = block.block.stmts.iter().find_map(grid_call)?;
    Some((block, grid))
}

/// Whether `T.Kernel` appears anywhere, so that its being out of place is the error.
fn mentions_grid(block: &syn::Block) -> bool {
    struct Calls(bool);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            let grid = word(&name_of(&call.method)).is_some_and(|row| row.role == Role::Grid);
            self.0 |= grid && is_vocabulary(&call.receiver);
            syn::visit::visit_expr_method_call(self, call);
        }
    }
    let mut calls = Calls(false);
    calls.visit_block(block);
    calls.0
}
