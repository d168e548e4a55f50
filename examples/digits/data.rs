//! The pictures and the weights, both part of the program.

use tt::bf16;

/// One handwritten digit.
pub struct Picture {
    /// 8 × 8 grey values from 0 to 16, row by row.
    pub grey: [f32; 64],
    /// What the writer meant.
    pub digit: usize,
}

/// Two layers, each a matrix (row-major) and a bias.
pub struct Weights {
    pub pixels: usize,
    pub hidden: usize,
    pub classes: usize,
    pub w1: Vec<bf16>,
    pub b1: Vec<bf16>,
    pub w2: Vec<bf16>,
    pub b2: Vec<bf16>,
}

/// Whether the network was trained without picture number `i`; the same rule is in train.py.
pub fn is_held_out(i: usize) -> bool {
    i % 18 < 5
}

/// Reads digits.csv: 64 grey values and the digit on each line.
pub fn pictures() -> Result<Vec<Picture>, String> {
    let lines = include_str!("digits.csv").lines().enumerate();
    lines
        .map(|(number, line)| {
            let wrong = || format!("digits.csv, line {}: not 64 grey values and a digit", number + 1);
            let values: Vec<u8> = line
                .split(',')
                .map(str::parse)
                .collect::<Result<_, _>>()
                .map_err(|_| wrong())?;
            match values.split_last() {
                Some((digit, grey)) if grey.len() == 64 && *digit < 10 && grey.iter().all(|v| *v <= 16) => {
                    Ok(Picture {
                        grey: std::array::from_fn(|i| f32::from(grey[i])),
                        digit: usize::from(*digit),
                    })
                }
                _ => Err(wrong()),
            }
        })
        .collect()
}

/// Reads weights.bin: a header of 32 bytes with the three extents, then four arrays of bf16, little-endian.
pub fn weights() -> Result<Weights, String> {
    let bytes = include_bytes!("weights.bin");
    let wrong = || "weights.bin is not what train.py writes".to_string();
    let (header, rest) = bytes.split_first_chunk::<32>().ok_or_else(wrong)?;
    if header[..8] != *b"TTMLP\0\0\x01" {
        return Err(wrong());
    }
    let extent = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]) as usize;
    let (pixels, hidden, classes) = (extent(8), extent(12), extent(16));
    let values: Vec<bf16> = rest
        .chunks_exact(2)
        .map(|pair| bf16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    let mut arrays = values.as_slice();
    let mut take = |count: usize| {
        let (array, rest) = arrays.split_at_checked(count)?;
        arrays = rest;
        Some(array.to_vec())
    };
    let w1 = take(pixels * hidden).ok_or_else(wrong)?;
    let b1 = take(hidden).ok_or_else(wrong)?;
    let w2 = take(hidden * classes).ok_or_else(wrong)?;
    let b2 = take(classes).ok_or_else(wrong)?;
    if arrays.is_empty() {
        Ok(Weights {
            pixels,
            hidden,
            classes,
            w1,
            b1,
            w2,
            b2,
        })
    } else {
        Err(wrong())
    }
}
