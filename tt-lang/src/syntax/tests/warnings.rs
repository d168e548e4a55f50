//! Warnings, and where a kernel may stand: tables of sources and the codes they give.

use super::{Parsed, read};
use crate::codes;
use crate::syntax::{Placement, parse_item_fn};

/// A grid, statements, and the codes of the warnings about them.
const CASES: &[(&str, &str, &[u16])] = &[
    (
        "N.div_ceil(64), M.div_ceil(64)",
        "T.copy(a[(by * 64, bx * 64)], x); T.copy(x, c[(by * 64, bx * 64)]);",
        &[],
    ),
    // Outputs.
    ("1, 1", "", &[350, 351]),
    ("1, 1", "T.copy(c[(0, 0)], x); T.print(x);", &[350]),
    (
        "1, 1",
        "if n > 2 { for k in 0..4 { T.clear(x); T.copy(x, c[(0, 0)]); } }",
        &[],
    ),
    (
        "1, 1",
        "T.clear(x); for (i, j) in T.Parallel(64, 64) { c[(i, j)] = x[(i, j)]; }",
        &[],
    ),
    // Blocks.
    (
        "1, 1",
        "let y = T.alloc_shared::<bf16>(64, 64); T.clear(x); T.clear(y); T.copy(x, c[(0, 0)]);",
        &[351],
    ),
    (
        "1, 1",
        "T.clear(x); for (i, j) in T.Parallel(64, 64) { x[(i, j)] = x[(i, j)] + 1.0; } \
         for (i, j) in T.Parallel(64, 64) { c[(i, j)] = alpha; }",
        &[351],
    ),
    (
        "1, 1",
        "let y = T.alloc_fragment::<f32>(64, 64); let z = T.alloc_fragment::<f32>(64, 64); T.clear(x); T.clear(y); T.clear(z); \
         T.gemm(x, x, y); T.gemm(x, x, z); T.copy(z, c[(0, 0)]);",
        &[351],
    ),
    (
        "1, 1",
        "let m = T.alloc_fragment::<f32>(64); let s = T.alloc_fragment::<f32>(64); T.clear(x); T.reduce_sum(x, m, dim = 1); \
         T.reduce_max(x, s, dim = 1); for (i, j) in T.Parallel(64, 64) { c[(i, j)] = m[i]; }",
        &[351],
    ),
    // Grids.
    ("N / 64, M.div_ceil(64)", "T.clear(x); T.copy(x, c[(0, 0)]);", &[352]),
    ("N / 64, M / 32 * 2", "T.clear(x); T.copy(x, c[(0, 0)]);", &[352, 352]),
    (
        "(N + M) / 64, (N + 62) / 64",
        "T.clear(x); T.copy(x, c[(0, 0)]);",
        &[352, 352],
    ),
    (
        "(N + 63) / 64, (M - 1 + 32) / 32",
        "T.clear(x); T.copy(x, c[(0, 0)]);",
        &[],
    ),
    ("(N * 128) / 64, N / 64 + 1", "T.clear(x); T.copy(x, c[(0, 0)]);", &[]),
    ("n / 64, 130 / 64", "T.clear(x); T.copy(x, c[(0, 0)]);", &[]),
];

fn source(option: &str, grid: &str, body: &str) -> String {
    format!(
        "#[tt::kernel{option}]
fn k<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, alpha: f32, n: u32, c: &mut Tensor<bf16, M, N>) {{
    let (bx, by) = T.Kernel({grid});
    let x = T.alloc_shared::<bf16>(64, 64);
    {body}
}}"
    )
}

fn warned(parsed: &Parsed) -> Vec<u16> {
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed.warnings.iter().map(|warning| warning.code.number).collect()
}

#[test]
fn what_is_certainly_not_meant_is_a_warning() {
    for (grid, body, expected) in CASES {
        assert_eq!(warned(&read(&source("", grid, body))), *expected, "{grid}: {body}");
    }
}

