//! Functions of the body: `fn softcap(x: f32, c: f32) -> f32 { .. }`, written out wherever they are called.
//!
//! A function sees its parameters, and the constants and functions around it, as in Rust. What it is called with may be an
//! element expression, so its parameters and `let`s hold any value: integer elements too.
//!
//! A function is read by itself once, where what it calls gives anything of its type, and again wherever a statement reaches it. What
//! that writes out is counted before it is read, and nothing more of a statement's call is read once a part of it has failed: calls
//! that double from function to function end soon.

use super::frontend::{Frontend, Loads, name_of, plain_name, type_name};
use super::limits;
use super::scope::Binding;
use super::source_text::source_text;
use super::spans::Node;
use super::value::{Class, Value};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{CompareOp, Element, ElementKind, ElementType, IntExpr, Param, ParamId, ScalarKind, ScalarParam, Span};
use quote::ToTokens;
use std::collections::BTreeMap;
use std::rc::Rc;
use syn::{Expr, FnArg, Item, Pat, ReturnType, Type};

/// A function of the body.
#[derive(Clone)]
pub(super) struct Function {
    parameters: Vec<(syn::Ident, Kind)>,
    gives: Kind,
    body: Rc<syn::Block>,
    /// Of its body.
    tokens: usize,
    is_checked: bool,
}

/// What is being read, by which a call is written out or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// A statement: its calls are written out.
    Statement,
    /// A function by itself: a call gives anything of its type.
    Function,
    /// What a call writes out, likewise its calls.
    Call,
    /// A call that failed: its calls give nothing.
    FailedCall,
}

/// What a parameter takes, a function gives, or `let` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    /// An integer that is the same for the whole block.
    Integer,
    /// An integer element of this type, or such an integer.
    Element(ElementType),
    Truth,
}

impl Kind {
    /// What values of the type `ty` are.
    pub(super) fn of(ty: &Type) -> Option<Kind> {
        let name = type_name(ty);
        let name = name.as_deref();
        let element = ElementType::ALL.iter().find(|(_, known)| name == Some(known));
        match (element, name) {
            (Some((element, _)), _) if Class::of(*element) == Class::Float => Some(Kind::Number),
            (Some((element, _)), _) => Some(Kind::Element(*element)),
            (_, Some("usize" | "isize" | "u64" | "i64")) => Some(Kind::Integer),
            (_, Some("bool")) => Some(Kind::Truth),
            _ => None,
        }
    }

    /// Whether integers that are the same for the whole block are of this kind as they are.
    fn is_of_integers(self) -> bool {
        matches!(self, Kind::Integer | Kind::Element(ElementType::I32 | ElementType::U32))
    }
}

const SIGNATURE: &str = "write `fn f(x: f32, n: i32) -> f32 { .. }`: numbers, integers and `bool`";

impl Frontend {
    /// Runs `read` with the functions among `stmts` declared: they may be called before they stand.
    pub(super) fn with_functions<R>(&mut self, stmts: &[syn::Stmt], read: impl FnOnce(&mut Self) -> R) -> R {
        let first = self.functions.len();
        self.declare_functions(stmts);
        let last = self.functions.len();
        let result = read(self);
        for at in first..last {
            self.check_body_function(at);
        }
        result
    }

    fn declare_functions(&mut self, stmts: &[syn::Stmt]) {
        let mut names: BTreeMap<String, Span> = BTreeMap::new();
        for stmt in stmts {
            let syn::Stmt::Item(Item::Fn(item)) = stmt else {
                continue;
            };
            let name = name_of(&item.sig.ident);
            let span = self.span(&item.sig.ident);
            if let Some(earlier) = names.insert(name.clone(), span) {
                self.given_twice(&item.sig.ident, earlier, span);
            }
            let binding = match self.function(item) {
                Some(function) => {
                    self.functions.push(function);
                    Binding::Function(self.functions.len().saturating_sub(1))
                }
                None => Binding::Poisoned,
            };
            self.scope.declare_item(name, span, binding);
        }
    }

