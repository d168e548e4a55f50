//! The interpreter against plain loops, and its edge rule and errors one by one.

mod build;
#[cfg(feature = "syntax")]
mod parsed;

use super::{Inputs, InterpretErrorKind as Kind, run, run_with_threads};
use crate::ir::*;
use build::*;

/// Repeatable values in [-1, 1).
fn values(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    })
    .take(count)
    .collect()
}

fn near(actual: &[f64], expected: &[f64]) {
    assert_eq!(actual.len(), expected.len());
    for (i, (a, e)) in actual.iter().zip(expected).enumerate() {
        let is_near = a.is_nan() && e.is_nan() || (a - e).abs() <= 1e-9 * (1.0 + e.abs());
        assert!(is_near, "[{i}] is {a}, expected {e}");
    }
}

fn ceil_div(a: &IntExpr, b: i64) -> IntExpr {
    IntExpr::binary(IntOp::CeilDiv, a.clone(), int(b))
}

/// `c = a · b` or `a · bᵀ` in blocks of `tile` × `tile`, with one block of `k` more than needed.
fn matmul(tile: u64, transpose_b: bool) -> Kernel {
    let mut k = Build::new();
    let (m, n, depth) = (k.extent("M"), k.extent("N"), k.extent("K"));
    let a = k.tensor("a", [&m, &depth], false);
    let b = if transpose_b {
        k.tensor("b", [&n, &depth], false)
    } else {
        k.tensor("b", [&depth, &n], false)
    };
    let c = k.tensor("c", [&m, &n], true);
    let size = tile as i64;
    let (bx, by) = (k.grid("bx", ceil_div(&n, size)), k.grid("by", ceil_div(&m, size)));
    let step = k.variable("step");
    let [x, y, acc] = ["x", "y", "acc"].map(|name| k.block(name, [tile, tile]));
    let at = |offset: &IntExpr| (mul(offset.clone(), size), tile);
    let along = || at(&var(step));
    let right = if transpose_b {
        [at(&bx), along()]
    } else {
        [along(), at(&bx)]
    };
    k.body(vec![
        fill(acc, 0.0),
        serial(
            step,
            add(ceil_div(&depth, size), int(1)),
            vec![
                copy(region(a, [at(&by), along()]), block(x)),
                copy(region(b, right), block(y)),
                gemm(block(x), block(y), acc, transpose_b),
            ],
        ),
        copy(block(acc), region(c, [at(&by), at(&bx)])),
    ])
}

#[test]
fn a_matmul_of_any_shape_is_the_plain_triple_loop() {
    for (m, k, n) in [(64, 64, 64), (1, 1, 1), (33, 70, 95), (1, 100, 17)] {
        for transpose_b in [false, true] {
            let (a, b) = (values(m * k, 1), values(k * n, 2));
            let zero = vec![0.0; m * n];
            let b_shape = if transpose_b { [n, k] } else { [k, n] };
            let inputs = Inputs::new()
                .tensor("a", &[m, k], &a[..])
                .tensor("b", &b_shape, &b[..])
                .tensor("c", &[m, n], &zero[..]);
            let expected: Vec<f64> = (0..m * n)
                .map(|i| {
                    (0..k)
                        .map(|p| {
                            a[i / n * k + p]
                                * if transpose_b {
                                    b[i % n * k + p]
                                } else {
                                    b[p * n + i % n]
                                }
                        })
                        .sum()
                })
                .collect();
            let kernel = matmul(32, transpose_b);
            let outputs = run(&kernel, &inputs).unwrap();
            near(outputs.tensor("c").unwrap(), &expected);
            assert_eq!(
                run_with_threads(&kernel, &inputs, 1).unwrap(),
                outputs,
                "threads change nothing"
            );
        }
    }
}

/// `s[i] = reduce(exp(x[i][..]))` over blocks of 32 × 32, folding along the row; and the mean of each block row.
fn reduction(op: ReduceOp, clear: bool) -> Kernel {
    let mut k = Build::new();
    let (m, n) = (k.extent("M"), k.extent("N"));
    let x = k.tensor("x", [&m, &n], false);
    let s = k.tensor("s", [&m, &int(1)], true);
    let by = k.grid("by", ceil_div(&m, 32));
    let [step, i, j] = ["step", "i", "j"].map(|name| k.variable(name));
    let (v, e, sum) = (k.block("v", [32, 32]), k.block("e", [32, 32]), k.block("sum", [32]));
    let start = match op {
        ReduceOp::Max => f64::NEG_INFINITY,
        ReduceOp::Min => f64::INFINITY,
        ReduceOp::Prod => 1.0,
        ReduceOp::Sum | ReduceOp::AbsMax | ReduceOp::Mean => 0.0,
    };
    let exp = call(ElementOp::Exp, [load(v, [var(i), var(j)])]);
    k.body(vec![
        fill(sum, start),
        serial(
            step,
            ceil_div(&n, 32),
            vec![
                copy(
                    region(x, [(mul(by.clone(), 32), 32), (mul(var(step), 32), 32)]),
                    block(v),
                ),
                parallel([(i, 32), (j, 32)], access(Buffer::Block(e), [var(i), var(j)]), exp),
                reduce(op, e, sum, ReduceDim::Rows, clear),
            ],
        ),
        copy(block(sum), region(s, [(mul(by, 32), 32), (int(0), 1)])),
    ])
}

