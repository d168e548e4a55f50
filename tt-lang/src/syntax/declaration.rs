//! What a body declares: integers, numbers and truth values by `const` and `let`, and the grid. Blocks are in `call`.

use super::access::counted;
use super::frontend::{Frontend, Loads, name_of, type_name};
use super::function::Kind;
use super::scope::Binding;
use super::source_text::source_text;
use super::statement::vocabulary_call;
use super::value::Class;
use super::vocabulary::{Role, word};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{ElementKind, Grid, IntExpr, Op, Span, Spanned, StmtKind, Variable};
use syn::ext::IdentExt;
use syn::visit::Visit;
use syn::{Item, Pat};

const INTEGER_TYPES: [&str; 6] = ["usize", "isize", "u32", "i32", "u64", "i64"];

impl Frontend {
    /// `const X: usize = ..;` or `let n = ..;`, where nothing else may stand.
    pub(super) fn integer_declaration(&mut self, stmt: &syn::Stmt) {
        match stmt {
            syn::Stmt::Local(local) if declares_value(stmt) => self.local(local),
            syn::Stmt::Item(Item::Const(item)) => self.constant_item(item),
            other @ (syn::Stmt::Local(_) | syn::Stmt::Item(_) | syn::Stmt::Expr(..) | syn::Stmt::Macro(_)) => {
                let place = self.spans.of_first_token(other);
                self.report(
                    Diagnostic::new(&codes::PARALLEL_BODY, place, "a statement where one value is wanted")
                        .note("write one expression; values can be named by `let` before it"),
                );
            }
        }
    }

    /// `const X: usize = ..;`
    pub(super) fn constant_item(&mut self, item: &syn::ItemConst) {
        if !matches!(item.vis, syn::Visibility::Inherited) {
            self.error(
                &codes::CONSTRUCT,
                &item.vis,
                "a constant of a kernel is not `pub`",
                "leave `pub` out",
            );
        }
        let (name, span) = (name_of(&item.ident), self.span(&item.ident));
        let ty = type_name(&item.ty);
        if self.nesting == 0 && self.is_variant(&name) {
            let message = format!("`{name}` is given its values by `variants(..)`");
            self.error(&codes::DUPLICATE_NAME, &item.ident, message, "leave this constant out");
        }
        if ty.as_deref() == Some("f32") {
            let value = self.with_loads(Loads::Let, |this| this.value(&item.expr));
            let number = value.and_then(|value| self.number(value, Class::Float, &*item.expr));
            return match number {
                Some(element) if matches!(element.kind, ElementKind::Float(_)) => {
                    let binding = Binding::Number(element, Class::Float);
                    self.scope.declare_item(name, span, binding);
                }
                Some(_) => {
                    self.refuse_constant(&name, &item.expr);
                    self.poison(&item.ident);
                }
                None => self.poison(&item.ident),
            };
        }
        if !ty.is_some_and(|ty| INTEGER_TYPES.contains(&ty.as_str())) {
            let message = format!(
                "a constant is an integer or an `f32`, found `{}`",
                source_text(&item.ty)
            );
            let note = format!("write `const {name}: usize` or `const {name}: f32`");
            self.error(&codes::CONSTANT_TYPE, &item.ty, message, note);
            return self.poison(&item.ident);
        }
        let Some(value) = self.integer(&item.expr) else {
            return self.poison(&item.ident);
        };
        if value.as_const().is_none() {
            self.refuse_constant(&name, &item.expr);
            return self.poison(&item.ident);
        }
        self.scope.declare_item(name, span, Binding::Integer(value));
    }

    fn refuse_constant(&mut self, name: &str, value: &syn::Expr) {
        let note = format!("write `let {name} = ..;` for a value that is known later");
        let message = format!("`{name}` is not a constant");
        self.error(&codes::CONSTANT_WANTED, value, message, note);
    }

    /// `let n = ..;`, `let x = T.alloc_shared::<E>(h, w);`, `let (bx, by) = T.Kernel(gx, gy);`
    pub(super) fn local(&mut self, local: &syn::Local) {
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
            && let Some(row) = word(&name_of(&call.method))
        {
            match row.role {
                Role::Grid => return self.grid(&local.pat, call),
                Role::Allocation => return self.allocation(&local.pat, call, row),
                Role::Temporary => return self.temporary(&local.pat, call, row),
                Role::Statement | Role::Loop | Role::Value => {}
            }
        }
        // Elements are named where they are read.
        let loads = if self.loads == Loads::Index {
            Loads::Let
        } else {
            self.loads
        };
        let named = self.let_name(&local.pat);
        let value = self.with_loads(loads, |this| this.value(&init.expr));
        let Some((ident, kind)) = named else {
            return self.poison_pattern(&local.pat);
        };
        let value = match kind {
            Some(kind) => value.and_then(|value| self.of_kind(value, kind, &init.expr)),
            None => value,
        };
        let Some(binding) = value.and_then(|value| self.bound(value, &init.expr)) else {
            return self.poison(ident);
        };
        let (name, span) = (name_of(ident), self.span(ident));
        if let (Binding::Integer(IntExpr::Fetched(var)), Some(StmtKind::Op(Op::Fetch { var: last, .. }))) =
            (&binding, self.fetches.last().map(|stmt| &stmt.kind))
            && var == last
        {
            let name = name.clone();
            self.variables[last.index()] = Variable { name, span };
        }
        self.scope.declare(name, span, binding);
    }

