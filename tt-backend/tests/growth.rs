//! A kernel takes as much work as it is long: what a compilation allocates is counted, which no other work on the machine changes.
//!
//! What grows with the square of the statements allocates sixteen times as much for four times as many.

use allocation_counter::measure;

/// A kernel of `count` statements one after the other, each by its number.
fn straight(count: usize, statement: impl Fn(usize) -> String) -> tt_lang::ir::Kernel {
    let statements: String = (0..count).map(statement).collect();
    let source = format!(
        "fn k<const M: usize, const N: usize>(
            x: &Tensor<bf16, M, N>, ids: &Tensor<i32, M, N>, y: &mut Tensor<f32, M, N>, s: i32,
        ) {{
            let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
            let v = T.alloc_shared::<f32>(32, 32);
            let o = T.alloc_fragment::<f32>(32, 32);
            T.copy(x[(by * 32, bx * 32)], v);
            T.clear(o);
            {statements}
            T.copy(o, y[(by * 32, bx * 32)]);
        }}"
    );
    let function = syn::parse_str(&source).expect("a function");
    let parsed = tt_lang::syntax::parse(Default::default(), function, "growth.rs");
    parsed.kernel.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
}

/// What a kind of statement is called, and the one of a number.
type Kind = (&'static str, fn(usize) -> String);

const KINDS: [Kind; 9] = [
    ("chained", |_| {
        "for (i, j) in T.Parallel(32, 32) { o[(i, j)] = o[(i, j)] * 0.5 + v[(i, j)]; }".into()
    }),
    ("updated", |_| {
        "T.copy(y[(by * 32, bx * 32)], v); T.copy(v, y[(by * 32, bx * 32)]);".into()
    }),
    ("summed", |_| "T.gemm(v, v, o); T.copy(o, v);".into()),
    ("masked", |_| {
        "for r in 0..M {
            for (i, j) in T.Parallel(32, 32) {
                o[(i, j)] += if r * 32 + j < by * 32 + i { v[(i, j)] } else { 0.0 };
            }
        }"
        .into()
    }),
    // Every statement has blocks, loops, branches, edges or buffers of its own.
    ("parts", |number| {
        format!(
            "let w{number} = T.alloc_fragment::<f32>(32, 32);
            for p in 0..2 {{ for (i, j) in T.Parallel(16, 32) {{ w{number}[(p * 16 + i, j)] = 1.0; }} }}
            for (i, j) in T.Parallel(32, 32) {{ o[(i, j)] = o[(i, j)] + w{number}[(i, j)]; }}"
        )
    }),
    ("loops", |number| {
        format!(
            "for k{number} in 0..N.div_ceil(32) {{
                T.copy(x[(by * 32, k{number} * 32)], v);
                for (i, j) in T.Parallel(32, 32) {{ o[(i, j)] = o[(i, j)] + v[(i, j)]; }}
            }}"
        )
    }),
    ("branches", |number| {
        format!("if s > {number} {{ for (i, j) in T.Parallel(32, 32) {{ o[(i, j)] = o[(i, j)] + v[(i, j)]; }} }}")
    }),
    ("fetches", |number| {
        format!(
            "let q{number} = ids[(by, {number})];
            T.copy(x[(q{number} * 32, 0)], v);
            for (i, j) in T.Parallel(32, 32) {{ o[(i, j)] = o[(i, j)] + v[(i, j)]; }}"
        )
    }),
    ("shifts", |number| {
        let by = 1 + number % 16;
        format!("for (i, j) in T.Parallel(16, 16) {{ o[(i + {by}, j)] = v[(i, j + {by})]; }}")
    }),
];

#[test]
fn a_kernel_takes_as_much_work_as_it_is_long() {
    for (what, statement) in KINDS {
        let [few, many] = [125, 500].map(|count| {
            let kernel = straight(count, statement);
            measure(|| drop(tt_backend::compile(&kernel).expect("it is compiled"))).bytes_total
        });
        println!("{what}: {few} bytes, {many} for four times as many statements");
        assert!(
            many < few * 5,
            "{what}: {few} bytes, and {many} for four times as many statements"
        );
    }
}
