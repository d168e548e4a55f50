//! One broken kernel for every rule of the compute engines, and the report it gives: rule, kernel, core, RISC, line.
//!
//! The line that breaks the rule ends in `// here`. Buffers: 0 and 1 hold bf16 tiles, 2 fp32 tiles, 3 a scaler, 5 bfp8,
//! 6 uint16, 16 is the bf16 output, 24 an fp32 one.

use tt_emulator::kernel_config::ComputeOptions;
use tt_emulator::report::RiscName;
use tt_emulator::{DataFormat, rules};

use crate::rig::*;

const HEAD: &str = "
#include \"api/compute/common.h\"
#include \"api/compute/matmul.h\"
#include \"api/compute/eltwise_binary.h\"
#include \"api/compute/bcast.h\"
#include \"api/compute/reduce.h\"
#include \"api/compute/tilize.h\"
#include \"api/compute/pack_untilize.h\"
#include \"api/compute/tile_move_copy.h\"
#include \"api/compute/compute_kernel_api.h\"
#include \"api/compute/eltwise_unary/exp.h\"
#include \"api/compute/eltwise_unary/where.h\"
#include \"api/compute/eltwise_unary/fill.h\"
void kernel_main() {
";

/// A kernel with two bf16 inputs, an fp32 one and a scaler, all waited for.
fn case(name: &str, body: &str, options: ComputeOptions) -> Case {
    let tile = |seed| Matrix::random(32, 64, seed, 1.0);
    let scaler = Matrix::new(32, 32, |row, _| if row % 16 == 0 { 1.0 } else { 0.0 });
    let text = format!("{HEAD}{body}\n}}\n");
    let mut case = Case::text(name, &text, false)
        .input(0, BF16, 2, tile(1), 2)
        .input(1, BF16, 2, tile(2), 2)
        .input(2, F32, 2, tile(3), 2)
        .input(3, BF16, 1, scaler, 1);
    case.options = options;
    case.scratch = vec![(24, F32, 2), (5, DataFormat::Bfp8_b, 2), (6, DataFormat::UInt16, 2)];
    case
}

/// A started kernel whose inputs are there.
fn started(body: &str) -> String {
    format!(
        "compute_kernel_hw_startup(0, 1, 16); cb_wait_front(0, 2); cb_wait_front(1, 2); cb_wait_front(2, 2); \
         cb_wait_front(3, 1); cb_reserve_back(16, 1);\n{body}"
    )
}

fn breaks_with(code: &str, body: &str, options: ComputeOptions) {
    let case = case(code, body, options);
    let report = case.report();
    assert_eq!(report.rule.code, code, "{body}\n{report}");
    let place = report.place.clone().expect("a running kernel");
    assert_eq!(
        (place.kernel.as_str(), place.core, place.risc),
        (code, (0, 0), RiscName::Trisc)
    );
    match case.source.lines().position(|line| line.ends_with("// here")) {
        Some(line) => assert_eq!(place.line as usize, line + 1, "{body}\n{report}"),
        None => assert_eq!(
            code, "EMU0509",
            "only what a kernel leaves behind has no line of its own"
        ),
    }
}

fn breaks(code: &str, body: &str) {
    breaks_with(code, &started(body), ComputeOptions::default());
}

fn wide() -> ComputeOptions {
    ComputeOptions {
        fp32_dest_acc_en: true,
        ..Default::default()
    }
}

#[test]
fn destination_registers_follow_their_protocol() {
    breaks("EMU0501", "tile_regs_acquire();\ntile_regs_acquire(); // here");
    breaks("EMU0502", "copy_init(0);\ncopy_tile(0, 0, 0); // here");
    breaks(
        "EMU0502",
        "copy_init(0); tile_regs_acquire(); tile_regs_commit();\ncopy_tile(0, 0, 0); // here",
    );
    breaks("EMU0503", "tile_regs_commit(); // here");
    breaks("EMU0504", "tile_regs_acquire();\ntile_regs_wait(); // here");
    breaks(
        "EMU0505",
        "copy_init(0); tile_regs_acquire(); copy_tile(0, 0, 0);\npack_tile(0, 16); // here",
    );
    breaks(
        "EMU0505",
        "copy_init(0); tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit();\npack_tile(0, 16); // here",
    );
    breaks(
        "EMU0506",
        "tile_regs_acquire(); tile_regs_commit();\ntile_regs_release(); // here",
    );
    breaks(
        "EMU0507",
        "copy_init(0); tile_regs_acquire(); copy_tile(0, 0, 7);\ncopy_tile(0, 0, 8); // here",
    );
    breaks_with(
        "EMU0507",
        &started("copy_init(0); tile_regs_acquire(); copy_tile(0, 0, 3);\ncopy_tile(0, 0, 4); // here"),
        wide(),
    );
    breaks("EMU0508", "exp_tile_init(); tile_regs_acquire();\nexp_tile(0); // here");
    breaks(
        "EMU0509",
        "cb_push_back(16, 1); tile_regs_acquire(); cb_pop_front(0, 2); cb_pop_front(1, 2); cb_pop_front(2, 2); cb_pop_front(3, 1);",
    );
}

#[test]
fn engines_are_started_once_and_first() {
    breaks_with("EMU0601", "add_init(0, 1); // here", ComputeOptions::default());
    breaks("EMU0602", "compute_kernel_hw_startup(0, 1, 16); // here");
    breaks(
        "EMU0603",
        "matmul_init(0, 1); tile_regs_acquire();\nmatmul_tiles(0, 1, 0, 0, 0); // here",
    );
}

#[test]
fn operations_want_their_own_inits() {
    breaks("EMU0604", "tile_regs_acquire();\nadd_tiles(0, 1, 0, 0, 0); // here");
    breaks(
        "EMU0604",
        "add_init(0, 1); copy_init(0); tile_regs_acquire();\nadd_tiles(0, 1, 0, 0, 0); // here",
    );
    breaks(
        "EMU0604",
        "add_init(0, 1); tile_regs_acquire();\nmul_tiles(0, 1, 0, 0, 0); // here",
    );
    breaks(
        "EMU0604",
        "add_init(0, 1); tile_regs_acquire();\nadd_tiles_bcast_rows(0, 1, 0, 0, 0); // here",
    );
    breaks(
        "EMU0605",
        "matmul_block_init(0, 1, 0, 2, 1, 1); tile_regs_acquire();\nmatmul_block(0, 1, 0, 0, 0, 0, 1, 2, 1); // here",
    );
    breaks(
        "EMU0606",
        "copy_init(0); exp_tile_init(); tanh_tile_init(); tile_regs_acquire(); copy_tile(0, 0, 0);\nexp_tile(0); // here",
    );
    breaks(
        "EMU0606",
        "copy_init(0); exp_tile_init<true>(); tile_regs_acquire(); copy_tile(0, 0, 0);\nexp_tile(0); // here",
    );
}

#[test]
fn formats_must_be_programmed() {
    breaks_with(
        "EMU0607",
        &started("copy_init(2); tile_regs_acquire();\ncopy_tile(2, 0, 0); // here"),
        wide(),
    );
    breaks_with(
        "EMU0608",
        &started("add_init(0, 2); tile_regs_acquire();\nadd_tiles(0, 2, 0, 0, 0); // here"),
        wide(),
    );
    breaks_with(
        "EMU0609",
        &started(
            "cb_reserve_back(24, 1); copy_init(0); tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit(); tile_regs_wait();\npack_tile(0, 24); // here",
        ),
        wide(),
    );
}

#[test]
fn reductions_leave_traces() {
    let reduce = "reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 3, 16); tile_regs_acquire();";
    breaks(
        "EMU0610",
        &format!(
            "{reduce} copy_init(0); copy_tile(0, 0, 0); tile_regs_commit(); tile_regs_wait();\npack_tile(0, 16); // here"
        ),
    );
    breaks(
        "EMU0611",
        &format!(
            "tile_regs_acquire(); copy_init(0); copy_tile(0, 0, 0);\n{}\n\
             reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 3, 0, 0, 0); // here",
            reduce.replace("tile_regs_acquire();", "")
        ),
    );
    breaks(
        "EMU0612",
        "reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 16); tile_regs_acquire();\n\
         reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0); // here",
    );
    breaks(
        "EMU0613",
        "pack_untilize_dest_init<1>(16); copy_init(0); tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit(); tile_regs_wait();\n\
         pack_tile(0, 16); // here",
    );
}

#[test]
fn operands_must_be_possible() {
    breaks(
        "EMU0701",
        "reconfig_data_format(6, 6); add_init(6, 6); tile_regs_acquire();\nadd_tiles(6, 6, 0, 0, 0); // here",
    );
    let to_destination = ComputeOptions {
        unpack_to_dest_fp32: vec![false, false, true],
        ..wide()
    };
    breaks_with(
        "EMU0703",
        &started("reconfig_data_format(2, 2); add_init(2, 2); tile_regs_acquire();\nadd_tiles(2, 2, 0, 0, 0); // here"),
        to_destination,
    );
    breaks(
        "EMU0704",
        "cb_reserve_back(5, 1); pack_reconfig_data_format(5); pack_reconfig_l1_acc(1); copy_init(0); tile_regs_acquire(); \
         copy_tile(0, 0, 0); tile_regs_commit(); tile_regs_wait();\npack_tile(0, 5); // here",
    );
    breaks_with(
        "EMU0705",
        &started(
            "unary_bcast_init<BroadcastType::ROW>(1); tile_regs_acquire();\nunary_bcast<BroadcastType::ROW>(1, 0, 0); // here",
        ),
        wide(),
    );
    breaks_with(
        "EMU0706",
        &started(
            "fill_tile_init(); tile_regs_acquire(); fill_tile(0, 1.0f); fill_tile(1, 2.0f); fill_tile(2, 3.0f); where_tile_init();\n\
             where_tile<DataFormat::Float16_b>(0, 1, 2, 0); // here",
        ),
        wide(),
    );
    breaks(
        "EMU0708",
        "fill_tile_init(); tile_regs_acquire(); fill_tile(0, 1.0f); exp_tile_init();\nexp_tile(0, VectorMode::RC_custom); // here",
    );
    breaks(
        "EMU0709",
        "matmul_block_init(0, 1, 0, 3, 3, 1); tile_regs_acquire();\nmatmul_block(0, 1, 0, 0, 0, 0, 3, 3, 1); // here",
    );
    breaks(
        "EMU0710",
        "add_bcast_rows_init(0, 1); tile_regs_acquire();\nadd_tiles_bcast_rows(0, 1, 0, 0, 0, 32); // here",
    );
}

#[test]
fn a_page_must_be_a_tile() {
    let body = "compute_kernel_hw_startup(0, 7, 16);\nadd_init(0, 7); // here";
    let mut case = case("EMU0702", body, ComputeOptions::default());
    case.odd_pages = Some((7, 4096, BF16));
    let report = case.report();
    assert_eq!(
        (report.rule.code, report.place.map(|place| place.line)),
        (
            "EMU0702",
            case.source
                .lines()
                .position(|l| l.ends_with("// here"))
                .map(|l| l as u32 + 1)
        )
    );
}

#[test]
fn every_rule_has_a_broken_kernel() {
    let tests = include_str!("violations.rs");
    let compute = rules::all().filter(|rule| rule.code >= "EMU0500");
    let missing: Vec<_> = compute
        .filter(|rule| !tests.contains(&format!("\"{}\"", rule.code)))
        .map(|rule| rule.code)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
