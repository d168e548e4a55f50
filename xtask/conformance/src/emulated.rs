//! One launch of a kernel on the emulator from its plan, with everything that the same launch needs elsewhere.

use tt_backend::Artifact;
use tt_host::{
    Argument, Device, Element, Kernel as HostKernel, Launch, Layout, Sharing, Sources, StageSources, Tensor, bf16,
    bfp4, bfp8, f16,
};
use tt_lang::ir::{ElementType, Kernel, ScalarKind};
use tt_plan::{Bindings, DeviceGrid, Parameter, Plan};

/// What scalar parameters are given.
pub const FLOAT: f32 = 0.375;
/// What integer scalar parameters are given.
pub const INTEGER: i32 = 3;

/// A tensor of a launch.
#[derive(Debug, Clone)]
pub struct TensorValues {
    /// Its name in the kernel's source.
    pub name: String,
    /// The type of its elements.
    pub element: ElementType,
    /// Its extents, outermost first.
    pub shape: Vec<usize>,
    /// Whether the kernel writes it.
    pub written: bool,
    /// Where it lies.
    pub layout: Layout,
    /// Tiles or matrices that lie before it in its buffer ([`Device::upload_behind`]): another number for each, so that it matters which
    /// one a kernel goes to.
    pub behind: usize,
    /// What it held before the launch.
    pub before: Vec<f32>,
    /// What the emulator left in it; empty where the kernel does not write it.
    pub after: Vec<f32>,
    /// What the kernel's source says it holds afterwards; empty where the kernel does not write it.
    pub reference: Vec<f32>,
}

/// A launch that has run.
#[derive(Debug)]
pub struct Outcome {
    /// The plan it ran by.
    pub plan: Plan,
    /// The values of its extents and scalars.
    pub bindings: Bindings,
    /// The grid of the device it ran on.
    pub grid: DeviceGrid,
    /// Its tensors, in the order of the parameters.
    pub tensors: Vec<TensorValues>,
}

/// What a launch starts from: the tensors as they are declared for its extents, with nothing in them yet.
pub fn tensors(plan: &Plan, extents: &[usize]) -> Result<(Bindings, Vec<TensorValues>), String> {
    let mut bindings = Bindings::default();
    if plan.extents.len() != extents.len() {
        return Err(format!(
            "`{}` has {} extents, not {}",
            plan.kernel,
            plan.extents.len(),
            extents.len()
        ));
    }
    for (name, value) in plan.extents.iter().zip(extents) {
        bindings.integers.insert(name.clone(), *value as i64);
    }
    let mut tensors = Vec::new();
    for parameter in &plan.parameters {
        match parameter {
            Parameter::Tensor {
                name,
                element,
                extents,
                mutable,
                layout,
            } => {
                let shape = extents
                    .iter()
                    .map(|extent| extent.evaluate(&|name| bindings.integers.get(name).copied()))
                    .map(|value| value.map(|value| value as usize).map_err(|error| error.to_string()))
                    .collect::<Result<Vec<_>, _>>()?;
                tensors.push(TensorValues {
                    name: name.clone(),
                    element: *element,
                    layout: Layout::from(layout),
                    behind: if layout.interleave { tensors.len() + 1 } else { 0 },
                    before: vec![0.0; shape.iter().product()],
                    shape,
                    written: *mutable,
                    after: Vec::new(),
                    reference: Vec::new(),
                });
            }
            Parameter::Scalar {
                name,
                kind: ScalarKind::F32,
            } => drop(bindings.floats.insert(name.clone(), FLOAT)),
            Parameter::Scalar { name, .. } => drop(bindings.integers.insert(name.clone(), INTEGER.into())),
        }
    }
    Ok((bindings, tensors))
}

/// Runs `kernel` by `plan` on the emulator of `arch`; `extents` and `tensors` as [`tensors`] gave them, filled.
pub fn run(
    kernel: &Kernel,
    artifact: &Artifact,
    plan: Plan,
    values: (Bindings, Vec<TensorValues>),
    arch: &str,
) -> Result<Outcome, String> {
    let on = On {
        arch,
        upload: Box::new(upload),
        cores: None,
    };
    run_on(kernel, artifact, plan, values, &on)
}

/// Where a kernel is launched, and how.
pub struct On<'a> {
    /// The chip.
    pub arch: &'a str,
    /// What brings its tensors there.
    pub upload: Box<Upload<'a>>,
    /// The cores that blocks are given to, where those are not all.
    pub cores: Option<DeviceGrid>,
}

