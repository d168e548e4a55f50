//! How large a program is, and how large it may be.
//!
//! The limit of each part is in the program itself: the linker script writes it there (see [`super::elf`]), from
//! `MEM_*_KERNEL_SIZE` and `MEM_*_LOCAL_SIZE` of `dev_mem_map.h` less what the firmware takes. The runtime's loader enforces
//! it. Together the programs of a core have to fit into the kernel configuration buffer ([`Chip::kernel_config_bytes`]).

use super::DeviceError;
use super::chip::Chip;
use super::elf::Elf;
use std::path::Path;

/// A part of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// "code", or "data": its constants and variables in the processor's local memory.
    pub part: &'static str,
    /// Bytes it has.
    pub bytes: u32,
    /// Bytes it may have.
    pub limit: u32,
    /// Bytes of it that the program carries, which go into the kernel configuration buffer.
    pub loaded: u32,
}

const PARTS: [&str; 2] = ["code", "data"];
/// Programs begin at multiples of this in the buffer: the alignment of L1.
const L1_ALIGNMENT: u32 = 16;

/// The parts of the program at `path`; `refuse` makes an error of what is wrong with it.
pub(super) fn of_program(path: &Path, refuse: impl Fn(String) -> DeviceError) -> Result<Vec<Size>, DeviceError> {
    let bytes = std::fs::read(path).map_err(DeviceError::file("read", path))?;
    let segments = Elf::parse(&bytes)
        .and_then(|elf| elf.segments())
        .map_err(|error| refuse(format!("the linker wrote a file that is {error}")))?;
    if segments.len() != PARTS.len() {
        return Err(refuse(format!(
            "the program has {} segments, not code and data",
            segments.len()
        )));
    }
    let sizes = PARTS.iter().zip(segments).map(|(part, segment)| Size {
        part,
        bytes: segment.memory,
        limit: segment.limit,
        loaded: segment.file,
    });
    Ok(sizes.collect())
}

/// Bytes that a program takes in the kernel configuration buffer.
pub fn loaded(sizes: &[Size]) -> u32 {
    let bytes: u32 = sizes.iter().map(|size| size.loaded).sum();
    bytes.next_multiple_of(L1_ALIGNMENT)
}

/// Checks that the programs of one core fit together.
///
/// # Errors
/// Where they do not.
pub fn check_together(name: &str, chip: &Chip, parts: Vec<(&'static str, u32)>) -> Result<(), DeviceError> {
    let total: u32 = parts.iter().map(|(_, bytes)| bytes).sum();
    if total <= chip.kernel_config_bytes {
        return Ok(());
    }
    Err(DeviceError::ProgramTooLarge {
        name: name.to_string(),
        chip: chip.name,
        parts,
        limit: chip.kernel_config_bytes,
    })
}
