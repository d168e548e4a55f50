//! Whole kernels: how statements, blocks and cores come together.

use super::case::{Case, Domain, source};

/// Blocks of one size, ragged ones, and more than there are cores on either chip.
const MATRICES: &[&[usize]] = &[&[64, 128], &[97, 130]];
const MANY: &[&[usize]] = &[&[416, 384], &[390, 353]];
const PRODUCTS: &[&[usize]] = &[&[64, 96, 64], &[70, 100, 90]];
const WHOLE: &[&[usize]] = &[&[64, 96, 64], &[128, 64, 128]];
const LONG: &[&[usize]] = &[&[64, 640, 64], &[33, 1000, 65]];

const GRID: &str = "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));\n";
const IN_OUT: &str = "a: &Tensor<bf16, M, N>, b: &Tensor<bf16, M, N>, o: &mut Tensor<bf16, M, N>";
const OPERANDS: &str = "a: &Tensor<bf16, M, K>, b: &Tensor<bf16, K, N>, o: &mut Tensor<bf16, M, N>";

/// A kernel of a product in blocks of 32 × 32 with other statements around it.
fn product(
    attribute: &str,
    parameters: &str,
    blocks: &str,
    before: &str,
    stages: u32,
    step: &str,
    after: &str,
) -> String {
    let body = format!(
        "    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));\n    let x = T.alloc_shared::<bf16>(32, 32);\n    \
         let y = T.alloc_shared::<bf16>(32, 32);\n    let acc = T.alloc_fragment::<f32>(32, 32);\n{blocks}    T.clear(acc);\n{before}    \
         for k in T.Pipelined(K.div_ceil(32), num_stages = {stages}) {{\n        T.copy(a[(by * 32, k * 32)], x);\n        \
         T.copy(b[(k * 32, bx * 32)], y);\n{step}    }}\n{after}"
    );
    source(attribute, &["M", "K", "N"], parameters, &body)
}

/// An element-wise kernel over blocks of 32 × 64: `statements` make `z` of `x` and `y`.
fn elementwise(attribute: &str, statements: &str) -> String {
    let body = format!(
        "{GRID}    let x = T.alloc_shared::<bf16>(32, 64);\n    let y = T.alloc_shared::<bf16>(32, 64);\n    \
         let z = T.alloc_shared::<bf16>(32, 64);\n    T.copy(a[(by * 32, bx * 64)], x);\n    T.copy(b[(by * 32, bx * 64)], y);\n\
         {statements}    T.copy(z, o[(by * 32, bx * 64)]);\n"
    );
    source(attribute, &["M", "N"], IN_OUT, &body)
}

fn each(rows: u32, columns: u32, assignment: &str) -> String {
    format!("    for (i, j) in T.Parallel({rows}, {columns}) {{\n        {assignment}\n    }}\n")
}

const GEMM: &str = "        T.gemm(x, y, acc);\n";
const STORE: &str = "    T.copy(acc, o[(by * 32, bx * 32)]);\n";
const SUM: &str = "z[(i, j)] = x[(i, j)] * 0.5 + y[(i, j)];";

