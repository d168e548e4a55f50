//! The words of `T`, one row each, and the reading of their arguments.

use super::frontend::{Frontend, name_of, ungrouped};
use super::scope::nearest;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{ArgOp, ELEMENT_OPS, ReduceOp};

/// An operation of `T` that is not an element operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Kernel,
    AllocShared,
    AllocFragment,
    AllocGlobal,
    Copy,
    Clear,
    Fill,
    Gemm,
    Reduce(ReduceOp),
    ReduceArg(ArgOp),
    Transpose,
    Print,
    Assert,
    Parallel,
    Pipelined,
    Serial,
    Unroll,
    Select,
}

/// Where a word belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// `let (bx, by) = T.Kernel(..);`
    Grid,
    /// `let x = T.alloc_shared::<bf16>(..);`
    Allocation,
    /// `let x = T.alloc_global::<f32>(..);`
    Temporary,
    /// A statement of its own.
    Statement,
    /// `for k in ..`
    Loop,
    /// Gives a value.
    Value,
}

/// A row of the vocabulary.
pub(super) struct WordRow {
    pub(super) name: &'static str,
    pub(super) word: Word,
    pub(super) role: Role,
    /// Fewest and most arguments, options apart.
    pub(super) arity: (usize, usize),
    pub(super) options: &'static [&'static str],
    /// How it is written, for notes.
    pub(super) usage: &'static str,
}

macro_rules! words {
    ($($name:literal $word:expr, $role:ident $min:literal..=$max:literal [$($option:literal)*] $usage:literal;)*) => {
        /// Every operation of `T` that is not an element operation.
        pub(super) const WORDS: &[WordRow] = &[$(WordRow {
            name: $name, word: $word, role: Role::$role, arity: ($min, $max), options: &[$($option),*], usage: $usage,
        }),*];
    };
}

words! {
    "Kernel" Word::Kernel, Grid 1..=6 [] "let (bx, by) = T.Kernel(gx, gy);";
    "kernel" Word::Kernel, Grid 1..=6 [] "let (bx, by) = T.kernel(gx, gy);";
    "alloc_shared" Word::AllocShared, Allocation 1..=3 [] "let x = T.alloc_shared::<bf16>(h, w);";
    "alloc_fragment" Word::AllocFragment, Allocation 1..=3 [] "let x = T.alloc_fragment::<f32>(h, w);";
    "alloc_global" Word::AllocGlobal, Temporary 1..=6 [] "let x = T.alloc_global::<f32>(m, n);";
    "copy" Word::Copy, Statement 2..=2 [] "T.copy(src, dst);";
    "clear" Word::Clear, Statement 1..=1 [] "T.clear(x);";
    "fill" Word::Fill, Statement 2..=2 [] "T.fill(x, value);";
    "gemm" Word::Gemm, Statement 3..=3 ["transpose_a" "transpose_b" "clear_accum"] "T.gemm(a, b, acc);";
    "reduce_sum" Word::Reduce(ReduceOp::Sum), Statement 2..=2 ["dim" "clear"] "T.reduce_sum(x, out, dim = 1);";
    "reduce_max" Word::Reduce(ReduceOp::Max), Statement 2..=2 ["dim" "clear"] "T.reduce_max(x, out, dim = 1);";
    "reduce_min" Word::Reduce(ReduceOp::Min), Statement 2..=2 ["dim" "clear"] "T.reduce_min(x, out, dim = 1);";
    "reduce_absmax" Word::Reduce(ReduceOp::AbsMax), Statement 2..=2 ["dim" "clear"] "T.reduce_absmax(x, out, dim = 1);";
    "reduce_mean" Word::Reduce(ReduceOp::Mean), Statement 2..=2 ["dim" "clear"] "T.reduce_mean(x, out, dim = 1);";
    "reduce_prod" Word::Reduce(ReduceOp::Prod), Statement 2..=2 ["dim" "clear"] "T.reduce_prod(x, out, dim = 1);";
    "reduce_argmax" Word::ReduceArg(ArgOp::Max), Statement 3..=3 ["dim" "base" "clear"] "T.reduce_argmax(x, val, pos, dim = 1);";
    "reduce_argmin" Word::ReduceArg(ArgOp::Min), Statement 3..=3 ["dim" "base" "clear"] "T.reduce_argmin(x, val, pos, dim = 1);";
    "transpose" Word::Transpose, Statement 2..=2 [] "T.transpose(x, y);";
    "print" Word::Print, Statement 1..=64 [] "T.print(\"text\", n);";
    "assert" Word::Assert, Statement 1..=1 [] "T.assert(n > 0);";
    "Parallel" Word::Parallel, Loop 1..=3 [] "for (i, j) in T.Parallel(h, w) { .. }";
    "parallel" Word::Parallel, Loop 1..=3 [] "for (i, j) in T.parallel(h, w) { .. }";
    "Pipelined" Word::Pipelined, Loop 1..=1 ["num_stages"] "for k in T.Pipelined(n, num_stages = 2) { .. }";
    "pipelined" Word::Pipelined, Loop 1..=1 ["num_stages"] "for k in T.pipelined(n, num_stages = 2) { .. }";
    "serial" Word::Serial, Loop 1..=1 [] "for k in T.serial(n) { .. }";
    "unroll" Word::Unroll, Loop 1..=1 [] "for k in T.unroll(n) { .. }";
    "select" Word::Select, Value 3..=3 [] "T.select(condition, x, y)";
}

