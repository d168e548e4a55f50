//! Arrays of the crate `ndarray`.

use crate::{Device, Element, Result, Tensor};
use ndarray::{Array, ArrayBase, Data, Dim, Dimension, IntoDimension, Ix};

impl<E: Element, const RANK: usize> Tensor<E, RANK>
where
    Dim<[Ix; RANK]>: Dimension,
    [Ix; RANK]: IntoDimension<Dim = Dim<[Ix; RANK]>>,
{
    /// The elements of an array, whatever order they lie in, as a new tensor.
    ///
    /// ```no_run
    /// # fn main() -> tt_host::Result<()> {
    /// let device = tt_host::Device::open()?;
    /// let tensor = tt_host::Tensor::from_array(&device, &ndarray::arr2(&[[1.0f32, 2.0], [3.0, 4.0]]))?;
    /// assert_eq!(tensor.to_array()?[[1, 0]], 3.0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`Device::upload`].
    pub fn from_array<S: Data<Elem = E>>(
        device: &Device,
        array: &ArrayBase<S, Dim<[Ix; RANK]>>,
    ) -> Result<Tensor<E, RANK>> {
        let mut shape = [0; RANK];
        shape.copy_from_slice(array.shape());
        match array.as_slice() {
            Some(elements) => device.upload(elements, shape),
            None => device.upload(&array.iter().copied().collect::<Vec<E>>(), shape),
        }
    }

    /// Its elements as an array.
    ///
    /// # Errors
    /// As [`download`](Tensor::download).
    pub fn to_array(&self) -> Result<Array<E, Dim<[Ix; RANK]>>> {
        let elements = self.download()?;
        Ok(Array::from_shape_vec(self.shape(), elements).expect("a tensor has as many elements as its extents make"))
    }
}
