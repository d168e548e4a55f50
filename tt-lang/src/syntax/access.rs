//! Elements of blocks and tensors inside `T.Parallel`: `x[(i, j)]`, `m[i]`, `a[(by * 32 + i, bx * 32 + j)]`; outside of it
//! integers of tensors: `pages[(b, t)]`.

use super::frontend::{Frontend, Loads, name_of, plain_name, shape, ungrouped};
use super::scope::Binding;
use super::value::{Class, Value};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::Linear;
use crate::ir::{
    Access, Buffer, Element, ElementKind, ElementType, IntExpr, IntOp, Op, Param, ParamId, Place, Stmt, VarId,
};
use crate::tree::{Kind, operations};
use syn::Expr;
use syn::ext::IdentExt;
use syn::visit::Visit;

impl Frontend {
    /// The value of one element.
    pub(super) fn load(&mut self, index: &syn::ExprIndex) -> Option<Value> {
        if self.loads != Loads::Allowed
            && let Some(tensor) = self.integers(&index.expr)
        {
            return self.fetch(index, tensor);
        }
        let of_what = plain_name(&index.expr).map_or_else(|| "data".to_string(), |name| format!("`{name}`"));
        match self.loads {
            Loads::Allowed => {}
            Loads::Index => {
                if self.is_index_vector(index) {
                    return self.refuse_index_vector(index);
                }
                self.error(
                    &codes::DATA_DEPENDENT_INDEX,
                    index,
                    format!("an index or bound cannot depend on the elements of {of_what}"),
                    "use extents, integer scalars, block indices and loop variables",
                );
                return None;
            }
            Loads::Condition => {
                self.error(
                    &codes::DATA_DEPENDENT_BRANCH,
                    index,
                    format!("a branch cannot depend on the elements of {of_what}"),
                    "choose element by element inside `T.Parallel`: `x[(i, j)] = if c { .. } else { .. };`",
                );
                return None;
            }
            Loads::Assertion => {
                self.error(
                    &codes::DATA_DEPENDENT_BRANCH,
                    index,
                    format!("an assertion cannot depend on the elements of {of_what}"),
                    "assert what integers are, or look at the elements: `T.print(x)`",
                );
                return None;
            }
            Loads::Print => {
                self.error(
                    &codes::PRINT_ARGUMENT,
                    index,
                    format!("elements and parts of {of_what} are not printed alone"),
                    "print the whole block, `T.print(x)`, or copy the part to a block of its own first",
                );
                return None;
            }
            Loads::Let => {
                self.error(
                    &codes::LET_VALUE,
                    index,
                    format!("`let` outside of `T.Parallel` names no element of {of_what}"),
                    "name it inside `T.Parallel`, or keep it in a fragment",
                );
                return None;
            }
            Loads::WholeBlock => {
                self.error(
                    &codes::ELEMENT_IN_VALUE,
                    index,
                    format!("one value for the whole block cannot depend on the elements of {of_what}"),
                    "write `for (i, j) in T.Parallel(h, w) { x[(i, j)] = ..; }`",
                );
                return None;
            }
        }
        let (access, element) = self.access(index)?;
        if let (Buffer::Tensor(_), Some(last)) = (access.buffer, access.indices.last()) {
            let linear = Linear::of(last);
            let form = self.parallel.iter().find_map(|(var, _)| match linear.slope(*var) {
                Some(-1..=1) => None,
                Some(_) => Some(("step", "a step along the last axis of a tensor")),
                None => is_quotient(last, *var).then_some(("quotient", "a quotient along the last axis of a tensor")),
            });
            if let Some((form, shown)) = form {
                self.refuse_reserved_at(form, shown, access.span);
                return None;
            }
        }
        let span = access.span;
        let kind = ElementKind::Load(access);
        Some(Value::Number(Element { kind, span }, Class::of(element)))
    }

    /// The tensor of integers that `expr` names, if it does.
    fn integers(&self, expr: &Expr) -> Option<ParamId> {
        let known = self.scope.find(&plain_name(expr)?.unraw().to_string())?;
        let Binding::Tensor(id) = known.binding else {
            return None;
        };
        let element = self.tensor(id)?.element.value;
        (Class::of(element) == Class::Integer).then_some(id)
    }

