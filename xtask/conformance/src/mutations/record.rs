//! What became of the mutants: kept between runs, and the table in docs/mutations.md.

use super::kernels::SAMPLES;
use super::mutant::{Mutant, Part};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xtask::project;

/// Who noticed a mutant, and what they said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// How many of the kernels are written otherwise.
    pub changed: usize,
    /// The real device headers.
    pub headers: Option<String>,
    /// What the headers were asked about, as a number: they say the same of the same again.
    pub asked: String,
    /// The emulator, with the kernel it was seen in.
    pub emulator: Option<String>,
    /// The compiler's own verifier.
    pub verifier: Option<String>,
    /// The code writer, where it writes nothing at all.
    pub refused: Option<String>,
}

impl Verdict {
    /// Whether headers or emulator noticed. A mutant with which nothing is written breaks nothing that is emitted.
    pub fn caught(&self) -> bool {
        self.headers.is_some() || self.emulator.is_some()
    }

    /// The cells of headers, emulator and verifier; where nothing was written, the middle one says why.
    fn cells(&self) -> [String; 3] {
        let cell = |text: &Option<String>| text.as_deref().map_or("–".to_string(), escaped);
        match &self.refused {
            Some(reason) => ["".into(), format!("nothing is written: {}", escaped(reason)), "".into()],
            None => [cell(&self.headers), cell(&self.emulator), cell(&self.verifier)],
        }
    }
}

/// Text that may stand in a cell of a table; long messages are cut.
fn escaped(text: &str) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = text.chars().take(110).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut.replace('|', "\\|").replace('<', "&lt;")
}

/// The verdicts of earlier runs, by mutant, each with the state of the sources it was found in.
pub struct Record {
    path: PathBuf,
    verdicts: BTreeMap<String, (String, Verdict)>,
}

const FIELDS: [&str; 4] = ["headers", "emulator", "verifier", "refused"];

impl Record {
    /// Reads what an earlier run left in `folder`; nothing is fine.
    pub fn open(folder: &Path) -> Record {
        let path = folder.join("record.json");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let stored: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap_or_default();
        let verdicts = stored.into_iter().map(|(name, value)| {
            let [headers, emulator, verifier, refused] = FIELDS.map(|field| value[field].as_str().map(str::to_string));
            let changed = value["changed"].as_u64().unwrap_or_default() as usize;
            let verdict = Verdict {
                changed,
                asked: value["asked"].as_str().unwrap_or_default().to_string(),
                headers,
                emulator,
                verifier,
                refused,
            };
            (name, (value["key"].as_str().unwrap_or_default().to_string(), verdict))
        });
        Record {
            path,
            verdicts: verdicts.collect(),
        }
    }

    /// What was found of `mutant`; `key` says under which circumstances, and none takes any.
    pub fn get(&self, mutant: &Mutant, key: Option<&str>) -> Option<&Verdict> {
        let (found, verdict) = self.verdicts.get(mutant.name)?;
        key.is_none_or(|key| key == found).then_some(verdict)
    }

    /// Keeps a verdict.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn put(&mut self, mutant: &Mutant, key: &str, verdict: Verdict) -> Result<(), String> {
        self.verdicts
            .insert(mutant.name.to_string(), (key.to_string(), verdict));
        let stored: BTreeMap<&String, Value> = self
            .verdicts
            .iter()
            .map(|(name, (key, verdict))| {
                let Verdict {
                    changed,
                    headers,
                    asked,
                    emulator,
                    verifier,
                    refused,
                } = verdict;
                let value = json!({
                    "key": key, "changed": changed, "headers": headers, "asked": asked, "emulator": emulator,
                    "verifier": verifier, "refused": refused,
                });
                (name, value)
            })
            .collect();
        let text = serde_json::to_string_pretty(&stored).map_err(|error| error.to_string())?;
        project::write(&self.path, text)
    }
}

/// The first cells of a mutant's row, which say what it is.
fn beginning(mutant: &Mutant) -> String {
    format!("| `{}` | {} | `{}` |", mutant.name, escaped(mutant.breaks), mutant.file)
}

/// The page, from the verdicts on all mutants.
pub fn page(judged: &[(&Mutant, &Verdict)], kernels: &str) -> String {
    let total = judged.len();
    let count = |test: fn(&Verdict) -> bool| judged.iter().filter(|(_, verdict)| test(verdict)).count();
    let mut text = format!(
        "# Mutants of the compiler\n\n\
         Written by `cargo xtask conformance mutations`; do not edit.\n\n\
         Each row is one edit of the compiler's sources that breaks what it emits (`xtask/conformance/src/mutations/`). The\n\
         compiler is built with it in a copy of the workspace, without its verifier, and what it then makes of the kernels\n\
         listed in `kernels.rs` there is compiled for every RISC of both chips against the device headers of\n\
         ttnn 0.81.1, and run on the emulator and compared with the reference interpreter. Either must notice. The\n\
         verifier, which in a real compilation refuses such kernels first, has a column of its own.\n\n\
         {total} mutants: the emulator notices {}, the headers {}, the verifier {}. {} are noticed by neither headers nor\n\
         emulator.\n\n{}\n",
        count(|verdict| verdict.emulator.is_some()),
        count(|verdict| verdict.headers.is_some()),
        count(|verdict| verdict.verifier.is_some()),
        count(|verdict| !verdict.caught()),
        seal(&judged.iter().map(|(mutant, _)| *mutant).collect::<Vec<_>>(), kernels),
    );
    for part in Part::ALL {
        let rows: Vec<_> = judged.iter().filter(|(mutant, _)| mutant.part == part).collect();
        if rows.is_empty() {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "\n## {}\n\n| mutant | what it breaks | file | headers | emulator | verifier |\n|---|---|---|---|---|---|",
            part.title()
        );
        for (mutant, verdict) in rows {
            let [headers, emulator, verifier] = verdict.cells();
            let _ = writeln!(text, "{} {headers} | {emulator} | {verifier} |", beginning(mutant));
        }
    }
    text
}

