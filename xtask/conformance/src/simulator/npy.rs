//! numpy's file format, for arrays of `f32` and of words.

use std::path::Path;
use xtask::project;

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

/// Writes `values` with extents `shape` to `path`.
pub fn write(path: &Path, shape: &[usize], values: &[f32]) -> Result<(), String> {
    write_bytes(path, shape, "<f4", values.iter().flat_map(|value| value.to_le_bytes()))
}

/// Writes the little-endian words in `bytes` with extents `shape` to `path`.
pub fn write_words(path: &Path, shape: &[usize], bytes: &[u8]) -> Result<(), String> {
    write_bytes(path, shape, "<u4", bytes.iter().copied())
}

fn write_bytes(path: &Path, shape: &[usize], kind: &str, data: impl Iterator<Item = u8>) -> Result<(), String> {
    let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({extents}), }}");
    // Magic, version and the header's length take 10 bytes; data starts at a multiple of 64, after a line break.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).map_err(|_| "too many axes for a .npy file".to_string())?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    project::write(path, bytes)
}

/// The `count` values in `path`, as `f32` or as `i32`, each of which is an `f32` too.
pub fn read(path: &Path, count: usize) -> Result<Vec<f32>, String> {
    if let Ok(bytes) = read_bytes(path, "<i4", count) {
        let (words, _) = bytes.as_chunks::<4>();
        return Ok(words.iter().map(|word| i32::from_le_bytes(*word) as f32).collect());
    }
    let bytes = read_bytes(path, "<f4", count)?;
    let (words, _) = bytes.as_chunks::<4>();
    Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
}

/// The bytes of the `count` words in `path`.
pub fn read_words(path: &Path, count: usize) -> Result<Vec<u8>, String> {
    read_bytes(path, "<u4", count)
}

fn read_bytes(path: &Path, kind: &str, count: usize) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    data(&bytes, kind)
        .filter(|data| data.len() == 4 * count)
        .map(<[u8]>::to_vec)
        .ok_or_else(|| format!("{} does not hold {count} values of {kind}", path.display()))
}

fn data<'a>(bytes: &'a [u8], kind: &str) -> Option<&'a [u8]> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, rest) = rest.split_first_chunk::<2>()?;
    let (header, data) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
    let header = std::str::from_utf8(header).ok()?;
    (header.contains(&format!("'{kind}'")) && header.contains("'fortran_order': False")).then_some(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_a_truncated_file_is_refused() {
        let folder = std::env::temp_dir().join(format!("tt-npy-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("x.npy");
        let values = [1.0, -0.0, f32::INFINITY, 1e-40, 3.5, 7.0];
        write(&path, &[2, 3], &values).unwrap();
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&read(&path, 6).unwrap()), bits(&values));
        assert!(read(&path, 5).unwrap_err().contains("does not hold 5 values"));
        let bytes = std::fs::read(&path).unwrap();
        for length in [0, 9, 40, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(read(&path, 6).is_err(), "{length} bytes");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
