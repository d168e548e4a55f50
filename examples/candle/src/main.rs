//! The end of a small transformer, with its norms, its gated MLP and the softmax of its head on the device and the rest candle's:
//! tokens' probabilities and the gradients of all weights, held against candle's own operations on the CPU.
//!
//!     cargo run --release

use candle_core::{DType, Device, Error, Result, Tensor, Var};
use std::process::ExitCode;
use tt_candle::{RmsNorm, Softmax, SwiGlu, plain};

const EPS: f32 = 1e-5;
/// Sequences and tokens in each: no multiple of a tile, and neither are the extents below.
const BATCH: usize = 2;
const TOKENS: usize = 19;
const WIDTH: usize = 100;
/// Units of the MLP.
const HIDDEN: usize = 270;
const WORDS: usize = 77;

/// The weights, as candle's layers have them: `[out, in]` of linear ones.
struct Model {
    before: Var,
    gate: Var,
    up: Var,
    down: Var,
    after: Var,
    head: Var,
}

impl Model {
    /// Weights of `dtype` with the scale of a trained network's.
    fn new(dtype: DType) -> Result<Model> {
        let var = |weight: Tensor| Var::from_tensor(&weight.to_dtype(dtype)?);
        let gain = |seed| var((plain::numbers(WIDTH, 0.5, seed)? + 1.0)?);
        let linear = |out: usize, of: usize, seed| var(plain::numbers((out, of), (3.0 / of as f32).sqrt(), seed)?);
        Ok(Model {
            before: gain(1)?,
            gate: linear(HIDDEN, WIDTH, 2)?,
            up: linear(HIDDEN, WIDTH, 3)?,
            down: linear(WIDTH, HIDDEN, 4)?,
            after: gain(5)?,
            head: linear(WORDS, WIDTH, 6)?,
        })
    }

    /// The same weights in `f32`.
    fn in_f32(&self) -> Result<Model> {
        let wide = |weight: &Var| Var::from_tensor(&weight.to_dtype(DType::F32)?);
        Ok(Model {
            before: wide(&self.before)?,
            gate: wide(&self.gate)?,
            up: wide(&self.up)?,
            down: wide(&self.down)?,
            after: wide(&self.after)?,
            head: wide(&self.head)?,
        })
    }

    fn weights(&self) -> [(&'static str, &Var); 6] {
        [
            ("norm before", &self.before),
            ("gate", &self.gate),
            ("up", &self.up),
            ("down", &self.down),
            ("norm after", &self.after),
            ("head", &self.head),
        ]
    }

    /// Probabilities of the next word, `[BATCH, TOKENS, WORDS]`, of `x`, `[BATCH, TOKENS, WIDTH]`, with kernels on `device`.
    fn forward(&self, x: &Tensor, device: &tt::Device) -> Result<Tensor> {
        let normed = x.apply_op2(&self.before, RmsNorm::new(device, EPS))?;
        let hidden = normed.apply_op3(&self.gate, &self.up, SwiGlu::new(device))?;
        let x = (x + product(&hidden, &self.down)?)?;
        let normed = x.apply_op2(&self.after, RmsNorm::new(device, EPS))?;
        product(&normed, &self.head)?.apply_op1(Softmax::new(device))
    }

    /// The same by candle alone.
    fn plain(&self, x: &Tensor) -> Result<Tensor> {
        let normed = plain::rms_norm(x, &self.before, EPS.into())?;
        let hidden = plain::swiglu(&normed, &self.gate, &self.up)?;
        let x = (x + plain::linear(&hidden, &self.down)?)?;
        let normed = plain::rms_norm(&x, &self.after, EPS.into())?;
        plain::softmax(&plain::linear(&normed, &self.head)?)
    }
}

/// `x · weightᵀ` by candle, whose matmul on the CPU has no `bf16`: in `f32`, and rounded to what `x` is of.
fn product(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    let wide = |tensor: &Tensor| tensor.to_dtype(DType::F32);
    plain::linear(&wide(x)?, &wide(weight)?)?.to_dtype(x.dtype())
}

/// The mean of minus the logarithm of the probability of each `word`, `[BATCH * TOKENS, 1]`.
fn loss(probabilities: &Tensor, words: &Tensor) -> Result<Tensor> {
    let probabilities = probabilities.to_dtype(DType::F32)?.reshape((BATCH * TOKENS, WORDS))?;
    probabilities.gather(words, 1)?.log()?.neg()?.mean_all()
}

/// Prints an error and tells whether it is within `bound`.
fn is_within(what: &str, found: &Tensor, expected: &Tensor, bound: f32) -> Result<bool> {
    let worst = plain::worst_error(found, expected)?;
    println!("  {what:24} worst error {worst:.1e} of {bound:.0e}");
    Ok(worst <= bound)
}

fn run() -> Result<bool> {
    let device = tt::Device::open().map_err(Error::wrap)?;
    println!("{device}; errors are of the largest element");
    let words = (0..BATCH * TOKENS).map(|at| (at * 31 % WORDS) as u32).collect();
    let words = Tensor::from_vec(words, (BATCH * TOKENS, 1), &Device::Cpu)?;
    let mut is_right = true;
    // The factors of a product on the device, of f32 too, pass source registers, which cut them to TF32, by up to 2⁻¹⁰ each. What six
    // operations in a row leave of bf16 is rounded between any two of them, by up to 2⁻⁹ of an element.
    for (dtype, bound) in [(DType::F32, 4e-3), (DType::BF16, 2e-2)] {
        println!("{}", dtype.as_str());
        let model = Model::new(dtype)?;
        let exact = model.in_f32()?;
        let x = plain::numbers((BATCH, TOKENS, WIDTH), 2.0, 7)?.to_dtype(dtype)?;
        let (found, expected) = (model.forward(&x, &device)?, exact.plain(&x.to_dtype(DType::F32)?)?);
        is_right &= is_within("probabilities", &found, &expected, bound)?;
        let (found, expected) = (loss(&found, &words)?.backward()?, loss(&expected, &words)?.backward()?);
        for ((name, weight), (_, exact)) in model.weights().into_iter().zip(exact.weights()) {
            let missing = || Error::msg(format!("no gradient of {name}"));
            let found = found.get(weight).ok_or_else(missing)?;
            let expected = expected.get(exact).ok_or_else(missing)?;
            is_right &= is_within(&format!("gradient of {name}"), found, expected, bound)?;
        }
    }
    Ok(is_right)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("a result is not what candle says");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
