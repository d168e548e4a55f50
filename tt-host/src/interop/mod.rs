//! Tensors from and to what other crates and files hold: one module for each feature.

#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "npy")]
mod npy;
#[cfg(feature = "safetensors")]
mod safetensors;

#[cfg(any(feature = "npy", feature = "safetensors"))]
use crate::{Element, Error, ErrorKind, Result};

/// The extents of a tensor of `RANK` axes that `what` has.
#[cfg(any(feature = "npy", feature = "safetensors"))]
fn shape_of<const RANK: usize>(extents: &[usize], what: &str) -> Result<[usize; RANK]> {
    extents.try_into().map_err(|_| {
        let message = format!("{what} has {} axes, {extents:?}, not {RANK}", extents.len());
        Error::new(ErrorKind::Shape, message)
    })
}

/// The element that the number at a place of `what` is.
#[cfg(any(feature = "npy", feature = "safetensors"))]
fn element<E: Element>(value: f64, at: usize, what: &str) -> Result<E> {
    E::from_f64(value).ok_or_else(|| {
        let message = format!("element {at} of {what} is {value}, which is no {}", E::TYPE.name());
        Error::new(ErrorKind::Argument, message)
    })
}
