//! The body: `let`, `const`, `if` and nested blocks. Calls on `T` are in `call`, loops in `looping`.

use super::frontend::{Frontend, Loads, plain_name, type_name};
use super::scope::Binding;
use super::source_text::source_text;
use super::value::Value;
use super::vocabulary::{Role, is_vocabulary, word};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{Grid, IntExpr, Spanned, Stmt, StmtKind};
use syn::ext::IdentExt;
use syn::spanned::Spanned as _;
use syn::visit::Visit;
use syn::{Expr, Item, Pat};

const INTEGER_TYPES: [&str; 6] = ["usize", "isize", "u32", "i32", "u64", "i64"];

impl Frontend {
    /// Reads the body of the kernel called `name`.
    pub(super) fn body(&mut self, block: &syn::Block, name: &syn::Ident) -> Vec<Stmt> {
        self.refuse_attributes(block);
        let Some(position) = block.stmts.iter().position(|stmt| grid_call(stmt).is_some()) else {
            if !mentions_grid(block) {
                let note = "begin the body with `let (bx, by) = T.Kernel(gx, gy);`";
                self.error(&codes::GRID_MISSING, name, format!("`{name}` has no `T.Kernel`"), note);
            }
            return self.statements(&block.stmts);
        };
        // The grid's names are in scope everywhere, also where a statement wrongly stands before it.
        let (declarations, early): (Vec<&syn::Stmt>, Vec<&syn::Stmt>) =
            block.stmts[..position].iter().partition(|stmt| declares_integer(stmt));
        for stmt in declarations {
            self.statement(stmt);
        }
        let grid = &block.stmts[position];
        if let (Some(early), Some(call)) = (early.first(), grid_call(grid)) {
            let first = early.span();
            let place = self.spans.between(first, first);
            let span = self.span(&call.method);
            self.report(
                Diagnostic::new(&codes::GRID_NOT_FIRST, span, "`T.Kernel` comes first")
                    .label(place, "this stands before it")
                    .note("only integer constants may stand before `T.Kernel`"),
            );
        }
        self.statement(grid);
        let mut body = Vec::new();
        for stmt in early.into_iter().chain(&block.stmts[position + 1..]) {
            body.extend(self.statement(stmt));
        }
        body
    }

