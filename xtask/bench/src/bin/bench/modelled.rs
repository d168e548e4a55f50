//! Kernels by the emulator's clock (docs/clock.md): matmuls against the time that their products alone take on all cores, what is done to
//! products against the products, and what moves more than it computes against what the chip was measured to move.

use super::table::Row;
use super::traffic::traffic;
use super::{Measured, Scale};
use tt::prelude::*;
use tt::{Device, Launch};
use tt_plan::ArchName;

/// C = A · B, in blocks that the launch chooses.
#[tt::kernel(variants(BM = [64, 128, 160, 256], BN = [32, 64, 96, 128], BK = [128]))]
fn in_small_blocks<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(BN), M.div_ceil(BM));
    let a_block = T.alloc_shared::<bf16>(BM, BK);
    let b_block = T.alloc_shared::<bf16>(BK, BN);
    let acc = T.alloc_fragment::<f32>(BM, BN);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(BK), num_stages = 3) {
        T.copy(a[(by * BM, k * BK)], a_block);
        T.copy(b[(k * BK, bx * BN)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * BM, bx * BN)]);
}

/// The same for larger matrices, in larger blocks: a kernel has 16 variants at most.
#[tt::kernel(variants(BM = [64, 128, 160, 256], BN = [64, 128, 224, 256], BK = [128]))]
fn blocked<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(BN), M.div_ceil(BM));
    let a_block = T.alloc_shared::<bf16>(BM, BK);
    let b_block = T.alloc_shared::<bf16>(BK, BN);
    let acc = T.alloc_fragment::<f32>(BM, BN);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(BK), num_stages = 2) {
        T.copy(a[(by * BM, k * BK)], a_block);
        T.copy(b[(k * BK, bx * BN)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * BM, bx * BN)]);
}

/// The same for the largest.
#[tt::kernel(variants(BM = [224, 256, 416, 512], BN = [128, 160, 256, 320], BK = [128]))]
fn in_large_blocks<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(BN), M.div_ceil(BM));
    let a_block = T.alloc_shared::<bf16>(BM, BK);
    let b_block = T.alloc_shared::<bf16>(BK, BN);
    let acc = T.alloc_fragment::<f32>(BM, BN);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(BK), num_stages = 2) {
        T.copy(a[(by * BM, k * BK)], a_block);
        T.copy(b[(k * BK, bx * BN)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(acc, c[(by * BM, bx * BN)]);
}

/// The matmul in blocks of these that suit the extents.
pub fn multiplied<'t>(a: &'t Tensor<bf16, 2>, b: &'t Tensor<bf16, 2>, c: &'t mut Tensor<bf16, 2>) -> Launch<'t> {
    let [m, n] = c.shape();
    if m.min(n) >= 4096 {
        in_large_blocks(a, b, c)
    } else if n <= 1024 {
        in_small_blocks(a, b, c)
    } else {
        blocked(a, b, c)
    }
}

/// The second, with a bias for every column and gelu.
#[tt::kernel(variants(BM = [64, 128, 160, 256], BN = [64, 128, 224, 256], BK = [128]))]
fn linear_gelu<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    bias: &Tensor<bf16, N>,
    c: &mut Tensor<bf16, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(BN), M.div_ceil(BM));
    let a_block = T.alloc_shared::<bf16>(BM, BK);
    let b_block = T.alloc_shared::<bf16>(BK, BN);
    let row = T.alloc_shared::<bf16>(BN);
    let acc = T.alloc_fragment::<f32>(BM, BN);
    T.clear(acc);
    for k in T.Pipelined(K.div_ceil(BK), num_stages = 2) {
        T.copy(a[(by * BM, k * BK)], a_block);
        T.copy(b[(k * BK, bx * BN)], b_block);
        T.gemm(a_block, b_block, acc);
    }
    T.copy(bias[bx * BN], row);
    for (i, j) in T.Parallel(BM, BN) {
        acc[(i, j)] = (acc[(i, j)] + row[j]).gelu();
    }
    T.copy(acc, c[(by * BM, bx * BN)]);
}

/// y = a + b
#[tt::kernel]
fn add<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(256), M.div_ceil(32));
    let left = T.alloc_shared::<bf16>(32, 256);
    let right = T.alloc_shared::<bf16>(32, 256);
    let out = T.alloc_fragment::<bf16>(32, 256);
    T.copy(a[(by * 32, bx * 256)], left);
    T.copy(b[(by * 32, bx * 256)], right);
    for (i, j) in T.Parallel(32, 256) {
        out[(i, j)] = left[(i, j)] + right[(i, j)];
    }
    T.copy(out, y[(by * 32, bx * 256)]);
}

