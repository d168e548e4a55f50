//! What operations do with whole registers, with broadcasts, folds and faces, and with special values.

use super::fold::Fold;
use super::run::{Call, VectorMode, run};
use super::table::{Work, hash, operation};
use super::trial::{call, registers, result};
use crate::arch::ArchName;
use crate::compute::pack::ReduceDim;
use crate::compute::rounding::nan_to_infinity;
use crate::compute::tile::{TILE, Tile, position};
use crate::compute::unpack::Broadcast;
use crate::kernel_object::HEADERS;

#[test]
fn broadcasts_and_folds_take_rows_and_columns() {
    let (mut data, mut vector) = (Tile::zero(), Tile::zero());
    for r in 0..32 {
        for c in 0..32 {
            data.0[position(r, c)] = (r * 32 + c) as f32 * 0.5 - 200.0;
            vector.0[position(r, c)] =
                if r == 0 { c as f32 } else { 100.0 } + if c == 0 { r as f32 * 0.25 } else { 0.0 };
        }
    }
    for broadcast in [Broadcast::Col, Broadcast::Row] {
        for (name, sign) in [("sfpu_add_bcast", 1.0), ("sfpu_sub_bcast", -1.0)] {
            let output = result(
                name,
                &[&data, &vector],
                &Call {
                    broadcast,
                    ..call([0.0; 3], true)
                },
                true,
            );
            for r in 0..32 {
                for c in 0..32 {
                    let other = vector.0[if broadcast == Broadcast::Col {
                        position(r, 0)
                    } else {
                        position(0, c)
                    }];
                    assert_eq!(
                        output.0[position(r, c)],
                        data.0[position(r, c)] + sign * other,
                        "{name} {broadcast:?} {r} {c}"
                    );
                }
            }
        }
    }
    for (fold, exact) in [(Fold::Max, 31usize), (Fold::Min, 0)] {
        let columns = result(
            "sfpu_reduce",
            &[&data],
            &Call {
                fold: (fold, ReduceDim::Col),
                ..call([0.0; 3], true)
            },
            true,
        );
        let rows = result(
            "sfpu_reduce",
            &[&data],
            &Call {
                fold: (fold, ReduceDim::Row),
                ..call([0.0; 3], true)
            },
            true,
        );
        for i in 0..32 {
            assert_eq!(columns.0[position(0, i)], data.0[position(exact, i)]);
            assert_eq!(rows.0[position(i, 0)], data.0[position(i, exact)]);
        }
    }
    let sum = result(
        "sfpu_reduce",
        &[&data],
        &Call {
            fold: (Fold::Avg, ReduceDim::Col),
            ..call([0.0; 3], true)
        },
        true,
    );
    assert_eq!(
        sum.0[position(0, 3)],
        (0..32).map(|r| data.0[position(r, 3)]).sum::<f32>() / 32.0
    );
}

#[test]
fn vector_modes_leave_the_other_faces_alone() {
    let input = Tile([2.0; TILE]);
    for (mode, touched) in [
        (VectorMode::All, [true; 4]),
        (VectorMode::Rows, [true, true, false, false]),
        (VectorMode::Columns, [true, false, true, false]),
    ] {
        let output = result(
            "recip_tile",
            &[&input],
            &Call {
                mode,
                ..call([0.0; 3], true)
            },
            true,
        );
        for (face, touched) in touched.into_iter().enumerate() {
            assert_eq!(output.0[face * 256 + 7], if touched { 0.5 } else { 2.0 }, "{mode:?}");
        }
    }
}

