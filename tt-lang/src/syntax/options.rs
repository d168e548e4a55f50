//! The options of `#[tt::kernel(..)]`.

use super::frontend::{Frontend, plain_name, ungrouped};
use super::scope::nearest;
use super::source_text::source_text;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{Fidelity, Options, Order, Span, Spanned, WherePaying};
use proc_macro2::TokenStream;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Lit, Meta, Token};

const KEYS: [&str; 9] = [
    "fidelity",
    "fp32_acc",
    "approx",
    "order",
    "multicast",
    "split",
    "variants",
    "reference",
    "allow",
];
const FIDELITIES: [(&str, Fidelity); 4] = [
    ("LoFi", Fidelity::LoFi),
    ("HiFi2", Fidelity::HiFi2),
    ("HiFi3", Fidelity::HiFi3),
    ("HiFi4", Fidelity::HiFi4),
];
const WHERE_PAYING: [(&str, WherePaying); 2] = [("auto", WherePaying::Auto), ("off", WherePaying::Off)];
const ORDERS: [(&str, Order); 6] = [
    ("auto", Order::Auto),
    ("row_major", Order::RowMajor),
    ("column_major", Order::ColumnMajor),
    ("z_order", Order::ZOrder),
    ("hilbert", Order::Hilbert),
    ("match_shard", Order::MatchShard),
];

