//! The function around the body: extents, tensors and scalars, and what the macro needs to make the launcher.

use super::frontend::{Frontend, name_of, type_name};
use super::scope::Binding;
use super::source_text::source_text;
use crate::codes;
use crate::diagnostic::{Code, Diagnostic};
use crate::ir::{ElementType, Extent, ExtentId, IntExpr, Param, ScalarKind};
use quote::ToTokens;
use syn::{GenericParam, ReturnType};

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
        /// `Tensor` as the user wrote it, without its arguments.
        tensor: syn::Path,
        /// The element type.
        element: ElementType,
        /// The element type as the user wrote it.
        element_path: syn::Type,
        /// How many axes it has.
        rank: usize,
    },
    /// A scalar and its type as the user wrote it.
    Scalar(ScalarKind, syn::Type),
    /// Wrong in the kernel: the launcher takes anything here that is handed over so.
    Unknown(Passing),
}

/// How a caller hands over an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// As a value.
    Value,
    /// `&`.
    Reference,
    /// `&mut`.
    MutableReference,
}

impl Passing {
    /// By `&mut` where it is `mutable`, else by `&`.
    pub fn of_reference(mutable: bool) -> Self {
        match mutable {
            true => Self::MutableReference,
            false => Self::Reference,
        }
    }
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
        self.refuse_modifiers(item, &codes::FUNCTION_KIND, "a kernel", "write `fn name(..) { .. }`");
        if let ReturnType::Type(_, ty) = &item.sig.output {
            let note = "add a parameter for the result: `c: &mut Tensor<bf16, M, N>`";
            self.error(&codes::RETURN_TYPE, ty, "a kernel returns nothing", note);
        }
    }

    /// Refuses the words before `fn` and around its parameters that have no meaning; `which` is `a kernel`, say.
    pub(super) fn refuse_modifiers(&mut self, item: &syn::ItemFn, code: &'static Code, which: &str, note: &str) {
        let sig = &item.sig;
        let kind = |this: &mut Self, node: &dyn ToTokens, what: &str| {
            let tokens = node.to_token_stream();
            this.error(code, &tokens, format!("{which} is not {what}"), note);
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
    }

    fn kept_attributes(&mut self, attributes: &[syn::Attribute]) -> Vec<syn::Attribute> {
        const KEPT: [&str; 7] = ["doc", "allow", "expect", "warn", "deny", "forbid", "deprecated"];
        let (kept, other): (Vec<_>, Vec<_>) = attributes
            .iter()
            .cloned()
            .partition(|attribute| KEPT.iter().any(|name| attribute.path().is_ident(name)));
        for attribute in other {
            let name = source_text(attribute.path());
            let note = if name == "cfg" || name == "cfg_attr" {
                "write it above `#[tt::kernel]`, so that it decides about the whole kernel"
            } else {
                "options of the kernel are written in `#[tt::kernel(..)]`"
            };
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
        let (name, span) = (name_of(&param.ident), self.span(&param.ident));
        // What is chosen is known when the kernel is compiled.
        if self.is_variant(&name) || !self.first_of_its_name(&param.ident) {
            return;
        }
        let id = ExtentId(self.extents.len() as u32);
        self.extents.push(Extent {
            name: name.clone(),
            span,
        });
        self.scope.declare(name, span, Binding::Extent(id));
    }

    /// Reports a second parameter or extent of the same name.
    pub(super) fn first_of_its_name(&mut self, ident: &syn::Ident) -> bool {
        let name = name_of(ident);
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
