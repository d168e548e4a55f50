//! The files that the JIT writes for every kernel before it compiles: how the source is included, and tables of formats.
//!
//! Source: the JIT's cache of the runtime of 0.81.1 (`kernels/<name>/<hash>/`); which names the headers read of them is to
//! be seen in `tt_metal/hw/inc` and `tt_metal/hw/ckernels`.

use super::chip::Chip;
use super::formats::{self, RegisterFormats};
use super::kernel::DeviceKernel;
use std::fmt::Write;
use tt_lang::ir::Fidelity;
use tt_plan::{DataFormat, Role};

/// Bytes of a tile in the tables for circular buffers that are not there.
const TILE_BYTES_OF_NOTHING: u32 = DataFormat::Bfp8B.tile_bytes();

/// The files for `kernel` on `chip`, by name.
pub fn files(kernel: &DeviceKernel, chip: &Chip) -> Vec<(&'static str, String)> {
    let mut files = vec![("chlkc_descriptors.h", descriptors(kernel, chip))];
    let include = format!("void kernel_main();\n#include \"{}\"\n", kernel.file);
    match kernel.role {
        Role::Reader | Role::Writer => files.push(("kernel_includes.hpp", include)),
        Role::Compute => {
            let mut defines = String::from("#pragma once\n#define NOC_MODE 0\n");
            for (name, value) in &kernel.defines {
                // Writing to a String cannot fail.
                let _ = writeln!(defines, "#define {name} {value}");
            }
            files.push(("defines_generated.h", defines));
            for (file, thread) in [
                ("chlkc_unpack.cpp", "UNPACK"),
                ("chlkc_math.cpp", "MATH"),
                ("chlkc_pack.cpp", "PACK"),
                ("chlkc_isolate_sfpu.cpp", "ISOLATE_SFPU"),
            ] {
                files.push((
                    file,
                    format!("#define TRISC_{thread}\n#include \"defines_generated.h\"\n{include}"),
                ));
            }
        }
    }
    files
}

/// The number of a fidelity in `ckernel::MathFidelity`.
fn fidelity_number(fidelity: Option<Fidelity>) -> u8 {
    match fidelity {
        None => 255,
        Some(Fidelity::LoFi) => 0,
        Some(Fidelity::HiFi2) => 2,
        Some(Fidelity::HiFi3) => 3,
        Some(Fidelity::HiFi4) => 4,
    }
}

/// The tables by circular buffer, and the modes.
fn descriptors(kernel: &DeviceKernel, chip: &Chip) -> String {
    let count = chip.circular_buffers;
    let conditional = formats::conditional(kernel.modes.fp32_dest);
    let mut registers = vec![RegisterFormats::NONE; count];
    let mut tile_bytes = vec![TILE_BYTES_OF_NOTHING; count];
    for buffer in &kernel.buffers {
        let index = usize::from(buffer.index);
        if index < count {
            registers[index] = formats::of_buffer(
                buffer.format,
                conditional,
                buffer.unpack_to_dest,
                kernel.modes.fp32_dest,
            );
            tile_bytes[index] = buffer.format.tile_bytes();
        }
    }
    let l1 = table(
        "unpack_src_format",
        "uint8_t",
        registers.iter().map(|formats| formats.l1.into()),
    );
    let unpack = l1.clone()
        + &table(
            "unpack_dst_format",
            "uint8_t",
            registers.iter().map(|formats| formats.unpacked.into()),
        )
        + &shapes("unpack", &tile_bytes);
    let pack = table(
        "pack_src_format",
        "unsigned char",
        registers.iter().map(|formats| formats.packed.into()),
    ) + &table(
        "pack_dst_format",
        "unsigned char",
        registers.iter().map(|formats| formats.l1.into()),
    ) + &shapes("pack", &tile_bytes);
    let (math, approximate) = (fidelity_number(kernel.modes.fidelity), kernel.modes.approximate);
    let (fp32, sync) = (
        kernel.modes.fp32_dest,
        if kernel.modes.full_sync { "Full" } else { "Half" },
    );
    format!(
        "#pragma once\n\
         #if defined(UCK_CHLKC_MATH) || defined(UCK_CHLKC_PACK)\n\
         #include \"llk_defs.h\"\n\
         constexpr ckernel::MathFidelity MATH_FIDELITY = static_cast<ckernel::MathFidelity>({math});\n\
         constexpr bool APPROX = {approximate};\n\
         #endif\n\
         #if !defined(UCK_CHLKC_PACK)\n{unpack}#endif\n\
         #if !defined(UCK_CHLKC_MATH) && !defined(UCK_CHLKC_UNPACK)\n{pack}\
         #if defined(UCK_CHLKC_PACK)\n{l1}#endif\n\
         #endif\n\
         #if defined(UCK_CHLKC_MATH) || defined(UCK_CHLKC_PACK) || defined(UCK_CHLKC_UNPACK)\n\
         constexpr bool DST_ACCUM_MODE = {fp32};\n\
         #define DST_SYNC_MODE DstSync::Sync{sync}\n\
         #endif\n"
    )
}

