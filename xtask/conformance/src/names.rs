//! `cargo xtask conformance names`: the names that headers keep for themselves, which the compiler gives to nothing else.
//!
//! A variable of a kernel may hide what the headers declare, unless the emitted file calls it; a macro it may not, and
//! what an emitted file declares outside of functions (`cb_..`) must be nobody's. So the table has every macro that a
//! kernel or a host program sees, and of the declarations at file scope those that look like ours. Left out are names
//! that the compiler never gives (with two underscores, or one in front) and the fields of registers, which a rule of
//! `tt_backend` keeps by their ends.

use crate::fetch::{Cache, Machine, headers};
use clap::Args;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use tt_build::device::CHIPS;
use xtask::project;

/// Writes tt-backend/src/names/headers.txt: names of the device and host headers that the compiler must not give
///
/// Reads the headers of ttnn 0.81.1, those of the emulator, and what the C++ compiler of this machine predefines.
#[derive(Args)]
pub struct Arguments {
    /// An unpacked `ttnn` package, instead of the pinned wheel
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Write nothing; fail where a name is missing
    #[arg(long)]
    check: bool,
}

/// The table, from the root of the project.
const TABLE: &str = "tt-backend/src/names/headers.txt";
/// Where a package has headers that kernels include.
const DEVICE: [&str; 3] = ["tt_metal/hw", "tt_metal/hostdevcommon", "tt_metal/tt-llk"];
/// Where the emulator has them.
const EMULATOR: &str = "tt-emulator/device/include";
/// Folders of chips that nothing is compiled for.
const OTHER_CHIPS: [&str; 2] = ["tt_llk_quasar", "tt-2xx"];
/// Fields of registers: `tt_backend::names` keeps all names that end so.
const REGISTER_FIELDS: [&str; 4] = ["_ADDR32", "_MASK", "_RMW", "_SHAMT"];
/// What the runtime's JIT defines for a kernel, besides the macros of a chip.
const JIT: &str = "APPROX COMPILE_FOR_BRISC COMPILE_FOR_NCRISC COMPILE_FOR_TRISC DISABLE_SFPLOADMACRO DST_ACCUM_MODE \
    DST_SYNC_MODE FW_BUILD INP_FLOAT32 KERNEL_BUILD KERNEL_COMPILE_TIME_ARGS KERNEL_COMPILE_TIME_ARG_MAP LOCAL_MEM_EN \
    MATH_FIDELITY NAMESPACE NOC_INDEX NOC_MODE PROCESSOR_INDEX PROGRAMMABLE_CORE_TYPE TENSIX_FIRMWARE TRISC_MATH TRISC_PACK \
    TRISC_UNPACK UCK_CHLKC_MATH UCK_CHLKC_PACK UCK_CHLKC_UNPACK rvtt_l1_ptr rvtt_reg_ptr";
/// Standard headers of kernels and of host programs.
const STANDARD: &str = "#include <algorithm>\n#include <array>\n#include <atomic>\n#include <bit>\n#include <cinttypes>\n\
    #include <climits>\n#include <cmath>\n#include <compare>\n#include <concepts>\n#include <cstddef>\n#include <cstdint>\n\
    #include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <exception>\n#include <filesystem>\n#include <limits>\n\
    #include <map>\n#include <memory>\n#include <new>\n#include <optional>\n#include <stdexcept>\n#include <string>\n\
    #include <tuple>\n#include <type_traits>\n#include <utility>\n#include <variant>\n#include <vector>\n";

/// Runs the check; an error says what it found.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let table = project::root().join(TABLE);
    let old = known(&table);
    let root = match arguments.root.clone() {
        Some(root) => root,
        None => headers(&Cache::of_user()?, &Machine)?,
    };
    let mut names = predefined()?;
    names.extend(JIT.split_whitespace().map(str::to_string));
    let defines = CHIPS.iter().flat_map(|chip| chip.defines);
    names.extend(defines.filter_map(|define| words(define).next()).map(str::to_string));
    names.extend(below(&project::root().join(EMULATOR))?);
    for folder in DEVICE {
        names.extend(below(&root.join(folder))?);
    }
    let missing: Vec<&String> = names.difference(&old).collect();
    if arguments.check {
        return match missing.as_slice() {
            [] => Ok(()),
            missing => Err(format!(
                "{} names are missing in {TABLE}, {} first: run `cargo xtask conformance names`",
                missing.len(),
                missing[0]
            )),
        };
    }
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    project::write(&table, text)?;
    println!("{} names, {} of them new", names.len(), missing.len());
    Ok(())
}

/// The names that the table has.
fn known(table: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(table).unwrap_or_default();
    text.lines().map(str::to_string).collect()
}

