//! `#[layout(..)]` at a tensor parameter.

use super::frontend::{Frontend, plain_name};
use super::options::whole;
use super::scope::nearest;
use super::source_text::source_text;
use crate::codes;
use crate::ir::{IntExpr, Layout, Residence, Sharding, Span, Spanned};
use syn::punctuated::Punctuated;
use syn::{Expr, Lit, Token};

const WORDS: [&str; 7] = [
    "dram",
    "l1",
    "interleaved",
    "height_sharded",
    "width_sharded",
    "block_sharded",
    "nd_sharded",
];

impl Frontend {
    /// The layout of a tensor without an attribute, whose name is at `place`.
    pub(super) fn default_layout(place: Span) -> Layout {
        Layout {
            residence: Residence::Dram,
            sharding: Sharding::Interleaved,
            span: place,
        }
    }

    /// Reads `#[layout(..)]` of a tensor with these extents.
    pub(super) fn layout(&mut self, attribute: &syn::Attribute, extents: &[Spanned<IntExpr>]) -> Layout {
        let mut layout = Self::default_layout(self.span(attribute));
        let entries = attribute.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        let is_list =
            matches!(&attribute.meta, syn::Meta::List(list) if matches!(list.delimiter, syn::MacroDelimiter::Paren(_)));
        let entries = match entries {
            Ok(entries) if is_list && !entries.is_empty() => entries,
            Ok(_) | Err(_) => {
                let note = "write `#[layout(l1, height_sharded(8))]`";
                self.error(&codes::LAYOUT, attribute, "the layout cannot be read", note);
                return layout;
            }
        };
        let (mut memory, mut cut) = (false, false);
        for entry in &entries {
            #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
            let (head, args): (&Expr, Vec<&Expr>) = match entry {
                Expr::Call(call) => (&call.func, call.args.iter().collect()),
                other => (other, Vec::new()),
            };
            let word = plain_name(head).map(ToString::to_string).unwrap_or_default();
            let twice = match word.as_str() {
                "dram" | "l1" => std::mem::replace(&mut memory, true),
                _ => std::mem::replace(&mut cut, true),
            };
            if twice && WORDS.contains(&word.as_str()) {
                let note = "one memory and one cut: `#[layout(l1, height_sharded(8))]`";
                self.error(
                    &codes::LAYOUT,
                    head,
                    format!("`{word}` contradicts what stands before it"),
                    note,
                );
                continue;
            }
            match (word.as_str(), entry) {
                ("dram", Expr::Path(_)) => layout.residence = Residence::Dram,
                ("l1", Expr::Path(_)) => layout.residence = Residence::L1,
                ("interleaved", Expr::Path(_)) => layout.sharding = Sharding::Interleaved,
                ("height_sharded", _) => {
                    if let Some([g]) = self.counts(head, &args) {
                        layout.sharding = Sharding::Height(g);
                    }
                }
                ("width_sharded", _) => {
                    if let Some([g]) = self.counts(head, &args) {
                        layout.sharding = Sharding::Width(g);
                    }
                }
                ("block_sharded", _) => {
                    if let Some([gy, gx]) = self.counts(head, &args) {
                        layout.sharding = Sharding::Block(gy, gx);
                    }
                }
                ("nd_sharded", _) => {
                    if let Some(sharding) = self.nd_sharding(head, &args, extents) {
                        layout.sharding = sharding;
                    }
                }
                ("halo", _) => {
                    let note = "read the overlap with `T.copy` from an interleaved tensor";
                    self.error(&codes::HALO, head, "halo unsupported", note);
                }
                ("row_major", Expr::Path(_)) if self.refuse_reserved(&word, "#[layout(row_major)]", entry) => {}
                _ => {
                    let note = match nearest(&word, WORDS) {
                        Some(near) if near != word => format!("did you mean `{near}`?"),
                        _ => format!("the words are {}", WORDS.join(", ")),
                    };
                    let shown = source_text(entry);
                    self.error(&codes::LAYOUT, entry, format!("`{shown}` is not a layout"), note);
                }
            }
        }
        layout
    }

    /// The `N` counts of a cut.
    fn counts<const N: usize>(&mut self, head: &Expr, args: &[&Expr]) -> Option<[u64; N]> {
        let counts: Option<Vec<u64>> = args.iter().map(|arg| whole(arg)).collect();
        if let Some(counts) = counts.and_then(|counts| <[u64; N]>::try_from(counts).ok()) {
            return Some(counts);
        }
        let wrong = args.iter().find(|arg| whole(arg).is_none());
        let at = wrong.filter(|_| args.len() == N).map_or(head, |wrong| *wrong);
        let word = source_text(head);
        let (wanted, usage) = match N {
            1 => ("one whole number", format!("{word}(8)")),
            _ => ("two whole numbers", format!("{word}(8, 8)")),
        };
        self.error(
            &codes::LAYOUT,
            at,
            format!("`{word}` takes {wanted} of at least 1"),
            format!("write `{usage}`"),
        );
        None
    }

