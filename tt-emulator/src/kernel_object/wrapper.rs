//! The translation unit around a kernel.
//!
//! ```text
//! #include <cstdint> ..           standard headers, outside of everything
//! #define ARCH_WORMHOLE ..        what the build system of Metalium would pass with -D
//! namespace {                     so kernels linked into one application never meet
//! #include "emulator/kernel.h"    what the JIT includes before a kernel
//! #line 1 "reader.cpp"
//! <the kernel, with its includes>
//! }
//! extern "C" void tt_kernel_<key>(const void* api) { .. kernel_main(); }
//! ```

use std::fmt::Write;

use super::includes::Includes;
use super::{KernelSource, casts, entry_symbol};
use crate::arch::{Arch, ArchName};
use crate::kernel_config::{DataMovementProcessor, KernelRole};

/// Standard headers that kernels and device headers may count on.
pub(super) const STANDARD_HEADERS: [&str; 10] = [
    "cstdint",
    "cstddef",
    "cstdlib",
    "type_traits",
    "utility",
    "array",
    "limits",
    "tuple",
    "bit",
    "cstring",
];

/// What ends a process ends the kernel alone: these functions of the C library become a trap, which the engine reports. The
/// definition is weak, since several kernels may be linked into one program.
const ENDINGS: &str = "\
extern \"C\" {
[[noreturn]] void exit(int) noexcept __asm__(\"tt_emulator_exit\");
[[noreturn]] void _exit(int) noexcept __asm__(\"tt_emulator_exit\");
[[noreturn]] void _Exit(int) noexcept __asm__(\"tt_emulator_exit\");
[[noreturn]] void quick_exit(int) noexcept __asm__(\"tt_emulator_exit\");
[[noreturn]] __attribute__((weak, visibility(\"hidden\"))) void tt_emulator_stop(int) noexcept __asm__(\"tt_emulator_exit\");
[[noreturn]] __attribute__((weak, visibility(\"hidden\"))) void tt_emulator_stop(int) noexcept { __builtin_trap(); }
}";

/// Everything before the kernel's own text.
pub(super) fn prologue(source: &KernelSource, includes: &Includes, role: &KernelRole, arch: ArchName) -> String {
    let mut text = String::new();
    let included = includes.standard.iter().map(String::as_str);
    for header in STANDARD_HEADERS.iter().copied().chain(included) {
        line(&mut text, format_args!("#include <{header}>"));
    }
    line(&mut text, format_args!("{ENDINGS}"));
    line(&mut text, format_args!("#define {} 1", Arch::of(arch).define));
    line(&mut text, format_args!("#define TT_EMULATOR 1"));
    match role {
        KernelRole::DataMovement { processor, noc } => {
            let name = match processor {
                DataMovementProcessor::Brisc => "COMPILE_FOR_BRISC",
                DataMovementProcessor::Ncrisc => "COMPILE_FOR_NCRISC",
            };
            line(&mut text, format_args!("#define {name} 1"));
            line(&mut text, format_args!("#define PROCESSOR_INDEX {}", *processor as u8));
            line(&mut text, format_args!("#define NOC_INDEX {noc}"));
        }
        KernelRole::Compute(options) => {
            line(&mut text, format_args!("#define COMPILE_FOR_TRISC 1"));
            for thread in ["UNPACK", "MATH", "PACK"] {
                line(&mut text, format_args!("#define TRISC_{thread} 1"));
                line(&mut text, format_args!("#define UCK_CHLKC_{thread} 1"));
            }
            line(
                &mut text,
                format_args!("#define DST_ACCUM_MODE {}", options.fp32_dest_acc_en),
            );
            let sync = if options.dst_full_sync_en {
                "SyncFull"
            } else {
                "SyncHalf"
            };
            line(&mut text, format_args!("#define DST_SYNC_MODE DstSync::{sync}"));
            // The names are C++'s: see `abi/program_enumerations.rs`.
            line(
                &mut text,
                format_args!("#define MATH_FIDELITY MathFidelity::{:?}", options.math_fidelity),
            );
            line(&mut text, format_args!("#define APPROX {}", options.math_approx_mode));
        }
    }
    let words: Vec<String> = source.compile_args.iter().map(u32::to_string).collect();
    line(
        &mut text,
        format_args!("#define KERNEL_COMPILE_TIME_ARGS {}", words.join(",")),
    );
    let pairs: Vec<String> = source
        .named_compile_args
        .iter()
        .map(|(name, value)| format!("{{{name:?},{value}}}"))
        .collect();
    line(
        &mut text,
        format_args!("#define KERNEL_COMPILE_TIME_ARG_MAP {}", pairs.join(",")),
    );
    for (name, value) in &source.defines {
        line(&mut text, format_args!("#define {name} {value}"));
    }
    text
}

/// The whole translation unit.
pub(super) fn translation_unit(source: &KernelSource, prologue: &str, key: &str) -> String {
    let mut text = prologue.to_owned();
    line(&mut text, format_args!("namespace {{"));
    line(&mut text, format_args!("#include \"emulator/kernel.h\""));
    line(&mut text, format_args!("void kernel_main();"));
    line(&mut text, format_args!("#line 1 {:?}", source.file));
    line(&mut text, format_args!("{}", casts::looked_at(&source.source)));
    line(&mut text, format_args!("#line 1 \"tt-emulator\""));
    line(&mut text, format_args!("}}"));
    line(
        &mut text,
        format_args!(
            "extern \"C\" __attribute__((visibility(\"default\"))) void {}(const void* api) {{",
            entry_symbol(key)
        ),
    );
    line(
        &mut text,
        format_args!("    tt_emulator_table = static_cast<const tt_emulator_api*>(api);"),
    );
    line(&mut text, format_args!("    kernel_main();\n}}"));
    text
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{arguments}");
}
