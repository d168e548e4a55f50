//! Tensors go to a device and come back as they were.
#![cfg(not(tt_metal_sdk))]

use tt_host::{Device, Element, ErrorKind, Zeros, bf16, f16};

fn emulator() -> Device {
    Device::open_named("emulator").unwrap()
}

fn round_trip<E: Element, const RANK: usize>(device: &Device, shape: [usize; RANK], value: impl Fn(usize) -> E) {
    let elements: Vec<E> = (0..shape.iter().product()).map(value).collect();
    let tensor = device.upload(&elements, shape).unwrap();
    assert_eq!(tensor.shape(), shape);
    assert_eq!(tensor.element_type(), E::TYPE);
    assert_eq!(tensor.download().unwrap(), elements, "{tensor:?}");
}

#[test]
fn every_element_type_comes_back() {
    let device = emulator();
    round_trip(&device, [70, 45], |i| bf16::from_f32(i as f32 / 8.0));
    round_trip(&device, [70, 45], |i| f16::from_f32(i as f32 / 8.0));
    round_trip(&device, [70, 45], |i| i as f32 - 0.5);
    round_trip(&device, [70, 45], |i| i as i32 - 1000);
    round_trip(&device, [70, 45], |i| u32::MAX - i as u32);
    round_trip(&device, [70, 45], |i| i as u16 ^ 0xa5a5);
    round_trip(&device, [70, 45], |i| i as u8);
}

#[test]
fn every_rank_comes_back() {
    let device = Device::open_named("emulator:blackhole").unwrap();
    let value = |i: usize| i as u32 + 1;
    round_trip(&device, [1], value);
    round_trip(&device, [1000], value);
    round_trip(&device, [33, 31], value);
    round_trip(&device, [3, 32, 64], value);
    round_trip(&device, [2, 3, 5, 70], value);
    round_trip(&device, [2, 1, 3, 33, 2], value);
    round_trip(&device, [2, 2, 1, 2, 17, 40], value);
}

#[test]
fn zeros_are_zero_where_other_values_were() {
    let device = emulator();
    drop(device.upload(&[7.0f32; 64 * 64], [64, 64]).unwrap());
    let zeros = device.zeros::<f32>([64, 64]).unwrap();
    assert_eq!(zeros.download().unwrap(), [0.0; 64 * 64]);
    assert_eq!(device.zeros::<bf16>([5]).unwrap().download().unwrap(), [bf16::ZERO; 5]);
}

#[test]
fn impossible_shapes_are_errors_that_name_them() {
    let device = emulator();
    let error = device.upload(&[1.0f32; 6], [2, 4]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert_eq!(
        error.to_string(),
        "6 elements do not make a tensor of shape [2, 4], which has 8"
    );
    let error = device.upload::<f32, 2>(&[], [0, 4]).unwrap_err();
    assert_eq!(error.to_string(), "axis 0 of the shape [0, 4] is zero");
    let error = device.zeros::<u8>([3, 0]).unwrap_err();
    assert_eq!(error.to_string(), "axis 1 of the shape [3, 0] is zero");
    let error = device.zeros::<u8>([usize::MAX, 2]).unwrap_err();
    assert!(error.to_string().ends_with("has too many elements"), "{error}");
    let error = device.zeros::<u8>([1, 1, 1, 1, 1, 1, 1]).unwrap_err();
    assert_eq!(error.to_string(), "a tensor has 1 to 6 axes, not 7");
}

#[test]
fn a_tensor_larger_than_the_device_is_an_error_and_costs_nothing() {
    let device = emulator();
    let error = device.zeros::<f32>([1 << 16, 1 << 16]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Memory);
    assert!(
        error
            .to_string()
            .starts_with("cannot allocate 17179869184 bytes on the device"),
        "{error}"
    );
    round_trip(&device, [64, 64], |i| i as f32);
}

#[test]
fn a_tensor_says_what_it_is() {
    let device = emulator();
    let text = format!("{:?}", device.zeros::<bf16>([2, 3]).unwrap());
    for part in ["bf16", "[2, 3]", "interleaved", "emulator:wormhole_b0 (8 × 8 cores)"] {
        assert!(text.contains(part), "{text}");
    }
}
