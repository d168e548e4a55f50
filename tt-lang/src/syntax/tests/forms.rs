//! Forms that the programs do not use: each statement, and the line of Tile IR it gives.

use super::refusals::kernel;
use super::{read, reports};
use crate::ir::{Kernel, Named, Op, ReduceOp, Stmt};
use crate::tree::Kind;

/// The lines of Tile IR that `body` gives inside the kernel of the refusals.
fn lines(body: &str) -> Vec<String> {
    let parsed = read(&kernel(body));
    let Some(kernel) = &parsed.kernel else {
        panic!("{body}\n{}", reports(&parsed));
    };
    let last = kernel
        .blocks
        .iter()
        .position(|block| block.name == "q")
        .expect("the last block");
    let mut lines = Vec::new();
    for block in &kernel.blocks[last + 1..] {
        let shape: Vec<String> = block.shape.iter().map(u64::to_string).collect();
        let scope = format!("{:?}", block.scope).to_lowercase();
        lines.push(format!(
            "{scope} {}: {}[{}]",
            block.name,
            block.element.name(),
            shape.join(", ")
        ));
    }
    statements(kernel, &kernel.body, &mut lines);
    lines
}

fn statements(kernel: &Kernel, body: &[Stmt], lines: &mut Vec<String>) {
    for stmt in body {
        let head = Named(kernel, stmt);
        let mut bodies = stmt.bodies();
        let Some(first) = bodies.next() else {
            lines.push(head.to_string());
            continue;
        };
        lines.push(format!("{head} {{"));
        statements(kernel, first, lines);
        for otherwise in bodies.filter(|body| !body.is_empty()) {
            lines.push("} else {".to_string());
            statements(kernel, otherwise, lines);
        }
        lines.push("}".to_string());
    }
}