/// y = a + a row
#[tt::kernel]
fn add_row<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<bf16, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(256), M.div_ceil(32));
    let left = T.alloc_shared::<bf16>(32, 256);
    let row = T.alloc_shared::<bf16>(256);
    let out = T.alloc_fragment::<bf16>(32, 256);
    T.copy(a[(by * 32, bx * 256)], left);
    T.copy(b[bx * 256], row);
    for (i, j) in T.Parallel(32, 256) {
        out[(i, j)] = left[(i, j)] + row[j];
    }
    T.copy(out, y[(by * 32, bx * 256)]);
}

/// y = relu((a + b) · a)
#[tt::kernel]
fn chain<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(256), M.div_ceil(32));
    let left = T.alloc_shared::<bf16>(32, 256);
    let right = T.alloc_shared::<bf16>(32, 256);
    let out = T.alloc_fragment::<bf16>(32, 256);
    T.copy(a[(by * 32, bx * 256)], left);
    T.copy(b[(by * 32, bx * 256)], right);
    for (i, j) in T.Parallel(32, 256) {
        out[(i, j)] = ((left[(i, j)] + right[(i, j)]) * left[(i, j)]).relu();
    }
    T.copy(out, y[(by * 32, bx * 256)]);
}

/// Cycles of a core for the product of two tiles, in HiFi4 and in HiFi3: 16 for each phase (`tt-device/src/costs`). The published tables
/// count by the first (performance.md); the kernels here multiply in the second, as they do by default.
const CYCLES_OF_A_PRODUCT: [f64; 2] = [64.0, 48.0];

/// What a launch is, by the clock.
pub struct Clocked {
    pub cycles: f64,
    nanoseconds: f64,
    /// Bytes read from DRAM, and written.
    moved: [f64; 2],
    /// Its cycles, as estimated, its variant and what it read.
    pub what: String,
}

pub fn clocked(launch: Launch<'_>) -> Result<Clocked, Box<dyn std::error::Error>> {
    let constants = launch.variant()?.iter();
    let constants: Vec<String> = constants.map(|(name, value)| format!(", {name} = {value}")).collect();
    let estimate = launch.estimate()?.ok_or("no count depends on a tensor")?;
    let profile = launch.profile()?;
    let counters = profile
        .counters
        .as_ref()
        .and_then(|counters| counters.modelled.as_ref());
    let counters = counters.ok_or("the emulator has a clock")?;
    let (cycles, nanoseconds) = (counters.cycles as f64, counters.nanoseconds as f64);
    let moved = traffic(&profile)?;
    let moved = [moved.read as f64, moved.written as f64];
    let what = format!(
        "{:.1} k cycles ({:.1} k estimated){}; {:.1} MB read",
        cycles / 1e3,
        estimate / 1e3,
        constants.concat(),
        moved[0] / 1e6
    );
    Ok(Clocked {
        cycles,
        nanoseconds,
        moved,
        what,
    })
}

pub fn modelled(scale: Scale) -> Measured {
    let shapes: &[[usize; 3]] = match scale.quick {
        true => &[[256, 256, 256]],
        false => &[
            [256, 256, 256],
            [512, 512, 512],
            [1024, 1024, 1024],
            [2048, 2048, 2048],
            [4096, 4096, 4096],
            [8192, 8192, 8192],
            [2048, 256, 1024],
            [256, 4096, 512],
        ],
    };
    let mut rows = Vec::new();
    for chip in ["wormhole_b0", "blackhole"] {
        let device = Device::open_named(&format!("emulator:{chip}"))?;
        for shape in shapes.iter().copied() {
            rows.extend(matmul(&device, chip, shape)?);
        }
        let extent = if scale.quick { 256 } else { 2048 };
        rows.push(with_gelu(&device, chip, extent)?);
        rows.extend(moving(&device, chip, extent * 2)?);
    }
    Ok(rows)
}

/// Bytes read from DRAM by a matmul in the blocks that let it read least: of those whose sums in f32, results and two versions of operands,
/// 128 along K, fit in L1, in a rectangle of all cores of which rows and columns share what they read.
fn least_read(device: &Device, chip: ArchName, [m, n, k]: [usize; 3]) -> f64 {
    const BK: usize = 128;
    let fits = |rows: usize, columns: usize| {
        let bytes = rows * columns * (4 + 2) + 2 * 2 * BK * (rows + columns);
        bytes as u64 <= chip.chip().l1_bytes
    };
    let grid = device.grid();
    let (x, y) = (grid.x as usize, grid.y as usize);
    let mut least = f64::INFINITY;
    for (down, along) in [(x, y), (y, x)] {
        for rows in (32..=m.next_multiple_of(32)).step_by(32) {
            let fitting = (32..=n.next_multiple_of(32))
                .step_by(32)
                .take_while(|columns| fits(rows, *columns));
            let Some(columns) = fitting.last() else { break };
            let [of_a, of_b] = [n.div_ceil(along * columns), m.div_ceil(down * rows)];
            least = least.min((2 * (of_a * m * k + of_b * k * n)) as f64);
        }
    }
    least
}

