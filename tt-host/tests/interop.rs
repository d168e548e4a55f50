//! Tensors from and to what other crates and files hold.
#![cfg(not(tt_metal_sdk))]

use ndarray::{Array, arr2};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView, serialize};
use std::path::PathBuf;
use tt_host::{Device, Element, ErrorKind, Tensor, bf16, bfp8, f16};

fn emulator() -> Device {
    Device::open_named("emulator").unwrap()
}

/// A path of this process's own.
fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("tt-interop-{}-{name}", std::process::id()))
}

#[test]
fn arrays_go_to_a_device_and_come_back_in_any_order() {
    let device = emulator();
    let array = Array::from_shape_fn((3, 40, 33), |(a, b, c)| (a * 10_000 + b * 100 + c) as i32);
    let tensor = Tensor::from_array(&device, &array).unwrap();
    assert_eq!(tensor.shape(), [3, 40, 33]);
    assert_eq!(tensor.to_array().unwrap(), array);
    let turned = arr2(&[[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]).reversed_axes();
    let tensor = Tensor::from_array(&device, &turned).unwrap();
    assert_eq!(tensor.download().unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(tensor.to_array().unwrap(), turned);
    let none = Array::<f32, _>::zeros((0, 3));
    assert_eq!(Tensor::from_array(&device, &none).unwrap_err().kind(), ErrorKind::Shape);
}

#[test]
fn files_of_numpy_are_written_and_read() {
    fn check<E: Element>(device: &Device, name: &str, value: impl Fn(usize) -> E) {
        let (path, values) = (path(name), (0..5 * 33).map(value).collect::<Vec<E>>());
        let tensor = device.upload(&values, [5, 33]).unwrap();
        tensor.to_npy(&path).unwrap();
        let read: Tensor<E, 2> = Tensor::from_npy(device, &path).unwrap();
        assert_eq!(read.download().unwrap(), values, "{name}");
        let message = Tensor::<E, 3>::from_npy(device, &path).unwrap_err().to_string();
        assert!(message.contains("has 2 axes, [5, 33], not 3"), "{message}");
        std::fs::remove_file(path).unwrap();
    }
    let device = emulator();
    check(&device, "f32", |at| at as f32 / 3.0);
    check(&device, "bf16", |at| bf16::from_f32(at as f32));
    check(&device, "f16", |at| f16::from_f32(at as f32));
    check(&device, "bfp8", |at| bfp8::from_f32((at % 2) as f32));
    check(&device, "i32", |at| at as i32 - 100);
    check(&device, "u32", |at| u32::MAX - at as u32);
    check(&device, "u16", |at| at as u16);
    check(&device, "u8", |at| at as u8);
    check(&device, "i8", |at| at as i8);
}

#[test]
fn numbers_that_a_type_does_not_have_and_damaged_files_are_errors() {
    let device = emulator();
    let path = path("damaged.npy");
    device.upload(&[1.0f32, 2.5], [2]).unwrap().to_npy(&path).unwrap();
    assert_eq!(
        Tensor::<bf16, 1>::from_npy(&device, &path).unwrap().download().unwrap()[1].to_f32(),
        2.5
    );
    let message = Tensor::<i32, 1>::from_npy(&device, &path).unwrap_err().to_string();
    assert!(
        message.contains("element 1 of") && message.contains("is 2.5, which is no i32"),
        "{message}"
    );
    let whole = std::fs::read(&path).unwrap();
    for length in [0, 5, 20, whole.len() - 3] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let error = Tensor::<f32, 1>::from_npy(&device, &path).unwrap_err();
        assert!(error.to_string().contains("damaged.npy"), "{error}");
    }
    // 10¹⁸ elements, which no file holds.
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000000000), }";
    let mut huge = b"\x93NUMPY\x01\x00".to_vec();
    huge.extend((header.len() as u16).to_le_bytes());
    huge.extend(header.bytes());
    std::fs::write(&path, &huge).unwrap();
    assert!(Tensor::<f32, 2>::from_npy(&device, &path).is_err());
    std::fs::remove_file(&path).unwrap();
    assert!(Tensor::<f32, 1>::from_npy(&device, &path).is_err());
    let nowhere = std::env::temp_dir().join("tt-no-such-folder/x.npy");
    assert!(device.upload(&[1.0f32], [1]).unwrap().to_npy(nowhere).is_err());
}

#[test]
fn tensors_of_a_model_are_read_by_name_and_type() {
    let device = emulator();
    let wide: Vec<u8> = (0..6).flat_map(|at| (at as f32 + 0.125).to_le_bytes()).collect();
    let narrow: Vec<u8> = (0..6).flat_map(|at| bf16::from_f32(at as f32).to_le_bytes()).collect();
    let ids: Vec<u8> = (0..6).flat_map(|at| (at as i64 * 1000).to_le_bytes()).collect();
    let views = [
        ("wide", TensorView::new(Dtype::F32, vec![2, 3], &wide).unwrap()),
        ("narrow", TensorView::new(Dtype::BF16, vec![2, 3], &narrow).unwrap()),
        ("ids", TensorView::new(Dtype::I64, vec![6], &ids).unwrap()),
    ];
    let bytes = serialize(views, None).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let weight: Tensor<bf16, 2> = Tensor::from_safetensors(&device, &file, "wide").unwrap();
    assert_eq!(weight.shape(), [2, 3]);
    assert_eq!(weight.download().unwrap()[1], bf16::from_f32(1.125));
    let weight: Tensor<f32, 2> = Tensor::from_safetensors(&device, &file, "narrow").unwrap();
    assert_eq!(weight.download().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let weight: Tensor<u16, 1> = Tensor::from_safetensors(&device, &file, "ids").unwrap();
    assert_eq!(weight.download().unwrap(), [0, 1000, 2000, 3000, 4000, 5000]);
    for (error, wanted) in [
        (
            Tensor::<u8, 1>::from_safetensors(&device, &file, "ids").unwrap_err(),
            "is 1000, which is no u8",
        ),
        (
            Tensor::<u8, 2>::from_safetensors(&device, &file, "ids").unwrap_err(),
            "has 1 axes, [6], not 2",
        ),
        (
            Tensor::<u8, 1>::from_safetensors(&device, &file, "bias").unwrap_err(),
            "the tensor `bias`",
        ),
    ] {
        assert!(error.to_string().contains(wanted), "{error}");
    }
}