impl Frontend {
    /// Reads the tokens between the parentheses of `#[tt::kernel(..)]`; `place` is where defaults stand.
    pub(super) fn options(&mut self, tokens: TokenStream, place: Span) -> Options {
        let mut options = Options {
            fidelity: None,
            fp32_acc: None,
            approx: false,
            order: Spanned {
                value: Order::Auto,
                span: place,
            },
            multicast: WherePaying::Auto,
            split: WherePaying::Auto,
        };
        let entries = match Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens) {
            Ok(entries) => entries,
            Err(error) => {
                let span = self.spans.between(error.span(), error.span());
                self.report(
                    Diagnostic::new(&codes::UNKNOWN_OPTION, span, "the options cannot be read")
                        .note("options are written `name = value`, with commas: `fidelity = HiFi2, approx = true`"),
                );
                return options;
            }
        };
        let mut seen: Vec<(String, Span)> = Vec::new();
        for entry in &entries {
            let key = source_text(entry.path());
            let span = self.span(entry.path());
            if !KEYS.contains(&key.as_str()) {
                let note = match nearest(&key, KEYS) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the options are {}", KEYS.join(", ")),
                };
                self.report(
                    Diagnostic::new(&codes::UNKNOWN_OPTION, span, format!("unknown option `{key}`")).note(note),
                );
                continue;
            }
            if let Some((_, first)) = seen.iter().find(|(known, _)| *known == key) {
                self.report(
                    Diagnostic::new(&codes::DUPLICATE_OPTION, span, format!("option `{key}` given twice"))
                        .label(*first, "first given here")
                        .note("give it once"),
                );
                continue;
            }
            seen.push((key.clone(), span));
            match key.as_str() {
                "variants" => {
                    self.variants_option(entry, span);
                    continue;
                }
                "reference" => {
                    self.reference_option(entry, span);
                    continue;
                }
                "allow" => {
                    self.allow_option(entry, span);
                    continue;
                }
                _ => {}
            }
            let Meta::NameValue(entry) = entry else {
                let note = format!("write `{key} = ..`");
                self.report(Diagnostic::new(&codes::OPTION_VALUE, span, format!("`{key}` has no value")).note(note));
                continue;
            };
            let value = &entry.value;
            match key.as_str() {
                "fidelity" => {
                    if let Some(fidelity) = self.choice(&key, value, &FIDELITIES) {
                        options.fidelity = Some(fidelity);
                    }
                }
                "fp32_acc" => options.fp32_acc = self.flag(&key, Some(value), false),
                "approx" => options.approx = self.flag(&key, Some(value), false).unwrap_or(false),
                "multicast" | "split" => {
                    if let Some(choice) = self.choice(&key, value, &WHERE_PAYING) {
                        let of_key = if key == "split" {
                            &mut options.split
                        } else {
                            &mut options.multicast
                        };
                        *of_key = choice;
                    }
                }
                _ => {
                    if let Some(order) = self.order(value) {
                        let span = self.span(value);
                        options.order = Spanned { value: order, span };
                    }
                }
            }
        }
        options
    }

    /// `reference`, or `reference = true`.
    fn reference_option(&mut self, entry: &Meta, span: Span) {
        let asked = match entry {
            Meta::Path(_) => Some(true),
            Meta::NameValue(entry) => self.flag("reference", Some(&entry.value), false),
            Meta::List(_) => {
                let message = "`reference` takes no arguments";
                self.report(Diagnostic::new(&codes::OPTION_VALUE, span, message).note("write `reference` alone"));
                None
            }
        };
        if asked == Some(true) {
            self.reference = Some(span);
        }
    }

    /// `allow(TT0350, TT0351)`: warnings that are not wanted.
    fn allow_option(&mut self, entry: &Meta, span: Span) {
        let usage = "write `allow(TT0350)`, with the codes of the warnings";
        let Meta::List(list) = entry else {
            return self.report(Diagnostic::new(&codes::OPTION_VALUE, span, "`allow` takes codes").note(usage));
        };
        let words = Punctuated::<syn::Ident, Token![,]>::parse_terminated.parse2(list.tokens.clone());
        let Ok(words) = words else {
            return self.report(Diagnostic::new(&codes::OPTION_VALUE, span, "`allow` takes codes").note(usage));
        };
        for word in &words {
            match codes::WARNINGS.iter().find(|code| word == &code.to_string()) {
                Some(code) => self.allowed.push(code),
                None => {
                    let known: Vec<String> = codes::WARNINGS.iter().map(|code| code.to_string()).collect();
                    let message = format!("`{word}` is not the code of a warning");
                    let note = format!("the warnings are {}; errors cannot be allowed", known.join(", "));
                    self.error(&codes::OPTION_VALUE, word, message, note);
                }
            }
        }
    }

    /// The word of `choices` that `value` is.
    fn choice<C: Copy>(&mut self, key: &str, value: &Expr, choices: &[(&'static str, C)]) -> Option<C> {
        let word = plain_name(value).map(ToString::to_string);
        if let Some((_, choice)) = choices.iter().find(|(name, _)| word.as_deref() == Some(name)) {
            return Some(*choice);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let message = format!("`{}` is not a value of `{key}`", source_text(value));
        self.error(
            &codes::OPTION_VALUE,
            value,
            message,
            format!("one of {}", names.join(", ")),
        );
        None
    }

    fn order(&mut self, value: &Expr) -> Option<Order> {
        if let Expr::Call(call) = value
            && plain_name(&call.func).is_some_and(|name| name == "block_linear")
        {
            let size = |value: &Expr| whole(value).filter(|size| *size <= u64::from(u16::MAX));
            let sizes: Option<Vec<u64>> = call.args.iter().map(size).collect();
            if let Some([h, w]) = sizes.as_deref() {
                return Some(Order::BlockLinear(*h, *w));
            }
            let note = "write `order = block_linear(2, 4)`";
            self.error(
                &codes::OPTION_VALUE,
                value,
                "`block_linear` takes two whole numbers from 1 to 65535",
                note,
            );
            return None;
        }
        let word = plain_name(value).map(ToString::to_string);
        if let Some((_, order)) = ORDERS.iter().find(|(name, _)| word.as_deref() == Some(name)) {
            return Some(*order);
        }
        let names: Vec<&str> = ORDERS.iter().map(|(name, _)| *name).collect();
        let message = format!("`{}` is not a value of `order`", source_text(value));
        self.error(
            &codes::OPTION_VALUE,
            value,
            message,
            format!("one of {}, block_linear(h, w)", names.join(", ")),
        );
        None
    }
}

/// A literal of at least 1.
pub(super) fn whole(value: &Expr) -> Option<u64> {
    let Expr::Lit(syn::ExprLit { lit: Lit::Int(int), .. }) = ungrouped(value) else {
        return None;
    };
    int.base10_parse().ok().filter(|value| *value > 0)
}
