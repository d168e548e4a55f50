//! Kernels that are compiled while a test runs, and launched without their types.

use std::path::Path;
use tt::{Comparison, Tensor, bf16, bfp4, bfp8, f16};
use tt_backend::Artifact;
use tt_emulator::ArchName;
use tt_emulator::kernel_object::compile_together;
use tt_host::{Argument, Element, Kernel, Launch, Sources, StageSources};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{ElementType, IntExpr, Param, ScalarKind, Sharding, TensorParam};

/// The emulated chips.
pub const CHIPS: [ArchName; 2] = ArchName::ALL;
/// Their devices.
pub const DEVICES: [&str; 2] = ["emulator:wormhole_b0", "emulator:blackhole"];

/// A kernel that compiled.
pub struct Compiled {
    /// As Tile IR.
    pub tile: tt_lang::ir::Kernel,
    artifact: Artifact,
}

impl Compiled {
    /// The kernel, compiled down to C++.
    ///
    /// # Errors
    /// Where the compiler refuses it.
    pub fn of(tile: tt_lang::ir::Kernel) -> Result<Compiled, Vec<Diagnostic>> {
        let artifact = tt_backend::compile(&tile)?;
        Ok(Compiled { tile, artifact })
    }

    /// The same with what the passes from the language to itself make of the kernel in its place, which the reference then runs;
    /// nothing where its tensors become tensors of other types.
    ///
    /// # Errors
    /// Where the compiler refuses it.
    pub fn rewritten(&self) -> Result<Option<Compiled>, Vec<Diagnostic>> {
        let tile = tt_backend::rewritten(&self.tile)?;
        let is_launched_alike = tile.params == self.tile.params;
        Ok(is_launched_alike.then(|| Compiled {
            tile,
            artifact: self.artifact.clone(),
        }))
    }

    /// The kernel as a launcher has it.
    pub fn kernel(self) -> &'static Kernel {
        // Kernels are statics of a program; these live as long.
        let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let Compiled { artifact, tile } = self;
        let tile = tile.stored().expect("Tile IR is plain data");
        let later = artifact.later.into_iter().map(|stage| StageSources {
            reader: leak(stage.reader),
            compute: leak(stage.compute),
            writer: leak(stage.writer),
        });
        let sources = Sources {
            reader: leak(artifact.reader),
            compute: leak(artifact.compute),
            writer: leak(artifact.writer),
            host: leak(artifact.main),
            later: Vec::leak(later.collect()),
        };
        let plan = leak(artifact.plan);
        Box::leak(Box::new(Kernel::new("kernel", sources, plan, Vec::leak(tile), &[])))
    }
}

/// Compiles the C++ of `compiled` for `chips`, all together.
///
/// # Panics
/// Where the C++ compiler fails.
pub fn prepare<'c>(compiled: impl Iterator<Item = &'c Compiled>, chips: &[ArchName]) {
    let mut kernels = Vec::new();
    for compiled in compiled {
        for arch in chips {
            kernels.extend(tt_build::kernels_of(&compiled.artifact, *arch).expect("plans load"));
        }
    }
    let work = Path::new(env!("CARGO_TARGET_TMPDIR"));
    compile_together(&kernels, work).unwrap_or_else(|error| panic!("{error}"));
}

/// A tensor of any type and rank.
pub trait AnyTensor {
    /// As the kernel takes it: `&mut` where it is written.
    fn argument(&mut self, written: bool) -> Argument<'_>;

    /// What it holds.
    #[allow(
        dead_code,
        reason = "`check` compares by itself, and not every test of this module asks beside it"
    )]
    fn download(&self) -> tt::Result<Vec<f64>>;
}

impl<E: Element, const RANK: usize> AnyTensor for Tensor<E, RANK> {
    fn argument(&mut self, written: bool) -> Argument<'_> {
        match written {
            true => Argument::from(self),
            false => Argument::from(&*self),
        }
    }

    fn download(&self) -> tt::Result<Vec<f64>> {
        let values = Tensor::download(self)?;
        Ok(values.into_iter().map(Element::to_f64).collect())
    }
}

