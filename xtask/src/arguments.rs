//! Command lines of chores: one optional operand, options with values, and flags.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;

/// A chore as the command line knows it.
pub struct Chore {
    /// What it is called.
    pub name: &'static str,
    /// What it is given besides options (`DIR`); empty where nothing.
    pub operand: &'static str,
    /// Its options: name without dashes, name of the value (empty for a flag), meaning.
    pub options: &'static [(&'static str, &'static str, &'static str)],
    /// What it does.
    pub about: &'static str,
    /// Does it.
    pub run: fn(&Arguments) -> Result<(), String>,
}

/// A command line as parsed.
#[derive(Debug, Default)]
pub struct Arguments {
    operand: Option<String>,
    options: BTreeMap<String, String>,
}

impl Arguments {
    /// Reads `words` as the command line of `chore`; none where it asks for help.
    pub fn parse(chore: &Chore, words: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
        let mut arguments = Arguments::default();
        let mut words = words;
        while let Some(word) = words.next() {
            if word == "--help" || word == "-h" {
                return Ok(None);
            }
            let Some(option) = word.strip_prefix("--") else {
                if chore.operand.is_empty() || arguments.operand.is_some() {
                    return Err(format!("`{word}` is one argument too many for `{}`", chore.name));
                }
                arguments.operand = Some(word);
                continue;
            };
            let (name, attached) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (option, None),
            };
            let Some((name, value, _)) = chore.options.iter().find(|(known, ..)| *known == name) else {
                return Err(format!(
                    "`{}` has no option `--{name}`; `--help` lists them",
                    chore.name
                ));
            };
            let value = if value.is_empty() {
                if attached.is_some() {
                    return Err(format!("`--{name}` takes no value"));
                }
                String::new()
            } else {
                attached
                    .or_else(|| words.next())
                    .ok_or_else(|| format!("`--{name}` needs a value, {value}"))?
            };
            arguments.options.insert((*name).to_string(), value);
        }
        Ok(Some(arguments))
    }

    /// The operand, which the chore cannot do without.
    pub fn operand(&self, chore: &Chore) -> Result<&str, String> {
        let missing = || format!("`{}` needs {}; `--help` says more", chore.name, chore.operand);
        self.operand.as_deref().ok_or_else(missing)
    }

    /// The value of an option.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }

    /// The value of an option that the chore cannot do without.
    pub fn required(&self, name: &str) -> Result<&str, String> {
        self.option(name).ok_or_else(|| format!("`--{name}` is missing"))
    }

    /// Everything as words again, for another program.
    pub fn words(&self) -> Vec<String> {
        let options = self.options.iter().flat_map(|(name, value)| {
            let value = if value.is_empty() { None } else { Some(value.clone()) };
            [Some(format!("--{name}")), value].into_iter().flatten()
        });
        self.operand.iter().cloned().chain(options).collect()
    }

    /// The words of a comma-separated option; none where it is not given.
    pub fn list(&self, name: &str) -> Option<Vec<String>> {
        let words = self.option(name)?.split(',').map(|word| word.trim().to_string());
        Some(words.filter(|word| !word.is_empty()).collect())
    }
}

/// Runs the chore that `words` name, of those that `program` has.
pub fn dispatch(program: &str, chores: &[Chore], mut words: impl Iterator<Item = String>) -> ExitCode {
    let outcome = match words.next().as_deref() {
        None | Some("--help" | "-h" | "help") => {
            print!("{}", help(program, chores));
            return ExitCode::SUCCESS;
        }
        Some(name) => match chores.iter().find(|chore| chore.name == name) {
            None => Err(format!("there is no `{name}`; `{program} --help` lists what there is")),
            Some(chore) => match Arguments::parse(chore, words) {
                Ok(None) => {
                    print!("{}", chore_help(program, chore));
                    return ExitCode::SUCCESS;
                }
                Ok(Some(arguments)) => (chore.run)(&arguments),
                Err(message) => Err(message),
            },
        },
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{program}: {message}");
            ExitCode::FAILURE
        }
    }
}

/// All chores, one line or two each.
fn help(program: &str, chores: &[Chore]) -> String {
    let mut text = format!("usage: {program} NAME [..]\n\n");
    for chore in chores {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  {:<12} {}",
            chore.name,
            chore.about.lines().next().unwrap_or_default()
        );
    }
    let _ = writeln!(text, "\n`{program} NAME --help` says more.");
    text
}

/// One chore with its options.
fn chore_help(program: &str, chore: &Chore) -> String {
    let mut text = format!(
        "{}\n\nusage: {program} {} {} [options]\n",
        chore.about, chore.name, chore.operand
    );
    for (name, value, about) in chore.options {
        let _ = writeln!(text, "  {:<20} {about}", format!("--{name} {value}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHORE: Chore = Chore {
        name: "chore",
        operand: "DIR",
        options: &[("only", "NAMES", "some"), ("quick", "", "fast")],
        about: "about",
        run: |_| Ok(()),
    };

    fn parse(words: &[&str]) -> Result<Option<Arguments>, String> {
        Arguments::parse(&CHORE, words.iter().map(|word| (*word).to_string()))
    }

    #[test]
    fn options_come_in_both_spellings_and_mistakes_are_named() {
        let arguments = parse(&["dir", "--only=a, b", "--quick"]).unwrap().unwrap();
        assert_eq!(arguments.operand(&CHORE).unwrap(), "dir");
        assert_eq!(arguments.list("only").unwrap(), ["a", "b"]);
        assert_eq!(arguments.words(), ["dir", "--only", "a, b", "--quick"]);
        assert!(parse(&["--help"]).unwrap().is_none());
        for (words, message) in [
            (&["a", "b"][..], "too many"),
            (&["--other"][..], "no option `--other`"),
            (&["--only"][..], "needs a value"),
            (&["--quick=1"][..], "takes no value"),
        ] {
            assert!(parse(words).unwrap_err().contains(message), "{words:?}");
        }
        assert!(
            parse(&[])
                .unwrap()
                .unwrap()
                .operand(&CHORE)
                .unwrap_err()
                .contains("needs DIR")
        );
    }
}
