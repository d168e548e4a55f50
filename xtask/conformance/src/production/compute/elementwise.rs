//! Element-wise kernels: one, two and three tensors, on the matrix engine and on the vector unit, with broadcasts.

use super::rig::{BF16, F32, Rig, destination};
use crate::arguments;
use crate::production::bounds::{EXACT, IN_FP32, ROUNDED, rounded, rounded_factors, rounded_sum};
use crate::production::case::Case;
use crate::production::values::Matrix;

/// Every case of this file.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![
        exponential(),
        sum_with_relu(),
        product_of_preprocessed(),
        difference_on_the_vector_unit(),
        product_backward(),
    ];
    cases.extend(activations());
    cases.extend(derivatives());
    cases.extend(next_generation());
    cases.extend(three_tensors());
    cases
}

/// 3 × 2 tiles.
pub fn matrix(seed: u64) -> Matrix {
    Matrix::random(96, 64, seed, -3.0, 3.0)
}

/// The results of `of` for pairs of values.
pub fn zip(a: &Matrix, b: &Matrix, of: impl Fn(f64, f64) -> f64) -> Matrix {
    Matrix::new(a.rows, a.columns, |row, column| {
        of(a.at(row, column), b.at(row, column))
    })
}

fn exponential() -> Case {
    let x = matrix(1);
    Rig::new(
        "eltwise/unary exp",
        "operations/eltwise/unary/device/kernels/compute/eltwise_sfpu.cpp",
    )
    .defines(&[
        ("SFPU_OP_EXP_INCLUDE", "1"),
        ("SFPU_OP_CHAIN_0", "exp_tile_init(); exp_tile(0);"),
    ])
    .args([6u32])
    .input_in(0, BF16, &x, 2)
    .output(2, BF16, &x.map(f64::exp), rounded_factors(2))
    .case()
}

const BINARY: &str = "operations/eltwise/binary/device/kernels/compute/eltwise_binary_kernel.cpp";

fn sum_with_relu() -> Case {
    let (x, y) = (matrix(2), matrix(3));
    let sum = zip(&x, &y, |x, y| (x + y).max(0.0));
    Rig::new("eltwise/binary add, relu in the packer", BINARY)
        .defines(&[
            ("ELTWISE_OP", "add_tiles"),
            ("ELTWISE_OP_TYPE", "EltwiseBinaryType::ELWADD"),
            ("PACK_RELU", "1"),
        ])
        .args([3u32, 2])
        .input(0, BF16, &x)
        .input(1, BF16, &y)
        .output(2, BF16, &sum, rounded_sum(3.0))
        .case()
}

fn product_of_preprocessed() -> Case {
    let (x, y) = (matrix(4), matrix(5));
    let product = zip(&x, &y, |x, y| x.exp() * y);
    Rig::new("eltwise/binary exp(a) times b", BINARY)
        .defines(&[
            ("ELTWISE_OP", "mul_tiles"),
            ("ELTWISE_OP_TYPE", "EltwiseBinaryType::ELWMUL"),
            ("SFPU_OP_EXP_INCLUDE", "1"),
            ("SFPU_OP_INIT_PRE_IN0_0", "exp_tile_init();"),
            ("SFPU_OP_FUNC_PRE_IN0_0", "exp_tile(i);"),
        ])
        .args([3u32, 2])
        .input(0, BF16, &x)
        .input(1, BF16, &y)
        .scratch(3, BF16, 2)
        .output(2, BF16, &product, rounded_factors(3))
        .case()
}

fn difference_on_the_vector_unit() -> Case {
    let (x, y) = (matrix(6), matrix(7));
    let difference = zip(&x, &y, |x, y| x - y);
    let path = "operations/eltwise/binary/device/kernels/compute/eltwise_binary_sfpu_kernel.cpp";
    Rig::with("eltwise/binary sub on the vector unit", path, destination(true))
        .defines(&[
            ("BINOP_INIT", "sub_binary_tile_init();"),
            ("BINARY_SFPU_OP", "sub_binary_tile(i*2,i*2+1,i*2);"),
        ])
        .args([3u32, 2])
        .input(0, F32, &x)
        .input(1, F32, &y)
        .output(2, F32, &difference, EXACT)
        .case()
}