/// The macros of the C++ compiler of this machine and of the standard headers.
fn predefined() -> Result<BTreeSet<String>, String> {
    let source = project::target().join("conformance/names/standard.cpp");
    project::write(&source, STANDARD)?;
    let output = Command::new("c++")
        .args(["-std=gnu++20", "-dM", "-E"])
        .arg(&source)
        .output()
        .map_err(|error| format!("c++ does not run: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(of_header(&String::from_utf8_lossy(&output.stdout)))
}

/// The names of all headers below `folder`.
fn below(folder: &Path) -> Result<BTreeSet<String>, String> {
    let mut names = BTreeSet::new();
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !OTHER_CHIPS.contains(&name.as_str()) {
            names.extend(below(&path)?);
        } else if [".h", ".hpp", ".inc"].iter().any(|end| name.ends_with(end)) {
            let bytes = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            names.extend(of_header(&String::from_utf8_lossy(&bytes)));
        }
    }
    Ok(names)
}

/// The names in the text of a header that the table has.
fn of_header(text: &str) -> BTreeSet<String> {
    let text = without_comments(&text.replace("\\\n", " "));
    let mut names = BTreeSet::new();
    let mut code = String::new();
    for line in text.lines() {
        match line.trim_start().strip_prefix('#') {
            Some(directive) => {
                if let Some(rest) = directive.trim_start().strip_prefix("define") {
                    names.extend(words(rest).next().map(str::to_string));
                }
            }
            None => {
                code.push_str(line);
                code.push('\n');
            }
        }
    }
    names.extend(declared(&code).into_iter().filter(|name| looks_like_ours(name)));
    names.retain(|name| {
        !name.starts_with('_') && !name.contains("__") && !REGISTER_FIELDS.iter().any(|end| name.ends_with(end))
    });
    names
}

/// Whether the compiler gives such names to what it declares outside of functions.
fn looks_like_ours(name: &str) -> bool {
    name.starts_with("cb_") || name.ends_with("_page_bytes")
}

/// The words outside of braces that are no namespace's, and outside of parentheses.
fn declared(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open: Vec<bool> = Vec::new();
    let (mut parentheses, mut transparent) = (0_usize, false);
    let mut rest = code;
    while let Some(letter) = rest.chars().next() {
        let length = word_length(rest);
        if length > 0 {
            let word = &rest[..length];
            transparent |= matches!(word, "namespace" | "extern");
            if parentheses == 0 && open.iter().all(|transparent| *transparent) {
                names.insert(word.to_string());
            }
            rest = &rest[length..];
            continue;
        }
        match letter {
            '{' => open.push(std::mem::take(&mut transparent)),
            '}' => drop(open.pop()),
            '(' | '[' => parentheses = parentheses.saturating_add(1),
            ')' | ']' => parentheses = parentheses.saturating_sub(1),
            ';' => transparent = false,
            _ => {}
        }
        rest = &rest[letter.len_utf8()..];
    }
    names
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !in_word(c)).filter(|word| !word.is_empty())
}

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !in_word(c)).unwrap_or(text.len())
}

/// `text` without comments and without what stands in quotes.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let skipped = match letter {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c: char| {
                    let ends = c == '\n' || (c == '"' && !escaped);
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |end| end + 2)
            }
            _ => {
                out.push(letter);
                rest = &rest[letter.len_utf8()..];
                continue;
            }
        };
        out.push(' ');
        rest = &rest[skipped..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_and_declarations_at_file_scope_are_found() {
        let text = "#pragma once\n  # define ALWI inline // not THIS\n#define TTI_NOP(a) \\\n  (cb_in_macro)\n\
            namespace ckernel {\ninline void cb_wait_front(int cb_id) { int cb_local; }\n}\n\
            extern \"C\" {\nextern int cb_interface[\"#define NOT\"];\n}\n\
            struct S { int cb_member; };\n/* int cb_comment; */ uint32_t x_page_bytes = 2;\n#define _OURS 1\n#define A_RMW 2\n";
        let names = of_header(text);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(
            names,
            ["ALWI", "TTI_NOP", "cb_interface", "cb_wait_front", "x_page_bytes"]
        );
    }

    /// The wheel is not here to be read, but the emulator's headers are, and what they add must be in the table.
    #[test]
    fn the_table_has_every_name_of_the_emulators_headers() {
        let table = known(&project::root().join(TABLE));
        let names = below(&project::root().join(EMULATOR)).unwrap();
        assert!(names.contains("ALWI") && names.contains("cb_wait_front"), "{names:?}");
        let missing: Vec<&String> = names.difference(&table).collect();
        assert!(missing.is_empty(), "run `cargo xtask conformance names`: {missing:?}");
    }
}
