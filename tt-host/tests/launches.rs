//! A kernel written by hand in C++ runs through launches, and what cannot run is refused before it starts.
#![cfg(not(tt_metal_sdk))]

mod support;

use support::{copy, copy_kernel, copy_plan, kernel, name, plan, ramp};
use tt_host::{Argument, Device, ElementType, ErrorKind, Kernel, Launch, Sources, Tensor, Zeros, bf16};
use tt_lang::ir::{IntOp, ScalarKind};
use tt_plan::Formula;

fn emulator() -> Device {
    Device::open_named("emulator").unwrap()
}

/// Uploads, copies with `kernel`, downloads.
fn copied(device: &Device, kernel: &'static tt_host::Kernel, shape: [usize; 2]) -> (Vec<f32>, Vec<f32>) {
    let values = ramp(shape[0] * shape[1]);
    let a = device.upload(&values, shape).unwrap();
    let mut c = device.zeros::<f32>(shape).unwrap();
    copy(kernel, &a, &mut c).run().unwrap();
    (values, c.download().unwrap())
}

#[test]
fn one_kernel_serves_every_extent_on_both_chips() {
    let kernel = copy_kernel(ElementType::F32);
    for device in ["emulator:wormhole_b0", "emulator:blackhole"] {
        let device = Device::open_named(device).unwrap();
        for shape in [[32, 32], [64, 96], [1, 1], [33, 65], [400, 400], [64, 96], [1, 1000]] {
            let (values, found) = copied(&device, kernel, shape);
            assert_eq!(found, values, "{shape:?} on {device}");
        }
    }
}

#[test]
fn what_is_enqueued_runs_in_order_and_survives_its_tensors() {
    let device = emulator();
    let kernel = copy_kernel(ElementType::F32);
    let values = ramp(200 * 300);
    let mut last = device.upload(&values, [200, 300]).unwrap();
    for _ in 0..5 {
        let mut next = device.zeros::<f32>([200, 300]).unwrap();
        copy(kernel, &last, &mut next).enqueue().unwrap();
        // The tensor that the queued launch reads is dropped here.
        last = next;
    }
    assert_eq!(last.download().unwrap(), values);
    device.finish().unwrap();
    device.close().unwrap();
}

#[test]
fn a_launch_does_nothing_until_it_is_run() {
    let device = emulator();
    let a = device.upload(&ramp(64), [8, 8]).unwrap();
    let mut c = device.zeros::<f32>([8, 8]).unwrap();
    let _ = copy(copy_kernel(ElementType::F32), &a, &mut c);
    assert_eq!(c.download().unwrap(), [0.0; 64]);
}

#[test]
fn extents_that_disagree_are_named_with_both_arguments_and_values() {
    let device = emulator();
    let a = device.zeros::<f32>([64, 96]).unwrap();
    let mut c = device.zeros::<f32>([64, 128]).unwrap();
    let launch = copy(copy_kernel(ElementType::F32), &a, &mut c);
    for error in [
        launch.run().unwrap_err(),
        launch.enqueue().unwrap_err(),
        launch.plan().unwrap_err(),
        launch.profile().unwrap_err(),
        launch.reference().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Shape);
        assert_eq!(
            error.to_string(),
            "the extent `N` is 96 in `a` (axis 1) but 128 in `c` (axis 1)"
        );
    }
}

#[test]
fn literal_and_computed_extents_are_checked() {
    let device = emulator();
    let literal = kernel(
        &plan(
            ElementType::F32,
            [Formula::Const(64), name("N")],
            [Formula::Const(64), name("N")],
        ),
        support::SOURCES,
    );
    let a = device.zeros::<f32>([32, 96]).unwrap();
    let mut c = device.zeros::<f32>([64, 96]).unwrap();
    let error = copy(literal, &a, &mut c).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert_eq!(error.to_string(), "axis 0 of `a` is 32, but kernel `copy` takes 64");

    let twice = Formula::binary(IntOp::Mul, Formula::Const(2), name("N"));
    let computed = kernel(
        &plan(ElementType::F32, [name("M"), name("N")], [name("M"), twice]),
        support::SOURCES,
    );
    let mut c = device.zeros::<f32>([32, 100]).unwrap();
    let error = copy(computed, &a, &mut c).run().unwrap_err();
    assert_eq!(
        error.to_string(),
        "axis 1 of `c` is 100, but kernel `copy` takes `2 * N` = 192"
    );
    let mut c = device.zeros::<f32>([32, 192]).unwrap();
    copy(computed, &a, &mut c).run().unwrap();
}

