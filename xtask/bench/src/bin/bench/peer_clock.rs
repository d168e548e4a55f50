//! The clock's cycles of a matmul beside those of the multicast matmul of `ttnn`, whose kernels are out of its wheel and run on the
//! same emulated chips.

use super::modelled::{clocked, multiplied};
use super::table::Row;
use super::{Measured, Scale};
use rayon::prelude::*;
use std::error::Error;
use tt::prelude::*;
use tt_conformance::production::multicast_matmul::{Blocks, case};
use tt_conformance::production::values::{Expected, Matrix};
use tt_conformance::production::{Wheel, run_case};
use tt_emulator::kernel_config::{ComputeOptions, MathFidelity};
use tt_emulator::{Arch, ArchName, DataFormat, Modelled};

/// How the peer is run.
struct Peer {
    /// In the table.
    name: &'static str,
    fidelity: MathFidelity,
    fp32_dest_acc_en: bool,
    /// Blocks for extents in tiles; the fastest count.
    blocks: fn([u32; 3], &Arch, bool) -> Vec<Blocks>,
    /// What multiplies and adds less exactly than ours has none.
    has_target: bool,
}

fn of_ttnn(extents: [u32; 3], arch: &Arch, fp32_dest_acc_en: bool) -> Vec<Blocks> {
    vec![Blocks::of_ttnn(extents, arch, fp32_dest_acc_en)]
}

/// As ours by default, in blocks that `ttnn.matmul` takes by itself and in others; in its finest and its default fidelity.
const PEERS: [Peer; 4] = [
    Peer {
        name: "HiFi3 and f32 sums as ours",
        fidelity: MathFidelity::HiFi3,
        fp32_dest_acc_en: true,
        blocks: of_ttnn,
        has_target: true,
    },
    Peer {
        name: "HiFi3 and f32 sums, fastest along K",
        fidelity: MathFidelity::HiFi3,
        fp32_dest_acc_en: true,
        blocks: Blocks::of_depths,
        has_target: true,
    },
    Peer {
        name: "HiFi4 and f32 sums",
        fidelity: MathFidelity::HiFi4,
        fp32_dest_acc_en: true,
        blocks: of_ttnn,
        has_target: true,
    },
    Peer {
        name: "HiFi2 and bf16 sums, its default",
        fidelity: MathFidelity::HiFi2,
        fp32_dest_acc_en: false,
        blocks: of_ttnn,
        has_target: false,
    },
];

pub fn peer_clock(scale: Scale) -> Measured {
    let extents: &[usize] = if scale.quick { &[256] } else { &[1024, 2048, 4096] };
    let wheel = Wheel::fetched()?;
    let mut rows = Vec::new();
    for extent in extents.iter().copied() {
        let operands = Operands::new([extent; 3]);
        for arch in ArchName::ALL {
            let ours = operands.ours(arch)?;
            for peer in &PEERS {
                let (blocks, theirs) = peer.fastest(&operands, &wheel, arch)?;
                rows.push(row(&operands, arch, &ours, peer, &blocks, &theirs));
            }
        }
    }
    Ok(rows)
}

/// What is multiplied, and the product.
struct Operands {
    a: Matrix,
    b: Matrix,
    c: Matrix,
}

impl Operands {
    /// Random values of [m, k] and [k, n] in [-1, 1).
    fn new([m, n, k]: [usize; 3]) -> Operands {
        let a = Matrix::random(m, k, 1, -1.0, 1.0);
        let b = Matrix::random(k, n, 2, -1.0, 1.0);
        let c = product(&a, &b);
        Operands { a, b, c }
    }

    /// m, n and k.
    fn extents(&self) -> [usize; 3] {
        [self.a.rows, self.b.columns, self.a.columns]
    }

    /// Our cycles, and what they are of.
    fn ours(&self, arch: ArchName) -> Result<(f64, String), Box<dyn Error>> {
        let [m, n, k] = self.extents();
        let device = Device::open_named(&format!("emulator:{arch}"))?;
        let bf16s = |matrix: &Matrix| -> Vec<bf16> {
            let values = matrix.values.iter();
            values.map(|value| bf16::from_f32(*value as f32)).collect()
        };
        let (a, b) = (
            device.upload(&bf16s(&self.a), [m, k])?,
            device.upload(&bf16s(&self.b), [k, n])?,
        );
        let mut c = device.zeros::<bf16>([m, n])?;
        let clocked = clocked(multiplied(&a, &b, &mut c))?;
        Ok((clocked.cycles, clocked.what))
    }
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

impl Peer {
    /// The blocks that take the fewest cycles, and what the clock says of them. All results are checked.
    fn fastest(
        &self,
        operands: &Operands,
        wheel: &Wheel,
        arch: ArchName,
    ) -> Result<(Blocks, Modelled), Box<dyn Error>> {
        let tiles = operands.extents().map(|extent| extent.div_ceil(32) as u32);
        let mut runs = Vec::new();
        for blocks in (self.blocks)(tiles, Arch::of(arch), self.fp32_dest_acc_en) {
            let options = ComputeOptions {
                math_fidelity: self.fidelity,
                fp32_dest_acc_en: self.fp32_dest_acc_en,
                ..ComputeOptions::default()
            };
            let Operands { a, b, .. } = operands;
            let case = case("matmul", a, b, self.expected(operands), &blocks, options);
            let device = tt_emulator::Device::open_arch(0, arch)?;
            device.set_clock(true);
            let counters = run_case(&case, wheel, &device)?.counters;
            runs.push((blocks, counters.modelled.ok_or("the clock is on")?));
        }
        let fastest = runs.into_iter().min_by_key(|(_, modelled)| modelled.cycles);
        Ok(fastest.ok_or("no blocks fit")?)
    }

    /// What the product has to be. HiFi3 leaves out the product of the three lowest of eight bits by the lowest one; HiFi2 and sums in
    /// 16 bit are off by more, which is a small part of how far the values of a product are from each other.
    fn expected(&self, operands: &Operands) -> Expected {
        let k = operands.a.columns as f64;
        let absolute = match self.fp32_dest_acc_en {
            true => 7.0 / 65536.0 * k,
            false => k.sqrt() / 12.0,
        };
        operands.c.near(DataFormat::Float16_b, absolute, 1.0 / 256.0)
    }
}

fn row(
    operands: &Operands,
    arch: ArchName,
    (cycles, ours): &(f64, String),
    peer: &Peer,
    blocks: &Blocks,
    theirs: &Modelled,
) -> Row {
    let [m, n, k] = operands.extents();
    let ratio = cycles / theirs.cycles as f64;
    let what = format!("bf16 matmul {m} × {n} × {k}, {arch}; peer: {}", peer.name);
    let other = format!(
        "{:.1} k cycles, {blocks}; bound by {}, matrix engine busy {:.0} %",
        theirs.cycles as f64 / 1e3,
        theirs.bound(),
        theirs.used.matrix * 100.0
    );
    let text = format!("{ratio:.3} ×");
    match peer.has_target {
        true => Row::new(what, ours, other, text, "at most 1 ×", ratio <= 1.0),
        false => Row::with_ratio(what, ours, other, text),
    }
}
