//! `#[tt::kernel(reference)]`: kernels of the language that the compiler refuses have a reference, and say why they cannot run.

use tt::prelude::*;

#[tt::kernel(reference, allow(TT0351))]
fn row_sums<const M: usize, const N: usize>(x: &Tensor<f32, M, N>, scale: f32, y: &mut Tensor<f32, M, 1>) {
    let by = T.Kernel(M.div_ceil(32));
    let refused = T.alloc_fragment::<bfp8>(32);
    T.clear(refused);
    let v = T.alloc_shared::<f32>(32, 64);
    let sum = T.alloc_fragment::<f32>(32, 1);
    let total = T.alloc_fragment::<f32>(32, 1);
    T.clear(total);
    for k in 0..N.div_ceil(64) {
        T.copy(x[(by * 32, k * 64)], v);
        T.reduce_sum(v, sum, dim = 1);
        for (i, j) in T.Parallel(32, 1) {
            total[(i, j)] = total[(i, j)] + sum[(i, j)] * scale;
        }
    }
    T.copy(total, y[(by * 32, 0)]);
}

#[tt::kernel(reference, allow(TT0351))]
fn doubled<const N: usize>(x: &Tensor<i32, N>, y: &mut Tensor<i32, N>) {
    let bx = T.Kernel(N.div_ceil(32));
    let refused = T.alloc_fragment::<bfp8>(32);
    T.clear(refused);
    for i in T.Parallel(32) {
        y[bx * 32 + i] = x[bx * 32 + i] * 2;
    }
}

#[test]
fn a_refused_kernel_has_a_reference() {
    let device = Device::open_named("emulator").unwrap();
    let (m, n) = (40, 100);
    let data: Vec<f32> = (0..m * n).map(|at| (at % 13) as f32 - 6.0).collect();
    let x = device.upload(&data, [m, n]).unwrap();
    let mut y = device.zeros::<f32>([m, 1]).unwrap();
    let reference = row_sums(&x, 0.5, &mut y).reference().unwrap();
    let wanted: Vec<f32> = data.chunks(n).map(|row| row.iter().sum::<f32>() * 0.5).collect();
    assert_eq!(reference["y"], wanted);

    let x = device.upload(&[1i32, -2, 3], [3]).unwrap();
    let mut y = device.zeros::<i32>([3]).unwrap();
    assert_eq!(doubled(&x, &mut y).reference().unwrap()["y"], [2.0, -4.0, 6.0]);
}

#[test]
fn it_says_why_it_cannot_run() {
    let device = Device::open_named("emulator").unwrap();
    let x = device.zeros::<f32>([32, 64]).unwrap();
    let mut y = device.zeros::<f32>([32, 1]).unwrap();
    let launch = row_sums(&x, 1.0, &mut y);
    let errors = [
        launch.run().unwrap_err(),
        launch.enqueue().unwrap_err(),
        launch.plan().unwrap_err(),
        launch.profile().unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.kind(), tt::ErrorKind::Kernel);
        let text = error.to_string();
        assert!(
            text.starts_with("kernel `row_sums` has a reference only, since the compiler refuses it:\nreference.rs:8:"),
            "{text}"
        );
        assert!(text.contains("error[TT0402]"), "{text}");
    }
    assert_eq!((row_sums::PLAN, row_sums::SOURCES.compute), ("", ""));
    assert!(
        row_sums::IR[0].1.contains("T.reduce_sum(v, sum"),
        "{}",
        row_sums::IR[0].1
    );
}

#[test]
fn its_arguments_are_checked_as_those_of_others() {
    let device = Device::open_named("emulator").unwrap();
    let x = device.zeros::<f32>([32, 64]).unwrap();
    let mut y = device.zeros::<f32>([33, 1]).unwrap();
    let error = row_sums(&x, 1.0, &mut y).reference().unwrap_err();
    assert_eq!(error.kind(), tt::ErrorKind::Shape);
    assert!(error.to_string().contains("`M` is 32 in `x`"), "{error}");
}
