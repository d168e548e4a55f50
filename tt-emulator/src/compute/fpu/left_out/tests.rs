//! What is left out, against sums of exact numbers.

use super::super::fidelity::{Part, Plan};
use super::super::matmul::{Parts, multiply, pairs_are_multiplied};
use super::*;
use crate::compute::tile::{TILE, position};
use crate::compute::unpack::Keep;
use crate::kernel_config::MathFidelity;

/// Random numbers of bf16 of both signs and of these exponents; in some, zeros and denormals.
fn page(seed: u32, exponents: std::ops::Range<u32>, with_zeros: bool) -> Vec<u16> {
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let number = |_| {
        let exponent = match random() % 16 {
            0 if with_zeros => 0,
            _ => exponents.start + random() % (exponents.end - exponents.start),
        };
        (random() << 15 & 0x8000 | exponent << 7 | random() & 0x7f) as u16
    };
    (0..TILE).map(number).collect()
}

fn value(pattern: u16) -> f64 {
    let is_denormal = pattern & EXPONENT == 0;
    let bits = if is_denormal { 0 } else { u32::from(pattern) << 16 };
    f64::from(f32::from_bits(bits))
}

/// What a number is without these of its last bits.
fn without(pattern: u16, bits: u16) -> f64 {
    value(pattern & !bits)
}

/// The product in HiFi3 as each version forms it, onto zeros.
fn products(rows: &[u16], columns: &[u16]) -> Vec<Vec<f32>> {
    let plan = Plan::of(MathFidelity::HiFi3, true, true);
    assert!(plan.leaves_out);
    let mut parts = [rows, columns].map(|page| {
        let mut parts = Parts::zero();
        for (to, pattern) in parts.first.0.iter_mut().zip(page) {
            *to = value(*pattern) as f32;
        }
        parts
    });
    parts[0].pair_rows(plan.cut_b(Keep::Bf16));
    parts[1].pair_columns(plan.cut_a(Keep::Bf16));
    let (mut low_rows, mut low_columns) = (Rows::ZERO, Columns::ZERO);
    let pairs = parts.each_ref().map(|parts| parts.paired(Part::First).as_bytes());
    low_rows.take(pairs[0]);
    low_columns.take(pairs[1]);
    low_rows.numbers(&mut parts[0].rest);
    low_columns.numbers(&mut parts[1].rest);
    let pairs = parts.each_ref().map(|parts| parts.paired(Part::First).as_bytes());
    // The versions of other processors.
    let (mut plain_rows, mut plain_columns) = (Rows::ZERO, Columns::ZERO);
    rows_plain(&mut plain_rows, pairs[0]);
    columns_plain(&mut plain_columns, pairs[1]);
    let (plain, low) = (&plain_rows, &low_rows);
    assert!(plain.fours == low.fours && plain.starts == low.starts && plain.exponents.of == low.exponents.of);
    let (plain, low) = (&plain_columns, &low_columns);
    assert!(plain.fours == low.fours && plain.starts == low.starts && plain.exponents.of == low.exponents.of);
    let form = |paired| {
        let mut sums = Tile::zero();
        let products = (plan.products, Some((&low_rows, &low_columns)));
        multiply(&mut sums, (&parts[0], None), &parts[1], products, (true, paired), || {});
        sums.0.to_vec()
    };
    [false, true]
        .into_iter()
        .filter(|paired| !paired || pairs_are_multiplied())
        .map(form)
        .collect()
}

#[test]
fn numbers_of_close_exponents_are_multiplied_as_hifi3_does() {
    for seed in 0..20 {
        // So few bits that sums are exact.
        let rows = page(2 * seed, 130..133, false);
        let columns = page(2 * seed + 1, 128..130, false);
        for sums in products(&rows, &columns) {
            for at in 0..TILE {
                let (r, c) = (at / 32, at % 32);
                let exact: f64 = (0..32)
                    .map(|k| {
                        let (b, a) = (rows[position(r, k)], columns[position(k, c)]);
                        value(b) * value(a) - (value(b) - without(b, 1)) * (value(a) - without(a, 7))
                    })
                    .sum();
                assert_eq!(f64::from(sums[position(r, c)]), exact, "{seed}: {r}, {c}");
            }
        }
    }
}

#[test]
fn other_rows_and_columns_have_no_say() {
    let (mut rows, mut columns) = (page(1, 120..130, true), page(2, 120..130, true));
    let before = products(&rows, &columns);
    for at in 0..32 {
        (rows[position(31, at)], columns[position(at, 31)]) = (0x7149, 0x0149);
    }
    for (before, after) in before.iter().zip(products(&rows, &columns)) {
        for (r, c) in (0..31).flat_map(|r| (0..31).map(move |c| (r, c))) {
            let at = position(r, c);
            assert_eq!(before[at].to_bits(), after[at].to_bits(), "{r}, {c}");
        }
    }
}

#[test]
fn what_is_left_out_is_known_to_its_last_bits() {
    let ranges = [
        (0..200, 60..120),
        (60..120, 0..200),
        (100..140, 100..140),
        (1..20, 180..255),
        (235..255, 20..30),
        (120..128, 120..128),
    ];
    for (seed, (of_rows, of_columns)) in (0..48).zip(ranges.into_iter().cycle()) {
        let rows = page(2 * seed, of_rows, true);
        let columns = page(2 * seed + 1, of_columns, true);
        let exponent = |pattern: u16| i32::from(pattern >> 7 & 0xff);
        let all = products(&rows, &columns);
        for sums in &all {
            assert!(
                sums.iter().zip(&all[0]).all(|(a, b)| a.to_bits() == b.to_bits()),
                "{seed}"
            );
        }
        for at in 0..TILE {
            let (r, c) = (at / 32, at % 32);
            let of_row = (0..32).map(|k| exponent(rows[position(r, k)])).max().unwrap_or(0);
            let of_column = (0..32).map(|k| exponent(columns[position(k, c)])).max().unwrap_or(0);
            let power = |exponent: i32| f64::from(exponent).exp2();
            let (unit_b, unit_a) = (power(of_row.max(7) - 127 - 13), power(of_column.max(7) - 127 - 10));
            let (mut exact, mut room) = (0.0, 0.0);
            for k in 0..32 {
                let (b, a) = (rows[position(r, k)], columns[position(k, c)]);
                let (low_b, low_a) = (value(b) - without(b, 1), value(a) - without(a, 7));
                exact += value(b) * value(a) - low_b * low_a;
                room += unit_b * low_a.abs() + unit_a * low_b.abs();
                room += 40.0 * power(-24) * (value(b) * value(a)).abs() + power(-120);
            }
            let found = f64::from(all[0][position(r, c)]);
            assert!(
                (found - exact).abs() <= room,
                "{seed}: {r}, {c}: {found:e}, {exact:e}, {room:e}"
            );
        }
    }
}
