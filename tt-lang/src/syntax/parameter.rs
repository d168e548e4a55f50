//! The parameters of a kernel: tensors with their element types, extents and layouts, and scalars.

use super::frontend::{Frontend, name_of, plain_name, type_name, ungrouped_type};
use super::scope::{Binding, nearest};
use super::signature::{Passing, SignatureKind, SignatureParam};
use super::source_text::source_text;
use crate::codes;
use crate::ir::{ElementType, IntExpr, Layout, Param, ParamId, ScalarKind, ScalarParam, Span, Spanned, TensorParam};
use quote::ToTokens;
use syn::{Expr, FnArg, GenericArgument, Pat, PathArguments, Type};

impl Frontend {
    /// Reads the parameter at `position`.
    pub(super) fn parameter(&mut self, position: usize, input: &FnArg) -> SignatureParam {
        let made_up = || quote::format_ident!("parameter_{position}");
        let input = match input {
            FnArg::Typed(input) => input,
            FnArg::Receiver(receiver) => {
                let note = "write `name: &Tensor<..>`";
                self.error(&codes::PARAMETER_PATTERN, receiver, "a kernel has no `self`", note);
                self.params.push(Self::placeholder(position));
                return SignatureParam {
                    name: made_up(),
                    kind: SignatureKind::Unknown(Passing::Value),
                };
            }
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
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
        let name = ident.map_or_else(|| format!("parameter_{position}"), name_of);
        let (kind, param) = self.parameter_type(input, name, place);
        let id = ParamId(self.params.len() as u32);
        let binding = match &param {
            Some(Param::Tensor(_) | Param::Temporary(_)) => Binding::Tensor(id),
            Some(Param::Scalar(_) | Param::Derived(_)) => Binding::Scalar(id),
            None => Binding::Poisoned,
        };
        self.params.push(param.unwrap_or_else(|| Self::placeholder(position)));
        let ident = ident.filter(|ident| self.first_of_its_name(ident));
        if let Some(ident) = ident {
            let span = self.span(ident);
            self.scope.declare(name_of(ident), span, binding);
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

    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    fn parameter_type(&mut self, input: &syn::PatType, name: String, place: Span) -> (SignatureKind, Option<Param>) {
        match ungrouped_type(&input.ty) {
            Type::Reference(reference) => {
                if let Some(lifetime) = &reference.lifetime {
                    let note = "write `&Tensor<..>` without a lifetime";
                    self.error(&codes::GENERIC_PARAMETER, lifetime, "a kernel has no lifetimes", note);
                }
                let mutable = reference.mutability.is_some();
                let unknown = SignatureKind::Unknown(Passing::of_reference(mutable));
                let Some(path) = tensor_path(&reference.elem) else {
                    self.refuse_parameter(&reference.elem);
                    return (unknown, None);
                };
                let Some((element, element_path, extents)) = self.tensor_type(path) else {
                    return (unknown, None);
                };
                let layout = self.parameter_layout(input, place, &extents);
                let mut tensor = path.clone();
                if let Some(last) = tensor.segments.last_mut() {
                    last.arguments = PathArguments::None;
                }
                let kind = SignatureKind::Tensor {
                    mutable,
                    tensor,
                    element: element.value,
                    element_path,
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
            ty if tensor_path(ty).is_some() => {
                let note = "write `&Tensor<..>` for one that is read, `&mut Tensor<..>` for one that is written";
                self.error(&codes::TENSOR_BY_VALUE, ty, "a tensor is passed by reference", note);
                (SignatureKind::Unknown(Passing::Value), None)
            }
            ty => {
                let kind = match type_name(ty).as_deref() {
                    Some("f32") => ScalarKind::F32,
                    Some("i32") => ScalarKind::I32,
                    Some("u32") => ScalarKind::U32,
                    _ => {
                        self.refuse_parameter(ty);
                        return (SignatureKind::Unknown(Passing::Value), None);
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
                let param = ScalarParam {
                    name,
                    span: place,
                    kind,
                };
                (SignatureKind::Scalar(kind, ty.clone()), Some(Param::Scalar(param)))
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
        #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
        let path = match ungrouped_type(ty) {
            Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
            _ => None,
        };
        if let Some(name @ "Option") = path.as_deref()
            && self.refuse_reserved(name, "Option<&Tensor<..>>", ty)
        {
            return;
        }
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
    fn tensor_type(&mut self, path: &syn::Path) -> Option<(Spanned<ElementType>, Type, Vec<Spanned<IntExpr>>)> {
        let usage = "write `Tensor<bf16, M, N>`: the element type, then one extent per axis";
        let arguments: Vec<&GenericArgument> = match path.segments.last().map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(arguments)) => arguments.args.iter().collect(),
            Some(PathArguments::None | PathArguments::Parenthesized(_)) | None => Vec::new(),
        };
        let Some((first, rest)) = arguments.split_first() else {
            let message = "a tensor needs its element type and extents";
            self.error(&codes::TENSOR_RANK, path, message, usage);
            return None;
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
        let element = match first {
            GenericArgument::Type(first) => self.element_type(first).map(|value| {
                let span = self.span(first);
                (Spanned { value, span }, first.clone())
            }),
            other => {
                self.error(&codes::ELEMENT_TYPE, *other, "the element type comes first", usage);
                None
            }
        };
        let mut extents = Vec::new();
        let mut rank = 0;
        for argument in rest {
            rank += 1;
            if let Some(extent) = self.tensor_extent(argument) {
                extents.push(extent);
            }
        }
        if rank == 0 || rank > 6 {
            self.error(
                &codes::TENSOR_RANK,
                path,
                format!("a tensor has one to six axes, found {rank}"),
                usage,
            );
            return None;
        }
        let complete = extents.len() == rank;
        let (element, written) = element.filter(|_| complete)?;
        Some((element, written, extents))
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
        #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
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
        if let Some(name) = plain_name(inner)
            && self.scope.find(&name_of(name)).is_none()
        {
            let note = match nearest(&name_of(name), self.extents.iter().map(|extent| extent.name.as_str())) {
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
    fn parameter_layout(&mut self, input: &syn::PatType, place: Span, extents: &[Spanned<IntExpr>]) -> Layout {
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
                layout = Some(self.layout(attribute, extents));
            }
        }
        layout.unwrap_or_else(|| Self::default_layout(place))
    }
}

/// The path of a type that is `Tensor<..>`.
fn tensor_path(ty: &Type) -> Option<&syn::Path> {
    let Type::Path(path) = ungrouped_type(ty) else {
        return None;
    };
    let last = path.path.segments.last()?;
    (path.qself.is_none() && last.ident == "Tensor").then_some(&path.path)
}