/// A line that changes with the edits, with the sources of the kernels that they are judged on and with what those are
/// run on.
fn seal(mutants: &[&Mutant], kernels: &str) -> String {
    let edits = mutants.iter().map(|mutant| format!("{mutant:?}"));
    let samples = SAMPLES.iter().map(|sample| format!("{sample:?}"));
    let text: Vec<String> = edits.chain(samples).chain([kernels.to_owned()]).collect();
    format!("Edits and kernels: {:016x}.", super::digest(text.join("\0").as_bytes()))
}

/// Whether `page` was made for these mutants as they are now, has a row for exactly them, and none that nobody noticed.
///
/// # Errors
/// What is missing, too many, out of date, or not noticed.
pub fn check(page: &str, mutants: &[&Mutant], kernels: &str) -> Result<(), String> {
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let mut wrong = Vec::new();
    for mutant in mutants {
        let beginning = beginning(mutant);
        match rows.iter().find_map(|row| row.strip_prefix(beginning.as_str())) {
            None => wrong.push(format!("no row for `{}` as it is now", mutant.name)),
            // The cells of headers and emulator.
            Some(rest) if rest.starts_with(" – | – |") => wrong.push(format!("nobody notices `{}`", mutant.name)),
            Some(rest) if rest.starts_with("  | nothing is written") => {
                wrong.push(format!("nothing is emitted with `{}`", mutant.name));
            }
            Some(_) => {}
        }
    }
    if rows.len() != mutants.len() {
        wrong.push(format!("{} rows for {} mutants", rows.len(), mutants.len()));
    }
    let seal = seal(mutants, kernels);
    if !page.lines().any(|line| line == seal) {
        wrong.push("an edit, or a kernel that mutants are judged on, has changed since the table was made".into());
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "docs/mutations.md is not up to date; run `cargo xtask conformance mutations`:\n{}",
            wrong.join("\n")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MUTANT: Mutant = Mutant {
        name: "no_wait",
        part: Part::Writer,
        breaks: "nothing waits",
        file: "passes/d3.rs",
        find: "wait",
        replace: "",
    };

    const KERNELS: &str = "fn kernel() {}";

    fn table(verdict: Verdict) -> String {
        page(&[(&MUTANT, &verdict)], KERNELS)
    }

    fn noticed() -> Verdict {
        Verdict {
            emulator: Some("EMU0111".into()),
            ..Verdict::default()
        }
    }

    #[test]
    fn a_table_of_mutants_that_are_noticed_is_good() {
        assert_eq!(check(&table(noticed()), &[&MUTANT], KERNELS), Ok(()));
        let by_headers = Verdict {
            headers: Some("no such function".into()),
            ..Verdict::default()
        };
        assert_eq!(check(&table(by_headers), &[&MUTANT], KERNELS), Ok(()));
    }

    #[test]
    fn a_survivor_is_not() {
        let seen_by_the_verifier = Verdict {
            verifier: Some("not written".into()),
            ..Verdict::default()
        };
        for survivor in [Verdict::default(), seen_by_the_verifier] {
            let error = check(&table(survivor), &[&MUTANT], KERNELS).expect_err("a survivor");
            assert!(error.contains("nobody notices `no_wait`"), "{error}");
        }
        let nothing = Verdict {
            refused: Some("no name".into()),
            ..Verdict::default()
        };
        assert!(check(&table(nothing), &[&MUTANT], KERNELS).is_err());
    }

    #[test]
    fn a_table_of_other_edits_is_stale() {
        let edited = Mutant {
            replace: "wait again",
            ..MUTANT
        };
        let error = check(&table(noticed()), &[&edited], KERNELS).expect_err("an edit that was not judged");
        assert!(error.contains("has changed since"), "{error}");
        assert!(check(&table(noticed()), &[&MUTANT], "fn other() {}").is_err());
        assert!(check(&table(noticed()), &[], KERNELS).is_err());
        assert!(check(&table(noticed()), &[&MUTANT, &edited], KERNELS).is_err());
    }

    #[test]
    fn an_edit_applies_exactly_once() {
        assert_eq!(MUTANT.apply("a wait b"), Ok("a  b".into()));
        assert!(MUTANT.apply("a b").is_err());
        assert!(MUTANT.apply("wait wait").is_err());
    }
}
