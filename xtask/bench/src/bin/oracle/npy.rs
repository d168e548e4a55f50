//! numpy's file format, for arrays of `f32`.

use std::path::Path;

/// Writes `values` with extents `shape` to `path`.
pub fn write(path: &Path, shape: &[usize], values: &[f32]) -> Result<(), String> {
    let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({extents}), }}");
    // Magic, version and the header's length take 10 bytes; data starts at a multiple of 64, after a line break.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).map_err(|_| "too many axes for a .npy file".to_string())?;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    std::fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
