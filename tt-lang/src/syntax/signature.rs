//! The function around the body: extents, tensors and scalars, and what the macro needs to make the launcher.

use super::frontend::{Frontend, type_name};
use super::scope::{Binding, nearest};
use super::source_text::source_text;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    ElementType, Extent, ExtentId, IntExpr, Param, ParamId, ScalarKind, ScalarParam, Span, Spanned, TensorParam,
};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Expr, FnArg, GenericArgument, GenericParam, Pat, PathArguments, ReturnType, Type};

/// What the launcher takes over from the function, with the user's own tokens.
#[derive(Debug, Clone)]
pub struct Signature {
    /// Documentation, lint levels and `deprecated`.
    pub attributes: Vec<syn::Attribute>,
    /// `pub` and so on.
    pub visibility: syn::Visibility,
    /// The function's name.
    pub name: syn::Ident,
    /// The parameters, in order.
    pub params: Vec<SignatureParam>,
}

/// A parameter of the launcher.
#[derive(Debug, Clone)]
pub struct SignatureParam {
    /// Its name; a made-up one where the parameter has none.
    pub name: syn::Ident,
    /// What it is.
    pub kind: SignatureKind,
}

/// What a parameter of the launcher is.
#[derive(Debug, Clone)]
pub enum SignatureKind {
    /// A tensor.
    Tensor {
        /// `&mut`.
        mutable: bool,
        /// Its element type and the token that says so.
        element: (ElementType, proc_macro2::Span),
        /// How many axes it has.
        rank: usize,
    },
    /// A scalar and the token that says its type.
    Scalar(ScalarKind, proc_macro2::Span),
    /// Wrong in the kernel: the launcher takes anything here.
    Unknown,
}

impl Frontend {
    /// Reads everything of `item` but its body.
    pub(super) fn signature(&mut self, item: &syn::ItemFn, attributes: &[syn::Attribute]) -> Signature {
        let sig = &item.sig;
        self.check_function(item);
        let attributes = self.kept_attributes(attributes);
        self.generics(&sig.generics);
        let params = sig
            .inputs
            .iter()
            .enumerate()
            .map(|(n, input)| self.parameter(n, input))
            .collect();
        self.check_extents_are_read();
        Signature {
            attributes,
            visibility: item.vis.clone(),
            name: sig.ident.clone(),
            params,
        }
    }

    fn check_function(&mut self, item: &syn::ItemFn) {
        let sig = &item.sig;
        let kind = |this: &mut Self, node: &dyn ToTokens, what: &str| {
            let tokens = node.to_token_stream();
            let message = format!("a kernel is not {what}");
            this.error(&codes::FUNCTION_KIND, &tokens, message, "write `fn name(..) { .. }`");
        };
        if let Some(token) = &sig.constness {
            kind(self, token, "`const`");
        }
        if let Some(token) = &sig.asyncness {
            kind(self, token, "`async`");
        }
        match &sig.safety {
            syn::Safety::Unsafe(token) => kind(self, token, "`unsafe`"),
            syn::Safety::Safe(token) => kind(self, token, "`safe`"),
            syn::Safety::Default => {}
        }
        if let Some(abi) = &sig.abi {
            kind(self, abi, "`extern`");
        }
        if let Some(variadic) = &sig.variadic {
            kind(self, variadic, "variadic");
        }
        if let Some(token) = &item.modifiers.defaultness {
            kind(self, token, "`default`");
        }
        if let ReturnType::Type(_, ty) = &sig.output {
            let note = "add a parameter for the result: `c: &mut Tensor<bf16, M, N>`";
            self.error(&codes::RETURN_TYPE, ty, "a kernel returns nothing", note);
        }
    }

