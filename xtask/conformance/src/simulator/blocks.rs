//! Kernels that move, turn and fold blocks.

use super::case::{Case, Domain, MATRICES, source};

const BATCHES: &[&[usize]] = &[&[2, 64, 96], &[3, 33, 70]];

/// A kernel from a tensor of `from` to one of `to` through a body; `from` and `to` also name the types in it.
fn case(name: String, operation: String, section: &'static str, source: String, domain: Domain) -> Case {
    Case {
        name,
        operation,
        section,
        source,
        shapes: MATRICES,
        domain,
    }
}

/// Copies, casts, fills, transposes, batches and reductions.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (from, to) in [("bf16", "bf16"), ("f32", "f32"), ("bf16", "f32"), ("f32", "bf16")] {
        let parameters = format!("a: &Tensor<{from}, M, N>, o: &mut Tensor<{to}, M, N>");
        let copy = format!(
            "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));\n    let x = T.alloc_shared::<{from}>(32, 64);\n    \
             T.copy(a[(by * 32, bx * 64)], x);\n"
        );
        let (name, body) = if from == to {
            ("copy", format!("{copy}    T.copy(x, o[(by * 32, bx * 64)]);\n"))
        } else {
            let cast = "    for (i, j) in T.Parallel(32, 64) {\n        y[(i, j)] = x[(i, j)];\n    }\n";
            let block = format!("    let y = T.alloc_shared::<{to}>(32, 64);\n");
            (
                "cast",
                format!("{copy}{block}{cast}    T.copy(y, o[(by * 32, bx * 64)]);\n"),
            )
        };
        cases.push(case(
            format!("{name}-{from}-{to}"),
            name.into(),
            "Blocks",
            source("", &["M", "N"], &parameters, &body),
            Domain::any(),
        ));
    }
    for element in ["bf16", "f32"] {
        let output = format!("o: &mut Tensor<{element}, M, N>");
        let fill = format!(
            "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));\n    let x = T.alloc_shared::<{element}>(32, 64);\n    \
             T.fill(x, s);\n    T.copy(x, o[(by * 32, bx * 64)]);\n"
        );
        cases.push(case(
            format!("fill-{element}"),
            "`T.fill`".into(),
            "Blocks",
            source("", &["M", "N"], &format!("s: f32, {output}"), &fill),
            Domain::any(),
        ));
        let transpose = format!(
            "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));\n    let x = T.alloc_shared::<{element}>(32, 64);\n    \
             let y = T.alloc_shared::<{element}>(64, 32);\n    T.copy(a[(by * 32, bx * 64)], x);\n    T.transpose(x, y);\n    \
             T.copy(y, o[(bx * 64, by * 32)]);\n"
        );
        let parameters = format!("a: &Tensor<{element}, M, N>, o: &mut Tensor<{element}, N, M>");
        cases.push(case(
            format!("transpose-{element}"),
            "`T.transpose`".into(),
            "Blocks",
            source("", &["M", "N"], &parameters, &transpose),
            Domain::any(),
        ));
        let batched = format!(
            "    let (bx, by, bz) = T.Kernel(N.div_ceil(64), M.div_ceil(32), B);\n    let x = T.alloc_shared::<{element}>(32, 64);\n    \
             let last = T.alloc_shared::<{element}>(32, 64);\n    T.clear(last);\n    for k in T.serial(3) {{\n        \
             T.copy(a[(bz, by * 32, bx * 64)], x);\n        for (i, j) in T.Parallel(32, 64) {{\n            \
             last[(i, j)] = last[(i, j)] * 0.5 + x[(i, j)];\n        }}\n    }}\n    T.copy(last, o[(bz, by * 32, bx * 64)]);\n"
        );
        let parameters = format!("a: &Tensor<{element}, B, M, N>, o: &mut Tensor<{element}, B, M, N>");
        cases.push(Case {
            name: format!("batch-{element}"),
            operation: "a loop over a batch of matrices".into(),
            section: "Blocks",
            source: source("", &["B", "M", "N"], &parameters, &batched),
            shapes: BATCHES,
            domain: Domain::Sums,
        });
        for operation in ["sum", "max", "min", "absmax", "mean", "prod"] {
            for (dim, extents, shape, at) in [("0", "1, N", "64", "(0, bx * 64)"), ("1", "M, 1", "32", "(by * 32, 0)")]
            {
                let body = format!(
                    "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));\n    let x = T.alloc_shared::<{element}>(32, 64);\n    \
                     let y = T.alloc_fragment::<f32>({shape});\n    T.copy(a[(by * 32, bx * 64)], x);\n    \
                     T.reduce_{operation}(x, y, dim = {dim});\n    T.copy(y, o[{at}]);\n"
                );
                let parameters = format!("a: &Tensor<{element}, M, N>, o: &mut Tensor<{element}, {extents}>");
                cases.push(Case {
                    name: format!("reduce-{operation}-{dim}-{element}"),
                    operation: format!("`T.reduce_{operation}`, dim = {dim}"),
                    section: "Reductions",
                    source: source("", &["M", "N"], &parameters, &body),
                    shapes: &[&[32, 64], &[17, 40]],
                    domain: Domain::Sums,
                });
            }
        }
    }
    cases.extend(integers());
    cases.extend(block_floats());
    cases.extend(positions());
    cases
}