/// How every word of `T` is written that is no operation on elements, in one of its spellings, and the options that it takes.
pub fn usages() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let mut seen = Vec::new();
    let first_spelling = WORDS.iter().filter(move |row| {
        let is_first = !seen.contains(&row.word);
        seen.push(row.word);
        is_first
    });
    first_spelling.map(|row| (row.usage, row.options))
}

/// What users of TileLang or of Rust may write, and what it is called here.
pub const ELSEWHERE: &[(&str, &str)] = &[
    ("alloc_local", "write `T.alloc_fragment::<f32>(h, w)`"),
    ("alloc_L1", "write `T.alloc_shared::<bf16>(h, w)`"),
    (
        "alloc_var",
        "integers are named by `let n = ..;`, numbers are kept in a fragment",
    ),
    ("Persistent", "blocks are spread over the cores by `T.Kernel` alone"),
    ("vectorized", "write `T.Parallel(..)`: vectors are the compiler's work"),
    ("Vectorized", "write `T.Parallel(..)`: vectors are the compiler's work"),
    ("grid", "write `T.Kernel(gx, gy)`"),
    ("if_then_else", "write `T.select(c, x, y)` or `if c { x } else { y }`"),
    ("ceildiv", "write `a.div_ceil(b)`"),
    ("cast", "write `x as f32`"),
    ("infinity", "write `f32::INFINITY`"),
    ("float32", "write `x as f32`"),
    ("use_swizzle", "write `#[tt::kernel(order = block_linear(h, w))]`"),
    ("annotate_layout", "write `#[layout(..)]` at the parameter"),
    ("sync_threads", "synchronisation is the compiler's work: leave it out"),
    ("barrier", "synchronisation is the compiler's work: leave it out"),
    ("zero", "write `T.clear(x)`"),
    ("zeros", "write `T.clear(x)`"),
    ("matmul", "write `T.gemm(a, b, acc);`: it adds a · b to acc"),
    ("mma", "write `T.gemm(a, b, acc);`: it adds a · b to acc"),
    ("dot", "write `T.gemm(a, b, acc);`: it adds a · b to acc"),
    ("linear", "write `T.gemm(a, b, acc, transpose_b = true);`"),
    ("load", "write `T.copy(a[(row, col)], block);`"),
    ("store", "write `T.copy(block, a[(row, col)]);`"),
    ("set", "write `T.fill(x, value);`"),
    ("full", "write `T.fill(x, value);`"),
    (
        "alloc",
        "write `T.alloc_shared::<bf16>(h, w)` or `T.alloc_fragment::<f32>(h, w)`",
    ),
    ("where", "write `T.select(c, x, y)` or `if c { x } else { y }`"),
    ("range", "write `for k in T.serial(n)` or `for k in 0..n`"),
    ("for_range", "write `for k in T.serial(n)` or `for k in 0..n`"),
    ("mean", "write `T.reduce_mean(x, out, dim = 1);` as a statement"),
    ("permute", "write `T.transpose(x, y);`"),
    ("printf", "write `T.print(\"text\", n);`"),
    ("device_assert", "write `T.assert(n > 0);`"),
    ("static_assert", "write `T.assert(n > 0);`"),
    ("device_print", "write `T.print(\"text\", n);`"),
    ("round_ties_even", "it is called `round`, and goes to even at halves"),
    ("inv", "it is called `recip`"),
    ("logistic", "it is called `sigmoid`"),
    ("ln", "the natural logarithm is `log`"),
    ("exp_m1", "it is called `expm1`"),
    ("ln_1p", "it is called `log1p`"),
    ("signum", "it is called `sign`"),
    ("pow2", "write `x.square()`"),
    ("reciprocal", "it is called `recip`"),
    ("sqr", "it is called `square`"),
    ("swish", "it is called `silu`"),
    ("mul_add", "write `x * a + b`"),
    ("reduce_any", "write `T.reduce_max(x, out, dim = 1);` of zeros and ones"),
    ("reduce_all", "write `T.reduce_min(x, out, dim = 1);` of zeros and ones"),
    (
        "reduce",
        "name what is made of the elements: `T.reduce_sum(x, out, dim = 1);`",
    ),
    (
        "sort",
        "sorting is not in the language: `T.reduce_argmax(x, val, pos, dim = 1);` finds one after the other",
    ),
    (
        "reshape",
        "blocks keep their shape: write to one of another with `T.Parallel`",
    ),
    (
        "all_reduce",
        "leave parts in a `T.alloc_global`, and sum them in a second stage",
    ),
    ("sum", "write `T.reduce_sum(x, out, dim = 1);` as a statement"),
    ("prod", "write `T.reduce_prod(x, out, dim = 1);` as a statement"),
    (
        "argmax",
        "write `T.reduce_argmax(x, val, pos, dim = 1);` as a statement",
    ),
    (
        "argmin",
        "write `T.reduce_argmin(x, val, pos, dim = 1);` as a statement",
    ),
];