fn product_backward() -> Case {
    let (grad, x, y) = (matrix(8), matrix(9), matrix(10));
    let path = "operations/eltwise/binary_backward/device/kernels/compute/eltwise_bw_mul.cpp";
    Rig::new("eltwise/binary_backward mul", path)
        .args([6u32])
        .input(0, BF16, &grad)
        .input(1, BF16, &x)
        .input(2, BF16, &y)
        .output(3, BF16, &zip(&grad, &y, |grad, y| grad * y), ROUNDED)
        .output(4, BF16, &zip(&grad, &x, |grad, x| grad * x), ROUNDED)
        .case()
}

/// Activations with kernels of their own.
fn activations() -> Vec<Case> {
    let folder = "operations/eltwise/unary/device/kernels/compute";
    let x = matrix(19);
    let activation = |name: &str, of: &dyn Fn(f64) -> f64, bound| {
        Rig::new(&format!("eltwise/unary {name}"), &format!("{folder}/{name}_kernel.cpp"))
            .dfbs(&[("in", 0), ("out", 2)])
            .argument("num_tiles", 6u32)
            .token("is_float32", 0u32)
            .token("is_int", 0u32)
            .input_in(0, BF16, &x, 2)
            .output(2, BF16, &x.map(of), bound)
            .case()
    };
    vec![
        activation("hardswish", &|x| x * (x / 6.0 + 0.5).clamp(0.0, 1.0), rounded(2, 3.0)),
        activation("logsigmoid", &|x| -(-x).exp().ln_1p(), rounded(3, 3.0)),
    ]
}

/// Gradients times the derivative of an activation.
fn derivatives() -> Vec<Case> {
    let folder = "operations/eltwise/unary_backward/device/kernels/compute";
    let (grad, x) = (matrix(11), matrix(12));
    let rig = |name: &str, file: &str, wide| {
        let format = if wide { F32 } else { BF16 };
        Rig::with(name, &format!("{folder}/{file}"), destination(wide))
            .args([6u32])
            .defines(&[
                (
                    "COPY_DEST_DATA_FORMAT",
                    if wide {
                        "DataFormat::Float32"
                    } else {
                        "DataFormat::Float16_b"
                    },
                ),
                ("BF16_ROUNDING_MODE", "ckernel::DstRoundingMode::NearestEven"),
            ])
            .input(0, format, &grad)
            .input(1, format, &x)
    };
    let sigmoid = zip(&grad, &x, |grad, x| {
        let s = 1.0 / (1.0 + (-x).exp());
        grad * s * (1.0 - s)
    });
    let gelu = zip(&grad, &x, |grad, x| {
        let beta = (2.0 / std::f64::consts::PI).sqrt();
        let inner = beta * (x + 0.044715 * x.powi(3));
        let slope = beta * (1.0 + 3.0 * 0.044715 * x * x);
        let tanh = inner.tanh();
        grad * (0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * slope)
    });
    vec![
        rig("eltwise/unary_backward sigmoid", "eltwise_bw_sigmoid.cpp", false)
            .output(2, BF16, &sigmoid, rounded(2, 3.0))
            .case(),
        rig("eltwise/unary_backward gelu by tanh", "eltwise_bw_gelu_tanh.cpp", false)
            .output(2, BF16, &gelu, rounded(4, 3.0))
            .case(),
        rig(
            "eltwise/unary_backward gelu by tanh, fp32",
            "eltwise_bw_gelu_tanh_fp32.cpp",
            true,
        )
        .output(2, F32, &gelu, IN_FP32)
        .case(),
    ]
}

const NG: &str = "operations/eltwise/binary_ng/device/kernels/compute";
const NG_BROADCASTS: &str = "operations/eltwise/binary_ng/device/kernels_ng/compute";

/// Defines of `binary_ng` on the matrix engine.
const ON_MATRIX: [(&str, &str); 8] = [
    ("BINARY_OP", "add_tiles"),
    ("BINARY_OP_TYPE", "EltwiseBinaryType::ELWADD"),
    ("PROCESS_LHS_ACTIVATIONS(i)", ""),
    ("PROCESS_RHS_ACTIVATIONS(i)", ""),
    ("PROCESS_POST_ACTIVATIONS(i)", ""),
    ("BCAST_INPUT", "1"),
    ("SRC_BCAST", "0"),
    ("SRC_BCAST_B", "1"),
];