#[test]
fn a_padded_element_never_reaches_a_reduction() {
    for (m, n) in [(3, 7), (33, 65), (32, 64)] {
        let x = values(m * n, 3);
        let zero = vec![0.0; m];
        let inputs = Inputs::new()
            .tensor("x", &[m, n], &x[..])
            .tensor("s", &[m, 1], &zero[..]);
        type Fold = fn(f64, f64) -> f64;
        for op in ReduceOp::ALL.iter().copied().filter(|op| !op.is_per_element()) {
            let (start, fold): (f64, Fold) = match op {
                ReduceOp::Prod => (1.0, |a, b| a * b),
                ReduceOp::Sum | ReduceOp::Mean => (0.0, |a, b| a + b),
                ReduceOp::Max => (f64::NEG_INFINITY, f64::max),
                ReduceOp::Min => (f64::INFINITY, f64::min),
                ReduceOp::AbsMax => (0.0, |a, b| a.max(b.abs())),
            };
            let expected: Vec<f64> = x
                .chunks(n)
                .map(|row| row.iter().map(|v| v.exp()).fold(start, fold))
                .collect();
            let outputs = run(&reduction(op, false), &inputs).unwrap();
            near(outputs.tensor("s").unwrap(), &expected);
        }
    }
    let x = values(3 * 7, 3);
    let inputs = Inputs::new()
        .tensor("x", &[3, 7], &x[..])
        .tensor("s", &[3, 1], &[0.0f64; 3][..]);
    let expected: Vec<f64> = x
        .chunks(7)
        .map(|row| row.iter().map(|v| v.exp()).sum::<f64>() / 7.0)
        .collect();
    near(
        run(&reduction(ReduceOp::Mean, true), &inputs)
            .unwrap()
            .tensor("s")
            .unwrap(),
        &expected,
    );
    let error = run(&reduction(ReduceOp::Mean, false), &inputs).unwrap_err();
    assert!(matches!(*error.kind, Kind::Unsupported(_)), "{error}");
}

#[test]
fn padded_rows_of_a_product_stay_out_of_a_column_reduction() {
    // out[j] = max over rows i of (bias[j] + (a · b)[i][j]); rows past M hold the bias alone and must not win.
    let mut k = Build::new();
    let m = k.extent("M");
    let a = k.tensor("a", [&m, &int(32)], false);
    let b = k.tensor("b", [&int(32), &int(32)], false);
    let bias = k.tensor("bias", [&int(1), &int(32)], false);
    let out = k.tensor("out", [&int(1), &int(32)], true);
    k.grid("bx", int(1));
    let [i, j] = ["i", "j"].map(|name| k.variable(name));
    let [x, y, acc] = ["x", "y", "acc"].map(|name| k.block(name, [32, 32]));
    let (row, top) = (k.block("row", [1, 32]), k.block("top", [1, 32]));
    let whole = || [(int(0), 32), (int(0), 32)];
    let kernel = k.body(vec![
        copy(region(a, whole()), block(x)),
        copy(region(b, whole()), block(y)),
        copy(region(bias, [(int(0), 1), (int(0), 32)]), block(row)),
        parallel(
            [(i, 32), (j, 32)],
            access(Buffer::Block(acc), [var(i), var(j)]),
            load(row, [int(0), var(j)]),
        ),
        gemm(block(x), block(y), acc, false),
        reduce(ReduceOp::Max, acc, top, ReduceDim::Columns, true),
        copy(block(top), region(out, [(int(0), 1), (int(0), 32)])),
    ]);
    let (rows, b, bias) = (5, values(32 * 32, 5), values(32, 6));
    let a: Vec<f64> = values(rows * 32, 4);
    let inputs = Inputs::new()
        .tensor("a", &[rows, 32], &a[..])
        .tensor("b", &[32, 32], &b[..])
        .tensor("bias", &[1, 32], &bias[..])
        .tensor("out", &[1, 32], &[0.0f64; 32][..]);
    let expected: Vec<f64> = (0..32)
        .map(|j| {
            (0..rows)
                .map(|i| bias[j] + (0..32).map(|p| a[i * 32 + p] * b[p * 32 + j]).sum::<f64>())
                .fold(f64::NEG_INFINITY, f64::max)
        })
        .collect();
    near(run(&kernel, &inputs).unwrap().tensor("out").unwrap(), &expected);
}

