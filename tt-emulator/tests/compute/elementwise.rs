//! Kernels that work tile by tile: matrix engine and vector unit, alone and mixed, in both widths of the destination.

use tt_emulator::kernel_config::ComputeOptions;

use crate::rig::*;

const HEAD: &str = "
#include \"api/compute/common.h\"
#include \"api/compute/eltwise_binary.h\"
#include \"api/compute/eltwise_binary_sfpu.h\"
#include \"api/compute/binary_max_min.h\"
#include \"api/compute/bcast.h\"
#include \"api/compute/transpose.h\"
#include \"api/compute/tile_move_copy.h\"
#include \"api/compute/compute_kernel_api.h\"
#include \"api/compute/copy_dest_values.h\"
#include \"api/compute/mask.h\"
#include \"api/compute/sfpu_binary_bcast.h\"
#include \"api/compute/eltwise_unary/exp.h\"
#include \"api/compute/eltwise_unary/gelu.h\"
#include \"api/compute/eltwise_unary/recip.h\"
#include \"api/compute/eltwise_unary/relu.h\"
#include \"api/compute/eltwise_unary/comp.h\"
#include \"api/compute/eltwise_unary/where.h\"
#include \"api/compute/eltwise_unary/fill.h\"
#include \"api/compute/eltwise_unary/clamp.h\"
#include \"api/compute/eltwise_unary/binop_with_scalar.h\"
constexpr uint32_t a = 0, b = 1, out = 16;
constexpr DataFormat dst_format = DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b;
using Reuse = EltwiseBinaryReuseDestType;
void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0), scale = get_arg_val<uint32_t>(1), shift = get_arg_val<uint32_t>(2);
    compute_kernel_hw_startup(a, b, out);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(a, 1);
        cb_wait_front(b, 1);
        tile_regs_acquire();
";
const TAIL: &str = "
        tile_regs_commit();
        cb_pop_front(a, 1);
        cb_pop_front(b, 1);
        cb_reserve_back(out, 1);
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
    }
}
";

const SCALE: f32 = 0.75;
const SHIFT: f32 = -0.25;

fn case(name: &str, body: &str, wide: bool, a: &Matrix, b: &Matrix) -> Case {
    let mut case = Case::text(name, &format!("{HEAD}{body}{TAIL}"), wide)
        .input(0, BF16, 2, a.clone(), 1)
        .input(1, BF16, 2, b.clone(), 1)
        .result(a.rows, a.columns, 1);
    // Tile by tile of both, as the kernel takes them.
    case.feed = (0..(a.rows * a.columns / 1024) as u32)
        .flat_map(|tile| [(0, tile, 1), (1, tile, 1)])
        .collect();
    case.runtime_args = vec![(a.rows * a.columns / 1024) as u32, SCALE.to_bits(), SHIFT.to_bits()];
    case
}

/// Name, body, and the result from a and b at an element, with all of a and b, row and column.
type Row = (&'static str, &'static str, fn(f64, f64) -> f64);

