//! Speed of the compute engines alone: `cargo test --release -p tt-emulator --lib figures -- --ignored --nocapture`.
//!
//! No thresholds: the chore `cargo xtask bench` holds the emulator as a whole to its figures.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::ahead::Ahead;
use super::engine_state::{MatrixSetting, Operand, SfpuSetting};
use super::fpu::eltwise::Binary;
use super::matrix_calls::Page;
use super::sfpu::table::{OPERATIONS, hash};
use super::sfpu_calls::{SfpuCall, sfpu_special};
use super::state::ComputeState;
use super::unpack::Broadcast;
use crate::arch::{Arch, ArchName};
use crate::data_format::DataFormat;
use crate::kernel_config::ComputeOptions;
use crate::settings;

const BF16: Operand = Operand {
    cb: 0,
    format: DataFormat::Float16_b,
};

fn engines(wide: bool) -> ComputeState {
    let options = ComputeOptions {
        fp32_dest_acc_en: wide,
        ..Default::default()
    };
    let mut state = ComputeState::new(
        &options,
        Arch::of(ArchName::WormholeB0),
        settings::fpu().expect("a mode"),
    );
    state.engines.start(BF16, BF16, BF16, true).expect("the first startup");
    state.registers.acquire().expect("idle");
    state
}

/// A section of empty registers.
fn restart(state: &mut ComputeState) {
    let registers = &mut state.registers;
    registers.commit().and_then(|()| registers.wait()).expect("acquired");
    registers
        .release()
        .and_then(|()| registers.acquire())
        .expect("waited for");
}

fn page(seed: u32) -> Vec<u8> {
    let mut state = seed;
    (0..1024)
        .flat_map(|_| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            let value = (state >> 8) as f32 / (1 << 23) as f32 - 1.0;
            ((value.to_bits() >> 16) as u16).to_le_bytes()
        })
        .collect()
}

/// Time of one call, the best of several rounds.
fn time(mut call: impl FnMut()) -> Duration {
    let rounds = 200;
    (0..20)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..rounds {
                call();
            }
            start.elapsed() / rounds
        })
        .min()
        .unwrap_or_default()
}

fn tell(what: &str, tiles: u32, time: Duration) {
    println!(
        "{what:<36} {:>9.1} ns per tile",
        time.as_nanos() as f64 / f64::from(tiles)
    );
}

#[test]
#[ignore = "measures"]
fn figures() {
    let pages: Vec<_> = (0..4).map(page).collect();
    let operand = |i: usize| Page {
        operand: BF16,
        bytes: &pages[i],
    };
    for wide in [true, false] {
        let width = if wide { "fp32" } else { "bf16" };
        let mut state = engines(wide);
        let took = time(|| {
            state.matmul(
                [0, 1].into_iter().map(operand),
                [2, 3].into_iter().map(operand),
                0,
                false,
                &Ahead::default(),
            );
        });
        let flops = 4.0 * 2.0 * 32f64.powi(3) / took.as_secs_f64() / 1e9;
        println!("matmul_block 2x2, {width} destination: {flops:.1} GFLOP/s");
        tell(&format!("matmul_block 2x2, {width}"), 4, took);
        for (op, name) in [(Binary::Add, "add_tiles"), (Binary::Mul, "mul_tiles")] {
            let took = time(|| {
                restart(&mut state);
                state.binary(
                    op,
                    (Broadcast::None, 0),
                    [operand(0), operand(1)],
                    0,
                    false,
                    &Ahead::default(),
                );
            });
            tell(&format!("{name}, {width}"), 1, took);
        }
        let took = time(|| {
            state.binary(
                Binary::Mul,
                (Broadcast::None, 0),
                [operand(0), operand(1)],
                0,
                false,
                &Ahead::default(),
            )
        });
        tell(&format!("mul_tiles onto values, {width}"), 1, took);
        let took = time(|| {
            state.binary(
                Binary::Sub,
                (Broadcast::Col, 0),
                [operand(0), operand(1)],
                0,
                false,
                &Ahead::default(),
            )
        });
        tell(&format!("sub_tiles_bcast_cols, {width}"), 1, took);
        tell(
            &format!("copy_tile, {width}"),
            1,
            time(|| state.copy(operand(0), 0, false, Broadcast::None)),
        );
        state.engines.set_matrix(MatrixSetting::Copy {
            transpose: false,
            direct: false,
        });
        for register in 0..3 {
            state.copy(operand(register), register as u32, false, Broadcast::None);
        }
        for row in OPERATIONS.iter().filter(|row| !row.name.starts_with("sfpu_")) {
            state.engines.set_sfpu(SfpuSetting {
                init: row.init,
                variant: 0,
            });
            let call = SfpuCall {
                name: hash(row.name),
                variant: 0,
                inputs: [0, 1, 2],
                out: 3,
                words: [1f32.to_bits(); 3],
                mode: 4,
                how: [0; 2],
                flags: 0,
                format: sfpu_special::ANY_FORMAT,
            };
            let call = if matches!(row.work, super::sfpu::table::Work::One(_)) {
                SfpuCall { out: 0, ..call }
            } else {
                call
            };
            let took = time(|| {
                state.copy(operand(0), 0, false, Broadcast::None);
                state.sfpu(black_box(&call)).expect("a legal call");
            });
            if wide {
                tell(&format!("copy + {}", row.name), 1, took);
            }
        }
        state.registers.commit().expect("acquired");
        state.registers.wait().expect("committed");
        for (format, accumulate) in [
            (DataFormat::Float16_b, false),
            (DataFormat::Float32, false),
            (DataFormat::Float32, true),
            (DataFormat::Bfp8_b, false),
        ] {
            let mut page = vec![0u8; format.tile_bytes(32, 32)];
            state.engines.l1_accumulate = accumulate;
            let packer = state.packer(Operand { cb: 0, format }).expect("a format that packs");
            let took = time(|| state.pack(&packer, 0, black_box(&mut page)));
            tell(
                &format!("pack_tile to {format:?}, accumulate {accumulate}, {width}"),
                1,
                took,
            );
        }
    }
}
