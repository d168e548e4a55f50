//! The command lines of the JIT: how a kernel is compiled and linked.
//!
//! Source: the logged calls of the runtime of 0.81.1 (`TT_ORACLE_CCLOG`), option by option in their order.

use super::chip::Chip;
use super::kernel::DeviceKernel;
use super::processor::Processor;
use super::toolchain::Toolchain;
use std::ffi::OsString;
use std::path::Path;
use tt_plan::Role;

/// How every source is compiled.
const DIALECT: &[&str] = &[
    "-std=c++17",
    "-ftt-nttp",
    "-ftt-constinit",
    "-ftt-consteval",
    "-ftt-no-dyninit",
    "-flto=1",
    "-flto-partition=one",
    "-ffast-math",
    "-fno-finite-math-only",
    "-fsigned-zeros",
    "-fno-associative-math",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-use-cxa-atexit",
    "-g",
];

/// What is checked of every source.
const WARNINGS: &[&str] = &[
    "-Wall",
    "-Werror",
    "-Wno-error=deprecated-declarations",
    "-Wno-error=multistatement-macros",
    "-Wno-error=parentheses",
    "-Wno-error=unused-but-set-variable",
    "-Wno-unused-variable",
    "-Wno-unused-function",
    "--param=min-pagesize=0",
];

/// How every program is linked.
const LINK: &[&str] = &["-Wl,-z,max-page-size=16", "-Wl,-z,common-page-size=16", "-nostartfiles"];

/// Folders of headers below the root, before those of the compute API.
const INCLUDES: &[&str] = &[
    "",
    "ttnn",
    "ttnn/cpp",
    "tt_metal/hw/inc",
    "tt_metal/tt-llk/common",
    "tt_metal/tt-llk/tools/include",
    "tt_metal/hostdevcommon/api",
    "tt_metal/api",
];

/// The standard headers that precede every source. The JIT precompiles them and so do we.
pub(super) const STANDARD_HEADERS: &[&str] = &[
    "algorithm",
    "array",
    "atomic",
    "bit",
    "climits",
    "compare",
    "concepts",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstring",
    "limits",
    "new",
    "optional",
    "tuple",
    "type_traits",
    "utility",
    "variant",
];

/// What is compiled: firmware, or a kernel.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit<'a> {
    Firmware,
    Kernel(&'a DeviceKernel),
}

impl Unit<'_> {
    pub fn optimization(self, processor: &Processor) -> &'static str {
        match self {
            Unit::Firmware => processor.firmware_optimization,
            Unit::Kernel(_) => processor.kernel_optimization,
        }
    }
}

/// The options that the precompiled headers and everything that includes them agree on.
pub(super) fn language(chip: &Chip, processor: &Processor, optimization: &str) -> Vec<OsString> {
    let mut words = vec![OsString::from(optimization)];
    words.extend(DIALECT.iter().chain(WARNINGS).map(OsString::from));
    words.push(cpu(chip, processor).into());
    words.extend(processor.options.iter().map(OsString::from));
    words
}

