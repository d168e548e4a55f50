//! Inputs that operations are measured with, and what the emulator makes of them.
//!
//! One 16-bit register takes every pattern of bf16. Where there are more, or where they are 32 bits wide, 65536 values (or
//! pairs, or triples) cover every exponent, crowd between 2^−15 and 2^9 and hold the special values against each other.

use super::cases::Case;
use super::fold::Fold;
use super::run::{Call, VectorMode, run};
use super::table::{hash, operation};
use super::unit::Unit;
use crate::arch::ArchName;
use crate::compute::destination::Destination;
use crate::compute::pack::ReduceDim;
use crate::compute::tile::{TILE, Tile};
use crate::compute::unpack::Broadcast;

/// Values per input.
pub const COUNT: usize = 64 * TILE;

/// A sample of the record is so far from the next.
const SAMPLES: usize = 8191;

const NAN: u32 = 0x7fc0_0000;
const INFINITY: u32 = 0x7f80_0000;
const SIGN: u32 = 0x8000_0000;

/// Held against each other in the first 1024 pairs.
const SPECIAL: [u32; 32] = [
    0,
    SIGN,
    0x3f80_0000,
    0xbf80_0000,
    INFINITY,
    SIGN | INFINITY,
    NAN,
    SIGN | NAN,
    0x4000_0000,
    0xc000_0000,
    0x3f00_0000,
    0xbf00_0000,
    0x4040_0000,
    0xc040_0000,
    0x4120_0000,
    0xc120_0000,
    0x42b0_0000,
    0xc2b0_0000,
    0x4300_0000,
    0xc300_0000,
    0x7f7f_0000,
    0xff7f_0000,
    0x0080_0000,
    0x8080_0000,
    0x3eaa_0000,
    0xbeaa_0000,
    0x4049_0000,
    0xc049_0000,
    0x3f81_0000,
    0xbf81_0000,
    0x3f7f_0000,
    0xbf7f_0000,
];

/// Mantissas that one value in eight has.
const MANTISSAS: [u32; 8] = [0, 0x7f_ffff, 0x40_0000, 0x7f_0000, 0x01_0000, 0x20_0000, 0x7f_ff80, 1];

/// A well-mixed number (splitmix64).
fn mixed(index: u64) -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let z = index.wrapping_mul(STEP).wrapping_add(STEP);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn value(random: u64, wide: bool) -> u32 {
    let sign = ((random >> 2) & 1) as u32;
    let mut mantissa = (random >> 8) as u32 & 0x7f_ffff;
    if (random >> 3) & 7 == 0 {
        mantissa = MANTISSAS[(((random >> 6) & 3) | (((random >> 40) & 1) << 2)) as usize];
    }
    let exponent = match random & 3 {
        0 => (random >> 32) as u32 & 255,
        _ => 112 + ((random >> 32) % 24) as u32,
    };
    let kept = if wide { u32::MAX } else { 0x7f_0000 };
    sign << 31 | exponent << 23 | (mantissa & kept)
}

/// The values of every input as they are fed.
pub fn fed(case: &Case, wide: bool) -> Vec<Vec<u32>> {
    if case.inputs == 1 && !wide {
        return vec![(0..COUNT as u32).map(|bits| bits << 16).collect()];
    }
    let one = |input: usize, index: usize| match (index < 1024, input) {
        (true, 0 | 1) => SPECIAL[(index >> (5 * input)) & 31],
        (true, _) => SPECIAL[(index * 7 + 3) & 31],
        (false, _) => value(mixed((index * 4 + input) as u64), wide),
    };
    (0..case.inputs)
        .map(|input| (0..COUNT).map(|index| one(input, index)).collect())
        .collect()
}

/// A result as it is compared: what packing to the format of the registers makes of it, with one NaN.
pub fn packed(bits: u32, wide: bool) -> u32 {
    let nan = bits & !SIGN > INFINITY;
    match (wide, nan) {
        (false, true) => (bits & SIGN) | INFINITY,
        (false, false) => {
            if bits & INFINITY == 0 {
                0
            } else {
                bits
            }
        }
        (true, true) => NAN,
        (true, false) => bits,
    }
}

/// What the emulator gives for every value of [`fed`]; `None` where it has no such operation or refuses the call.
pub fn results(case: &Case, chip: ArchName, wide: bool) -> Option<Vec<u32>> {
    applied(case, chip, wide, &fed(case, wide))
}