    fn refuse_attributes(&mut self, block: &syn::Block) {
        struct Attributes<'a>(Vec<&'a syn::Attribute>);
        impl<'ast> Visit<'ast> for Attributes<'ast> {
            fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
                self.0.push(attribute);
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
        stmts.iter().flat_map(|stmt| self.statement(stmt)).collect()
    }

    /// Reads the statements of a nested block in a scope of their own.
    pub(super) fn nested(&mut self, block: &syn::Block) -> Vec<Stmt> {
        self.scoped(|this| this.statements(&block.stmts))
    }

    fn statement(&mut self, stmt: &syn::Stmt) -> Vec<Stmt> {
        match stmt {
            syn::Stmt::Local(local) => {
                self.local(local);
                Vec::new()
            }
            syn::Stmt::Item(Item::Const(item)) => {
                self.constant_item(item);
                Vec::new()
            }
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
            Some(Binding::Integer(_) | Binding::Variable(_) | Binding::Extent(_) | Binding::Scalar(_)) => self.error(
                &codes::MUTABLE_VARIABLE,
                assignment,
                format!("`{ident}` keeps its value"),
                "name a new value with `let`, count with a loop, or keep what changes in a fragment",
            ),
            Some(Binding::Poisoned) | None => {}
        }
    }

    /// `const X: usize = ..;` or `let n = ..;`, where nothing else may stand.
    pub(super) fn integer_declaration(&mut self, stmt: &syn::Stmt) {
        match stmt {
            syn::Stmt::Local(local) if declares_integer(stmt) => self.local(local),
            syn::Stmt::Item(Item::Const(item)) => self.constant_item(item),
            other => {
                let first = other.span();
                let place = self.spans.between(first, first);
                self.report(
                    Diagnostic::new(&codes::PARALLEL_BODY, place, "a statement where one value is wanted")
                        .note("write one expression; integers can be named by `let` before it"),
                );
            }
        }
    }

    fn constant_item(&mut self, item: &syn::ItemConst) {
        if !matches!(item.vis, syn::Visibility::Inherited) {
            self.error(
                &codes::CONSTRUCT,
                &item.vis,
                "a constant of a kernel is not `pub`",
                "leave `pub` out",
            );
        }
        let (name, span) = (item.ident.unraw().to_string(), self.span(&item.ident));
        if !type_name(&item.ty).is_some_and(|ty| INTEGER_TYPES.contains(&ty.as_str())) {
            let message = format!("a constant is an integer, found `{}`", source_text(&item.ty));
            let note = format!("write `const {name}: usize`; other numbers are written where they are used");
            self.error(&codes::CONSTANT_TYPE, &item.ty, message, note);
            return self.poison(&item.ident);
        }
        let Some(value) = self.integer(&item.expr) else {
            return self.poison(&item.ident);
        };
        if value.as_const().is_none() {
            let note = format!("write `let {name} = ..;` for a value that is known later");
            self.error(
                &codes::CONSTANT_WANTED,
                &item.expr,
                format!("`{name}` is not a constant"),
                note,
            );
            return self.poison(&item.ident);
        }
        self.scope.declare(name, span, Binding::Integer(value));
    }

    fn local(&mut self, local: &syn::Local) {
        let Some(init) = &local.init else {
            self.error(
                &codes::LET_PATTERN,
                &local.pat,
                "a name without a value",
                "write `let n = ..;`",
            );
            return self.poison_pattern(&local.pat);
        };
        if let Some((token, _)) = &init.diverge {
            self.error(
                &codes::IF_LET,
                token,
                "`let .. else` is not in the language",
                "write `let n = ..;`",
            );
            return self.poison_pattern(&local.pat);
        }
        if let Some(call) = vocabulary_call(&init.expr)
            && let Some(row) = word(&call.method.unraw().to_string())
        {
            match row.role {
                Role::Grid => return self.grid(&local.pat, call),
                Role::Allocation => return self.allocation(&local.pat, call, row),
                Role::Statement | Role::Loop | Role::Value => {}
            }
        }
        let Some(ident) = self.let_name(&local.pat) else {
            self.with_loads(Loads::Let, |this| this.value(&init.expr));
            return self.poison_pattern(&local.pat);
        };
        let value = self.with_loads(Loads::Let, |this| this.value(&init.expr));
        match value {
            Some(Value::Integer(value)) => {
                let span = self.span(ident);
                self.scope
                    .declare(ident.unraw().to_string(), span, Binding::Integer(value));
            }
            Some(other) => {
                let message = format!("`let` holds an integer or a block, found {}", other.describe());
                self.error(
                    &codes::LET_VALUE,
                    &*init.expr,
                    message,
                    "write the expression where it is used",
                );
                self.poison(ident);
            }
            None => self.poison(ident),
        }
    }

    /// The one name that a `let` binds to an integer.
    fn let_name<'a>(&mut self, pat: &'a Pat) -> Option<&'a syn::Ident> {
        match pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                if let Some(token) = &pat.mutability {
                    let note = "name each new value with its own `let`, or keep what changes in a fragment";
                    self.error(&codes::MUTABLE_VARIABLE, token, "integers do not change", note);
                    return None;
                }
                Some(&pat.ident)
            }
            Pat::Type(typed) => {
                if !type_name(&typed.ty).is_some_and(|ty| INTEGER_TYPES.contains(&ty.as_str())) {
                    let message = format!("`let` holds an integer, found `{}`", source_text(&typed.ty));
                    self.error(
                        &codes::LET_VALUE,
                        &typed.ty,
                        message,
                        "write numbers where they are used",
                    );
                    return None;
                }
                self.let_name(&typed.pat)
            }
            Pat::Paren(inner) => self.let_name(&inner.pat),
            other => {
                self.error(
                    &codes::LET_PATTERN,
                    other,
                    "`let` binds one name",
                    "write `let n = ..;` for each",
                );
                None
            }
        }
    }

    /// Poisons every name that a pattern binds.
    pub(super) fn poison_pattern(&mut self, pat: &Pat) {
        struct Names(Vec<syn::Ident>);
        impl<'ast> Visit<'ast> for Names {
            fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
                self.0.push(pat.ident.clone());
            }
        }
        let mut names = Names(Vec::new());
        names.visit_pat(pat);
        for name in &names.0 {
            self.poison(name);
        }
    }

    /// The names of a pattern that is a name or several in parentheses.
    pub(super) fn pattern_names<'a>(&mut self, pat: &'a Pat) -> Option<Vec<&'a syn::Ident>> {
        let names = plain_pattern(pat);
        if let Some(names) = &names {
            for (n, name) in names.iter().enumerate() {
                if names[..n].iter().any(|earlier| earlier == name) && *name != "_" {
                    let (first, again) = (self.span(names[0]), self.span(*name));
                    self.report(
                        Diagnostic::new(
                            &codes::DUPLICATE_NAME,
                            again,
                            format!("the name `{name}` is given twice"),
                        )
                        .label(first, "first given here")
                        .note("rename one of them"),
                    );
                    return None;
                }
            }
        }
        names
    }

    /// `let (bx, by) = T.Kernel(gx, gy);`
    fn grid(&mut self, pat: &Pat, call: &syn::ExprMethodCall) {
        let span = self.span(&call.method);
        if let Some(first) = self.grid_seen {
            self.report(
                Diagnostic::new(&codes::GRID_TWICE, span, "a second `T.Kernel`")
                    .label(first, "the first is here")
                    .note("a kernel has one grid; write a second kernel"),
            );
            return self.poison_pattern(pat);
        }
        self.grid_seen = Some(span);
        if self.nesting > 0 {
            self.report(
                Diagnostic::new(&codes::GRID_NOT_FIRST, span, "`T.Kernel` inside a loop or branch")
                    .note("it is the first statement of the kernel, and stands once"),
            );
            return self.poison_pattern(pat);
        }
        let Some(row) = word("Kernel") else { return };
        let arguments = self.arguments(call, row);
        let mut extents = Vec::new();
        for argument in arguments.iter().flat_map(|arguments| &arguments.positional) {
            let value = self.integer(argument);
            if value
                .as_ref()
                .and_then(IntExpr::as_const)
                .is_some_and(|value| value < 1)
            {
                let note = "every axis has at least one block";
                self.error(
                    &codes::GRID_EXTENT,
                    *argument,
                    "the grid is empty along this axis",
                    note,
                );
            }
            let span = self.span(*argument);
            extents.push(value.map(|value| Spanned { value, span }));
        }
        let Some(names) = self.pattern_names(pat) else {
            if self
                .diagnostics
                .last()
                .is_none_or(|last| last.code != &codes::DUPLICATE_NAME)
            {
                self.error(
                    &codes::LET_PATTERN,
                    pat,
                    "the indices of a block are plain names",
                    "write `let (bx, by) = T.Kernel(gx, gy);`",
                );
            }
            return self.poison_pattern(pat);
        };
        if names.len() != extents.len() {
            if arguments.is_some() {
                let message = format!("{} for {} of the grid", names_of(names.len()), axes_of(extents.len()));
                self.error(
                    &codes::GRID_AXES,
                    pat,
                    message,
                    "one name per axis: `let (bx, by) = T.Kernel(gx, gy);`",
                );
            }
            return self.poison_pattern(pat);
        }
        let axes: Vec<_> = names
            .into_iter()
            .map(|name| self.declare_variable(name))
            .zip(extents)
            .collect();
        let axes = axes.into_iter().map(|(var, extent)| extent.map(|extent| (var, extent)));
        if let Some(axes) = axes.collect::<Option<Vec<_>>>() {
            self.grid = Some(Grid { axes, span });
        }
    }

    /// `if cond { .. } else { .. }` as a statement.
    fn branch(&mut self, branch: &syn::ExprIf) -> Option<Stmt> {
        let cond = if let Expr::Let(_) = *branch.cond {
            self.refuse(&branch.cond);
            None
        } else {
            self.condition(&branch.cond)
        };
        let then = self.nested(&branch.then_branch);
        let otherwise = match branch.else_branch.as_ref().map(|(_, otherwise)| &**otherwise) {
            Some(Expr::If(next)) => self.branch(next).into_iter().collect(),
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
        Some(Stmt {
            kind: StmtKind::If { cond, then, otherwise },
            span: self.span(&branch.if_token),
        })
    }
}

