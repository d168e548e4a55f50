//! Devices open as named, are shared, and close.
#![cfg(not(tt_metal_sdk))]

use std::process::Command;
use tt_host::{Device, ErrorKind, Zeros};

#[test]
fn a_device_says_which_it_is() {
    assert_eq!(
        Device::open_named("emulator").unwrap().to_string(),
        "emulator:wormhole_b0 (8 × 8 cores)"
    );
    assert_eq!(
        Device::open_named("emulator:blackhole").unwrap().to_string(),
        "emulator:blackhole (13 × 10 cores)"
    );
    let device = Device::open_named("emulator:wormhole_b0").unwrap();
    assert_eq!(
        (device.architecture(), device.grid().x, device.grid().y),
        ("wormhole_b0", 8, 8)
    );
}

#[test]
fn another_name_is_an_error_that_says_what_is_accepted() {
    for wrong in ["gpu", "", "emulator:grayskull"] {
        let error = Device::open_named(wrong).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Device);
        let message = error.to_string();
        assert!(message.starts_with(&format!("`{wrong}` names no device")), "{message}");
        assert!(message.contains("`emulator:blackhole`"), "{message}");
    }
}

#[test]
fn a_card_is_not_replaced_by_the_emulator() {
    let error = Device::open_named("0").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(
        error
            .to_string()
            .starts_with("cannot open card 0: this program was built without the Metalium SDK"),
        "{error}"
    );
}

/// Not a test of its own: what `the_variable_names_the_device` runs in child processes.
#[test]
#[ignore = "run by `the_variable_names_the_device`"]
fn child_opens_what_the_variable_names() {
    match Device::open() {
        Ok(device) => println!("opened {device}"),
        Err(error) => println!("refused: {error}"),
    }
}

#[test]
fn the_variable_names_the_device() {
    let child = |value: Option<&str>| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([
            "--exact",
            "child_opens_what_the_variable_names",
            "--ignored",
            "--nocapture",
        ]);
        match value {
            Some(value) => command.env("TT_DEVICE", value),
            None => command.env_remove("TT_DEVICE"),
        };
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    for (value, expected) in [
        (None, "opened emulator:wormhole_b0 (8 × 8 cores)"),
        (Some("emulator"), "opened emulator:wormhole_b0 (8 × 8 cores)"),
        (Some("emulator:blackhole"), "opened emulator:blackhole (13 × 10 cores)"),
        (
            Some("cuda"),
            "refused: TT_DEVICE is `cuda`, which names no device: accepted are `emulator`",
        ),
        (Some(""), "refused: TT_DEVICE is ``, which names no device"),
    ] {
        let output = child(value);
        assert!(output.contains(expected), "TT_DEVICE={value:?}: {output}");
    }
}

#[test]
fn a_closed_device_refuses_its_tensors() {
    let device = Device::open_named("emulator").unwrap();
    let other_handle = device.clone();
    let tensor = device.upload(&[1.0f32, 2.0], [2]).unwrap();
    assert_eq!(tensor.device().unwrap().to_string(), device.to_string());
    device.close().unwrap();
    let error = tensor.download().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert_eq!(error.to_string(), "emulator:wormhole_b0 (8 × 8 cores) is closed");
    assert_eq!(other_handle.zeros::<f32>([1]).unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(other_handle.upload(&[1u8], [1]).unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(other_handle.finish().unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(tensor.device().unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(other_handle.close().unwrap_err().kind(), ErrorKind::Closed);
}

#[test]
fn a_device_closes_with_its_last_handle() {
    let device = Device::open_named("emulator").unwrap();
    let tensor = device.upload(&[1u32, 2, 3], [3]).unwrap();
    let clone = device.clone();
    drop(device);
    assert_eq!(tensor.download().unwrap(), [1, 2, 3]);
    drop(clone);
    let error = tensor.download().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert!(
        error.to_string().ends_with("is closed: its last `Device` was dropped"),
        "{error}"
    );
}

#[test]
fn threads_share_a_device() {
    let device = Device::open_named("emulator").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let device = device.clone();
            scope.spawn(move || {
                for round in 0..20 {
                    let values: Vec<u32> = (0..5000).map(|i| i * 31 + thread * 1000 + round).collect();
                    let tensor = device.upload(&values, [50, 100]).unwrap();
                    assert_eq!(tensor.download().unwrap(), values);
                }
            });
        }
    });
}
