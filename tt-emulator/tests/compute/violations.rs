//! One broken kernel for every rule of the compute engines, and the report it gives: rule, kernel, core, RISC, line.
//!
//! The kernels are the files of `kernels/bad`; the line that breaks the rule ends in `// breaks EMU..`, a comment
//! `// with ..` names the options it is compiled with. Buffers: 0 and 1 hold bf16 tiles, 2 fp32 tiles, 3 a scaler, 5 bfp8,
//! 6 uint16, 7 a page of two tiles, 16 is the bf16 output, 24 an fp32 one. `cargo xtask conformance rules` shows the same
//! files in docs/rules.md.

use std::path::{Path, PathBuf};

use tt_emulator::allowed::Allowed;
use tt_emulator::kernel_config::ComputeOptions;
use tt_emulator::report::RiscName;
use tt_emulator::{DataFormat, LaunchError, rules};

use crate::rig::*;

/// A broken kernel.
struct Broken {
    file: String,
    text: String,
    code: String,
    /// The line that breaks the rule, counted from 1.
    line: u32,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compute/kernels/bad")
}

fn broken() -> Vec<Broken> {
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let marks: Vec<_> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.contains("// breaks "))
            .collect();
        let [(line, mark)] = marks[..] else {
            panic!("{file} breaks {} rules, not one", marks.len())
        };
        let code = mark.split("// breaks ").nth(1).unwrap().to_owned();
        Broken {
            file,
            code,
            line: line as u32 + 1,
            text: text.clone(),
        }
    };
    files.into_iter().map(read).collect()
}

/// The kernel between a reader that fills the inputs and a writer.
fn case(broken: &Broken) -> Case {
    let mut case = fed(&broken.file, &broken.text);
    case.options = options(broken);
    case
}

/// A kernel between a reader that fills the inputs and a writer.
fn fed(file: &str, text: &str) -> Case {
    let tile = |seed| Matrix::random(32, 64, seed, 1.0);
    let scaler = Matrix::new(32, 32, |row, _| if row % 16 == 0 { 1.0 } else { 0.0 });
    let mut case = Case::text(file, text, false)
        .input(0, BF16, 2, tile(1), 2)
        .input(1, BF16, 2, tile(2), 2)
        .input(2, F32, 2, tile(3), 2)
        .input(3, BF16, 1, scaler, 1);
    case.scratch = vec![(24, F32, 2), (5, DataFormat::Bfp8_b, 2), (6, DataFormat::UInt16, 2)];
    case.odd_pages = Some((7, 4096, BF16));
    case
}

fn options(broken: &Broken) -> ComputeOptions {
    let mut options = ComputeOptions::default();
    let named = broken
        .text
        .lines()
        .find_map(|line| line.strip_prefix("// with "))
        .unwrap_or_default();
    for option in named.split(", ").filter(|option| !option.is_empty()) {
        match option {
            "fp32_dest_acc_en" => options.fp32_dest_acc_en = true,
            "unpack_to_dest_fp32 of buffer 2" => options.unpack_to_dest_fp32 = vec![false, false, true],
            other => panic!("{}: no option `{other}`", broken.file),
        }
    }
    options
}

#[test]
fn every_broken_kernel_is_stopped_where_it_errs() {
    let mut failures = Vec::new();
    for broken in broken() {
        let report = case(&broken).report();
        let place = report.place.clone().expect("a running kernel");
        let right = report.rule.code == broken.code
            && (place.kernel.as_str(), place.core, place.risc) == (&broken.file, (0, 0), RiscName::Trisc)
            && place.line == broken.line;
        if !right {
            failures.push(format!(
                "{} must break {} in line {}, not: {report}",
                broken.file, broken.code, broken.line
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_rule_of_the_engines_has_its_broken_kernel() {
    let broken = broken();
    let missing: Vec<_> = rules::all()
        .filter(|rule| rule.code >= "EMU0500" && !broken.iter().any(|broken| broken.code == rule.code))
        .map(|rule| rule.code)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_second_release_goes_on_where_it_is_allowed() {
    let text = std::fs::read_to_string(folder().join("released_twice.cpp")).unwrap();
    let matrix = Matrix::random(32, 32, 1, 1.0);
    let mut case = Case::text("released_twice.cpp", &text, false).input(0, BF16, 1, matrix.clone(), 1);
    case.allowed = Allowed::parse("EMU0506").unwrap();
    case.check(0.0, 0.0, |row, column| matrix.at(row, column));
    // A section that nobody waited for is no second release.
    let text = std::fs::read_to_string(folder().join("release_without_wait.cpp")).unwrap();
    let mut case = fed("release_without_wait.cpp", &text);
    case.allowed = Allowed::parse("EMU0506").unwrap();
    assert_eq!(case.report().rule.code, "EMU0506");
}

#[test]
fn a_kernel_with_the_old_entry_is_told_the_new_one() {
    let text = "#include \"api/compute/common.h\"\nvoid MAIN {}\n";
    let Err(LaunchError::Kernel(said)) = fed("old.cpp", text).launch() else {
        panic!("an entry that the runtime does not call")
    };
    assert!(said.contains("the entry of a kernel is `void kernel_main()`"), "{said}");
}

#[test]
fn instructions_have_the_operands_that_are_known() {
    for (instruction, known) in [
        (
            "TTI_SEMWAIT(p_stall::STALL_TDMA, semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_ZERO)",
            "the wait for math",
        ),
        (
            "TT_SETC16(2, ckernel::packer::get_packer_dest_offset())",
            "DEST_TARGET_REG_CFG_MATH_Offset_ADDR32",
        ),
        (
            "TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, 0)",
            "PackerDestination",
        ),
        (
            "TTI_STALLWAIT(p_stall::STALL_TDMA, p_stall::WAIT_SFPU)",
            "the wait of packs for the vector unit",
        ),
    ] {
        let text = format!("#include \"api/compute/common.h\"\nvoid kernel_main() {{ PACK({instruction}); }}\n");
        let Err(LaunchError::Kernel(said)) = fed("instruction.cpp", &text).launch() else {
            panic!("{instruction} is compiled")
        };
        assert!(said.contains(known), "{said}");
    }
}

#[test]
fn a_pack_without_reserve_goes_on_where_it_is_allowed_and_the_page_is_free() {
    let text = "#include \"api/compute/common.h\"\n#include \"api/compute/tile_move_copy.h\"\n\
        void kernel_main() {\ncompute_kernel_hw_startup(0, 16);\ncopy_init(0);\ncb_wait_front(0, 1);\n\
        tile_regs_acquire();\ncopy_tile(0, 0, 0);\ntile_regs_commit();\ntile_regs_wait();\n\
        for (int i = 0; i < PACKS; ++i) pack_tile(0, 16);\ntile_regs_release();\ncb_push_back(16, 1);\ncb_pop_front(0, 1);\n}\n";
    let matrix = Matrix::random(32, 32, 1, 1.0);
    let case = |packs: u32, allowed| {
        let mut case = Case::text("unreserved.cpp", text, false).input(0, BF16, 1, matrix.clone(), 1);
        case.defines = vec![("PACKS".to_owned(), packs.to_string())];
        case.allowed = Allowed::parse(allowed).unwrap();
        case
    };
    case(1, "EMU0104,EMU0112").check(0.0, 0.0, |row, column| matrix.at(row, column));
    assert_eq!(case(1, "EMU0104").report().rule.code, "EMU0112");
    assert_eq!(case(1, "EMU0112").report().rule.code, "EMU0104");
    // The ring has eight pages.
    assert_eq!(case(9, "EMU0104,EMU0112").report().rule.code, "EMU0112");
}
