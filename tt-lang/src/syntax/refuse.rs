//! What is not in the language, by name and with what to write instead. Every kind of Rust expression, statement and item
//! that the other modules do not read ends here; none is skipped.

use super::frontend::{Frontend, ungrouped};
use super::source_text::source_text;
use crate::codes;
use crate::diagnostic::Code;
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Expr, Item};

/// The names that are given as the language's own, `T`.
#[derive(Default)]
struct OwnNames(Vec<syn::Ident>);

impl OwnNames {
    fn given(&mut self, name: &syn::Ident) {
        if name == "T" {
            self.0.push(name.clone());
        }
    }
}

impl Visit<'_> for OwnNames {
    fn visit_pat_ident(&mut self, pattern: &syn::PatIdent) {
        self.given(&pattern.ident);
        syn::visit::visit_pat_ident(self, pattern);
    }

    fn visit_const_param(&mut self, param: &syn::ConstParam) {
        self.given(&param.ident);
    }

    fn visit_item_const(&mut self, item: &syn::ItemConst) {
        self.given(&item.ident);
        syn::visit::visit_item_const(self, item);
    }
}

impl Frontend {
    /// Refuses parameters, extents and names of the body that are called `T`, as the words of the language are.
    pub(super) fn refuse_own_names(&mut self, function: &syn::ItemFn) {
        let mut names = OwnNames::default();
        names.visit_item_fn(function);
        for name in &names.0 {
            let message = "`T` is what the words of the language stand behind";
            self.error(
                &codes::DUPLICATE_NAME,
                name,
                message,
                "name it otherwise: `T.copy(..)` is a word",
            );
        }
    }

