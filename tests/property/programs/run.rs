//! Compiles random programs, many to an object, runs them on both emulated chips, and compares with plain loops.

use super::evaluate;
use super::program::{Element, Program, Shape, TABLE};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tt::{Tensor, bf16};
use tt_backend::Artifact;
use tt_emulator::ArchName;
use tt_emulator::kernel_object::compile_together;
use tt_host::{Argument, Element as HostElement, Kernel, Launch, Sources};

/// Refusals that are limits of the compiler, with its codes: blocks and intermediate results beyond what L1, the circular
/// buffers or the destination registers hold, and operands whose padding the compiler cannot vouch for.
pub const LIMITS: [(u16, &str); 4] = [
    (412, "L1"),
    (413, "circular buffers"),
    (418, "tensors read after they were stored to"),
    (423, "destination registers"),
];

/// The emulated chips.
pub const CHIPS: [ArchName; 2] = ArchName::ALL;

/// What became of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Right,
    /// Refused for a limit of the compiler, by the code.
    Refused(u16),
    Wrong(Fault),
}

/// What is wrong with a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What two programs have in common that fail alike.
    pub kind: String,
    pub report: String,
}

impl Fault {
    fn new(kind: impl Into<String>, report: impl Into<String>) -> Fault {
        Fault {
            kind: kind.into(),
            report: report.into(),
        }
    }
}

/// A program that compiled.
pub struct Compiled {
    artifact: Artifact,
    tile: String,
}

impl Compiled {
    /// The kernel as Tile IR.
    pub fn tile(&self) -> serde_json::Result<tt_lang::ir::Kernel> {
        serde_json::from_str(&self.tile)
    }
}

/// Compiles the kernel, down to C++.
pub fn compile(source: &str, options: &str) -> Result<Compiled, Verdict> {
    let wrong = |kind: &str, report: String| Err(Verdict::Wrong(Fault::new(kind, report)));
    let tokens = |text: &str| text.parse::<proc_macro2::TokenStream>();
    let (Ok(options), Ok(tokens)) = (tokens(options), tokens(source)) else {
        return wrong("no Rust", "the generated text is not Rust".into());
    };
    let compiled = catch_unwind(AssertUnwindSafe(|| {
        let parsed = tt_lang::syntax::parse(options, tokens, "generated.rs");
        let Some(kernel) = parsed.kernel else {
            return wrong("does not parse", format!("does not parse: {:#?}", parsed.diagnostics));
        };
        match tt_backend::compile(&kernel) {
            Ok(artifact) => Ok(Compiled {
                artifact,
                tile: serde_json::to_string(&kernel).unwrap_or_default(),
            }),
            Err(errors) => match errors.first() {
                Some(first) if errors.iter().all(|error| is_limit(error.code.number)) => {
                    Err(Verdict::Refused(first.code.number))
                }
                Some(_) | None => {
                    let codes: Vec<String> = errors
                        .iter()
                        .map(|error| {
                            // Names and numbers differ from program to program.
                            let message = error.message.chars().filter(|c| !c.is_ascii_digit());
                            format!("TT{:04} {}", error.code.number, message.collect::<String>())
                        })
                        .collect();
                    let report: Vec<String> = errors
                        .iter()
                        .map(|error| format!("TT{:04}: {} {:?}", error.code.number, error.message, error.notes))
                        .collect();
                    wrong(&codes.join("; "), format!("does not compile: {}", report.join("\n")))
                }
            },
        }
    }));
    compiled.unwrap_or_else(|_| wrong("panic", "the compiler panicked".into()))
}

fn is_limit(code: u16) -> bool {
    LIMITS.iter().any(|(limit, _)| *limit == code)
}

/// Compiles and runs `programs`.
pub fn check(programs: &[Program]) -> Vec<Verdict> {
    let compiled: Vec<_> = programs
        .iter()
        .map(|program| compile(&program.source(), &program.options))
        .collect();
    prepare(compiled.iter().flatten(), &CHIPS);
    programs
        .iter()
        .zip(compiled)
        .map(|(program, compiled)| match compiled.map(kernel) {
            Ok(kernel) => run(program, kernel),
            Err(verdict) => verdict,
        })
        .collect()
}

/// Compiles the C++ of `compiled` for `chips`.
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

/// The kernel as a launcher has it.
pub fn kernel(compiled: Compiled) -> &'static Kernel {
    // Kernels are statics of a program; these live as long.
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let Compiled { artifact, tile } = compiled;
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
        leak(tile),
        &[],
    )))
}

fn run(program: &Program, kernel: &'static Kernel) -> Verdict {
    for shape in &program.shapes {
        let outcome = match program.element {
            Element::Bf16 => run_on_chips::<bf16>(program, kernel, shape),
            Element::F32 => run_on_chips::<f32>(program, kernel, shape),
        };
        if let Err(fault) = outcome {
            return Verdict::Wrong(fault);
        }
    }
    Verdict::Right
}

