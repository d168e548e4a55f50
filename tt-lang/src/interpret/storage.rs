//! Blocks and tensors while a kernel runs, and the marks of padded elements.

use super::inputs::Values;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is known of an element besides its value: a set of the flags here; none for an ordinary element.
pub(super) type Marks = u8;
/// Padding along the second axis from the end; in a block of one axis, along that one.
pub(super) const ROW: Marks = 1;
/// Padding along the last axis of a block of two or three.
pub(super) const COLUMN: Marks = 2;
/// Padding along either.
pub(super) const PADDING: Marks = ROW | COLUMN;
/// Never written.
pub(super) const UNSET: Marks = 4;

/// A block's elements, row-major.
#[derive(Debug, Clone)]
pub(super) struct BlockData {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
    pub marks: Vec<Marks>,
}

impl BlockData {
    pub fn unset(shape: Vec<usize>) -> Self {
        let count = shape.iter().product();
        BlockData {
            shape,
            values: vec![0.0; count],
            marks: vec![UNSET; count],
        }
    }

    /// Rows and columns, where the block is one matrix; a single axis counts as rows.
    pub fn matrix(&self) -> Option<(usize, usize)> {
        match self.shape.as_slice() {
            [rows] => Some((*rows, 1)),
            [leading @ .., rows, columns] if leading.iter().all(|extent| *extent == 1) => Some((*rows, *columns)),
            _ => None,
        }
    }

    pub fn has_unset(&self) -> bool {
        self.marks.iter().any(|marks| marks & UNSET != 0)
    }

    pub fn fill(&mut self, value: f64) {
        self.values.fill(value);
        self.marks.fill(0);
    }

    /// Takes over the elements of `other`, which has as many; where the number of axes differs, padding of either kind
    /// becomes padding along the axis that is left.
    pub fn assign(&mut self, other: &BlockData) {
        self.values.copy_from_slice(&other.values);
        let single = match self.shape.as_slice() {
            [_] => Some(ROW),
            [.., 1, _] => Some(COLUMN),
            [.., 1] => Some(ROW),
            _ => None,
        };
        match single {
            Some(axis) => {
                for (to, from) in self.marks.iter_mut().zip(&other.marks) {
                    *to = if from & PADDING != 0 { axis } else { 0 } | from & UNSET;
                }
            }
            None => self.marks.copy_from_slice(&other.marks),
        }
    }

    /// The marks that padding along axis `axis` of the block gives an element.
    pub fn axis_mark(&self, axis: usize) -> Marks {
        axis_mark(self.shape.len(), axis)
    }
}

/// The mark of padding along axis `axis` of something with `rank` axes kept as a block; a leading axis has no mark of its
/// own, its padding takes the whole matrix out.
pub(super) fn axis_mark(rank: usize, axis: usize) -> Marks {
    match rank - axis {
        1 if rank == 1 => ROW,
        1 => COLUMN,
        2 => ROW,
        _ => PADDING,
    }
}

/// The marks of an element after rows and columns have changed places.
pub(super) fn swap(marks: Marks) -> Marks {
    match marks & PADDING {
        ROW => COLUMN | (marks & !PADDING),
        COLUMN => ROW | (marks & !PADDING),
        _ => marks,
    }
}

/// A tensor's elements while a kernel runs.
#[derive(Debug)]
pub(super) struct TensorData<'a> {
    pub name: &'a str,
    pub shape: Vec<usize>,
    values: TensorValues<'a>,
}

#[derive(Debug)]
enum TensorValues<'a> {
    /// Only read.
    Borrowed(Values<'a>),
    /// Written by blocks on several threads: the bits of `f64`s.
    Shared(Vec<AtomicU64>),
}

impl<'a> TensorData<'a> {
    pub fn new(name: &'a str, shape: Vec<usize>, values: Values<'a>, mutable: bool) -> Self {
        let values = if mutable {
            TensorValues::Shared(
                (0..values.len())
                    .map(|i| AtomicU64::new(values.get(i).to_bits()))
                    .collect(),
            )
        } else {
            TensorValues::Borrowed(values)
        };
        TensorData { name, shape, values }
    }

    /// `count` elements that have no value until they are written: not a number.
    pub fn unset(name: &'a str, shape: Vec<usize>, count: usize) -> Self {
        let values = (0..count).map(|_| AtomicU64::new(f64::NAN.to_bits())).collect();
        TensorData {
            name,
            shape,
            values: TensorValues::Shared(values),
        }
    }

    pub fn get(&self, flat: usize) -> f64 {
        match &self.values {
            TensorValues::Borrowed(values) => values.get(flat),
            TensorValues::Shared(values) => f64::from_bits(values[flat].load(Ordering::Relaxed)),
        }
    }

    /// Copies the elements from `flat` on into `to`.
    pub fn read(&self, flat: usize, to: &mut [f64]) {
        match &self.values {
            TensorValues::Borrowed(Values::F64(values)) => to.copy_from_slice(&values[flat..flat + to.len()]),
            TensorValues::Borrowed(Values::F32(values)) => {
                for (to, from) in to.iter_mut().zip(&values[flat..]) {
                    *to = f64::from(*from);
                }
            }
            TensorValues::Shared(values) => {
                for (to, from) in to.iter_mut().zip(&values[flat..]) {
                    *to = f64::from_bits(from.load(Ordering::Relaxed));
                }
            }
        }
    }

    /// Writes the elements from `flat` on; the tensor must be mutable.
    pub fn write(&self, flat: usize, from: &[f64]) -> bool {
        match &self.values {
            TensorValues::Borrowed(_) => false,
            TensorValues::Shared(values) => {
                for (to, from) in values[flat..].iter().zip(from) {
                    to.store(from.to_bits(), Ordering::Relaxed);
                }
                true
            }
        }
    }

    /// The values, where the tensor is mutable.
    pub fn into_written(self) -> Option<Vec<f64>> {
        match self.values {
            TensorValues::Borrowed(_) => None,
            TensorValues::Shared(values) => Some(
                values
                    .into_iter()
                    .map(|bits| f64::from_bits(bits.into_inner()))
                    .collect(),
            ),
        }
    }
}