    /// Refuses an expression that has no meaning where it stands.
    pub(super) fn refuse(&mut self, expr: &Expr) {
        let (code, message, note): (&'static Code, &str, &str) = match expr {
            Expr::Closure(closure) => {
                let head = closure.inputs_begin;
                return self.refuse_at(
                    &codes::CLOSURE,
                    &head,
                    "closures",
                    "write the expression where it is used",
                );
            }
            Expr::Reference(reference) => {
                let head = reference.and_token;
                return self.refuse_at(
                    &codes::REFERENCE,
                    &head,
                    "references",
                    "write the name alone, without `&`",
                );
            }
            Expr::RawAddr(address) => {
                let head = address.and_token;
                return self.refuse_at(&codes::REFERENCE, &head, "raw pointers", "write the name alone");
            }
            Expr::Struct(literal) => {
                let note = "pass the fields as scalars of the kernel";
                return self.refuse_at(&codes::STRUCT, &literal.path, "structs", note);
            }
            Expr::Field(field) => {
                let note = "a tensor's extents have names in the signature, everything else is a scalar parameter";
                return self.refuse_at(&codes::STRUCT, &field.member, "fields", note);
            }
            Expr::While(this) => {
                let note = "write `for k in 0..n { .. }`: the number of rounds is known before the loop starts";
                return self.refuse_at(&codes::WHILE, &this.while_token, "`while`", note);
            }
            Expr::Loop(this) => {
                let note = "write `for k in 0..n { .. }`: the number of rounds is known before the loop starts";
                return self.refuse_at(&codes::LOOP, &this.loop_token, "`loop`", note);
            }
            Expr::Match(this) => {
                let note = "write `if cond { .. } else { .. }`";
                return self.refuse_at(&codes::MATCH, &this.match_token, "`match`", note);
            }
            Expr::Return(this) => {
                let note = "put what follows into `if cond { .. }`; results go to `&mut Tensor` parameters";
                return self.refuse_at(&codes::RETURN, &this.return_token, "`return`", note);
            }
            Expr::Break(this) => {
                let note = "put the condition into the loop's bound, or the rest of the round into `if cond { .. }`";
                return self.refuse_at(&codes::BREAK, &this.break_token, "`break`", note);
            }
            Expr::Continue(this) => {
                let note = "put the rest of the round into `if cond { .. }`";
                return self.refuse_at(&codes::BREAK, &this.continue_token, "`continue`", note);
            }
            Expr::Macro(this) => return self.refuse_macro(&this.mac),
            Expr::Unsafe(this) => {
                return self.refuse_at(
                    &codes::UNSAFE,
                    &this.unsafe_token,
                    "`unsafe`",
                    "write the statements alone",
                );
            }
            Expr::Async(this) => {
                let note = "write the statements in order; `T.Pipelined` overlaps copies with computing";
                return self.refuse_at(&codes::ASYNC, &this.async_token, "`async`", note);
            }
            Expr::Await(this) => {
                let note = "waiting for data is inserted by the compiler: leave it out";
                return self.refuse_at(&codes::ASYNC, &this.await_token, "`await`", note);
            }
            Expr::Try(this) => {
                let note = "nothing in a kernel returns an error: leave it out";
                return self.refuse_at(&codes::TRY, &this.question_token, "`?`", note);
            }
            Expr::Let(this) => {
                let note = "compare integers, extents or scalars: `if k > 0 { .. }`";
                return self.refuse_at(&codes::IF_LET, &this.let_token, "`if let`", note);
            }
            Expr::Const(this) => {
                return self.refuse_at(
                    &codes::CONST_BLOCK,
                    &this.const_token,
                    "`const { .. }`",
                    "write the expression alone",
                );
            }
            Expr::Call(call) => return self.refuse_call(call),
            Expr::Array(_) | Expr::Repeat(_) => (
                &codes::ARRAY,
                "arrays are not in the language",
                "keep data in a block: `T.alloc_fragment::<f32>(h, w)`",
            ),
            Expr::Tuple(_) => (
                &codes::TUPLE,
                "a tuple is not a value",
                "parentheses with several parts belong to indices: `x[(i, j)]`",
            ),
            Expr::Range(_) => (
                &codes::RANGE,
                "a range is not a value",
                "ranges belong to loops, `for k in 0..n`, and regions of tensors, `a[(r0..r1, c0..c1)]`",
            ),
            Expr::Assign(_) => (
                &codes::ASSIGNMENT_AS_VALUE,
                "an assignment is not a value",
                "assign in a statement of its own",
            ),
            Expr::Block(_) => (
                &codes::CONSTRUCT,
                "a block of statements is not a value",
                "write one expression; integers can be named by `let` before it",
            ),
            Expr::ForLoop(_) => (
                &codes::CONSTRUCT,
                "a loop is not a value",
                "loops are statements of their own",
            ),
            Expr::Index(_) => (
                &codes::ELEMENT_OUTSIDE_PARALLEL,
                "an element has no meaning here",
                "elements are read and written inside `T.Parallel`",
            ),
            Expr::Infer(_) => (&codes::CONSTRUCT, "`_` is not a value", "write the value out"),
            Expr::TryBlock(_) | Expr::Yield(_) | Expr::Verbatim(_) => (
                &codes::CONSTRUCT,
                "this construct is not in the language",
                "the language has `let`, `const`, `for`, `if`, assignments and calls on `T`",
            ),
            Expr::Binary(_)
            | Expr::Cast(_)
            | Expr::Group(_)
            | Expr::If(_)
            | Expr::Lit(_)
            | Expr::MethodCall(_)
            | Expr::Paren(_)
            | Expr::Path(_)
            | Expr::Unary(_) => (
                &codes::CONSTRUCT,
                "an expression has no meaning here",
                "the statements of a kernel are `let`, `const`, `for`, `if`, assignments in `T.Parallel` and calls on `T`",
            ),
            // `syn::Expr` may grow: what it then holds is refused like everything else that is unknown.
            _ => (
                &codes::CONSTRUCT,
                "this construct is not in the language",
                "the language has `let`, `const`, `for`, `if`, assignments and calls on `T`",
            ),
        };
        self.error(code, expr, message, note);
    }

    fn refuse_at(&mut self, code: &'static Code, at: &impl ToTokens, what: &str, note: &str) {
        let verb = if what.starts_with('`') { "is" } else { "are" };
        self.error(code, at, format!("{what} {verb} not in the language"), note);
    }

