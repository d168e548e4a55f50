//! What the frontend reads, what it refuses, and that both routes into it agree.

mod forms;
mod programs;
mod refusals;
mod warnings;

use super::{Parsed, parse, parse_item_fn, render_text};
use proc_macro2::TokenStream;
use syn::spanned::Spanned;

/// Parses the only kernel of `source`, along the route of `tt-build`.
fn read(source: &str) -> Parsed {
    let file: syn::File =
        syn::parse_str(source).unwrap_or_else(|error| panic!("{error} at {:?}\n{source}", error.span().start()));
    let mut functions = file.items.iter().filter_map(|item| {
        let syn::Item::Fn(function) = item else { return None };
        parse_item_fn(function, "test.rs")
    });
    let parsed = functions.next().expect("the source has a kernel");
    assert!(functions.next().is_none(), "the source has one kernel");
    parsed
}

/// The reports of `parsed`, one text.
fn reports(parsed: &Parsed) -> String {
    let reports: Vec<String> = parsed
        .diagnostics
        .iter()
        .map(|diagnostic| render_text(diagnostic, parsed.spans.locations(), "test.rs"))
        .collect();
    reports.join("\n")
}

/// The tokens of `function` as the macro sees them: its options, and the rest of it.
fn macro_tokens(function: &syn::ItemFn) -> (TokenStream, TokenStream) {
    let mut function = function.clone();
    let kernel = function.attrs.iter().position(super::is_kernel).expect("a kernel");
    let options = match function.attrs.remove(kernel).meta {
        syn::Meta::List(list) => list.tokens,
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => TokenStream::new(),
    };
    (options, quote::ToTokens::to_token_stream(&function))
}

#[test]
fn the_route_of_the_macro_and_that_of_a_file_give_the_same_kernel() {
    let source = include_str!("kernels/attention.rs");
    let file: syn::File = syn::parse_str(source).expect("it is Rust");
    for item in &file.items {
        let syn::Item::Fn(function) = item else { continue };
        let (options, item) = macro_tokens(function);
        let by_macro = parse(options, item, "attention.rs");
        let by_file = parse_item_fn(function, "attention.rs").expect("a kernel");
        assert!(by_macro.kernel.is_some(), "{:?}", function.span().start());
        assert_eq!(by_macro.kernel, by_file.kernel);
    }
}

#[test]
fn something_that_is_no_kernel_is_left_alone() {
    let function: syn::ItemFn = syn::parse_str("fn main() {}").expect("it is Rust");
    assert!(parse_item_fn(&function, "main.rs").is_none());
}

#[test]
fn an_item_that_is_no_function_is_refused() {
    let parsed = parse(TokenStream::new(), "struct S;".parse().expect("tokens"), "test.rs");
    assert_eq!(parsed.diagnostics[0].code.number, 1);
    assert!(parsed.signature.is_none());
}

#[test]
fn indices_without_parentheses_are_named() {
    let source = "fn k(a: &Tensor<bf16, 32, 32>, c: &mut Tensor<bf16, 32, 32>) { let b = T.Kernel(1);
        for (i, j) in T.Parallel(32, 32) { c[i, j] = a[(i, j)] + a[i + 1, j]; } let z = [1, 2]; }";
    let parsed = parse(TokenStream::new(), source.parse().expect("tokens"), "test.rs");
    let found: Vec<(u16, &str)> = parsed
        .diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.code.number, diagnostic.notes[0].as_str()))
        .collect();
    assert_eq!(found, [(357, "write `c[(i , j)]`"), (357, "write `a[(i + 1 , j)]`")]);
}
