//! Candle's tensors as what kernels take: checked, in rows, their elements in order.

use crate::kernels::Elements;
use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, DType, Error, Layout, Result};
use std::borrow::Cow;

/// What an operation is given of a tensor on the host.
#[derive(Clone, Copy)]
pub(crate) struct Operand<'a> {
    pub(crate) storage: &'a CpuStorage,
    pub(crate) layout: &'a Layout,
}

impl<'a> Operand<'a> {
    /// Its elements, row by row: those of the storage, or where they do not lie so there a copy.
    ///
    /// # Errors
    /// Where its elements are no `E`.
    pub(crate) fn elements<E: Elements>(self) -> Result<Cow<'a, [E]>> {
        let all = self.storage.as_slice::<E>()?;
        if let Some((from, to)) = self.layout.contiguous_offsets() {
            return Ok(Cow::Borrowed(&all[from..to]));
        }
        let mut places = vec![self.layout.start_offset()];
        for (extent, stride) in self.layout.dims().iter().zip(self.layout.stride()) {
            places = places
                .iter()
                .flat_map(|place| (0..*extent).map(move |at| place + at * stride))
                .collect();
        }
        Ok(places.into_iter().map(|place| all[place]).collect())
    }

    /// It on `device`, with the extents `shape`, which make as many elements.
    ///
    /// # Errors
    /// Where its elements are no `E`, and the device's own.
    pub(crate) fn upload<E: Elements, const RANK: usize>(
        self,
        device: &tt::Device,
        shape: [usize; RANK],
    ) -> Result<tt::Tensor<E, RANK>> {
        device.upload(&self.elements::<E>()?, shape).map_err(Error::wrap)
    }
}

/// The one element type of the operands of `op`.
///
/// # Errors
/// Where it differs between them, or there are no kernels for it.
pub(crate) fn element_type(op: &'static str, operands: &[Operand<'_>]) -> Result<DType> {
    let first = operands[0].storage.dtype();
    for operand in operands {
        let (lhs, rhs) = (first, operand.storage.dtype());
        if lhs != rhs {
            return Err(Error::DTypeMismatchBinaryOp { lhs, rhs, op }.bt());
        }
    }
    match first {
        DType::BF16 | DType::F32 => Ok(first),
        other => Err(unsupported(op, other)),
    }
}

/// The extents of a tensor as rows, the last axis, of which leading axes make any number: `[M, N]`.
///
/// # Errors
/// Where it has no axis.
pub(crate) fn rows(op: &'static str, layout: &Layout) -> Result<[usize; 2]> {
    match layout.dims() {
        [] => Err(Error::msg(format!(
            "{op} of a number: it goes along a tensor's last axis, and this has no axes"
        ))
        .bt()),
        [leading @ .., last] => Ok([leading.iter().product(), *last]),
    }
}

/// That `op` has no kernels for elements of `found`.
pub(crate) fn unsupported(op: &'static str, found: DType) -> Error {
    Error::UnsupportedDTypeForOp(found, op).bt()
}

/// That two shapes of operands of `op` do not fit each other.
pub(crate) fn mismatch(op: &'static str, lhs: &Layout, rhs: &Layout) -> Error {
    let (lhs, rhs) = (lhs.shape().clone(), rhs.shape().clone());
    Error::ShapeMismatchBinaryOp { lhs, rhs, op }.bt()
}