/// A tensor of `values`, which lies as the layout says, behind so many tiles or matrices ([`tt::Device::upload_behind`]).
///
/// # Errors
/// As those of uploads.
pub fn upload(
    device: (&tt::Device, &tt::Layout, usize),
    element: ElementType,
    values: &[f64],
    dimensions: &[usize],
) -> tt::Result<Box<dyn AnyTensor>> {
    fn of<E: Element>(
        (device, layout, behind): (&tt::Device, &tt::Layout, usize),
        values: &[f64],
        dimensions: &[usize],
        convert: impl Fn(f64) -> E,
    ) -> tt::Result<Box<dyn AnyTensor>> {
        let values: Vec<E> = values.iter().map(|value| convert(*value)).collect();
        let at = (layout, behind);
        Ok(match *dimensions {
            [a, b, c, d, e, f] => Box::new(device.upload_behind(at, &values, [a, b, c, d, e, f])?),
            [a, b, c, d, e] => Box::new(device.upload_behind(at, &values, [a, b, c, d, e])?),
            [a, b, c, d] => Box::new(device.upload_behind(at, &values, [a, b, c, d])?),
            [a, b, c] => Box::new(device.upload_behind(at, &values, [a, b, c])?),
            [a, b] => Box::new(device.upload_behind(at, &values, [a, b])?),
            [a] => Box::new(device.upload_behind(at, &values, [a])?),
            _ => unreachable!("tensors have one to six axes"),
        })
    }
    match element {
        ElementType::Bf16 => of(device, values, dimensions, bf16::from_f64),
        ElementType::F32 => of(device, values, dimensions, |value| value as f32),
        ElementType::Bfp8 => of(device, values, dimensions, |value| bfp8::from_f32(value as f32)),
        ElementType::Bfp4 => of(device, values, dimensions, |value| bfp4::from_f32(value as f32)),
        ElementType::F16 => of(device, values, dimensions, f16::from_f64),
        ElementType::I32 => of(device, values, dimensions, |value| value as i32),
        ElementType::U32 => of(device, values, dimensions, |value| value as u32),
        ElementType::U16 => of(device, values, dimensions, |value| value as u16),
        ElementType::U8 => of(device, values, dimensions, |value| value as u8),
        ElementType::I8 => of(device, values, dimensions, |value| value as i8),
    }
}

/// Launches `kernel`, which `tile` was compiled to, on `device`, and compares with the reference. Its extents and scalars have the
/// values of `named`, its tensors elements of `element`, by their type.
///
/// # Errors
/// As those of [`Launch::check`].
pub fn check(
    device: &tt::Device,
    kernel: (&tt_lang::ir::Kernel, &'static Kernel),
    named: &impl Fn(&str) -> f64,
    element: impl FnMut(ElementType) -> f64,
    tolerance: f64,
) -> tt::Result<Comparison> {
    launched(device, kernel, named, element, |launch| launch.check(tolerance))
}

/// As [`check`], with anything else that is done with the launch.
///
/// # Errors
/// Those of uploads, and of `run`.
pub fn launched<T>(
    device: &tt::Device,
    (tile, kernel): (&tt_lang::ir::Kernel, &'static Kernel),
    named: &impl Fn(&str) -> f64,
    mut element: impl FnMut(ElementType) -> f64,
    run: impl FnOnce(Launch<'_>) -> tt::Result<T>,
) -> tt::Result<T> {
    let mut tensors = Vec::new();
    for param in &tile.params {
        let Param::Tensor(tensor) = param else { continue };
        let extents = extents(tile, tensor, named);
        let count: usize = extents.iter().product();
        let values: Vec<f64> = (0..count).map(|_| element(tensor.element.value)).collect();
        let layout = tt::Layout::from(&tensor.layout);
        let behind = match tensor.layout.sharding {
            Sharding::Interleaved => tensors.len() % 3,
            Sharding::Height(_) | Sharding::Width(_) | Sharding::Block(..) | Sharding::Nd { .. } => 0,
        };
        let at = (device, &layout, behind);
        tensors.push(upload(at, tensor.element.value, &values, &extents)?);
    }
    let mut left = tensors.iter_mut();
    let arguments = tile.params.iter().filter_map(|param| match param {
        Param::Temporary(_) | Param::Derived(_) => None,
        Param::Tensor(tensor) => left.next().map(|left| left.argument(tensor.mutable)),
        Param::Scalar(scalar) => {
            let value = named(&scalar.name);
            Some(match scalar.kind {
                ScalarKind::F32 => Argument::from(value as f32),
                ScalarKind::I32 => Argument::from(value as i32),
                ScalarKind::U32 => Argument::from(value as u32),
            })
        }
    });
    run(Launch::new(kernel, arguments.collect::<Vec<_>>()))
}

/// The extents of a tensor.
fn extents(tile: &tt_lang::ir::Kernel, tensor: &TensorParam, named: &impl Fn(&str) -> f64) -> Vec<usize> {
    fn value(tile: &tt_lang::ir::Kernel, extent: &IntExpr, named: &impl Fn(&str) -> f64) -> i64 {
        match extent {
            IntExpr::Const(value) => *value,
            IntExpr::Extent(id) => named(&tile.extents[id.index()].name) as i64,
            IntExpr::Binary(op, a, b) => op
                .apply(value(tile, a, named), value(tile, b, named))
                .expect("extents of tests have values"),
            IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) => unreachable!("extents are of extents"),
        }
    }
    let extents = tensor.extents.iter();
    extents
        .map(|extent| value(tile, &extent.value, named) as usize)
        .collect()
}