/// As [`run`], on what `on` says.
///
/// # Errors
/// As [`run`].
pub fn run_on(
    kernel: &Kernel,
    artifact: &Artifact,
    plan: Plan,
    values: (Bindings, Vec<TensorValues>),
    on: &On,
) -> Result<Outcome, String> {
    launched(kernel, artifact, plan, values, on, true)
}

/// As [`run_on`], without the reference, for who has it already.
///
/// # Errors
/// As [`run`].
pub fn results_on(
    kernel: &Kernel,
    artifact: &Artifact,
    plan: Plan,
    values: (Bindings, Vec<TensorValues>),
    on: &On,
) -> Result<Vec<TensorValues>, String> {
    launched(kernel, artifact, plan, values, on, false).map(|outcome| outcome.tensors)
}

fn launched(
    kernel: &Kernel,
    artifact: &Artifact,
    plan: Plan,
    (bindings, mut tensors): (Bindings, Vec<TensorValues>),
    on: &On,
    with_reference: bool,
) -> Result<Outcome, String> {
    let fail = |error: tt_host::Error| format!("`{}`: {error}", kernel.name);
    let device = Device::open_named(&format!("emulator:{}", on.arch)).map_err(fail)?;
    let loaded = load(kernel, artifact, &plan)?;
    let mut uploaded = tensors
        .iter()
        .map(|tensor| (on.upload)(&device, tensor))
        .collect::<Result<Vec<_>, _>>()?;

    let arguments = arguments(&plan, &bindings, &mut uploaded)?;
    // As the emitted host programs do.
    let mut launch = Launch::new(loaded, arguments).sharing(Sharing::Always);
    if let Some(cores) = on.cores {
        launch = launch.on_cores(cores);
    }
    let reference = with_reference.then(|| launch.reference()).transpose().map_err(fail)?;
    launch.run().map_err(fail)?;
    for (values, tensor) in tensors.iter_mut().zip(&uploaded) {
        if values.written {
            values.after = tensor.download().map_err(fail)?;
            if let Some(reference) = &reference {
                let found = reference.get(&values.name).ok_or("a reference result is missing")?;
                values.reference = found.to_vec();
            }
        }
    }
    Ok(Outcome {
        plan,
        bindings,
        grid: device.grid(),
        tensors,
    })
}

/// What the parameters of `plan` are given: its tensors in their order, and the scalars of `bindings`.
///
/// # Errors
/// Where one is missing.
pub fn arguments<'t>(
    plan: &Plan,
    bindings: &Bindings,
    tensors: &'t mut [Box<dyn OnDevice>],
) -> Result<Vec<Argument<'t>>, String> {
    let mut remaining = tensors.iter_mut();
    let arguments = plan.parameters.iter().map(|parameter| match parameter {
        Parameter::Tensor { mutable, .. } => Ok(remaining.next().ok_or("a tensor is missing")?.argument(*mutable)),
        Parameter::Scalar { name, kind } => scalar(bindings, name, *kind),
    });
    arguments.collect()
}

/// What `bindings` has for a scalar parameter.
fn scalar(bindings: &Bindings, name: &str, kind: ScalarKind) -> Result<Argument<'static>, String> {
    let missing = || format!("scalar `{name}` has no value");
    let integer = || bindings.integers.get(name).copied().ok_or_else(missing);
    Ok(match kind {
        ScalarKind::F32 => Argument::from(*bindings.floats.get(name).ok_or_else(missing)?),
        ScalarKind::I32 => Argument::from(integer()? as i32),
        ScalarKind::U32 => Argument::from(integer()? as u32),
    })
}

/// The kernel as a launcher carries it; kept for the life of the process, as a static would be.
///
/// # Errors
/// Where the Tile IR is not plain data.
pub fn load(kernel: &Kernel, artifact: &Artifact, plan: &Plan) -> Result<&'static HostKernel, String> {
    let keep = |text: &str| -> &'static str { Box::leak(text.to_string().into_boxed_str()) };
    let tile = kernel.stored()?;
    let later = artifact.later.iter().map(|programs| StageSources {
        reader: keep(&programs.reader),
        compute: keep(&programs.compute),
        writer: keep(&programs.writer),
    });
    let later: Vec<StageSources> = later.collect();
    let sources = Sources {
        reader: keep(&artifact.reader),
        compute: keep(&artifact.compute),
        writer: keep(&artifact.writer),
        host: keep(&artifact.main),
        later: Box::leak(later.into_boxed_slice()),
    };
    let loaded = HostKernel::new(keep(&kernel.name), sources, keep(&plan.to_json()), Vec::leak(tile), &[]);
    Ok(Box::leak(Box::new(loaded)))
}