const CASES: &[Row] = &[
    ("add", "add_init(a, b); add_tiles(a, b, 0, 0, 0);", |x, y| x + y),
    ("sub", "sub_init(a, b); sub_tiles(a, b, 0, 0, 0);", |x, y| x - y),
    ("mul", "mul_init(a, b); mul_tiles(a, b, 0, 0, 0);", |x, y| x * y),
    (
        "mul twice accumulates",
        "mul_init(a, b); mul_tiles(a, b, 0, 0, 0); mul_tiles(a, b, 0, 0, 0);",
        |x, y| 2.0 * x * y,
    ),
    (
        "add overwrites",
        "copy_init(a); copy_tile(a, 0, 0); add_init(a, b); add_tiles(a, b, 0, 0, 0);",
        |x, y| x + y,
    ),
    (
        "add accumulates if asked",
        "copy_init(a); copy_tile(a, 0, 0); add_init(a, b, true); add_tiles(a, b, 0, 0, 0);",
        |x, y| 2.0 * x + y,
    ),
    (
        "mul onto a filled register",
        "fill_tile_init(); fill_tile(0, 5.0f); mul_init(a, b); mul_tiles(a, b, 0, 0, 0);",
        |x, y| 5.0 + x * y,
    ),
    (
        "chain of scalars",
        "add_init(a, b); add_tiles(a, b, 0, 0, 0); binop_with_scalar_tile_init(); mul_unary_tile(0, scale); \
         add_unary_tile(0, shift); silu_tile_init(); silu_tile(0);",
        |x, y| {
            let t = (x + y) * f64::from(SCALE) + f64::from(SHIFT);
            t / (1.0 + (-t).exp())
        },
    ),
    (
        "matrix engine, then both on registers",
        "add_init(a, b); add_tiles(a, b, 0, 0, 0); copy_init(a); copy_tile(a, 0, 1); mul_binary_tile_init(); \
         mul_binary_tile(0, 1, 0);",
        |x, y| (x + y) * x,
    ),
    (
        "selection by comparison",
        "copy_init(a); copy_tile(a, 0, 0); copy_tile(a, 0, 1); copy_tile(b, 0, 2); gt_binary_tile_init(); gt_binary_tile(0, 2, 0); \
         where_tile_init(); where_tile<dst_format>(0, 1, 2, 0);",
        f64::max,
    ),
    (
        "selection with a filled register",
        "copy_init(a); copy_tile(a, 0, 0); copy_tile(a, 0, 1); gtz_tile_init(); gtz_tile(0); fill_tile_init(); \
         fill_tile_bitcast(2, shift); where_tile_init(); where_tile<dst_format>(0, 1, 2, 0);",
        |x, _| if x > 0.0 { x } else { f64::from(SHIFT) },
    ),
    (
        "destination minus buffer",
        "copy_init(a); copy_tile(a, 0, 0); sub_reuse_dest_init<Reuse::DEST_TO_SRCA>(b); \
      sub_reuse_dest_tiles<Reuse::DEST_TO_SRCA>(b, 0, 0);",
        |x, y| x - y,
    ),
    (
        "buffer minus destination",
        "copy_init(a); copy_tile(a, 0, 0); sub_reuse_dest_init<Reuse::DEST_TO_SRCB>(b); \
      sub_reuse_dest_tiles<Reuse::DEST_TO_SRCB>(b, 0, 0);",
        |x, y| y - x,
    ),
    (
        "destination times buffer overwrites",
        "copy_init(a); copy_tile(a, 0, 0); mul_reuse_dest_init<Reuse::DEST_TO_SRCA>(b); \
      mul_reuse_dest_tiles<Reuse::DEST_TO_SRCA>(b, 0, 0);",
        |x, y| x * y,
    ),
    (
        "maximum and minimum",
        "copy_init(a); copy_tile(a, 0, 0); copy_tile(b, 0, 1); binary_max_tile_init(); binary_max_tile(0, 1, 2); \
      binary_min_tile_init(); binary_min_tile(0, 1, 1); sub_binary_tile_init(); sub_binary_tile(2, 1, 0);",
        |x, y| (x - y).abs(),
    ),
    (
        "exact gelu",
        "copy_init(a); copy_tile(a, 0, 0); gelu_tile_init<false>(); gelu_tile<false>(0);",
        |x, _| {
            // 0.5 · x · erfc(−x / √2) through a series that converges fast here.
            let (z, mut term, mut sum) = (x * std::f64::consts::FRAC_1_SQRT_2, 1.0, 1.0);
            for n in 1..60 {
                term *= -z * z / f64::from(n);
                sum += term / f64::from(2 * n + 1);
            }
            0.5 * x * (1.0 + 2.0 / std::f64::consts::PI.sqrt() * z * sum)
        },
    ),
    (
        "tanh of exp",
        "copy_init(a); copy_tile(a, 0, 0); exp_tile_init(); exp_tile(0); tanh_tile_init(); tanh_tile(0);",
        |x, _| x.exp().tanh(),
    ),
    (
        "clamp of a reciprocal",
        "copy_init(a); copy_tile(a, 0, 0); recip_tile_init(); recip_tile(0); clamp_tile_init(); \
      clamp_tile(0, 0xc0000000, 0x40000000);",
        |x, _| (1.0 / x).clamp(-2.0, 2.0),
    ),
    (
        "mask",
        "copy_init(a); copy_tile(a, 0, 0); copy_tile(b, 0, 1); ltz_tile_init(); ltz_tile(1); mask_tile_init(); \
      mask_tile(0, 1);",
        |x, y| if y < 0.0 { x } else { 0.0 },
    ),
    (
        "register to register",
        "copy_init(a); copy_tile(a, 0, 3); copy_dest_values_init(); copy_dest_values<dst_format>(3, 0);",
        |x, _| x,
    ),
    ("nothing", "", |_, _| 0.0),
];

