//! The five processors of a Tensix core and what the JIT compiles for each, as data.
//!
//! Source: the logged calls of the runtime of 0.81.1; `hw/firmware/src/tt-1xx/{brisck,ncrisck,trisck}.cc` of the wheel.

use tt_plan::Role;

/// A processor's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ProcessorName {
    Brisc,
    Ncrisc,
    Trisc0,
    Trisc1,
    Trisc2,
}

/// One of the processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    /// Which.
    pub id: ProcessorName,
    /// Its name in the names of files and linker scripts.
    pub name: &'static str,
    /// Which of a program's three kernels it runs.
    pub role: Role,
    /// Runs tile instructions: gets the headers of the compute API and the instruction set with them.
    pub tensix: bool,
    /// The translation unit of a kernel, below `tt_metal/hw/firmware/src/tt-1xx`.
    pub kernel_unit: &'static str,
    /// The translation unit of the firmware, there too.
    pub firmware_unit: &'static str,
    /// How kernels are optimised.
    pub kernel_optimization: &'static str,
    /// How the firmware is.
    pub firmware_optimization: &'static str,
    /// Options of every compile and link for it.
    pub options: &'static [&'static str],
    /// Defines of every compile for it.
    pub defines: &'static [&'static str],
    /// Defines of its kernels.
    pub kernel_defines: &'static [&'static str],
}

const DATA_MOVEMENT: &[&str] = &["-fno-tree-loop-distribute-patterns"];

/// Every processor, in the order of `PROCESSOR_INDEX`.
pub const PROCESSORS: [Processor; 5] = [
    Processor {
        id: ProcessorName::Brisc,
        name: "brisc",
        role: Role::Writer,
        tensix: false,
        kernel_unit: "brisck.cc",
        firmware_unit: "brisc.cc",
        kernel_optimization: "-O2",
        firmware_optimization: "-Os",
        options: DATA_MOVEMENT,
        defines: &["PROCESSOR_INDEX=0", "COMPILE_FOR_BRISC"],
        kernel_defines: &["NOC_INDEX=1", "NOC_MODE=0"],
    },
    Processor {
        id: ProcessorName::Ncrisc,
        name: "ncrisc",
        role: Role::Reader,
        tensix: false,
        kernel_unit: "ncrisck.cc",
        firmware_unit: "ncrisc.cc",
        kernel_optimization: "-O2",
        firmware_optimization: "-Os",
        options: DATA_MOVEMENT,
        defines: &["PROCESSOR_INDEX=1", "COMPILE_FOR_NCRISC"],
        kernel_defines: &["NOC_INDEX=0", "NOC_MODE=0"],
    },
    compute(
        ProcessorName::Trisc0,
        "trisc0",
        &["PROCESSOR_INDEX=2", "UCK_CHLKC_UNPACK", "COMPILE_FOR_TRISC=0"],
    ),
    compute(
        ProcessorName::Trisc1,
        "trisc1",
        &["PROCESSOR_INDEX=3", "UCK_CHLKC_MATH", "COMPILE_FOR_TRISC=1"],
    ),
    compute(
        ProcessorName::Trisc2,
        "trisc2",
        &["PROCESSOR_INDEX=4", "UCK_CHLKC_PACK", "COMPILE_FOR_TRISC=2"],
    ),
];

const fn compute(id: ProcessorName, name: &'static str, defines: &'static [&'static str]) -> Processor {
    Processor {
        id,
        name,
        role: Role::Compute,
        tensix: true,
        kernel_unit: "trisck.cc",
        firmware_unit: "trisc.cc",
        kernel_optimization: "-O3",
        firmware_optimization: "-O3",
        options: &[],
        defines,
        kernel_defines: &[],
    }
}

/// The processors that run the kernel of a role.
pub fn processors_of(role: Role) -> impl Iterator<Item = &'static Processor> {
    PROCESSORS.iter().filter(move |processor| processor.role == role)
}