/// Elements that share exponents: copied and computed with. What the packer makes of them is recorded elsewhere, bit by bit
/// (`tt-emulator/tests/formats`).
fn block_floats() -> impl Iterator<Item = Case> {
    ["bfp8", "bfp4"].into_iter().flat_map(|element| {
        let of = move |name: &str, operation: &str, body: String| {
            let parameters = format!("a: &Tensor<{element}, M, N>, o: &mut Tensor<bf16, M, N>");
            let head = format!(
                "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));\n    let x = T.alloc_shared::<{element}>(32, 64);\n    \
                 T.copy(a[(by * 32, bx * 64)], x);\n"
            );
            case(
                format!("{element}-{name}"),
                operation.into(),
                "Shared exponents",
                source("", &["M", "N"], &parameters, &(head + &body)),
                Domain::any(),
            )
        };
        let store = "    T.copy(y, o[(by * 32, bx * 64)]);\n";
        [
            of("copy", "copy", "    T.copy(x, o[(by * 32, bx * 64)]);\n".into()),
            of(
                "computed",
                "`+`, `*`",
                format!(
                    "    let y = T.alloc_shared::<bf16>(32, 64);\n    for (i, j) in T.Parallel(32, 64) {{\n        \
                     y[(i, j)] = x[(i, j)] * x[(i, 0)] + x[(i, j)];\n    }}\n{store}"
                ),
            ),
        ]
    })
}