#[test]
fn tile_by_tile_kernels_compute_what_they_say() {
    let (a, b) = (Matrix::random(64, 64, 11, 2.0), Matrix::random(64, 64, 12, 2.0));
    for (name, body, exact) in CASES {
        for wide in [false, true] {
            // bf16 registers round after every operation; results are bf16 in both.
            let (absolute, relative) = if wide { (2e-3, 1.0 / 256.0) } else { (3e-2, 3.0 / 128.0) };
            case(name, body, wide, &a, &b).check(absolute, relative, |r, c| exact(a.at(r, c), b.at(r, c)));
        }
    }
}

#[test]
fn broadcasts_read_a_column_a_row_or_one_element() {
    let (a, b) = (Matrix::random(32, 64, 13, 2.0), Matrix::random(32, 64, 14, 2.0));
    let tile = |c: usize| c / 32 * 32;
    type Exact<'a> = &'a dyn Fn(usize, usize) -> f64;
    let cases: &[(&str, &str, Exact)] = &[
        (
            "add rows",
            "add_bcast_rows_init(a, b); add_tiles_bcast_rows(a, b, 0, 0, 0);",
            &|r, c| a.at(r, c) + b.at(0, c),
        ),
        (
            "add row 21",
            "add_bcast_rows_init(a, b); add_tiles_bcast_rows(a, b, 0, 0, 0, 21);",
            &|r, c| a.at(r, c) + b.at(21, c),
        ),
        (
            "sub columns",
            "sub_bcast_cols_init(a, b); sub_tiles_bcast_cols(a, b, 0, 0, 0);",
            &|r, c| a.at(r, c) - b.at(r, tile(c)),
        ),
        (
            "mul scalar",
            "mul_bcast_scalar_init(a, b); mul_tiles_bcast_scalar(a, b, 0, 0, 0);",
            &|r, c| a.at(r, c) * b.at(0, tile(c)),
        ),
        (
            "generic",
            "bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::COL>(a, b); add_tiles_bcast<BroadcastType::COL>(a, b, 0, 0, 0);",
            &|r, c| a.at(r, c) + b.at(r, tile(c)),
        ),
        (
            "mul columns accumulates",
            "copy_init(a); copy_tile(a, 0, 0); mul_bcast_cols_init(a, b); mul_tiles_bcast_cols(a, b, 0, 0, 0);",
            &|r, c| a.at(r, c) + a.at(r, c) * b.at(r, tile(c)),
        ),
        (
            "unary broadcast",
            "unary_bcast_init<BroadcastType::COL>(b); unary_bcast<BroadcastType::COL>(b, 0, 0); unary_bcast_uninit<BroadcastType::COL>(b);",
            &|r, c| b.at(r, tile(c)),
        ),
        (
            "vector unit",
            "copy_init(a); copy_tile(a, 0, 0); copy_tile(b, 0, 1); sfpu_bcast_row_init(); sfpu_add_bcast_row(0, 1);",
            &|r, c| a.at(r, c) + b.at(0, c),
        ),
        (
            "transposition",
            "transpose_init(a); transpose_tile(a, 0, 0);",
            &|r, c| a.at(c - tile(c), tile(c) + r),
        ),
    ];
    for (name, body, exact) in cases {
        for wide in [false, true] {
            case(name, body, wide, &a, &b).check(2e-2, 1.0 / 64.0, exact);
        }
    }
}

#[test]
fn fp32_is_exact_only_straight_to_the_destination() {
    let fine = Matrix::new(32, 32, |r, c| 1.0 + (r * 32 + c) as f32 * 1.1920929e-7);
    let source = "
#include \"api/compute/common.h\"
#include \"api/compute/tile_move_copy.h\"
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    cb_wait_front(0, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    tile_regs_commit();
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
}
";
    for (wide, direct, kept) in [(true, true, 0u32), (true, false, 13), (false, false, 16)] {
        let mut case = Case::text("copy.cpp", source, wide).input(0, F32, 1, fine.clone(), 1);
        case.options = ComputeOptions {
            unpack_to_dest_fp32: vec![direct],
            ..case.options
        };
        case.out = (16, F32, 1);
        let result = case.run();
        let cut: Vec<f32> = fine
            .values
            .iter()
            .map(|v| f32::from_bits(v.to_bits() >> kept << kept))
            .collect();
        assert_eq!(result.values, cut, "wide {wide}, direct {direct}");
    }
}