    /// The one name that a `let` binds to a value, and what its type says that is.
    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    fn let_name<'a>(&mut self, pat: &'a Pat) -> Option<(&'a syn::Ident, Option<Kind>)> {
        match pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                if let Some(token) = &pat.mutability {
                    let note = "name each new value with its own `let`, or keep what changes in a fragment";
                    self.error(
                        &codes::MUTABLE_VARIABLE,
                        token,
                        "what a name stands for does not change",
                        note,
                    );
                    return None;
                }
                Some((&pat.ident, None))
            }
            Pat::Type(typed) => {
                let Some(kind) = Kind::of(&typed.ty) else {
                    let message = format!(
                        "`let` holds an integer, a number or a truth value, found `{}`",
                        source_text(&typed.ty)
                    );
                    let note = "leave the type out, or write `usize`, `f32` or `bool`";
                    self.error(&codes::LET_VALUE, &typed.ty, message, note);
                    return None;
                };
                self.let_name(&typed.pat).map(|(name, _)| (name, Some(kind)))
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
    pub(super) fn pattern_names(&mut self, pat: &Pat) -> Option<Vec<syn::Ident>> {
        let names = plain_pattern(pat);
        if let Some(names) = &names {
            for (n, name) in names.iter().enumerate() {
                if names[..n].iter().any(|earlier| earlier.unraw() == name.unraw()) && *name != "_" {
                    let (first, again) = (self.span(&names[0]), self.span(name));
                    self.given_twice(name, first, again);
                    return None;
                }
            }
        }
        names
    }

    /// Reports that `name`, given at `first`, is given `again`.
    pub(super) fn given_twice(&mut self, name: &syn::Ident, first: Span, again: Span) {
        let message = format!("the name `{name}` is given twice");
        self.report(
            Diagnostic::new(&codes::DUPLICATE_NAME, again, message)
                .label(first, "first given here")
                .note("rename one of them"),
        );
    }

    /// `let (bx, by) = T.Kernel(gx, gy);`
    fn grid(&mut self, pat: &Pat, call: &syn::ExprMethodCall) {
        let span = self.span(&call.method);
        if let Some(first) = self.grid_seen {
            self.report(
                Diagnostic::new(&codes::GRID_TWICE, span, "a second `T.Kernel`")
                    .label(first, "the first is here")
                    .note("each stage of a kernel is a block of its own: `{ let (bx, by) = T.Kernel(gx, gy); .. }`"),
            );
            return self.poison_pattern(pat);
        }
        if self.nesting > 0 {
            self.grid_seen = Some(span);
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
                .is_some_and(|value| value < 0)
            {
                let note = "a grid of 0 blocks runs nothing, and fewer there are not";
                let message = "the grid has fewer blocks than none along this axis";
                self.error(&codes::GRID_EXTENT, *argument, message, note);
            }
            let span = self.span(*argument);
            extents.push(value.map(|value| Spanned { value, span }));
        }
        self.grid_seen = Some(span);
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
            .iter()
            .map(|name| self.declare_variable(name))
            .zip(extents)
            .collect();
        let axes = axes.into_iter().map(|(var, extent)| extent.map(|extent| (var, extent)));
        if let Some(axes) = axes.collect::<Option<Vec<_>>>() {
            self.grid = Some(Grid { axes, span });
        }
    }
}

/// The names of a pattern that is a name, `_`, or several of those in parentheses.
#[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
fn plain_pattern(pat: &Pat) -> Option<Vec<syn::Ident>> {
    match pat {
        Pat::Ident(pat) => {
            let plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
            plain.then(|| vec![pat.ident.clone()])
        }
        Pat::Wild(wild) => Some(vec![syn::Ident::new("_", wild.underscore_token.span)]),
        Pat::Paren(inner) => plain_pattern(&inner.pat),
        Pat::Tuple(tuple) => {
            let parts: Option<Vec<Vec<syn::Ident>>> = tuple
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
    counted(n, "name", "names")
}

fn axes_of(n: usize) -> String {
    counted(n, "axis", "axes")
}

/// Whether `stmt` is `let x = T.alloc_global::<E>(..);`
pub(super) fn declares_temporary(stmt: &syn::Stmt) -> bool {
    let syn::Stmt::Local(local) = stmt else { return false };
    let call = local.init.as_ref().and_then(|init| vocabulary_call(&init.expr));
    let row = call.and_then(|call| word(&name_of(&call.method)));
    row.is_some_and(|row| row.role == Role::Temporary)
}

/// Whether `stmt` is `const`, `fn`, or a `let` of a value.
pub(super) fn declares_value(stmt: &syn::Stmt) -> bool {
    match stmt {
        syn::Stmt::Item(Item::Const(_) | Item::Fn(_)) => true,
        syn::Stmt::Local(local) => {
            let call = local.init.as_ref().and_then(|init| vocabulary_call(&init.expr));
            let row = call.and_then(|call| word(&name_of(&call.method)));
            row.is_none_or(|row| !matches!(row.role, Role::Grid | Role::Allocation | Role::Temporary))
        }
        syn::Stmt::Item(_) | syn::Stmt::Expr(..) | syn::Stmt::Macro(_) => false,
    }
}
