//! What device headers pass on for the calls of the vector unit is what its operations take.
//!
//! The record of the chips (tests/sfpu) is about operations with their parameters; here the same calls are C++.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use tt_emulator::ArchName;
use tt_emulator::vector_unit::{CASES, Case as Call, applied, packed};

use crate::rig::*;

/// A kernel that makes every call on the same three tiles, one after the other.
fn kernel(calls: &[&Call], input_f32: bool) -> String {
    let mut text = String::from(if input_f32 { "#define INP_FLOAT32 1\n" } else { "" });
    text.push_str(
        "#include \"api/compute/common.h\"\n#include \"api/compute/tile_move_copy.h\"\n\
         #include \"api/compute/compute_kernel_hw_startup.h\"\n",
    );
    let headers: BTreeSet<&str> = calls.iter().map(|call| call.header).collect();
    for header in headers {
        writeln!(text, "#include \"api/compute/{header}\"").unwrap();
    }
    text += "void kernel_main() {\ncompute_kernel_hw_startup(0, 16);\ncb_wait_front(0, 3);\n";
    for call in calls {
        writeln!(
            text,
            "tile_regs_acquire(); copy_init(0); for (uint32_t i = 0; i < 3; ++i) copy_tile(0, i, i);\n\
             {}; {}; tile_regs_commit(); cb_reserve_back(16, 1); tile_regs_wait(); pack_tile(0, 16); tile_regs_release();\n\
             cb_push_back(16, 1);",
            call.init, call.call
        )
        .unwrap();
    }
    text + "cb_pop_front(0, 3);\n}\n"
}

/// Calls of kernels that are built in one way.
#[derive(Clone, Copy, PartialEq)]
struct Build {
    approximate: bool,
    input_f32: bool,
}

const ACCURATE: Build = Build {
    approximate: false,
    input_f32: false,
};

const APPROXIMATE: Build = Build {
    approximate: true,
    ..ACCURATE
};

const OF_F32: Build = Build {
    input_f32: true,
    ..ACCURATE
};

fn check(chip: ArchName, wide: bool, build: Build) {
    let is_so = |call: &&Call| build.approximate == call.approximate && build.input_f32 == call.input_f32;
    let calls: Vec<&Call> = CASES.iter().filter(is_so).collect();
    let inputs = Matrix::random(96, 32, 11, 4.0);
    let mut case = Case::text("vector_calls.cpp", &kernel(&calls, build.input_f32), wide)
        .input(0, BF16, 3, inputs.clone(), 3)
        .result(32 * calls.len(), 32, 1);
    case.arch = chip;
    case.options.math_approx_mode = build.approximate;
    if wide {
        case.out.1 = F32;
    }
    let given = case.run();
    let tiles: Vec<Vec<u32>> = inputs
        .values
        .chunks(1024)
        .map(|tile| tile.iter().map(|value| value.to_bits()).collect())
        .collect();
    let mut wrong = Vec::new();
    for (call, given) in calls.iter().zip(given.values.chunks(1024)) {
        let wanted = applied(call, chip, wide, &tiles[..call.inputs]).expect("a row of the table");
        let given: Vec<u32> = given.iter().map(|value| packed(value.to_bits(), wide)).collect();
        if let Some(at) = (0..1024).find(|&at| given[at] != wanted[at]) {
            wrong.push(format!("{} gives {:08x}, not {:08x}", call.call, given[at], wanted[at]));
        }
    }
    assert!(wrong.is_empty(), "{chip:?}:\n{}", wrong.join("\n"));
}

#[test]
fn calls_with_wide_registers_do_what_their_operations_do() {
    check(ArchName::WormholeB0, true, ACCURATE);
}

#[test]
fn calls_with_narrow_registers_do_what_their_operations_do() {
    check(ArchName::Blackhole, false, ACCURATE);
}

#[test]
fn approximate_kernels_do_what_their_operations_do() {
    check(ArchName::Blackhole, true, APPROXIMATE);
}

#[test]
fn kernels_of_f32_do_what_their_operations_do() {
    check(ArchName::WormholeB0, true, OF_F32);
    check(ArchName::Blackhole, false, OF_F32);
}

#[test]
fn every_call_is_of_one_of_these_builds() {
    let builds = [ACCURATE, APPROXIMATE, OF_F32];
    let is_made = |call: &Call| {
        let (approximate, input_f32) = (call.approximate, call.input_f32);
        builds.contains(&Build { approximate, input_f32 })
    };
    assert!(CASES.iter().all(is_made));
}
