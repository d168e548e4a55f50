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
        for operation in ["sum", "max", "min", "absmax", "mean"] {
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
    cases
}
