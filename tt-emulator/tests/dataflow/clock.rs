//! The clock against what was measured on silicon (reference/silicon.md): pairs of programs, which of two is faster, and by how
//! much.

use std::sync::Arc;
use tt_emulator::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole, MathFidelity};
use tt_emulator::kernel_object::KernelSource;
use tt_emulator::{
    ArchName, Buffer, CbIndex, CircularBuffer, CoreCoord, DataFormat, Device, Modelled, Program, launch,
};

use crate::rig::*;

/// Moves pages of an interleaved buffer to or from the same place of L1, `block` before each barrier, in steps of `stride` pages.
const MOVER: &str = r#"
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);
    const uint32_t total = get_arg_val<uint32_t>(3);
    constexpr uint32_t block = get_compile_time_arg_val(0);
    constexpr uint32_t stride = get_compile_time_arg_val(1);
    constexpr bool writes = get_compile_time_arg_val(2);
    constexpr auto args = TensorAccessorArgs<3>();
    const auto tensor = TensorAccessor(args, address);
    const uint32_t bytes = get_tile_size(0);
    cb_reserve_back(0, block);
    const uint32_t start = get_write_ptr(0);
    for (uint32_t page = 0; page < pages; page += block) {
        for (uint32_t i = 0; i < block; ++i) {
            // A walk over all pages in steps: each once.
            const uint32_t at = first + (page + i) * stride;
            const uint32_t id = at % total + at / total % stride;
            if (writes) {
                noc_async_write_page(id, tensor, start + i * bytes);
            } else {
                noc_async_read_page(id, tensor, start + i * bytes);
            }
        }
        if (writes) {
            noc_async_write_barrier();
        } else {
            noc_async_read_barrier();
        }
    }
    cb_push_back(0, block);
}
"#;

/// What a move of `pages` pages in all takes, by `cores` on one NoC.
fn moving(
    arch: ArchName,
    cores: &[CoreCoord],
    pages: usize,
    (block, stride): (u32, u32),
    writes: bool,
    noc: u8,
) -> u64 {
    let device = device(arch);
    device.set_clock(true);
    let buffer = dram(&device, pages);
    let mut program = Program::new();
    program
        .create_circular_buffer(circular_buffer(0, block, cores))
        .unwrap();
    let source = KernelSource {
        file: "mover.cpp".to_owned(),
        source: MOVER.to_owned(),
        compile_args: [&[block, stride, writes.into()][..], &accessor(&buffer)].concat(),
        ..Default::default()
    };
    let role = KernelRole::DataMovement {
        processor: DataMovementProcessor::Ncrisc,
        noc,
    };
    let kernel = program.create_kernel(source, role, cores.to_vec()).unwrap();
    let share = pages / cores.len();
    for (index, core) in cores.iter().enumerate() {
        let first = if stride == 1 { index * share } else { index };
        let words = [buffer.address() as usize, first, share, pages].map(|word| word as u32);
        program.set_runtime_args(kernel, *core, &words).unwrap();
    }
    cycles(launch(&device, &program, 2).unwrap().modelled)
}

fn cycles(modelled: Option<Modelled>) -> u64 {
    modelled.expect("the clock is on").cycles
}

/// What a copy of `pages` pages takes, read on NoC 0 and written on NoC 1.
fn copying(arch: ArchName, cores: &[CoreCoord], pages: usize, block: u32, depth: u32) -> u64 {
    let (device, program, _buffers) = copy_program(arch, cores, pages, block, depth);
    device.set_clock(true);
    cycles(launch(&device, &program, 2).unwrap().modelled)
}

fn copy_program(
    arch: ArchName,
    cores: &[CoreCoord],
    pages: usize,
    block: u32,
    depth: u32,
) -> (Arc<Device>, Program, [Buffer; 2]) {
    let device = device(arch);
    let buffers = [0; 2].map(|_| dram(&device, pages));
    let program = copy_program_over("copy_writer.cpp", &buffers, cores, block, depth);
    (device, program, buffers)
}

fn row(count: usize) -> Vec<CoreCoord> {
    (0..count).map(|at| (at % 8, at / 8)).collect()
}

fn column(count: usize) -> Vec<CoreCoord> {
    (0..count).map(|at| (at / 8, at % 8)).collect()
}

