//! `cargo xtask conformance examples`: upstream's own programming examples, from their sources, on both emulated chips.
//!
//! They are in no wheel: a checkout of tt-metal is named to the chore. Its programs are copied to a scratch folder with the
//! names of 0.81, built against the emulator as a C++ library, and run. Nothing of them is part of this repository.

mod list;
mod names;
mod run;
mod table;

use crate::fetch::{self, Cache, Machine};
use clap::Args;
use list::{EXAMPLES, Example, Outcome};
use std::path::{Path, PathBuf};
use xtask::{library, project};

/// Runs upstream's programming examples on both emulated chips
///
/// Fails where one that is listed as running does not, where one that is listed as stopped runs, and where the checkout has one
/// that is not listed. Takes the headers of the library fmt through apt-get.
#[derive(Args)]
pub struct Arguments {
    /// A checkout of tt-metal, or its tt_metal/programming_examples alone below DIR
    #[arg(long, value_name = "DIR")]
    upstream: PathBuf,
    /// Only examples whose path contains one of these, separated by commas
    #[arg(long, value_name = "TEXTS", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Write docs/upstream-examples.md; without it, fail where that is out of date
    #[arg(long)]
    write: bool,
}

/// Where the examples are in a checkout.
const FOLDER: &str = "tt_metal/programming_examples";

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let is_wanted = |host: &str| {
        let only = arguments.only.as_ref();
        only.is_none_or(|texts| texts.iter().any(|text| host.contains(text)))
    };
    let scratch = project::target().join("conformance/examples");
    let hosts = ported(&arguments.upstream.join(FOLDER), &scratch.join("sources").join(FOLDER))?;
    let mut wrong: Vec<String> = hosts
        .iter()
        .filter(|host| !EXAMPLES.iter().any(|example| example.host == **host))
        .map(|host| format!("{host} is not listed: say in xtask/conformance/src/examples/list.rs what becomes of it"))
        .collect();
    let kit = run::Kit {
        sources: scratch.join("sources"),
        sdk: scratch.join("metalium"),
        fmt: fetch::fmt(&Cache::of_user()?, &Machine)?,
        programs: scratch.join("programs"),
    };
    library::build(&kit.sdk, &["--release"])?;
    let wanted: Vec<&Example> = EXAMPLES.iter().filter(|example| is_wanted(example.host)).collect();
    for example in &wanted {
        let outcome = match &example.outcome {
            Outcome::Outside(_) => Ok("not built".to_owned()),
            // Examples of another age of upstream may not be there.
            _ if !hosts.contains(&example.host.to_owned()) => Err("is not in this checkout".to_owned()),
            _ => kit.check(example),
        };
        println!(
            "{:<75} {}",
            table::title(example),
            outcome.as_deref().unwrap_or("WRONG")
        );
        if let Err(error) = outcome {
            wrong.push(format!("{}: {error}", table::title(example)));
        }
    }
    if !wrong.is_empty() {
        return Err(format!("{} examples are wrong:\n{}", wrong.len(), wrong.join("\n")));
    }
    let page = project::root().join("docs/upstream-examples.md");
    let text = table::page();
    if arguments.write {
        project::write(&page, text)?;
        println!("{} written", page.display());
    } else if std::fs::read_to_string(&page).unwrap_or_default() != text {
        return Err("docs/upstream-examples.md is not up to date; `--write` writes it".into());
    }
    Ok(())
}

/// Copies the examples with the names of 0.81; gives the host programs.
fn ported(from: &Path, to: &Path) -> Result<Vec<String>, String> {
    let mut hosts = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let path = from.join(&folder);
        let entries = std::fs::read_dir(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        for entry in entries {
            let entry = entry.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            let name = folder.join(entry.file_name());
            if entry.path().is_dir() {
                open.push(name);
                continue;
            }
            let extension = name.extension().unwrap_or_default();
            if extension != "cpp" && extension != "hpp" && extension != "h" {
                continue;
            }
            let text = std::fs::read_to_string(entry.path())
                .map_err(|error| format!("cannot read {}: {error}", entry.path().display()))?;
            project::write(&to.join(&name), names::of_0_81(&text))?;
            let is_kernel = folder.iter().any(|part| part == "kernels");
            if extension == "cpp" && !is_kernel {
                hosts.push(name.to_string_lossy().into_owned());
            }
        }
    }
    hosts.sort();
    Ok(hosts)
}
