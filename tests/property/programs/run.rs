//! Compiles random programs, many to an object, runs them on both emulated chips, and compares with plain loops.

use super::super::compiled::{AnyTensor, CHIPS, Compiled, DEVICES, prepare, upload};
use super::evaluate;
use super::program::{Program, Role, Shape, TABLE};
use super::text;
use super::ways::{Ways, in_all_ways, is_budget};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tt_host::{Argument, Kernel, Launch, Sharing, Way};

/// Other refusals that the language's page tells of, and that programs of this size are not always kept from.
pub const LIMITS: [(u16, &str); 4] = [
    (402, "what a type lacks"),
    (419, "elements that are not moved alone"),
    (441, "integers that are too long"),
    (453, "places that may be meant"),
];

/// What became of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Right {
        /// Whether the reference ran what the passes from the language to itself make of it, too: not where they make tensors of
        /// other types.
        of_passes: bool,
        /// The other ways that it ran in, too.
        ways: Vec<Way>,
    },
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
            Verdict::Right { .. } | Verdict::Refused(_) => None,
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

/// Compiles the kernel, down to C++, in all ways that it may be run in.
pub fn compile(source: &str, options: &str) -> Result<Ways, Verdict> {
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
        match in_all_ways(kernel) {
            Ok(ways) => Ok(ways),
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
    is_budget(code) || LIMITS.iter().any(|(limit, _)| *limit == code)
}

/// Compiles `programs`, and takes for right what compiles.
pub fn refusals(programs: &[Program]) -> Vec<Verdict> {
    programs
        .iter()
        .map(|program| match compile(&text::source(program), &program.options) {
            Ok(_) => Verdict::Right {
                of_passes: false,
                ways: Vec::new(),
            },
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
        let all = compiled.iter().flatten();
        prepare(
            all.flat_map(|(whole, others)| std::iter::once(whole).chain(others.iter().map(|(_, other)| other))),
            &CHIPS,
        );
    }
    programs
        .iter()
        .zip(compiled)
        .map(|(program, compiled)| match compiled {
            Ok(compiled) => run(program, &Kernels::of(compiled)),
            Err(verdict) => verdict,
        })
        .collect()
}

/// A program as it is launched.
struct Kernels {
    whole: &'static Kernel,
    /// Whose reference runs what the passes from the language to itself made of it.
    rewritten: Option<&'static Kernel>,
    /// In other ways. Where its sum is cut into parts, their number is its last argument.
    others: Vec<(Way, &'static Kernel)>,
}

impl Kernels {
    fn of((compiled, others): Ways) -> Kernels {
        let others = others.into_iter().map(|(way, other)| (way, other.kernel()));
        Kernels {
            others: others.collect(),
            rewritten: compiled.rewritten().expect("it was compiled").map(Compiled::kernel),
            whole: compiled.kernel(),
        }
    }
}

/// Whether the emulator is left out, which needs the C++ compiler: ten times as many programs in the same time.
fn is_by_reference_alone() -> bool {
    std::env::var_os("TT_PROPERTY_REFERENCE").is_some()
}

fn run(program: &Program, kernels: &Kernels) -> Verdict {
    let wrong = program
        .shapes
        .iter()
        .find_map(|shape| run_on_chips(program, kernels, shape).err());
    let right = Verdict::Right {
        of_passes: kernels.rewritten.is_some(),
        ways: kernels.others.iter().map(|(way, _)| *way).collect(),
    };
    wrong.map_or(right, Verdict::Wrong)
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
    Some(format!("{:?}, plain loops {:?}", lines.get(at), expected.get(at)))
}

/// A launch of a kernel that was made of `program`, in `parts` where its sum is cut, on `tensors` and the table of integers.
fn launch<'t>(
    program: &Program,
    shape: &Shape,
    (way, kernel): (Way, &'static Kernel),
    parts: u32,
    tensors: &'t mut [(usize, Box<dyn AnyTensor>)],
    table: &'t mut dyn AnyTensor,
) -> Launch<'t> {
    let arguments = tensors.iter_mut();
    let mut arguments: Vec<Argument<'_>> = arguments
        .map(|(at, tensor)| tensor.argument(program.tensors[*at].role == Role::Output))
        .collect();
    arguments.push(table.argument(false));
    arguments.push(Argument::from(shape.alpha as f32));
    arguments.push(match program.is_signed {
        true => Argument::from(shape.count as i32),
        false => Argument::from(shape.count as u32),
    });
    arguments.extend((way == Way::InParts).then(|| Argument::from(parts)));
    Launch::new(kernel, arguments).sharing(Sharing::Always)
}

/// Whether tensors in L1 have no room beside each other, or leave too little for circular buffers, which without them have room
/// (TT0412).
fn lacks_l1<T>(result: &tt::Result<T>) -> bool {
    result.as_ref().is_err_and(|error| {
        let text = error.to_string();
        text.contains("EMU0406") || text.contains("bytes of L1 need")
    })
}

/// Whether the blocks of a core's shards are no runs, which its page tells of.
fn lacks_runs<T>(result: &tt::Result<T>) -> bool {
    result.as_ref().is_err_and(|error| {
        let text = error.to_string();
        text.contains("are not runs of numbers") || text.contains("no core is left for it")
    })
}

fn run_on_chips(program: &Program, kernels: &Kernels, shape: &Shape) -> Result<(), Fault> {
    let contents = evaluate::contents(program, shape);
    let Ok(expected) = evaluate::run(program, shape, contents.clone()) else {
        // Generated programs are exact; what shrinking leaves may be none to judge.
        return Ok(());
    };
    let written = (Way::Written, kernels.whole);
    let ways = |chip: &'static str| {
        let all = std::iter::once(&written).chain(&kernels.others);
        all.map(move |way| (chip, *way))
    };
    'ways: for (chip, way) in DEVICES.into_iter().flat_map(ways) {
        let parts = 2 + u32::from(chip.ends_with("blackhole"));
        let how = match way.0 {
            Way::Written => String::new(),
            Way::InParts => format!(" in {parts} parts"),
            Way::OnShards => " on its shards".to_owned(),
        };
        let place = |what: &str| format!("{what}{how} on {chip}, {shape:?}");
        let failed = |error: tt::Error| {
            let text = error.to_string();
            let code = text.split(':').next().unwrap_or_default().to_owned();
            Fault::new(format!("error {code}"), format!("{}: {text}", place("fails")))
        };
        let device = tt::Device::open_named(chip).map_err(failed)?;
        let mut tensors = Vec::new();
        for at in program.parameters() {
            let dimensions = program.dimensions(at, shape);
            let layout = program.tensors[at].place().map_err(failed)?;
            // Some of those without shards are views.
            let behind = if program.tensors[at].cut < 2 { at % 3 } else { 0 };
            let tensor = upload(
                (&device, &layout, behind),
                program.tensors[at].element.element_type(),
                &contents[at],
                &dimensions,
            );
            if lacks_l1(&tensor) {
                continue 'ways;
            }
            tensors.push((at, tensor.map_err(failed)?));
        }
        let is_output = |at: usize| program.tensors[at].role == Role::Output;
        let table = shape.table().map(|entry| entry as f64);
        let table = upload(
            (&device, &tt::Layout::dram(), 1),
            program.table.element.element_type(),
            &table,
            &[TABLE],
        );
        let mut table = table.map_err(failed)?;
        // References know no chip.
        let mut references = Vec::new();
        if !chip.ends_with("blackhole") && way.0 == Way::Written {
            let rewritten = kernels.rewritten.map(|kernel| (Way::Written, kernel));
            let in_parts = kernels.others.iter().find(|(way, _)| *way == Way::InParts);
            let asked = [
                Some(("the reference", written)),
                rewritten.map(|kernel| ("the reference of the passes", kernel)),
                in_parts.map(|kernel| ("the reference of parts", *kernel)),
            ];
            for (who, kernel) in asked.into_iter().flatten() {
                let reference = launch(program, shape, kernel, 3, &mut tensors, &mut *table)
                    .reference()
                    .map_err(failed)?;
                lines_differ(reference.prints(), &expected.lines).map_or(Ok(()), |report| {
                    let report = format!("{}: {who} prints {report}", place("wrong"));
                    Err(Fault::new(format!("wrong lines of {who}"), report))
                })?;
                references.push((who, reference));
            }
        }
        let is_run = !is_by_reference_alone();
        if is_run {
            let ran = launch(program, shape, way, parts, &mut tensors, &mut *table).run();
            if lacks_l1(&ran) || way.0 == Way::OnShards && lacks_runs(&ran) {
                continue;
            }
            ran.map_err(failed)?;
        }
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
            for (who, reference) in &references {
                // It is handed over in f32, which large integers are rounded to.
                let values: Vec<f64> = reference[&name].iter().map(|value| f64::from(*value)).collect();
                let expected: Vec<f64> = expected.iter().map(|value| f64::from(*value as f32)).collect();
                difference(who, &values, &expected)?;
            }
        }
    }
    Ok(())
}