    /// Reads a function with any values, once, so that one that nothing calls is checked too.
    fn check_body_function(&mut self, at: usize) {
        let Some(function) = self.functions.get_mut(at).filter(|function| !function.is_checked) else {
            return;
        };
        function.is_checked = true;
        let function = function.clone();
        let before = self.diagnostics.len();
        self.called_with_anything(at, &function, false);
        // Elements have what integers have not, and the other way round.
        let new = self.diagnostics.get(before..).unwrap_or_default();
        let is_limit =
            |error: &Diagnostic| [&codes::TOO_LARGE, &codes::TOO_DEEP, &codes::RECURSION].contains(&error.code);
        if !new.is_empty() && !new.iter().any(is_limit) {
            let of_integers = self.diagnostics.split_off(before);
            self.called_with_anything(at, &function, true);
            if self.diagnostics.len() > before {
                self.diagnostics.truncate(before);
                self.diagnostics.extend(of_integers);
            }
        }
    }

    /// Reads a function by itself, its integers as `elements` where they may be.
    fn called_with_anything(&mut self, at: usize, function: &Function, elements: bool) {
        // Scalars that it is called with here stand for whatever it is called with.
        let declared = self.params.len();
        let parameters = function.parameters.iter();
        let arguments = parameters
            .map(|(ident, kind)| self.anything(*kind, elements, ident).into())
            .collect();
        let outer = std::mem::replace(&mut self.reading, Reading::Function);
        self.with_loads(Loads::Allowed, |this| this.called(at, function, arguments));
        self.reading = outer;
        self.params.truncate(declared);
    }

    /// A value of this kind of which nothing is known.
    fn anything(&mut self, kind: Kind, elements: bool, node: &impl Node) -> Value {
        let span = self.span(node);
        let id = ParamId(self.params.len() as u32);
        self.params.push(Param::Scalar(ScalarParam {
            name: String::new(),
            span,
            kind: match kind {
                Kind::Number => ScalarKind::F32,
                Kind::Integer | Kind::Element(_) | Kind::Truth => ScalarKind::I32,
            },
        }));
        let integer = IntExpr::Scalar(id);
        match kind {
            Kind::Element(of) if elements || !kind.is_of_integers() => {
                let any = self.element(ElementKind::Int(integer), node);
                let kind = ElementKind::Cast(of, Box::new(any));
                Value::Number(self.element(kind, node), Class::Integer)
            }
            Kind::Number => Value::Number(self.element(ElementKind::Scalar(id), node), Class::Float),
            Kind::Integer | Kind::Element(_) => Value::Integer(integer),
            Kind::Truth => {
                let truth = ElementKind::CompareInt(CompareOp::Eq, integer, IntExpr::Const(0));
                Value::Truth(self.element(truth, node))
            }
        }
    }

    fn function(&mut self, item: &syn::ItemFn) -> Option<Function> {
        let signature = &item.sig;
        self.refuse_modifiers(item, &codes::FUNCTION, "a function of the body", SIGNATURE);
        if !signature.generics.params.is_empty() {
            self.error(
                &codes::FUNCTION,
                &signature.generics,
                "a function of the body is not generic",
                SIGNATURE,
            );
        }
        let parameters: Vec<Option<(syn::Ident, Kind)>> = signature
            .inputs
            .iter()
            .map(|input| self.function_parameter(input))
            .collect();
        let gives = match &signature.output {
            ReturnType::Type(_, ty) => self.kind(ty),
            ReturnType::Default => {
                let message = format!("`{}` gives nothing", signature.ident);
                self.error(&codes::FUNCTION, &signature.ident, message, SIGNATURE);
                None
            }
        };
        let parameters: Vec<(syn::Ident, Kind)> = parameters.into_iter().collect::<Option<_>>()?;
        for (at, (name, _)) in parameters.iter().enumerate() {
            if let Some((first, _)) = parameters.iter().take(at).find(|(earlier, _)| earlier == name) {
                let (first, again) = (self.span(first), self.span(name));
                self.given_twice(name, first, again);
                return None;
            }
        }
        Some(Function {
            parameters,
            gives: gives?,
            body: Rc::new((*item.block).clone()),
            tokens: limits::tokens(item.block.to_token_stream()),
            is_checked: false,
        })
    }

    fn function_parameter(&mut self, input: &FnArg) -> Option<(syn::Ident, Kind)> {
        if let FnArg::Typed(typed) = input
            && let Some(ident) = plain_pattern(&typed.pat)
        {
            return Some((ident.clone(), self.kind(&typed.ty)?));
        }
        let message = "a parameter of a function is a name with its type";
        self.error(&codes::FUNCTION, input, message, SIGNATURE);
        None
    }

