//! A kernel takes as much work as it is long: what a compilation allocates is counted, which no other work on the machine changes.
//!
//! What grows with the square of the statements allocates sixteen times as much for four times as many.

use allocation_counter::measure;

/// A kernel of `count` statements one after the other.
fn straight(count: usize, statement: &str) -> tt_lang::ir::Kernel {
    let source = format!(
        "fn k<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<f32, M, N>) {{
            let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
            let v = T.alloc_shared::<f32>(32, 32);
            let o = T.alloc_fragment::<f32>(32, 32);
            T.copy(x[(by * 32, bx * 32)], v);
            T.clear(o);
            {}
            T.copy(o, y[(by * 32, bx * 32)]);
        }}",
        statement.repeat(count)
    );
    let function = syn::parse_str(&source).expect("a function");
    let parsed = tt_lang::syntax::parse(Default::default(), function, "growth.rs");
    parsed.kernel.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
}

#[test]
fn a_kernel_takes_as_much_work_as_it_is_long() {
    let kinds = [
        (
            "chained",
            "for (i, j) in T.Parallel(32, 32) { o[(i, j)] = o[(i, j)] * 0.5 + v[(i, j)]; }",
        ),
        (
            "updated",
            "T.copy(y[(by * 32, bx * 32)], v); T.copy(v, y[(by * 32, bx * 32)]);",
        ),
        ("summed", "T.gemm(v, v, o); T.copy(o, v);"),
        (
            "masked",
            "for r in 0..M { for (i, j) in T.Parallel(32, 32) { o[(i, j)] += if r * 32 + j < by * 32 + i { v[(i, j)] } else { 0.0 }; } }",
        ),
    ];
    for (what, statement) in kinds {
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