/// Brings a tensor to a device.
pub type Upload<'a> = dyn Fn(&Device, &TensorValues) -> Result<Box<dyn OnDevice>, String> + 'a;

/// A tensor on the device, whatever its type and rank.
pub trait OnDevice {
    /// It as an argument of a launch: `&mut` where the kernel writes it.
    fn argument(&mut self, written: bool) -> Argument<'_>;
    /// Its elements.
    ///
    /// # Errors
    /// As [`Tensor::download`].
    fn download(&self) -> tt_host::Result<Vec<f32>>;
}

impl<E: Element, const RANK: usize> OnDevice for Tensor<E, RANK> {
    fn argument(&mut self, written: bool) -> Argument<'_> {
        if written {
            Argument::from(self)
        } else {
            Argument::from(&*self)
        }
    }

    fn download(&self) -> tt_host::Result<Vec<f32>> {
        let elements = Tensor::download(self)?;
        Ok(elements.into_iter().map(|value| value.to_f64() as f32).collect())
    }
}

/// What `tensor` holds before the launch, on `device`.
///
/// # Errors
/// Where its type has no host type, or the device has no room.
pub fn upload(device: &Device, tensor: &TensorValues) -> Result<Box<dyn OnDevice>, String> {
    fn of<E: Element>(
        device: (&Device, (&Layout, usize)),
        values: &[E],
        shape: &[usize],
    ) -> Result<Box<dyn OnDevice>, String> {
        fn ranked<E: Element, const RANK: usize>(
            (device, at): (&Device, (&Layout, usize)),
            values: &[E],
            shape: [usize; RANK],
        ) -> Result<Box<dyn OnDevice>, String> {
            match device.upload_behind(at, values, shape) {
                Ok(tensor) => Ok(Box::new(tensor)),
                Err(error) => Err(error.to_string()),
            }
        }
        match *shape {
            [a] => ranked(device, values, [a]),
            [a, b] => ranked(device, values, [a, b]),
            [a, b, c] => ranked(device, values, [a, b, c]),
            [a, b, c, d] => ranked(device, values, [a, b, c, d]),
            [a, b, c, d, e] => ranked(device, values, [a, b, c, d, e]),
            [a, b, c, d, e, f] => ranked(device, values, [a, b, c, d, e, f]),
            _ => Err(format!("no tensor has {} axes", shape.len())),
        }
    }
    let device = (device, (&tensor.layout, tensor.behind));
    match tensor.element {
        ElementType::Bf16 => {
            let values: Vec<bf16> = tensor.before.iter().map(|value| bf16::from_f32(*value)).collect();
            of(device, &values, &tensor.shape)
        }
        ElementType::F32 => of(device, &tensor.before, &tensor.shape),
        ElementType::I32 => {
            let values: Vec<i32> = tensor.before.iter().map(|value| *value as i32).collect();
            of(device, &values, &tensor.shape)
        }
        ElementType::U32 => {
            let values: Vec<u32> = tensor.before.iter().map(|value| *value as u32).collect();
            of(device, &values, &tensor.shape)
        }
        ElementType::U16 => {
            let values: Vec<u16> = tensor.before.iter().map(|value| *value as u16).collect();
            of(device, &values, &tensor.shape)
        }
        ElementType::U8 => {
            let values: Vec<u8> = tensor.before.iter().map(|value| *value as u8).collect();
            of(device, &values, &tensor.shape)
        }
        ElementType::Bfp8 => {
            let values: Vec<bfp8> = tensor.before.iter().map(|value| bfp8::from_f32(*value)).collect();
            of(device, &values, &tensor.shape)
        }
        ElementType::Bfp4 => {
            let values: Vec<bfp4> = tensor.before.iter().map(|value| bfp4::from_f32(*value)).collect();
            of(device, &values, &tensor.shape)
        }
        ElementType::I8 => {
            let values: Vec<i8> = tensor.before.iter().map(|value| *value as i8).collect();
            of(device, &values, &tensor.shape)
        }
        ElementType::F16 => {
            let values: Vec<f16> = tensor.before.iter().map(|value| f16::from_f32(*value)).collect();
            of(device, &values, &tensor.shape)
        }
    }
}
