//! `variants(BM = [64, 128], BK = [32, 64])`: constants that a kernel is compiled for, one kernel for each choice of them.

use super::frontend::{Frontend, name_of, plain_name, ungrouped};
use super::scope::Binding;
use super::source_text::source_text;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::ir::{ElementType, IntExpr, Span};
use proc_macro2::TokenStream;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Lit, Meta, Token};

/// Constants with the values that one kernel has for them, in the order of the option.
pub type Variant = Vec<(String, i64)>;

/// Kernels that may be compiled from one text.
const MOST: usize = 16;

/// Names of the module that a launcher stands beside.
const TAKEN: [&str; 4] = ["SOURCES", "PLAN", "IR", "KERNEL"];

/// Every choice of the constants that the options of a kernel name, the last of them changing fastest; of options that are wrong, one
/// choice of what can be read.
pub(super) fn all(options: TokenStream) -> Vec<Variant> {
    let entries = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(options);
    let mut all = vec![Variant::new()];
    let lists = entries
        .into_iter()
        .flatten()
        .filter(|entry| entry.path().is_ident("variants"));
    for constant in lists.take(1).filter_map(|entry| constants(&entry).ok()).flatten() {
        let (name, values) = (constant.name, constant.values);
        // Reported where the option is read; a launcher has one function of a name.
        let is_known = all.iter().flatten().any(|(known, _)| *known == name);
        if is_known || TAKEN.contains(&name.as_str()) {
            continue;
        }
        if values.is_empty() || all.len().saturating_mul(values.len()) > MOST {
            let first = values.first().map_or(1, |(value, _)| *value);
            all.iter_mut().for_each(|variant| variant.push((name.clone(), first)));
            continue;
        }
        let extended = all.iter().flat_map(|variant| {
            values.iter().map(|(value, _)| {
                let mut variant = variant.clone();
                variant.push((name.clone(), *value));
                variant
            })
        });
        all = extended.collect();
    }
    all
}

/// A constant of the option, with what can be read of it.
struct Constant {
    name: String,
    ident: syn::Ident,
    values: Vec<(i64, Expr)>,
    is_list: bool,
    /// What stands where values should.
    wrong: Option<Expr>,
}

/// The constants of the option, or where it is not written as one.
fn constants(entry: &Meta) -> Result<Vec<Constant>, proc_macro2::Span> {
    let Meta::List(list) = entry else {
        return Err(entry.span());
    };
    let entries = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(list.tokens.clone());
    let read = entries.map_err(|error| error.span())?.into_iter().map(|entry| {
        let place = entry.span();
        let Meta::NameValue(entry) = entry else {
            return Err(place);
        };
        let ident = entry.path.get_ident().ok_or(place)?.clone();
        // Neither `self` nor another keyword, but `r#loop`.
        syn::parse_str::<syn::Ident>(&ident.to_string()).map_err(|_| place)?;
        let mut constant = Constant {
            name: name_of(&ident),
            ident,
            values: Vec::new(),
            is_list: true,
            wrong: None,
        };
        let Expr::Array(array) = ungrouped(&entry.value) else {
            constant.is_list = false;
            constant.wrong = Some(entry.value);
            return Ok(constant);
        };
        for value in &array.elems {
            match whole(value) {
                Some(read) => constant.values.push((read, value.clone())),
                None => drop(constant.wrong.get_or_insert_with(|| value.clone())),
            }
        }
        Ok(constant)
    });
    let read: Vec<Constant> = read.collect::<Result<_, _>>()?;
    match read.is_empty() {
        true => Err(entry.span()),
        false => Ok(read),
    }
}

/// A whole number that the language has.
fn whole(value: &Expr) -> Option<i64> {
    let Expr::Lit(syn::ExprLit { lit: Lit::Int(int), .. }) = ungrouped(value) else {
        return None;
    };
    int.base10_parse::<i32>().ok().map(i64::from)
}

fn is_element_type(value: &Expr) -> bool {
    plain_name(value).is_some_and(|word| ElementType::ALL.iter().any(|(_, name)| word == name))
}

const USAGE: &str =
    "write `variants(BM = [64, 128], BK = [32, 64])`: names of constants, each with the whole numbers it may be";

impl Frontend {
    /// Reads the option, and declares its constants as the variant that is read has them.
    pub(super) fn variants_option(&mut self, entry: &Meta, span: Span) {
        let constants = match constants(entry) {
            Ok(constants) => constants,
            Err(place) => {
                let place = self.spans.between(place, place);
                let message = "`variants` takes constants with lists of their values";
                return self.report(Diagnostic::new(&codes::OPTION_VALUE, place, message).note(USAGE));
            }
        };
        let mut count: usize = 1;
        for constant in constants {
            let Constant {
                name,
                ident,
                values,
                is_list,
                wrong,
            } = constant;
            count = count.saturating_mul(values.len().max(1));
            match wrong {
                None if values.is_empty() => {
                    self.error(&codes::OPTION_VALUE, &ident, format!("`{name}` has no value"), USAGE);
                }
                Some(value) if is_element_type(&value) => {
                    self.refuse_reserved(
                        "element variants",
                        &format!("{name} = [{}, ..]", source_text(&value)),
                        &value,
                    );
                }
                Some(value) => {
                    let written = source_text(&value);
                    let message = match is_list {
                        true => format!("`{written}` is not a whole number"),
                        false => format!("`{written}` is not a list of whole numbers"),
                    };
                    self.error(&codes::OPTION_VALUE, &value, message, USAGE);
                }
                None => {}
            }
            for (at, (value, written)) in values.iter().enumerate() {
                if values.iter().take(at).any(|(earlier, _)| earlier == value) {
                    let message = format!("`{name}` has the value {value} twice");
                    self.error(&codes::OPTION_VALUE, written, message, "give each value once");
                }
            }
            if TAKEN.contains(&name.as_str()) {
                let message = format!("`{name}` is a name of the launcher");
                self.error(&codes::OPTION_VALUE, &ident, message, "give the constant another name");
            }
            if !self.first_of_its_name(&ident) {
                continue;
            }
            let place = self.span(&ident);
            let value = self.variant.iter().find(|(known, _)| *known == name);
            let value = value.map_or(1, |(_, value)| *value);
            let binding = Binding::Integer(IntExpr::Const(value));
            self.scope.declare_item(name, place, binding);
        }
        if count > MOST {
            let message = format!("{count} variants of a kernel");
            let note = format!("each is compiled, and at most {MOST} may be: leave values out");
            self.report(Diagnostic::new(&codes::OPTION_VALUE, span, message).note(note));
        }
    }

    /// Whether `name` is a constant of the option.
    pub(super) fn is_variant(&self, name: &str) -> bool {
        self.variant.iter().any(|(known, _)| known == name)
    }
}