    pub(super) fn refuse_call(&mut self, call: &syn::ExprCall) {
        if let Some(closure) = closure_of(&call.func) {
            return self.refuse(closure);
        }
        let function = source_text(&call.func);
        if function == self.name {
            self.error(
                &codes::RECURSION,
                &call.func,
                "a kernel cannot call itself",
                "repeat with `for k in 0..n { .. }`, or launch it again from the host",
            );
            return;
        }
        if function == "assume" && self.refuse_reserved(&function, "assume(..)", &call.func) {
            return;
        }
        let note = match function.rsplit_once("::") {
            Some(("T", word)) => format!("`T` is followed by a point: `T.{word}(..)`"),
            Some(("f32" | "f64", word)) if crate::ir::ElementOp::named(word).is_some() => {
                format!("element operations are methods: `x.{word}(..)`, or `T.{word}(x)`")
            }
            _ if crate::ir::ElementOp::named(&function).is_some() => {
                format!("element operations are methods: `x.{function}(..)`, or `T.{function}(x)`")
            }
            _ => {
                "write a function in the body, `fn f(x: f32) -> f32 { .. }`; element operations are methods, `x.exp()`"
                    .to_string()
            }
        };
        self.error(
            &codes::CALL,
            &call.func,
            format!("a call to `{function}`: a kernel calls no functions but those of its body"),
            note,
        );
    }

    /// Refuses a macro.
    pub(super) fn refuse_macro(&mut self, mac: &syn::Macro) {
        let name = source_text(&mac.path);
        let last = name.rsplit("::").next().unwrap_or(&name);
        if last == "sfpu_op" && self.refuse_reserved(last, &format!("{name}!"), &mac.path) {
            return;
        }
        let note = match name.as_str() {
            "println" | "print" | "eprintln" | "eprint" | "dbg" => "write `T.print(\"text\", n)`",
            "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "panic" => {
                "check shapes and values on the host before the launch"
            }
            "vec" => "keep data in a block: `T.alloc_fragment::<f32>(h, w)`",
            _ => "write what the macro would give",
        };
        self.error(
            &codes::MACRO,
            &mac.path,
            format!("`{name}!`: macros are not in the language"),
            note,
        );
    }

    /// Refuses an item inside the body.
    pub(super) fn refuse_item(&mut self, item: &Item) {
        let (what, note) = match item {
            Item::Fn(_) => (
                "a function",
                "functions stand in the body itself, beside `T.Kernel`, or in a block of statements",
            ),
            Item::Struct(_) | Item::Enum(_) | Item::Union(_) => {
                ("a type", "a kernel works on tensors, blocks and scalars")
            }
            Item::Static(_) => (
                "a static",
                "write `const NAME: usize = ..;` for an integer, or pass a scalar",
            ),
            Item::Use(_) | Item::ExternCrate(_) => (
                "an import",
                "a kernel sees `T` and its parameters; imports stand outside it",
            ),
            Item::Macro(item) => {
                return self.refuse_macro(&item.mac);
            }
            Item::Impl(_) | Item::Trait(_) | Item::TraitAlias(_) => ("a trait or impl", "it stands outside the kernel"),
            Item::Mod(_) | Item::ForeignMod(_) => ("a module", "it stands outside the kernel"),
            Item::Type(_) => (
                "a type alias",
                "write the element type out: `T.alloc_shared::<bf16>(h, w)`",
            ),
            Item::Const(_) | Item::Verbatim(_) => (
                "this item",
                "a body declares `const NAME: usize = ..;` and nothing else",
            ),
            // `syn::Item` may grow.
            _ => (
                "this item",
                "a body declares `const NAME: usize = ..;` and nothing else",
            ),
        };
        let place = self.spans.of_first_token(item);
        self.report(
            crate::diagnostic::Diagnostic::new(&codes::ITEM, place, format!("{what} inside a kernel")).note(note),
        );
    }
}

/// The closure that is called on the spot.
fn closure_of(function: &Expr) -> Option<&Expr> {
    Some(ungrouped(function)).filter(|function| matches!(function, Expr::Closure(_)))
}
