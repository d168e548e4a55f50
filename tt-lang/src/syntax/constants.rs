//! The named constants of the language: `f32::INFINITY`, `f32::consts::PI`, `i32::MAX` and their kin.

/// A constant's value.
pub(super) enum Constant {
    Number(f64),
    Integer(i64),
}

/// The constant at the end of a path: `f32::MAX`, `std::f32::consts::PI`.
pub(super) fn constant(segments: &[&str]) -> Option<Constant> {
    match segments {
        ["f32", name] | ["std" | "core", "f32", name] => f32_constant(name).map(Constant::Number),
        ["f32", "consts", name] | ["std" | "core", "f32", "consts", name] => {
            mathematical_constant(name).map(Constant::Number)
        }
        [ty, name] | ["std" | "core", ty, name] => integer_constant(ty, name).map(Constant::Integer),
        _ => None,
    }
}

fn f32_constant(name: &str) -> Option<f64> {
    Some(match name {
        "INFINITY" => f64::INFINITY,
        "NEG_INFINITY" => f64::NEG_INFINITY,
        "MAX" => f64::from(f32::MAX),
        "MIN" => f64::from(f32::MIN),
        "EPSILON" => f64::from(f32::EPSILON),
        "MIN_POSITIVE" => f64::from(f32::MIN_POSITIVE),
        "NAN" => f64::NAN,
        _ => return None,
    })
}

fn mathematical_constant(name: &str) -> Option<f64> {
    use std::f64::consts;
    Some(match name {
        "PI" => consts::PI,
        "TAU" => consts::TAU,
        "E" => consts::E,
        "SQRT_2" => consts::SQRT_2,
        "LN_2" => consts::LN_2,
        "LN_10" => consts::LN_10,
        "LOG2_E" => consts::LOG2_E,
        "LOG10_E" => consts::LOG10_E,
        "LOG2_10" => consts::LOG2_10,
        "LOG10_2" => consts::LOG10_2,
        "FRAC_PI_2" => consts::FRAC_PI_2,
        "FRAC_PI_3" => consts::FRAC_PI_3,
        "FRAC_PI_4" => consts::FRAC_PI_4,
        "FRAC_PI_6" => consts::FRAC_PI_6,
        "FRAC_PI_8" => consts::FRAC_PI_8,
        "FRAC_1_PI" => consts::FRAC_1_PI,
        "FRAC_2_PI" => consts::FRAC_2_PI,
        "FRAC_1_SQRT_2" => consts::FRAC_1_SQRT_2,
        "FRAC_2_SQRT_PI" => consts::FRAC_2_SQRT_PI,
        _ => return None,
    })
}

fn integer_constant(ty: &str, name: &str) -> Option<i64> {
    let (_, (least, most)) = INTEGERS.iter().find(|(known, _)| *known == ty)?;
    match name {
        "MIN" => Some(*least),
        "MAX" => Some(*most),
        _ => None,
    }
}

/// The types of integer elements, and what they reach from and to.
const INTEGERS: [(&str, (i64, i64)); 5] = [
    ("i32", (i32::MIN as i64, i32::MAX as i64)),
    ("u32", (0, u32::MAX as i64)),
    ("u16", (0, u16::MAX as i64)),
    ("u8", (0, u8::MAX as i64)),
    ("i8", (i8::MIN as i64, i8::MAX as i64)),
];

/// Whether a literal of the type `suffix` has this value.
pub(super) fn fits_suffix(suffix: &str, value: i64) -> bool {
    let known = INTEGERS.iter().find(|(known, _)| *known == suffix);
    known.is_none_or(|(_, (least, most))| (*least..=*most).contains(&value))
}
