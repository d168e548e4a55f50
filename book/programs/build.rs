//! Makes modules of the programs that the pages show.

#[path = "blocks.rs"]
mod blocks;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let book = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=programs");
    let mut modules = String::new();
    let mut list = String::new();
    for page in blocks::pages(&book.join("src"))? {
        for block in blocks::blocks(&page.text).iter().filter(|block| block.is_program()) {
            let name = block.name();
            // Lines count from where the page shows the first.
            let source = format!("{}\npub fn run() -> tt::Result<()> {{ main() }}\n", block.text);
            write_where_it_differs(&out.join(format!("{name}.rs")), &source)?;
            // Writing to a `String` cannot fail.
            let _ = writeln!(modules, "#[path = {:?}]\nmod {name};", out.join(format!("{name}.rs")));
            let _ = writeln!(list, "    ({name:?}, {name}::run),");
        }
    }
    let text = format!("{modules}\nconst PROGRAMS: &[(&str, Run)] = &[\n{list}];\n");
    write_where_it_differs(&out.join("programs.rs"), &text)
}

fn write_where_it_differs(path: &Path, text: &str) -> io::Result<()> {
    match fs::read_to_string(path) {
        Ok(old) if old == text => Ok(()),
        _ => fs::write(path, text),
    }
}