#[test]
fn tensors_of_two_devices_are_refused() {
    let (device, other) = (emulator(), Device::open_named("emulator:blackhole").unwrap());
    let a = device.zeros::<f32>([32, 32]).unwrap();
    let mut c = other.zeros::<f32>([32, 32]).unwrap();
    let error = copy(copy_kernel(ElementType::F32), &a, &mut c).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
    let message = error.to_string();
    assert!(message.starts_with("`a` is on emulator:wormhole_b0"), "{message}");
    assert!(
        message.contains("but `c` is on another device, emulator:blackhole"),
        "{message}"
    );
    // Two chips of one kind are two devices.
    let second = emulator();
    let mut c = second.zeros::<f32>([32, 32]).unwrap();
    let error = copy(copy_kernel(ElementType::F32), &a, &mut c).run().unwrap_err();
    assert!(error.to_string().contains("`c` is on another device"), "{error}");
}

#[test]
fn a_launch_on_a_closed_device_names_the_argument() {
    let kernel = copy_kernel(ElementType::F32);
    let device = emulator();
    let a = device.zeros::<f32>([32, 32]).unwrap();
    let mut c = device.zeros::<f32>([32, 32]).unwrap();
    copy(kernel, &a, &mut c).run().unwrap();
    drop(device);
    let error = copy(kernel, &a, &mut c).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert!(
        error
            .to_string()
            .starts_with("the device of `a` cannot be used any more"),
        "{error}"
    );
    assert!(error.to_string().contains("its last `Device` was dropped"), "{error}");
}

#[test]
fn a_launch_without_tensors_has_no_device() {
    let mut plan = copy_plan(ElementType::F32);
    plan.parameters = vec![support::scalar("n", ScalarKind::U32)];
    plan.extents.clear();
    plan.grid = vec![name("n")];
    plan.kernels.iter_mut().for_each(|kernel| {
        kernel.compile_args.clear();
        kernel.runtime_args.clear();
    });
    let error = Launch::new(kernel(&plan, support::SOURCES), vec![Argument::from(3u32)])
        .run()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert_eq!(
        error.to_string(),
        "kernel `copy` takes no tensor, so there is no device to run it on"
    );
}

#[test]
fn the_plan_tells_cores_and_blocks() {
    let device = emulator();
    let a = device.zeros::<f32>([96, 128]).unwrap();
    let mut c = device.zeros::<f32>([96, 128]).unwrap();
    let plan = copy(copy_kernel(ElementType::F32), &a, &mut c).plan().unwrap();
    // Twelve cores, row by row.
    assert_eq!(plan.core_grid, [8, 2]);
    assert_eq!(plan.work_partition.len(), 12);
    assert_eq!(plan.layouts["c"].shape, [96, 128]);
}

#[test]
fn a_profile_counts_what_moved() {
    let device = emulator();
    let a = device.upload(&ramp(96 * 128), [96, 128]).unwrap();
    let mut c = device.zeros::<f32>([96, 128]).unwrap();
    let profile = copy(copy_kernel(ElementType::F32), &a, &mut c).profile().unwrap();
    let counters = profile.counters.as_ref().unwrap();
    assert_eq!((counters.total.pages_read, counters.total.pages_written), (12, 12));
    assert_eq!(counters.total.dram_read_bytes.iter().sum::<u64>(), 12 * 4096);
    assert_eq!(counters.cores.len(), 12);
    assert!(profile.to_string().contains("12 read, 12 written"), "{profile}");
}

#[test]
fn the_reference_is_what_the_source_says() {
    let device = emulator();
    let values = ramp(40 * 70);
    let a = device.upload(&values, [40, 70]).unwrap();
    let mut c = device.zeros::<f32>([40, 70]).unwrap();
    let launch = copy(copy_kernel(ElementType::F32), &a, &mut c);
    let reference = launch.reference().unwrap();
    assert_eq!(reference.names().collect::<Vec<_>>(), ["c"]);
    assert_eq!(&reference["c"], values);
    assert_eq!(reference.get("a"), None);
    assert_eq!(reference.into_single().unwrap(), values);
    assert_eq!(
        c.download().unwrap(),
        vec![0.0; 40 * 70],
        "the device's tensor is not changed"
    );
}

