//! One launch on the emulator, with everything that the same launch needs elsewhere.

use tt::{Argument, Launch, Sources, Tensor, Zeros, bf16};
use tt_backend::Artifact;
use tt_host::{DeviceGrid, Kernel as HostKernel};
use tt_lang::ir::{ElementType, Kernel, ScalarKind};
use tt_plan::{Bindings, Parameter, Plan};

/// A tensor's content before and after.
pub struct TensorValues {
    pub name: String,
    pub element: ElementType,
    pub shape: Vec<usize>,
    pub before: Vec<f32>,
    /// None where the kernel does not write it.
    pub after: Option<Vec<f32>>,
}

/// A launch that has run.
pub struct Outcome {
    pub plan: Plan,
    pub bindings: Bindings,
    pub grid: DeviceGrid,
    pub tensors: Vec<TensorValues>,
}

/// Runs `kernel` with these extents on the emulator of `arch`, on repeatable inputs.
pub fn on_emulator(kernel: &Kernel, artifact: &Artifact, extents: &[usize], arch: &str) -> Result<Outcome, String> {
    let fail = |error: tt::Error| format!("`{}`: {error}", kernel.name);
    let plan = Plan::from_json(&artifact.plan).map_err(|error| error.to_string())?;
    let mut bindings = Bindings::default();
    for (name, value) in plan.extents.iter().zip(extents) {
        bindings.integers.insert(name.clone(), *value as i64);
    }
    let device = tt::Device::open_named(&format!("emulator:{arch}")).map_err(fail)?;
    let loaded = load(kernel, artifact)?;

    let mut values = Vec::new();
    for (seed, parameter) in plan.parameters.iter().enumerate() {
        match parameter {
            Parameter::Tensor {
                name,
                element,
                extents,
                mutable,
                ..
            } => {
                let shape = extents
                    .iter()
                    .map(|extent| {
                        extent
                            .evaluate(&|name| bindings.integers.get(name).copied())
                            .map(|value| value as usize)
                    })
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(|error| error.to_string())?;
                let count = shape.iter().product();
                let before = if *mutable {
                    vec![0.0; count]
                } else {
                    random(count, seed as u64 + 1)
                };
                values.push(TensorValues {
                    name: name.clone(),
                    element: *element,
                    shape,
                    before,
                    after: None,
                });
            }
            Parameter::Scalar {
                name,
                kind: ScalarKind::F32,
            } => drop(bindings.floats.insert(name.clone(), 0.375)),
            Parameter::Scalar { name, .. } => drop(bindings.integers.insert(name.clone(), 3)),
        }
    }

    let mut tensors = values
        .iter()
        .map(|tensor| upload(&device, tensor))
        .collect::<Result<Vec<_>, _>>()?;
    let mut remaining = tensors.iter_mut();
    let mut arguments = Vec::new();
    for parameter in &plan.parameters {
        arguments.push(match parameter {
            Parameter::Tensor { .. } => match remaining.next() {
                Some(tensor) => Argument::from(tensor),
                None => return Err("a tensor is missing".into()),
            },
            Parameter::Scalar { name, kind } => match kind {
                ScalarKind::F32 => Argument::from(bindings.floats[name]),
                ScalarKind::I32 => Argument::from(bindings.integers[name] as i32),
                ScalarKind::U32 => Argument::from(bindings.integers[name] as u32),
            },
        });
    }
    Launch::new(loaded, arguments).run().map_err(fail)?;

    let mutable: Vec<bool> = plan
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Parameter::Tensor { mutable, .. } => Some(*mutable),
            Parameter::Scalar { .. } => None,
        })
        .collect();
    for ((values, tensor), mutable) in values.iter_mut().zip(&tensors).zip(mutable) {
        if mutable {
            values.after = Some(tensor.download().map_err(fail)?.into_iter().map(bf16::to_f32).collect());
        }
    }
    Ok(Outcome {
        plan,
        bindings,
        grid: device.grid(),
        tensors: values,
    })
}

/// The kernel as a launcher carries it; kept for the life of the process, as a static would be.
fn load(kernel: &Kernel, artifact: &Artifact) -> Result<&'static HostKernel, String> {
    let keep = |text: &str| -> &'static str { Box::leak(text.to_string().into_boxed_str()) };
    let tile = serde_json::to_string(kernel).map_err(|error| error.to_string())?;
    let sources = Sources {
        reader: keep(&artifact.reader),
        compute: keep(&artifact.compute),
        writer: keep(&artifact.writer),
        host: keep(&artifact.main),
    };
    let loaded = HostKernel::new(keep(&kernel.name), sources, keep(&artifact.plan), keep(&tile), &[]);
    Ok(Box::leak(Box::new(loaded)))
}

/// The programs of this chore have matrices of bf16; anything else is said, not guessed.
fn upload(device: &tt::Device, tensor: &TensorValues) -> Result<Tensor<bf16, 2>, String> {
    let (ElementType::Bf16, [rows, columns]) = (tensor.element, tensor.shape.as_slice()) else {
        return Err(format!(
            "`{}` is no matrix of bf16, which is what this chore can upload",
            tensor.name
        ));
    };
    let host: Vec<bf16> = tensor.before.iter().map(|value| bf16::from_f32(*value)).collect();
    let uploaded = if tensor.before.iter().all(|value| *value == 0.0) {
        device.zeros::<bf16>([*rows, *columns])
    } else {
        device.upload(&host, [*rows, *columns])
    };
    uploaded.map_err(|error| error.to_string())
}

/// Repeatable values in [-1, 1), exact in bf16.
fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bf16::from_f64((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0).to_f32()
    })
    .take(count)
    .collect()
}
