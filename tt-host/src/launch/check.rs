//! What a launch left, against the reference.

use super::Launch;
use super::binding::Bound;
use super::reference::{Source, widen};
use crate::{Error, ErrorKind, Result};
use std::fmt;
use tt_lang::interpret::Outputs;

/// What a check compared, all of it within the tolerance.
///
/// ```no_run
/// # fn show(launch: tt_host::Launch<'_>) -> tt_host::Result<()> {
/// println!("{}", launch.check(0.02)?);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Comparison {
    /// How many elements were compared.
    pub elements: usize,
    /// How many were not: the source says nothing of them.
    pub skipped: usize,
    /// The largest error: what the tolerance has to be at least.
    pub worst: f64,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison {
            elements,
            skipped,
            worst,
        } = self;
        write!(f, "{elements} elements are within {worst:.3e} of the reference")?;
        match skipped {
            0 => Ok(()),
            _ => write!(f, ", {skipped} are unspecified"),
        }
    }
}

/// How far `found` is from what the source says, over 1 and the size of that; nothing where the source says nothing.
fn error(found: f64, expected: f64) -> Option<f64> {
    if expected.is_nan() {
        return None;
    }
    if found == expected {
        return Some(0.0);
    }
    let error = (found - expected).abs() / (1.0 + expected.abs());
    Some(if error.is_nan() { f64::INFINITY } else { error })
}

/// The elements of a tensor that are too far off.
struct Differences {
    first: usize,
    worst: (usize, f64),
    count: usize,
}

impl Launch<'_> {
    /// Runs the kernel, waits, and compares what its written tensors hold with the [reference](Launch::reference).
    ///
    /// A number x may differ from what the source says, r, by `tolerance * (1 + |r|)`: relatively for large numbers, absolutely
    /// for small ones. Integers are equal. Where the source leaves a number unspecified, the reference is NaN; such elements are
    /// skipped and counted.
    ///
    /// # Errors
    /// As [`run`](Launch::run) and [`reference`](Launch::reference). Where an element differs by more, the error says which is the
    /// first in its tensor, both values, and the block and the line of the source that store it; the tensors then hold what the device left.
    pub fn check(&self, tolerance: f64) -> Result<Comparison> {
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            let message = format!("a tolerance is a finite number that is not below 0, this is {tolerance}");
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let bound = self.bind_signature()?;
        let source = Source::of(self.kernel(), &bound)?;
        let expected = source.run(None)?;
        self.run()?;
        self.compare(&bound, &source, &expected, tolerance)
    }

    fn compare(&self, bound: &Bound<'_>, source: &Source, expected: &Outputs, tolerance: f64) -> Result<Comparison> {
        let mut all = Comparison::default();
        for (name, _, tensor) in bound.tensors.iter().filter(|(_, written, _)| *written) {
            let expected = expected.tensor(name);
            let expected =
                expected.ok_or_else(|| self.kernel().damaged(&format!("its Tile IR does not write `{name}`")))?;
            let found = widen(tensor)?;
            let is_integer = tensor.element.is_integer();
            let allowed = if is_integer { 0.0 } else { tolerance };
            // As `.reference()` gives them.
            let narrow = |expected: f64| {
                if is_integer {
                    expected
                } else {
                    f64::from(expected as f32)
                }
            };
            let expected: Vec<f64> = expected.iter().map(|expected| narrow(*expected)).collect();
            let mut differences: Option<Differences> = None;
            for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let Some(error) = error(*found, *expected) else {
                    all.skipped += 1;
                    continue;
                };
                all.elements += 1;
                all.worst = all.worst.max(error);
                if error > allowed {
                    let differences = differences.get_or_insert(Differences {
                        first: at,
                        worst: (at, error),
                        count: 0,
                    });
                    differences.count += 1;
                    if error > differences.worst.1 {
                        differences.worst = (at, error);
                    }
                }
            }
            if let Some(differences) = differences {
                let values = |at: usize| (found[at], expected[at]);
                let difference = differences.told((self.kernel().name(), name), &tensor.shape, allowed, values);
                let stored = source.run(Some((name, differences.first)))?;
                let whose = match stored.stored() {
                    Some(stored) => {
                        let block: Vec<String> = stored.block.iter().map(i64::to_string).collect();
                        let (file, place) = &stored.place;
                        let stage = match source.stages() {
                            1 => String::new(),
                            _ => format!(" of stage {}", stored.stage + 1),
                        };
                        format!("block ({}){stage} stores it, {file}:{}", block.join(", "), place.line)
                    }
                    None => "no block stores it".to_owned(),
                };
                return Err(Error::new(ErrorKind::Difference, format!("{difference}\n  {whose}")));
            }
        }
        Ok(all)
    }
}

