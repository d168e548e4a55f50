//! One launch of one stage: the kernel with checked inputs.

use super::error::{InterpretError, InterpretErrorKind as Kind};
use super::inputs::{Inputs, Outputs};
use super::integer::Scope;
use super::storage::TensorData;
use super::watch::Watch;
use crate::ir::{DerivedParam, IntExpr, Kernel, Param, ParamId, ScalarKind, TensorParam};
use std::collections::BTreeMap;

/// A kernel and everything that is the same for all its blocks.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    pub kernel: &'a Kernel,
    /// By extent.
    pub extents: Vec<i64>,
    /// By parameter; 0 where it is no integer scalar.
    pub integers: Vec<i64>,
    /// By parameter; 0 where it is no `f32` scalar.
    pub floats: Vec<f64>,
    /// By parameter; none where it is a scalar.
    pub tensors: Vec<Option<TensorData<'a>>>,
    /// The grid, the fastest axis first.
    pub grid: Vec<u64>,
    /// Which stage it is, from 0.
    pub stage: usize,
    /// The element whose stores are noted.
    pub watch: Option<Watch>,
}

impl<'a> Launch<'a> {
    pub fn new(kernel: &'a Kernel, inputs: &Inputs<'a>) -> Result<Self, InterpretError> {
        let input = |kind| InterpretError::input(kernel, kind);
        let missing = |name: &str| input(Kind::MissingInput(name.to_string()));
        let extents = extents(kernel, inputs).map_err(input)?;
        let (mut integers, mut floats) = (vec![0; kernel.params.len()], vec![0.0; kernel.params.len()]);
        for (i, param) in kernel.params.iter().enumerate() {
            if let Param::Scalar(scalar) = param {
                let name = &scalar.name;
                match scalar.kind {
                    ScalarKind::F32 => floats[i] = *inputs.floats.get(name).ok_or_else(|| missing(name))?,
                    ScalarKind::I32 | ScalarKind::U32 => {
                        integers[i] = *inputs.integers.get(name).ok_or_else(|| missing(name))?;
                        floats[i] = integers[i] as f64;
                    }
                }
            }
        }
        let mut launch = Launch {
            kernel,
            extents,
            integers,
            floats,
            tensors: Vec::new(),
            grid: Vec::new(),
            stage: 0,
            watch: inputs.watched.as_ref().and_then(|(name, flat)| {
                let tensor = kernel.params.iter().position(|param| param.name() == name)?;
                Some(Watch::of(ParamId(tensor as u32), *flat))
            }),
        };
        for (i, param) in kernel.params.iter().enumerate() {
            if let Param::Derived(DerivedParam { op, sides: [a, b], .. }) = param {
                let scope = launch.scope();
                let side = |side| scope.number(side).map(|value| value as f32).map_err(input);
                let holds = op.apply(side(a)?, side(b)?);
                launch.integers[i] = holds.into();
            }
        }
        let mut tensors = Vec::new();
        for param in &kernel.params {
            tensors.push(match param {
                Param::Scalar(_) | Param::Derived(_) => None,
                Param::Temporary(tensor) => Some(launch.temporary(tensor)?),
                Param::Tensor(tensor) => {
                    let (shape, values) = inputs.tensors.get(&tensor.name).ok_or_else(|| missing(&tensor.name))?;
                    let scope = launch.scope();
                    let expected: Vec<i64> = tensor
                        .extents
                        .iter()
                        .map(|extent| scope.integer(&extent.value))
                        .collect::<Result<_, _>>()
                        .map_err(input)?;
                    let same = expected.len() == shape.len()
                        && expected.iter().zip(shape).all(|(a, b)| i64::try_from(*b) == Ok(*a));
                    if !same {
                        let tensor = tensor.name.clone();
                        return Err(input(Kind::Shape {
                            tensor,
                            expected,
                            found: shape.clone(),
                        }));
                    }
                    let count = shape.iter().product();
                    if values.len() != count {
                        let tensor = tensor.name.clone();
                        return Err(input(Kind::Length {
                            tensor,
                            expected: count,
                            found: values.len(),
                        }));
                    }
                    Some(TensorData::new(&tensor.name, shape.clone(), *values, tensor.mutable))
                }
            });
        }
        launch.tensors = tensors;
        launch.grid = launch.grid()?;
        Ok(launch)
    }

