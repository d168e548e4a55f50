//! Kernels made from text.

use tt::{Device, Tensor, Zeros, bf16, f16};
use tt_host::{Argument, Element, Kernel, Launch, Sources};

/// The emulated chips.
pub const CHIPS: [&str; 2] = ["emulator:wormhole_b0", "emulator:blackhole"];

/// A host type of the tensors here.
pub trait Host: Element {
    /// Its name in kernels.
    const NAME: &'static str;
    /// Its largest number.
    const MOST: f32;
    /// Its least normal number.
    const LEAST: f64;
    /// Bits of a fraction.
    const FRACTION: i32;
    /// The nearest value it holds.
    fn of(value: f64) -> Self;
    /// The value.
    fn value(self) -> f32;
}

impl Host for bf16 {
    const NAME: &'static str = "bf16";
    const MOST: f32 = f32::from_bits(0x7f7f_0000);
    const LEAST: f64 = f32::MIN_POSITIVE as f64;
    const FRACTION: i32 = 7;
    fn of(value: f64) -> Self {
        bf16::from_f64(value)
    }
    fn value(self) -> f32 {
        self.to_f32()
    }
}

impl Host for f16 {
    const NAME: &'static str = "f16";
    const MOST: f32 = 65504.0;
    const LEAST: f64 = 1.0 / 16384.0;
    const FRACTION: i32 = 10;
    fn of(value: f64) -> Self {
        f16::from_f64(value)
    }
    fn value(self) -> f32 {
        self.to_f32()
    }
}

impl Host for f32 {
    const NAME: &'static str = "f32";
    const MOST: f32 = f32::MAX;
    const LEAST: f64 = f32::MIN_POSITIVE as f64;
    const FRACTION: i32 = 23;
    fn of(value: f64) -> Self {
        value as f32
    }
    fn value(self) -> f32 {
        self
    }
}

/// The kernel in `source`, compiled as the macro compiles it.
pub fn compile(source: &str) -> &'static Kernel {
    compile_with("", source)
}

/// Likewise, under `#[tt::kernel(attribute)]`.
pub fn compile_with(attribute: &str, source: &str) -> &'static Kernel {
    let attribute = attribute.parse().expect("tokens");
    let parsed = tt_lang::syntax::parse(attribute, source.parse().expect("Rust"), "generated.rs");
    let kernel = parsed
        .kernel
        .unwrap_or_else(|| panic!("{source}\n{:#?}", parsed.diagnostics));
    let artifact = tt_backend::compile(&kernel).unwrap_or_else(|errors| panic!("{source}\n{errors:#?}"));
    // Kernels are statics of a program; these live as long.
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let tile = kernel.stored().expect("Tile IR is plain data");
    let sources = Sources {
        reader: leak(artifact.reader),
        compute: leak(artifact.compute),
        writer: leak(artifact.writer),
        host: leak(artifact.main),
        later: &[],
    };
    Box::leak(Box::new(Kernel::new(
        "kernel",
        sources,
        leak(artifact.plan),
        Vec::leak(tile),
        &[],
    )))
}

/// A kernel over rows of `inputs`: `scalars`, and an output for each expression over elements such as `a[(i, j)]`.
pub fn rows<E: Host>(inputs: &[String], scalars: &[&str], expressions: &[String]) -> String {
    let element = E::NAME;
    let mut parameters = String::new();
    let mut body = String::new();
    for name in inputs {
        parameters += &format!("{name}_in: &Tensor<{element}, 1, N>, ");
        body += &format!("let {name} = T.alloc_shared::<{element}>(1, 64); T.copy({name}_in[(0, bx * 64)], {name});\n");
    }
    for name in scalars {
        parameters += &format!("{name}: f32, ");
    }
    for (at, expression) in expressions.iter().enumerate() {
        parameters += &format!("o{at}: &mut Tensor<{element}, 1, N>, ");
        body += &format!("let r{at} = T.alloc_shared::<{element}>(1, 64);\n");
        body += &format!("for (i, j) in T.Parallel(1, 64) {{ r{at}[(i, j)] = {expression}; }}\n");
        body += &format!("T.copy(r{at}, o{at}[(0, bx * 64)]);\n");
    }
    format!("fn kernel<const N: usize>({parameters}) {{ let bx = T.Kernel(N.div_ceil(64));\n{body}}}")
}

/// What a launch left: the device's outputs and those of the reference.
pub struct Results {
    pub device: Vec<Vec<f32>>,
    pub reference: Vec<Vec<f32>>,
}

/// Runs a kernel over one-row tensors of one length: inputs, `f32` scalars, then `outputs` tensors called `o0`, `o1`, ..
pub fn run<E: Host>(chip: &str, kernel: &'static Kernel, inputs: &[&[E]], scalars: &[f32], outputs: usize) -> Results {
    let launch = || -> tt::Result<Results> {
        let device = Device::open_named(chip)?;
        let shape = [1, inputs[0].len()];
        let inputs = inputs
            .iter()
            .map(|input| device.upload(input, shape))
            .collect::<tt::Result<Vec<Tensor<E, 2>>>>()?;
        let mut results = (0..outputs)
            .map(|_| device.zeros::<E>(shape))
            .collect::<tt::Result<Vec<_>>>()?;
        let mut arguments: Vec<Argument<'_>> = inputs.iter().map(Argument::from).collect();
        arguments.extend(scalars.iter().map(|scalar| Argument::from(*scalar)));
        arguments.extend(results.iter_mut().map(Argument::from));
        let launch = Launch::new(kernel, arguments);
        let reference = launch.reference()?;
        launch.run()?;
        drop(launch);
        let reference = (0..outputs)
            .map(|at| reference.get(&format!("o{at}")).expect("an output").to_vec())
            .collect();
        let device = results
            .iter()
            .map(|result| Ok(result.download()?.into_iter().map(E::value).collect()))
            .collect::<tt::Result<_>>()?;
        Ok(Results { device, reference })
    };
    launch().unwrap_or_else(|error| panic!("{chip}: {error}"))
}
