//! Compiles random programs, many to an object, runs them on both emulated chips, and compares with plain loops.

use super::evaluate;
use super::program::{Element, Program, Role, Shape, TABLE};
use super::text;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tt::{Tensor, bf16, bfp4, bfp8, f16};
use tt_backend::Artifact;
use tt_emulator::ArchName;
use tt_emulator::kernel_object::compile_together;
use tt_host::{Argument, Element as HostElement, Kernel, Launch, Sources, StageSources};

/// Refusals for want of room, with their codes: blocks and intermediate results beyond what L1, the circular buffers or the
/// destination registers hold.
pub const BUDGETS: [(u16, &str); 3] = [(412, "L1"), (413, "circular buffers"), (423, "destination registers")];

/// Other refusals that the language's page tells of, and that programs of this size are not always kept from.
pub const LIMITS: [(u16, &str); 4] = [
    (402, "what a type lacks"),
    (419, "elements that are not moved alone"),
    (441, "integers that are too long"),
    (453, "places that may be meant"),
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

impl Verdict {
    /// What there is to tell of a program: what is wrong with it, or why it is refused though there is room for it.
    pub fn fault(self) -> Option<Fault> {
        match self {
            Verdict::Wrong(fault) => Some(fault),
            Verdict::Refused(code) if !is_budget(code) => Some(Fault::new(format!("refused, TT{code:04}"), "refused")),
            Verdict::Right | Verdict::Refused(_) => None,
        }
    }
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
            let errors = parsed.diagnostics.iter();
            let codes: Vec<String> = errors.map(|error| format!("TT{:04}", error.code.number)).collect();
            let report: Vec<&str> = parsed.diagnostics.iter().map(|error| error.message.as_str()).collect();
            let kind = format!("does not parse, {}", codes.join(" "));
            return wrong(&kind, format!("does not parse: {}", report.join("; ")));
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

pub fn is_budget(code: u16) -> bool {
    BUDGETS.iter().any(|(budget, _)| *budget == code)
}

fn is_limit(code: u16) -> bool {
    is_budget(code) || LIMITS.iter().any(|(limit, _)| *limit == code)
}

/// Compiles `programs`, and takes for right what compiles.
pub fn refusals(programs: &[Program]) -> Vec<Verdict> {
    programs
        .iter()
        .map(|program| match compile(&text::source(program), &program.options) {
            Ok(_) => Verdict::Right,
            Err(verdict) => verdict,
        })
        .collect()
}

/// Compiles and runs `programs`.
pub fn check(programs: &[Program]) -> Vec<Verdict> {
    let compiled: Vec<_> = programs
        .iter()
        .map(|program| compile(&text::source(program), &program.options))
        .collect();
    if !is_by_reference_alone() {
        prepare(compiled.iter().flatten(), &CHIPS);
    }
    programs
        .iter()
        .zip(compiled)
        .map(|(program, compiled)| match compiled.map(kernel) {
            Ok(kernel) => run(program, kernel),
            Err(verdict) => verdict,
        })
        .collect()
}

/// Whether the emulator is left out, which needs the C++ compiler: ten times as many programs in the same time.
fn is_by_reference_alone() -> bool {
    std::env::var_os("TT_PROPERTY_REFERENCE").is_some()
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
    Box::leak(Box::new(Kernel::new(
        "kernel",
        sources,
        leak(artifact.plan),
        leak(tile),
        &[],
    )))
}

fn run(program: &Program, kernel: &'static Kernel) -> Verdict {
    let wrong = program
        .shapes
        .iter()
        .find_map(|shape| run_on_chips(program, kernel, shape).err());
    wrong.map_or(Verdict::Right, Verdict::Wrong)
}

/// A tensor of any type and rank.
pub trait AnyTensor {
    /// As the kernel takes it: `&mut` where it is written.
    fn argument(&mut self, written: bool) -> Argument<'_>;

    fn download(&self) -> tt::Result<Vec<f64>>;
}

impl<E: HostElement, const RANK: usize> AnyTensor for Tensor<E, RANK> {
    fn argument(&mut self, written: bool) -> Argument<'_> {
        match written {
            true => Argument::from(self),
            false => Argument::from(&*self),
        }
    }

    fn download(&self) -> tt::Result<Vec<f64>> {
        let values = Tensor::download(self)?;
        Ok(values.into_iter().map(HostElement::to_f64).collect())
    }
}

/// A tensor of `values`, which its type holds exactly.
pub fn upload(
    device: &tt::Device,
    element: Element,
    values: &[f64],
    dimensions: &[usize],
) -> tt::Result<Box<dyn AnyTensor>> {
    fn of<E: HostElement>(
        device: &tt::Device,
        values: &[f64],
        dimensions: &[usize],
        exact: impl Fn(f64) -> E,
    ) -> tt::Result<Box<dyn AnyTensor>> {
        let values: Vec<E> = values.iter().map(|value| exact(*value)).collect();
        Ok(match *dimensions {
            [o, l, m, n] => Box::new(device.upload(&values, [o, l, m, n])?),
            [l, m, n] => Box::new(device.upload(&values, [l, m, n])?),
            [m, n] => Box::new(device.upload(&values, [m, n])?),
            [n] => Box::new(device.upload(&values, [n])?),
            _ => unreachable!("tensors have up to four axes"),
        })
    }
    match element {
        Element::Bf16 => of(device, values, dimensions, bf16::from_f64),
        Element::F32 => of(device, values, dimensions, |value| value as f32),
        Element::Bfp8 => of(device, values, dimensions, |value| bfp8::from_f32(value as f32)),
        Element::Bfp4 => of(device, values, dimensions, |value| bfp4::from_f32(value as f32)),
        Element::F16 => of(device, values, dimensions, f16::from_f64),
        Element::I32 => of(device, values, dimensions, |value| value as i32),
        Element::U32 => of(device, values, dimensions, |value| value as u32),
        Element::U16 => of(device, values, dimensions, |value| value as u16),
        Element::U8 => of(device, values, dimensions, |value| value as u8),
        Element::I8 => of(device, values, dimensions, |value| value as i8),
    }
}

/// How lines differ from those of plain loops, which have the blocks of the grid in another order.
fn lines_differ(lines: &[String], expected: &[String]) -> Option<String> {
    let by_block = |lines: &[String]| {
        // Whether a zero has a sign is nobody's business.
        let unsigned = |line: &String| {
            let words = line.split(' ').map(|word| if word == "-0" { "0" } else { word });
            words.collect::<Vec<_>>().join(" ")
        };
        let mut texts: Vec<String> = lines.iter().map(unsigned).collect();
        texts.sort_by_key(|line| line.split_once(':').map(|(block, _)| block.to_owned()));
        texts
    };
    let (lines, expected) = (by_block(lines), by_block(expected));
    let at = (0..lines.len().max(expected.len())).find(|at| lines.get(*at) != expected.get(*at))?;
    Some(format!(
        "the reference prints {:?}, plain loops {:?}",
        lines.get(at),
        expected.get(at)
    ))
}

fn run_on_chips(program: &Program, kernel: &'static Kernel, shape: &Shape) -> Result<(), Fault> {
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
        for at in program.parameters() {
            let dimensions = program.dimensions(at, shape);
            let tensor = upload(&device, program.tensors[at].element, &contents[at], &dimensions);
            tensors.push((at, tensor.map_err(failed)?));
        }
        let is_output = |at: usize| program.tensors[at].role == Role::Output;
        let table = shape.table().map(|entry| entry as f64);
        let table = upload(&device, program.table.element, &table, &[TABLE]);
        let mut table = table.map_err(failed)?;
        let mut arguments: Vec<Argument<'_>> = tensors
            .iter_mut()
            .map(|(at, tensor)| tensor.argument(is_output(*at)))
            .collect();
        arguments.push(table.argument(false));
        arguments.push(Argument::from(shape.alpha as f32));
        arguments.push(match program.is_signed {
            true => Argument::from(shape.count as i32),
            false => Argument::from(shape.count as u32),
        });
        let launch = Launch::new(kernel, arguments);
        // The reference knows no chip.
        let reference = if chip.ends_with("blackhole") {
            BTreeMap::new()
        } else {
            let reference = launch.reference().map_err(failed)?;
            lines_differ(reference.prints(), &expected.lines).map_or(Ok(()), |report| {
                let report = format!("{}: {report}", place("wrong"));
                Err(Fault::new("wrong lines of the reference", report))
            })?;
            let names: Vec<String> = reference.names().map(str::to_owned).collect();
            names
                .into_iter()
                .map(|name| (name.clone(), reference[&name].to_vec()))
                .collect()
        };
        let is_run = !is_by_reference_alone();
        if is_run {
            launch.run().map_err(failed)?;
        }
        drop(launch);
        for (at, tensor) in tensors.iter().filter(|(at, _)| is_output(*at)) {
            let (name, expected) = (program.name(*at), &expected.tensors[*at]);
            let difference = |who: &str, got: &[f64], expected: &[f64]| -> Result<(), Fault> {
                let wrong: Vec<usize> = (0..got.len()).filter(|i| got[*i] != expected[*i]).collect();
                let Some(first) = wrong.first() else { return Ok(()) };
                let dimensions = program.dimensions(*at, shape);
                let report = format!(
                    "{}: {who} says {name}[{first} of {dimensions:?}] is {}, plain loops {}; {} of {} differ",
                    place("wrong"),
                    got[*first],
                    expected[*first],
                    wrong.len(),
                    got.len(),
                );
                Err(Fault::new(format!("wrong numbers of {who}"), report))
            };
            if is_run {
                difference("the device", &tensor.download().map_err(failed)?, expected)?;
            }
            if let Some(values) = reference.get(&name) {
                // It is handed over in f32, which large integers are rounded to.
                let values: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
                let expected: Vec<f64> = expected.iter().map(|value| f64::from(*value as f32)).collect();
                difference("the reference", &values, &expected)?;
            }
        }
    }
    Ok(())
}
