//! Every pass on its own: `tests/passes/<pass>/<case>.tt`, 10 to 40 lines each.
//!
//! A case says in a comment what it shows; then come `---- kernel`, whose source gives names and, to passes over Tile IR, the
//! program; `---- input`, the program of passes after those; and `---- output` or `---- error`. Lines of errors are lines of the
//! file. A table of buffers that the pass left as it was is not in the output. A case may have a part of the output alone:
//! `---- buffers`, `---- body`, `---- reader`, `---- compute` or `---- writer`. `TT_BLESS=1` rewrites what is expected: review
//! the difference like code. Every code that a pass refuses a kernel with is in a case of it.

mod run_case;

use libtest_mimic::{Arguments, Failed, Trial};
use run_case::{Failure, Input, run_case};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;

/// Lines of the longest case: what takes more shows two things, or one in a program that is too large.
const MOST_LINES: usize = 40;

/// What an output may be made of.
const PARTS: [&str; 5] = ["buffers", "body", "reader", "compute", "writer"];

fn main() -> ExitCode {
    let mut trials = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    for pass in listed(&folder).into_iter().filter(|path| path.is_dir()) {
        let name = name_of(&pass);
        let cases = listed(&pass);
        if cases.is_empty() {
            trials.push(Trial::test(name, || Err("no case".into())));
            continue;
        }
        for path in cases {
            let pass = name.clone();
            trials.push(Trial::test(format!("{pass}::{}", name_of(&path)), move || {
                judge(&pass, &path).map_err(Failed::from)
            }));
        }
    }
    let covered: Vec<String> = trials.iter().map(|trial| trial.name().to_string()).collect();
    trials.push(Trial::test("every_pass_has_cases", move || {
        let lacks = |pass: &&str| !covered.iter().any(|case| case.starts_with(&format!("{pass}::")));
        match passes().iter().find(|pass| lacks(&pass.as_str())) {
            None => Ok(()),
            Some(pass) => Err(format!("{pass} has no case").into()),
        }
    }));
    for pass in passes() {
        let cases = folder.join(&pass);
        trials.push(Trial::test(
            format!("{pass}::every_code_has_a_case"),
            move || match uncovered(&pass, &cases) {
                codes if codes.is_empty() => Ok(()),
                codes => Err(format!("no case ends with {}", codes.join(", ")).into()),
            },
        ));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The codes that the source of a pass mentions and none of its cases has.
fn uncovered(pass: &str, cases: &Path) -> Vec<String> {
    let passes = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/passes");
    let mut sources = vec![passes.join(format!("{pass}.rs"))];
    let mut folders = vec![passes.join(pass)];
    while let Some(folder) = folders.pop().filter(|folder| folder.is_dir()) {
        let (inner, files): (Vec<_>, Vec<_>) = listed(&folder).into_iter().partition(|path| path.is_dir());
        folders.extend(inner);
        sources.extend(files);
    }
    let text = |paths: Vec<PathBuf>| -> String {
        let present = paths.into_iter().filter(|path| path.is_file());
        present
            .map(|path| fs::read_to_string(path).expect("it is text"))
            .collect()
    };
    let (source, cases) = (text(sources), text(listed(cases)));
    let mentioned: BTreeSet<&str> = source
        .split("codes::")
        .skip(1)
        .map(|rest| {
            rest.split(|c: char| !c.is_ascii_uppercase() && c != '_')
                .next()
                .unwrap_or_default()
        })
        .collect();
    let codes = mentioned.into_iter().filter_map(number);
    codes.filter(|code| !cases.contains(code)).collect()
}

/// How the code is written that has this name in the table of the compiler's own.
fn number(name: &str) -> Option<String> {
    const TABLE: &str = include_str!("../../src/codes.rs");
    let row = TABLE
        .lines()
        .find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(" = "))?;
    let digits = row.split(',').next()?;
    Some(format!("TT{:0>4}", digits))
}

/// The passes of the pipeline, as their folders are called; those that make no IR have tests of their own.
fn passes() -> Vec<String> {
    let names = tt_backend::PASSES.iter().map(|pass| pass.name);
    let folder = |name: &str| name.to_lowercase().replace(' ', "_");
    names
        .map(folder)
        .filter(|name| !["f_verify", "join_stages", "g_codegen"].contains(&name.as_str()))
        .collect()
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut out: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    out.sort();
    out
}

fn name_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A part of a case: what it is called, its text and the number of its first line.
struct Section<'a> {
    name: &'a str,
    text: &'a str,
    line: u32,
}

/// The comment at the head of a case, and its sections.
fn sections(case: &str) -> Result<(&str, Vec<Section<'_>>), String> {
    const MARK: &str = "---- ";
    let mut parts = case.split_inclusive('\n').scan(0, |at, line| {
        let from = *at;
        *at += line.len();
        Some((from, line))
    });
    let heads: Vec<(usize, &str)> = parts.by_ref().filter(|(_, line)| line.starts_with(MARK)).collect();
    let first = heads.first().map_or(case.len(), |(at, _)| *at);
    let mut out = Vec::new();
    for (index, (at, head)) in heads.iter().enumerate() {
        let from = at + head.len();
        let to = heads.get(index + 1).map_or(case.len(), |(next, _)| *next);
        out.push(Section {
            name: head[MARK.len()..].trim(),
            text: &case[from..to],
            line: case[..from].lines().count() as u32 + 1,
        });
    }
    match case[..first]
        .lines()
        .all(|line| line.is_empty() || line.starts_with("// "))
        && first > 0
    {
        true => Ok((&case[..first], out)),
        false => Err("a case begins with a comment that says what it shows".to_string()),
    }
}

