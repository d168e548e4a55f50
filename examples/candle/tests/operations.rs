//! Every operation on both emulated chips, forward and backward, against candle's own on the CPU.

use candle_core::{DType, Device, Result, Tensor, Var};
use tt_candle::{RmsNorm, Softmax, SwiGlu, plain};

const EPS: f32 = 1e-5;

/// How far a result may be from candle's in `f32` over the same operands, of its largest element.
///
/// Of `bf16` a result is rounded, by up to 2⁻⁹ of an element, and factors that are computed in between pass source registers, which cut
/// them to TF32, by up to 2⁻¹⁰. Of `f32` sums are in another order, and functions of the vector unit are off by some units in the last
/// place.
fn bound(dtype: DType) -> f32 {
    if dtype == DType::BF16 { 4e-3 } else { 5e-6 }
}

/// Of gradients. Of `bf16` they are made of results that are rounded, or of factors that were cut twice, and then rounded again.
fn gradient_bound(dtype: DType) -> f32 {
    if dtype == DType::BF16 { 8e-3 } else { 5e-6 }
}

/// Of products, and of the product of two. Factors of `f32` too pass source registers, which cut them to TF32, by up to 2⁻¹⁰ each.
const PRODUCTS: f32 = 4e-3;

/// Runs `test` on both chips and for both element types.
fn everywhere(test: impl Fn(&tt::Device, DType) -> Result<()>) {
    for chip in ["emulator:wormhole_b0", "emulator:blackhole"] {
        let device = tt::Device::open_named(chip).unwrap();
        for dtype in [DType::BF16, DType::F32] {
            test(&device, dtype).unwrap_or_else(|error| panic!("{chip} {dtype:?}: {error}"));
        }
    }
}

/// A variable of `dtype` for the operation, and one with the same numbers in `f32` for candle.
fn pair(shape: &[usize], scale: f32, seed: u64, dtype: DType) -> Result<(Var, Var)> {
    let ours = Var::from_tensor(&plain::numbers(shape, scale, seed)?.to_dtype(dtype)?)?;
    let plain = Var::from_tensor(&ours.to_dtype(DType::F32)?)?;
    Ok((ours, plain))
}

#[track_caller]
fn near(what: &str, found: &Tensor, expected: &Tensor, bound: f32) -> Result<()> {
    let worst = plain::worst_error(found, expected)?;
    assert!(worst <= bound, "{what}: worst error {worst:.1e} of {bound:.0e}");
    Ok(())
}

/// That the gradients of two sums over results are near each other, for variables that need not be of one type.
#[track_caller]
fn near_gradients(what: &str, [found, expected]: [&Tensor; 2], vars: &[(&Var, &Var)]) -> Result<()> {
    // The gradient of a result has the type of that.
    let grad = plain::numbers(expected.shape(), 1.0, 99)?.to_dtype(found.dtype())?;
    let found = (found * &grad)?.sum_all()?.backward()?;
    let expected = (expected * grad.to_dtype(DType::F32)?)?.sum_all()?.backward()?;
    for (at, (ours, plain)) in vars.iter().enumerate() {
        let (found, expected) = (found.get(ours).unwrap(), expected.get(plain).unwrap());
        assert_eq!(found.dtype(), ours.dtype(), "{what}, gradient {at}");
        near(
            &format!("{what}, gradient {at}"),
            found,
            expected,
            gradient_bound(ours.dtype()),
        )?;
    }
    Ok(())
}

#[test]
fn rms_norm_and_its_gradients() {
    everywhere(|device, dtype| {
        for shape in [&[64, 128][..], &[2, 3, 5, 130], &[70, 33], &[300], &[1, 3]] {
            let (x, plain_x) = pair(shape, 2.0, 1, dtype)?;
            let (weight, plain_weight) = pair(&shape[shape.len() - 1..], 1.0, 2, dtype)?;
            let found = x.apply_op2(&weight, RmsNorm::new(device, EPS))?;
            let expected = plain::rms_norm(&plain_x, &plain_weight, EPS.into())?;
            let vars = [(&x, &plain_x), (&weight, &plain_weight)];
            let what = format!("{shape:?}");
            near(&what, &found, &expected, bound(dtype))?;
            near_gradients(&what, [&found, &expected], &vars)?;
        }
        Ok(())
    });
}