    fn kept_attributes(&mut self, attributes: &[syn::Attribute]) -> Vec<syn::Attribute> {
        const KEPT: [&str; 7] = ["doc", "allow", "expect", "warn", "deny", "forbid", "deprecated"];
        let (kept, other): (Vec<_>, Vec<_>) = attributes
            .iter()
            .cloned()
            .partition(|attribute| KEPT.iter().any(|name| attribute.path().is_ident(name)));
        for attribute in other {
            let name = source_text(attribute.path());
            let note = "options of the kernel are written in `#[tt::kernel(..)]`";
            self.error(
                &codes::ATTRIBUTE,
                attribute.path(),
                format!("`{name}` has no meaning on a kernel"),
                note,
            );
        }
        kept
    }

    fn generics(&mut self, generics: &syn::Generics) {
        for param in &generics.params {
            match param {
                GenericParam::Const(param) => self.extent(param),
                GenericParam::Type(param) => {
                    let note = "write the element type out: `Tensor<bf16, M, N>`";
                    self.error(
                        &codes::GENERIC_PARAMETER,
                        &param.ident,
                        "a kernel has no type parameters",
                        note,
                    );
                    self.poison(&param.ident);
                }
                GenericParam::Lifetime(param) => {
                    let note = "write `&Tensor<..>` without a lifetime";
                    self.error(
                        &codes::GENERIC_PARAMETER,
                        &param.lifetime,
                        "a kernel has no lifetimes",
                        note,
                    );
                }
            }
        }
        if let Some(clause) = &generics.where_clause {
            let note = "what must hold between extents is checked at launch";
            self.error(
                &codes::GENERIC_PARAMETER,
                &clause.where_token,
                "a kernel has no `where` clause",
                note,
            );
        }
    }

    fn extent(&mut self, param: &syn::ConstParam) {
        for attribute in &param.attrs {
            self.error(
                &codes::ATTRIBUTE,
                attribute.path(),
                "an extent takes no attributes",
                "leave it out",
            );
        }
        if type_name(&param.ty).as_deref() != Some("usize") {
            let message = format!("an extent is a `usize`, found `{}`", source_text(&param.ty));
            self.error(
                &codes::GENERIC_PARAMETER,
                &param.ty,
                message,
                format!("write `const {}: usize`", param.ident),
            );
        }
        if let Some((_, default)) = &param.default {
            let note = "its value is read off the tensors at launch";
            self.error(&codes::GENERIC_PARAMETER, default, "an extent has no default", note);
        }
        if !self.first_of_its_name(&param.ident) {
            return;
        }
        let (name, span) = (param.ident.unraw().to_string(), self.span(&param.ident));
        let id = ExtentId(self.extents.len() as u32);
        self.extents.push(Extent {
            name: name.clone(),
            span,
        });
        self.scope.declare(name, span, Binding::Extent(id));
    }

    /// Reports a second parameter or extent of the same name.
    fn first_of_its_name(&mut self, ident: &syn::Ident) -> bool {
        let name = ident.unraw().to_string();
        let Some(first) = self.scope.find(&name).map(|known| known.span) else {
            return true;
        };
        let span = self.span(ident);
        self.report(
            Diagnostic::new(
                &codes::DUPLICATE_NAME,
                span,
                format!("the name `{name}` is given twice"),
            )
            .label(first, "first given here")
            .note("rename one of them"),
        );
        false
    }

