//! Device binaries: what the runtime's JIT makes of a kernel, made ahead of time.
//!
//! At launch the runtime compiles the emitted sources itself; this module is how the same compiler speaks at build time. It
//! describes the JIT as data, one table or one kind of file to a module:
//!
//! | module | describes |
//! |---|---|
//! | `chip` | what is said of a chip: defines, folders, objects of the link |
//! | `processor` | the five processors of a core: translation unit, optimisation, defines |
//! | `formats`, `generated` | the files that the JIT writes for every kernel, by the circular buffers of its plan |
//! | `command` | the command lines |
//! | `firmware`, `elf` | what kernels are linked against, and how its symbols are weakened |
//! | `size` | how large a program is, and may be |
//!
//! A [`DeviceCompiler`] does the work with a [`Toolchain`]: the vendor's, or another with an [`Adaptation`].

mod adaptation;
mod chip;
mod command;
mod compiler;
mod elf;
mod error;
mod firmware;
mod formats;
mod generated;
mod kernel;
mod processor;
mod size;
#[cfg(test)]
pub(crate) mod testing;
mod toolchain;

pub use adaptation::Adaptation;
pub use chip::{CHIPS, Chip, Objects};
pub use compiler::{DeviceCompiler, Object};
pub use elf::{Elf, NotElf, Segment};
pub use error::DeviceError;
pub use generated::files as generated_files;
pub use kernel::{Buffer, DeviceKernel, Modes};
pub use processor::{PROCESSORS, Processor, ProcessorName, processors_of};
pub use size::{Size, check_together, loaded};
pub use toolchain::{ENVIRONMENT, RUNTIME_VARIABLE, Toolchain, version_of};

/// A name for contents: FNV-1a of 128 bits over all parts, as 32 hexadecimal digits.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash: u128 = 0x6c62272e07bb014262b821756295c58d;
    for part in parts {
        // The terminator keeps text from moving between parts unseen.
        for byte in part.iter().chain(&[0xff]) {
            hash = (hash ^ u128::from(*byte)).wrapping_mul(0x0000000001000000000000000000013b);
        }
    }
    format!("{hash:032x}")
}