fn matmul(device: &Device, chip: &str, [m, n, k]: [usize; 3]) -> Result<[Row; 2], Box<dyn std::error::Error>> {
    let cores = f64::from(device.grid().x * device.grid().y);
    let (a, b) = (
        device.upload(&vec![bf16::ONE; m * k], [m, k])?,
        device.upload(&vec![bf16::ONE; k * n], [k, n])?,
    );
    let mut c = device.zeros::<bf16>([m, n])?;
    let clocked = clocked(multiplied(&a, &b, &mut c))?;
    let once = (m * k + k * n) as f64 * 2.0 / 1e6;
    let products: f64 = [m, n, k].map(|extent| extent.div_ceil(32) as f64).iter().product();
    let least = CYCLES_OF_A_PRODUCT.map(|cycles| products * cycles / cores);
    let [share, own] = least.map(|least| least / clocked.cycles * 100.0);
    let target = match (chip, m.min(n).min(k)) {
        ("wormhole_b0", 2048..) | (_, 4096..) => Some(85.0),
        (_, 2048..) => Some(75.0),
        _ => None,
    };
    let what = format!("bf16 matmul {m} × {n} × {k}, {chip}");
    let arch: ArchName = chip.parse()?;
    let least_read = least_read(device, arch, [m, n, k]);
    let times = clocked.moved[0] / least_read;
    let read = Row::new(
        format!("{what}: read from DRAM"),
        format!("{:.1} MB", clocked.moved[0] / 1e6),
        format!("in blocks as large as L1 allows: {:.1} MB", least_read / 1e6),
        format!("{times:.2} ×"),
        "at most 1.1 ×".to_string(),
        times <= 1.1,
    );
    let other = format!(
        "products alone: {:.1} k in HiFi4, {:.1} k in HiFi3; operands once: {once:.1} MB",
        least[0] / 1e3,
        least[1] / 1e3
    );
    let ratio = format!("{share:.1} % of the peak of HiFi4, {own:.1} % of HiFi3's");
    let share = match target {
        Some(wanted) => Row::new(
            what,
            clocked.what,
            other,
            ratio,
            format!("at least {wanted} % of the first"),
            share >= wanted,
        ),
        None => Row::with_ratio(what, clocked.what, other, ratio),
    };
    Ok([share, read])
}

fn with_gelu(device: &Device, chip: &str, extent: usize) -> Result<Row, Box<dyn std::error::Error>> {
    let ones = vec![bf16::ONE; extent * extent];
    let (a, b) = (
        device.upload(&ones, [extent, extent])?,
        device.upload(&ones, [extent, extent])?,
    );
    let bias = device.upload(&vec![bf16::ONE; extent], [extent])?;
    let mut c = device.zeros::<bf16>([extent, extent])?;
    let alone = clocked(blocked(&a, &b, &mut c))?;
    let both = clocked(linear_gelu(&a, &b, &bias, &mut c))?;
    let ratio = both.cycles / alone.cycles;
    Ok(Row::new(
        format!("gelu(A · B + a row), {extent}³, {chip}"),
        both.what,
        format!("the matmul: {:.1} k cycles", alone.cycles / 1e3),
        format!("{ratio:.2} ×"),
        "at most 1.15 ×".to_string(),
        ratio <= 1.15,
    ))
}

fn moving(device: &Device, chip: &str, extent: usize) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    // silicon.md §2.1: dram_saturation, and dual_noc_read on one NoC.
    let measured = if chip == "wormhole_b0" { 193.0 } else { 358.0 };
    let ones = vec![bf16::ONE; extent * extent];
    let (a, b) = (
        device.upload(&ones, [extent, extent])?,
        device.upload(&ones, [extent, extent])?,
    );
    let row = device.upload(&vec![bf16::ONE; extent], [extent])?;
    let mut y = device.zeros::<bf16>([extent, extent])?;
    let launches = [
        ("A + B", clocked(add(&a, &b, &mut y))?),
        ("A + a row", clocked(add_row(&a, &row, &mut y))?),
        ("relu((A + B) · A)", clocked(chain(&a, &b, &mut y))?),
    ];
    let rows = launches.into_iter().map(|(name, clocked)| {
        let rate = clocked.moved.iter().sum::<f64>() / clocked.nanoseconds;
        let share = rate / measured * 100.0;
        Row::new(
            format!("{name}, {extent}², {chip}"),
            clocked.what,
            format!("{rate:.0} GB/s of {measured} measured on the chip"),
            format!("{share:.0} %"),
            "at least 95 %".to_string(),
            share >= 95.0,
        )
    });
    Ok(rows.collect())
}