#[test]
fn a_kernel_for_another_chip_is_refused() {
    let mut plan = copy_plan(ElementType::F32);
    plan.architectures = vec!["blackhole".into()];
    let kernel = kernel(&plan, support::SOURCES);
    let device = emulator();
    let a = device.zeros::<f32>([32, 32]).unwrap();
    let mut c = device.zeros::<f32>([32, 32]).unwrap();
    let error = copy(kernel, &a, &mut c).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Kernel);
    assert_eq!(
        error.to_string(),
        "kernel `copy` cannot run on a wormhole_b0: it was compiled for blackhole"
    );
}

#[test]
fn too_much_l1_is_refused() {
    let mut plan = copy_plan(ElementType::F32);
    plan.circular_buffers[0].pages = 400;
    let kernel = kernel(&plan, support::SOURCES);
    let device = emulator();
    let a = device.zeros::<f32>([32, 32]).unwrap();
    let mut c = device.zeros::<f32>([32, 32]).unwrap();
    let error = copy(kernel, &a, &mut c).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Kernel);
    assert!(
        error
            .to_string()
            .contains("its circular buffers take 1638400 bytes of L1"),
        "{error}"
    );
}

#[test]
fn a_damaged_plan_is_an_error() {
    let mut plan = copy_plan(ElementType::F32);
    plan.kernels.pop();
    let kernel = kernel(&plan, support::SOURCES);
    let device = emulator();
    let a = device.zeros::<f32>([32, 32]).unwrap();
    let mut c = device.zeros::<f32>([32, 32]).unwrap();
    let error = copy(kernel, &a, &mut c).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Kernel);
    assert!(
        error.to_string().contains("artifact of kernel `copy` is damaged"),
        "{error}"
    );
}

#[test]
fn a_deadlock_is_reported_and_the_device_goes_on() {
    let hanging = kernel(
        &copy_plan(ElementType::F32),
        Sources {
            writer: support::HANGING_WRITER,
            ..support::SOURCES
        },
    );
    let device = emulator();
    let a = device.zeros::<f32>([32, 32]).unwrap();
    let mut c = device.zeros::<f32>([32, 32]).unwrap();
    let error = copy(hanging, &a, &mut c).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Run);
    assert!(error.to_string().starts_with("kernel `copy` failed"), "{error}");
    assert!(error.to_string().contains("deadlock"), "{error}");
    let (values, found) = copied(&device, copy_kernel(ElementType::F32), [64, 64]);
    assert_eq!(found, values);
}

#[test]
fn a_failure_of_something_enqueued_is_told_once_and_nothing_behind_it_runs() {
    let hanging = kernel(
        &copy_plan(ElementType::F32),
        Sources {
            writer: support::HANGING_WRITER,
            ..support::SOURCES
        },
    );
    let device = emulator();
    let values = ramp(32 * 32);
    let a = device.upload(&values, [32, 32]).unwrap();
    let mut c = device.zeros::<f32>([32, 32]).unwrap();
    let mut untouched = device.zeros::<f32>([32, 32]).unwrap();
    copy(hanging, &a, &mut c).enqueue().unwrap();
    copy(copy_kernel(ElementType::F32), &a, &mut untouched)
        .enqueue()
        .unwrap();
    let error = untouched.download().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Run);
    let text = error.to_string();
    for part in [
        "kernel `copy`, which was enqueued, failed: ",
        "deadlock",
        "1 program enqueued behind it did not run",
    ] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
    assert_eq!(untouched.download().unwrap(), [0.0; 1024]);
    device.finish().unwrap();
    copy(copy_kernel(ElementType::F32), &a, &mut c).run().unwrap();
    assert_eq!(c.download().unwrap(), values);
    copy(hanging, &a, &mut c).enqueue().unwrap();
    let error = device.close().unwrap_err();
    assert!(error.to_string().contains("deadlock"), "{error}");
}

/// Not a test: enqueues what hangs, and ends without waiting for it.
#[test]
#[ignore = "run by `a_failure_that_nobody_waited_for_is_said`"]
fn child_waits_for_nothing() {
    let sources = Sources {
        writer: support::HANGING_WRITER,
        ..support::SOURCES
    };
    let device = emulator();
    let a = device.zeros::<f32>([32, 32]).unwrap();
    let mut c = device.zeros::<f32>([32, 32]).unwrap();
    copy(kernel(&copy_plan(ElementType::F32), sources), &a, &mut c)
        .enqueue()
        .unwrap();
}

#[test]
fn a_failure_that_nobody_waited_for_is_said() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_waits_for_nothing", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("the last handle of emulator") && said.contains("deadlock"),
        "{said}"
    );
}

