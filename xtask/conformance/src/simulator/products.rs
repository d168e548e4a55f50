//! Matrix products: fidelities, types, accumulators, transposed operands, epilogues.

use super::case::{Case, Domain, reads, source};

const SHAPES: &[&[usize]] = &[&[64, 96, 128], &[100, 70, 33]];

/// What varies between products.
#[derive(Clone, Copy)]
struct Product {
    /// Element types of the operands, the accumulator and the result.
    types: [&'static str; 3],
    attribute: &'static str,
    transposed: [bool; 2],
    /// What is done to the sum.
    epilogue: &'static str,
}

impl Product {
    fn source(self) -> String {
        let [operand, accumulator, result] = self.types;
        let [left, right] = self.transposed;
        let (a, a_at, a_block) = if left {
            ("K, M", "(k * 32, by * 64)", "32, 64")
        } else {
            ("M, K", "(by * 64, k * 32)", "64, 32")
        };
        let (b, b_at, b_block) = if right {
            ("N, K", "(bx * 64, k * 32)", "64, 32")
        } else {
            ("K, N", "(k * 32, bx * 64)", "32, 64")
        };
        let options = [(left, ", transpose_a = true"), (right, ", transpose_b = true")];
        let options: String = options.iter().filter(|(on, _)| *on).map(|(_, text)| *text).collect();
        let epilogue = if self.epilogue.is_empty() {
            String::new()
        } else {
            let value = self.epilogue;
            format!("    for (i, j) in T.Parallel(64, 64) {{\n        acc[(i, j)] = {value};\n    }}\n")
        };
        let parameters =
            format!("a: &Tensor<{operand}, {a}>, b: &Tensor<{operand}, {b}>, s: f32, o: &mut Tensor<{result}, M, N>");
        // A parameter that nothing reads is an error.
        let parameters = if reads(self.epilogue, "s") {
            parameters
        } else {
            parameters.replace("s: f32, ", "")
        };
        let body = format!(
            "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));\n    let x = T.alloc_shared::<{operand}>({a_block});\n    \
             let y = T.alloc_shared::<{operand}>({b_block});\n    let acc = T.alloc_fragment::<{accumulator}>(64, 64);\n    \
             T.clear(acc);\n    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {{\n        T.copy(a[{a_at}], x);\n        \
             T.copy(b[{b_at}], y);\n        T.gemm(x, y, acc{options});\n    }}\n{epilogue}    T.copy(acc, o[(by * 64, bx * 64)]);\n"
        );
        source(self.attribute, &["M", "K", "N"], &parameters, &body)
    }
}

/// Every product.
pub fn cases() -> Vec<Case> {
    let plain = Product {
        types: ["bf16", "f32", "bf16"],
        attribute: "",
        transposed: [false, false],
        epilogue: "",
    };
    let mut cases = Vec::new();
    let mut add = |name: String, operation: &str, product: Product| {
        cases.push(Case {
            name: format!("gemm-{name}"),
            operation: operation.into(),
            section: "Products",
            source: product.source(),
            shapes: SHAPES,
            domain: Domain::Sums,
        });
    };
    for (fidelity, wide, narrow) in [
        ("lofi", "fidelity = LoFi", "fidelity = LoFi, fp32_acc = false"),
        ("hifi2", "fidelity = HiFi2", "fidelity = HiFi2, fp32_acc = false"),
        ("hifi3", "fidelity = HiFi3", "fidelity = HiFi3, fp32_acc = false"),
        ("hifi4", "fidelity = HiFi4", "fidelity = HiFi4, fp32_acc = false"),
    ] {
        for (name, types, attribute) in [
            ("bf16-f32-bf16", ["bf16", "f32", "bf16"], wide),
            ("bf16-f32-f32", ["bf16", "f32", "f32"], wide),
            ("bf16-bf16-bf16", ["bf16", "bf16", "bf16"], narrow),
            ("f32-f32-f32", ["f32", "f32", "f32"], wide),
        ] {
            let product = Product {
                types,
                attribute,
                ..plain
            };
            add(format!("{fidelity}-{name}"), "`T.gemm`", product);
        }
    }
    for (name, operation, transposed) in [
        ("transposed-a", "`T.gemm`, transpose_a", [true, false]),
        ("transposed-b", "`T.gemm`, transpose_b", [false, true]),
        ("transposed-both", "`T.gemm`, transpose_a and transpose_b", [true, true]),
    ] {
        add(name.into(), operation, Product { transposed, ..plain });
    }
    for (name, operation, epilogue) in [
        ("relu", "`T.gemm`, then `relu`", "acc[(i, j)].relu()"),
        ("gelu", "`T.gemm`, then `gelu`", "acc[(i, j)].gelu()"),
        ("scale", "`T.gemm`, then `* s + 1.0`", "acc[(i, j)] * s + 1.0"),
    ] {
        add(name.into(), operation, Product { epilogue, ..plain });
    }
    cases
}