#[test]
fn each_form_gives_its_line() {
    let cases: &[(&str, &[&str])] = &[
        (
            "T.copy(a[(by * 64..(by + 1) * 64, bx * 64..bx * 64 + 64)], x);",
            &["T.copy(a[(by * 64; 64, bx * 64; 64)], x)"],
        ),
        (
            "T.copy(a[(by * 64, bx * 64..(bx + 1) * 64)], x);",
            &["T.copy(a[(by * 64; 64, bx * 64; 64)], x)"],
        ),
        ("T.copy(v[bx * 64], m);", &["T.copy(v[(bx * 64; 64)], m)"]),
        ("T.copy(a[(by * 64, 0)], m);", &["T.copy(a[(by * 64; 1, 0; 64)], m)"]),
        (
            "T.copy(a[(0..1, bx * 64..bx * 64 + 64)], m);",
            &["T.copy(a[(0; 1, bx * 64; 64)], m)"],
        ),
        (
            "const H: usize = 64 / 2; let r = by * H; T.copy(a[(r + r, 0)], x);",
            &["T.copy(a[(by * 32 + by * 32; 64, 0; 64)], x)"],
        ),
        (
            "T.fill(x, alpha * 2.0 + (M as f32));",
            &["T.fill(x, ((alpha * 2.0) + (M as f32)))"],
        ),
        ("T.fill(q, 7);", &["T.fill(q, (7 as f32))"]),
        (
            ";; T.fill(x, if n > 2 { ; 1.5 } else { 2.5 });; for (i, j) in T.Parallel(64, 64) { ; x[(i, j)] = 1.0; ; };",
            &[
                "T.fill(x, if (n > 2) { 1.5 } else { 2.5 })",
                "for (i, j) in T.Parallel(64, 64) { x[(i, j)] = 1.0; }",
            ],
        ),
        ("T.clear(q);", &["T.fill(q, (0 as f32))"]),
        ("T.fill(x, -1.5);", &["T.fill(x, -1.5)"]),
        ("T.fill(x, std::f32::consts::PI);", &["T.fill(x, 3.1415927)"]),
        (
            "T.gemm(x, y, acc, transpose_a = true, clear_accum = true);",
            &["T.gemm(x, y, acc, transpose_a = true, clear_accum = true)"],
        ),
        (
            "for k in T.unroll(4) { T.clear(x); }",
            &["for k in T.unroll(0..4) {", "T.fill(x, 0.0)", "}"],
        ),
        (
            "for k in T.pipelined(n) { T.clear(x); }",
            &["for k in T.Pipelined(0..n, num_stages = 2) {", "T.fill(x, 0.0)", "}"],
        ),
        (
            "for k in by..=M { T.clear(x); }",
            &["for k in by..M + 1 {", "T.fill(x, 0.0)", "}"],
        ),
        (
            "for _ in 0..2 { T.clear(x); }",
            &["for _ in 0..2 {", "T.fill(x, 0.0)", "}"],
        ),
        (
            "for k in T.serial(M.div_ceil(64).min(n)) {}",
            &["for k in 0..(M.div_ceil(64)).min(n) {", "}"],
        ),
        (
            "if by > 0 && !(bx == n) { T.clear(x); } else if 0.5 < alpha { T.clear(y); } else { T.clear(m); }",
            &[
                "if (by > 0 && !(bx == n)) {",
                "T.fill(x, 0.0)",
                "} else {",
                "if alpha > 0.5 {",
                "T.fill(y, 0.0)",
                "} else {",
                "T.fill(m, 0.0)",
                "}",
                "}",
            ],
        ),
        (
            "{ let x = T.alloc_shared::<f32>(32, 32); T.clear(x); } T.clear(x);",
            &["shared x: f32[32, 32]", "T.fill(x, 0.0)", "T.fill(x, 0.0)"],
        ),
        ("T.transpose(x, y);", &["T.transpose(x, y)"]),
        (
            "T.reduce_absmax(x, m, dim = 1, clear = false);",
            &["T.reduce_absmax(x, m, dim = 1, clear = false)"],
        ),
        (
            "let o = T.alloc_fragment::<f32>(1); T.reduce_mean(x, o, dim = (0, 1));",
            &["fragment o: f32[1]", "T.reduce_mean(x, o, dim = (0, 1), clear = true)"],
        ),
        (
            "T.print(\"k is\", by + 1); T.print(x);",
            &["T.print(\"k is\", by + 1)", "T.print(x)"],
        ),
        // Element expressions.
        (
            "for (i, j) in T.parallel(64, 64) { y[(i, j)] = T.max(x[(j, i)], 0.0).powi(2) + m[i] - m[j]; }",
            &[
                "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = ((x[(j, i)].max(0.0).powi((2 as f32)) + m[i]) - m[j]); }",
            ],
        ),
        (
            "for (i, j) in T.Parallel(64, 32) { y[(i, j)] = x[(i, j + 32)] as f32; }",
            &["for (i, j) in T.Parallel(64, 32) { y[(i, j)] = (x[(i, j + 32)] as f32); }"],
        ),
        (
            "for (i, j) in T.Parallel(64, 64) { let r = by * 64 + i; y[(i, j)] = T.select(r < M && j != 3, x[(i, j)], f32::MAX); }",
            &[
                "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = if ((by * 64 + i < M) && (j != 3)) { x[(i, j)] } else { 3.4028235e38 }; }",
            ],
        ),
        (
            "for (i, j) in T.Parallel(64, 64) { q[(i, j)] = q[(i, j)] * 2 + if i < j { 1 } else { 0 }; }",
            &[
                "for (i, j) in T.Parallel(64, 64) { q[(i, j)] = ((q[(i, j)] * (2 as f32)) + if (i < j) { (1 as f32) } else { (0 as f32) }); }",
            ],
        ),
        (
            "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = -x[(i, j)] + (i as f32) * (1.0 / 8.0); }",
            &["for (i, j) in T.Parallel(64, 64) { y[(i, j)] = ((-x[(i, j)]) + ((i as f32) * 0.125)); }"],
        ),
        (
            "for i in T.Parallel(64) { m[i] /= v[bx * 64 + i] + 1e-5; }",
            &["for (i) in T.Parallel(64) { m[i] = (m[i] / (v[bx * 64 + i] + 1e-5)); }"],
        ),
        (
            "for (i, j) in T.Parallel(64, 64) { c[(by * 64 + i, bx * 64 + j)] = if x[(i, j)] > 0.0 { 1.0 } else if x[(i, j)] < 0.0 { -1.0 } else { 0.0 }; }",
            &[
                "for (i, j) in T.Parallel(64, 64) { c[(by * 64 + i, bx * 64 + j)] = if (x[(i, j)] > 0.0) { 1.0 } else { if (x[(i, j)] < 0.0) { -1.0 } else { 0.0 } }; }",
            ],
        ),
        // Products written as loops: either order of factors, transposed operands, tensors, rows and columns swapped.
        (
            "for (i, j, k) in T.Parallel(64, 64, 64) { acc[(i, j)] += y[(k, j)] * x[(i, k)]; }",
            &["T.gemm(x, y, acc)"],
        ),
        (
            "for (i, j, k) in T.Parallel(64, 64, 64) { acc[(i, j)] += x[(k, i)] * y[(j, k)]; }",
            &["T.gemm(x, y, acc, transpose_a = true, transpose_b = true)"],
        ),
        (
            "for (k, j, i) in T.Parallel(64, 64, 64) { acc[(i, j)] = x[(i, k)] * y[(k, j)] + acc[(i, j)]; }",
            &["T.gemm(x, y, acc)"],
        ),
        (
            "for (i, j, k) in T.Parallel(64, 64, 64) { acc[(j, i)] += x[(i, k)] * y[(k, j)]; }",
            &["T.gemm(y, x, acc, transpose_a = true, transpose_b = true)"],
        ),
        (
            "for (i, j, k) in T.Parallel(64, 64, 32) { acc[(i, j)] += (a[(by * 64 + i, k)] as f32) * a[(bx * 64 + j, 32 + k)]; }",
            &["T.gemm(a[(by * 64; 64, 0; 32)], a[(bx * 64; 64, 32; 32)], acc, transpose_b = true)"],
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(&lines(body), expected, "{body}");
    }
}

#[test]
fn options_and_layouts_reach_the_kernel() {
    let source =
        "#[tt::kernel(fidelity = HiFi2, fp32_acc = false, approx = true, order = block_linear(2, 4), multicast = off, split = off)]
        fn k<const B: usize, const M: usize>(
            #[layout(l1, block_sharded(4, 8))] a: &Tensor<bf16, B, M, { M * 2 + 1 }>,
            #[layout(nd_sharded(axes = \"B M\", grid = [2, 4], shard = [1, 32]))] b: &Tensor<i32, B, M>,
            n: i32,
        ) { let g = T.kernel(n as usize); }";
    let parsed = read(source);
    let kernel = parsed.kernel.as_ref().unwrap_or_else(|| panic!("{}", reports(&parsed)));
    let text = format!("{:?} {:?} {:?}", kernel.options, kernel.params, kernel.grid);
    let places = |text: &str| {
        let mut shown = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("Span(") {
            shown += &rest[..at];
            rest = rest[at..].split_once(')').map_or("", |(_, rest)| rest);
        }
        shown + rest
    };
    let text = places(&text).replace(", span: }", "}").replace(" span: ,", "");
    for part in [
        "fidelity: Some(HiFi2), fp32_acc: Some(false), approx: true",
        "value: BlockLinear(2, 4)",
        "multicast: Off",
        "split: Off",
        "residence: L1, sharding: Block(4, 8)",
        "Nd { axes: [\"B\", \"M\"], grid: [2, 4], shard: [1, 32] }",
        "Binary(Add, Binary(Mul, Extent(ExtentId(1)), Const(2)), Const(1))",
        "value: Scalar(ParamId(2))",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_kernel_survives_being_stored() {
    let parsed = read(&kernel(
        "T.fill(x, f32::NEG_INFINITY); if alpha > 0.1 { T.fill(y, 0.1); }",
    ));
    let kernel = parsed.kernel.expect("no errors");
    let bytes = kernel.stored().expect("it can be written");
    let back = crate::ir::Kernel::of_stored(&bytes).expect("it can be read");
    assert_eq!(kernel, back);
}

#[test]
fn what_a_statement_reads_twice_of_a_tensor_is_one_integer() {
    let parsed = read(
        "#[tt::kernel] fn k(t: &Tensor<i32, 8>, a: &Tensor<f32, 64, 32>, c: &mut Tensor<f32, 32, 32>) {
            let b = T.Kernel(1);
            let x = T.alloc_shared::<f32>(64, 32);
            let y = T.alloc_shared::<f32>(32, 32);
            T.copy(a[(0, 0)], x);
            T.copy(x[(t[t[b]] * 32..t[t[b]] * 32 + 32, 0..32)], y);
            T.copy(y, c[(0, 0)]);
        }",
    );
    let kernel = parsed.kernel.as_ref().unwrap_or_else(|| panic!("{}", reports(&parsed)));
    let fetches = kernel
        .body
        .iter()
        .filter(|stmt| matches!(stmt.kind, Kind::Op(Op::Fetch { .. })));
    assert_eq!(fetches.count(), 2);
}

#[test]
fn every_reduction_has_its_word() {
    for op in ReduceOp::ALL {
        let name = op.name();
        let parsed = read(&format!(
            "#[tt::kernel] fn reduced<const M: usize>(x: &Tensor<f32, M, 32>, y: &mut Tensor<f32, M>) {{
                let by = T.Kernel(M.div_ceil(32));
                let v = T.alloc_shared::<f32>(32, 32);
                let out = T.alloc_fragment::<f32>(32);
                T.copy(x[(by * 32, 0)], v);
                T.reduce_{name}(v, out, dim = 1);
                T.copy(out, y[by * 32]);
            }}"
        ));
        let kernel = parsed.kernel.unwrap_or_else(|| panic!("T.reduce_{name} is no word"));
        let has = |stmt: &Stmt| matches!(&stmt.kind, Kind::Op(Op::Reduce { op: found, .. }) if found == op);
        assert!(kernel.body.iter().any(has), "T.reduce_{name} is another reduction");
    }
}
