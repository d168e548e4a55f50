//! The reference result of a launch.

use super::binding::Bound;
use crate::block_float::{bfp4, bfp8};
use crate::element::Element;
use crate::tensor::RawTensor;
use crate::{Error, ErrorKind, Result};
use half::{bf16, f16};
use std::collections::BTreeMap;
use std::ops::Index;
use tt_lang::interpret::{Inputs, Outputs, run as interpret};
use tt_lang::ir::{ElementType, Kernel};
use tt_plan::Bindings;

/// What a kernel's source says its written tensors hold after the launch, in `f32`.
///
/// ```no_run
/// # fn show(launch: tt_host::Launch<'_>) -> tt_host::Result<()> {
/// let reference = launch.reference()?;
/// println!("{} elements, the first is {}", reference["c"].len(), reference["c"][0]);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    tensors: BTreeMap<String, Vec<f32>>,
    prints: Vec<String>,
}

impl Reference {
    /// The written tensor of this name, row by row.
    pub fn get(&self, name: &str) -> Option<&[f32]> {
        self.tensors.get(name).map(Vec::as_slice)
    }

    /// The names of the written tensors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// What the kernel prints, block by block: the lines that the device prints, of numbers that are not rounded.
    pub fn prints(&self) -> &[String] {
        &self.prints
    }

    /// The one written tensor, row by row.
    ///
    /// # Errors
    /// Where the kernel writes several or none.
    pub fn into_single(self) -> Result<Vec<f32>> {
        let names: Vec<String> = self.tensors.keys().cloned().collect();
        let mut tensors = self.tensors.into_values();
        match (tensors.next(), tensors.next()) {
            (Some(tensor), None) => Ok(tensor),
            (None, _) => Err(Error::new(ErrorKind::Reference, "the kernel writes no tensor")),
            (Some(_), Some(_)) => {
                let message = format!("the kernel writes {} tensors: {}", names.len(), names.join(", "));
                Err(Error::new(ErrorKind::Reference, message))
            }
        }
    }
}

/// The written tensor of this name.
///
/// # Panics
/// Where the kernel writes no tensor of this name; [`Reference::get`] does not.
impl Index<&str> for Reference {
    type Output = [f32];

    fn index(&self, name: &str) -> &[f32] {
        self.get(name)
            .unwrap_or_else(|| panic!("the kernel writes no tensor `{name}`"))
    }
}

/// A kernel's source, with what its tensors hold and its scalars are.
pub(super) struct Source {
    tile: Kernel,
    /// By tensor: its name, its extents and its elements.
    tensors: Vec<(String, Box<[usize]>, Vec<f64>)>,
    bindings: Bindings,
}

impl Source {
    /// As they are now.
    pub(super) fn of(kernel: &crate::kernel::Kernel, bound: &Bound<'_>) -> Result<Source> {
        let tensors = bound.tensors.iter();
        let tensors =
            tensors.map(|(name, _, tensor)| widen(tensor).map(|values| (name.clone(), tensor.shape.clone(), values)));
        Ok(Source {
            tile: kernel.tile()?,
            tensors: tensors.collect::<Result<_>>()?,
            bindings: bound.bindings.clone(),
        })
    }

    /// How many grids the kernel has.
    pub(super) fn stages(&self) -> usize {
        self.tile.stages().len()
    }

    /// Runs the interpreter; `watched` is an element of a tensor whose stores are noted.
    pub(super) fn run(&self, watched: Option<(&str, usize)>) -> Result<Outputs> {
        let mut inputs = Inputs::new();
        for (name, shape, values) in &self.tensors {
            inputs = inputs.tensor(name, shape, values.as_slice());
        }
        for (name, value) in &self.bindings.floats {
            inputs = inputs.float(name, f64::from(*value));
        }
        for (name, value) in &self.bindings.integers {
            inputs = match self.tile.extents.iter().any(|extent| extent.name == *name) {
                true => inputs.extent(name, *value),
                false => inputs.integer(name, *value),
            };
        }
        if let Some((name, element)) = watched {
            inputs = inputs.watch(name, element);
        }
        interpret(&self.tile, &inputs).map_err(|error| Error::new(ErrorKind::Reference, error.to_string()))
    }
}

/// Runs the interpreter on what the tensors hold.
pub(super) fn run(kernel: &crate::kernel::Kernel, bound: &Bound<'_>) -> Result<Reference> {
    let outputs = Source::of(kernel, bound)?.run(None)?;
    let mut tensors = BTreeMap::new();
    for (name, ..) in bound.tensors.iter().filter(|(_, written, _)| *written) {
        let tensor = outputs.tensor_f32(name);
        let tensor = tensor.ok_or_else(|| kernel.damaged(&format!("its Tile IR does not write `{name}`")))?;
        tensors.insert(name.clone(), tensor);
    }
    Ok(Reference {
        tensors,
        prints: outputs.prints().to_vec(),
    })
}

/// The elements of a tensor, exactly.
pub(super) fn widen(tensor: &RawTensor) -> Result<Vec<f64>> {
    fn download<E: Element>(tensor: &RawTensor) -> Result<Vec<f64>> {
        Ok(tensor.download::<E>()?.into_iter().map(E::to_f64).collect())
    }
    match tensor.element {
        ElementType::Bf16 => download::<bf16>(tensor),
        ElementType::F32 => download::<f32>(tensor),
        ElementType::F16 => download::<f16>(tensor),
        ElementType::I32 => download::<i32>(tensor),
        ElementType::U32 => download::<u32>(tensor),
        ElementType::U16 => download::<u16>(tensor),
        ElementType::U8 => download::<u8>(tensor),
        ElementType::I8 => download::<i8>(tensor),
        ElementType::Bfp8 => download::<bfp8>(tensor),
        ElementType::Bfp4 => download::<bfp4>(tensor),
    }
}