#[test]
fn swiglu_and_its_gradients() {
    everywhere(|device, dtype| {
        for (leading, k, n) in [
            (&[64][..], 128, 64),
            (&[2, 3, 7], 70, 90),
            (&[], 33, 65),
            (&[5, 1], 1, 1),
        ] {
            let (x, plain_x) = pair(&[leading, &[k]].concat(), 2.0, 1, dtype)?;
            let scale = (3.0 / k as f32).sqrt();
            let (gate, plain_gate) = pair(&[n, k], scale, 2, dtype)?;
            let (up, plain_up) = pair(&[n, k], scale, 3, dtype)?;
            let found = x.apply_op3(&gate, &up, SwiGlu::new(device))?;
            let expected = plain::swiglu(&plain_x, &plain_gate, &plain_up)?;
            let vars = [(&x, &plain_x), (&gate, &plain_gate), (&up, &plain_up)];
            let what = format!("{leading:?} {k} {n}");
            near(&what, &found, &expected, PRODUCTS)?;
            near_gradients(&what, [&found, &expected], &vars)?;
        }
        Ok(())
    });
}

#[test]
fn softmax_and_its_gradient() {
    everywhere(|device, dtype| {
        for shape in [&[32, 128][..], &[2, 3, 5, 300], &[45, 7], &[129], &[1, 1]] {
            let (x, plain_x) = pair(shape, 8.0, 1, dtype)?;
            let found = x.apply_op1(Softmax::new(device))?;
            let expected = plain::softmax(&plain_x)?;
            let what = format!("{shape:?}");
            near(&what, &found, &expected, bound(dtype))?;
            near_gradients(&what, [&found, &expected], &[(&x, &plain_x)])?;
        }
        Ok(())
    });
}

#[test]
fn operands_lie_in_any_order_in_their_storage() {
    everywhere(|device, dtype| {
        let of = |shape: &[usize], seed| plain::numbers(shape, 1.0, seed)?.to_dtype(dtype);
        let wide = |tensor: &Tensor| tensor.to_dtype(DType::F32);
        // Transposed, a part of a larger one, and repeated.
        let x = of(&[5, 40, 3], 1)?.transpose(0, 2)?.narrow(1, 2, 33)?;
        let weight = of(&[1], 2)?.broadcast_as(5)?;
        assert!(!x.is_contiguous() && !weight.is_contiguous());
        let found = x.apply_op2(&weight, RmsNorm::new(device, EPS))?;
        near(
            "RMS norm",
            &found,
            &plain::rms_norm(&wide(&x)?, &wide(&weight)?, EPS.into())?,
            bound(dtype),
        )?;
        let gate = of(&[5, 70], 3)?.t()?;
        let up = of(&[100, 5], 4)?.narrow(0, 30, 70)?;
        let found = x.apply_op3(&gate, &up, SwiGlu::new(device))?;
        near(
            "SwiGLU",
            &found,
            &plain::swiglu(&wide(&x)?, &wide(&gate)?, &wide(&up)?)?,
            PRODUCTS,
        )?;
        let found = x.apply_op1(Softmax::new(device))?;
        near("softmax", &found, &plain::softmax(&wide(&x)?)?, bound(dtype))
    });
}

#[test]
fn the_gradient_of_a_result_lies_in_any_order_too() {
    everywhere(|device, dtype| {
        let (x, plain_x) = pair(&[40, 50], 1.0, 1, dtype)?;
        let (weight, plain_weight) = pair(&[50], 1.0, 2, dtype)?;
        // The sum's gradient is one number, repeated; that of the transpose lies transposed.
        let found = x
            .apply_op2(&weight, RmsNorm::new(device, EPS))?
            .t()?
            .sum_all()?
            .backward()?;
        let expected = plain::rms_norm(&plain_x, &plain_weight, EPS.into())?
            .sum_all()?
            .backward()?;
        near(
            "x",
            found.get(&x).unwrap(),
            expected.get(&plain_x).unwrap(),
            gradient_bound(dtype),
        )?;
        near(
            "weight",
            found.get(&weight).unwrap(),
            expected.get(&plain_weight).unwrap(),
            gradient_bound(dtype),
        )
    });
}

