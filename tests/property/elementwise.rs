//! Random element-wise kernels.

use super::interval::{BF16, F32, Interval, Precision};
use super::random::Random;
use super::run::{Case, Input, Kind};
use std::fmt::Write;
use std::sync::LazyLock;
use tt_lang::ir::{ELEMENT_OPS, ElementOp, ElementOpRow};

/// A random expression over the elements a kernel can see.
#[derive(Debug, Clone)]
pub enum Expr {
    /// What it reads, by the position of the input.
    Load(usize),
    Number(f64),
    /// The scalar parameter.
    Scalar,
    Unary(&'static Function, Box<Expr>),
    Binary(ElementOp, Box<Expr>, Box<Expr>),
    Clamp(Box<Expr>, f64, f64),
    /// `if a > b { c } else { d }`
    Select(Box<Expr>, Box<Expr>, Box<Expr>, Box<Expr>),
}

/// A function of one element.
#[derive(Debug)]
pub struct Function {
    row: &'static ElementOpRow,
    /// Where it turns from rising to falling or back.
    turns: Vec<f64>,
    /// Of a few bits it is a few bits: a device only rounds it.
    is_exact: bool,
}

/// As far as this on both sides of 0 functions are looked at. None turns farther out.
const REACH: f64 = 8.0;

impl Function {
    fn of(row: &'static ElementOpRow) -> Function {
        let value = |x: f64| (row.value)(&[x]);
        let turns = points()
            .filter(|x| (value(*x) - value(x - STEP)) * (value(x + STEP) - value(*x)) < 0.0)
            .collect();
        let is_exact = [0.5, 1.25, -2.75].iter().all(|x| (value(*x) * 64.0).fract() == 0.0);
        Function { row, turns, is_exact }
    }
}

const STEP: f64 = 1.0 / 256.0;

fn points() -> impl Iterator<Item = f64> {
    let end = (REACH / STEP) as i32;
    (-end..=end).map(|at| f64::from(at) * STEP)
}

/// The functions of the catalogue that take any random argument in any kernel, and are at most 1 larger than its square.
static UNARY: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let takes_any = |row: &&ElementOpRow| {
        row.arity == 1
            // These jump, at numbers and at zeros that rounding may cross.
            && !matches!(row.op, ElementOp::Frac | ElementOp::Signbit | ElementOp::LogicalNot)
            && !row.wants_wide_registers(false)
            && row.domain.0 <= -REACH
            && row.domain.1 >= REACH
            && points().all(|x| (row.value)(&[x]).abs() <= 1.0 + x * x)
    };
    ELEMENT_OPS.iter().filter(takes_any).map(Function::of).collect()
});
/// Those of two elements that take any. A divisor may be 0.
const BINARY: [ElementOp; 5] = [
    ElementOp::Add,
    ElementOp::Sub,
    ElementOp::Mul,
    ElementOp::Min,
    ElementOp::Max,
];
static EXP: LazyLock<Function> = LazyLock::new(|| Function::of(ElementOp::Exp.row()));

impl Expr {
    /// A random expression of at most `depth` operations on top of each other.
    pub fn random(random: &mut Random, inputs: usize, depth: usize) -> Expr {
        if depth == 0 || random.one_in(6) {
            return match random.below(6) {
                0..=3 => Expr::Load(random.below(inputs)),
                4 => Expr::Number(random.value()),
                _ => Expr::Scalar,
            };
        }
        let part = |random: &mut Random| Box::new(Expr::random(random, inputs, depth - 1));
        match random.below(10) {
            0..=3 => Expr::Unary(&UNARY[random.below(UNARY.len())], part(random)),
            4 => Expr::Clamp(part(random), -0.75, 0.5),
            // Of anything more, a few of them on top of each other leave every format.
            5 => Expr::Unary(&EXP, Box::new(Expr::Clamp(part(random), -2.0, 1.5))),
            6 => Expr::Select(part(random), part(random), part(random), part(random)),
            _ => Expr::Binary(random.pick(&BINARY), part(random), part(random)),
        }
    }

    /// Whether it reads anything: a statement of numbers alone is a fill.
    pub fn reads(&self) -> bool {
        match self {
            Expr::Load(_) => true,
            Expr::Number(_) | Expr::Scalar => false,
            Expr::Unary(_, a) | Expr::Clamp(a, ..) => a.reads(),
            Expr::Binary(_, a, b) => a.reads() || b.reads(),
            Expr::Select(a, b, c, d) => [a, b, c, d].iter().any(|part| part.reads()),
        }
    }

    /// As source text; `load` writes the element of an input.
    pub fn text(&self, load: &dyn Fn(usize) -> String) -> String {
        let show = |part: &Expr| part.text(load);
        match self {
            Expr::Load(input) => load(*input),
            Expr::Number(value) => format!("({value:?})"),
            Expr::Scalar => "alpha".into(),
            Expr::Unary(function, a) => format!("({})", function.row.written(&[&show(a)])),
            Expr::Binary(op, a, b) => format!("({})", op.row().written(&[&show(a), &show(b)])),
            Expr::Clamp(a, low, high) => format!("({}).clamp({low:?}, {high:?})", show(a)),
            Expr::Select(a, b, c, d) => {
                format!(
                    "(if {} > {} {{ {} }} else {{ {} }})",
                    show(a),
                    show(b),
                    show(c),
                    show(d)
                )
            }
        }
    }

