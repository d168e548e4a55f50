//! From arguments to values: everything that can be checked before a launch is checked here.
//!
//! After: every extent and scalar of the signature has a value, every tensor has the extents that the signature asks for, and
//! all tensors are on one open device.

use super::argument::{Argument, Value};
use crate::device::DeviceCore;
use crate::kernel::Kernel;
use crate::tensor::RawTensor;
use crate::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use tt_lang::ir::ScalarKind;
use tt_plan::{Bindings, Formula, Parameter};

/// A launch's values.
pub(crate) struct Bound<'t> {
    pub(crate) bindings: Bindings,
    /// Tensor parameters by position: name, whether it is written, and the tensor.
    pub(crate) tensors: Vec<(String, bool, &'t RawTensor)>,
    pub(crate) device: Arc<DeviceCore>,
}

/// Where a symbolic extent was read off.
struct Origin<'a> {
    tensor: &'a str,
    axis: usize,
    value: i64,
}

/// Checks `arguments` against a kernel's parameters and binds them and the symbolic extents.
pub(crate) fn bind<'t>(
    kernel: &Kernel,
    parameters: &[Parameter],
    extents: &[String],
    arguments: &[Argument<'t>],
) -> Result<Bound<'t>> {
    if arguments.len() != parameters.len() {
        let (found, wanted) = (arguments.len(), parameters.len());
        return Err(kernel.damaged(&format!("the launcher passes {found} arguments, the plan has {wanted}")));
    }
    let mut bindings = Bindings::default();
    let mut tensors: Vec<(String, bool, &'t RawTensor)> = Vec::new();
    for (parameter, argument) in parameters.iter().zip(arguments) {
        let mismatch = || {
            kernel.damaged(&format!(
                "the launcher and the plan disagree on the type of `{}`",
                parameter.name()
            ))
        };
        match (parameter, &argument.0) {
            (
                Parameter::Tensor {
                    name,
                    element,
                    mutable,
                    extents,
                    layout,
                },
                Value::Tensor {
                    tensor,
                    mutable: lent_to_write,
                },
            ) => {
                if tensor.element != *element || tensor.shape.len() != extents.len() {
                    return Err(mismatch());
                }
                if lent_to_write != mutable {
                    return Err(kernel.damaged(&format!(
                        "the launcher and the plan disagree on whether `{name}` is written"
                    )));
                }
                if !tensor.layout.of_pages(layout.page_size).lies_as(layout) {
                    let message = format!(
                        "`{name}` lies in `{}`, but kernel `{}` takes it in `{layout}`: make it with `upload_in` or `zeros_in`",
                        tensor.layout,
                        kernel.name()
                    );
                    return Err(Error::new(ErrorKind::Argument, message));
                }
                bindings.addresses.insert(name.clone(), tensor.buffer.address);
                if tensor.first_page != 0 {
                    bindings.first_pages.insert(name.clone(), tensor.first_page);
                }
                tensors.push((name.clone(), *mutable, tensor));
            }
            (
                Parameter::Scalar {
                    name,
                    kind: ScalarKind::F32,
                },
                Value::F32(value),
            ) => {
                bindings.floats.insert(name.clone(), *value);
            }
            (
                Parameter::Scalar {
                    name,
                    kind: ScalarKind::I32,
                },
                Value::I32(value),
            ) => {
                bindings.integers.insert(name.clone(), i64::from(*value));
            }
            (
                Parameter::Scalar {
                    name,
                    kind: ScalarKind::U32,
                },
                Value::U32(value),
            ) => {
                let value = i32::try_from(*value).map_err(|_| {
                    let message = format!(
                        "`{name}` is {value}, but the integers of kernel `{}` are at most {}",
                        kernel.name(),
                        i32::MAX
                    );
                    Error::new(ErrorKind::Argument, message)
                })?;
                bindings.integers.insert(name.clone(), i64::from(value));
            }
            _ => return Err(mismatch()),
        }
    }
    let device = one_device(kernel, &tensors)?;
    apart(kernel, &tensors)?;
    bind_extents(kernel, parameters, extents, &tensors, &mut bindings)?;
    check_extents(kernel, parameters, &tensors, &bindings)?;
    Ok(Bound {
        bindings,
        tensors,
        device,
    })
}

