//! Compiles a generated kernel, runs it on the emulator, and compares.

use super::compiled::{Compiled, prepare};
use super::elementwise::Expr;
use super::gemm::Loss;
use super::interval::{Interval, Precision};
use super::programs;
use super::random::Random;
use tt::{Tensor, Zeros, bf16};
use tt_emulator::ArchName;
use tt_host::{Argument, Element, Kernel, Launch};

/// A host type of generated tensors.
trait Host: Element {
    /// The value, which the type holds exactly.
    fn of(value: f64) -> Self;
}

impl Host for bf16 {
    fn of(value: f64) -> Self {
        bf16::from_f64(value)
    }
}

impl Host for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
}

/// A tensor that a kernel reads.
pub struct Input {
    pub shape: Vec<usize>,
}

/// What a kernel computes.
pub enum Kind {
    /// An expression over `a`, `b`, `row` and `col`.
    Elementwise { expr: Expr, precision: Precision },
    /// An expression over a product, `row` and `residual`.
    Gemm {
        options: String,
        transposed: (bool, bool),
        epilogue: Expr,
        precision: Precision,
        loss: Loss,
    },
}

/// A generated kernel with the shapes it is tried on.
pub struct Case {
    pub kind: Kind,
    pub source: String,
    pub element: &'static str,
    pub alpha: f64,
    /// What the elements of its inputs are made from.
    pub seed: usize,
    /// The values of its extents.
    pub shapes: Vec<Vec<usize>>,
    pub inputs: fn(&[usize]) -> Vec<Input>,
    pub output: fn(&[usize]) -> Vec<usize>,
}

/// What became of a case.
pub enum Verdict {
    Right,
    Wrong(String),
}

/// Compiles `case`, down to C++.
fn compile(case: &Case) -> Result<Compiled, Verdict> {
    let options = match &case.kind {
        Kind::Elementwise { .. } => "",
        Kind::Gemm { options, .. } => options,
    };
    let compiled = programs::compile(&case.source, options);
    let (whole, _) = compiled.map_err(|verdict| Verdict::Wrong(format!("{verdict:?}")))?;
    Ok(whole)
}

/// Compiles and runs `cases`, each on all its shapes.
pub fn check(cases: &[Case]) -> Vec<Verdict> {
    let compiled: Vec<_> = cases.iter().map(compile).collect();
    prepare(compiled.iter().flatten(), &[ArchName::WormholeB0]);
    let verdicts = cases.iter().zip(compiled).map(|(case, compiled)| match compiled {
        Ok(compiled) => run(case, compiled.kernel()),
        Err(verdict) => verdict,
    });
    verdicts.collect()
}

/// Runs `kernel`, which `case` was compiled to, on all its shapes.
fn run(case: &Case, kernel: &'static Kernel) -> Verdict {
    let mut random = Random::new(case.seed as u64);
    for shape in &case.shapes {
        let outcome = match case.element {
            "f32" => run_on::<f32>(case, kernel, shape, &mut random),
            _ => run_on::<bf16>(case, kernel, shape, &mut random),
        };
        if let Err(report) = outcome {
            return Verdict::Wrong(format!("{shape:?}: {report}"));
        }
    }
    Verdict::Right
}

fn run_on<E: Host>(case: &Case, kernel: &'static Kernel, shape: &[usize], random: &mut Random) -> Result<(), String> {
    let fail = |error: tt::Error| error.to_string();
    let device = tt::Device::open().map_err(fail)?;
    let inputs = (case.inputs)(shape);
    let values: Vec<Vec<f64>> = inputs
        .iter()
        .map(|input| (0..input.shape.iter().product()).map(|_| random.value()).collect())
        .collect();
    let mut tensors: Vec<Tensor<E, 2>> = Vec::new();
    for (input, values) in inputs.iter().zip(&values) {
        let host: Vec<E> = values.iter().map(|value| E::of(*value)).collect();
        tensors.push(device.upload(&host, [input.shape[0], input.shape[1]]).map_err(fail)?);
    }
    let output = (case.output)(shape);
    let mut out = device.zeros::<E>([output[0], output[1]]).map_err(fail)?;
    let mut arguments: Vec<Argument<'_>> = tensors.iter().map(Argument::from).collect();
    arguments.push(Argument::from(case.alpha as f32));
    arguments.push(Argument::from(&mut out));
    let launch = Launch::new(kernel, arguments);
    let reference = launch
        .reference()
        .and_then(|reference| reference.into_single())
        .map_err(fail)?;
    launch.run().map_err(fail)?;
    drop(launch);
    let got = out.download().map_err(fail)?;
    let bounds = bounds(case, shape, &values);
    for (at, ((got, exact), bound)) in got.into_iter().zip(&reference).zip(&bounds).enumerate() {
        let (got, place) = (got.to_f64(), (at / output[1], at % output[1]));
        // The reference is handed over in f32.
        if !bound.widened(1e-6, 1e-9).contains(f64::from(*exact)) {
            return Err(format!(
                "{place:?}: the reference says {exact}, which is outside of {bound:?}"
            ));
        }
        if !bound.contains(got) {
            return Err(format!(
                "{place:?} is {got}, the source says {exact}, the formats allow {bound:?}"
            ));
        }
    }
    Ok(())
}

/// The interval of every element of the result.
fn bounds(case: &Case, shape: &[usize], values: &[Vec<f64>]) -> Vec<Interval> {
    let output = (case.output)(shape);
    let columns = output[1];
    let places = (0..output[0] * columns).map(|at| (at / columns, at % columns));
    match &case.kind {
        Kind::Elementwise { expr, precision } => places
            .map(|(i, j)| {
                let load = |input: usize| {
                    let at = [i * columns + j, i * columns + j, j, i][input];
                    Interval::exactly(values[input][at])
                };
                // Once more for the store.
                expr.interval(&load, case.alpha, *precision)
                    .widened(precision.step, 1e-30)
            })
            .collect(),
        Kind::Gemm {
            transposed,
            epilogue,
            precision,
            loss,
            ..
        } => {
            let (m, k, n) = (shape[0], shape[1], shape[2]);
            let a = |i: usize, p: usize| values[0][if transposed.0 { p * m + i } else { i * k + p }];
            let b = |p: usize, j: usize| values[1][if transposed.1 { j * k + p } else { p * n + j }];
            places
                .map(|(i, j)| {
                    let (sum, magnitude) = (0..k).fold((0.0, 0.0), |(sum, magnitude), p| {
                        let product = a(i, p) * b(p, j);
                        (sum + product, magnitude + product.abs())
                    });
                    let product = Interval::exactly(sum).widened(0.0, magnitude * loss.of_sum(k));
                    let load = |input: usize| match input {
                        0 => product,
                        1 => Interval::exactly(values[2][j]),
                        _ => Interval::exactly(values[3][i * n + j]),
                    };
                    epilogue
                        .interval(&load, case.alpha, *precision)
                        .widened(precision.step, 1e-30)
                })
                .collect()
        }
    }
}