    /// Where the value may lie on a device with `precision`; `load` gives the element of an input.
    pub fn interval(&self, load: &dyn Fn(usize) -> Interval, alpha: f64, precision: Precision) -> Interval {
        let value = |part: &Expr| part.interval(load, alpha, precision);
        let Precision { step, function, floor } = precision;
        match self {
            Expr::Load(input) => load(*input),
            Expr::Number(value) => Interval::exactly(*value).widened(step, 0.0),
            Expr::Scalar => Interval::exactly(alpha).widened(step, 0.0),
            Expr::Unary(of, a) => {
                let image = value(a).map(&of.turns, |x| (of.row.value)(&[x]));
                if of.is_exact {
                    image.widened(step, 0.0)
                } else {
                    image.widened(function, floor)
                }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (value(a), value(b));
                let result = a.with(b, |x, y| (op.row().value)(&[x, y]));
                // A sum loses relative to its operands where they cancel.
                let lost = (a.low.abs().max(a.high.abs()) + b.low.abs().max(b.high.abs())) * step;
                let is_sum = matches!(op, ElementOp::Add | ElementOp::Sub);
                result.widened(step, if is_sum { lost } else { 0.0 })
            }
            Expr::Clamp(a, low, high) => value(a).map(&[], |x| x.clamp(*low, *high)).widened(step, 0.0),
            Expr::Select(a, b, c, d) => {
                let (c, d) = (value(c), value(d));
                match value(a).above(value(b)) {
                    Some(true) => c,
                    Some(false) => d,
                    None => c.hull(d),
                }
            }
        }
    }
}

/// A random kernel: two matrices, a row and a column, a scalar, in one of three ways of writing it down.
pub fn generate(random: &mut Random) -> Case {
    let seed = random.below(1 << 16);
    let (h, w) = random.pick(&[(32, 32), (64, 64), (32, 128), (96, 64), (64, 32), (128, 128)]);
    let element = random.pick(&["bf16", "bf16", "f32"]);
    let mut expr = Expr::random(random, 4, 4);
    while !expr.reads() {
        expr = Expr::random(random, 4, 4);
    }
    let direct = random.one_in(3);
    let fragment = random.one_in(2);
    let mut source = format!(
        "fn kernel<const M: usize, const N: usize>(\n    a: &Tensor<{element}, M, N>,\n    b: &Tensor<{element}, M, N>,\n    \
         row: &Tensor<{element}, 1, N>,\n    col: &Tensor<{element}, M, 1>,\n    alpha: f32,\n    \
         out: &mut Tensor<{element}, M, N>,\n) {{\n    let (bx, by) = T.Kernel(N.div_ceil({w}), M.div_ceil({h}));\n"
    );
    // Writing to a String cannot fail.
    let _ = if direct {
        let text = expr.text(&|input| {
            let at = [
                format!("a[(by * {h} + i, bx * {w} + j)]"),
                format!("b[(by * {h} + i, bx * {w} + j)]"),
                format!("row[(0, bx * {w} + j)]"),
                format!("col[(by * {h} + i, 0)]"),
            ];
            at[input].clone()
        });
        writeln!(
            source,
            "    for (i, j) in T.Parallel({h}, {w}) {{\n        out[(by * {h} + i, bx * {w} + j)] = {text};\n    }}\n}}"
        )
    } else {
        let text = expr.text(&|input| ["x[(i, j)]", "y[(i, j)]", "r[(0, j)]", "c[(i, 0)]"][input].to_string());
        let result = if fragment {
            "T.alloc_fragment::<f32>"
        } else {
            "T.alloc_shared::<bf16>"
        };
        writeln!(
            source,
            "    let x = T.alloc_shared::<{element}>({h}, {w});\n    let y = T.alloc_shared::<{element}>({h}, {w});\n    \
             let r = T.alloc_shared::<{element}>(1, {w});\n    let c = T.alloc_shared::<{element}>({h}, 1);\n    \
             let z = {result}({h}, {w});\n    T.copy(a[(by * {h}, bx * {w})], x);\n    \
             T.copy(b[(by * {h}, bx * {w})], y);\n    T.copy(row[(0, bx * {w})], r);\n    \
             T.copy(col[(by * {h}, 0)], c);\n    for (i, j) in T.Parallel({h}, {w}) {{\n        z[(i, j)] = {text};\n    }}\n    \
             T.copy(z, out[(by * {h}, bx * {w})]);\n}}"
        )
    };
    let precision = if element == "f32" && (direct || fragment) {
        F32
    } else {
        BF16
    };
    let alpha = random.value();
    let shapes = [
        (1, 1),
        (33, 65),
        (h, w),
        (5, 700),
        (random.below(300) + 1, random.below(300) + 1),
    ];
    Case {
        kind: Kind::Elementwise { expr, precision },
        source,
        element,
        alpha,
        seed,
        shapes: shapes.iter().map(|(m, n)| vec![*m, *n]).collect(),
        inputs: |shape| {
            let (m, n) = (shape[0], shape[1]);
            vec![
                Input { shape: vec![m, n] },
                Input { shape: vec![m, n] },
                Input { shape: vec![1, n] },
                Input { shape: vec![m, 1] },
            ]
        },
        output: |shape| vec![shape[0], shape[1]],
    }
}