/// The row of `T.name`.
pub(super) fn word(name: &str) -> Option<&'static WordRow> {
    WORDS.iter().find(|row| row.name == name)
}

/// What to write instead of a name that `T` or a number does not have.
pub(super) fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if let Some((_, hint)) = ELSEWHERE.iter().find(|(other, _)| *other == name) {
        return Some((*hint).to_string());
    }
    nearest(name, candidates).map(|near| format!("did you mean `{near}`?"))
}

/// The names of the element operations that are not written as operators.
pub(super) fn element_names() -> impl Iterator<Item = &'static str> {
    let operator = |name: &str| matches!(name, "add" | "sub" | "mul" | "div");
    ELEMENT_OPS
        .iter()
        .map(|row| row.name)
        .filter(move |name| !operator(name))
}

/// The arguments of a call: positions first, then `name = value`.
pub(super) struct Arguments<'a> {
    pub(super) positional: Vec<&'a syn::Expr>,
    options: Vec<(&'a syn::Ident, &'a syn::Expr)>,
}

impl<'a> Arguments<'a> {
    /// The value of the option `name`.
    pub(super) fn option(&self, name: &str) -> Option<&'a syn::Expr> {
        self.options
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
    }
}

impl Frontend {
    /// Reports that a word does not belong where it stands: a value as a statement, or a statement as a value, for `why`.
    pub(super) fn word_out_of_place(&mut self, method: &syn::Ident, row: &WordRow, why: &str) {
        let why = match row.role {
            Role::Loop => "belongs behind `for .. in`",
            Role::Grid | Role::Allocation | Role::Temporary => "belongs behind `let`",
            Role::Value | Role::Statement => why,
        };
        let (message, note) = (format!("`T.{}` {why}", row.name), format!("write `{}`", row.usage));
        self.error(&codes::OUT_OF_PLACE, method, message, note);
    }

    /// Reports that `T` has no `method`.
    pub(super) fn unknown_word(&mut self, method: &syn::Ident) {
        let name = name_of(method);
        if name.starts_with("atomic") {
            self.error(
                &codes::ATOMIC,
                method,
                "atomics are not in the language",
                "let one block of the grid own each result and loop over what it sums",
            );
            return;
        }
        let shown = format!("T.{name}");
        if self.refuse_reserved(&shown, &shown, method) {
            return;
        }
        let words = WORDS.iter().map(|row| row.name).chain(element_names());
        let note = suggestion(&name, words).unwrap_or_else(|| {
            let names: Vec<&str> = WORDS
                .iter()
                .map(|row| row.name)
                .filter(|name| !matches!(*name, "kernel" | "parallel" | "pipelined"))
                .collect();
            format!("`T` has {} and the element operations", names.join(", "))
        });
        self.error(&codes::UNKNOWN_WORD, method, format!("`T` has no `{name}`"), note);
    }