/// What moves pages, modelled and measured.
fn moves() -> Vec<(&'static str, u64, u64)> {
    use ArchName::{Blackhole, WormholeB0};
    let diagonal: Vec<CoreCoord> = (0..8).map(|at| (at, at)).collect();
    let read = |cores: &[CoreCoord], noc| moving(WormholeB0, cores, 2048, (16, 1), false, noc);
    let write = |cores: &[CoreCoord], noc| moving(WormholeB0, cores, 2048, (16, 1), true, noc);
    let copy = |cores: &[CoreCoord]| copying(WormholeB0, cores, 4096, 8, 2);
    let black = |cores: usize, noc| moving(Blackhole, &row(cores), 64 * cores, (16, 1), false, noc);
    let rows = [
        ("WH copy, 8 cores in a row", copy(&row(8)), 114_706),
        ("WH copy, 8 cores in a column", copy(&column(8)), 233_728),
        ("WH copy, 16 cores by rows", copy(&row(16)), 87_895),
        ("WH copy, 16 cores by columns", copy(&column(16)), 128_588),
        ("WH copy, 64 cores", copy(&row(64)), 86_556),
        ("WH read, row, NoC 0", read(&row(8), 0), 202_328 / 8),
        ("WH read, row, NoC 1", read(&row(8), 1), 969_373 / 8),
        ("WH read, column, NoC 0", read(&column(8), 0), 791_603 / 8),
        ("WH read, column, NoC 1", read(&column(8), 1), 514_232 / 8),
        ("WH read, diagonal, NoC 0", read(&diagonal, 0), 203_492 / 8),
        ("WH read, diagonal, NoC 1", read(&diagonal, 1), 503_313 / 8),
        ("WH write, row, NoC 0", write(&row(8), 0), 1_044_350 / 8),
        ("WH write, row, NoC 1", write(&row(8), 1), 243_559 / 8),
        ("WH write, column, NoC 0", write(&column(8), 0), 624_848 / 8),
        ("WH write, column, NoC 1", write(&column(8), 1), 922_173 / 8),
        ("WH write, diagonal, NoC 0", write(&diagonal, 0), 626_001 / 8),
        ("WH write, diagonal, NoC 1", write(&diagonal, 1), 245_532 / 8),
        (
            "WH read, 1 core, all banks",
            moving(WormholeB0, &row(1), 1536, (24, 1), false, 0),
            1536 * 92,
        ),
        (
            "WH read, 1 core, bank by bank",
            moving(WormholeB0, &row(1), 1536, (24, 12), false, 0),
            1536 * 116,
        ),
        ("BH read, 1 core, NoC 0", black(1, 0), 3525 * 135 / 100),
        ("BH read, 1 core, NoC 1", black(1, 1), 3607 * 135 / 100),
        ("BH read, 8 cores in a row, NoC 0", black(8, 0), 4151 * 135 / 100),
        ("BH read, 8 cores in a row, NoC 1", black(8, 1), 12_152 * 135 / 100),
        ("BH read, 16 cores, NoC 0", black(16, 0), 6368 * 135 / 100),
        ("BH read, 16 cores, NoC 1", black(16, 1), 15_795 * 135 / 100),
        ("BH read, 64 cores, NoC 0", black(64, 0), 23_426 * 135 / 100),
        ("BH read, 64 cores, NoC 1", black(64, 1), 38_082 * 135 / 100),
        (
            "BH copy, 1 core, block 1",
            copying(Blackhole, &row(1), 256, 1, 6),
            256 * 547,
        ),
        (
            "BH copy, 1 core, block 8",
            copying(Blackhole, &row(1), 256, 8, 6),
            256 * 4096 * 1350 / 52_100,
        ),
    ];
    rows.to_vec()
}

#[test]
fn it_orders_pairs_as_silicon_does() {
    let rows = moves();
    for (what, modelled, measured) in &rows {
        let ratio = *modelled as f64 / *measured as f64;
        assert!((1.0 / 1.35..1.35).contains(&ratio), "{what}: {ratio:.2}");
    }
    // Programs of one chip that move as much, of which one is faster than the other by a tenth at least.
    let (mut right, mut all) = (0, 0);
    for (at, (first, modelled, measured)) in rows.iter().enumerate() {
        for (second, other_modelled, other_measured) in &rows[at + 1..] {
            let kind = |name: &str| name.split(',').next().map(str::to_owned);
            let is_pair =
                kind(first) == kind(second) && *measured.max(other_measured) * 10 > *measured.min(other_measured) * 11;
            if is_pair {
                all += 1;
                right += u32::from((modelled < other_modelled) == (measured < other_measured));
            }
        }
    }
    println!("{right} of {all} pairs in the order of silicon");
    assert!(right * 10 >= all * 9);
}

