//! The clock's cycles of a matmul beside those of the multicast matmul of `ttnn`, whose kernels are out of its wheel and run on the same
//! emulated chips.

use super::modelled::{blocked, clocked};
use super::table::Row;
use super::{Measured, Scale};
use rayon::prelude::*;
use std::error::Error;
use tt::prelude::*;
use tt_conformance::production::multicast_matmul::{Blocks, case};
use tt_conformance::production::values::{Expected, Matrix};
use tt_conformance::production::{Wheel, run_case};
use tt_emulator::kernel_config::{ComputeOptions, MathFidelity};
use tt_emulator::{Arch, ArchName, DataFormat};

/// How the peer multiplies and adds.
struct Mode {
    fidelity: MathFidelity,
    fp32_dest_acc_en: bool,
    /// As ours or finer; what is coarser has no target.
    is_as_fine: bool,
}

/// As ours by default, as fine as the engine gets, and as `ttnn.matmul` does by default.
const MODES: [Mode; 3] = [
    Mode {
        fidelity: MathFidelity::HiFi3,
        fp32_dest_acc_en: true,
        is_as_fine: true,
    },
    Mode {
        fidelity: MathFidelity::HiFi4,
        fp32_dest_acc_en: true,
        is_as_fine: true,
    },
    Mode {
        fidelity: MathFidelity::HiFi2,
        fp32_dest_acc_en: false,
        is_as_fine: false,
    },
];

impl Mode {
    fn options(&self) -> ComputeOptions {
        ComputeOptions {
            math_fidelity: self.fidelity,
            fp32_dest_acc_en: self.fp32_dest_acc_en,
            ..ComputeOptions::default()
        }
    }

    /// What the product `c` has to be with values of up to 1. HiFi3 leaves out the product of the three lowest of eight bits by the lowest
    /// one; HiFi2 and sums in 16 bit are off by more, which is a small part of how far values of `c` are from each other.
    fn expected(&self, c: &Matrix, k: usize) -> Expected {
        let spread = (k as f64).sqrt() / 3.0;
        let absolute = if self.fp32_dest_acc_en {
            7.0 / 65536.0 * k as f64
        } else {
            spread / 4.0
        };
        c.near(DataFormat::Float16_b, absolute, 1.0 / 256.0)
    }
}

pub fn peer_clock(scale: Scale) -> Measured {
    let extents: &[usize] = if scale.quick { &[256] } else { &[1024, 2048, 4096] };
    let wheel = Wheel::fetched()?;
    let mut rows = Vec::new();
    for extent in extents.iter().copied() {
        let a = Matrix::random(extent, extent, 1, -1.0, 1.0);
        let b = Matrix::random(extent, extent, 2, -1.0, 1.0);
        let c = product(&a, &b);
        for arch in ArchName::ALL {
            let ours = ours(arch, extent)?;
            for mode in &MODES {
                rows.push(beside(&ours, arch, mode, &wheel, [&a, &b, &c])?);
            }
        }
    }
    Ok(rows)
}

/// The product by plain loops in f32, a few rows at a time.
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    const ROWS: usize = 16;
    let narrow = |matrix: &Matrix| matrix.values.iter().map(|value| *value as f32).collect::<Vec<f32>>();
    let (left, right, mut c) = (narrow(a), narrow(b), vec![0.0f32; a.rows * b.columns]);
    let rows = c
        .par_chunks_mut(ROWS * b.columns)
        .zip(left.par_chunks(ROWS * a.columns));
    rows.for_each(|(c, left)| {
        for (k, right) in right.chunks(b.columns).enumerate() {
            for (c, left) in c.chunks_mut(b.columns).zip(left.chunks(a.columns)) {
                c.iter_mut().zip(right).for_each(|(c, right)| *c += left[k] * right);
            }
        }
    });
    Matrix {
        rows: a.rows,
        columns: b.columns,
        values: c.into_iter().map(f64::from).collect(),
    }
}

/// Our cycles, and what they are of.
fn ours(arch: ArchName, extent: usize) -> Result<(f64, String), Box<dyn Error>> {
    let device = Device::open_named(&format!("emulator:{arch}"))?;
    let ones = device.upload(&vec![bf16::ONE; extent * extent], [extent, extent])?;
    let mut c = device.zeros::<bf16>([extent, extent])?;
    let clocked = clocked(blocked(&ones, &ones, &mut c))?;
    Ok((clocked.cycles, clocked.what))
}

fn beside(
    (cycles, what): &(f64, String),
    arch: ArchName,
    mode: &Mode,
    wheel: &Wheel,
    [a, b, c]: [&Matrix; 3],
) -> Result<Row, Box<dyn Error>> {
    let tiles = |extent: usize| (extent / 32) as u32;
    let extents = [tiles(a.rows), tiles(b.columns), tiles(a.columns)];
    let blocks = Blocks::of_ttnn(extents, Arch::of(arch), mode.fp32_dest_acc_en);
    let case = case("matmul", a, b, mode.expected(c, a.columns), &blocks, mode.options());
    let device = tt_emulator::Device::open_arch(0, arch)?;
    device.set_clock(true);
    let outcome = run_case(&case, wheel, &device)?;
    let theirs = outcome.counters.modelled.ok_or("the clock is on")?;
    let ratio = cycles / theirs.cycles as f64;
    let what_of_it = format!(
        "bf16 matmul {} × {} × {}, {arch}, peer in {:?} with {} sums",
        a.rows,
        b.columns,
        a.columns,
        mode.fidelity,
        if mode.fp32_dest_acc_en { "f32" } else { "16-bit" },
    );
    let other = format!(
        "{:.1} k cycles, {blocks}; bound by {}",
        theirs.cycles as f64 / 1e3,
        theirs.bound()
    );
    eprintln!("{what_of_it}\n{theirs}");
    let ratio_text = format!("{ratio:.2} ×");
    Ok(match mode.is_as_fine {
        true => Row::new(what_of_it, what, other, ratio_text, "at most 1 ×", ratio <= 1.0),
        false => Row::with_ratio(what_of_it, what, other, ratio_text),
    })
}