    /// The launch of the stage `kernel`, after this one.
    pub fn then(self, kernel: &'a Kernel) -> Result<Self, InterpretError> {
        let mut launch = Launch {
            kernel,
            stage: self.stage + 1,
            ..self
        };
        launch.grid = launch.grid()?;
        Ok(launch)
    }

    fn grid(&self) -> Result<Vec<u64>, InterpretError> {
        let kernel = self.kernel;
        let mut grid = Vec::new();
        for (_, extent) in &kernel.grid.axes {
            let at = |kind| InterpretError::at(kernel, extent.span, kind);
            let value = self.scope().integer(&extent.value).map_err(at)?;
            grid.push(u64::try_from(value).map_err(|_| at(Kind::Grid(value)))?);
        }
        if grid
            .iter()
            .try_fold(1u64, |product, extent| product.checked_mul(*extent))
            .is_none()
        {
            return Err(InterpretError::at(kernel, kernel.grid.span, Kind::Grid(i64::MAX)));
        }
        Ok(grid)
    }

    /// A temporary, in which no element has a value yet.
    fn temporary(&self, tensor: &'a TensorParam) -> Result<TensorData<'a>, InterpretError> {
        let mut shape = Vec::new();
        for extent in &tensor.extents {
            let at = |kind| InterpretError::at(self.kernel, extent.span, kind);
            let value = self.scope().integer(&extent.value).map_err(at)?;
            let positive = usize::try_from(value).ok().filter(|value| *value > 0);
            shape.push(positive.ok_or_else(|| at(Kind::Temporary(tensor.name.clone(), value)))?);
        }
        let count = shape
            .iter()
            .try_fold(1_usize, |product, extent| product.checked_mul(*extent));
        let count = count.filter(|count| *count <= isize::MAX as usize / size_of::<f64>());
        let large = || InterpretError::at(self.kernel, tensor.span, Kind::Temporary(tensor.name.clone(), i64::MAX));
        Ok(TensorData::unset(&tensor.name, shape, count.ok_or_else(large)?))
    }

    /// The scope outside of every loop.
    pub fn scope(&self) -> Scope<'_> {
        Scope {
            launch: self,
            variables: vec![0; self.kernel.variables.len()],
        }
    }

    pub fn block_count(&self) -> u64 {
        self.grid.iter().product()
    }

    pub fn into_outputs(self, prints: Vec<String>) -> Outputs {
        let is_parameter = |param: &Param| matches!(param, Param::Tensor(_));
        let parameters = self.kernel.params.iter().map(is_parameter);
        let tensors = self
            .tensors
            .into_iter()
            .zip(parameters)
            .filter_map(|(tensor, is_parameter)| tensor.filter(|_| is_parameter))
            .filter_map(|tensor| {
                let name = tensor.name.to_string();
                tensor.into_written().map(|values| (name, values))
            })
            .collect();
        let stored = self.watch.and_then(Watch::into_stored);
        Outputs {
            tensors,
            prints,
            stored,
        }
    }
}

/// The symbolic extents: given ones, and those that some tensor has as an extent of its own. Where two tensors disagree
/// the first counts, and the check of the other's shape says so.
fn extents(kernel: &Kernel, inputs: &Inputs<'_>) -> Result<Vec<i64>, Kind> {
    let mut known: BTreeMap<usize, i64> = BTreeMap::new();
    for (i, extent) in kernel.extents.iter().enumerate() {
        if let Some(value) = inputs.extents.get(&extent.name) {
            known.insert(i, *value);
        }
    }
    for param in &kernel.params {
        if let Param::Tensor(tensor) = param
            && let Some((shape, _)) = inputs.tensors.get(&tensor.name)
        {
            for (extent, found) in tensor.extents.iter().zip(shape) {
                if let IntExpr::Extent(id) = extent.value
                    && let Ok(found) = i64::try_from(*found)
                {
                    known.entry(id.index()).or_insert(found);
                }
            }
        }
    }
    (0..kernel.extents.len())
        .map(|i| {
            known
                .get(&i)
                .copied()
                .ok_or_else(|| Kind::MissingInput(kernel.extents[i].name.clone()))
        })
        .collect()
}