/// The shapes of tiles: all are 32 × 32 in four faces of 16 × 16.
fn shapes(prefix: &str, tile_bytes: &[u32]) -> String {
    let mut text = String::new();
    for (name, value) in [
        ("tile_num_faces", 4),
        ("partial_face", 0),
        ("tile_face_r_dim", 16),
        ("narrow_tile", 0),
        ("tile_r_dim", 32),
        ("tile_c_dim", 32),
        ("num_faces_r_dim", 2),
        ("num_faces_c_dim", 2),
    ] {
        text += &table(&format!("{prefix}_{name}"), "uint8_t", tile_bytes.iter().map(|_| value));
    }
    text + &table(&format!("{prefix}_tile_size"), "uint16_t", tile_bytes.iter().copied())
}

fn table(name: &str, element: &str, values: impl ExactSizeIterator<Item = u32>) -> String {
    let count = values.len();
    let values: Vec<String> = values.map(|value| value.to_string()).collect();
    format!("constexpr {element} {name}[{count}] = {{{}}};\n", values.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Buffer, CHIPS, Modes};

    fn kernel(role: Role) -> DeviceKernel {
        let buffer = |index, format| Buffer {
            index,
            format,
            unpack_to_dest: false,
        };
        DeviceKernel {
            name: "scale compute".into(),
            role,
            file: "/out/compute.cpp".into(),
            source: String::new(),
            compile_args: vec![],
            named_args: vec![],
            defines: vec![("BLOCK".into(), "4".into())],
            buffers: vec![buffer(0, DataFormat::Float16B), buffer(2, DataFormat::Float32)],
            modes: Modes {
                fidelity: Some(Fidelity::HiFi2),
                approximate: false,
                fp32_dest: true,
                full_sync: true,
            },
        }
    }

    #[test]
    fn tables_have_the_formats_of_the_plan_and_the_length_of_the_chip() {
        for (chip, length) in CHIPS.iter().zip([32, 64]) {
            let text = descriptors(&kernel(Role::Compute), chip);
            for start in [
                format!("constexpr uint8_t unpack_src_format[{length}] = {{5,255,0,255,"),
                format!("constexpr uint8_t unpack_dst_format[{length}] = {{5,255,4,255,"),
                format!("constexpr unsigned char pack_src_format[{length}] = {{5,255,0,255,"),
                format!("constexpr uint16_t pack_tile_size[{length}] = {{2048,1088,4096,1088,"),
            ] {
                assert!(text.contains(&start), "{start} is not in\n{text}");
            }
            assert!(text.contains("MathFidelity>(2)") && text.contains("DST_ACCUM_MODE = true"));
            assert!(text.contains("DstSync::SyncFull"));
        }
    }

    #[test]
    fn a_compute_kernel_is_included_once_per_thread_and_a_reader_once() {
        let compute = files(&kernel(Role::Compute), &CHIPS[0]);
        let with = |name: &str| {
            compute
                .iter()
                .find(|(file, _)| *file == name)
                .map(|(_, text)| text.as_str())
        };
        assert_eq!(
            with("chlkc_math.cpp"),
            Some(
                "#define TRISC_MATH\n#include \"defines_generated.h\"\nvoid kernel_main();\n#include \"/out/compute.cpp\"\n"
            )
        );
        assert_eq!(
            with("defines_generated.h"),
            Some("#pragma once\n#define NOC_MODE 0\n#define BLOCK 4\n")
        );
        let reader: Vec<&str> = files(&kernel(Role::Reader), &CHIPS[0])
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(reader, ["chlkc_descriptors.h", "kernel_includes.hpp"]);
    }
}
