//! What a reference run takes and gives.

use super::watch::Stored;
use std::collections::BTreeMap;

/// The values of a tensor, row-major, logical, unpadded.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// As `f64`.
    F64(&'a [f64]),
    /// As `f32`.
    F32(&'a [f32]),
}

impl Values<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::F64(values) => values.len(),
            Values::F32(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at `index`, which must be below [`Values::len`].
    pub(super) fn get(&self, index: usize) -> f64 {
        match self {
            Values::F64(values) => values[index],
            Values::F32(values) => f64::from(values[index]),
        }
    }
}

impl<'a> From<&'a [f64]> for Values<'a> {
    fn from(values: &'a [f64]) -> Self {
        Values::F64(values)
    }
}

impl<'a> From<&'a [f32]> for Values<'a> {
    fn from(values: &'a [f32]) -> Self {
        Values::F32(values)
    }
}

/// The arguments of a reference run, by name. Symbolic extents are read off the tensors; one that no tensor has as an
/// extent of its own is given with [`Inputs::extent`].
#[derive(Debug, Clone, Default)]
pub struct Inputs<'a> {
    pub(super) extents: BTreeMap<String, i64>,
    pub(super) floats: BTreeMap<String, f64>,
    pub(super) integers: BTreeMap<String, i64>,
    pub(super) tensors: BTreeMap<String, (Vec<usize>, Values<'a>)>,
    pub(super) watched: Option<(String, usize)>,
}

impl<'a> Inputs<'a> {
    /// No arguments yet.
    pub fn new() -> Self {
        Inputs::default()
    }

    /// The symbolic extent `name`.
    #[must_use]
    pub fn extent(mut self, name: impl Into<String>, value: i64) -> Self {
        self.extents.insert(name.into(), value);
        self
    }

    /// The `f32` scalar `name`.
    #[must_use]
    pub fn float(mut self, name: impl Into<String>, value: f64) -> Self {
        self.floats.insert(name.into(), value);
        self
    }

    /// The `i32` or `u32` scalar `name`.
    #[must_use]
    pub fn integer(mut self, name: impl Into<String>, value: i64) -> Self {
        self.integers.insert(name.into(), value);
        self
    }

    /// Notes who stores the element of this number, counted row by row, of the tensor `name`: [`Outputs::stored`].
    #[must_use]
    pub fn watch(mut self, name: impl Into<String>, element: usize) -> Self {
        self.watched = Some((name.into(), element));
        self
    }

    /// The tensor `name`; for a mutable one, what it holds before the run.
    #[must_use]
    pub fn tensor(mut self, name: impl Into<String>, shape: &[usize], values: impl Into<Values<'a>>) -> Self {
        self.tensors.insert(name.into(), (shape.to_vec(), values.into()));
        self
    }
}

/// What a reference run gives back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outputs {
    pub(super) tensors: BTreeMap<String, Vec<f64>>,
    pub(super) prints: Vec<String>,
    pub(super) stored: Option<Stored>,
}

impl Outputs {
    /// The mutable tensor `name` after the run, row-major.
    pub fn tensor(&self, name: &str) -> Option<&[f64]> {
        self.tensors.get(name).map(Vec::as_slice)
    }

    /// The mutable tensor `name` after the run, as `f32`.
    pub fn tensor_f32(&self, name: &str) -> Option<Vec<f32>> {
        self.tensor(name)
            .map(|values| values.iter().map(|value| *value as f32).collect())
    }

    /// The last store of the element that was watched; none where no block stores it.
    pub fn stored(&self) -> Option<&Stored> {
        self.stored.as_ref()
    }

    /// The names of all mutable tensors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// Everything that was printed, block by block.
    pub fn prints(&self) -> &[String] {
        &self.prints
    }
}