/// Defines of `binary_ng` on the vector unit.
const ON_VECTORS: [(&str, &str); 8] = [
    ("BINARY_SFPU_OP", "mul_binary_tile"),
    ("BINARY_SFPU_INIT", "mul_binary_tile_init();"),
    ("PROCESS_LHS_ACTIVATIONS(i)", ""),
    ("PROCESS_RHS_ACTIVATIONS(i)", ""),
    ("PROCESS_POST_ACTIVATIONS(i)", ""),
    ("BCAST_INPUT", "1"),
    ("SRC_BCAST", "0"),
    ("SRC_BCAST_B", "1"),
];

/// What of a tile a broadcast repeats.
#[derive(Clone, Copy)]
enum Spread {
    Column,
    Row,
    Element,
}

impl Spread {
    /// The element that stands at a place of any tile.
    fn of(self, tile: &Matrix, row: usize, column: usize) -> f64 {
        match self {
            Spread::Column => tile.at(row % 32, 0),
            Spread::Row => tile.at(0, column % 32),
            Spread::Element => tile.at(0, 0),
        }
    }
}

fn next_generation() -> Vec<Case> {
    let (x, y) = (matrix(13), matrix(14));
    let tile = Matrix::random(32, 32, 15, -2.0, 2.0);
    let (sum, product) = (zip(&x, &y, |x, y| x + y), zip(&x, &y, |x, y| x * y));
    let scalar = tile.at(0, 0);
    let repeated = Matrix::new(32, 32, |_, _| scalar);
    let matrix_engine = |name: &str, path: String| Rig::new(name, &path).defines(&ON_MATRIX).compile_args([1u32]);
    let vector_unit = |name: &str, path: String| Rig::new(name, &path).defines(&ON_VECTORS).compile_args([1u32]);
    let with_tile = |of: &dyn Fn(f64, f64) -> f64, spread: Spread| {
        Matrix::new(x.rows, x.columns, |row, column| {
            of(x.at(row, column), spread.of(&tile, row, column))
        })
    };
    let add = |x: f64, y: f64| x + y;
    let multiply = |x: f64, y: f64| x * y;
    let mut cases = vec![
        matrix_engine("binary_ng add", format!("{NG}/eltwise_binary_no_bcast.cpp"))
            .args([6u32])
            .input(0, BF16, &x)
            .input(1, BF16, &y)
            .output(2, BF16, &sum, rounded_sum(3.0))
            .case(),
        matrix_engine("binary_ng add a scalar", format!("{NG}/eltwise_binary_scalar.cpp"))
            .args([6u32])
            .input(0, BF16, &x)
            .input(1, BF16, &repeated)
            .output(2, BF16, &x.map(|x| x + scalar), rounded_sum(3.0))
            .case(),
        matrix_engine("binary_ng add one tile to six", format!("{NG}/eltwise_binary.cpp"))
            .args([6u32, 6, 0])
            .input(0, BF16, &x)
            .input(1, BF16, &repeated)
            .output(2, BF16, &x.map(|x| x + scalar), rounded_sum(3.0))
            .case(),
        vector_unit(
            "binary_ng mul on the vector unit",
            format!("{NG}/eltwise_binary_sfpu_no_bcast.cpp"),
        )
        .args([6u32])
        .input(0, BF16, &x)
        .input(1, BF16, &y)
        .output(2, BF16, &product, ROUNDED)
        .case(),
        vector_unit(
            "binary_ng mul by a scalar",
            format!("{NG}/eltwise_binary_sfpu_scalar.cpp"),
        )
        .args([6u32])
        .input(0, BF16, &x)
        .input(1, BF16, &repeated)
        .output(2, BF16, &x.map(|x| x * scalar), ROUNDED)
        .case(),
        vector_unit(
            "binary_ng mul six tiles by one",
            format!("{NG}/eltwise_binary_sfpu.cpp"),
        )
        .args([6u32, 6, 0])
        .input(0, BF16, &x)
        .input(1, BF16, &repeated)
        .output(2, BF16, &x.map(|x| x * scalar), ROUNDED)
        .case(),
    ];
    // Rows come with every tile.
    let rows = Matrix::new(192, 32, |row, column| tile.at(row % 32, column));
    for (name, file, spread, repeated) in [
        ("column", "col", Spread::Column, &tile),
        ("scalar", "scalar", Spread::Element, &tile),
        ("row", "row", Spread::Row, &rows),
    ] {
        let case = |rig: Rig, result: Matrix, bound| {
            let rig = match spread {
                Spread::Row => rig.args([6u32]),
                Spread::Column | Spread::Element => rig.args([6u32, 6, 0]),
            };
            rig.input(0, BF16, &x)
                .input(1, BF16, repeated)
                .scratch(6, BF16, 2)
                .output(2, BF16, &result, bound)
                .case()
        };
        let sums = matrix_engine(
            &format!("binary_ng add, {name} repeated"),
            format!("{NG_BROADCASTS}/eltwise_binary_{file}_bcast.cpp"),
        );
        let products = vector_unit(
            &format!("binary_ng mul, {name} repeated"),
            format!("{NG_BROADCASTS}/eltwise_binary_sfpu_{file}_bcast.cpp"),
        );
        cases.push(case(sums, with_tile(&add, spread), rounded_sum(3.0)));
        cases.push(case(products, with_tile(&multiply, spread), ROUNDED));
    }
    cases.push(
        Rig::new(
            "binary_ng where, with a scalar",
            &format!("{NG}/eltwise_where_no_bcast.cpp"),
        )
        .defines(&[("WHERE_TTS", "1"), ("WHERE_DATA_FORMAT", "Float16_b")])
        .compile_args([2u32, 0])
        .args(arguments![6u32, 0u32, 0u32, -0.5f32])
        .input(0, BF16, &x.map(|x| f64::from(u8::from(x > 0.0))))
        .input(1, BF16, &y)
        .output(2, BF16, &zip(&x, &y, |x, y| if x > 0.0 { y } else { -0.5 }), EXACT)
        .case(),
    );
    cases
}