fn judge(pass: &str, path: &Path) -> Result<(), String> {
    let case = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let (_, sections) = sections(&case)?;
    let names: Vec<&str> = sections.iter().map(|section| section.name).collect();
    let bless = env::var_os("TT_BLESS").is_some();
    let (kernel, input, expected) = match (names.as_slice(), sections.as_slice()) {
        (["kernel", "input", last], [kernel, input, expected]) if is_result(last) => {
            (kernel, Some(input), Some(expected))
        }
        (["kernel", last], [kernel, expected]) if is_result(last) => (kernel, None, Some(expected)),
        (["kernel", "input"], [kernel, input]) if bless => (kernel, Some(input), None),
        (["kernel"], [kernel]) if bless => (kernel, None, None),
        _ => {
            return Err(format!(
                "sections {names:?}: kernel, input, output (or a part of it) or error wanted"
            ));
        }
    };
    let is_empty = |section: &&Section| section.text.trim().is_empty();
    if let Some(empty) = sections.iter().find(is_empty).filter(|_| !bless) {
        return Err(format!("section {} is empty", empty.name));
    }
    let mut kernel = parsed(kernel)?;
    let input = input.map(|input| Input {
        text: input.text,
        line: input.line,
    });
    let wanted = expected.map_or("output", |expected| expected.name);
    let (name, found) = match run_case(pass, &mut kernel, input) {
        Ok(output) if PARTS.contains(&wanted) => (wanted, part(wanted, &output)),
        Ok(output) => ("output", output),
        Err(Failure::Refused(diagnostics)) => ("error", rendered(&kernel, &diagnostics)),
        Err(Failure::Wrong(why)) => return Err(why),
    };
    if expected.is_some_and(|expected| expected.name == name && expected.text == found) {
        return match case.lines().count() {
            ..=MOST_LINES => Ok(()),
            lines => Err(format!(
                "{lines} lines: {MOST_LINES} at most; a smaller program, or two cases"
            )),
        };
    }
    if !bless {
        let wanted = expected.map_or("", |expected| expected.text);
        return Err(format!(
            "TT_BLESS=1 rewrites it\n{}",
            difference(wanted, &format!("{found}---- {name}\n"))
        ));
    }
    let kept = expected.map_or(case.len(), |expected| {
        let text = expected.text.as_ptr() as usize - case.as_ptr() as usize;
        text - format!("---- {}\n", expected.name).len()
    });
    fs::write(path, format!("{}---- {name}\n{found}", &case[..kept])).map_err(|error| error.to_string())
}

/// Whether a section of this name says what comes out.
fn is_result(name: &str) -> bool {
    ["output", "error"].contains(&name) || PARTS.contains(&name)
}

/// The part `name` of `output`, empty where it has none.
fn part(name: &str, output: &str) -> String {
    let head = format!("{name} {{");
    let lines: Vec<&str> = output.lines().skip_while(|line| *line != head).collect();
    let end = lines.iter().position(|line| *line == "}").map_or(0, |end| end + 1);
    lines[..end].iter().map(|line| format!("{line}\n")).collect()
}

/// The kernel of a case, with the places of the file.
fn parsed(section: &Section) -> Result<Kernel, String> {
    let text = "\n".repeat(section.line as usize - 1) + section.text;
    let file = syn::parse_file(&text).map_err(|error| format!("the kernel: {error}"))?;
    let [syn::Item::Fn(function)] = file.items.as_slice() else {
        return Err("one kernel wanted".to_string());
    };
    let parsed = tt_lang::syntax::parse_item_fn(function, "case.tt").ok_or("`#[tt::kernel]` wanted")?;
    let messages: Vec<&str> = parsed
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.message.as_str())
        .collect();
    parsed
        .kernel
        .ok_or_else(|| format!("the kernel: {}", messages.join("; ")))
}

/// Diagnostics, each with its line, labels and notes.
fn rendered(kernel: &Kernel, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    let line = |span| kernel.location(span).line;
    for diagnostic in diagnostics {
        let (code, message) = (diagnostic.code, &diagnostic.message);
        writeln!(out, "line {}: {code} {message}", line(diagnostic.span)).unwrap_or_default();
        for (span, label) in &diagnostic.labels {
            writeln!(out, "  line {}: {label}", line(*span)).unwrap_or_default();
        }
        for note in &diagnostic.notes {
            writeln!(out, "  note: {note}").unwrap_or_default();
        }
    }
    out
}

/// The first line in which two texts differ, and what was found from there on.
fn difference(wanted: &str, found: &str) -> String {
    let same = wanted.lines().zip(found.lines()).take_while(|(a, b)| a == b).count();
    let rest = |text: &str| {
        text.lines()
            .skip(same)
            .take(12)
            .map(|line| format!("    {line}\n"))
            .collect::<String>()
    };
    format!(
        "from its line {} on, wanted\n{}  found\n{}",
        same + 1,
        rest(wanted),
        rest(found)
    )
}
