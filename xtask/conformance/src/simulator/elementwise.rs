//! Element-wise kernels, made from the language's table of operations.

use super::case::{Case, Domain, MATRICES, reads, source};
use tt_lang::ir::{ELEMENT_OPS, ElementOp, ElementOpRow};

/// The types and destination registers of a row: name, element type, attribute.
const TYPES: [(&str, &str, &str); 2] = [("bf16", "bf16", ""), ("f32", "f32", "")];

/// A kernel `o = expression`, where the expression reads `a[(i, j)]`, `b[(i, j)]`, .. and the scalar `s`.
fn kernel(attribute: &str, element: &str, inputs: usize, expression: &str) -> String {
    let names = &["a", "b", "c"][..inputs];
    let mut parameters = String::new();
    let mut body = "    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));\n".to_string();
    for name in names {
        parameters += &format!("{name}_in: &Tensor<{element}, M, N>, ");
        body += &format!("    let {name} = T.alloc_shared::<{element}>(32, 64);\n");
        body += &format!("    T.copy({name}_in[(by * 32, bx * 64)], {name});\n");
    }
    // A parameter that nothing reads is an error.
    if reads(expression, "s") {
        parameters += "s: f32, ";
    }
    body += &format!("    let x = T.alloc_shared::<{element}>(32, 64);\n");
    body += &format!("    for (i, j) in T.Parallel(32, 64) {{\n        x[(i, j)] = {expression};\n    }}\n");
    body += "    T.copy(x, o[(by * 32, bx * 64)]);\n";
    parameters += &format!("o: &mut Tensor<{element}, M, N>");
    source(attribute, &["M", "N"], &parameters, &body)
}

/// The operation as users write it.
fn call(row: &ElementOpRow) -> String {
    let elements = ["a[(i, j)]", "b[(i, j)]", "c[(i, j)]"];
    row.written(&elements[..row.arity - row.uniform])
}

/// Every operation of the language.
pub fn operations() -> Vec<Case> {
    let mut cases = Vec::new();
    for row in ELEMENT_OPS {
        let domain = || {
            let (value, trial) = (row.value, row.trial);
            Domain::Elementwise {
                value: Box::new(move |x| value(&[x, trial].concat())),
            }
        };
        let mut add = |variant: &str, title: &str, element: &str, attribute: &str| {
            cases.push(Case {
                name: format!("{}-{variant}", row.name),
                operation: format!("`{}`{title}", call(row).replace("[(i, j)]", "")),
                section: "Operations on elements",
                source: kernel(attribute, element, row.arity - row.uniform, &call(row)),
                shapes: MATRICES,
                domain: domain(),
            });
        };
        for (name, element, attribute) in TYPES {
            add(name, "", element, attribute);
        }
        add("approximate-bf16", ", approximate", "bf16", "approx = true");
        if matches!(row.op, ElementOp::Add | ElementOp::Sub | ElementOp::Mul) {
            add("wide-bf16", "", "bf16", "fp32_acc = true");
            for fidelity in ["LoFi", "HiFi2", "HiFi3"] {
                let name = format!("{}-bf16", fidelity.to_lowercase());
                add(&name, "", "bf16", &format!("fidelity = {fidelity}"));
            }
        }
    }
    cases
}

/// A kernel of one expression, in every type.
fn expressions(section: &'static str, list: &[(&str, usize, &str)], domain: fn() -> Domain) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, inputs, expression) in list {
        for (variant, element, attribute) in TYPES {
            cases.push(Case {
                name: format!("{name}-{variant}"),
                operation: format!("`{}`", expression.replace("[(i, j)]", "")),
                section,
                source: kernel(attribute, element, *inputs, expression),
                shapes: MATRICES,
                domain: domain(),
            });
        }
    }
    cases
}

/// Elements with numbers: literals and scalar parameters.
pub fn numbers() -> Vec<Case> {
    let list = [
        ("add-number", 1, "a[(i, j)] + 1.5"),
        ("add-scalar", 1, "a[(i, j)] + s"),
        ("sub-scalar", 1, "a[(i, j)] - s"),
        ("scalar-sub", 1, "s - a[(i, j)]"),
        ("mul-scalar", 1, "a[(i, j)] * s"),
        ("div-scalar", 1, "a[(i, j)] / s"),
        ("scalar-div", 1, "s / a[(i, j)]"),
        ("min-scalar", 1, "a[(i, j)].min(s)"),
        ("max-scalar", 1, "a[(i, j)].max(s)"),
        ("several", 2, "(a[(i, j)] * s + b[(i, j)]).tanh() * a[(i, j)]"),
    ];
    expressions("Elements and numbers", &list, Domain::any)
}

