//! How near sums of products are, in the emulator's default arithmetic and in a chip's.

use super::kernel::{CHIPS, compile_with};
use super::page;
use std::process::Command;
use tt::{Device, Zeros, bf16};
use tt_host::{Argument, Launch};

/// The product of `x` and `y`, which is stored as `f32`.
const PRODUCT: &str =
    "fn kernel<const K: usize>(x: &Tensor<bf16, 64, K>, y: &Tensor<bf16, K, 64>, z: &mut Tensor<f32, 64, 64>) {
    let bx = T.Kernel(1);
    let left = T.alloc_shared::<bf16>(64, 32);
    let right = T.alloc_shared::<bf16>(32, 64);
    let sum = T.alloc_fragment::<f32>(64, 64);
    T.clear(sum);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(x[(bx * 64, k * 32)], left);
        T.copy(y[(k * 32, bx * 64)], right);
        T.gemm(left, right, sum);
    }
    T.copy(sum, z[(bx * 64, 0)]);
}";
const SIDE: usize = 64;
const LENGTHS: [usize; 2] = [32, 4096];
const FIDELITIES: [&str; 4] = ["LoFi", "HiFi2", "HiFi3", "HiFi4"];

/// What factors are like, and the number that becomes one of three random ones from 0 to 1.
type Factors = (&'static str, fn([f64; 3]) -> f64);
const FACTORS: [Factors; 3] = [
    ("-1 to 1", |[x, ..]| 2.0 * x - 1.0),
    ("0 to 1", |[x, ..]| x),
    ("2⁻¹⁶ to 1, evenly by exponent, of both signs", |[x, y, _]| {
        (-16.0 * x).exp2() * if y < 0.5 { -1.0 } else { 1.0 }
    }),
];

/// Random numbers.
fn numbers(seed: u32, count: usize, number: fn([f64; 3]) -> f64) -> Vec<bf16> {
    let mut state = seed;
    let mut unit = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    };
    (0..count)
        .map(|_| bf16::from_f64(number([unit(), unit(), unit()])))
        .collect()
}

/// The root of a mean square.
fn root_mean_square(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + value * value));
    (sum / f64::from(count)).sqrt()
}

/// Sums of products, and what a launch says of a chip's.
struct Sums {
    formed: Vec<f64>,
    /// How far a chip's are from these, as the profile has it.
    from_chip: Option<f64>,
    /// Without rounding.
    exact: Vec<f64>,
}

fn sums(chip: &str, (factors, fidelity, length): Case) -> tt::Result<Sums> {
    let kernel = compile_with(&format!("fidelity = {fidelity}"), PRODUCT);
    let device = Device::open_named(chip)?;
    let [x, y] = [1, 2].map(|seed| numbers(seed, SIDE * length, factors.1));
    let (left, right) = (device.upload(&x, [SIDE, length])?, device.upload(&y, [length, SIDE])?);
    let mut product = device.zeros::<f32>([SIDE, SIDE])?;
    let arguments = vec![
        Argument::from(&left),
        Argument::from(&right),
        Argument::from(&mut product),
    ];
    let profile = Launch::new(kernel, arguments).profile()?;
    let sum = |at: usize| -> f64 {
        let (row, column) = (at / SIDE, at % SIDE);
        let products = (0..length).map(|k| x[row * length + k].to_f64() * y[k * SIDE + column].to_f64());
        products.sum()
    };
    let exact: Vec<f64> = (0..SIDE * SIDE).map(sum).collect();
    let size = root_mean_square(exact.iter().copied());
    let counters = profile.counters.expect("the emulator counts").total.compute;
    Ok(Sums {
        formed: product.download()?.into_iter().map(f64::from).collect(),
        from_chip: counters.from_chip.of_sums(length as u64, size),
        exact,
    })
}

/// The root of the mean square of differences, as a part of that of what is to come out.
fn apart(found: &[f64], wanted: &[f64], size: &[f64]) -> f64 {
    let differences = found.iter().zip(wanted).map(|(found, wanted)| found - wanted);
    root_mean_square(differences) / root_mean_square(size.iter().copied())
}

/// Factors, a fidelity and how many products are added.
type Case = (Factors, &'static str, usize);

fn cases() -> impl Iterator<Item = Case> {
    FACTORS.into_iter().flat_map(|factors| {
        let of_factors = move |fidelity| LENGTHS.map(|length| (factors, fidelity, length));
        FIDELITIES.into_iter().flat_map(of_factors)
    })
}

fn run(chip: &str, case: Case) -> Sums {
    sums(chip, case).unwrap_or_else(|error| panic!("{chip}: {error}"))
}

const MARK: &str = "formed:";

#[test]
#[ignore = "run by the next one, with the arithmetic of a chip"]
fn print() {
    for chip in CHIPS {
        for case in cases() {
            println!("{MARK}{:?}", run(chip, case).formed);
        }
    }
}

#[test]
fn sums_of_products_are_as_near_as_the_page_and_profiles_say() {
    // The environment of a process chooses its arithmetic.
    let mut as_chip = Command::new(std::env::current_exe().expect("this test"));
    as_chip.args(["--exact", "sums::print", "--ignored", "--nocapture"]);
    let output = as_chip.env("TT_EMULATOR_FPU", "exact").output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text.lines().filter_map(|line| line.split_once(MARK));
    let mut of_chip = lines.map(|(_, list)| serde_json::from_str::<Vec<f64>>(list).expect("numbers"));
    let tables = CHIPS.map(|chip| {
        let mut table = String::new();
        for case @ ((factors, _), fidelity, length) in cases() {
            let on_chip = of_chip.next().expect("as many as here");
            let Sums {
                formed,
                from_chip,
                exact,
            } = run(chip, case);
            let [formed_error, chip_error] = [&formed, &on_chip].map(|found| apart(found, &exact, &exact));
            let distance = apart(&on_chip, &formed, &exact);
            let said = from_chip.expect("compared") / root_mean_square(exact.iter().copied());
            assert!(
                (0.7..1.4).contains(&(said / distance)),
                "{chip}, {factors}, {fidelity}, {length}: {distance:e}, the profile says {said:e}"
            );
            let row = format!("{formed_error:.1e} | {chip_error:.1e} | {distance:.1e} | {said:.1e}");
            table += &format!("| {factors} | {length} | {fidelity} | {row} |\n");
        }
        table
    });
    assert_eq!(tables[0], tables[1], "the chips differ");
    page::hold("sums", &tables[0]);
}
