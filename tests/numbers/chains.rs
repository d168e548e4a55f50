//! What sums of bf16 lose: those in a chain, and those that are stored as f32. The page says so in words; these are its numbers.

use super::kernel::{CHIPS, compile, rows, run};
use tt::{Device, Zeros, bf16};
use tt_host::{Argument, Launch};

/// Numbers up to 100.
fn numbers(seed: u32) -> Vec<bf16> {
    let mut state = seed;
    let number = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bf16::from_f32(((state >> 8) as f32 / (1 << 23) as f32 - 1.0) * 100.0)
    };
    (0..8192).map(number).collect()
}

/// An operation on two numbers.
type Value = fn(f64, f64) -> f64;

/// The first step of a chain, the chain, and what its second step makes of the first one's result.
const CHAINS: [(&str, &str, Value); 6] = [
    ("x + y", "(x + y) + z", |a, b| a + b),
    ("x - y", "(x - y) - z", |a, b| a - b),
    ("x * y", "(x * y) + z", |a, b| a + b),
    ("x / y", "(x / y) + z", |a, b| a + b),
    ("x + y", "(x + y) * z", |a, b| a * b),
    ("x * y", "(x * y) * z", |a, b| a * b),
];

#[test]
fn sums_in_a_chain_are_cut_and_products_are_rounded() {
    let [x, y, z] = [1, 2, 3].map(numbers);
    let of_blocks = |text: &str| {
        let names = ["x", "y", "z"].into_iter();
        names.fold(text.to_owned(), |text, name| {
            text.replace(name, &format!("{name}[(i, j)]"))
        })
    };
    for chip in CHIPS {
        for (first, both, second) in CHAINS {
            let inputs = ["x", "y", "z"].map(str::to_owned);
            let kernel = compile(&rows::<bf16>(&inputs, &[], &[of_blocks(first), of_blocks(both)]));
            let results = run(chip, kernel, &[&x, &y, &z], &[], 2);
            let is_sum = !both.ends_with("* z");
            for ((step, got), z) in results.device[0].iter().zip(&results.device[1]).zip(&z) {
                let (got, exact) = (f64::from(*got), second(f64::from(*step), z.to_f64()));
                if exact == 0.0 {
                    continue;
                }
                let unit = 2f64.powi(exact.abs().log2().floor() as i32 - 7);
                let is_right = match is_sum {
                    true => got.abs() <= exact.abs() && (exact - got).abs() < unit,
                    false => (exact - got).abs() <= unit / 2.0,
                };
                assert!(is_right, "{chip} {both}: {step} and {z} give {got}, not {exact}");
            }
        }
    }
}

#[test]
fn an_infinity_is_two_to_the_128_to_sums_of_bf16_blocks() {
    let (x, y) = (vec![bf16::INFINITY; 8192], vec![bf16::MAX; 8192]);
    let inputs = ["x", "y"].map(str::to_owned);
    let differences = ["x[(i, j)] - y[(i, j)]", "y[(i, j)] - x[(i, j)]"].map(str::to_owned);
    for chip in CHIPS {
        let kernel = compile(&rows::<bf16>(&inputs, &[], &differences));
        let results = run(chip, kernel, &[&x, &y], &[], 2);
        for (results, wanted) in results.device.iter().zip([2f64.powi(120), -(2f64.powi(120))]) {
            assert!(
                results.iter().all(|got| f64::from(*got) == wanted),
                "{chip}: {}, not {wanted}",
                results[0]
            );
        }
    }
}

/// The sum of two blocks of bf16, stored as f32.
const SUM_AS_F32: &str =
    "fn kernel<const N: usize>(x: &Tensor<bf16, 1, N>, y: &Tensor<bf16, 1, N>, sums: &mut Tensor<f32, 1, N>) {
    let bx = T.Kernel(N.div_ceil(64));
    let left = T.alloc_shared::<bf16>(1, 64);
    let right = T.alloc_shared::<bf16>(1, 64);
    let sum = T.alloc_fragment::<f32>(1, 64);
    T.copy(x[(0, bx * 64)], left);
    T.copy(y[(0, bx * 64)], right);
    for (i, j) in T.Parallel(1, 64) { sum[(i, j)] = left[(i, j)] + right[(i, j)]; }
    T.copy(sum, sums[(0, bx * 64)]);
}";

#[test]
fn a_sum_of_bf16_blocks_has_eleven_bits_of_its_larger_term() -> tt::Result<()> {
    let [x, y] = [1, 2].map(numbers);
    let kernel = compile(SUM_AS_F32);
    for chip in CHIPS {
        let device = Device::open_named(chip)?;
        let shape = [1, x.len()];
        let (left, right) = (device.upload(&x, shape)?, device.upload(&y, shape)?);
        let mut sums = device.zeros::<f32>(shape)?;
        let arguments = vec![Argument::from(&left), Argument::from(&right), Argument::from(&mut sums)];
        Launch::new(kernel, arguments).run()?;
        let mut most = 0f32;
        for ((x, y), sum) in x.iter().zip(&y).zip(sums.download()?) {
            let (x, y) = (x.to_f32(), y.to_f32());
            let larger = 2f32.powi(x.abs().max(y.abs()).log2().floor() as i32);
            most = most.max((x + y - sum).abs() / larger);
        }
        assert!(most <= 1.0 / 2048.0 && most > 1.0 / 4096.0, "{chip}: {most:e}");
    }
    Ok(())
}
