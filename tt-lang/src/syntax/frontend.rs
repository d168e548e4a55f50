//! The state of reading one kernel: what has been declared so far, and the errors found.
//!
//! Reading never stops at an error. A function that cannot make sense of its tokens reports them once and gives `None`;
//! names whose declaration failed are poisoned, so that one mistake is one error.

use super::function::{Function, Reading};
use super::limits;
use super::scope::{Binding, Scope};
use super::source_text::source_text;
use super::spans::{Node, SpanTable};
use super::variants::Variant;
use crate::codes;
use crate::diagnostic::{Code, Diagnostic};
use crate::ir::{
    Block, BlockId, Buffer, ElementType, Extent, Grid, IntExpr, Param, ParamId, Ranges, Span, Spanned, Stmt,
    TensorParam, VarId, Variable,
};
use quote::ToTokens;
use syn::{Expr, Type};

/// Whether elements of blocks and tensors may be read where an expression stands, and if not, why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loads {
    /// Inside `T.Parallel`.
    Allowed,
    /// In an index, an extent or a bound.
    Index,
    /// In the condition of a statement.
    Condition,
    /// In a value for a whole block.
    WholeBlock,
    /// In what is asserted.
    Assertion,
    /// In what is printed.
    Print,
    /// Behind `let`.
    Let,
}

/// One kernel in the making.
pub(super) struct Frontend {
    pub(super) name: String,
    pub(super) spans: SpanTable,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) scope: Scope,
    pub(super) loads: Loads,
    pub(super) extents: Vec<Extent>,
    pub(super) params: Vec<Param>,
    pub(super) grid: Option<Grid>,
    pub(super) blocks: Vec<Block>,
    pub(super) variables: Vec<Variable>,
    /// The integers that the statement being read takes from tensors: they are fetched before it.
    pub(super) fetches: Vec<Stmt>,
    /// What it leaves in parts of blocks: stored after it.
    pub(super) stores: Vec<Stmt>,
    /// The indices of the `T.Parallel` being read, with their extents.
    pub(super) parallel: Vec<(VarId, u64)>,
    /// Which values they have where what is being read counts.
    pub(super) indices: Ranges,
    /// The functions of the body.
    pub(super) functions: Vec<Function>,
    /// Those whose calls are being read.
    pub(super) calls: Vec<usize>,
    /// What a call gives.
    pub(super) reading: Reading,
    /// The tokens and operations that were written out for calls.
    pub(super) written_out: usize,
    /// How many loops, branches and blocks stand around.
    pub(super) nesting: usize,
    /// How many serial loops stand around.
    pub(super) loops: usize,
    /// Whether a `T.Kernel` was seen, right or wrong; of the stage that is being read.
    pub(super) grid_seen: Option<Span>,
    /// Whether a stage in a block of its own is being read.
    pub(super) in_stage: bool,
    /// The constants of the option `variants`, as the kernel that is read has them.
    pub(super) variant: Variant,
    /// Where the option `reference` was given.
    pub(super) reference: Option<Span>,
    /// Warnings that are not wanted.
    pub(super) allowed: Vec<&'static Code>,
}

impl Frontend {
    pub(super) fn new(name: String) -> Self {
        Frontend {
            name,
            spans: SpanTable::default(),
            diagnostics: Vec::new(),
            scope: Scope::default(),
            loads: Loads::Index,
            extents: Vec::new(),
            params: Vec::new(),
            grid: None,
            blocks: Vec::new(),
            variables: Vec::new(),
            fetches: Vec::new(),
            stores: Vec::new(),
            parallel: Vec::new(),
            indices: Ranges::default(),
            functions: Vec::new(),
            calls: Vec::new(),
            reading: Reading::Statement,
            written_out: 0,
            nesting: 0,
            loops: 0,
            grid_seen: None,
            in_stage: false,
            variant: Variant::new(),
            reference: None,
            allowed: Vec::new(),
        }
    }

    /// The place of a node.
    pub(super) fn span(&mut self, node: &(impl ToTokens + ?Sized)) -> Span {
        self.spans.of(node)
    }

    /// The place of an expression or a name.
    pub(super) fn span_of(&mut self, node: &(impl Node + ?Sized)) -> Span {
        self.spans.of_node(node)
    }

    /// Reports an error at a node.
    pub(super) fn error(
        &mut self,
        code: &'static Code,
        node: &(impl ToTokens + ?Sized),
        message: impl Into<String>,
        note: impl Into<String>,
    ) {
        let span = self.span(node);
        self.report(Diagnostic::new(code, span, message).note(note));
    }

