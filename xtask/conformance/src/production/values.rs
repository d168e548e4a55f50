//! Numbers of the cases: how tensors become pages, and how pages are judged.

use tt_emulator::DataFormat;

/// What the pages of a buffer have to be.
#[derive(Clone, Debug)]
pub enum Expected {
    /// These bytes.
    Exactly(Vec<u8>),
    /// Values near these.
    Near {
        /// How the pages hold them.
        format: DataFormat,
        /// The values, in the order of the pages.
        values: Vec<f64>,
        /// Largest distance of any value ..
        absolute: f64,
        /// .. and how much more it may be per unit of the value.
        relative: f64,
    },
}

impl From<Vec<u8>> for Expected {
    fn from(bytes: Vec<u8>) -> Expected {
        Expected::Exactly(bytes)
    }
}

impl Expected {
    /// Bytes of all pages.
    pub fn bytes(&self) -> usize {
        match self {
            Expected::Exactly(bytes) => bytes.len(),
            Expected::Near { format, values, .. } => encoded_bytes(*format, values.len()),
        }
    }

    /// How this is checked, for the table.
    pub fn bound(&self) -> String {
        match self {
            Expected::Exactly(_) => "exact".to_owned(),
            Expected::Near { absolute, relative, .. } if *absolute == 0.0 && *relative == 0.0 => "exact".to_owned(),
            Expected::Near { absolute, relative, .. } if *relative == 0.0 => format!("±{absolute:.1e}"),
            Expected::Near { absolute, relative, .. } if *absolute == 0.0 => format!("±{relative:.1e}·|x|"),
            Expected::Near { absolute, relative, .. } => format!("±({absolute:.1e} + {relative:.1e}·|x|)"),
        }
    }

    /// How much of what it may be off the worst value of `found` is: 1 is the bound, and 0 says that nothing is off.
    ///
    /// # Errors
    /// Where `found` is wrong.
    pub fn check(&self, found: &[u8]) -> Result<f64, String> {
        match self {
            Expected::Exactly(bytes) => check_bytes(bytes, found).map(|()| 0.0),
            Expected::Near {
                format,
                values,
                absolute,
                relative,
            } => check_values(*format, values, found, *absolute, *relative),
        }
    }
}

fn check_bytes(expected: &[u8], found: &[u8]) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!("{} bytes, {} were expected", found.len(), expected.len()));
    }
    let wrong = |(index, _): &(usize, _)| expected[*index] != found[*index];
    let count = found.iter().enumerate().filter(wrong).count();
    match found.iter().enumerate().find(wrong) {
        None => Ok(()),
        Some((index, byte)) => Err(format!(
            "{count} of {} bytes are wrong, the first is byte {index}: {byte:#04x} instead of {:#04x}",
            found.len(),
            expected[index]
        )),
    }
}

fn check_values(format: DataFormat, values: &[f64], found: &[u8], absolute: f64, relative: f64) -> Result<f64, String> {
    let found = decode(format, found)?;
    if found.len() != values.len() {
        return Err(format!("{} values, {} were expected", found.len(), values.len()));
    }
    let share = |(value, expected): (&f64, &f64)| {
        if value == expected || (value.is_nan() && expected.is_nan()) {
            return 0.0;
        }
        let share = (value - expected).abs() / (absolute + relative * expected.abs());
        // Not a number where only one of the two is none.
        if share.is_nan() { f64::INFINITY } else { share }
    };
    let shares: Vec<f64> = found.iter().zip(values).map(share).collect();
    let wrong = || shares.iter().enumerate().filter(|(_, share)| **share > 1.0);
    let Some((first, _)) = wrong().next() else {
        return Ok(shares.iter().copied().fold(0.0, f64::max));
    };
    let worst = wrong()
        .map(|(index, _)| (found[index] - values[index]).abs())
        .fold(0.0, f64::max);
    Err(format!(
        "{} of {} values are wrong by up to {worst:e}, the first is value {first}: {} instead of {}",
        wrong().count(),
        values.len(),
        found[first],
        values[first]
    ))
}

/// Bytes that `count` values take.
fn encoded_bytes(format: DataFormat, count: usize) -> usize {
    count / 1024 * format.tile_bytes(32, 32) + count % 1024 * format.tile_bytes(32, 32) / 1024
}

/// Values as `format` holds them, one after the other. Values it cannot hold are rounded to nearest, halves to even.
///
/// # Panics
/// Where no case has had pages of `format` yet: building the case fails, in the test of all cases too.
pub fn encode(format: DataFormat, values: &[f64]) -> Vec<u8> {
    match format {
        DataFormat::Float32 => values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect(),
        DataFormat::Int32 => values.iter().flat_map(|value| (*value as i32).to_le_bytes()).collect(),
        DataFormat::UInt32 => values.iter().flat_map(|value| (*value as u32).to_le_bytes()).collect(),
        DataFormat::UInt16 => values.iter().flat_map(|value| (*value as u16).to_le_bytes()).collect(),
        DataFormat::Float16_b => values
            .iter()
            .flat_map(|value| bf16_bits(*value as f32).to_le_bytes())
            .collect(),
        other => panic!("no values can be written into pages of {other:?}"),
    }
}

