//! C++ of the enumerations that cross between Rust and C++, from their one definition in `src/abi`.

use crate::arch::{MAX_CIRCULAR_BUFFERS, MAX_RUNTIME_ARGS};
use crate::data_format::DataFormat;

/// An enumeration, as its definition has it.
struct Enumeration {
    /// Namespace and head of the type of the device headers, where they have one.
    device: &'static [(&'static str, &'static str)],
    /// The type of the host headers, where they have one.
    host: &'static [&'static str],
    /// Metalium's names with their numbers; last those that the engine does not know.
    rows: Vec<(&'static str, u32)>,
}

/// Makes values of a definition. It is what `enumerations!` of `src/enumerations.rs` makes types of.
macro_rules! enumerations {
    ($(
        $(#[$doc:meta])*
        enumeration $name:ident $(device $space:literal $head:literal)? $(host $host:literal)? {
            $($(#[$row:meta])* $variant:ident: $metalium:ident = $number:literal,)*
        } $(others { $($other:ident = $other_number:literal,)* })?
    )*) => {
        vec![$(Enumeration {
            device: &[$(($space, $head))?],
            host: &[$($host)?],
            rows: vec![
                $((stringify!($metalium), $number),)*
                $($((stringify!($other), $other_number),)*)?
            ],
        }),*]
    };
}

fn all() -> Vec<Enumeration> {
    let mut all: Vec<Enumeration> = include!("../src/abi/program_enumerations.rs");
    let compute: Vec<Enumeration> = include!("../src/abi/compute_enumerations.rs");
    all.extend(compute);
    all
}

const HEAD: &str =
    "// Made by the build script of the enumerations of src/abi.\n#pragma once\n\n#include <cstdint>\n\n";

/// A device header: the enumerations of a namespace, or those outside of any.
pub fn device_header(namespace: &str) -> String {
    let types: String = all().iter().filter_map(|of| of.declaration(namespace)).collect();
    match namespace {
        "" => format!("{HEAD}{types}"),
        _ => format!("{HEAD}namespace {namespace} {{\n\n{types}\n}}  // namespace {namespace}\n"),
    }
}

/// What holds the host headers, which have Metalium's own text, to the numbers and sizes that the engine has.
pub fn host_checks() -> String {
    let numbers = all().into_iter().flat_map(|of| of.assertions());
    let figures = [
        equal("tt::tt_metal::max_runtime_args", MAX_RUNTIME_ARGS),
        equal("NUM_CIRCULAR_BUFFERS", MAX_CIRCULAR_BUFFERS),
    ];
    let sizes = formats().map(|(name, format)| {
        let size = format!("tt::tile_size(tt::DataFormat::{name})");
        equal(&size, format.tile_bytes(32, 32))
    });
    let checks: String = numbers.chain(figures).chain(sizes).collect();
    format!("// Made by the build script of what src has.\n#pragma once\n\n{checks}")
}

/// The formats that the engine has, by Metalium's names.
fn formats() -> impl Iterator<Item = (&'static str, DataFormat)> {
    let of_formats = |of: &Enumeration| of.host.contains(&"tt::DataFormat");
    let rows = all().into_iter().filter(of_formats).flat_map(|of| of.rows);
    rows.filter_map(|(name, number)| Some((name, DataFormat::from_id(number)?)))
}

fn equal(expression: &str, value: usize) -> String {
    format!("static_assert({expression} == {value}, \"the engine has {value}\");\n")
}

impl Enumeration {
    /// The type that the device headers have in a namespace.
    fn declaration(&self, namespace: &str) -> Option<String> {
        let (_, head) = self.device.iter().find(|(space, _)| *space == namespace)?;
        let rows = self.rows.iter().map(|(name, number)| format!("{name} = {number}"));
        Some(format!("{head} {{ {} }};\n", rows.collect::<Vec<_>>().join(", ")))
    }

    fn assertions(self) -> impl Iterator<Item = String> {
        let Enumeration { host, rows, .. } = self;
        host.iter().flat_map(move |of| {
            let check = move |&(name, number): &(&str, u32)| {
                equal(&format!("static_cast<uint32_t>({of}::{name})"), number as usize)
            };
            rows.iter().map(check).collect::<Vec<_>>()
        })
    }
}