/// A kernel over `x: 4 × 4` and `y: 4 × 4` (mutable) with blocks `v` and `w` and parallel indices `i`, `j`; `v` holds `x`.
struct Small {
    build: Build,
    x: ParamId,
    y: ParamId,
    v: BlockId,
    w: BlockId,
    i: VarId,
    j: VarId,
}

fn small() -> Small {
    let mut k = Build::new();
    let x = k.tensor("x", [&int(4), &int(4)], false);
    let y = k.tensor("y", [&int(4), &int(4)], true);
    k.grid("bx", int(1));
    let [i, j] = ["i", "j"].map(|name| k.variable(name));
    let (v, w) = (k.block("v", [4, 4]), k.block("w", [4, 4]));
    Small {
        build: k,
        x,
        y,
        v,
        w,
        i,
        j,
    }
}

impl Small {
    fn run(self, mut body: Vec<Stmt>) -> Result<super::Outputs, super::InterpretError> {
        let whole = || [(int(0), 4), (int(0), 4)];
        body.insert(0, copy(region(self.x, whole()), block(self.v)));
        body.push(copy(block(self.w), region(self.y, whole())));
        let x: Vec<f64> = (0..16).map(f64::from).collect();
        let kernel = self.build.body(body);
        run(
            &kernel,
            &Inputs::new()
                .tensor("x", &[4, 4], &x[..])
                .tensor("y", &[4, 4], &[0.0f64; 16][..]),
        )
    }
}

#[test]
fn a_selection_reads_only_the_side_it_takes() {
    // w[i][j] = if j < 1 { 100 } else { v[i][j - 1] }: at j = 0 the other side lies outside of the block.
    let s = small();
    let before = IntExpr::binary(IntOp::Sub, var(s.j), int(1));
    let value = element(ElementKind::Select(
        Box::new(element(ElementKind::CompareInt(CompareOp::Lt, var(s.j), int(1)))),
        Box::new(number(100.0)),
        Box::new(load(s.v, [var(s.i), before])),
    ));
    let body = vec![parallel(
        [(s.i, 4), (s.j, 4)],
        access(Buffer::Block(s.w), [var(s.i), var(s.j)]),
        value,
    )];
    let outputs = s.run(body).unwrap();
    let expected: Vec<f64> = (0..16)
        .map(|k| if k % 4 == 0 { 100.0 } else { f64::from(k - 1) })
        .collect();
    near(outputs.tensor("y").unwrap(), &expected);
}

#[test]
fn an_index_may_be_any_function_of_the_loop() {
    // w[i][j] = v[j][i] + v[i / 2][j % 2]
    let s = small();
    let half = IntExpr::binary(IntOp::Div, var(s.i), int(2));
    let odd = IntExpr::binary(IntOp::Rem, var(s.j), int(2));
    let value = call(
        ElementOp::Add,
        [load(s.v, [var(s.j), var(s.i)]), load(s.v, [half, odd])],
    );
    let body = vec![parallel(
        [(s.i, 4), (s.j, 4)],
        access(Buffer::Block(s.w), [var(s.i), var(s.j)]),
        value,
    )];
    let outputs = s.run(body).unwrap();
    let expected: Vec<f64> = (0..16)
        .map(|k| f64::from((k % 4) * 4 + k / 4) + f64::from((k / 8) * 4 + k % 2))
        .collect();
    near(outputs.tensor("y").unwrap(), &expected);
}

