//! Tensors of files in the format of the crate `safetensors`.

use super::{element, shape_of};
use crate::{Device, Element, Error, ErrorKind, Result, Tensor, bf16, f16};
use safetensors::{Dtype, SafeTensors};

impl<E: Element, const RANK: usize> Tensor<E, RANK> {
    /// The tensor `name` of a file as a new tensor: numbers of any type, floats rounded to the nearest that `E` has, integers such as `E`
    /// has.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let device = tt_host::Device::open()?;
    /// let bytes = std::fs::read("model.safetensors")?;
    /// let file = safetensors::SafeTensors::deserialize(&bytes)?;
    /// let weight: tt_host::Tensor<tt_host::bf16, 2> = tt_host::Tensor::from_safetensors(&device, &file, "weight")?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Where there is no such tensor, it has another number of axes, or numbers that `E` does not have; and as [`Device::upload`].
    pub fn from_safetensors(device: &Device, file: &SafeTensors<'_>, name: &str) -> Result<Tensor<E, RANK>> {
        let wrong = |message: String| Error::new(ErrorKind::Argument, message);
        let what = format!("the tensor `{name}`");
        let tensor = file.tensor(name).map_err(|error| wrong(format!("{what}: {error}")))?;
        let shape = shape_of(tensor.shape(), &what)?;
        let data = tensor.data();
        let numbers = match tensor.dtype() {
            Dtype::F64 => of(data, f64::from_le_bytes),
            Dtype::F32 => of(data, |bytes| f32::from_le_bytes(bytes).into()),
            Dtype::F16 => of(data, |bytes| f16::from_le_bytes(bytes).to_f64()),
            Dtype::BF16 => of(data, |bytes| bf16::from_le_bytes(bytes).to_f64()),
            Dtype::I64 => of(data, |bytes| i64::from_le_bytes(bytes) as f64),
            Dtype::I32 => of(data, |bytes| i32::from_le_bytes(bytes).into()),
            Dtype::I16 => of(data, |bytes| i16::from_le_bytes(bytes).into()),
            Dtype::I8 => of(data, |bytes| i8::from_le_bytes(bytes).into()),
            Dtype::U64 => of(data, |bytes| u64::from_le_bytes(bytes) as f64),
            Dtype::U32 => of(data, |bytes| u32::from_le_bytes(bytes).into()),
            Dtype::U16 => of(data, |bytes| u16::from_le_bytes(bytes).into()),
            Dtype::U8 | Dtype::BOOL => of(data, |bytes| u8::from_le_bytes(bytes).into()),
            other => return Err(wrong(format!("{what} holds no numbers that a tensor has: {other:?}"))),
        };
        let elements = numbers.into_iter().enumerate();
        let elements = elements.map(|(at, value)| element(value, at, &what));
        device.upload(&elements.collect::<Result<Vec<E>>>()?, shape)
    }
}

fn of<const BYTES: usize>(data: &[u8], number: impl Fn([u8; BYTES]) -> f64) -> Vec<f64> {
    data.as_chunks::<BYTES>().0.iter().map(|bytes| number(*bytes)).collect()
}
