//! The feature `ndarray` of `tt`: arrays of any order go to a device and come back.

use ndarray::{Array3, s};
use tt::{Tensor, bf16};

#[test]
fn arrays_of_any_order_make_the_same_tensor_and_come_back() -> tt::Result<()> {
    let device = tt::Device::open_named("emulator")?;
    let array = Array3::from_shape_fn((2, 33, 5), |(a, b, c)| bf16::from_f32((a * 100 + b * 2 + c) as f32));
    assert_eq!(Tensor::from_array(&device, &array)?.to_array()?, array);
    let turned = array.view().reversed_axes();
    let tensor = Tensor::from_array(&device, &turned)?;
    assert_eq!(tensor.shape(), [5, 33, 2]);
    assert_eq!(tensor.to_array()?, turned);
    let part = array.slice(s![1, ..;-4, 1..3]);
    assert_eq!(Tensor::from_array(&device, &part)?.to_array()?, part);
    let none = array.slice(s![.., 0..0, ..]);
    let error = Tensor::from_array(&device, &none).unwrap_err();
    assert_eq!(error.kind(), tt::ErrorKind::Shape);
    Ok(())
}
