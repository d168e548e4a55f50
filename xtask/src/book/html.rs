//! The book as HTML: mdBook, which builds it, and the links in what it gives.

use crate::project;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What builds the book.
const MDBOOK: &str = "0.5.4";

/// Builds target/book, and looks after its links.
pub fn built() -> Result<(), String> {
    let tools = project::target().join("tools");
    let mdbook = tools.join("bin/mdbook");
    if !is_there(&mdbook) {
        println!("mdBook {MDBOOK} is installed into {}", tools.display());
        // Without optimisation: building it takes longer than it ever runs.
        let install = project::cargo()
            .args([
                "install",
                "mdbook",
                "--version",
                MDBOOK,
                "--locked",
                "--no-default-features",
            ])
            .args(["--debug", "--quiet", "--root"])
            .arg(&tools)
            .arg("--target-dir")
            .arg(tools.join("target"))
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .status();
        succeeded("cargo install mdbook", install)?;
    }
    let book = project::target().join("book");
    let status = Command::new(&mdbook)
        .arg("build")
        .arg(project::root().join("book"))
        .arg("--dest-dir")
        .arg(&book)
        .status();
    succeeded("mdbook build", status)?;
    let (pages, links) = links_lead_somewhere(&book)?;
    println!("{pages} pages in {}, {links} links", book.join("index.html").display());
    Ok(())
}

fn is_there(mdbook: &Path) -> bool {
    let version = Command::new(mdbook).arg("--version").output();
    version.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).trim().ends_with(MDBOOK))
}

fn succeeded(what: &str, status: std::io::Result<std::process::ExitStatus>) -> Result<(), String> {
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{what}` ended with {status}")),
        Err(error) => Err(format!("cannot start `{what}`: {error}")),
    }
}

/// Follows every link of the pages in `book` to a file and a place there; gives back how many pages and links there are.
fn links_lead_somewhere(book: &Path) -> Result<(usize, usize), String> {
    let entries = std::fs::read_dir(book).map_err(|error| format!("cannot read {}: {error}", book.display()))?;
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".html") && name != "404.html" {
            let text =
                std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            pages.insert(name, text);
        }
    }
    let places: BTreeMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|(name, text)| (name.as_str(), values(text, " id=\"").collect()))
        .collect();
    let mut count = 0;
    let mut wrong = BTreeSet::new();
    for (page, text) in &pages {
        for link in values(text, " href=\"").chain(values(text, " src=\"")) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { page } else { file };
            let leads = match places.get(file) {
                Some(places) => place.is_empty() || places.contains(place),
                None => book.join(file).is_file(),
            };
            if !leads {
                wrong.insert(format!("{page}: {link}"));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok((pages.len(), count)),
        false => Err(format!(
            "links that lead nowhere:\n{}",
            wrong.into_iter().collect::<Vec<_>>().join("\n")
        )),
    }
}

/// What stands between `mark` and the next quote.
fn values<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(mark).skip(1).filter_map(|rest| rest.split('"').next())
}