/// The device that all tensors are on.
fn one_device(kernel: &Kernel, tensors: &[(String, bool, &RawTensor)]) -> Result<Arc<DeviceCore>> {
    let Some(((first, _, tensor), rest)) = tensors.split_first() else {
        let message = format!(
            "kernel `{}` takes no tensor, so there is no device to run it on",
            kernel.name()
        );
        return Err(Error::new(ErrorKind::Argument, message));
    };
    for (name, _, tensor) in tensors {
        tensor.core.with(|_| Ok(())).map_err(|error| {
            Error::new(
                error.kind(),
                format!("the device of `{name}` cannot be used any more: {error}"),
            )
        })?;
    }
    let device = &tensor.core;
    for (name, _, tensor) in rest {
        if !Arc::ptr_eq(device, &tensor.core) {
            let message = format!(
                "`{first}` is on {device}, but `{name}` is on another device, {}",
                tensor.core
            );
            return Err(Error::new(ErrorKind::Argument, message));
        }
    }
    Ok(device.clone())
}

/// What is stored shares no memory with another tensor of the launch: tensors that are borrowed apart may be views.
fn apart(kernel: &Kernel, tensors: &[(String, bool, &RawTensor)]) -> Result<()> {
    for (at, (name, stored, tensor)) in tensors.iter().enumerate() {
        let mut others = tensors.iter().skip(at + 1);
        let other = others.find(|(_, other_stored, other)| (*stored || *other_stored) && tensor.overlaps(other));
        if let Some((other, ..)) = other {
            let message = format!(
                "`{name}` and `{other}` share memory, and kernel `{}` stores to one of them",
                kernel.name()
            );
            return Err(Error::new(ErrorKind::Argument, message));
        }
    }
    Ok(())
}

/// The axes of all tensors: the tensor's name, the axis, its formula and its extent.
fn axes<'a>(
    parameters: &'a [Parameter],
    tensors: &'a [(String, bool, &'a RawTensor)],
) -> impl Iterator<Item = (&'a str, usize, &'a Formula, usize)> {
    let formulas = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Tensor { extents, .. } => Some(extents),
        Parameter::Scalar { .. } => None,
    });
    formulas.zip(tensors).flat_map(|(extents, (name, _, tensor))| {
        let axes = extents.iter().zip(tensor.shape.iter().copied()).enumerate();
        axes.map(move |(axis, (formula, extent))| (name.as_str(), axis, formula, extent))
    })
}

/// Reads the symbolic extents off the tensors.
fn bind_extents(
    kernel: &Kernel,
    parameters: &[Parameter],
    extents: &[String],
    tensors: &[(String, bool, &RawTensor)],
    bindings: &mut Bindings,
) -> Result<()> {
    let mut origins: BTreeMap<&str, Origin<'_>> = BTreeMap::new();
    for (tensor, axis, formula, extent) in axes(parameters, tensors) {
        let Formula::Name(name) = formula else { continue };
        if !extents.contains(name) {
            continue;
        }
        // `Tiling::of` bounds extents far below 63 bits.
        let value = extent as i64;
        let origin = origins.entry(name).or_insert(Origin { tensor, axis, value });
        if origin.value != value {
            let message = format!(
                "the extent `{name}` is {} in `{}` (axis {}) but {value} in `{tensor}` (axis {axis})",
                origin.value, origin.tensor, origin.axis
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
    }
    for name in extents {
        let Some(origin) = origins.get(name.as_str()) else {
            return Err(kernel.damaged(&format!("no tensor has the extent `{name}` as an axis of its own")));
        };
        bindings.integers.insert(name.clone(), origin.value);
    }
    Ok(())
}

/// Compares the tensors' extents with literal and computed ones.
fn check_extents(
    kernel: &Kernel,
    parameters: &[Parameter],
    tensors: &[(String, bool, &RawTensor)],
    bindings: &Bindings,
) -> Result<()> {
    for (tensor, axis, formula, extent) in axes(parameters, tensors) {
        let value = formula
            .evaluate(&|name| bindings.integers.get(name).copied())
            .map_err(|error| {
                let message = format!("kernel `{}`: axis {axis} of `{tensor}`: {error}", kernel.name());
                Error::new(ErrorKind::Shape, message)
            })?;
        if i64::try_from(extent) != Ok(value) {
            let wanted = match formula {
                Formula::Const(value) => value.to_string(),
                Formula::Name(name) => format!("`{name}` = {value}"),
                Formula::Op(_) => format!("`{formula}` = {value}"),
            };
            let message = format!(
                "axis {axis} of `{tensor}` is {extent}, but kernel `{}` takes {wanted}",
                kernel.name()
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
    }
    Ok(())
}
