//! Tensors as they lie in tiles, with numbers where no element is.
//!
//! Nobody promises what the rest of an edge tile holds, so the simulated chip finds there what shows if it is used.

const TILE: usize = tt_device::TILE_SIDE as usize;

/// The extents of the tiles that a tensor of `shape` fills, wholly or in part. A tensor of one axis stays as it is: the
/// runtime pads it.
pub fn padded(shape: &[usize]) -> Vec<usize> {
    let mut out = shape.to_vec();
    if let [.., rows, columns] = out.as_mut_slice() {
        *rows = rows.next_multiple_of(TILE);
        *columns = columns.next_multiple_of(TILE);
    }
    out
}

/// The elements of a tensor of `shape` among numbers that belong to nothing: large ones, and NaN; zeros where elements share
/// exponents with what lies beside them.
pub fn pad(values: &[f32], shape: &[usize], shares_exponents: bool) -> Vec<f32> {
    let count = padded(shape).iter().product();
    let mut out: Vec<f32> = (0..count)
        .map(|at| match at % 3 {
            _ if shares_exponents => 0.0,
            0 => f32::NAN,
            _ => 24_576.0,
        })
        .collect();
    for (value, at) in values.iter().zip(places(shape)) {
        out[at] = *value;
    }
    out
}

/// The elements of a tensor of `shape` out of what [`pad`] made.
pub fn crop(values: &[f32], shape: &[usize]) -> Vec<f32> {
    places(shape).map(|at| values[at]).collect()
}

/// Where the elements of a tensor of `shape` stand among the padded ones.
fn places(shape: &[usize]) -> impl Iterator<Item = usize> {
    let (rows, columns) = match *shape {
        [.., rows, columns] => (rows, columns),
        [columns] => (1, columns),
        [] => (1, 1),
    };
    let padded = padded(shape);
    let (all_rows, all_columns) = match *padded.as_slice() {
        [.., rows, columns] => (rows, columns),
        [columns] => (1, columns),
        [] => (1, 1),
    };
    (0..shape.iter().product::<usize>()).map(move |at| {
        let (row, column) = (at / columns, at % columns);
        (row / rows * all_rows + row % rows) * all_columns + column
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cropped_is_what_was_padded() {
        for shape in [&[5][..], &[33, 70], &[2, 3, 32], &[2, 2, 1, 33]] {
            let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|at| at as f32).collect();
            let all = pad(&values, shape, false);
            assert_eq!(all.len(), padded(shape).iter().product::<usize>());
            assert_eq!(crop(&all, shape), values);
            let others = all.iter().filter(|value| value.is_nan() || **value == 24_576.0).count();
            assert_eq!(others, all.len() - values.len());
        }
    }
}