#[test]
fn a_warning_stands_at_what_it_is_about_and_says_what_to_write() {
    let parsed = read(&source("", "N / 64, M / 64", ""));
    let found: Vec<String> = parsed
        .warnings
        .iter()
        .map(|warning| {
            let place = parsed.spans.locations()[warning.span.0 as usize];
            let (line, column) = (place.line, place.column + 1);
            format!(
                "{line}:{column} {}: {} ({})",
                warning.code,
                warning.message,
                warning.notes.join("; ")
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "2:82 TT0350: `c` is `&mut`, and nothing is stored to it (store a block, `T.copy(block, c[(row, col)])`, or take it as `&Tensor<..>`)",
            "3:29 TT0352: this grid leaves out the rest of `N / 64` (write `N.div_ceil(64)`: blocks may reach past the edge)",
            "3:37 TT0352: this grid leaves out the rest of `M / 64` (write `M.div_ceil(64)`: blocks may reach past the edge)",
            "4:9 TT0351: the block `x` is never used (leave it out)",
        ]
    );
}

#[test]
fn warnings_are_allowed_by_their_codes() {
    for (option, expected) in [
        ("(allow(TT0350))", &[352, 351][..]),
        ("(allow(TT0351, TT0352), approx = true)", &[350]),
        ("(allow(TT0350, TT0351, TT0352))", &[]),
    ] {
        assert_eq!(warned(&read(&source(option, "N / 64, 1", ""))), expected, "{option}");
    }
    for option in [
        "(allow)",
        "(allow = TT0350)",
        "(allow(TT0040))",
        "(allow(unused))",
        "(reference(1))",
    ] {
        let parsed = read(&source(option, "1, 1", ""));
        let found: Vec<u16> = parsed
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code.number)
            .collect();
        assert_eq!(found, [codes::OPTION_VALUE.number], "{option}");
    }
}

#[test]
fn a_kernel_may_ask_for_its_reference_alone() {
    assert!(read(&source("(reference)", "1, 1", "")).reference.is_some());
    assert!(read(&source("(reference = true)", "1, 1", "")).reference.is_some());
    assert!(read(&source("(reference = false)", "1, 1", "")).reference.is_none());
    assert!(read(&source("", "1, 1", "")).reference.is_none());
}

#[test]
fn where_a_kernel_stands_is_told_by_its_file() {
    let kernel = source("", "1, 1", "");
    let other = kernel.replace("fn k<", "fn other<");
    let function: syn::ItemFn = syn::parse_str(&kernel).expect("it is Rust");
    for (file, placement, expected) in [
        (
            format!("{kernel} struct S; impl S {{ fn k() {{}} }}"),
            Placement::Free,
            None,
        ),
        (
            format!("struct S; impl S {{ {kernel} }}"),
            Placement::Associated,
            Some(354),
        ),
        (format!("trait S {{ {kernel} }}"), Placement::Associated, Some(354)),
        (
            format!("mod m {{ impl S {{ {other} }} {kernel} }}"),
            Placement::Free,
            None,
        ),
        (
            format!("impl S {{ {kernel} }} mod m {{ {kernel} }}"),
            Placement::Free,
            None,
        ),
        (format!("{kernel} mod k {{}}"), Placement::Taken, Some(355)),
        (format!("mod k; {kernel}"), Placement::Taken, Some(355)),
        (
            format!("fn main() {{ struct k; {kernel} }}"),
            Placement::Taken,
            Some(355),
        ),
        (format!("mod m {{ mod k {{}} }} {kernel}"), Placement::Free, None),
        (format!("{kernel} #[cfg(test)] mod k {{}}"), Placement::Free, None),
        (
            format!("{kernel} mod m {{ {kernel} mod k {{}} }}"),
            Placement::Free,
            None,
        ),
        ("this is not Rust: impl mod k".to_string(), Placement::Free, None),
    ] {
        let mut parsed = parse_item_fn(&function, "k.rs").expect("a kernel");
        assert_eq!(parsed.check_placement(&file), placement, "{file}");
        let found = parsed.diagnostics.first().map(|diagnostic| diagnostic.code.number);
        assert_eq!(found, expected, "{file}");
        assert_eq!(parsed.kernel.is_none(), expected.is_some(), "{file}");
    }
}
