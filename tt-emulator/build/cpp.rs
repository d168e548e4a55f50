//! C++ of the tables that cross between Rust and C++, from their one definition in `src/abi`.

/// Writes the C++ of a definition. It is what `tables!` of `src/tables.rs` makes types of.
macro_rules! tables {
    ($($(#[$doc:meta])* $kind:ident $name:ident $($prefix:literal)? { $($row:tt)* })*) => {
        [$($kind!($name $($prefix)? { $($row)* })),*].concat()
    };
}

macro_rules! functions {
    ($table:ident { $($(#[$row:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)* }) => {
        structure(
            stringify!($table),
            [$(function(
                &format!("(*{})", stringify!($name)),
                &[$((stringify!($argument), stringify!($type))),*],
                concat!($(stringify!($result))?),
            )),*],
        )
    };
}

macro_rules! structure {
    ($name:ident { $($(#[$row:meta])* $field:ident: $type:ty),* $(,)? }) => {
        structure(stringify!($name), [$(variable(stringify!($field), stringify!($type))),*])
    };
}

macro_rules! template {
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        format!("template <typename T>\n{}", structure!($name { $($field: $type),* }))
    };
}

macro_rules! numbers {
    ($module:ident $prefix:literal { $($name:ident = $value:literal),* $(,)? }) => {
        [$(concat!("constexpr uint32_t ", $prefix, stringify!($name), " = ", $value, "u;\n")),*].concat() + "\n"
    };
}

macro_rules! opaque {
    ($name:ident {}) => {
        format!("struct {};\n", named(stringify!($name)))
    };
}

macro_rules! calls {
    ($host:ident { $($(#[$row:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)* }) => {
        exported([$(function(
            stringify!($name),
            &[$((stringify!($argument), stringify!($type))),*],
            concat!($(stringify!($result))?),
        )),*])
    };
}

/// The C++ of what kernels and the engine pass each other.
pub fn kernel_tables() -> String {
    let call: String = include!("../src/abi/vector_call.rs");
    let calls: String = include!("../src/abi/kernel_calls.rs");
    format!("{HEAD}{call}{calls}")
}

/// The C++ of what the host API and the engine pass each other.
pub fn host_tables() -> String {
    let calls: String = include!("../src/abi/host_calls.rs");
    format!("{HEAD}{calls}")
}

const HEAD: &str =
    "// Made by the build script of what src/abi says.\n#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\n";

fn structure(name: &str, members: impl IntoIterator<Item = String>) -> String {
    let members: String = members.into_iter().map(|member| format!("    {member};\n")).collect();
    format!("struct {} {{\n{members}}};\n\n", named(name))
}

/// A declaration of a function, or of a pointer to one.
fn function(name: &str, arguments: &[(&str, &str)], result: &str) -> String {
    let arguments: Vec<String> = arguments.iter().map(|(name, of)| variable(name, of)).collect();
    let result = if result.is_empty() {
        "void".to_owned()
    } else {
        cpp(result)
    };
    format!("{result} {name}({})", arguments.join(", "))
}

fn exported(functions: impl IntoIterator<Item = String>) -> String {
    let functions: String = functions.into_iter().map(|function| format!("{function};\n")).collect();
    format!("extern \"C\" {{\n{functions}}}\n")
}

/// A declaration of a variable of a type in Rust's words.
fn variable(name: &str, of: &str) -> String {
    match of
        .strip_prefix('[')
        .and_then(|array| array.strip_suffix(']'))
        .and_then(|array| array.split_once(';'))
    {
        Some((element, count)) => format!("{} {name}[{}]", cpp(element.trim()), count.trim()),
        None => format!("{} {name}", cpp(of)),
    }
}

/// The type that C++ has for one of Rust's. What has none is left as it is, and no compiler of C++ takes it.
fn cpp(of: &str) -> String {
    let of = of.trim();
    if let Some(to) = of.strip_prefix("*mut ") {
        return format!("{}*", cpp(to));
    }
    let constant = ["*const ", "&'static ", "&"]
        .iter()
        .find_map(|pointer| of.strip_prefix(pointer));
    if let Some(to) = constant {
        return match to.strip_prefix("mut ") {
            Some(to) => format!("{}*", cpp(to)),
            None => format!("const {}*", cpp(to)),
        };
    }
    let inside = |outer: &str| of.strip_prefix(outer).and_then(|inner| inner.strip_suffix('>'));
    if let Some(inner) = inside("Option<") {
        return cpp(inner);
    }
    if let Some(inner) = inside("Box<") {
        return format!("{}*", cpp(inner));
    }
    if let Some(element) = inside("Slice<") {
        return format!("tt_emulator_slice<{}>", cpp(element));
    }
    if let Some(element) = inside("SliceMut<") {
        return format!("tt_emulator_slice_mut<{}>", cpp(element));
    }
    if let Some(element) = inside("Lent<") {
        return format!("tt_emulator_lent<{}>", cpp(element));
    }
    match of {
        "u8" | "u32" | "u64" => format!("uint{}_t", &of[1..]),
        "i32" | "i64" => format!("int{}_t", &of[1..]),
        "bool" | "T" => of.to_owned(),
        "usize" => "std::size_t".to_owned(),
        "c_char" => "char".to_owned(),
        "CText" => "const char*".to_owned(),
        _ => named(of),
    }
}

/// The name in C++ of a structure of ours: `SfpuCall` is `tt_emulator_sfpu_call`.
fn named(name: &str) -> String {
    let words = name.chars().map(|letter| match letter.is_ascii_uppercase() {
        true => format!("_{}", letter.to_ascii_lowercase()),
        false => letter.to_string(),
    });
    format!("tt_emulator{}", words.collect::<String>())
}