    /// `nd_sharded(axes = "B H M N", grid = [..], shard = [..])`
    fn nd_sharding(&mut self, head: &Expr, args: &[&Expr], extents: &[Spanned<IntExpr>]) -> Option<Sharding> {
        let rank = extents.len();
        let (mut axes, mut grid, mut shard) = (None, None, None);
        for arg in args {
            let Expr::Assign(option) = arg else {
                let note = "write `nd_sharded(axes = \"M N\", grid = [8, 8], shard = [64, 64])`";
                self.error(
                    &codes::LAYOUT,
                    *arg,
                    "`nd_sharded` takes `axes`, `grid` and `shard`",
                    note,
                );
                return None;
            };
            let key = source_text(&option.left);
            let is_second = match key.as_str() {
                "axes" => axes.is_some(),
                "grid" => grid.is_some(),
                "shard" => shard.is_some(),
                _ => false,
            };
            if is_second {
                let note = "write each of them once";
                let message = format!("a second `{key}` of `nd_sharded`");
                self.error(&codes::LAYOUT, &*option.left, message, note);
                return None;
            }
            match (key.as_str(), &*option.right) {
                (
                    "axes",
                    Expr::Lit(syn::ExprLit {
                        lit: Lit::Str(text), ..
                    }),
                ) => {
                    let words = text
                        .value()
                        .split_whitespace()
                        .map(str::to_string)
                        .collect::<Vec<String>>();
                    axes = Some((text, words));
                }
                ("grid", Expr::Array(list)) => grid = Some(self.numbers(&key, list)?),
                ("shard", Expr::Array(list)) => shard = Some(self.numbers(&key, list)?),
                _ => {
                    let note = "`axes` is a text, `grid` and `shard` are lists of whole numbers of at least 1";
                    self.error(
                        &codes::LAYOUT,
                        *arg,
                        format!("`{key}` of `nd_sharded` cannot be read"),
                        note,
                    );
                    return None;
                }
            }
        }
        let (Some((text, axes)), Some(grid), Some(shard)) = (axes, grid, shard) else {
            let note = "write `nd_sharded(axes = \"M N\", grid = [8, 8], shard = [64, 64])`";
            self.error(
                &codes::LAYOUT,
                head,
                "`nd_sharded` takes `axes`, `grid` and `shard`",
                note,
            );
            return None;
        };
        let distinct = axes.iter().enumerate().all(|(n, axis)| !axes[..n].contains(axis));
        if axes.len() != rank || grid.len() != rank || shard.len() != rank || !distinct {
            let note = "name each axis once, and give one number per axis in `grid` and `shard`";
            self.error(
                &codes::LAYOUT,
                head,
                format!("the tensor has {rank} axes, and so has its layout"),
                note,
            );
            return None;
        }
        // An axis that has a name is called so.
        let own = extents.iter().map(|extent| match &extent.value {
            IntExpr::Extent(id) => self.extents.get(id.index()).map(|extent| extent.name.clone()),
            IntExpr::Const(_) | IntExpr::Binary(..) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) => {
                None
            }
        });
        let own: Vec<Option<String>> = own.collect();
        let is_named = |name: &String| self.extents.iter().any(|extent| extent.name == *name);
        let wrong = axes.iter().zip(&own).position(|(axis, own)| match own {
            Some(own) => own != axis,
            None => is_named(axis),
        });
        if let Some(at) = wrong {
            let wanted = match own.get(at).cloned().flatten() {
                Some(own) => format!("`{own}`"),
                None => "of an extent without a name, so that it is none of the kernel's".to_string(),
            };
            let message = format!(
                "axis {at} of the tensor is {wanted}, not `{}`",
                axes.get(at).map_or("", String::as_str)
            );
            let note = "`axes` are the tensor's in their order; `grid` and `shard` have their numbers in the same";
            self.error(&codes::LAYOUT, text, message, note);
            return None;
        }
        Some(Sharding::Nd { axes, grid, shard })
    }

    /// A list of whole numbers of at least 1.
    fn numbers(&mut self, key: &str, list: &syn::ExprArray) -> Option<Vec<u64>> {
        let wrong = list.elems.iter().find(|number| whole(number).is_none());
        if let Some(wrong) = wrong {
            let message = format!("`{}` is no whole number of at least 1", source_text(wrong));
            let note = format!("`{key}` has one for every axis: `{key} = [8, 64]`");
            self.error(&codes::LAYOUT, wrong, message, note);
            return None;
        }
        list.elems.iter().map(whole).collect()
    }
}
