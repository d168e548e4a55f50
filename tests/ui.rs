//! What only rustc can show: its own errors where a kernel is called or is no Rust, the places of items inside a kernel
//! (rustc gives us their first token, and a parser of text all of it), in `tests/ui`, and, for a few of the cases in
//! `tests/ui/cases`, that it prints their pages as `tt-macros` writes them. Each file is a crate that does not compile.
//! `TRYBUILD=overwrite cargo test -p tt --test ui` rewrites the pages; review them like code.

/// Of every kind one: places in options, heads and bodies, several errors and several kernels in a file, kernels that leave
/// no module or nothing at all, warnings, and callers.
const CASES: [&str; 8] = [
    "backend_several",
    "callers_are_quiet",
    "kernel_in_impl",
    "kernel_name_taken",
    "not_a_function",
    "several_in_one",
    "several_kernels",
    "warnings",
];

#[test]
fn rustc_says_what_it_is_expected_to_say() {
    let crates = trybuild::TestCases::new();
    crates.compile_fail("tests/ui/*.rs");
    for case in CASES {
        crates.compile_fail(format!("tests/ui/cases/{case}.rs"));
    }
}