/// What the emulator gives for these values, whole tiles of them for every input.
pub fn applied(case: &Case, chip: ArchName, wide: bool, inputs: &[Vec<u32>]) -> Option<Vec<u32>> {
    let operation = operation(hash(case.operation))?;
    let unit = Unit {
        chip,
        wide,
        approximate: case.approximate,
        input_f32: case.input_f32,
        variant: case.variant,
        words: case.words,
    };
    let call = Call {
        inputs: [0, 1, 2],
        out: 0,
        unit,
        mode: VectorMode::All,
        broadcast: Broadcast::None,
        fold: (Fold::Sum, ReduceDim::Col),
    };
    let count = inputs.first()?.len();
    let mut given = Vec::with_capacity(count);
    for first in (0..count).step_by(TILE) {
        let mut registers = Destination::new(wide, false);
        registers.acquire().ok()?;
        for (index, input) in inputs.iter().enumerate() {
            let tile: &mut Tile = registers.overwrite(index as u32);
            for (to, bits) in tile.0.iter_mut().zip(input.get(first..first + TILE)?) {
                *to = f32::from_bits(*bits);
            }
        }
        run(operation, &call, &mut registers).ok()?;
        let out = registers.read(0)?;
        given.extend(out.0.iter().map(|value| packed(value.to_bits(), wide)));
    }
    Some(given)
}

/// Digest of results: FNV-1a of 64 bits over their bytes.
pub fn digest(results: &[u32]) -> u64 {
    let mut value = 0xcbf2_9ce4_8422_2325u64;
    for byte in results.iter().flat_map(|bits| bits.to_le_bytes()) {
        value = (value ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    value
}

/// The line of the record for results: name, digest, and every `SAMPLES`th result.
pub fn line(case: &Case, chip: ArchName, wide: bool, results: &[u32]) -> String {
    let samples: Vec<String> = (0..COUNT)
        .step_by(SAMPLES)
        .map(|index| format!("{index}={:08x}", results[index]))
        .collect();
    format!(
        "{}\t{:016x}\t{}",
        name(case, chip, wide),
        digest(results),
        samples.join(",")
    )
}

/// What a line of the record is about.
pub fn name(case: &Case, chip: ArchName, wide: bool) -> String {
    format!("{}.{chip}.{}", case.name, if wide { "f32" } else { "bf16" })
}

/// Share of equal results, and the largest distance in units of the last place of the registers.
pub fn distance(given: &[u32], wanted: &[u32], wide: bool) -> (f64, u64) {
    let order = |bits: u32| {
        let magnitude = i64::from(bits & !SIGN) >> if wide { 0 } else { 16 };
        if bits & SIGN != 0 { -magnitude } else { magnitude }
    };
    let equal = given.iter().zip(wanted).filter(|(a, b)| a == b).count();
    let farthest = given
        .iter()
        .zip(wanted)
        .map(|(a, b)| order(*a).abs_diff(order(*b)))
        .max();
    (equal as f64 / COUNT as f64, farthest.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::sfpu::cases::CASES;
    use std::collections::BTreeMap;

    /// What the simulated chips gave, written by `cargo xtask conformance sfpu --record`.
    const RECORDED: &str = include_str!("../../../tests/sfpu/recorded.txt");

    #[test]
    fn every_operation_gives_the_bits_that_the_chips_gave() {
        let lines: Vec<&str> = RECORDED.lines().filter(|line| !line.starts_with('#')).collect();
        let recorded: BTreeMap<&str, &str> = lines.iter().filter_map(|line| line.split_once('\t')).collect();
        assert_eq!(recorded.len(), lines.len(), "a line twice, or without a tab");
        assert_eq!(recorded.len(), CASES.len() * 4, "a line for every case, chip and width");
        // What the simulator has no result for, and what still differs: a record made anew must not hide anything there.
        let of = |what: &str| recorded.values().filter(|line| line.starts_with(what)).count();
        assert_eq!((of("refused\t"), of("differs\t")), (29, 1));
        let mut wrong = Vec::new();
        for case in CASES {
            for chip in ArchName::ALL {
                for wide in [false, true] {
                    let name = name(case, chip, wide);
                    let wanted = recorded.get(name.as_str()).unwrap_or_else(|| panic!("no {name}"));
                    // The simulator has no result to hold against.
                    if wanted.starts_with("refused\t") {
                        continue;
                    }
                    // What still differs is held to its distance by its own digest: neither worse nor silently better.
                    let wanted = match wanted.strip_prefix("differs\t") {
                        Some(rest) => rest.splitn(3, '\t').nth(2).expect("share, distance and digest"),
                        None => wanted,
                    };
                    let results = results(case, chip, wide).expect("a row of the table");
                    let given = line(case, chip, wide, &results);
                    let given = given.split_once('\t').expect("a tab").1;
                    if wanted != given {
                        wrong.push(format!("{name}\n  given  {given}\n  wanted {wanted}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn inputs_cover_every_exponent_and_the_special_values() {
        let binary = CASES.iter().find(|case| case.inputs == 2).expect("one");
        for wide in [false, true] {
            for input in fed(binary, wide) {
                let mut seen = [false; 256];
                input.iter().for_each(|bits| seen[(bits >> 23 & 255) as usize] = true);
                assert!(seen.iter().all(|seen| *seen));
                assert!(SPECIAL.iter().all(|bits| input.contains(bits)));
            }
        }
    }
}