#[test]
fn every_mistake_is_an_error_with_its_place() {
    type Body = fn(&Small) -> Vec<Stmt>;
    let cases: Vec<(Body, Kind)> = vec![
        (
            |s| {
                let value = load(s.v, [var(s.i), add(var(s.j), int(1))]);
                vec![parallel(
                    [(s.i, 4), (s.j, 4)],
                    access(Buffer::Block(s.w), [var(s.i), var(s.j)]),
                    value,
                )]
            },
            Kind::OutsideBlock {
                block: "v".into(),
                shape: vec![4, 4],
                index: vec![0, 4],
            },
        ),
        (
            |s| {
                let zero = IntExpr::Binary(IntOp::Div, Box::new(int(1)), Box::new(int(0)));
                vec![copy(region(s.x, [(zero, 4), (int(0), 4)]), block(s.w))]
            },
            Kind::Arithmetic("1 / 0".into()),
        ),
        (|_| vec![], Kind::ReadBeforeWrite("w".into())),
        (
            |s| vec![copy(region(s.x, [(int(0), 4), (int(0), 3)]), block(s.w))],
            Kind::Extents {
                what: "a copy between blocks",
                found: [vec![4, 3], vec![4, 4]],
            },
        ),
        (
            |s| {
                vec![parallel(
                    [(s.i, 4), (s.j, 4)],
                    access(Buffer::Block(s.w), [var(s.i), int(0)]),
                    number(1.0),
                )]
            },
            Kind::AssignedTwice("w".into()),
        ),
    ];
    for (body, expected) in cases {
        let s = small();
        let body = body(&s);
        let error = s.run(body).unwrap_err();
        assert_eq!(*error.kind, expected);
        assert!(
            error.to_string().starts_with("kernel `kernel` (test.rs:7:5): "),
            "{error}"
        );
    }
}

#[test]
fn inputs_are_checked_by_name() {
    let kernel = matmul(32, false);
    let a = values(6, 1);
    let with = |b: &[usize]| {
        let count = b.iter().product();
        let b_values = values(count, 2);
        run(
            &kernel,
            &Inputs::new()
                .tensor("a", &[2, 3], &a[..])
                .tensor("b", b, &b_values[..])
                .tensor("c", &[2, 2], &[0.0; 4][..]),
        )
        .map_err(|error| error.to_string())
    };
    assert!(with(&[3, 2]).is_ok());
    assert_eq!(
        with(&[4, 2]).unwrap_err(),
        "kernel `kernel`: `b` has extents [4, 2], its type asks for [3, 2]"
    );
    assert_eq!(
        *run(&kernel, &Inputs::new().tensor("a", &[2, 3], &a[..]))
            .unwrap_err()
            .kind,
        Kind::MissingInput("N".into())
    );
    let short = Inputs::new()
        .tensor("a", &[2, 3], &a[..5])
        .tensor("b", &[3, 2], &a[..])
        .tensor("c", &[2, 2], &a[..4]);
    assert_eq!(
        *run(&kernel, &short).unwrap_err().kind,
        Kind::Length {
            tensor: "a".into(),
            expected: 6,
            found: 5
        }
    );
}

#[test]
fn scalars_branches_and_prints() {
    // for step in 0..n { if step < 1 && alpha > 0 { print } }; w = v * alpha
    let mut s = small();
    let alpha = s.build.scalar("alpha", ScalarKind::F32);
    let n = s.build.scalar("n", ScalarKind::U32);
    let step = s.build.variable("step");
    let cond = BoolExpr::And(
        Box::new(BoolExpr::Compare(CompareOp::Lt, var(step), int(1))),
        Box::new(BoolExpr::CompareNumbers(
            CompareOp::Gt,
            NumberExpr::Scalar(alpha),
            NumberExpr::Literal(Real(0.0)),
        )),
    );
    let print = stmt(StmtKind::Op(Op::Print {
        items: vec![PrintItem::Text("step".into()), PrintItem::Value(var(step))],
    }));
    let branch = stmt(StmtKind::If(spanned(cond), vec![print], vec![]));
    let value = call(
        ElementOp::Mul,
        [load(s.v, [var(s.i), var(s.j)]), element(ElementKind::Scalar(alpha))],
    );
    let whole = || [(int(0), 4), (int(0), 4)];
    let body = vec![
        serial(step, IntExpr::Scalar(n), vec![branch]),
        copy(region(s.x, whole()), block(s.v)),
        parallel(
            [(s.i, 4), (s.j, 4)],
            access(Buffer::Block(s.w), [var(s.i), var(s.j)]),
            value,
        ),
        copy(block(s.w), region(s.y, whole())),
    ];
    let kernel = s.build.body(body);
    let x: Vec<f32> = (0..16).map(|i| i as f32).collect();
    let inputs = Inputs::new()
        .tensor("x", &[4, 4], &x[..])
        .tensor("y", &[4, 4], &[0.0f32; 16][..]);
    let inputs = inputs.float("alpha", 0.5).integer("n", 3);
    let outputs = run(&kernel, &inputs).unwrap();
    assert_eq!(outputs.prints(), ["block (0): step 0"]);
    assert_eq!(
        outputs.tensor_f32("y").unwrap(),
        x.iter().map(|v| v * 0.5).collect::<Vec<_>>()
    );
}
