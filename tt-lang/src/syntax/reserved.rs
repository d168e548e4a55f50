//! Forms of the language that are not built yet: refused by their own name, with what serves until they are.

use super::frontend::Frontend;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::Span;
use quote::ToTokens;

/// Forms and what to write instead.
#[rustfmt::skip]
const RESERVED: [(&str, &str); 20] = [
    ("T.team", "give one block all of the axis, or let a second stage sum what the first left in a `T.alloc_global`"),
    ("T.team_sum", "leave parts in a `T.alloc_global`, and sum them in a second stage"),
    ("T.team_max", "leave parts in a `T.alloc_global`, and take their maximum in a second stage"),
    ("T.team_min", "leave parts in a `T.alloc_global`, and take their minimum in a second stage"),
    ("T.topk", "repeat `T.reduce_argmax(x, val, pos, dim = 1);` and put `f32::NEG_INFINITY` where `j == pos[i]`"),
    ("T.cumsum", "multiply by a triangle of ones: `t[(k, j)] = if k <= j { 1.0 } else { 0.0 };` and `T.gemm(x, t, y);`"),
    ("T.cummax", "repeat `y[(i, j)] = if j >= 1 { x[(i, j)].max(x[(i, j - 1)]) } else { x[(i, j)] };` with 1, 2, 4 ..: twice \
     as far each time"),
    ("T.linear_scan", "loop over the steps with `for k in 0..n`, and carry a vector from one to the next"),
    ("T.uniform", "make the numbers on the host, and pass them as a tensor"),
    ("T.random", "make the numbers on the host, and pass them as a tensor"),
    ("T.read", "read behind a mask: `if j >= 1 { x[(i, j - 1)] } else { 0.0 }`"),
    ("fill", "copy, and then mask: `x[(i, j)] = if r * 32 + i < M { x[(i, j)] } else { 0.0 };`"),
    ("Option", "write a kernel for each case, or pass a tensor that changes nothing"),
    ("assume", "`T.assert(n > 0);` checks it on the device"),
    ("sfpu_op", "write it with the element operations, in a function of the body"),
    ("index vector", "loop over the rows, `for r in 0..32 { let row = ids[r]; .. }`, with `ids` a `&Tensor` of integers, and copy one \
     after the other"),
    ("step", "copy the whole range, or let another axis be the last"),
    ("quotient", "let another axis be the last, or multiply by a block of zeros and ones that picks the columns"),
    ("row_major", "keep the tensor tiled: `Tensor::upload` takes and gives rows"),
    ("element variants", "write a kernel for each type: a Rust macro around `#[tt::kernel]` makes them from one text"),
];

impl Frontend {
    /// Refuses `node` where `form` is a reserved one, written as `shown`.
    pub(super) fn refuse_reserved(&mut self, form: &str, shown: &str, node: &(impl ToTokens + ?Sized)) -> bool {
        let span = self.span(node);
        self.refuse_reserved_at(form, &format!("`{shown}`"), span)
    }

    /// As [`refuse_reserved`](Self::refuse_reserved), at a place, with words for what stands there.
    pub(super) fn refuse_reserved_at(&mut self, form: &str, shown: &str, span: Span) -> bool {
        let reserved = RESERVED.iter().find(|(name, _)| *name == form);
        if let Some((_, instead)) = reserved {
            let message = format!("{shown} is reserved, and not built yet");
            self.report(Diagnostic::new(&codes::RESERVED, span, message).note(*instead));
        }
        reserved.is_some()
    }
}