/// The names of a pattern that is a name, `_`, or several of those in parentheses.
fn plain_pattern(pat: &Pat) -> Option<Vec<&syn::Ident>> {
    match pat {
        Pat::Ident(pat) => {
            let plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
            plain.then(|| vec![&pat.ident])
        }
        Pat::Paren(inner) => plain_pattern(&inner.pat),
        Pat::Tuple(tuple) => {
            let parts: Option<Vec<Vec<&syn::Ident>>> = tuple
                .elems
                .iter()
                .map(|elem| plain_pattern(elem).filter(|names| names.len() == 1))
                .collect();
            parts.map(|parts| parts.into_iter().flatten().collect())
        }
        _ => None,
    }
}

fn names_of(n: usize) -> String {
    super::access::counted(n, "name", "names")
}

fn axes_of(n: usize) -> String {
    super::access::counted(n, "axis", "axes")
}

/// The `T.` call that `expr` is.
pub(super) fn vocabulary_call(expr: &Expr) -> Option<&syn::ExprMethodCall> {
    match expr {
        Expr::MethodCall(call) if is_vocabulary(&call.receiver) => Some(call),
        Expr::Paren(inner) => vocabulary_call(&inner.expr),
        Expr::Group(inner) => vocabulary_call(&inner.expr),
        _ => None,
    }
}

/// The `T.Kernel` call that `stmt` binds.
fn grid_call(stmt: &syn::Stmt) -> Option<&syn::ExprMethodCall> {
    let syn::Stmt::Local(local) = stmt else { return None };
    let call = vocabulary_call(&local.init.as_ref()?.expr)?;
    word(&call.method.unraw().to_string())
        .filter(|row| row.role == Role::Grid)
        .map(|_| call)
}

/// Whether `T.Kernel` appears anywhere, so that its being out of place is the error.
fn mentions_grid(block: &syn::Block) -> bool {
    struct Calls(bool);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            let grid = word(&call.method.unraw().to_string()).is_some_and(|row| row.role == Role::Grid);
            self.0 |= grid && is_vocabulary(&call.receiver);
            syn::visit::visit_expr_method_call(self, call);
        }
    }
    let mut calls = Calls(false);
    calls.visit_block(block);
    calls.0
}

/// Whether `stmt` is `const` or a `let` that makes no block.
fn declares_integer(stmt: &syn::Stmt) -> bool {
    match stmt {
        syn::Stmt::Item(Item::Const(_)) => true,
        syn::Stmt::Local(local) => local
            .init
            .as_ref()
            .is_none_or(|init| vocabulary_call(&init.expr).is_none()),
        syn::Stmt::Item(_) | syn::Stmt::Expr(..) | syn::Stmt::Macro(_) => false,
    }
}