    /// Splits the arguments of `call`, a use of `row`, into positions and options, and checks both.
    pub(super) fn arguments<'a>(&mut self, call: &'a syn::ExprMethodCall, row: &WordRow) -> Option<Arguments<'a>> {
        let mut arguments = Arguments {
            positional: Vec::new(),
            options: Vec::new(),
        };
        let mut wrong = false;
        for argument in &call.args {
            let syn::Expr::Assign(option) = argument else {
                if !arguments.options.is_empty() {
                    let note = format!("options come last: `{}`", row.usage);
                    self.error(&codes::ARGUMENTS, argument, "an argument after an option", note);
                    wrong = true;
                }
                arguments.positional.push(argument);
                continue;
            };
            let Some(key) = super::frontend::plain_name(&option.left) else {
                self.error(
                    &codes::ASSIGNMENT_AS_VALUE,
                    &option.left,
                    "an assignment as an argument",
                    format!("options are written `name = value`: `{}`", row.usage),
                );
                wrong = true;
                continue;
            };
            if row.word == Word::Copy && key == "fill" && self.refuse_reserved("fill", "T.copy(.., fill = ..)", key) {
                wrong = true;
            } else if !row.options.iter().any(|known| key == known) {
                let note = match nearest(&key.to_string(), row.options.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if row.options.is_empty() => format!("`T.{}` takes no options", row.name),
                    None => format!("`T.{}` takes {}", row.name, row.options.join(", ")),
                };
                let message = format!("`T.{}` has no option `{key}`", row.name);
                self.error(&codes::UNKNOWN_OPTION, key, message, note);
                wrong = true;
            } else if let Some((first, _)) = arguments.options.iter().find(|(known, _)| *known == key) {
                let (first, again) = (self.span(*first), self.span(key));
                self.report(
                    Diagnostic::new(&codes::DUPLICATE_OPTION, again, format!("option `{key}` given twice"))
                        .label(first, "first given here")
                        .note("give it once"),
                );
                wrong = true;
            }
            arguments.options.push((key, &option.right));
        }
        let (least, most) = row.arity;
        let found = arguments.positional.len();
        if found < least || found > most {
            let wanted = match (least, most) {
                (1, 1) => "one argument".to_string(),
                (least, most) if least == most => format!("{least} arguments"),
                (least, most) => format!("{least} to {most} arguments"),
            };
            let code = match row.role {
                Role::Grid => &codes::GRID_AXES,
                Role::Allocation => &codes::BLOCK_AXES,
                Role::Temporary => &codes::TENSOR_RANK,
                Role::Statement | Role::Loop | Role::Value => &codes::ARGUMENTS,
            };
            self.error(
                code,
                &call.method,
                format!("`T.{}` takes {wanted}, found {found}", row.name),
                format!("write `{}`", row.usage),
            );
            wrong = true;
        }
        if call.turbofish.is_some() && !matches!(row.role, Role::Allocation | Role::Temporary) {
            let note = format!("write `{}`", row.usage);
            self.error(
                &codes::ARGUMENTS,
                &call.turbofish,
                format!("`T.{}` takes no type", row.name),
                note,
            );
            wrong = true;
        }
        (!wrong).then_some(arguments)
    }

    /// The value of an option that is `true` or `false`.
    pub(super) fn flag(&mut self, name: &str, value: Option<&syn::Expr>, default: bool) -> Option<bool> {
        let Some(value) = value else { return Some(default) };
        if let syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Bool(flag),
            ..
        }) = ungrouped(value)
        {
            return Some(flag.value);
        }
        self.error(
            &codes::OPTION_VALUE,
            value,
            format!("`{name}` is `true` or `false`"),
            format!("write `{name} = true` or `{name} = false`"),
        );
        None
    }
}

/// Whether `expr` is the name `T`.
pub(super) fn is_vocabulary(expr: &syn::Expr) -> bool {
    super::frontend::plain_name(expr).is_some_and(|name| name == "T")
}