impl Differences {
    /// All but who stored it.
    fn told(
        &self,
        (kernel, tensor): (&str, &str),
        shape: &[usize],
        allowed: f64,
        values: impl Fn(usize) -> (f64, f64),
    ) -> String {
        let (found, expected) = values(self.first);
        let most = allowed * (1.0 + expected.abs());
        let by = (found - expected).abs();
        let how = match by.is_finite() {
            true => format!("they differ by {by:?}, allowed are {most:?}"),
            false => "no tolerance allows that".to_string(),
        };
        let mut text = format!(
            "kernel `{kernel}`: element {} of `{tensor}` is {found:?}, the reference says {expected:?}: {how}",
            index(self.first, shape),
        );
        if self.count > 1 {
            let (at, error) = self.worst;
            let (found, expected) = values(at);
            let allows = match error.is_finite() {
                true => format!("a tolerance of {error:.3e} allows"),
                false => "no tolerance allows".to_string(),
            };
            text += &format!(
                "\n  {} of {} elements differ; the worst is {}, {found:?} for {expected:?}, which {allows}",
                self.count,
                shape.iter().product::<usize>(),
                index(at, shape),
            );
        }
        text
    }
}

/// The index of the element number `flat`, row by row.
fn index(flat: usize, shape: &[usize]) -> String {
    let mut rest = flat;
    let mut indices: Vec<String> = Vec::with_capacity(shape.len());
    for extent in shape.iter().rev() {
        indices.push((rest % extent.max(&1)).to_string());
        rest /= extent.max(&1);
    }
    indices.reverse();
    format!("[{}]", indices.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_relative_to_large_numbers_and_absolute_of_small_ones() {
        for (found, expected, error_of) in [
            (1.0, 1.0, Some(0.0)),
            (0.5, 0.0, Some(0.5)),
            (110.0, 99.0, Some(0.11)),
            (f64::INFINITY, f64::INFINITY, Some(0.0)),
            (f64::NEG_INFINITY, f64::INFINITY, Some(f64::INFINITY)),
            (f64::NAN, 1.0, Some(f64::INFINITY)),
            (1.0, f64::INFINITY, Some(f64::INFINITY)),
            (1.0, f64::NAN, None),
        ] {
            assert_eq!(error(found, expected), error_of, "{found} for {expected}");
        }
    }

    #[test]
    fn what_is_no_number_is_beyond_any_tolerance() {
        let told = |worst: f64, found: f64| {
            let differences = Differences {
                first: 0,
                worst: (1, worst),
                count: 2,
            };
            differences.told(("k", "c"), &[4], 0.5, |_| (found, 1.0))
        };
        assert_eq!(
            told(f64::INFINITY, f64::NAN),
            "kernel `k`: element [0] of `c` is NaN, the reference says 1.0: no tolerance allows that\n  \
             2 of 4 elements differ; the worst is [1], NaN for 1.0, which no tolerance allows"
        );
        assert_eq!(
            told(1.0, 3.0),
            "kernel `k`: element [0] of `c` is 3.0, the reference says 1.0: they differ by 2.0, allowed are 1.0\n  \
             2 of 4 elements differ; the worst is [1], 3.0 for 1.0, which a tolerance of 1.000e0 allows"
        );
    }

    #[test]
    fn indices_count_the_last_axis_first() {
        assert_eq!(index(0, &[2, 3, 4]), "[0, 0, 0]");
        assert_eq!(index(23, &[2, 3, 4]), "[1, 2, 3]");
        assert_eq!(index(5, &[6]), "[5]");
    }
}