    /// The integer of `tensor` that `index` names, the same for the whole block: it is fetched before the statement it stands in.
    fn fetch(&mut self, index: &syn::ExprIndex, id: ParamId) -> Option<Value> {
        let tensor = self.tensor(id)?;
        let (name, declared, mutable) = (tensor.name.clone(), tensor.span, tensor.mutable);
        let is_temporary = matches!(self.params.get(id.index()), Some(Param::Temporary(_)));
        let refused = if !self.parallel.is_empty() {
            if self.is_index_vector(index) {
                return self.refuse_index_vector(index);
            }
            let note = format!("read it before the loop: `let n = {name}[..];`");
            Some((format!("an integer of `{name}` is read inside `T.Parallel`"), note))
        } else if self.grid_seen.is_none() {
            let note = "a grid is known before any block runs: read it after `T.Kernel`";
            Some((
                format!("an integer of `{name}` is read before `T.Kernel`"),
                note.to_string(),
            ))
        } else if mutable && !is_temporary {
            let note = format!("integers are read from what nothing stores to: write `{name}: &Tensor<..>`");
            Some((
                format!("an integer of `{name}` is read, which is a `&mut Tensor`"),
                note,
            ))
        } else {
            None
        };
        if let Some((message, note)) = refused {
            let span = self.span(index);
            let error = Diagnostic::new(&codes::INTEGER_READ, span, message);
            self.report(error.label(declared, "declared here").note(note));
            return None;
        }
        let (from, _) = self.access(index)?;
        // What a statement reads twice is one integer.
        let earlier = self.fetches.iter().find_map(|stmt| {
            let Kind::Op(Op::Fetch { var, from: earlier }) = &stmt.kind else {
                return None;
            };
            (earlier.buffer == from.buffer && earlier.indices == from.indices).then_some(*var)
        });
        if let Some(var) = earlier {
            return Some(Value::Integer(IntExpr::Fetched(var)));
        }
        let var = self.new_variable(format!("{name}_element"), plain_name(&index.expr)?);
        let span = self.span(index);
        let kind = Kind::Op(Op::Fetch { var, from });
        self.fetches.push(Stmt::new(span, kind));
        Some(Value::Integer(IntExpr::Fetched(var)))
    }

    /// Refuses integers of a temporary that the stage with this body stores to itself: they are read of what stages before stored.
    pub(super) fn check_integers_of_temporaries(&mut self, body: &[Stmt]) {
        let mut stored = Vec::new();
        operations(body, &mut |op| match op {
            Op::Copy {
                dst: Place::Tensor(region),
                ..
            } => stored.push(region.tensor),
            Op::Parallel { assigns, .. } => {
                let targets = assigns.iter().map(|assign| assign.target.buffer);
                stored.extend(targets.filter_map(|target| match target {
                    Buffer::Tensor(id) => Some(id),
                    Buffer::Block(_) => None,
                }));
            }
            Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Gemm { .. }
            | Op::Reduce { .. }
            | Op::ReduceArg { .. }
            | Op::Transpose { .. }
            | Op::Fetch { .. }
            | Op::Print { .. }
            | Op::Assert { .. } => {}
        });
        let mut refused = Vec::new();
        operations(body, &mut |op| {
            if let Op::Fetch { from, .. } = op
                && let Buffer::Tensor(id) = from.buffer
                && stored.contains(&id)
                && let Some(Param::Temporary(tensor)) = self.params.get(id.index())
            {
                let name = &tensor.name;
                let message = format!("an integer of `{name}` is read in a stage that stores to it");
                refused.push(
                    Diagnostic::new(&codes::INTEGER_READ, from.span, message)
                        .label(tensor.span, "declared here")
                        .note(format!("read it in a stage of its own after that: `{{ let b = T.Kernel(..); let n = {name}[..]; .. }}`")),
                );
            }
        });
        for error in refused {
            self.report(error);
        }
    }

    fn refuse_index_vector<R>(&mut self, index: &syn::ExprIndex) -> Option<R> {
        let span = self.span(index);
        self.refuse_reserved_at("index vector", "a row by an index vector", span);
        None
    }