/// Blocks of integers: copied, filled and computed with, beside numbers.
fn integers() -> impl Iterator<Item = Case> {
    const EACH: &str = "    for (i, j) in T.Parallel(32, 64) {\n";
    let of = |name: &str, operation: &str, blocks: &str, statements: String| {
        let body = format!(
            "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));\n    let x = T.alloc_shared::<i32>(32, 64);\n{blocks}    \
             T.copy(a[(by * 32, bx * 64)], x);\n{statements}"
        );
        let parameters = "a: &Tensor<i32, M, N>, o: &mut Tensor<i32, M, N>";
        case(
            format!("integers-{name}"),
            operation.into(),
            "Integers",
            source("", &["M", "N"], parameters, &body),
            Domain::any(),
        )
    };
    let store = "    T.copy(y, o[(by * 32, bx * 64)]);\n";
    let y = "    let y = T.alloc_shared::<i32>(32, 64);\n";
    let computed = |value: &str| format!("{EACH}        y[(i, j)] = {value};\n    }}\n{store}");
    let row = "    let y = T.alloc_shared::<i32>(32, 64);\n    let v = T.alloc_shared::<i32>(32);\n    T.fill(v, 70000);\n    \
               for i in T.Parallel(32) { v[i] = v[i] * 3 - 5; }\n";
    [
        of("copy", "copy", "", "    T.copy(x, o[(by * 32, bx * 64)]);\n".into()),
        of(
            "sums",
            "`+`, `-`, `*`",
            y,
            computed("x[(i, j)] * x[(i, j)] * 7 + 16777217 - x[(i, j)]"),
        ),
        of(
            "extremes",
            "`min`, `max`, `-x`",
            y,
            computed("(-x[(i, j)]).min(70000).max(x[(i, j)] - 3)"),
        ),
        of(
            "chosen",
            "comparisons",
            y,
            computed("if x[(i, j)] < 100 && x[(i, j)] != 7 { 16777219 - x[(i, j)] } else { x[(i, j)] }"),
        ),
        of(
            "indices",
            "indices",
            y,
            computed("x[(i, j)] + (by * 32 + i) * 1000 + bx * 64 + j"),
        ),
        of(
            "casts",
            "`as f32`, `as i32`",
            y,
            computed("(x[(i, j)] as f32 * 0.37) as i32 + (x[(i, j)] as f32 * 1e6) as i32"),
        ),
        of(
            "bits",
            "`& | ^ !`",
            y,
            computed("(x[(i, j)] & 0x0F0F0F0F) ^ !(x[(i, j)] | (i * 77)) ^ (x[(i, j)] * 40503 | 5)"),
        ),
        of(
            "shifts",
            "`<<`, `>>`, `abs`",
            y,
            computed("(x[(i, j)] << (i - 1)) - (x[(i, j)] * 2654435 >> (j - 3)) + (x[(i, j)] * 70001).abs()"),
        ),
        of(
            "quotients",
            "`/`",
            y,
            computed("x[(i, j)] * 2654435 / (x[(i, j)] * i | 1) + x[(i, j)] * 70001 / (j * 2 - 63)"),
        ),
        of(
            "multiples",
            "`gcd`, `lcm`",
            y,
            computed("x[(i, j)].gcd(i * 12 + 6) + x[(i, j)].lcm(j * 4 - 90)"),
        ),
        of(
            "bits-of-numbers",
            "`to_bits`, `from_bits`",
            y,
            computed(
                "(x[(i, j)] as f32 * 0.37).to_bits() + f32::from_bits((x[(i, j)] as f32).to_bits() + (3 << 23)) as i32",
            ),
        ),
        of("column", "a value per row", row, computed("x[(i, j)] - v[i]")),
    ]
    .into_iter()
}

/// The positions of extremes, along each axis.
fn positions() -> impl Iterator<Item = Case> {
    let of = |operation: &'static str, element: &'static str, dim: &'static str| {
        let (extents, shape, at) = match dim {
            "0" => ("1, N", "64", "(0, bx * 64)"),
            _ => ("M, 1", "32", "(by * 32, 0)"),
        };
        let body = format!(
            "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));\n    let x = T.alloc_shared::<{element}>(32, 64);\n    \
             let y = T.alloc_fragment::<f32>({shape});\n    let z = T.alloc_fragment::<i32>({shape});\n    \
             T.copy(a[(by * 32, bx * 64)], x);\n    T.reduce_{operation}(x, y, z, dim = {dim}, base = 16777213);\n    \
             T.fill(y, 0.25);\n    T.reduce_{operation}(x, y, z, dim = {dim}, base = 5, clear = false);\n    \
             T.copy(y, o[{at}]);\n    T.copy(z, p[{at}]);\n"
        );
        let parameters =
            format!("a: &Tensor<{element}, M, N>, o: &mut Tensor<f32, {extents}>, p: &mut Tensor<i32, {extents}>");
        Case {
            name: format!("reduce-{operation}-{dim}-{element}"),
            operation: format!("`T.reduce_{operation}`, dim = {dim}"),
            section: "Reductions",
            source: source("", &["M", "N"], &parameters, &body),
            shapes: &[&[32, 64], &[17, 40]],
            domain: Domain::Sums,
        }
    };
    ["bf16", "f32"].into_iter().flat_map(move |element| {
        let dims = ["0", "1"].into_iter();
        dims.flat_map(move |dim| ["argmax", "argmin"].map(|operation| of(operation, element, dim)))
    })
}
