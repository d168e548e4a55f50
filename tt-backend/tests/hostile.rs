//! Sources that nobody would write: the compiler neither ends nor hangs nor blames itself, whatever it is given.
//!
//! Each is compiled or refused with errors of the user's; what is emitted stays within a size that counts how much work was
//! done for it. Everything runs on the small stack of a test's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The most that three kernels, a host program and the text of every stage take.
const BYTES: usize = 40_000_000;
/// The most time for one: far above what any takes on a busy machine, far below what doubling with every line takes.
const TIME: Duration = Duration::from_secs(60);

/// Compiles `source`, which lexes: the codes it is refused with, or none.
fn outcome(source: &str) -> Vec<u16> {
    let start = Instant::now();
    let head: String = source.chars().take(3_000).collect();
    let codes =
        catch_unwind(AssertUnwindSafe(|| compile(source))).unwrap_or_else(|_| panic!("the compiler panics:\n{head}"));
    assert!(
        !codes.contains(&tt_backend::codes::UNPROVED.number),
        "the compiler blames itself:\n{head}"
    );
    assert!(start.elapsed() < TIME, "{:?}:\n{head}", start.elapsed());
    codes
}

fn compile(source: &str) -> Vec<u16> {
    let tokens: syn::__private::TokenStream2 = source.parse().expect("tokens");
    let parsed = tt_lang::syntax::parse(Default::default(), tokens, "hostile.rs");
    let Some(kernel) = parsed.kernel else {
        assert!(!parsed.diagnostics.is_empty());
        return parsed
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code.number)
            .collect();
    };
    match tt_backend::compile(&kernel) {
        Ok(artifact) => {
            let stages: usize = artifact.stages.iter().map(|stage| stage.text.len()).sum();
            let files = [
                &artifact.reader,
                &artifact.compute,
                &artifact.writer,
                &artifact.main,
                &artifact.plan,
            ];
            let bytes = files.iter().map(|file| file.len()).sum::<usize>() + stages;
            assert!(bytes < BYTES, "{bytes} bytes");
            Vec::new()
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            errors.iter().map(|error| error.code.number).collect()
        }
    }
}

fn kernel(body: &str) -> String {
    format!(
        "fn k<const M: usize, const N: usize>(
             x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>, alpha: f32, n: i32, m: u32,
         ) {{
             let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
             let v = T.alloc_shared::<bf16>(32, 32);
             let o = T.alloc_shared::<bf16>(32, 32);
             {body}
         }}"
    )
}

const LOAD: &str = "T.copy(x[(by * 32, bx * 32)], v);";
const STORE: &str = "T.copy(o, y[(by * 32, bx * 32)]);";

fn each(value: &str) -> String {
    format!("for (i, j) in T.Parallel(32, 32) {{ o[(i, j)] = {value}; }}")
}