/// `reference/patterns.md` section 6, the SFPU's rows, and what the chips make of NaN in 16 bits.
#[test]
fn special_values_are_those_of_the_chips() {
    let at =
        |name: &str, x: f32, wide: bool| result(name, &[&Tile([x; TILE])], &call([1.0, 0.0, 0.0], wide), wide).0[0];
    for wide in [true, false] {
        assert_eq!(at("exp_tile", f32::NEG_INFINITY, wide), 0.0);
        assert_eq!(at("exp_tile", f32::INFINITY, wide), f32::INFINITY);
        assert_eq!(at("exp_tile", -88.0, wide), 0.0, "below the normal range");
        assert_eq!(at("exp_tile", 89.0, wide), f32::INFINITY);
        assert_eq!(at("recip_tile", f32::NEG_INFINITY, wide), 0.0);
        assert_eq!(
            at("recip_tile", f32::from_bits(71362), wide),
            f32::INFINITY,
            "a denormal is zero"
        );
        assert_eq!(at("recip_tile", f32::NAN, wide), 0.0);
        assert_eq!(at("log_tile", 0.0, wide), f32::NEG_INFINITY);
    }
    assert!(at("recip_tile", f32::NEG_INFINITY, true).is_sign_negative());
    assert!(at("sqrt_tile", -1.0, true).is_nan());
    assert!(at("sqrt_tile", -1.0, false).is_infinite());
    let infinity = Tile([f32::INFINITY; TILE]);
    assert!(
        result(
            "sub_binary_tile",
            &[&infinity, &infinity, &infinity],
            &call([0.0; 3], true),
            true
        )
        .0[0]
            .is_nan()
    );
    let zero = Tile::zero();
    assert!(
        result(
            "mul_binary_tile",
            &[&infinity, &zero, &zero],
            &call([0.0; 3], true),
            true
        )
        .0[0]
            .is_nan()
    );
    assert_eq!(
        result(
            "mul_binary_tile",
            &[&infinity, &zero, &zero],
            &call([0.0; 3], false),
            false
        )
        .0[0],
        0.0
    );
    let minus = Tile([f32::NEG_INFINITY; TILE]);
    for (arch, sign) in [
        (ArchName::WormholeB0, f32::NEG_INFINITY),
        (ArchName::Blackhole, f32::INFINITY),
    ] {
        let mut registers = registers(false, &[&minus, &minus, &minus]);
        let sub = operation(hash("sub_binary_tile")).expect("a row");
        let mut call = call([0.0; 3], false);
        call.unit.chip = arch;
        run(sub, &call, &mut registers).expect("legal");
        let result = registers.read(0).expect("written").0[0];
        assert_eq!(f32::from_bits(nan_to_infinity(result.to_bits())), sign);
    }
    let masked = result("mask_tile", &[&infinity, &zero, &zero], &call([0.0; 3], true), true);
    assert_eq!(masked.0[0], 0.0);
}

/// Device headers name operations and inits by strings; each must find its row, and each row a header.
#[test]
fn every_name_in_the_device_headers_has_a_row() {
    let names: Vec<&str> = HEADERS
        .iter()
        .flat_map(|(_, text)| text.split("TT_NAME(\"").skip(1))
        .filter_map(|rest| rest.split_once('"').map(|(name, _)| name))
        .collect();
    assert!(names.len() > 200);
    for name in &names {
        assert!(
            operation(hash(name)).is_some()
                || super::table::init(hash(name)).is_some()
                || crate::compute::sfpu_calls::is_other(hash(name)),
            "{name}"
        );
    }
    for row in super::table::OPERATIONS {
        assert!(names.contains(&row.name), "no header has {}", row.name);
        assert!(names.contains(&row.init), "no header has {}", row.init);
    }
    let folds = super::table::OPERATIONS
        .iter()
        .filter(|row| matches!(row.work, Work::Reduce))
        .count();
    assert_eq!(folds, 1);
}

#[test]
fn a_header_by_hand_includes_its_plain_calls() {
    for (plain, _) in HEADERS {
        if let Some(header) = plain.strip_prefix("emulator/plain/") {
            let header = format!("api/compute/{header}");
            let by_hand = HEADERS.iter().find(|(name, _)| *name == header).expect("a header");
            assert!(by_hand.1.contains(&format!("#include \"{plain}\"")), "{header}");
        }
    }
}
