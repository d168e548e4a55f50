//! C++ of the plain calls of the SFPU, from their rows in `src/compute/sfpu/operations.rs`.

use std::collections::BTreeSet;

/// A call and its init, as their row declares them.
struct Call {
    name: &'static str,
    init: &'static str,
    /// Whether the call, and its init, may be told the width of the destination registers.
    width: [bool; 2],
    /// `One` or `Two`: the registers that it reads.
    registers: &'static str,
    /// Its parameters behind the register.
    words: Vec<&'static str>,
}

macro_rules! operations {
    ($($header:tt [$(
        $name:literal $(<$call_width:ident>)? $(($($word:ident),*))?,
        $init:literal $(<$init_width:ident>)?,
        $kind:ident $(($compute:path))? $(as $stores:ident)?;
    )*])*) => {
        vec![$((stringify!($header).trim_matches('"'), vec![$(Call {
            name: $name,
            init: $init,
            width: [!concat!($(stringify!($call_width))?).is_empty(), !concat!($(stringify!($init_width))?).is_empty()],
            registers: stringify!($kind),
            words: vec![$($(stringify!($word)),*)?],
        }),*])),*]
    };
}

/// Every header that has plain calls, below `api/compute`, and their C++.
pub fn plain_calls() -> Vec<(&'static str, String)> {
    let headers: Vec<(&str, Vec<Call>)> = include!("../src/compute/sfpu/operations.rs");
    headers
        .into_iter()
        .filter(|(header, _)| *header != "by_hand")
        .map(|(header, calls)| (header, text(&calls)))
        .collect()
}

fn text(calls: &[Call]) -> String {
    let mut inits = BTreeSet::new();
    let functions: String = calls
        .iter()
        .flat_map(|call| {
            let init = inits
                .insert(call.init)
                .then(|| function(call.init, call.width[1], "init", &[], &[]));
            let registers: (&str, &[&str]) = match call.registers {
                "One" => ("unary", &["idst"]),
                _ => ("binary", &["idst0", "idst1", "odst"]),
            };
            let declared = function(call.name, call.width[0], registers.0, registers.1, &call.words);
            init.into_iter().chain([declared])
        })
        .collect();
    format!(
        "// Made by the build script of src/compute/sfpu/operations.rs.\n#pragma once\n\n\
         #include \"api/compute/common_globals.h\"\n\nnamespace ckernel {{\n\n{functions}}}  // namespace ckernel\n"
    )
}

/// A function that hands its arguments on to `sfpu_<kind>`.
fn function(name: &str, width: bool, kind: &str, registers: &[&str], words: &[&str]) -> String {
    let template = if width { "template <TT_WIDTH>\n" } else { "" };
    let parameters: String = [registers, words]
        .concat()
        .iter()
        .map(|name| format!("uint32_t {name}, "))
        .collect();
    let arguments = [registers, &["line"], words].concat().join(", ");
    format!(
        "{template}ALWI void {name}({parameters}TT_CALLER_LINE) {{\n    \
         tt_emulator::sfpu_{kind}(TT_NAME(\"{name}\"), {arguments});\n}}\n\n"
    )
}