#[test]
fn what_doubles_with_every_line_or_level_does_not_double_the_work() {
    let nested = |open: fn(usize) -> String, depth: usize| {
        let open: String = (0..depth).map(open).collect();
        kernel(&format!(
            "{open} {LOAD} {} {STORE} {}",
            each("v[(i, j)]"),
            "}".repeat(depth)
        ))
    };
    let chain = |step: fn(usize) -> String, length: usize| {
        let lines: String = (0..length)
            .map(|at| format!("let q{} = {};", at + 1, step(at)))
            .collect();
        kernel(&format!(
            "let q0 = bx; {lines} T.copy(x[(by * 32, q{length} * 32)], v); {} {STORE}",
            each("v[(i, j)]")
        ))
    };
    let wide = |value: &str, operator: &str, count: usize| {
        kernel(&format!("{LOAD} {} {STORE}", each(&vec![value; count].join(operator))))
    };
    for (source, expected) in [
        (nested(|at| format!("for k{at} in 0..2 {{"), 10), &[][..]),
        (
            nested(
                |at| format!("for k{at} in T.Pipelined(n, num_stages = {}) {{", at % 3 + 1),
                10,
            ),
            &[],
        ),
        (nested(|at| format!("for k{at} in 0..2 {{"), 40), &[341]),
        (nested(|at| format!("if bx < {at} {{"), 18), &[]),
        (nested(|at| format!("if bx < {at} {{"), 500), &[341]),
        (
            nested(|at| format!("if !(bx < {at} && !(by < 3 || alpha > 0.5)) {{"), 8),
            &[],
        ),
        (chain(|at| format!("(q{at} / 3).max(q{at} % 5)"), 6), &[441]),
        (chain(|at| format!("(q{at} / 3).max(q{at} % 5)"), 60), &[343]),
        (chain(|at| format!("q{at}.max({at})"), 60), &[441]),
        (chain(|at| format!("q{at}.div_ceil(n)"), 9), &[441]),
        (chain(|at| format!("q{at} / 3"), 50), &[]),
        (chain(|at| format!("q{at} * q{at}"), 60), &[343]),
        (chain(|at| format!("(q{at} + 1) * 3"), 60), &[]),
        (wide("v[(i, j)]", " + ", 100), &[]),
        (wide("v[(i, j)]", " + ", 3_000), &[341]),
        (wide("v[(i, j)]", " * (alpha + 1.0) - ", 30), &[]),
    ] {
        let found = outcome(&source);
        let start: String = source.chars().skip(200).take(400).collect();
        assert_eq!(found, expected, "{start}");
    }
    for count in [300, 3_000] {
        let lines = "v[(i, j)] = v[(i, j)] + 1.0;".repeat(count);
        let source = kernel(&format!(
            "{LOAD} for (i, j) in T.Parallel(32, 32) {{ {lines} }} {} {STORE}",
            each("v[(i, j)]")
        ));
        assert_eq!(outcome(&source).contains(&342), count > 2_048);
    }
}

#[test]
fn numbers_of_every_size_are_compiled_or_refused() {
    let numbers = [
        "0",
        "1",
        "-1",
        "31",
        "32",
        "33",
        "64",
        "1024",
        "4096",
        "65535",
        "65536",
        "1048576",
        "67108864",
        "67108865",
        "134217728",
        "1073741824",
        "2147483647",
        "2147483648",
        "-2147483648",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "u32::MAX",
        "i32::MIN",
    ];
    for a in numbers {
        for source in [
            kernel(&format!(
                "T.copy(x[(by * {a}, bx * 32)], v); {} {STORE}",
                each("v[(i, j)]")
            )),
            kernel(&format!(
                "T.copy(x[(by * 32 + {a}, {a} - bx * 32)], v); {} {STORE}",
                each("v[(i, j)]")
            )),
            kernel(&format!(
                "{LOAD} {} T.copy(o, y[(by * 32 * {a}, (bx + {a}) * 32)]);",
                each("v[(i, j)]")
            )),
            kernel(&format!(
                "for k in {a}..n {{ T.copy(x[(k * 32, bx * 32)], v); {} {STORE} }}",
                each("v[(i, j)]")
            )),
            kernel(&format!(
                "for k in T.Pipelined({a}, num_stages = {a}) {{ {LOAD} {} {STORE} }}",
                each("v[(i, j)]")
            )),
            kernel(&format!(
                "for k in T.unroll({a}) {{ {LOAD} {} {STORE} }}",
                each("v[(i, j)]")
            )),
            kernel(&format!(
                "let w = T.alloc_shared::<bf16>({a}, 32); T.copy(x[(0, 0)], w); T.copy(w, y[(0, 0)]);"
            )),
            kernel(&format!(
                "let w = T.alloc_fragment::<f32>(32, {a}); T.clear(w); T.copy(w, y[(0, 0)]);"
            )),
            kernel(&format!(
                "let w = T.alloc_shared::<bf16>({a}, {a}); T.copy(x[(0, 0)], w); T.copy(w, y[(0, 0)]);"
            )),
            kernel(&format!(
                "for (i, j) in T.Parallel({a}, {a}) {{ y[(i, j)] = x[(i + {a}, j)]; }}"
            )),
            kernel(&format!(
                "for (i, j) in T.Parallel(32, 32) {{ y[(by * 32 + i, j + {a})] = x[(i * {a}, j - {a})]; }}"
            )),
            kernel(&format!(
                "{LOAD} {} {STORE}",
                each(&format!("v[(i + {a}, j)] * ({a} as f32) + v[(i, j)].powi({a})"))
            )),
            kernel(&format!(
                "if bx * {a} < {a} && n / {a} > m % {a} {{ {LOAD} {} {STORE} }}",
                each("v[(i, j)]")
            )),
            format!(
                "fn k(x: &Tensor<bf16, {a}, 32>, y: &mut Tensor<bf16, {{ {a} * 2 }}, {a}>) {{
                 let bx = T.Kernel({a}); let v = T.alloc_shared::<bf16>(32, 32);
                 T.copy(x[(bx * 32, 0)], v); T.copy(v, y[(0, bx * 32)]); }}"
            ),
        ] {
            outcome(&source);
        }
        let attribute = format!("order = block_linear({a}, 2)").parse().expect("tokens");
        let parsed = tt_lang::syntax::parse(attribute, kernel(STORE).parse().expect("tokens"), "hostile.rs");
        assert!(
            parsed.kernel.is_some() != parsed.diagnostics.iter().any(|error| error.code.number == 21),
            "{a}"
        );
    }
}