    fn kind(&mut self, ty: &Type) -> Option<Kind> {
        let kind = Kind::of(ty);
        if kind.is_none() {
            let message = format!("a function of the body takes and gives no `{}`", source_text(ty));
            self.error(&codes::FUNCTION, ty, message, SIGNATURE);
        }
        kind
    }

    /// The value of a call of a function of the body; other calls are refused.
    pub(super) fn function_call(&mut self, call: &syn::ExprCall) -> Option<Value> {
        if let Some(value) = self.number_of_bits(call) {
            return value;
        }
        let known = plain_name(&call.func).and_then(|name| {
            let name = name_of(name);
            self.scope.find(&name).map(|known| (name, known.binding.clone()))
        });
        let (name, at) = match known {
            Some((name, Binding::Function(at))) => (name, at),
            Some((_, Binding::Poisoned)) => return None,
            Some((name, other)) => {
                let message = format!("`{name}` is {} here, a function is wanted", other.describe());
                let note = "it hides a function of its name: rename one of them";
                self.error(&codes::WRONG_KIND, &call.func, message, note);
                return None;
            }
            None => {
                self.refuse_call(call);
                return None;
            }
        };
        if self.reading == Reading::FailedCall {
            return None;
        }
        let function = self.functions.get(at)?.clone();
        let values: Vec<Option<Value>> = call.args.iter().map(|arg| self.value(arg)).collect();
        if values.len() != function.parameters.len() {
            let message = format!(
                "`{name}` takes {}, found {}",
                counted(function.parameters.len()),
                counted(values.len())
            );
            self.error(&codes::ARGUMENTS, &call.func, message, "call it as it is declared");
            return None;
        }
        if self.calls.contains(&at) {
            let note = "repeat with `for k in 0..n { .. }`, or write the expression out";
            self.error(&codes::RECURSION, &call.func, format!("`{name}` calls itself"), note);
            return None;
        }
        let mut arguments = Vec::new();
        for (((_, kind), value), arg) in function.parameters.iter().zip(values).zip(&call.args) {
            let value = value.and_then(|value| self.of_kind(value, *kind, arg))?;
            arguments.push(self.bound(value, arg)?);
        }
        if self.calls.len() >= limits::CALLS {
            let message = format!("more than {} calls within each other", limits::CALLS);
            let note = format!("write what `{name}` gives in place of this call");
            self.error(&codes::TOO_DEEP, &call.func, message, note);
            return None;
        }
        // What is made of constants may have to be one.
        let is_constant = |argument: &Binding| matches!(argument, Binding::Integer(IntExpr::Const(_)));
        if self.reading == Reading::Function && !(function.gives.is_of_integers() && arguments.iter().all(is_constant))
        {
            self.check_body_function(at);
            let elements = arguments
                .iter()
                .any(|argument| matches!(argument, Binding::Number(_, Class::Integer)));
            return Some(self.anything(function.gives, elements, &call.func));
        }
        self.written_out(at, &function, arguments, &call.func)
    }

    /// The value of a call.
    fn written_out(&mut self, at: usize, function: &Function, arguments: Vec<Binding>, node: &Expr) -> Option<Value> {
        let outer = std::mem::replace(&mut self.reading, Reading::Call);
        let value = self
            .is_room_for(function.tokens, node)
            .then(|| self.called(at, function, arguments))
            .flatten()
            .filter(|value| self.fits(value, node));
        let failed = value.is_none() || self.reading == Reading::FailedCall;
        self.reading = if failed && outer == Reading::Call {
            Reading::FailedCall
        } else {
            outer
        };
        value
    }

    /// The value of a function with `arguments`.
    fn called(&mut self, at: usize, function: &Function, arguments: Vec<Binding>) -> Option<Value> {
        let mark = self.scope.enter();
        let hidden = self.scope.hide(mark);
        for ((ident, _), argument) in function.parameters.iter().zip(arguments) {
            let span = self.span(ident);
            self.scope.declare(name_of(ident), span, argument);
        }
        self.calls.push(at);
        let value = self.function_body(function);
        self.calls.pop();
        self.scope.hide(hidden);
        self.scope.leave(mark);
        value
    }