#[test]
fn tensors_without_elements_have_results_of_their_shape() -> Result<()> {
    let device = tt::Device::open_named("emulator").unwrap();
    let zeros = |shape: &[usize]| Var::zeros(shape, DType::F32, &Device::Cpu);
    let (x, weight) = (zeros(&[0, 4])?, zeros(&[4])?);
    let y = x.apply_op2(&weight, RmsNorm::new(&device, EPS))?;
    assert_eq!(y.dims(), [0, 4]);
    assert_eq!(x.apply_op1(Softmax::new(&device))?.dims(), [0, 4]);
    assert_eq!(
        y.sum_all()?.backward()?.get(&weight).unwrap().to_vec1::<f32>()?,
        [0.0; 4]
    );
    let weight = zeros(&[3, 0])?;
    let y = zeros(&[2, 0])?.apply_op3(&weight, &weight, SwiGlu::new(&device))?;
    assert_eq!(y.to_vec2::<f32>()?, [[0.0; 3]; 2]);
    Ok(())
}

#[test]
fn what_does_not_fit_is_an_error_that_says_so() -> Result<()> {
    let device = tt::Device::open_named("emulator").unwrap();
    let of = |shape: &[usize], dtype| Tensor::ones(shape, dtype, &Device::Cpu);
    let norm = |x: &Tensor, weight: &Tensor| x.apply_op2(weight, RmsNorm::new(&device, EPS)).unwrap_err().to_string();
    let gated = |x: &Tensor, gate: &Tensor, up: &Tensor| {
        let result = x.apply_op3(gate, up, SwiGlu::new(&device));
        result.unwrap_err().to_string()
    };
    let (bf16, f32) = (DType::BF16, DType::F32);
    let x = of(&[2, 3], f32)?;
    let said = [
        norm(&x, &of(&[4], f32)?),
        norm(&x, &of(&[1, 3], f32)?),
        norm(&x, &of(&[3], bf16)?),
        norm(&of(&[2, 3], DType::F16)?, &of(&[3], DType::F16)?),
        norm(&of(&[], f32)?, &of(&[3], f32)?),
        gated(&x, &of(&[5, 4], f32)?, &of(&[5, 3], f32)?),
        gated(&x, &of(&[5, 3], f32)?, &of(&[6, 3], f32)?),
        gated(&x, &of(&[3], f32)?, &of(&[5, 3], f32)?),
        gated(&x, &of(&[5, 3], f32)?, &of(&[5, 3], bf16)?),
        of(&[2, 3], DType::I64)?
            .apply_op1(Softmax::new(&device))
            .unwrap_err()
            .to_string(),
    ];
    let expected = [
        "shape mismatch in rms-norm, lhs: [2, 3], rhs: [4]",
        "shape mismatch in rms-norm, lhs: [2, 3], rhs: [1, 3]",
        "dtype mismatch in rms-norm, lhs: F32, rhs: BF16",
        "unsupported dtype F16 for op rms-norm",
        "rms-norm of a number: it goes along a tensor's last axis, and this has no axes",
        "shape mismatch in swiglu, lhs: [2, 3], rhs: [5, 4]",
        "shape mismatch in swiglu, lhs: [5, 3], rhs: [6, 3]",
        "shape mismatch in swiglu, lhs: [2, 3], rhs: [3]",
        "dtype mismatch in swiglu, lhs: F32, rhs: BF16",
        "unsupported dtype I64 for op softmax",
    ];
    for (said, expected) in said.iter().zip(expected) {
        // A backtrace may follow.
        assert_eq!(said.lines().next(), Some(expected));
    }
    Ok(())
}

#[test]
fn what_the_device_says_is_the_error() -> Result<()> {
    let device = tt::Device::open_named("emulator").unwrap();
    let softmax = Softmax::new(&device);
    device.close().unwrap();
    let error = Tensor::ones((2, 3), DType::F32, &Device::Cpu)?
        .apply_op1(softmax)
        .unwrap_err();
    assert!(error.to_string().contains("closed"), "{error}");
    Ok(())
}
