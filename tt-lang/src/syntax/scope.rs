//! What names mean at a point of the body, with shadowing as in Rust, and the nearest name to a misspelt one.

use super::value::Class;
use crate::ir::{BlockId, Buffer, Element, ElementKind, ExtentId, IntExpr, ParamId, Span, VarId};

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Binding {
    /// `const X: usize = ..;`, `let n = ..;`: replaced by its value wherever it appears.
    Integer(IntExpr),
    /// `const M: usize` of the signature.
    Extent(ExtentId),
    /// A tensor parameter.
    Tensor(ParamId),
    /// A scalar parameter.
    Scalar(ParamId),
    /// `T.alloc_shared`, `T.alloc_fragment`.
    Block(BlockId),
    /// A grid axis, loop variable or parallel index.
    Variable(VarId),
    /// `fn f(x: f32) -> f32 { .. }` of the body, by its number.
    Function(usize),
    /// `let x = ..;`, `const X: f32 = ..;`, a parameter of such a function: replaced by its value wherever it appears.
    Number(Element, Class),
    /// Likewise.
    Truth(Element),
    /// A name whose declaration was wrong: using it is no second error.
    Poisoned,
}

impl Binding {
    /// What it names that has elements; else what it is, for messages.
    pub(super) fn buffer(&self) -> Result<Buffer, &'static str> {
        match self {
            Binding::Block(id) => Ok(Buffer::Block(*id)),
            Binding::Tensor(id) => Ok(Buffer::Tensor(*id)),
            Binding::Integer(_)
            | Binding::Extent(_)
            | Binding::Scalar(_)
            | Binding::Variable(_)
            | Binding::Function(_)
            | Binding::Number(..)
            | Binding::Truth(_)
            | Binding::Poisoned => Err(self.describe()),
        }
    }

    /// What it is, for messages.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Binding::Integer(_) | Binding::Variable(_) => "an integer",
            Binding::Extent(_) => "an extent",
            Binding::Tensor(_) => "a tensor",
            Binding::Scalar(_) => "a scalar",
            Binding::Block(_) => "a block",
            Binding::Function(_) => "a function",
            Binding::Number(..) => "a number",
            Binding::Truth(_) => "a truth value",
            Binding::Poisoned => "unknown",
        }
    }
}

/// A name in scope.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) binding: Binding,
    /// An item: functions see it too.
    is_item: bool,
    /// What it reads that was assigned since.
    pub(super) outdated: Option<String>,
}

/// The names in scope, innermost last.
#[derive(Debug, Default)]
pub(super) struct Scope {
    names: Vec<Name>,
    /// Of the first so many only items are seen.
    hidden: usize,
}

impl Scope {
    /// Where the scope stands now, for [`Scope::leave`].
    pub(super) fn enter(&self) -> usize {
        self.names.len()
    }

    /// Forgets what was declared since `mark`.
    pub(super) fn leave(&mut self, mark: usize) {
        self.names.truncate(mark);
    }

    /// Adds a name, which hides earlier ones of the same spelling.
    pub(super) fn declare(&mut self, name: impl Into<String>, span: Span, binding: Binding) {
        self.names.push(Name {
            name: name.into(),
            span,
            binding,
            is_item: false,
            outdated: None,
        });
    }

    /// Adds the name of a constant or function.
    pub(super) fn declare_item(&mut self, name: impl Into<String>, span: Span, binding: Binding) {
        self.declare(name, span, binding);
        if let Some(last) = self.names.last_mut() {
            last.is_item = true;
        }
    }

    /// Makes the names of what reads `buffer`, called `name`, ones that are read no more.
    pub(super) fn outdate(&mut self, buffer: Buffer, name: &str) {
        for known in &mut self.names {
            let (Binding::Number(element, _) | Binding::Truth(element)) = &known.binding else {
                continue;
            };
            let mut reads = false;
            element
                .walk(&mut |part| reads |= matches!(&part.kind, ElementKind::Load(access) if access.buffer == buffer));
            if reads {
                known.outdated.get_or_insert_with(|| name.to_string());
            }
        }
    }

    /// Hides all but items of the first `names`, as a function does, and gives how many were so before.
    pub(super) fn hide(&mut self, names: usize) -> usize {
        std::mem::replace(&mut self.hidden, names)
    }

    /// The names that are seen, innermost first.
    fn seen(&self) -> impl Iterator<Item = &Name> {
        let names = self.names.iter().enumerate().rev();
        names
            .filter(|(at, name)| name.is_item || *at >= self.hidden)
            .map(|(_, name)| name)
    }

    /// What `name` stands for.
    pub(super) fn find(&self, name: &str) -> Option<&Name> {
        self.seen().find(|known| known.name == name)
    }

    /// The name in scope nearest to a misspelt one.
    pub(super) fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.seen().map(|known| known.name.as_str()))
    }
}

/// The candidate that `name` is most likely a misspelling of: at most a third of its letters differ.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete, replace or swap with their neighbour to turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_neighbour() {
        let words = ["Pipelined", "copy", "clear", "gemm"];
        assert_eq!(nearest("pipelined", words), Some("Pipelined"));
        assert_eq!(nearest("cpoy", words), Some("copy"));
        assert_eq!(nearest("gem", words), Some("gemm"));
        assert_eq!(nearest("softmax", words), None);
    }

    #[test]
    fn inner_names_hide_outer_ones_until_left() {
        let mut scope = Scope::default();
        scope.declare("n", Span(0), Binding::Integer(IntExpr::Const(1)));
        let mark = scope.enter();
        scope.declare("n", Span(1), Binding::Integer(IntExpr::Const(2)));
        assert_eq!(scope.find("n").map(|n| n.span), Some(Span(1)));
        scope.leave(mark);
        assert_eq!(scope.find("n").map(|n| n.span), Some(Span(0)));
    }
}