#[test]
fn a_source_that_does_not_compile_is_an_error() {
    let broken = kernel(
        &copy_plan(ElementType::F32),
        Sources {
            compute: "void kernel_main() { no_such_call(); }",
            ..support::SOURCES
        },
    );
    let device = emulator();
    let a = device.zeros::<f32>([32, 32]).unwrap();
    let mut c = device.zeros::<f32>([32, 32]).unwrap();
    let error = copy(broken, &a, &mut c).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Run);
    assert!(error.to_string().contains("no_such_call"), "{error}");
}

#[test]
fn many_core_sets_displace_old_programs() {
    let device = emulator();
    let kernel = copy_kernel(ElementType::F32);
    for columns in 1..=8 {
        for rows in 1..=10 {
            let shape = [rows * 32, columns * 32];
            let (values, found) = copied(&device, kernel, shape);
            assert_eq!(found, values, "{shape:?}");
        }
    }
}

#[test]
fn threads_launch_on_one_device() {
    let device = emulator();
    let kernel = copy_kernel(ElementType::F32);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let device = device.clone();
            scope.spawn(move || {
                for round in 0..5 {
                    let (values, found) = copied(&device, kernel, [32 * (thread + 1), 40 * (round + 1)]);
                    assert_eq!(found, values);
                }
            });
        }
    });
}

tt_host::launcher! {
    attributes: [/// Copies a tensor.
    ],
    visibility: [pub],
    name: copy_by_macro,
    params: [(a, input, ::tt_host::bf16, 2), (c, output, ::tt_host::bf16, 2)],
    reader: include_str!("kernels/copy_reader.cpp"),
    compute: include_str!("kernels/copy_compute.cpp"),
    writer: include_str!("kernels/copy_writer.cpp"),
    main: "",
    plan: include_str!("kernels/copy.plan.json"),
    tile: b"",
    precompiled: [unsafe (reader, "no key of a kernel", tt_kernel_of_no_key)],
    chosen: [],
    texts: ["copy"],
    ir: [("tile", 0), ("A1 infer_layout", 0)],
    variants: [],
    constants: {},
}

/// Stands for an object compiled ahead of time under a key that no launch asks for.
#[unsafe(no_mangle)]
extern "C" fn tt_kernel_of_no_key(_: *const tt_host::KernelApi) {
    unreachable!("no launch asks for this key");
}

#[test]
fn the_launcher_macro_makes_a_function_and_a_module() {
    assert_eq!(
        include_str!("kernels/copy.plan.json"),
        copy_plan(ElementType::Bf16).to_json(),
        "kernels/copy.plan.json is what support::copy_plan(Bf16) makes"
    );
    let device = emulator();
    let values: Vec<bf16> = ramp(50 * 60).into_iter().map(bf16::from_f32).collect();
    let a: Tensor<bf16, 2> = device.upload(&values, [50, 60]).unwrap();
    let mut c = device.zeros::<bf16>([50, 60]).unwrap();
    copy_by_macro(&a, &mut c).run().unwrap();
    assert_eq!(c.download().unwrap(), values);
    assert_eq!(copy_by_macro::SOURCES.reader, support::READER);
    assert_eq!(copy_by_macro::IR[1].0, "A1 infer_layout");
    assert!(copy_by_macro::PLAN.contains("\"kernel\": \"copy\""));
}

#[test]
fn a_launcher_that_lends_a_tensor_otherwise_than_the_plan_says_is_refused() {
    let device = emulator();
    let a = device.upload(&ramp(32 * 32), [32, 32]).unwrap();
    let mut c = device.zeros::<f32>([32, 32]).unwrap();
    let mut b = device.zeros::<f32>([32, 32]).unwrap();
    let kernel = copy_kernel(ElementType::F32);
    fn refusal(kernel: &'static Kernel, arguments: Vec<Argument<'_>>) -> String {
        let error = Launch::new(kernel, arguments).run().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Kernel);
        error.to_string()
    }
    let unwritten = refusal(kernel, vec![Argument::from(&a), Argument::from(&c)]);
    let written = refusal(kernel, vec![Argument::from(&mut b), Argument::from(&mut c)]);
    for (message, name) in [(unwritten, "c"), (written, "a")] {
        let wanted = format!("the launcher and the plan disagree on whether `{name}` is written");
        assert!(message.ends_with(&wanted), "{message}");
    }
}