    fn parameter(&mut self, position: usize, input: &FnArg) -> SignatureParam {
        let made_up = || quote::format_ident!("parameter_{position}");
        let input = match input {
            FnArg::Typed(input) => input,
            FnArg::Receiver(receiver) => {
                let note = "write `name: &Tensor<..>`";
                self.error(&codes::PARAMETER_PATTERN, receiver, "a kernel has no `self`", note);
                self.params.push(Self::placeholder(position));
                return SignatureParam {
                    name: made_up(),
                    kind: SignatureKind::Unknown,
                };
            }
        };
        let ident = match &*input.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none() => {
                Some(&pat.ident)
            }
            Pat::Ident(pat) => {
                let note = format!(
                    "write `{}: ..`; a tensor that is written is `&mut Tensor<..>`",
                    pat.ident
                );
                self.error(&codes::PARAMETER_PATTERN, pat, "a parameter is a plain name", note);
                Some(&pat.ident)
            }
            other => {
                let note = "write `name: &Tensor<..>`";
                self.error(&codes::PARAMETER_PATTERN, other, "a parameter is a plain name", note);
                None
            }
        };
        let place = self.span(&input.pat);
        let name = ident.map_or_else(|| format!("parameter_{position}"), |ident| ident.unraw().to_string());
        let (kind, param) = self.parameter_type(input, name, place);
        let id = ParamId(self.params.len() as u32);
        let binding = match &param {
            Some(Param::Tensor(_)) => Binding::Tensor(id),
            Some(Param::Scalar(_)) => Binding::Scalar(id),
            None => Binding::Poisoned,
        };
        self.params.push(param.unwrap_or_else(|| Self::placeholder(position)));
        if let Some(ident) = ident
            && self.first_of_its_name(ident)
        {
            let span = self.span(ident);
            self.scope.declare(ident.unraw().to_string(), span, binding);
        }
        SignatureParam {
            name: ident.cloned().unwrap_or_else(made_up),
            kind,
        }
    }

    /// Holds the place of a parameter that is wrong; the kernel is never handed on.
    fn placeholder(position: usize) -> Param {
        Param::Scalar(ScalarParam {
            name: format!("parameter_{position}"),
            span: Span(0),
            kind: ScalarKind::F32,
        })
    }

    fn parameter_type(&mut self, input: &syn::PatType, name: String, place: Span) -> (SignatureKind, Option<Param>) {
        match ungrouped(&input.ty) {
            Type::Reference(reference) => {
                if let Some(lifetime) = &reference.lifetime {
                    let note = "write `&Tensor<..>` without a lifetime";
                    self.error(&codes::GENERIC_PARAMETER, lifetime, "a kernel has no lifetimes", note);
                }
                let Some(arguments) = tensor_arguments(&reference.elem) else {
                    self.refuse_parameter(&reference.elem);
                    return (SignatureKind::Unknown, None);
                };
                let mutable = reference.mutability.is_some();
                let Some((element, extents)) = self.tensor_type(&reference.elem, arguments) else {
                    return (SignatureKind::Unknown, None);
                };
                let layout = self.parameter_layout(input, place, extents.len());
                let kind = SignatureKind::Tensor {
                    mutable,
                    element: (element.value, self.spans.tokens(element.span).1),
                    rank: extents.len(),
                };
                let param = TensorParam {
                    name,
                    span: place,
                    element,
                    extents,
                    mutable,
                    layout,
                };
                (kind, Some(Param::Tensor(param)))
            }
            ty if tensor_arguments(ty).is_some() => {
                let note = "write `&Tensor<..>` for one that is read, `&mut Tensor<..>` for one that is written";
                self.error(&codes::TENSOR_BY_VALUE, ty, "a tensor is passed by reference", note);
                (SignatureKind::Unknown, None)
            }
            ty => {
                let kind = match type_name(ty).as_deref() {
                    Some("f32") => ScalarKind::F32,
                    Some("i32") => ScalarKind::I32,
                    Some("u32") => ScalarKind::U32,
                    _ => {
                        self.refuse_parameter(ty);
                        return (SignatureKind::Unknown, None);
                    }
                };
                for attribute in &input.attrs {
                    let message = "a scalar takes no attributes";
                    self.error(
                        &codes::ATTRIBUTE,
                        attribute.path(),
                        message,
                        "`#[layout(..)]` belongs to tensors",
                    );
                }
                let place_of_type = self.span(ty);
                let token = self.spans.tokens(place_of_type).1;
                let param = ScalarParam {
                    name,
                    span: place,
                    kind,
                };
                (SignatureKind::Scalar(kind, token), Some(Param::Scalar(param)))
            }
        }
    }

    fn refuse_parameter(&mut self, ty: &Type) {
        let shown = source_text(ty);
        let number = [
            "usize", "isize", "u8", "i8", "u16", "i16", "u64", "i64", "f64", "bool", "bf16", "f16",
        ];
        let name = type_name(ty);
        if name.as_deref().is_some_and(|name| number.contains(&name)) {
            let note = match shown.as_str() {
                "f64" | "bf16" | "f16" => "write `f32`",
                "isize" | "i8" | "i16" | "i64" => "write `i32`",
                _ => "write `u32`",
            };
            self.error(
                &codes::SCALAR_TYPE,
                ty,
                format!("`{shown}` is not a type of scalar"),
                note,
            );
            return;
        }
        let path = match ungrouped(ty) {
            Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
            _ => None,
        };
        let note = match path.as_deref().and_then(|name| nearest(name, ["Tensor"])) {
            Some(_) => "did you mean `Tensor`?",
            None => "a parameter is `&Tensor<..>`, `&mut Tensor<..>`, `f32`, `i32` or `u32`",
        };
        self.error(
            &codes::PARAMETER_TYPE,
            ty,
            format!("`{shown}` is not a type of parameter"),
            note,
        );
    }

    /// `Tensor<bf16, M, K>`: its element type and extents.
    fn tensor_type(
        &mut self,
        ty: &Type,
        arguments: &PathArguments,
    ) -> Option<(Spanned<ElementType>, Vec<Spanned<IntExpr>>)> {
        let usage = "write `Tensor<bf16, M, N>`: the element type, then one extent per axis";
        let PathArguments::AngleBracketed(arguments) = arguments else {
            self.error(
                &codes::TENSOR_RANK,
                ty,
                "a tensor needs its element type and extents",
                usage,
            );
            return None;
        };
        let mut arguments = arguments.args.iter();
        let element = match arguments.next() {
            Some(GenericArgument::Type(first)) => self.element_type(first).map(|value| Spanned {
                value,
                span: self.span(first),
            }),
            Some(other) => {
                self.error(&codes::ELEMENT_TYPE, other, "the element type comes first", usage);
                None
            }
            None => {
                self.error(
                    &codes::TENSOR_RANK,
                    ty,
                    "a tensor needs its element type and extents",
                    usage,
                );
                return None;
            }
        };
        let mut extents = Vec::new();
        let mut rank = 0;
        for argument in arguments {
            rank += 1;
            if let Some(extent) = self.tensor_extent(argument) {
                extents.push(extent);
            }
        }
        if rank == 0 || rank > 6 {
            self.error(
                &codes::TENSOR_RANK,
                ty,
                format!("a tensor has one to six axes, found {rank}"),
                usage,
            );
            return None;
        }
        let complete = extents.len() == rank;
        element.filter(|_| complete).map(|element| (element, extents))
    }

    fn tensor_extent(&mut self, argument: &GenericArgument) -> Option<Spanned<IntExpr>> {
        let value = match argument {
            GenericArgument::Const(expr) => self.extent_expression(expr),
            GenericArgument::Type(Type::Path(path)) if path.qself.is_none() => {
                let expr = Expr::Path(syn::ExprPath {
                    attrs: Vec::new(),
                    qself: None,
                    path: path.path.clone(),
                });
                self.extent_expression(&expr)
            }
            GenericArgument::Type(_)
            | GenericArgument::Lifetime(_)
            | GenericArgument::AssocType(_)
            | GenericArgument::AssocConst(_)
            | GenericArgument::Constraint(_) => {
                self.refuse_extent(argument);
                None
            }
            // `syn::GenericArgument` may grow.
            _ => {
                self.refuse_extent(argument);
                None
            }
        }?;
        Some(Spanned {
            value,
            span: self.span(argument),
        })
    }

    fn refuse_extent(&mut self, node: &impl ToTokens) {
        let message = format!("`{}` is not an extent", source_text(node));
        let note = "an extent is a literal, a `const M: usize` of the kernel, or `{ expr }` of those";
        self.error(&codes::TENSOR_EXTENT, node, message, note);
    }

    fn extent_expression(&mut self, expr: &Expr) -> Option<IntExpr> {
        let inner = match expr {
            Expr::Block(block) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(inner, None)] => inner,
                _ => {
                    self.refuse_extent(expr);
                    return None;
                }
            },
            other => other,
        };
        if let Some(name) = super::frontend::plain_name(inner)
            && self.scope.find(&name.to_string()).is_none()
        {
            let note = match nearest(
                &name.to_string(),
                self.extents.iter().map(|extent| extent.name.as_str()),
            ) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("add `const {name}: usize` to the kernel, or write the number"),
            };
            self.error(
                &codes::TENSOR_EXTENT,
                name,
                format!("`{name}` is not an extent of this kernel"),
                note,
            );
            return None;
        }
        let value = self.integer(inner)?;
        let mut scalar = false;
        value.walk(&mut |part| scalar |= matches!(part, IntExpr::Scalar(_)));
        if scalar {
            self.refuse_extent(inner);
            return None;
        }
        if value.as_const().is_some_and(|value| value < 1) {
            let note = "every axis has at least one element";
            self.error(&codes::TENSOR_EXTENT, inner, "an extent is at least 1", note);
            return None;
        }
        Some(value)
    }

    /// The layout that the attributes of a tensor parameter ask for.
    fn parameter_layout(&mut self, input: &syn::PatType, place: Span, rank: usize) -> crate::ir::Layout {
        let mut layout = None;
        for attribute in &input.attrs {
            if !attribute.path().is_ident("layout") {
                let name = source_text(attribute.path());
                let note = match nearest(&name, ["layout"]) {
                    Some(_) => "did you mean `layout`?",
                    None => "a tensor takes `#[layout(..)]`",
                };
                let message = format!("`{name}` has no meaning on a parameter");
                self.error(&codes::ATTRIBUTE, attribute.path(), message, note);
            } else if layout.is_some() {
                let note = "write one `#[layout(..)]`";
                self.error(&codes::DUPLICATE_OPTION, attribute.path(), "a second layout", note);
            } else {
                layout = Some(self.layout(attribute, rank));
            }
        }
        layout.unwrap_or_else(|| Self::default_layout(place))
    }

    /// Each extent is an axis of some tensor, so that the launcher can read it off.
    fn check_extents_are_read(&mut self) {
        let mut shown = vec![false; self.extents.len()];
        for param in &self.params {
            if let Param::Tensor(tensor) = param {
                for extent in &tensor.extents {
                    if let IntExpr::Extent(id) = extent.value {
                        shown[id.index()] = true;
                    }
                }
            }
        }
        // A parameter that is wrong may have been the one that shows it.
        let complete = self.diagnostics.is_empty();
        for (extent, shown) in self.extents.clone().into_iter().zip(shown) {
            if !shown && complete {
                let message = format!("no tensor has `{}` as an axis", extent.name);
                self.report(
                    Diagnostic::new(&codes::EXTENT_NOT_READ, extent.span, message).note(
                        "its value is read off a tensor at launch: use it as an extent, or pass a scalar `n: u32`",
                    ),
                );
            }
        }
    }
}

fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => ungrouped(&inner.elem),
        Type::Group(inner) => ungrouped(&inner.elem),
        other => other,
    }
}

/// The generic arguments of `Tensor<..>`, or of a path that ends in it.
fn tensor_arguments(ty: &Type) -> Option<&PathArguments> {
    match ungrouped(ty) {
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last()?;
            (last.ident == "Tensor").then_some(&last.arguments)
        }
        _ => None,
    }
}