/// Ternary kernels.
fn three_tensors() -> Vec<Case> {
    let folder = "operations/eltwise/ternary/device/kernels/compute";
    let (x, y, z) = (matrix(16), matrix(17), matrix(18));
    let inputs = |rig: Rig, x: &Matrix| rig.input(0, BF16, x).input(1, BF16, &y).input(2, BF16, &z);
    let condition = x.map(|x| f64::from(u8::from(x > 0.0)));
    let chosen = Matrix::new(x.rows, x.columns, |row, column| {
        if x.at(row, column) > 0.0 {
            y.at(row, column)
        } else {
            z.at(row, column)
        }
    });
    let combined = Matrix::new(x.rows, x.columns, |row, column| {
        x.at(row, column) + 0.5 * y.at(row, column) * z.at(row, column)
    });
    let select = Rig::new("ternary where", &format!("{folder}/ternary_sfpu_no_bcast_ttt.cpp"))
        .defines(&[
            ("TERNARY_SFPU_OP_INIT", "where_tile_init"),
            ("TERNARY_SFPU_OP_FUNC", "where_tile<DataFormat::Float16_b>"),
        ])
        .compile_args([1u32])
        .args([6u32]);
    let on_vectors = Rig::new("ternary addcmul", &format!("{folder}/ternary_addc_ops_sfpu.cpp"))
        .defines(&[
            ("TERNARY_SFPU_OP_INIT", "addcmul_tile_init"),
            ("TERNARY_SFPU_OP_FUNC", "addcmul_tile<DataFormat::Float16_b>"),
        ])
        .compile_args([1u32])
        .args(arguments![6u32, 0u32, 0u32, 0.5f32]);
    let on_matrix = Rig::new(
        "ternary addcmul on the matrix engine",
        &format!("{folder}/ternary_addc_ops_fpu.cpp"),
    )
    .args(arguments![6u32, 0u32, 0u32, 0.5f32]);
    vec![
        inputs(select, &condition).output(3, BF16, &chosen, EXACT).case(),
        inputs(on_vectors, &x)
            .output(3, BF16, &combined, rounded(2, 4.5))
            .case(),
        inputs(on_matrix, &x).output(3, BF16, &combined, rounded(3, 4.5)).case(),
    ]
}