/// A compute kernel on tiles that it makes itself, whose rounds are `body`: what a round takes.
fn round(arch: ArchName, body: &str, format: DataFormat, fidelity: MathFidelity, wide: bool) -> f64 {
    // Of a product the first operand goes to the second source.
    let order = if body.contains("matmul") {
        "<SrcOrder::Reverse>"
    } else {
        ""
    };
    let source = format!(
        r#"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/matmul.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t a = 0, b = 1, out = 2;

void fill(uint32_t cb, uint32_t pages) {{
    cb_reserve_back(cb, pages);
    for (uint32_t page = 0; page < pages; ++page) {{
        tile_regs_acquire();
        fill_tile(0, 1.0f);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb);
        tile_regs_release();
    }}
    cb_push_back(cb, pages);
    cb_wait_front(cb, pages);
}}

void kernel_main() {{
    const uint32_t rounds = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup{order}(a, b, out);
    fill_tile_init();
    fill(a, 32);
    fill(b, 32);
    for (uint32_t round = 0; round < rounds; ++round) {{
        {body}
    }}
    cb_pop_front(a, 32);
    cb_pop_front(b, 32);
}}
"#
    );
    let [short, long] = [10u32, 30].map(|rounds| {
        let device = device(arch);
        device.set_clock(true);
        let mut program = Program::new();
        for id in [0, 1, 2] {
            let page_bytes = if format == DataFormat::Float32 { 4096 } else { 2048 };
            let index = CbIndex {
                id,
                format,
                page_bytes,
                tile: (32, 32),
            };
            let buffer = CircularBuffer {
                cores: vec![(0, 0)],
                total_bytes: 32 * page_bytes,
                indices: vec![index],
                global_address: None,
            };
            program.create_circular_buffer(buffer).unwrap();
        }
        let source = KernelSource {
            file: "compute.cpp".to_owned(),
            source: source.clone(),
            ..Default::default()
        };
        let options = ComputeOptions {
            math_fidelity: fidelity,
            fp32_dest_acc_en: wide,
            ..Default::default()
        };
        let kernel = program
            .create_kernel(source, KernelRole::Compute(options), vec![(0, 0)])
            .unwrap();
        program.set_runtime_args(kernel, (0, 0), &[rounds]).unwrap();
        cycles(
            launch(&device, &program, 1)
                .unwrap_or_else(|error| panic!("{error}"))
                .modelled,
        )
    });
    (long - short) as f64 / 20.0
}

/// What is computed, in cycles of a tile, modelled and measured.
fn computations() -> Vec<(&'static str, f64, f64)> {
    use ArchName::{Blackhole, WormholeB0};
    use MathFidelity::{HiFi2, HiFi4};
    const BF16: DataFormat = DataFormat::Float16_b;
    const F32: DataFormat = DataFormat::Float32;
    let done = "tile_regs_commit(); tile_regs_wait(); cb_reserve_back(out, 1); pack_tile(0, out); tile_regs_release(); cb_push_back(out, 1); cb_wait_front(out, 1); cb_pop_front(out, 1);";
    let sums = format!(
        "tile_regs_acquire(); add_init(a, b, true); for (uint32_t i = 0; i < 16; ++i) add_tiles(a, b, i, i, 0); {done}"
    );
    let longer = format!(
        "tile_regs_acquire(); add_init(a, b, true); for (uint32_t i = 0; i < 32; ++i) add_tiles(a, b, i, i, 0); {done}"
    );
    let rsqrt = |times: u32| {
        format!(
            "tile_regs_acquire(); copy_init(a); copy_tile(a, 0, 0); rsqrt_tile_init(); for (uint32_t i = 0; i < {times}; ++i) rsqrt_tile(0); {done}"
        )
    };
    let reduce = |dim: &str, tiles: u32| {
        format!(
            "tile_regs_acquire(); reduce_init<PoolType::SUM, ReduceDim::{dim}>(a, b, out); for (uint32_t i = 0; i < {tiles}; ++i) reduce_tile<PoolType::SUM, ReduceDim::{dim}>(a, b, i, 0, 0); {done} reduce_uninit();"
        )
    };
    let block = |ct: u32, rt: u32| {
        let tiles = ct * rt;
        format!(
            "matmul_block_init(a, b, 0, {ct}, {rt}, 1); cb_reserve_back(out, 32); for (uint32_t i = 0; i < 256; i += {tiles}) {{ tile_regs_acquire(); matmul_block(a, b, 0, 0, 0, 0, {ct}, {rt}, 1); tile_regs_commit(); tile_regs_wait(); for (uint32_t t = 0; t < {tiles}; ++t) pack_tile<true>(t, out, t); tile_regs_release(); }} cb_push_back(out, 32); cb_wait_front(out, 32); cb_pop_front(out, 32);"
        )
    };
    let slope = |arch, [short, long]: [String; 2], by: f64, format, fidelity, wide| {
        (round(arch, &long, format, fidelity, wide) - round(arch, &short, format, fidelity, wide)) / by
    };
    let rows = [
        (
            "WH add_tiles, bf16",
            slope(WormholeB0, [sums.clone(), longer.clone()], 16.0, BF16, HiFi4, true),
            65.0,
        ),
        (
            "WH add_tiles, f32",
            slope(WormholeB0, [sums.clone(), longer.clone()], 16.0, F32, HiFi4, true),
            130.0,
        ),
        (
            "BH add_tiles, f32",
            slope(Blackhole, [sums, longer], 16.0, F32, HiFi4, true),
            38.9,
        ),
        (
            "BH rsqrt",
            slope(Blackhole, [rsqrt(2), rsqrt(10)], 8.0, BF16, HiFi4, false),
            1010.0,
        ),
        (
            "WH reduce rows",
            slope(
                WormholeB0,
                [reduce("REDUCE_ROW", 8), reduce("REDUCE_ROW", 24)],
                16.0,
                BF16,
                HiFi4,
                true,
            ),
            156.0,
        ),
        (
            "WH reduce columns",
            slope(
                WormholeB0,
                [reduce("REDUCE_COL", 8), reduce("REDUCE_COL", 24)],
                16.0,
                BF16,
                HiFi4,
                true,
            ),
            83.0,
        ),
        (
            "WH reduce all",
            slope(
                WormholeB0,
                [reduce("REDUCE_SCALAR", 8), reduce("REDUCE_SCALAR", 24)],
                16.0,
                BF16,
                HiFi4,
                true,
            ),
            173.0,
        ),
        (
            "BH matmul, 1 × 1",
            round(Blackhole, &block(1, 1), BF16, HiFi2, false) / 256.0,
            54.8,
        ),
        (
            "BH matmul, 2 × 2",
            round(Blackhole, &block(2, 2), BF16, HiFi2, false) / 256.0,
            39.1,
        ),
        (
            "BH matmul, 2 × 4",
            round(Blackhole, &block(4, 2), BF16, HiFi2, false) / 256.0,
            37.5,
        ),
    ];
    rows.to_vec()
}

