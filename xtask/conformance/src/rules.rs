//! `cargo xtask conformance rules`: the strict checks of the emulator as a page, each with what breaks it.
//!
//! The rules are the emulator's own table; the examples are the broken kernels and launches of its tests, which see to it
//! that each is stopped by the rule it names, at the line it names. A rule without an example fails here as it does there.

use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tt_emulator::allowed::{ALLOWABLE, VARIABLE};
use tt_emulator::rules::{self, Rule};
use xtask::project;

/// Writes docs/rules.md: every strict check of the emulator with its source and an example that breaks it
///
/// Fails where a rule has no example.
#[derive(Args)]
pub struct Arguments {
    /// Write nothing; fail where docs/rules.md is not up to date
    #[arg(long)]
    check: bool,
}

/// Where broken kernels are, below the emulator's tests.
const KERNELS: [&str; 2] = ["tests/kernels/bad", "tests/compute/kernels/bad"];
/// Where broken launches are.
const LAUNCHES: &str = "tests/dataflow/launches.rs";
/// What comes before the code of the rule at the line that breaks it.
const MARK: &str = "// breaks ";

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let page = project::root().join("docs/rules.md");
    let text = written(&examples(&project::root().join("tt-emulator"))?)?;
    let old = std::fs::read_to_string(&page).unwrap_or_default();
    if old == text {
        println!("{} is up to date", page.display());
        return Ok(());
    }
    if arguments.check {
        return Err("docs/rules.md is not up to date; run `cargo xtask conformance rules`".into());
    }
    project::write(&page, text)?;
    println!("{} written", page.display());
    Ok(())
}

/// Something that breaks a rule: its text, by what it is called.
struct Example {
    name: String,
    language: &'static str,
    /// Files or functions that belong together, the one that breaks the rule among them.
    parts: Vec<(String, String)>,
}

/// All examples, by the code of the rule.
fn examples(emulator: &Path) -> Result<BTreeMap<String, Vec<Example>>, String> {
    let mut all: BTreeMap<String, Vec<Example>> = BTreeMap::new();
    for folder in KERNELS {
        for (name, parts) in kernels(&emulator.join(folder))? {
            let code = code_of(&name, parts.iter().map(|(_, text)| text.as_str()))?;
            let example = Example {
                name,
                language: "cpp",
                parts,
            };
            all.entry(code).or_default().push(example);
        }
    }
    let path = emulator.join(LAUNCHES);
    for (name, text) in functions(&read(&path)?) {
        let code = code_of(&name, [text.as_str()].into_iter())?;
        let parts = vec![(LAUNCHES.to_string(), text)];
        all.entry(code).or_default().push(Example {
            name,
            language: "rust",
            parts,
        });
    }
    Ok(all)
}

/// The kernels of a folder that run together, by their name: file and text.
fn kernels(folder: &Path) -> Result<BTreeMap<String, Vec<(String, String)>>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut groups: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for path in files {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = file.split('.').next().unwrap_or_default().to_string();
        groups.entry(name).or_default().push((file, read(&path)?));
    }
    Ok(groups)
}

/// The functions of a file that break a rule: name and text.
fn functions(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in text.split("\n\n") {
        let name = part.strip_prefix("fn ").and_then(|rest| rest.split('(').next());
        if let (Some(name), true) = (name, part.contains(MARK)) {
            found.push((name.to_string(), part.to_string()));
        }
    }
    found
}