/// Comparisons, masks and choices.
pub fn comparisons() -> Vec<Case> {
    let choose = |condition: &str| format!("if {condition} {{ a[(i, j)] }} else {{ 0.5 }}");
    let conditions = [
        ("lt", "a[(i, j)] < b[(i, j)]"),
        ("le", "a[(i, j)] <= b[(i, j)]"),
        ("gt", "a[(i, j)] > b[(i, j)]"),
        ("ge", "a[(i, j)] >= b[(i, j)]"),
        ("eq", "a[(i, j)] == b[(i, j)]"),
        ("ne", "a[(i, j)] != b[(i, j)]"),
        ("lt-number", "a[(i, j)] < s"),
        ("le-number", "a[(i, j)] <= s"),
        ("gt-number", "a[(i, j)] > s"),
        ("ge-number", "a[(i, j)] >= s"),
        ("eq-number", "a[(i, j)] == s"),
        ("ne-number", "a[(i, j)] != s"),
        ("lt-infinity", "a[(i, j)] < f32::INFINITY"),
        ("infinity-le", "f32::INFINITY <= a[(i, j)]"),
        ("eq-infinity", "a[(i, j)] == f32::INFINITY"),
        ("gt-minus-infinity", "a[(i, j)] > f32::NEG_INFINITY"),
        ("ne-minus-infinity", "a[(i, j)] != f32::NEG_INFINITY"),
        ("lt-zero", "a[(i, j)] < 0.0"),
        ("ge-minus-zero", "a[(i, j)] >= -0.0"),
        ("eq-largest", "a[(i, j)] == f32::MAX"),
        ("and", "a[(i, j)] > 0.0 && b[(i, j)] < 1.0"),
        ("or", "a[(i, j)] > 0.0 || b[(i, j)] < 1.0"),
        ("not", "!(a[(i, j)] > 0.0)"),
    ];
    let mut list: Vec<(String, usize, String)> = conditions
        .iter()
        .map(|(name, condition)| {
            let inputs = if condition.contains("b[") { 2 } else { 1 };
            (format!("if-{name}"), inputs, choose(condition))
        })
        .collect();
    list.push((
        "select".into(),
        3,
        "T.select(a[(i, j)] > 0.0, b[(i, j)], c[(i, j)])".into(),
    ));
    list.push(("mask".into(), 1, choose("i <= j")));
    let list: Vec<(&str, usize, &str)> = list
        .iter()
        .map(|(name, inputs, text)| (name.as_str(), *inputs, text.as_str()))
        .collect();
    expressions("Comparisons and choices", &list, Domain::any)
}

/// Operands that have fewer elements, or lie the other way.
pub fn broadcasts() -> Vec<Case> {
    let kinds = [
        ("row", "r: &Tensor<E, N>", "r[bx * 32 + j]"),
        ("column", "r: &Tensor<E, M, 1>", "r[(by * 32 + i, 0)]"),
        ("corner", "r: &Tensor<E, 1, 1>", "r[(0, 0)]"),
        ("transposed", "r: &Tensor<E, N, M>", "r[(bx * 32 + j, by * 32 + i)]"),
    ];
    let operations = [("add", "+"), ("sub", "-"), ("mul", "*"), ("div", "/")];
    let mut cases = Vec::new();
    for (variant, element, attribute) in TYPES {
        for (kind, parameter, operand) in kinds {
            for (name, sign) in operations {
                let parameters = format!("a: &Tensor<E, M, N>, {parameter}, o: &mut Tensor<E, M, N>");
                let body = format!(
                    "    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));\n    for (i, j) in T.Parallel(32, 32) {{\n        \
                     o[(by * 32 + i, bx * 32 + j)] = a[(by * 32 + i, bx * 32 + j)] {sign} {operand};\n    }}\n"
                );
                cases.push(Case {
                    name: format!("{name}-{kind}-{variant}"),
                    operation: format!("`a {sign} b`, b a {kind}"),
                    section: "Broadcasts",
                    source: source(
                        attribute,
                        &["M", "N"],
                        &parameters.replace("<E,", &format!("<{element},")),
                        &body,
                    ),
                    shapes: MATRICES,
                    domain: Domain::any(),
                });
            }
        }
    }
    cases
}