    /// Reports an error.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Runs `read` with elements readable or not.
    pub(super) fn with_loads<R>(&mut self, loads: Loads, read: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.loads, loads);
        let result = read(self);
        self.loads = outer;
        result
    }

    /// Runs `read` in a scope of its own.
    pub(super) fn scoped<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.scope.enter();
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        self.scope.leave(mark);
        result
    }

    /// A new integer variable named `ident`, in scope from here on.
    pub(super) fn declare_variable(&mut self, ident: &syn::Ident) -> VarId {
        let name = name_of(ident);
        let id = self.new_variable(name.clone(), ident);
        let span = self.variables[id.index()].span;
        self.scope.declare(name, span, Binding::Variable(id));
        id
    }

    /// A new integer variable, which no name of the source stands for.
    pub(super) fn new_variable(&mut self, name: String, ident: &syn::Ident) -> VarId {
        let id = VarId(self.variables.len() as u32);
        let span = self.span_of(ident);
        self.variables.push(Variable { name, span });
        id
    }

    /// Makes `ident` a name that is known to be wrong.
    pub(super) fn poison(&mut self, ident: &syn::Ident) {
        let span = self.span(ident);
        self.scope.declare(name_of(ident), span, Binding::Poisoned);
    }

    /// What `ident` stands for. Unknown names are reported once and poisoned.
    pub(super) fn resolve(&mut self, ident: &syn::Ident) -> Option<Binding> {
        let name = name_of(ident);
        match self.scope.find(&name) {
            Some(known) if known.binding == Binding::Poisoned => None,
            Some(super::scope::Name {
                outdated: Some(assigned),
                span: declared,
                ..
            }) => {
                let (assigned, declared) = (assigned.clone(), *declared);
                let span = self.span(ident);
                self.report(
                    Diagnostic::new(
                        &codes::OUTDATED_NAME,
                        span,
                        format!("`{name}` reads `{assigned}`, which is assigned since `{name}` was named"),
                    )
                    .label(declared, "named here")
                    .note("use it before that assignment, write the expression again, or keep its value in a block"),
                );
                None
            }
            Some(known) => Some(known.binding.clone()),
            None => {
                let note = match self.scope.nearest(&name) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if name == "T" => "`T` is followed by an operation: `T.copy(..)`".to_string(),
                    None if is_constant_case(&name) => format!(
                        "constants of the module are not seen by a kernel: write `const {name}: usize = ..;` in its body, or \
                         take `const {name}: usize` as an extent of a tensor"
                    ),
                    None => "a kernel sees its parameters and what its body declares; nothing else of the module"
                        .to_string(),
                };
                self.error(&codes::UNKNOWN_NAME, ident, format!("unknown name `{name}`"), note);
                self.poison(ident);
                None
            }
        }
    }

    /// The block that `expr`, a plain name, stands for.
    pub(super) fn block_argument(&mut self, expr: &Expr) -> Option<Spanned<BlockId>> {
        let Some(ident) = plain_name(expr) else {
            if let Expr::Index(index) = expr {
                let of = plain_name(&index.expr).and_then(|name| self.resolve(name));
                let (message, note) = match of {
                    Some(Binding::Tensor(_)) => (
                        "a region of a tensor, a block is wanted",
                        "copy it into a block first: `T.copy(a[(row, col)], block)`",
                    ),
                    _ => (
                        "a part of a block, a whole block is wanted",
                        "write the block's name alone",
                    ),
                };
                self.error(&codes::BLOCK_REGION, expr, message, note);
                return None;
            }
            // Constructs that are not in the language say so themselves.
            let value = self.with_loads(Loads::WholeBlock, |this| this.value(expr))?;
            self.error(
                &codes::WRONG_KIND,
                expr,
                format!("the name of a block is wanted, found {}", value.describe()),
                "blocks come from `T.alloc_shared` and `T.alloc_fragment`",
            );
            return None;
        };
        match self.resolve(ident)?.buffer() {
            Ok(Buffer::Block(id)) => Some(Spanned {
                value: id,
                span: self.span(ident),
            }),
            Ok(Buffer::Tensor(_)) => {
                self.error(
                    &codes::WRONG_KIND,
                    ident,
                    format!("`{ident}` is a tensor, a block is wanted"),
                    "copy a region of it into a block first: `T.copy(a[(row, col)], block)`",
                );
                None
            }
            Err(what) => {
                self.error(
                    &codes::WRONG_KIND,
                    ident,
                    format!("`{ident}` is {what}, a block is wanted"),
                    "blocks come from `T.alloc_shared` and `T.alloc_fragment`",
                );
                None
            }
        }
    }

    /// The block `id`.
    pub(super) fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// The block's name and shape, as messages show them: `acc (64, 64)`.
    pub(super) fn shape_of(&self, id: BlockId) -> String {
        let block = self.block(id);
        format!("`{}` is {}", block.name, shape(&block.shape))
    }

    /// The tensor `id`, a parameter or a temporary; [`Binding::Tensor`] refers to nothing else.
    pub(super) fn tensor(&self, id: ParamId) -> Option<&TensorParam> {
        match self.params.get(id.index()) {
            Some(Param::Tensor(tensor) | Param::Temporary(tensor)) => Some(tensor),
            Some(Param::Scalar(_) | Param::Derived(_)) | None => None,
        }
    }

    /// Reports a store to `&Tensor`.
    pub(super) fn check_stored(&mut self, id: ParamId, at: &syn::Ident) {
        let Some(tensor) = self.tensor(id) else { return };
        if tensor.mutable {
            return;
        }
        let (name, declared) = (tensor.name.clone(), tensor.span);
        let span = self.span(at);
        self.report(
            Diagnostic::new(
                &codes::STORE_TO_INPUT,
                span,
                format!("`{name}` is only read: it is a `&Tensor`"),
            )
            .label(declared, "declared here")
            .note(format!("write `{name}: &mut Tensor<..>` in the signature")),
        );
    }

    /// The element type called `path`, or an error.
    pub(super) fn element_type(&mut self, ty: &syn::Type) -> Option<ElementType> {
        let name = type_name(ty);
        let found = ElementType::ALL
            .iter()
            .find(|(_, known)| name.as_deref() == Some(known));
        if let Some((element, _)) = found {
            return Some(*element);
        }
        let poisoned = |known: &super::scope::Name| known.binding == Binding::Poisoned;
        if name
            .as_deref()
            .and_then(|name| self.scope.find(name))
            .is_some_and(poisoned)
        {
            return None;
        }
        let names: Vec<&str> = ElementType::ALL.iter().map(|(_, name)| *name).collect();
        let note = format!("one of {}", names.join(", "));
        let shown = source_text(ty);
        self.error(
            &codes::ELEMENT_TYPE,
            ty,
            format!("`{shown}` is not an element type"),
            note,
        );
        None
    }

    /// `op(a, b)`, or an error where the constants have no value.
    pub(super) fn integer_op(
        &mut self,
        op: crate::ir::IntOp,
        a: IntExpr,
        b: IntExpr,
        node: &(impl ToTokens + ?Sized),
    ) -> Option<IntExpr> {
        use crate::ir::IntOp;
        let zero_divisor = matches!(op, IntOp::Div | IntOp::Rem | IntOp::CeilDiv) && b.as_const() == Some(0);
        let overflow = matches!((a.as_const(), b.as_const()), (Some(a), Some(b))
            if op.apply(a, b).is_none_or(|value| i32::try_from(value).is_err()));
        if zero_divisor || overflow {
            let message = if zero_divisor {
                "division by zero"
            } else {
                "the value does not fit in 32 bits with a sign"
            };
            self.error(
                &codes::ARITHMETIC,
                node,
                message,
                "constants are evaluated when the kernel is compiled",
            );
            return None;
        }
        let value = IntExpr::binary(op, a, b);
        let mut size = 0_usize;
        value.walk(&mut |_| size = size.saturating_add(1));
        if size > limits::INTEGER {
            self.error(
                &codes::INTEGER_SIZE,
                node,
                format!("an integer of more than {} operations", limits::INTEGER),
                "compute it on the host, and pass it as a scalar `n: i32`",
            );
            return None;
        }
        Some(value)
    }
}