/// The one rule that these texts break.
fn code_of<'a>(name: &str, texts: impl Iterator<Item = &'a str>) -> Result<String, String> {
    let marks: Vec<&str> = texts.flat_map(|text| text.split(MARK).skip(1)).collect();
    match marks[..] {
        [mark] => Ok(mark.lines().next().unwrap_or_default().to_string()),
        _ => Err(format!("`{name}` breaks {} rules, not one", marks.len())),
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

const GROUPS: [(&str, &str); 8] = [
    ("EMU00", "The run itself"),
    ("EMU01", "Circular buffers"),
    ("EMU02", "NoC transfers"),
    ("EMU03", "Multicast and semaphores"),
    ("EMU04", "Launches"),
    ("EMU05", "Destination registers"),
    ("EMU06", "State of the engines"),
    ("EMU07", "Formats and operands"),
];

/// The page.
fn written(examples: &BTreeMap<String, Vec<Example>>) -> Result<String, String> {
    let mut rules: Vec<&Rule> = rules::all().collect();
    rules.sort_by_key(|rule| rule.code);
    let mut wrong: Vec<String> = Vec::new();
    for rule in &rules {
        if !examples.contains_key(rule.code) {
            wrong.push(format!("{} has no example", rule.code));
        }
        if !GROUPS.iter().any(|(prefix, _)| rule.code.starts_with(prefix)) {
            wrong.push(format!("{} belongs to no group", rule.code));
        }
    }
    for (code, examples) in examples {
        if !rules.iter().any(|rule| rule.code == code) {
            wrong.push(format!("`{}` breaks {code}, which is no rule", examples[0].name));
        }
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    let count = examples.values().map(Vec::len).sum::<usize>();
    let allowable: Vec<&str> = ALLOWABLE.iter().map(|(rule, _)| rule.code).collect();
    let allowable = allowable.join(" and ");
    let mut text = format!(
        "# What the emulator checks\n\n\
         Written by `cargo xtask conformance rules`; do not edit.\n\n\
         {} rules, {count} examples. A program that breaks one is stopped with a report: the code, kernel, core, RISC and\n\
         line. The examples are tests of the emulator (`tt-emulator/tests`): each is stopped by the rule under which it\n\
         stands here, at the line that says so. Where a rule has several, the first is shown.\n\n\
         {allowable} can be allowed, for programs that have to run as they are: `{VARIABLE}` names the\n\
         rules, separated by commas. Each place is then said once on stderr, and the run goes on as the device does; what\n\
         would harm there is refused all the same.\n\n\
         Sources: \"wheel\" is the ttnn 0.81.1 wheel, paths there are below `ttnn/`; \"metalium.md\", \"patterns.md\" and\n\
         \"hazards.md\" are the references shared beside this repository (`../shared/reference`).\n",
        rules.len()
    );
    // Writing to a String cannot fail.
    for (prefix, title) in GROUPS {
        let _ = writeln!(text, "\n## {title}\n\n| code | what happened |\n|---|---|");
        for rule in rules.iter().filter(|rule| rule.code.starts_with(prefix)) {
            let _ = writeln!(
                text,
                "| [{}](#{}) | {} |",
                rule.code,
                rule.code.to_lowercase(),
                rule.title
            );
        }
        for rule in rules.iter().filter(|rule| rule.code.starts_with(prefix)) {
            section(rule, &examples[rule.code], &mut text);
        }
    }
    Ok(text)
}

fn section(rule: &Rule, examples: &[Example], text: &mut String) {
    let _ = writeln!(
        text,
        "\n### {}\n\n**{}.** {}\n\nSource: {}.",
        rule.code, rule.title, rule.explanation, rule.source
    );
    if let Some((_, device)) = ALLOWABLE.iter().find(|(known, _)| *known == rule) {
        let _ = writeln!(text, "Can be allowed, `{VARIABLE}={}`. {device}", rule.code);
    }
    if let [_, others @ ..] = examples
        && !others.is_empty()
    {
        let names: Vec<String> = others.iter().map(|example| format!("`{}`", example.name)).collect();
        let _ = writeln!(text, "Also broken by {}.", names.join(", "));
    }
    let Some(example) = examples.first() else { return };
    for (file, content) in &example.parts {
        let _ = writeln!(
            text,
            "\n`{file}`\n\n```{}\n{}\n```",
            example.language,
            content.trim_end()
        );
    }
}
