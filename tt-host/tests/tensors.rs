//! Tensors go to a device and come back as they were.
#![cfg(not(tt_metal_sdk))]

use tt_host::{Device, Element, ErrorKind, UploadF32, Zeros, bf16, bfp8, f16};

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
fn zeros_are_zero_across_the_end_of_the_memory_that_the_emulator_keeps() {
    let device = emulator();
    // 64 MB are kept: the first tensor ends before, the second behind.
    let of_megabytes = |count: usize| [count * 256, 1024];
    for (used, zeroed) in [(16, 100), (100, 100), (60, 70), (100, 16)] {
        drop(device.upload(&vec![7.0f32; used << 18], of_megabytes(used)).unwrap());
        let zeros = device.zeros::<f32>(of_megabytes(zeroed)).unwrap();
        let is_zero = zeros.download().unwrap().iter().all(|value| *value == 0.0);
        assert!(is_zero, "{zeroed} MB where {used} were used");
    }
}

#[test]
fn zeros_are_zero_beside_tensors_that_keep_their_values() {
    let device = emulator();
    // Tiles of 2 KB: buffers begin and end within pages of the host, which their neighbours share.
    let ones = |tiles: usize| device.upload(&vec![bf16::ONE; tiles * 1024], [tiles * 32, 32]).unwrap();
    for tiles in [1, 2, 3, 11, 12, 13, 37, 100] {
        let (before, dirty, after) = (ones(tiles), ones(tiles), ones(tiles));
        drop(dirty);
        let zeros = device.zeros::<bf16>([tiles * 32, 32]).unwrap();
        assert!(
            zeros.download().unwrap().iter().all(|value| *value == bf16::ZERO),
            "{tiles} tiles"
        );
        for tensor in [before, after] {
            assert!(
                tensor.download().unwrap().iter().all(|value| *value == bf16::ONE),
                "{tiles} tiles"
            );
        }
    }
}

/// Not a test of its own: memory is measured in a process that does nothing else.
#[test]
#[ignore = "run by zeros_touch_no_memory"]
fn child_makes_zeros() {
    /// Bytes of this process that are in memory.
    fn resident() -> usize {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
    }
    let device = emulator();
    let before = resident();
    let zeros = device.zeros::<f32>([16_384, 16_384]).unwrap();
    println!("grown by {} bytes", resident() - before);
    drop(zeros);
    let ones = device.upload(&vec![1.0f32; 4096 * 4096], [4096, 4096]).unwrap();
    println!("grown by {} bytes with values", resident() - before);
    drop(ones);
}

#[test]
fn zeros_touch_no_memory() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_makes_zeros", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let grown = |after: &str| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("grown by ")?.strip_suffix(after));
        line.unwrap_or_else(|| panic!("{text}")).parse::<usize>().unwrap()
    };
    assert!(grown(" bytes") < 16 << 20, "1 GB of zeros take memory: {text}");
    // The measure sees what is touched.
    assert!(grown(" bytes with values") > 64 << 20, "{text}");
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

#[test]
fn floats_go_in_and_come_out_as_f32() {
    let device = emulator();
    let values: Vec<f32> = (0..33 * 70).map(|at| (at as f32 - 1000.0) / 7.0).collect();
    let mut tensor = device.upload_f32::<bf16>(&values, [33, 70]).unwrap();
    let rounded = |values: &[f32]| {
        values
            .iter()
            .map(|value| bf16::from_f32(*value).to_f32())
            .collect::<Vec<_>>()
    };
    assert_eq!(tensor.download_f32().unwrap(), rounded(&values));
    let others: Vec<f32> = values.iter().map(|value| value * 3.0).collect();
    tensor.write_f32(&others).unwrap();
    assert_eq!(tensor.download_f32().unwrap(), rounded(&others));
    let exact = device.upload_f32::<f32>(&values, [33, 70]).unwrap();
    assert_eq!(exact.download().unwrap(), values);
}

#[test]
fn a_tensor_is_written_over_and_read_into_what_is_there() {
    fn check<E: tt_host::Element>(device: &Device, value: impl Fn(usize) -> E) {
        let values = |from: usize| (from..from + 2 * 40 * 33).map(&value).collect::<Vec<E>>();
        let mut tensor = device.upload(&values(0), [2, 40, 33]).unwrap();
        let mut found = values(7);
        tensor.download_into(&mut found).unwrap();
        assert_eq!(found, values(0));
        tensor.write(&values(3)).unwrap();
        assert_eq!(tensor.download().unwrap(), values(3));
        for count in [0, 2639, 2641] {
            let wrong = vec![value(0); count];
            let message = tensor.write(&wrong).unwrap_err().to_string();
            assert!(message.contains("[2, 40, 33], which has 2640"), "{message}");
            assert!(tensor.download_into(&mut wrong.clone()).is_err());
        }
        assert_eq!(tensor.download().unwrap(), values(3));
    }
    let device = emulator();
    check(&device, |at| at as f32);
    check(&device, |at| bf16::from_f32((at % 200) as f32));
    check(&device, |at| at as i32);
    check(&device, |at| at as u8);
    check(&device, |at| at as u16);
    check(&device, |at| bfp8::from_f32((at % 2) as f32));
}

#[test]
fn a_reshaped_tensor_has_its_elements_where_they_were() {
    let device = emulator();
    let values: Vec<f32> = (0..4 * 64 * 33).map(|at| at as f32).collect();
    let tensor = device.upload(&values, [4, 64, 33]).unwrap();
    let tensor = tensor.reshape([256, 33]).unwrap();
    assert_eq!(
        (tensor.shape(), tensor.download().unwrap()),
        ([256, 33], values.clone())
    );
    let tensor = tensor.reshape([2, 4, 32, 33]).unwrap();
    assert_eq!(tensor.download().unwrap(), values);
    let row = device.upload(&values[..50], [50]).unwrap().reshape([1, 1, 50]).unwrap();
    assert_eq!(row.download().unwrap(), values[..50]);
    let ragged = || device.upload(&values[..4 * 10 * 33], [4, 10, 33]).unwrap();
    assert_eq!(ragged().reshape([2, 2, 10, 33]).unwrap().shape(), [2, 2, 10, 33]);
    for (message, wanted) in [
        (ragged().reshape([40, 33]).unwrap_err(), "the last axis stays"),
        (ragged().reshape([4, 33, 10]).unwrap_err(), "the last axis stays"),
        (ragged().reshape([4, 10, 34]).unwrap_err(), "which has 1360"),
        (ragged().reshape([0, 10, 34]).unwrap_err(), "is zero"),
    ] {
        assert!(message.to_string().contains(wanted), "{message}");
    }
}