/// Whether a name is written as Rust writes constants.
fn is_constant_case(name: &str) -> bool {
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}

/// The name that `expr` is, if it is nothing but a name.
pub(super) fn plain_name(expr: &Expr) -> Option<&syn::Ident> {
    let Expr::Path(path) = ungrouped(expr) else { return None };
    path.path.get_ident().filter(|_| path.qself.is_none())
}

/// `expr` without the parentheses around it.
#[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
pub(super) fn ungrouped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => ungrouped(&inner.expr),
        Expr::Group(inner) => ungrouped(&inner.expr),
        other => other,
    }
}

/// What `ident` is called, without the `r#` that it may have.
pub(super) fn name_of(ident: &syn::Ident) -> String {
    let name = ident.to_string();
    match name.strip_prefix("r#") {
        Some(plain) => plain.to_string(),
        None => name,
    }
}

/// The last segment of a type that is a plain path: `bf16` of `tt::bf16`.
pub(super) fn type_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ungrouped_type(ty) else {
        return None;
    };
    let segment = path.path.segments.last()?;
    (path.qself.is_none() && segment.arguments.is_none()).then(|| segment.ident.to_string())
}

/// `ty` without the parentheses around it.
#[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
pub(super) fn ungrouped_type(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => ungrouped_type(&inner.elem),
        Type::Group(inner) => ungrouped_type(&inner.elem),
        other => other,
    }
}

/// Extents as messages show them: `(64, 128)`.
pub(super) fn shape(extents: &[u64]) -> String {
    let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
    format!("({})", extents.join(", "))
}