    fn function_body(&mut self, function: &Function) -> Option<Value> {
        let note = "end the function with one expression, without `;`";
        let Some((last, before)) = function.body.stmts.split_last() else {
            self.error(&codes::FUNCTION, &*function.body, "this function has no value", note);
            return None;
        };
        for stmt in before {
            self.integer_declaration(stmt);
        }
        let syn::Stmt::Expr(expr, None) = last else {
            self.error(&codes::FUNCTION, last, "this function has no value", note);
            return None;
        };
        let value = self.value(expr)?;
        self.of_kind(value, function.gives, expr)
    }

    /// `value`, the value of `node`, where it is of this kind.
    pub(super) fn of_kind(&mut self, value: Value, kind: Kind, node: &Expr) -> Option<Value> {
        match (kind, value) {
            (Kind::Number, value) => {
                let number = self.number(value, Class::Float, node)?;
                Some(Value::Number(number, Class::Float))
            }
            (Kind::Integer, value @ Value::Integer(_)) => Some(value),
            (Kind::Element(of), Value::Number(element, Class::Integer)) => match element.element_type(self) {
                Some(found) if found != of => {
                    let message = format!(
                        "an element of `{}` is wanted, found one of `{}`",
                        of.name(),
                        found.name()
                    );
                    let note = format!("write the conversion: `x as {}`", of.name());
                    self.error(&codes::MIXED_TYPES, node, message, note);
                    None
                }
                _ => Some(Value::Number(element, Class::Integer)),
            },
            (Kind::Element(_), value @ Value::Integer(_)) if kind.is_of_integers() => Some(value),
            (Kind::Element(of), value @ Value::Integer(_)) => {
                let element = self.number(value, Class::Integer, node)?;
                self.check_literals(&element, of);
                let kind = ElementKind::Cast(of, Box::new(element));
                Some(Value::Number(self.element(kind, node), Class::Integer))
            }
            (Kind::Integer | Kind::Element(_), other @ (Value::Number(..) | Value::Truth(_))) => {
                let message = format!("an integer is wanted, found {}", other.describe());
                self.error(&codes::INTEGER_WANTED, node, message, "write a whole number");
                None
            }
            (Kind::Truth, value) => self.truth(value, node).map(Value::Truth),
        }
    }

    /// What a name for `value` stands for: it is repeated wherever the name is.
    pub(super) fn bound(&mut self, value: Value, node: &Expr) -> Option<Binding> {
        self.fits(&value, node).then(|| value.into())
    }

    /// Whether a value is no larger than a function may give or take, and there is room for it; else that is reported.
    fn fits(&mut self, value: &Value, node: &Expr) -> bool {
        let size = match value {
            // Integers have a limit of their own.
            Value::Integer(_) => 1,
            Value::Number(element, _) | Value::Truth(element) => size(element),
        };
        if size > limits::EXPRESSION {
            let message = format!("an expression of more than {} operations", limits::EXPRESSION);
            let note = "keep a part of it in a block: a name in a function is repeated wherever it is read";
            self.error(&codes::TOO_LARGE, node, message, note);
            return false;
        }
        self.is_room_for(size, node)
    }

    /// Whether `tokens` more may be written out for calls; the first that are too many are reported.
    fn is_room_for(&mut self, tokens: usize, node: &Expr) -> bool {
        let had_room = self.written_out <= limits::TOKENS;
        self.written_out = self.written_out.saturating_add(tokens);
        let has_room = self.written_out <= limits::TOKENS;
        if had_room && !has_room {
            let message = format!("a kernel of more than {} tokens, functions written out", limits::TOKENS);
            let note = "keep in a block what several calls give, or split the kernel";
            self.error(&codes::TOO_LARGE, node, message, note);
        }
        has_room
    }
}

/// What a name for a value stands for.
impl From<Value> for Binding {
    fn from(value: Value) -> Binding {
        match value {
            Value::Integer(value) => Binding::Integer(value),
            Value::Number(element, class) => Binding::Number(element, class),
            Value::Truth(element) => Binding::Truth(element),
        }
    }
}

/// The name that a pattern is.
fn plain_pattern(pat: &Pat) -> Option<&syn::Ident> {
    let Pat::Ident(pat) = pat else { return None };
    let plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
    plain.then_some(&pat.ident)
}

/// The operations of an element expression.
fn size(element: &Element) -> usize {
    let parts: usize = element.operands().into_iter().map(size).sum();
    parts.saturating_add(1)
}

fn counted(values: usize) -> String {
    match values {
        1 => "1 value".into(),
        many => format!("{many} values"),
    }
}