#[test]
fn its_engines_take_as_long_as_those_of_silicon() {
    for (what, modelled, measured) in computations() {
        let ratio = modelled / measured;
        assert!((1.0 / 1.3..1.3).contains(&ratio), "{what}: {ratio:.2}");
    }
}

/// A timeline is JSON, with what every processor did in its order.
#[test]
fn a_timeline_shows_every_processor() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("timeline.json");
    let _ = std::fs::remove_file(&file);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "clock::it_is_the_same_for_any_number_of_threads_and_off_unless_asked_for",
        ])
        .env("TT_EMULATOR_TIMELINE", &file)
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = std::fs::read_to_string(&file).unwrap();
    for name in [
        "\"core (7,1)\"",
        "\"NCRISC\"",
        "\"BRISC\"",
        "\"read barrier\"",
        "\"cb_wait_front\"",
    ] {
        assert!(text.contains(name), "{name}");
    }
    assert!(text.trim_end().ends_with("]}"));
}

/// docs/clock.md is as the clock has it; `TT_BLESS=1` writes it.
#[test]
fn the_page_is_as_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/clock.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (head, _) = page.split_once("<!-- measured -->").unwrap();
    let mut text = format!(
        "{head}<!-- measured -->\n\n| moves | modelled, cycles | measured, cycles | ratio |\n|---|---|---|---|\n"
    );
    for (what, modelled, measured) in moves() {
        let ratio = modelled as f64 / measured as f64;
        text += &format!("| {what} | {modelled} | {measured} | {ratio:.2} |\n");
    }
    text += "\n| computes | modelled, cycles a tile | measured | ratio |\n|---|---|---|---|\n";
    for (what, modelled, measured) in computations() {
        text += &format!(
            "| {what} | {modelled:.1} | {measured:.1} | {:.2} |\n",
            modelled / measured
        );
    }
    if std::env::var_os("TT_BLESS").is_some() {
        std::fs::write(path, text).unwrap();
    } else {
        assert!(page == text, "docs/clock.md is out of date: TT_BLESS=1 writes it");
    }
}

#[test]
fn it_is_the_same_for_any_number_of_threads_and_off_unless_asked_for() {
    let times = [1, 3].map(|threads| {
        let (device, program, _buffers) = copy_program(ArchName::WormholeB0, &row(16), 512, 4, 2);
        assert_eq!(launch(&device, &program, threads).unwrap().modelled, None);
        device.set_clock(true);
        launch(&device, &program, threads).unwrap().modelled
    });
    assert!(times[0].is_some());
    assert_eq!(times[0], times[1]);
}
