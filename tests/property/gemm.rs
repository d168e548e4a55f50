//! Random products with an element-wise end.

use super::elementwise::Expr;
use super::interval::BF16;
use super::random::Random;
use super::run::{Case, Input, Kind};
use std::fmt::Write;
use tt_lang::ir::ElementOp;

/// A random blocked product, either operand possibly transposed, with an expression over the sums, a bias row and a
/// residual at the end.
pub fn generate(random: &mut Random) -> Case {
    let seed = random.below(1 << 16);
    let bm = random.pick(&[32, 64, 96, 128]);
    let bn = random.pick(&[32, 64, 128]);
    let bk = random.pick(&[32, 64, 128]);
    let (ta, tb) = (random.one_in(5), random.one_in(3));
    let stages = random.below(3) + 1;
    // What a product of two bf16 numbers may lose: HiFi4 multiplies all bits; HiFi3, the default, leaves out the product of the three
    // lowest bits of the one (of 135 at least, 7) by the lowest of the other (of 129, 1); HiFi2 takes 5 bits of the one operand.
    let (options, product) = random.pick(&[
        ("", 7.0 / (135.0 * 129.0)),
        ("fidelity = HiFi4", 0.0),
        ("fidelity = HiFi2", 1.0 / 16.0),
    ]);
    // Sums in f32 (24 bits), or in bf16 destination registers where asked for.
    let (fp32, sum) = if random.one_in(4) {
        (false, 1.0 / 128.0)
    } else {
        (true, 1e-6)
    };
    let mut options = options.to_string();
    if !fp32 {
        options.push_str(if options.is_empty() {
            "fp32_acc = false"
        } else {
            ", fp32_acc = false"
        });
    }
    let mut source = String::new();
    let (a_shape, a_at, a_block) = if ta {
        ("K, M", format!("(k * {bk}, by * {bm})"), format!("({bk}, {bm})"))
    } else {
        ("M, K", format!("(by * {bm}, k * {bk})"), format!("({bm}, {bk})"))
    };
    let (b_shape, b_at, b_block) = if tb {
        ("N, K", format!("(bx * {bn}, k * {bk})"), format!("({bn}, {bk})"))
    } else {
        ("K, N", format!("(k * {bk}, bx * {bn})"), format!("({bk}, {bn})"))
    };
    let mut flags = String::new();
    for (set, name) in [(ta, "transpose_a"), (tb, "transpose_b")] {
        if set {
            let _ = write!(flags, ", {name} = true");
        }
    }
    let epilogue = if random.one_in(3) {
        Expr::Load(0)
    } else {
        epilogue(random)
    };
    let text = epilogue.text(&|input| ["acc[(i, j)]", "r[(0, j)]", "x[(i, j)]"][input].to_string());
    let _ = writeln!(
        source,
        "fn kernel<const M: usize, const K: usize, const N: usize>(\n    a: &Tensor<bf16, {a_shape}>,\n    \
         b: &Tensor<bf16, {b_shape}>,\n    row: &Tensor<bf16, 1, N>,\n    residual: &Tensor<bf16, M, N>,\n    alpha: f32,\n    \
         out: &mut Tensor<bf16, M, N>,\n) {{\n    let (bx, by) = T.Kernel(N.div_ceil({bn}), M.div_ceil({bm}));\n    \
         let p = T.alloc_shared::<bf16>{a_block};\n    let q = T.alloc_shared::<bf16>{b_block};\n    \
         let r = T.alloc_shared::<bf16>(1, {bn});\n    let x = T.alloc_shared::<bf16>({bm}, {bn});\n    \
         let acc = T.alloc_fragment::<f32>({bm}, {bn});\n    T.copy(row[(0, bx * {bn})], r);\n    \
         T.copy(residual[(by * {bm}, bx * {bn})], x);\n    T.clear(acc);\n    \
         for k in T.Pipelined(K.div_ceil({bk}), num_stages = {stages}) {{\n        T.copy(a[{a_at}], p);\n        \
         T.copy(b[{b_at}], q);\n        T.gemm(p, q, acc{flags});\n    }}\n    \
         for (i, j) in T.Parallel({bm}, {bn}) {{\n        acc[(i, j)] = {text};\n    }}\n    \
         T.copy(acc, out[(by * {bm}, bx * {bn})]);\n}}"
    );
    let extent = |random: &mut Random| random.below(200) + 1;
    let shapes = vec![
        vec![1, 1, 1],
        vec![bm, bk, bn],
        vec![33, 65, 31],
        vec![7, 900, 40],
        vec![extent(random), extent(random), extent(random)],
    ];
    Case {
        kind: Kind::Gemm {
            options,
            transposed: (ta, tb),
            epilogue,
            precision: BF16,
            loss: Loss { product, sum },
        },
        source,
        element: "bf16",
        alpha: random.value(),
        seed,
        shapes,
        inputs: match (ta, tb) {
            (false, false) => |s| operands([s[0], s[1]], [s[1], s[2]], s),
            (true, false) => |s| operands([s[1], s[0]], [s[1], s[2]], s),
            (false, true) => |s| operands([s[0], s[1]], [s[2], s[1]], s),
            (true, true) => |s| operands([s[1], s[0]], [s[2], s[1]], s),
        },
        output: |shape| vec![shape[0], shape[2]],
    }
}

/// What the sums may lose, relative to the sum of the products' magnitudes.
#[derive(Debug, Clone, Copy)]
pub struct Loss {
    /// By each product.
    pub product: f64,
    /// By each addition of a tile's worth of products.
    pub sum: f64,
}

impl Loss {
    /// Of a sum of `k` products.
    pub fn of_sum(self, k: usize) -> f64 {
        self.product + self.sum * k.div_ceil(16) as f64
    }
}

fn operands(a: [usize; 2], b: [usize; 2], shape: &[usize]) -> Vec<Input> {
    vec![
        Input { shape: a.to_vec() },
        Input { shape: b.to_vec() },
        Input {
            shape: vec![1, shape[2]],
        },
        Input {
            shape: vec![shape[0], shape[2]],
        },
    ]
}

/// An expression that reads the sums.
fn epilogue(random: &mut Random) -> Expr {
    let inner = Expr::random(random, 3, 2);
    Expr::Binary(
        random.pick(&[ElementOp::Add, ElementOp::Sub, ElementOp::Max]),
        Box::new(Expr::Load(0)),
        Box::new(inner),
    )
}