/// Random kernels of pieces that are hard in some way.
#[test]
fn random_pieces_are_compiled_or_refused() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let integers = [
        "bx",
        "by",
        "n",
        "m",
        "M",
        "N",
        "0",
        "1",
        "32",
        "64",
        "-32",
        "2147483647",
        "65536",
        "k",
    ];
    let operators = ["+", "-", "*", "/", "%", ".min", ".max", ".div_ceil"];
    let functions = [
        "exp()",
        "round()",
        "powi(3)",
        "powi(16777216)",
        "max(1e38)",
        "powf(-0.5)",
        "clamp(-1.0, 1e-40)",
        "erfc()",
    ];
    let names = ["_", "k", "x_", "k_", "вход", "r#type", "cb_x", "row", "int32_t", "v_2"];
    let mut compiled = 0;
    for _ in 0..250 {
        let mut integer = |depth: usize| {
            let mut text = integers[below(integers.len())].to_string();
            for _ in 0..below(depth + 1) {
                let other = integers[below(integers.len())];
                text = match operators[below(operators.len())] {
                    method if method.starts_with('.') => format!("({text}){method}({other})"),
                    operator => format!("({text} {operator} {other})"),
                };
            }
            text
        };
        let (start, end, row, column, condition) = (integer(3), integer(3), integer(6), integer(40), integer(4));
        let name = names[below(names.len())];
        let mut value = "v[(i, j)]".to_string();
        for _ in 0..below(12) {
            value = match below(4) {
                0 => format!("({value}).{}", functions[below(functions.len())]),
                1 => format!("-({value} + alpha * 1e-3)"),
                2 => format!("if {value} > 0.5 {{ {value} }} else {{ -1e38 }}"),
                _ => format!("({value}) / (n as f32)"),
            };
        }
        let body = format!(
            "let k = n; for _ in 0..2 {{ for {name} in {start}..{end} {{ if {condition} < m {{
                 T.copy(x[(({row}) * 32, ({column}) * 32)], v); {} {STORE}
             }} }} }}",
            each(&value)
        );
        compiled += usize::from(outcome(&kernel(&body)).is_empty());
    }
    assert!(compiled > 20, "{compiled} of the kernels are within the language");
}