/// Every structure.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: &str, operation: &str, source: String, shapes: &'static [&'static [usize]], domain: Domain| {
        cases.push(Case {
            name: format!("structure-{name}"),
            operation: operation.into(),
            section: "Whole kernels",
            source,
            shapes,
            domain,
        });
    };
    let sum = each(32, 64, SUM);
    add(
        "several-blocks",
        "several blocks a core",
        elementwise("", &sum),
        MANY,
        Domain::any(),
    );
    for (name, order) in [("column-major", "column_major"), ("block-linear", "block_linear(2, 2)")] {
        let source = elementwise(&format!("order = {order}"), &sum);
        add(name, &format!("blocks in order {order}"), source, MANY, Domain::any());
    }
    let spilled = each(
        32,
        64,
        "z[(i, j)] = ((x[(i, j)] + 1.5).exp() * (y[(i, j)] - 0.5).tanh() + (x[(i, j)] - 2.0).abs() * (y[(i, j)] + 0.25).square()) * \
         ((x[(i, j)] * 0.5).tanh() * (y[(i, j)] * 2.0).abs() + (x[(i, j)] + 3.0).square() * (y[(i, j)] - 3.0).tanh());",
    );
    let wide = elementwise("fp32_acc = true", &spilled);
    add(
        "spill",
        "an expression that leaves the registers",
        wide,
        MATRICES,
        Domain::Sums,
    );
    let branch = format!(
        "    if by % 2 == 0 {{\n{}    }} else {{\n{}    }}\n",
        each(32, 64, "z[(i, j)] = x[(i, j)] + y[(i, j)];"),
        each(32, 64, "z[(i, j)] = (x[(i, j)] - y[(i, j)]).tanh();")
    );
    add(
        "branch",
        "a branch on the block",
        elementwise("", &branch),
        MATRICES,
        Domain::Sums,
    );
    let redefined = format!(
        "{}    for q in 0..3 {{\n{}{}    }}\n",
        each(32, 64, "z[(i, j)] = x[(i, j)];"),
        each(32, 64, "y[(i, j)] = z[(i, j)] * 0.5 + y[(i, j)];"),
        each(32, 64, "z[(i, j)] = y[(i, j)].max(x[(i, j)]);")
    );
    add(
        "carried-blocks",
        "two blocks carried round a loop",
        elementwise("", &redefined),
        MATRICES,
        Domain::Sums,
    );
    let made = format!(
        "    for q in 0..3 {{\n{}    }}\n",
        each(32, 64, "z[(i, j)] = x[(i, j)] + y[(i, j)];")
    );
    add(
        "made-in-loop",
        "a block made in a loop, seen after it",
        elementwise("", &made),
        MATRICES,
        Domain::any(),
    );
    let alternating: String = (1..=20)
        .map(|n| {
            let there = each(32, 64, &format!("z[(i, j)] = x[(i, j)] + {n}.0;"));
            let back = each(32, 64, "x[(i, j)] = z[(i, j)] * 0.25 + z[(i, j)] * 0.5;");
            there + &back
        })
        .collect();
    let alternating = alternating + &each(32, 64, "z[(i, j)] = x[(i, j)] + y[(i, j)];");
    add(
        "alternating",
        "more versions than circular buffers",
        elementwise("", &alternating),
        MATRICES,
        Domain::Sums,
    );
    let offsets = format!(
        "{GRID}    let x = T.alloc_shared::<bf16>(64, 128);\n    let z = T.alloc_shared::<bf16>(32, 64);\n    \
         T.copy(a[(by * 32, bx * 64)], x);\n{}    T.copy(z, o[(by * 32, bx * 64)]);\n",
        each(
            32,
            64,
            "z[(i, j)] = x[(i + 32, j + 64)] - b[(by * 32 + i, bx * 64 + j)];"
        )
    );
    add(
        "offsets",
        "reads at constant offsets, and of a tensor",
        source("", &["M", "N"], IN_OUT, &offsets),
        MATRICES,
        Domain::any(),
    );
    let in_place = format!(
        "{GRID}    let x = T.alloc_shared::<bf16>(32, 64);\n    let z = T.alloc_shared::<bf16>(32, 64);\n    \
         T.copy(a[(by * 32, bx * 64)], x);\n    T.copy(o[(by * 32, bx * 64)], z);\n{}    T.copy(z, o[(by * 32, bx * 64)]);\n",
        each(32, 64, "z[(i, j)] = z[(i, j)] * 0.5 + x[(i, j)];")
    );
    let parameters = "a: &Tensor<bf16, M, N>, o: &mut Tensor<bf16, M, N>";
    add(
        "in-place",
        "a tensor updated in place",
        source("", &["M", "N"], parameters, &in_place),
        MATRICES,
        Domain::any(),
    );
    let two = format!(
        "{GRID}    let x = T.alloc_shared::<bf16>(32, 64);\n    let z = T.alloc_shared::<bf16>(32, 64);\n    \
         let w = T.alloc_fragment::<f32>(32, 64);\n    T.copy(a[(by * 32, bx * 64)], x);\n{}{}    T.copy(z, o[(by * 32, bx * 64)]);\n    \
         T.copy(w, p[(by * 32, bx * 64)]);\n",
        each(32, 64, "z[(i, j)] = x[(i, j)].relu();"),
        each(32, 64, "w[(i, j)] = x[(i, j)] * 3.0;")
    );
    let parameters = "a: &Tensor<bf16, M, N>, o: &mut Tensor<bf16, M, N>, p: &mut Tensor<f32, M, N>";
    add(
        "two-outputs",
        "two outputs of two types",
        source("", &["M", "N"], parameters, &two),
        MATRICES,
        Domain::any(),
    );

    let looked_up = format!(
        "{GRID}    let x = T.alloc_shared::<bf16>(32, 64);\n    let acc = T.alloc_fragment::<f32>(32, 64);\n    \
         let count = counts[(by, bx)];\n    T.fill(acc, 0.25);\n    for t in T.Pipelined(count, num_stages = 2) {{\n        \
         let row = rows[by * 20 + t];\n        if row % 2 == 0 {{\n            T.copy(a[(row * 32, bx * 64)], x);\n{}        }}\n    }}\n    \
         if count > 1 {{\n        T.copy(acc, o[(by * 32, bx * 64)]);\n    }}\n",
        each(
            32,
            64,
            "acc[(i, j)] += if j < row * 25 + i { x[(i, j)] } else { row as f32 };"
        )
    );
    let parameters =
        "a: &Tensor<bf16, M, N>, rows: &Tensor<i32, M>, counts: &Tensor<u16, M, 3>, o: &mut Tensor<f32, M, N>";
    add(
        "integers",
        "offsets, counts, branches and masks by tensors",
        source("", &["M", "N"], parameters, &looked_up),
        &[&[64, 128], &[97, 130], &[416, 384]],
        Domain::Sums,
    );
    let pages = product(
        "",
        "a: &Tensor<bf16, M, K>, b: &Tensor<bf16, 4, K, N>, of: &Tensor<u32, 1, M, 40>, o: &mut Tensor<bf16, M, N>",
        "    let last = of[(0, by, 0)];\n",
        "",
        2,
        GEMM,
        STORE,
    );
    add(
        "pages",
        "a product with a matrix for each step, looked up",
        pages.replace(
            "T.copy(b[(k * 32, bx * 32)], y)",
            "T.copy(b[(of[(0, by + 17, k)] - last, k * 32, bx * 32)], y)",
        ),
        PRODUCTS,
        Domain::Sums,
    );

    let counts = product(
        "",
        "a: &Tensor<bf16, M, K>, b: &Tensor<bf16, K, N>, times: &Tensor<u32, M, 40>, o: &mut Tensor<f32, M, N>",
        "",
        "",
        2,
        "        for s in 0..times[(by, k)] {\n            T.copy(a[(by * 32, s * 32)], x);\n            T.gemm(x, y, acc);\n        }\n",
        STORE,
    );
    add(
        "counts",
        "a product as often as a tensor says, in registers",
        counts.replace("        T.copy(a[(by * 32, k * 32)], x);\n", ""),
        PRODUCTS,
        Domain::Sums,
    );

    let rows = format!(
        "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(27));\n    let x = T.alloc_shared::<bf16>(27, 64);\n    \
         let y = T.alloc_shared::<bf16>(27, 64);\n    let z = T.alloc_shared::<f32>(27, 64);\n    T.copy(a[(by * 27, bx * 64)], x);\n    \
         T.copy(b[((by * 27 - 5..by * 27 + 49).step_by(2), bx * 64..bx * 64 + 64)], y);\n{}    T.copy(z, o[(by * 27, bx * 64)]);\n",
        each(
            27,
            64,
            "z[(i, j)] = x[(i, j)] + y[(i, j)] * 0.5 + w[(by * 27 + i + 1, bx * 64 + j - 16)];"
        )
    );
    let parameters = "a: &Tensor<bf16, M, N>, b: &Tensor<bf16, M, N>, w: &Tensor<f32, M, N>, o: &mut Tensor<f32, M, N>";
    add(
        "rows",
        "rows from anywhere, every second, and stored beside others in a tile",
        source("", &["M", "N"], parameters, &rows),
        MATRICES,
        Domain::Sums,
    );
    let along = format!(
        "{GRID}    let x = T.alloc_shared::<bf16>(32, 64);\n    let z = T.alloc_shared::<bf16>(32, 64);\n    \
         T.copy(a[(by * 32..by * 32 + 32, 3, bx * 64..bx * 64 + 64)], x);\n{}    \
         T.copy(z, o[(by * 32..by * 32 + 32, 1, bx * 64..bx * 64 + 64)]);\n",
        each(32, 64, "z[(i, j)] = x[(i, j)] + 1.0;")
    );
    let parameters = "a: &Tensor<bf16, M, 5, N>, o: &mut Tensor<bf16, M, 2, N>";
    add(
        "heads",
        "rows of one matrix after the other",
        source("", &["M", "N"], parameters, &along),
        MATRICES,
        Domain::any(),
    );

    let columns = format!(
        "{GRID}    let x = T.alloc_shared::<f32>(32, 64);\n    let z = T.alloc_shared::<f32>(32, 64);\n    \
         T.copy(a[(by * 32, bx * 64)], x);\n{}{}{}    T.copy(z, o[(by * 32, bx * 64)]);\n",
        each(32, 64, "z[(i, j)] = x[(i, j)] * 0.5;"),
        each(32, 64, "z[(i, j)] += a[(by * 32 + i + 1, bx * 64 + j - 1)];"),
        each(
            32,
            64,
            "z[(i, j)] += w[(by * 32 + i, bx * 64 + j + 21)] * w[(by * 32 + i, 7)];"
        ),
    );
    // All of one format: without the mode that the simulated Wormhole lacks, what is spread comes through the other source.
    let parameters = "a: &Tensor<f32, M, N>, w: &Tensor<f32, M, N>, o: &mut Tensor<f32, M, N>";
    add(
        "columns",
        "columns from anywhere, and one column for all",
        source("", &["M", "N"], parameters, &columns),
        MATRICES,
        Domain::Sums,
    );
    // Each by itself: together they are too large for Blackhole's buffer of kernel configurations.
    let columns = format!(
        "    for k in T.serial(2) {{\n{}    }}\n{}",
        each(32, 64, "y[(i, j)] += x[(i, k * 3)] * 0.125;"),
        each(32, 64, "z[(i, j)] = y[(i, j)] + y[(17, j)];")
    );
    add(
        "lines",
        "one row or column of a block for all",
        elementwise("", &columns),
        &[&[64, 128]],
        Domain::Sums,
    );
    let rows = format!(
        "    for k in T.serial(2) {{\n        for j in T.Parallel(64) {{\n            \
         y[(k, j)] = x[(k + 16, j)] - y[(31 - k, j)];\n        }}\n    }}\n{}",
        each(32, 64, "z[(i, j)] = y[(i, j)];")
    );
    add(
        "row-stores",
        "stores of one row of a block",
        elementwise("", &rows),
        &[&[64, 128]],
        Domain::Sums,
    );
    let neighbours = each(
        32,
        64,
        "z[(i, j)] = if i > 0 && j < 45 { x[(i - 1, j + 19)] } else if i < 3 { y[(i + 29, j)] } else { x[(i, j)] };",
    );
    add(
        "neighbours",
        "elements of a block at offsets, where masks have it that they are there",
        elementwise("", &neighbours),
        MATRICES,
        Domain::Sums,
    );
    let told = format!(
        "    let v = T.alloc_fragment::<f32>(32);\n{}    T.reduce_sum(z, v, dim = 1);\n{}",
        each(
            32,
            64,
            "z[(i, j)] = if x[(i, j)] < y[(i, j)] { a[(by * 32 + i, bx * 64 + j + 9)] } else { y[(i, j)] };"
        ),
        "    T.copy(v, p[(bx, by * 32, 0)]);\n",
    );
    let told = elementwise("", &told).replace("o: &mut Tensor<bf16, M, N>", "p: &mut Tensor<f32, 4, M, 1>");
    let told = told.replace("    T.copy(z, o[(by * 32, bx * 64)]);\n", "");
    add(
        "validity",
        "a sum of what a choice by data left",
        told,
        MATRICES,
        Domain::Sums,
    );

    let moved = format!(
        "{}    T.copy(z, o[(by * 32 + 1, bx * 64 + 5)]);\n    T.copy(v, p[(by * 32, bx * 64)]);\n",
        each(
            32,
            64,
            "z[(i, j)] = if x[(i, j)] < y[(i, j)] { a[(by * 32 + i, bx * 64 + j + 9)] } else { y[(i, j)] };"
        ),
    );
    let moved = elementwise("", &moved).replace("    T.copy(z, o[(by * 32, bx * 64)]);\n", "");
    let moved = moved.replace("o: &mut", "w: &Tensor<f32, M, N>, p: &mut Tensor<f32, M, N>, o: &mut");
    let moved = moved.replace(
        "    T.copy(b[(by",
        "    let v = T.alloc_shared::<f32>(32, 64);\n    T.copy(w[(by * 32 + 5, bx * 64 + 7)], v);\n    T.copy(b[(by",
    );
    add(
        "elements",
        "single elements, stored beside those of other blocks and other tensors",
        moved,
        MATRICES,
        Domain::Sums,
    );

    let ring = format!(
        "    let ring = T.alloc_shared::<bf16>(3, 32, 64);\n    T.clear(ring);\n    T.copy(x, z);\n    for k in 0..N.div_ceil(50) {{\n        \
         T.copy(a[(by * 32, k * 64)], ring[(k % 3, 0..32, 0..64)]);\n{}{}    }}\n",
        each(32, 64, "z[(i, j)] += ring[((k + 1) % 3, i, j)] * 0.5;"),
        each(32, 32, "z[(i, j + k % 2 * 32)] += y[(i, j + bx * 32)];")
    );
    add(
        "stack",
        "blocks of a stack and parts of a block, chosen by loops and the grid",
        elementwise("", &ring),
        &[&[64, 128]],
        Domain::Sums,
    );
    let shifted = format!(
        "    let w = T.alloc_shared::<f32>(32, 64);\n    T.copy(a[(by * 32, bx * 64)], x);\n    T.copy(x, w);\n{}{}    T.copy(w, o[(by * 32, bx * 64)]);\n",
        each(20, 50, "w[(i + 3, j + 7)] = x[(i + bx % 2 * 5, j + 1)] * 2.0;"),
        each(25, 30, "w[(i + 7, j + by % 3 * 10)] += w[(i, j + 33)];")
    );
    let parameters = "a: &Tensor<bf16, M, N>, o: &mut Tensor<f32, M, N>";
    let blocks = format!("{GRID}    let x = T.alloc_shared::<bf16>(32, 64);\n{shifted}");
    add(
        "shift",
        "elements of blocks at other offsets, moved by the writer",
        source("", &["M", "N"], parameters, &blocks),
        MATRICES,
        Domain::Sums,
    );
    let half = format!(
        "{GRID}    let x = T.alloc_shared::<f16>(32, 64);\n    T.copy(a[(by * 32, bx * 64)], x);\n{}    \
         T.copy(x, o[(by * 32, bx * 64)]);\n",
        each(32, 64, "x[(i, j)] = x[(i, j)] * 0.3 + 1000.0;")
    );
    add(
        "half",
        "`f16`, rounded where it is written",
        source(
            "",
            &["M", "N"],
            "a: &Tensor<f16, M, N>, o: &mut Tensor<f16, M, N>",
            &half,
        ),
        MATRICES,
        Domain::any(),
    );
    // Results are read as numbers with 24 bits.
    let unsigned = format!(
        "{GRID}    let y = T.alloc_shared::<u32>(32, 64);\n    let z = T.alloc_shared::<u16>(32, 64);\n    \
         T.copy(b[(by * 32, bx * 64)], y);\n{}{}    T.copy(y, p[(by * 32, bx * 64)]);\n    T.copy(z, q[(by * 32, bx * 64)]);\n",
        each(
            32,
            64,
            "y[(i, j)] = if y[(i, j)] - 2 > 3000000000 { (y[(i, j)] - 2) >> 12 } else { y[(i, j)].max(3) ^ 0xff0000 };"
        ),
        each(32, 64, "z[(i, j)] = y[(i, j)] as u16;")
    );
    let parameters = "b: &Tensor<u32, M, N>, p: &mut Tensor<u32, M, N>, q: &mut Tensor<u16, M, N>";
    add(
        "unsigned",
        "`u32` and `u16`: order, shifts and bits",
        source("", &["M", "N"], parameters, &unsigned),
        MATRICES,
        Domain::any(),
    );
    let reduced = format!(
        "{GRID}    let y = T.alloc_shared::<i32>(32, 64);\n    let s = T.alloc_fragment::<i32>(32);\n    let t = T.alloc_fragment::<i32>(64);\n    \
         T.copy(b[(by * 32, bx * 64)], y);\n{}    T.reduce_sum(y, s, dim = 1);\n    T.reduce_max(y, t, dim = 0);\n{}    T.copy(y, p[(by * 32, bx * 64)]);\n",
        each(32, 64, "y[(i, j)] = y[(i, j)] * 1234567;"),
        each(32, 64, "y[(i, j)] = if j < 37 { s[i] >> 8 } else { t[j] >> 8 };")
    );
    add(
        "integer-reductions",
        "sums and maxima of `i32`, by digits",
        source(
            "",
            &["M", "N"],
            "b: &Tensor<i32, M, N>, p: &mut Tensor<i32, M, N>",
            &reduced,
        ),
        MATRICES,
        Domain::any(),
    );

    for stages in [1, 3, 4] {
        let plain = product("", OPERANDS, "", "", stages, GEMM, STORE);
        let operation = format!("`T.gemm` of many steps, num_stages = {stages}");
        add(&format!("stages-{stages}"), &operation, plain, LONG, Domain::Sums);
    }
    let partial = product(
        "",
        "a: &Tensor<bf16, M, K>, b: &Tensor<bf16, K, N>, o: &mut Tensor<f32, M, N>, p: &mut Tensor<f32, M, K>",
        "",
        "",
        2,
        "        T.gemm(x, y, acc);\n        T.copy(acc, p[(by * 32, k * 32)]);\n",
        STORE,
    );
    add(
        "partial-sums",
        "sums stored in every step",
        partial.replace("T.Kernel(N.div_ceil(32), M", "T.Kernel(1, M"),
        &[&[64, 96, 32], &[70, 100, 32]],
        Domain::Sums,
    );
    let conditional = product(
        "",
        OPERANDS,
        "",
        "",
        2,
        "        if k % 2 == 0 {\n            T.gemm(x, y, acc);\n        }\n",
        STORE,
    );
    add(
        "conditional-gemm",
        "a product in every other step",
        conditional,
        LONG,
        Domain::Sums,
    );
    let block = "    let z = T.alloc_shared::<bf16>(32, 32);\n";
    let before = product(
        "",
        OPERANDS,
        block,
        "",
        2,
        &(each(32, 32, "z[(i, j)] = x[(i, j)].relu();") + "    T.gemm(z, y, acc);\n"),
        STORE,
    );
    add("relu-gemm", "`relu`, then `T.gemm`", before, WHOLE, Domain::Sums);
    let after = each(
        32,
        32,
        "acc[(i, j)] = acc[(i, j)] * 0.5 + a[(by * 32 + i, bx * 32 + j)];",
    ) + STORE;
    let residual = product("", OPERANDS, "", "", 2, GEMM, &after);
    add(
        "gemm-residual",
        "`T.gemm`, then a sum with a tensor",
        residual,
        &[&[64, 64, 64], &[70, 70, 70]],
        Domain::Sums,
    );
    let dependent = product(
        "",
        "a: &Tensor<bf16, M, K>, b: &Tensor<bf16, K, N>, c: &Tensor<bf16, N, N>, o: &mut Tensor<bf16, M, N>",
        "    let z = T.alloc_shared::<bf16>(32, 32);\n    let w = T.alloc_shared::<bf16>(32, 32);\n    let last = T.alloc_fragment::<f32>(32, 32);\n",
        "",
        2,
        GEMM,
        &("    T.copy(c[(bx * 32, bx * 32)], w);\n".to_string()
            + &each(32, 32, "z[(i, j)] = acc[(i, j)].tanh();")
            + "    T.clear(last);\n    T.gemm(z, w, last);\n    T.copy(last, o[(by * 32, bx * 32)]);\n"),
    );
    add(
        "dependent-gemms",
        "a product of a product",
        dependent,
        WHOLE,
        Domain::Sums,
    );
    let large = "    let (bx, by) = T.Kernel(N.div_ceil(128), M.div_ceil(128));\n    let x = T.alloc_shared::<bf16>(128, 32);\n    \
                 let y = T.alloc_shared::<bf16>(32, 128);\n    let acc = T.alloc_fragment::<f32>(128, 128);\n    T.fill(acc, 0.5);\n    \
                 for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {\n        T.copy(a[(by * 128, k * 32)], x);\n        \
                 T.copy(b[(k * 32, bx * 128)], y);\n        T.gemm(x, y, acc);\n    }\n    T.copy(acc, o[(by * 128, bx * 128)]);\n";
    add(
        "large-block",
        "sums of more tiles than registers, from 0.5",
        source("", &["M", "K", "N"], OPERANDS, large),
        PRODUCTS,
        Domain::Sums,
    );
    cases
}
