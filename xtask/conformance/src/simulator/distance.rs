//! How far results are apart: in steps of their format.

use std::fmt;
use tt_lang::ir::ElementType;

/// Two results compared element by element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Distance {
    /// How many elements have how many steps between them, sorted; 0 is equal.
    steps: Vec<u64>,
    /// Elements of which one is a NaN and the other is not.
    not_a_number: usize,
    /// Elements that differ in the sign of a zero alone.
    zero_signs: usize,
}

impl Distance {
    /// Adds the elements of two tensors of `element`; values that its format does not hold are rounded to it first.
    pub fn add(&mut self, element: ElementType, found: &[f32], wanted: &[f32]) {
        for (found, wanted) in found.iter().zip(wanted) {
            match (found.is_nan(), wanted.is_nan()) {
                (true, true) => self.steps.push(0),
                (false, false) => {
                    let (found, wanted) = (rounded(element, *found), rounded(element, *wanted));
                    if found == 0.0 && wanted == 0.0 && found.to_bits() != wanted.to_bits() {
                        self.zero_signs += 1;
                    } else {
                        self.steps
                            .push(position(element, found).abs_diff(position(element, wanted)));
                    }
                }
                _ => self.not_a_number += 1,
            }
        }
        self.steps.sort_unstable();
    }

    /// Adds what another comparison found.
    pub fn merge(&mut self, other: &Distance) {
        self.steps.extend(&other.steps);
        self.steps.sort_unstable();
        self.not_a_number += other.not_a_number;
        self.zero_signs += other.zero_signs;
    }

    /// Nothing differs.
    pub fn is_equal(&self) -> bool {
        self.equal() == self.count()
    }

    fn count(&self) -> usize {
        self.steps.len() + self.not_a_number + self.zero_signs
    }

    fn equal(&self) -> usize {
        self.steps.partition_point(|steps| *steps == 0)
    }
}

/// `equal`, or the share of equal elements, how far 99 of 100 are apart at most, and the farthest.
impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, equal) = (self.count(), self.equal());
        if count == 0 {
            return f.write_str("nothing");
        }
        if self.is_equal() {
            return f.write_str("equal");
        }
        // Never rounded up to all of them.
        let share = (1000.0 * equal as f64 / count as f64).floor() / 10.0;
        write!(f, "{share:.1} %")?;
        if let Some(most) = self.steps.last().filter(|most| **most > 0) {
            let most_of_99 = self.steps[(self.steps.len() - 1) * 99 / 100];
            write!(f, ", ≤ {} ({})", Steps(*most), Steps(most_of_99))?;
        }
        if self.zero_signs > 0 {
            write!(f, ", {} signs of 0", self.zero_signs)?;
        }
        if self.not_a_number > 0 {
            write!(f, ", {} NaN", self.not_a_number)?;
        }
        Ok(())
    }
}

/// A number of steps; large ones by their power of two.
struct Steps(u64);

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 10_000 {
            write!(f, "{}", self.0)
        } else {
            write!(f, "2^{}", self.0.ilog2() + 1)
        }
    }
}

/// The nearest value of the format.
fn rounded(element: ElementType, value: f32) -> f32 {
    match element {
        ElementType::Bf16 => tt_host::bf16::from_f32(value).to_f32(),
        ElementType::F16 => tt_host::f16::from_f32(value).to_f32(),
        _ => value,
    }
}

/// Where a value of the format stands among all its values, zeros together.
fn position(element: ElementType, value: f32) -> i64 {
    let bits = value.to_bits();
    let magnitude = i64::from(bits & 0x7FFF_FFFF)
        >> match element {
            ElementType::Bf16 => 16,
            ElementType::F16 => 13,
            _ => 0,
        };
    if value.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(element: ElementType, pairs: &[(f32, f32)]) -> String {
        let mut distance = Distance::default();
        let (found, wanted): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
        distance.add(element, &found, &wanted);
        distance.to_string()
    }

    #[test]
    fn distances_are_in_steps_of_the_format() {
        let next = f32::from_bits(1.0f32.to_bits() + 1);
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        for (element, pairs, text) in [
            (ElementType::F32, vec![(1.0, 1.0), (nan, nan), (inf, inf)], "equal"),
            (ElementType::F32, vec![(1.0, 1.0), (1.0, next)], "50.0 %, ≤ 1 (0)"),
            (ElementType::Bf16, vec![(1.0, next)], "equal"),
            (ElementType::Bf16, vec![(1.0, 1.0078125)], "0.0 %, ≤ 1 (1)"),
            (ElementType::Bf16, vec![(f32::MAX, inf)], "equal"),
            (ElementType::F32, vec![(f32::MAX, inf)], "0.0 %, ≤ 1 (1)"),
            (
                ElementType::F32,
                vec![(0.0, -0.0), (nan, 1.0)],
                "0.0 %, 1 signs of 0, 1 NaN",
            ),
            (ElementType::F32, vec![(1.0, -1.0)], "0.0 %, ≤ 2^31 (2^31)"),
        ] {
            assert_eq!(shown(element, &pairs), text);
        }
        let mut all = vec![(1.0, 1.0); 100_000];
        all.push((1.0, 2.0));
        assert!(
            shown(ElementType::Bf16, &all).starts_with("99.9 %"),
            "never rounded to all"
        );
    }
}