    /// Whether an index that is this element differs from element to element of the loop.
    fn is_index_vector(&self, index: &syn::ExprIndex) -> bool {
        struct Names<'a>(&'a Frontend, bool);
        impl<'ast> Visit<'ast> for Names<'_> {
            fn visit_path(&mut self, path: &'ast syn::Path) {
                let name = path.get_ident().map(name_of);
                let known = name.and_then(|name| self.0.scope.find(&name));
                self.1 |= known.is_some_and(|known| match &known.binding {
                    Binding::Variable(var) => self.0.parallel.iter().any(|(index, _)| index == var),
                    Binding::Integer(value) => self.0.parallel.iter().any(|(index, _)| value.mentions(*index)),
                    Binding::Extent(_)
                    | Binding::Tensor(_)
                    | Binding::Scalar(_)
                    | Binding::Block(_)
                    | Binding::Function(_)
                    | Binding::Number(..)
                    | Binding::Truth(_)
                    | Binding::Poisoned => false,
                });
            }
        }
        let mut names = Names(self, false);
        names.visit_expr(&index.index);
        names.1
    }

    /// The element that `index` names, and its type.
    pub(super) fn access(&mut self, index: &syn::ExprIndex) -> Option<(Access, ElementType)> {
        let Some(ident) = plain_name(&index.expr) else {
            self.value(&index.expr)?;
            self.error(
                &codes::WRONG_KIND,
                &index.expr,
                "only blocks and tensors have elements",
                "write the name of a block or tensor: `x[(i, j)]`",
            );
            return None;
        };
        let buffer = self.resolve(ident);
        let indices = self.indices(&index.index);
        let (buffer, rank, element, declared) = match buffer?.buffer() {
            Ok(Buffer::Block(id)) => {
                let block = self.block(id);
                (Buffer::Block(id), block.shape.len(), block.element, block.span)
            }
            Ok(Buffer::Tensor(id)) => {
                let tensor = self.tensor(id)?;
                (
                    Buffer::Tensor(id),
                    tensor.extents.len(),
                    tensor.element.value,
                    tensor.span,
                )
            }
            Err(what) => {
                let message = format!("`{ident}` is {what} and has no elements");
                self.error(&codes::WRONG_KIND, ident, message, "blocks and tensors have elements");
                return None;
            }
        };
        let indices = indices?;
        if indices.len() != rank {
            let names = ["i", "j", "k", "l", "m", "n"].get(..rank).map(|names| names.join(", "));
            let note = match (rank, names) {
                (1, _) => format!("write `{ident}[i]`"),
                (_, Some(names)) => format!("write `{ident}[({names})]`"),
                (_, None) => "one index per axis".to_string(),
            };
            let span = self.span(index);
            self.report(
                Diagnostic::new(
                    &codes::ELEMENT_RANK,
                    span,
                    format!(
                        "`{ident}` has {}, found {}",
                        counted(rank, "axis", "axes"),
                        counted(indices.len(), "index", "indices")
                    ),
                )
                .label(declared, "declared here")
                .note(note),
            );
            return None;
        }
        let access = Access {
            buffer,
            indices,
            span: self.span_of(index),
        };
        self.check_bounds(&access, ident).then_some((access, element))
    }

    /// The indices in brackets: one expression, or several in parentheses.
    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    fn indices(&mut self, index: &Expr) -> Option<Vec<IntExpr>> {
        match ungrouped(index) {
            Expr::Tuple(tuple) => {
                let indices: Vec<Option<IntExpr>> = tuple.elems.iter().map(|index| self.index(index)).collect();
                indices.into_iter().collect()
            }
            other => Some(vec![self.index(other)?]),
        }
    }

    fn index(&mut self, index: &Expr) -> Option<IntExpr> {
        if let Expr::Range(range) = index {
            self.error(
                &codes::RANGE,
                range,
                "a range where one element is wanted",
                "inside `T.Parallel` write one index per axis; regions belong to `T.copy`",
            );
            return None;
        }
        self.integer(index)
    }

    /// Checks the indices of a block's element against the block, where only constants and the parallel loop take part.
    fn check_bounds(&mut self, access: &Access, ident: &syn::Ident) -> bool {
        let Buffer::Block(id) = access.buffer else { return true };
        let extents = self.block(id).shape.clone();
        if self.indices.is_empty() {
            return true;
        }
        for (index, extent) in access.indices.iter().zip(&extents) {
            let range = Linear::of(index).range(|var| self.indices.get(var));
            let Some([least, greatest]) = range else { continue };
            let inside = least >= 0 && u64::try_from(greatest).is_ok_and(|greatest| greatest < *extent);
            if inside {
                continue;
            }
            let found = if least < 0 { least } else { greatest };
            let declared = self.block(id).span;
            self.report(
                Diagnostic::new(
                    &codes::ELEMENT_BOUNDS,
                    access.span,
                    format!("index {found} is outside `{ident}`, which is {}", shape(&extents)),
                )
                .label(declared, "declared here")
                .note(format!(
                    "the extents of `T.Parallel` and the offsets must stay within {extent} here, or a comparison of the index \
                     with constants chooses where it does: `if i > 0 {{ x[i - 1] }} else {{ 0.0 }}`"
                )),
            );
            return false;
        }
        true
    }
}

/// Whether `var` is divided in `index`.
fn is_quotient(index: &IntExpr, var: VarId) -> bool {
    let mut found = false;
    index.walk(&mut |part| {
        found |= matches!(part, IntExpr::Binary(IntOp::Div | IntOp::CeilDiv, a, _) if a.mentions(var));
    });
    found
}

/// `1 axis`, `2 axes`.
pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
