//! `cargo xtask explain`: what a code of an error, a warning or a strict check of the emulator means.
//!
//! Cause and cure are the tables' own (`tt_lang::codes`, `tt_backend::codes`); the example of a code is the page of a case of
//! `tests/ui/cases`, which the tests of `tt-macros` hold. What the emulator says of its rules is docs/rules.md, which
//! `cargo xtask conformance rules` makes of its table: that way this chore builds no emulator.

use crate::project;
use clap::Args;
use std::collections::BTreeMap;
use tt_lang::diagnostic::Code;

/// Says what a code in a message means and what to do about it: TT0411, EMU0102
///
/// Without a code it lists them all.
#[derive(Args)]
pub struct Options {
    /// The code, as a message has it; of the compiler's also the number alone
    code: Option<String>,
}

/// Does it.
///
/// # Errors
/// Where there is no such code, or the pages that examples are on cannot be read.
pub fn run(options: &Options) -> Result<(), String> {
    let rules = rules()?;
    let text = match &options.code {
        None => list(&rules),
        Some(word) => match meant(word, &rules)? {
            Meant::Compiler(code) => of_compiler(code, &examples()?),
            Meant::Emulator(section) => section.text.clone(),
        },
    };
    println!("{}", text.trim_end());
    Ok(())
}

/// Every code of the language and the compiler, by number.
pub fn codes() -> Vec<&'static Code> {
    let mut all: Vec<&Code> = [tt_lang::codes::ALL, tt_backend::codes::CODES].concat();
    all.sort_by_key(|code| code.number);
    all
}

/// A case that shows a code: where it is, and what rustc prints for it.
pub struct Example {
    /// The file, from the repository's root.
    pub path: String,
    /// The first message with the code, without what explains the code.
    pub message: String,
}

/// An example of every code that has one, by number: of the shortest kernel.
///
/// # Errors
/// What cannot be read.
pub fn examples() -> Result<BTreeMap<u16, Example>, String> {
    let mut found: BTreeMap<u16, (usize, Example)> = BTreeMap::new();
    for folder in ["tests/ui/cases", "tests/ui"] {
        for source in project::rust_files(&project::root().join(folder), None)? {
            let read = |path: &std::path::Path| {
                std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
            };
            let length = read(&source)?.len();
            let page = read(&source.with_extension("stderr"))?;
            let name = source.file_name().unwrap_or_default().to_string_lossy();
            for message in page.split("\n\n") {
                let Some(number) = number_of(message) else { continue };
                if found.get(&number).is_some_and(|(known, _)| *known <= length) {
                    continue;
                }
                let path = format!("{folder}/{name}");
                let message = bare(message).replace(&format!("{folder}/"), "");
                found.insert(number, (length, Example { path, message }));
            }
        }
    }
    Ok(found
        .into_iter()
        .map(|(number, (_, example))| (number, example))
        .collect())
}

/// The number of the code that a message of rustc begins with.
fn number_of(message: &str) -> Option<u16> {
    let first = message.lines().next()?;
    // A warning is the use of a constant of the code's name.
    let from = match first.split_once("`_::") {
        Some((_, code)) => code,
        None => first.strip_prefix("error: ")?,
    };
    from.strip_prefix("TT")?.get(..4)?.parse().ok()
}

