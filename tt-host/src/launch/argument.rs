//! Arguments of a launch, without their types.

use crate::element::Element;
use crate::tensor::{RawTensor, Tensor};

/// An argument: a borrowed tensor or a scalar.
#[derive(Clone, Copy)]
pub struct Argument<'t>(pub(crate) Value<'t>);

#[derive(Clone, Copy)]
pub(crate) enum Value<'t> {
    Tensor {
        tensor: &'t RawTensor,
        /// Whether the launch may write to it.
        mutable: bool,
    },
    F32(f32),
    I32(i32),
    U32(u32),
}

impl<'t, E: Element, const RANK: usize> From<&'t Tensor<E, RANK>> for Argument<'t> {
    fn from(tensor: &'t Tensor<E, RANK>) -> Self {
        Argument(Value::Tensor {
            tensor: tensor.raw(),
            mutable: false,
        })
    }
}

impl<'t, E: Element, const RANK: usize> From<&'t mut Tensor<E, RANK>> for Argument<'t> {
    fn from(tensor: &'t mut Tensor<E, RANK>) -> Self {
        Argument(Value::Tensor {
            tensor: tensor.raw(),
            mutable: true,
        })
    }
}

impl From<f32> for Argument<'_> {
    fn from(value: f32) -> Self {
        Argument(Value::F32(value))
    }
}

impl From<i32> for Argument<'_> {
    fn from(value: i32) -> Self {
        Argument(Value::I32(value))
    }
}

impl From<u32> for Argument<'_> {
    fn from(value: u32) -> Self {
        Argument(Value::U32(value))
    }
}