/// The inverse of [`encode`].
pub fn decode(format: DataFormat, bytes: &[u8]) -> Result<Vec<f64>, String> {
    let half = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
    let word = |four: &[u8]| u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    Ok(match format {
        DataFormat::Float16_b => bytes
            .chunks_exact(2)
            .map(|pair| f64::from(f32::from_bits(u32::from(half(pair)) << 16)))
            .collect(),
        DataFormat::UInt16 => bytes.chunks_exact(2).map(|pair| f64::from(half(pair))).collect(),
        DataFormat::Float32 => bytes
            .chunks_exact(4)
            .map(|four| f64::from(f32::from_bits(word(four))))
            .collect(),
        DataFormat::UInt32 => bytes.chunks_exact(4).map(|four| f64::from(word(four))).collect(),
        DataFormat::Int32 => bytes.chunks_exact(4).map(|four| f64::from(word(four) as i32)).collect(),
        other => return Err(format!("no values can be read from pages of {other:?}")),
    })
}

/// Nearest bf16 pattern, halves to even.
pub fn bf16_bits(value: f32) -> u16 {
    let bits = value.to_bits();
    (bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

/// The value after rounding to bf16.
pub fn to_bf16(value: f64) -> f64 {
    f64::from(f32::from_bits(u32::from(bf16_bits(value as f32)) << 16))
}

/// A matrix of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Values, row by row.
    pub values: Vec<f64>,
}

impl Matrix {
    /// The matrix with these values.
    pub fn new(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f64) -> Matrix {
        let values = (0..rows * columns).map(|i| value(i / columns, i % columns)).collect();
        Matrix { rows, columns, values }
    }

    /// bf16 values within `low` and `high`, different for every seed.
    pub fn random(rows: usize, columns: usize, seed: u64, low: f64, high: f64) -> Matrix {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let mut matrix = Matrix::new(rows, columns, |_, _| 0.0);
        for value in &mut matrix.values {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let unit = (state >> 40) as f64 / (1u64 << 24) as f64;
            *value = to_bf16(low + unit * (high - low));
        }
        matrix
    }

    /// The product with `b`, computed plainly.
    pub fn times(&self, b: &Matrix) -> Matrix {
        Matrix::new(self.rows, b.columns, |row, column| {
            (0..self.columns).map(|k| self.at(row, k) * b.at(k, column)).sum()
        })
    }

    /// The value at a place.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    /// The matrix of the results of `of` for all values.
    pub fn map(&self, of: impl Fn(f64) -> f64) -> Matrix {
        Matrix::new(self.rows, self.columns, |row, column| of(self.at(row, column)))
    }

    /// The values in the order in which 32 × 32 tiles hold them, tiles row by row.
    pub fn in_tiles(&self) -> Vec<f64> {
        let across = self.columns / 32;
        let place = |index: usize| {
            let (tile, within) = (index / 1024, index % 1024);
            let (face, rest) = (within / 256, within % 256);
            let row = tile / across * 32 + face / 2 * 16 + rest / 16;
            (row, tile % across * 32 + face % 2 * 16 + rest % 16)
        };
        (0..self.rows * self.columns)
            .map(|index| {
                let (row, column) = place(index);
                self.at(row, column)
            })
            .collect()
    }

    /// Pages of one 32 × 32 tile each.
    pub fn tiles(&self, format: DataFormat) -> Vec<u8> {
        encode(format, &self.in_tiles())
    }

    /// Pages of one row each.
    pub fn sticks(&self, format: DataFormat) -> Vec<u8> {
        encode(format, &self.values)
    }

    /// These tiles within a bound, as the result of a computation.
    pub fn near(&self, format: DataFormat, absolute: f64, relative: f64) -> Expected {
        Expected::Near {
            format,
            values: self.in_tiles(),
            absolute,
            relative,
        }
    }
}

/// Bytes that differ within a page and from page to page.
pub fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes)
        .map(|index| (index * 31 + index / 251 * 7 + index / 2048 * 13 + seed * 97) as u8)
        .collect()
}

/// Pages of `page_bytes` bytes in another order.
pub fn reordered(content: &[u8], page_bytes: u32, order: &[u32]) -> Vec<u8> {
    let bytes = page_bytes as usize;
    let page = |index: &u32| &content[*index as usize * bytes..][..bytes];
    order.iter().flat_map(page).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_from_their_pages() {
        let matrix = Matrix::random(64, 32, 1, -2.0, 2.0);
        for format in [DataFormat::Float16_b, DataFormat::Float32] {
            assert_eq!(decode(format, &matrix.tiles(format)).unwrap(), matrix.in_tiles());
            assert_eq!(decode(format, &matrix.sticks(format)).unwrap(), matrix.values);
        }
        assert_eq!(matrix.in_tiles()[256], matrix.at(0, 16));
        assert_eq!(matrix.in_tiles()[1024 + 512], matrix.at(48, 0));
    }

    #[test]
    fn a_wrong_value_is_found() {
        let matrix = Matrix::random(32, 32, 2, 1.0, 2.0);
        let near = matrix.near(DataFormat::Float16_b, 0.0, 0.001);
        near.check(&matrix.tiles(DataFormat::Float16_b)).unwrap();
        let mut other = matrix.clone();
        other.values[5] = f64::NAN;
        assert!(
            near.check(&other.tiles(DataFormat::Float16_b))
                .unwrap_err()
                .contains("1 of 1024")
        );
        let exact = Expected::from(vec![1, 2, 3]);
        assert!(exact.check(&[1, 2, 4]).unwrap_err().contains("byte 2"));
        assert!(exact.check(&[1, 2]).is_err());
    }
}