/// A message without the lines that say what its code means.
fn bare(message: &str) -> String {
    let explains = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("about TT") || line.starts_with("more: ")
    };
    message
        .lines()
        .filter(|line| !explains(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A rule of the emulator as docs/rules.md has it.
pub struct Rule {
    /// Its code.
    pub code: String,
    /// What happened.
    pub title: String,
    /// Its section.
    pub text: String,
}

/// The rules of the emulator, as docs/rules.md lists them.
///
/// # Errors
/// Where the page cannot be read.
pub fn rules() -> Result<Vec<Rule>, String> {
    let path = project::root().join("docs/rules.md");
    let page = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok(rules_of(&page))
}

fn rules_of(page: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut is_within = false;
    for line in page.lines() {
        match line.strip_prefix("### ") {
            Some(code) => {
                is_within = true;
                rules.push(Rule {
                    code: code.to_string(),
                    title: String::new(),
                    text: format!("{code}\n"),
                });
            }
            // The heading of the next group ends the last rule of the one before.
            None if line.starts_with("## ") => is_within = false,
            None => {
                if let (true, Some(rule)) = (is_within, rules.last_mut()) {
                    if let Some((title, _)) = line.strip_prefix("**").and_then(|rest| rest.split_once(".**"))
                        && rule.title.is_empty()
                    {
                        rule.title = title.to_string();
                    }
                    rule.text += line;
                    rule.text += "\n";
                }
            }
        }
    }
    rules
}

enum Meant<'r> {
    Compiler(&'static Code),
    Emulator(&'r Rule),
}

/// What `word` names.
fn meant<'r>(word: &str, rules: &'r [Rule]) -> Result<Meant<'r>, String> {
    let upper = word.to_uppercase();
    let (digits, is_rule) = match (upper.strip_prefix("EMU"), upper.strip_prefix("TT")) {
        (Some(digits), _) => (digits, true),
        (None, Some(digits)) => (digits, false),
        (None, None) => (upper.as_str(), false),
    };
    let Ok(number) = digits.parse::<u16>() else {
        return Err(format!(
            "`{word}` is no code: those of the compiler are `TT0411`, those of the emulator `EMU0102`; `cargo xtask explain` lists them"
        ));
    };
    if is_rule {
        let number_of = |rule: &Rule| rule.code.trim_start_matches("EMU").parse::<u16>().unwrap_or_default();
        return match rules.iter().find(|rule| number_of(rule) == number) {
            Some(rule) => Ok(Meant::Emulator(rule)),
            None => Err(unknown(
                &format!("EMU{number:04}"),
                number,
                rules
                    .iter()
                    .map(|rule| (number_of(rule), format!("{}: {}", rule.code, rule.title))),
            )),
        };
    }
    match codes().into_iter().find(|code| code.number == number) {
        Some(code) => Ok(Meant::Compiler(code)),
        None => Err(unknown(
            &format!("TT{number:04}"),
            number,
            codes()
                .into_iter()
                .map(|code| (code.number, format!("{code}: {}", code.title))),
        )),
    }
}

/// That there is no such code, and the three whose numbers are nearest.
fn unknown(code: &str, number: u16, known: impl Iterator<Item = (u16, String)>) -> String {
    let mut known: Vec<(u16, String)> = known.collect();
    known.sort_by_key(|(other, _)| other.abs_diff(number));
    known.truncate(3);
    known.sort();
    let near: Vec<String> = known.into_iter().map(|(_, text)| format!("  {text}")).collect();
    format!("there is no {code}; the nearest are\n{}", near.join("\n"))
}

fn of_compiler(code: &Code, examples: &BTreeMap<u16, Example>) -> String {
    let mut text = format!("{code}: {}\n\n{}\n", code.title, wrapped(code.explanation));
    if let Some(Example { path, message }) = examples.get(&code.number) {
        text += &format!("\nFor example ({path}):\n\n{message}\n");
    }
    text
}

/// `text` in lines of at most 100 characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len().saturating_sub(1);
        let line = &mut lines[last];
        if !line.is_empty() && line.chars().count() + word.chars().count() >= 100 {
            lines.push(word.to_string());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

fn list(rules: &[Rule]) -> String {
    let of_compiler = codes().into_iter().map(|code| format!("{code}   {}", code.title));
    let of_emulator = rules.iter().map(|rule| format!("{}  {}", rule.code, rule.title));
    of_compiler.chain(of_emulator).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Meant, codes, examples, meant, of_compiler, rules};

    #[test]
    fn a_code_is_named_as_messages_have_it_in_any_case_and_by_its_number() {
        let rules = rules().expect("the page is there");
        for word in ["TT0411", "tt0411", "411", "0411"] {
            let Ok(Meant::Compiler(code)) = meant(word, &rules) else {
                panic!("{word}")
            };
            assert_eq!(code.number, 411);
        }
        for word in ["EMU0102", "emu0102", "emu102"] {
            let Ok(Meant::Emulator(rule)) = meant(word, &rules) else {
                panic!("{word}")
            };
            assert_eq!(rule.code, "EMU0102");
            assert!(rule.text.contains("cb_reserve_back waits"), "{}", rule.text);
        }
    }

    #[test]
    fn a_code_that_there_is_not_is_an_error_with_the_nearest() {
        let rules = rules().expect("the page is there");
        let said = |word| meant(word, &rules).err().unwrap_or_default();
        assert!(
            said("TT0409").contains("TT0410: a block is read before it is written"),
            "{}",
            said("TT0409")
        );
        assert!(said("EMU0118").contains("EMU0115"), "{}", said("EMU0118"));
        assert!(said("grid").contains("`grid` is no code"), "{}", said("grid"));
    }

    #[test]
    fn every_code_but_that_of_a_fault_of_the_compiler_is_explained_with_an_example() {
        let examples = examples().expect("the cases are there");
        let without = codes().into_iter().filter(|code| !examples.contains_key(&code.number));
        let without: Vec<u16> = without.map(|code| code.number).collect();
        assert_eq!(without, [tt_backend::codes::UNPROVED.number]);
        let text = of_compiler(&tt_backend::codes::READ_BEFORE_WRITE, &examples);
        assert!(text.contains("Write the block before"), "{text}");
        assert!(text.contains("error: TT0410: "), "{text}");
        assert!(!text.contains("about TT"), "{text}");
    }

    #[test]
    fn every_rule_of_the_emulator_has_a_title_and_a_text() {
        for rule in rules().expect("the page is there") {
            assert!(!rule.title.is_empty() && rule.text.lines().count() > 3, "{}", rule.code);
        }
    }
}
