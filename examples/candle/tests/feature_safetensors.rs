//! The feature `safetensors` of `tt`: tensors of a model file, by name, and what is downloaded makes such a file again.

use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use std::error::Error;
use tt::{Tensor, bf16};

fn bytes(values: &[bf16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn tensors_of_a_model_file_are_read_and_make_one_again() -> Result<(), Box<dyn Error>> {
    let weight: Vec<bf16> = (0..40 * 33).map(|at| bf16::from_f32(at as f32 / 7.0 - 90.0)).collect();
    let data = bytes(&weight);
    let file = serialize([("weight", TensorView::new(Dtype::BF16, vec![40, 33], &data)?)], None)?;
    let file = SafeTensors::deserialize(&file)?;

    let device = tt::Device::open_named("emulator")?;
    let tensor: Tensor<bf16, 2> = Tensor::from_safetensors(&device, &file, "weight")?;
    assert_eq!(tensor.download()?, weight);
    let data = bytes(&tensor.download()?);
    let again = serialize(
        [("weight", TensorView::new(Dtype::BF16, tensor.shape().to_vec(), &data)?)],
        None,
    )?;
    let again = SafeTensors::deserialize(&again)?;
    assert_eq!(again.tensor("weight")?, file.tensor("weight")?);
    let wide: Tensor<f32, 2> = Tensor::from_safetensors(&device, &again, "weight")?;
    assert!(
        wide.download()?
            .iter()
            .zip(&weight)
            .all(|(wide, weight)| *wide == weight.to_f32())
    );

    for (said, expected) in [
        (
            Tensor::<bf16, 2>::from_safetensors(&device, &file, "bias").map(drop),
            "the tensor `bias`",
        ),
        (
            Tensor::<bf16, 1>::from_safetensors(&device, &file, "weight").map(drop),
            "has 2 axes, [40, 33], not 1",
        ),
    ] {
        let said = said.unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    }
    Ok(())
}