/// A host type of generated tensors.
pub trait Host: HostElement {
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

/// A tensor of either rank.
pub enum AnyTensor<E: Host> {
    Matrix(Tensor<E, 2>),
    Matrices(Tensor<E, 3>),
}

impl<E: Host> AnyTensor<E> {
    /// As the kernel takes it: `&mut` where it is written.
    pub fn argument(&mut self, written: bool) -> Argument<'_> {
        match (self, written) {
            (AnyTensor::Matrix(tensor), true) => Argument::from(tensor),
            (AnyTensor::Matrices(tensor), true) => Argument::from(tensor),
            (AnyTensor::Matrix(tensor), false) => Argument::from(&*tensor),
            (AnyTensor::Matrices(tensor), false) => Argument::from(&*tensor),
        }
    }

    pub fn download(&self) -> tt::Result<Vec<E>> {
        match self {
            AnyTensor::Matrix(tensor) => tensor.download(),
            AnyTensor::Matrices(tensor) => tensor.download(),
        }
    }
}

fn run_on_chips<E: Host>(program: &Program, kernel: &'static Kernel, shape: &Shape) -> Result<(), Fault> {
    let contents = evaluate::contents(program, shape);
    let Ok(expected) = evaluate::run(program, shape, contents.clone()) else {
        // Generated programs are exact; what shrinking leaves may be none to judge.
        return Ok(());
    };
    for chip in ["emulator:wormhole_b0", "emulator:blackhole"] {
        let place = |what: &str| format!("{what} on {chip}, {shape:?}");
        let failed = |error: tt::Error| {
            let text = error.to_string();
            let code = text.split(':').next().unwrap_or_default().to_owned();
            Fault::new(format!("error {code}"), format!("{}: {text}", place("fails")))
        };
        let device = tt::Device::open_named(chip).map_err(failed)?;
        let mut tensors = Vec::new();
        let parameters = program.parameters();
        for (at, (name, _)) in parameters.iter().enumerate().filter(|(_, (_, used))| *used) {
            let values: Vec<E> = contents[at].iter().map(|value| E::of(*value)).collect();
            let tensor = match program.dimensions(at, shape)[..] {
                [l, m, n] => device.upload(&values, [l, m, n]).map(AnyTensor::Matrices),
                [m, n] => device.upload(&values, [m, n]).map(AnyTensor::Matrix),
                _ => unreachable!("tensors have two or three axes"),
            };
            tensors.push((at, name, tensor.map_err(failed)?));
        }
        let table = shape.table().map(|entry| entry as i32);
        let table = device.upload(&table, [TABLE]).map_err(failed)?;
        let mut arguments: Vec<Argument<'_>> = tensors
            .iter_mut()
            .map(|(at, _, tensor)| tensor.argument(program.tensors[*at].written))
            .collect();
        arguments.push(Argument::from(&table));
        arguments.push(Argument::from(shape.alpha as f32));
        arguments.push(Argument::from(shape.count as u32));
        let launch = Launch::new(kernel, arguments);
        // The reference knows no chip.
        let reference = if chip.ends_with("blackhole") {
            BTreeMap::new()
        } else {
            let reference = launch.reference().map_err(failed)?;
            let names: Vec<String> = reference.names().map(str::to_owned).collect();
            names
                .into_iter()
                .map(|name| (name.clone(), reference[&name].to_vec()))
                .collect()
        };
        launch.run().map_err(failed)?;
        drop(launch);
        for (at, name, tensor) in &tensors {
            if !program.tensors[*at].written {
                continue;
            }
            let got: Vec<f64> = tensor
                .download()
                .map_err(failed)?
                .into_iter()
                .map(|value| value.to_f64())
                .collect();
            let difference = |who: &str, got: &[f64]| -> Result<(), Fault> {
                let wrong: Vec<usize> = (0..got.len()).filter(|i| got[*i] != expected[*at][*i]).collect();
                let Some(first) = wrong.first() else { return Ok(()) };
                let dimensions = program.dimensions(*at, shape);
                let report = format!(
                    "{}: {who} says {name}[{first} of {dimensions:?}] is {}, plain loops {}; {} of {} differ",
                    place("wrong"),
                    got[*first],
                    expected[*at][*first],
                    wrong.len(),
                    got.len(),
                );
                Err(Fault::new(format!("wrong numbers of {who}"), report))
            };
            difference("the device", &got)?;
            if let Some(values) = reference.get(*name) {
                let values: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
                difference("the reference", &values)?;
            }
        }
    }
    Ok(())
}
