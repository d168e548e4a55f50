//! Names of the emitted code: the user's where they are free, else with a number.

use std::collections::HashSet;

/// Words that a name in a kernel must not be: C++ keywords, what the compiler names itself, and short macros and types of
/// the device headers.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "concept",
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
    "main",
    "kernel_main",
    "block_id",
    "plane_id",
    "start_id",
    "count",
    "band",
    "band_row",
    "rows",
    "within",
    "group_blocks",
    "group_column",
    "columns",
    "rest",
    "first_row",
    "first_column",
    "row",
    "column",
    "tile_row",
    "tile_column",
    "inner",
    "dst",
    "src",
    "filled",
    "edge",
    "tt",
    "ckernel",
    "sfpi",
    "noc",
    "noc_index",
    "ALWI",
    "MATH",
    "PACK",
    "UNPACK",
    "APPROX",
    "DST_FORMAT",
    "DataFormat",
    "TTI",
];

/// Gives out names, each once.
#[derive(Debug, Clone)]
pub struct Names {
    taken: HashSet<String>,
}

impl Default for Names {
    fn default() -> Self {
        Names {
            taken: RESERVED.iter().map(|word| word.to_string()).collect(),
        }
    }
}

impl Names {
    /// `wanted` where it is free and a C++ identifier, else something like it.
    pub fn give(&mut self, wanted: &str) -> String {
        let mut base: String = wanted
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' })
            .collect();
        if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) || base.starts_with('_') {
            base.insert(0, 'v');
        }
        // Double underscores are the implementation's.
        while base.contains("__") {
            base = base.replace("__", "_");
        }
        let mut name = base.clone();
        let mut number = 1;
        while crate::codegen::names::is_reserved(&name) || !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        name
    }
}
