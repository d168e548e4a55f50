//! C++ of the enumerations and figures that cross between Rust and C++, from their one definition in `src`.

use std::fmt::Write as _;

use crate::arch::{self, Arch, ArchName};
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
        equal("tt::tt_metal::max_runtime_args", arch::MAX_RUNTIME_ARGS),
        equal("NUM_CIRCULAR_BUFFERS", arch::MAX_CIRCULAR_BUFFERS),
        equal("tt::tt_metal::NOC_0", 0),
        equal("tt::tt_metal::NOC_1", arch::NOCS - 1),
    ];
    let size = |(name, format): (&str, DataFormat)| {
        equal(
            &format!("tt::tile_size(tt::DataFormat::{name})"),
            format.tile_bytes(32, 32),
        )
    };
    let sizes = formats().map(size);
    let checks: String = numbers.chain(figures).chain(sizes).collect();
    format!("// Made by the build script of what src has.\n#pragma once\n\n{checks}")
}

/// Formats that Metalium's older generators of addresses take for others.
const WITHOUT_STRIDE: [DataFormat; 4] = [
    DataFormat::Tf32,
    DataFormat::Lf8,
    DataFormat::Fp8_e4m3,
    DataFormat::Int8,
];

/// What holds the strides of the older generators of addresses, which have Metalium's own text, to the sizes of tiles.
pub fn stride_checks() -> String {
    let formats = formats().filter(|(_, format)| !WITHOUT_STRIDE.contains(format));
    let check = |(name, format): (&str, DataFormat)| {
        let of_tile = |(rows, columns)| {
            let elements = rows * columns;
            let stride = format!("MUL_WITH_TILE_SIZE<{elements}>(static_cast<uint32_t>(DataFormat::{name}), 1)");
            equal(&stride, format.tile_bytes(rows, columns))
        };
        [(32, 32), (16, 32), (16, 16)].map(of_tile).concat()
    };
    format!("{FIGURES_HEAD}{}", formats.map(check).collect::<String>())
}

const FIGURES_HEAD: &str =
    "// Made by the build script of src/arch.rs and src/data_format.rs.\n#pragma once\n\n#include <cstdint>\n\n";

/// A device header: figures of NoC addresses and of the chip that a kernel is compiled for.
pub fn figures() -> String {
    let mut text = String::from(FIGURES_HEAD);
    for (name, value) in [
        ("NOC_ADDR_LOCAL_BITS", arch::NOC_LOCAL_BITS as usize),
        ("NOC_ADDR_NODE_ID_BITS", arch::NOC_COORDINATE_BITS as usize),
        ("NUM_NOCS", arch::NOCS),
        ("MEM_ZEROS_BASE", arch::MEM_ZEROS_BASE),
        ("MEM_ZEROS_SIZE", arch::MEM_ZEROS_BYTES),
        ("TT_EMULATOR_L1_SLOT_BYTES", arch::L1_SLOT_BYTES),
    ] {
        constant(&mut text, name, value);
    }
    for chip in ArchName::ALL.map(Arch::of) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n#if defined({})", chip.define);
        figures_of(&mut text, chip);
        text.push_str("#endif\n");
    }
    text
}

fn figures_of(text: &mut String, chip: &Arch) {
    for (name, value) in [
        ("NOC_MAX_BURST_SIZE", chip.noc_max_burst_bytes),
        ("NUM_CIRCULAR_BUFFERS", chip.circular_buffers),
        ("NUM_DRAM_BANKS", chip.dram_banks),
        ("L1_ALIGNMENT", chip.l1_alignment),
        ("TT_EMULATOR_DRAM_READ_ALIGNMENT", chip.dram_read_alignment),
        ("TT_EMULATOR_DRAM_WRITE_ALIGNMENT", chip.dram_write_alignment),
        ("TT_EMULATOR_DRAM_X", usize::from(chip.dram_x)),
        ("TT_EMULATOR_WORKER_Y", usize::from(chip.virtual_y0)),
        ("TT_EMULATOR_COLUMNS", chip.grid.0),
    ] {
        constant(text, name, value);
    }
    let columns: Vec<String> = chip.virtual_x.iter().map(u8::to_string).collect();
    let columns = columns.join(", ");
    let _ = writeln!(
        text,
        "constexpr uint32_t TT_EMULATOR_WORKER_X[TT_EMULATOR_COLUMNS] = {{{columns}}};"
    );
}

fn constant(text: &mut String, name: &str, value: usize) {
    let _ = writeln!(text, "constexpr uint32_t {name} = {value};");
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
