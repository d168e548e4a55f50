//! Every diagnostic as a user sees it: each file in `tests/ui` is a crate that does not compile, with what rustc says in
//! the `.stderr` beside it. `TRYBUILD=overwrite cargo test -p tt --test ui` rewrites those; review them like code.

#[test]
fn mistakes_are_reported_where_they_stand() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