/// The options of compiling `unit`, run in a folder whose parent has the generated files; without source and output.
pub(super) fn compile(
    toolchain: &Toolchain,
    chip: &Chip,
    processor: &Processor,
    unit: Unit<'_>,
    standard: &Path,
) -> Vec<OsString> {
    let mut words = language(chip, processor, unit.optimization(processor));
    words.extend(["-Winvalid-pch", "-Wno-error=invalid-pch", "-I.", "-I.."].map(OsString::from));
    words.extend(toolchain.include_words(chip, processor));
    words.extend(["-include".into(), standard.into()]);
    let defines = ["TENSIX_FIRMWARE", "LOCAL_MEM_EN=0", "PROGRAMMABLE_CORE_TYPE=0"];
    let define = |name: &str| OsString::from(format!("-D{name}"));
    words.extend(
        chip.defines
            .iter()
            .chain(&defines)
            .chain(processor.defines)
            .map(|name| define(name)),
    );
    if toolchain.disable_sfploadmacro {
        words.push(define("DISABLE_SFPLOADMACRO"));
    }
    match unit {
        Unit::Firmware => words.push(define("FW_BUILD")),
        Unit::Kernel(kernel) => {
            words.push(define("KERNEL_BUILD"));
            words.extend(processor.kernel_defines.iter().map(|name| define(name)));
            if kernel.role != Role::Compute {
                words.extend(
                    kernel
                        .defines
                        .iter()
                        .map(|(name, value)| define(&format!("{name}={value}"))),
                );
            }
            words.push(define(&format!(
                "FULL_KERNEL_NAME=\"{}/\"",
                kernel.name.replace(['"', '\\', ' '], "_")
            )));
            let list: Vec<String> = kernel.compile_args.iter().map(u32::to_string).collect();
            words.push(define(&format!("KERNEL_COMPILE_TIME_ARGS={}", list.join(","))));
            if !kernel.named_args.is_empty() {
                let map: Vec<String> = kernel
                    .named_args
                    .iter()
                    .map(|(name, value)| format!("{{\"{name}\",{value}}}"))
                    .collect();
                words.push(define(&format!("KERNEL_COMPILE_TIME_ARG_MAP={}", map.join(","))));
            }
        }
    }
    words.push("-c".into());
    toolchain.adaptation.compile_words(words)
}

/// The options of linking `unit`, without objects and output; `firmware` has the symbols a kernel is linked against.
pub(super) fn link(
    toolchain: &Toolchain,
    chip: &Chip,
    processor: &Processor,
    unit: Unit<'_>,
    firmware: Option<&Path>,
) -> Vec<OsString> {
    let mut words = vec![OsString::from(unit.optimization(processor))];
    if let Some(firmware) = firmware {
        words.push(prefixed("-Wl,--just-symbols=", firmware));
    }
    words.extend(DIALECT.iter().chain(LINK).map(OsString::from));
    words.push(cpu(chip, processor).into());
    words.extend(processor.options.iter().chain(chip.link_options).map(OsString::from));
    words.push(prefixed("-T", &toolchain.linker_script(chip, processor, unit)));
    if matches!(unit, Unit::Kernel(_)) {
        words.push("-Wl,--emit-relocs".into());
    }
    toolchain.adaptation.link_words(words)
}

/// The folders of headers, in the order of the JIT.
pub(super) fn include_folders(toolchain: &Toolchain, chip: &Chip, processor: &Processor) -> Vec<std::path::PathBuf> {
    let metal = toolchain.root.join("tt_metal");
    let (name, family) = (chip.name, chip.family);
    let mut folders: Vec<_> = INCLUDES.iter().map(|folder| toolchain.root.join(folder)).collect();
    if processor.tensix {
        folders.push(toolchain.sfpi.clone());
    }
    let below = |path: String| metal.join(path);
    folders.extend([
        below(format!("hw/ckernels/{name}/metal/common")),
        below(format!("hw/ckernels/{name}/metal/llk_io")),
        below("hw/inc/internal/tt-1xx".into()),
        below(format!("hw/inc/internal/tt-1xx/{family}")),
        below(format!("hw/inc/internal/tt-1xx/{family}/{name}_defines")),
        below(format!("hw/inc/internal/tt-1xx/{family}/noc")),
        below(format!("tt-llk/tt_llk_{name}/common/inc")),
        below(format!("tt-llk/tt_llk_{name}/llk_lib")),
    ]);
    folders.extend(chip.includes.iter().map(|folder| metal.join(folder)));
    if processor.tensix {
        folders.push(below(format!("hw/ckernels/{name}/metal/llk_api")));
        folders.push(below(format!("hw/ckernels/{name}/metal/llk_api/llk_sfpu")));
    }
    folders.push(below("hw/firmware/src/tt-1xx".into()));
    folders
}

fn cpu(chip: &Chip, processor: &Processor) -> String {
    format!("-mcpu=tt-{}{}", chip.cpu, if processor.tensix { "-tensix" } else { "" })
}

fn prefixed(prefix: &str, path: &Path) -> OsString {
    let mut word = OsString::from(prefix);
    word.push(path);
    word
}
