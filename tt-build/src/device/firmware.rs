//! The firmware that kernels are linked against: it gives them the addresses of what it left in local memory.
//!
//! The JIT builds the firmware before the first kernel, weakens its symbols, and links kernels with `--just-symbols`. So
//! do we, once for each toolchain. Nothing of it goes into a kernel's binary.

use super::DeviceError;
use super::chip::Chip;
use super::command::{self, Unit};
use super::compiler::{DeviceCompiler, partial_of};
use super::elf::Elf;
use super::processor::{PROCESSORS, Processor};
use crate::sealed;
use std::path::PathBuf;

/// What kernels take from the firmware and must not have of their own (the runtime's list).
fn is_exported(name: &[u8]) -> bool {
    name.starts_with(b"__fw_export_") || name == b"__global_pointer$"
}

impl DeviceCompiler<'_> {
    /// Builds the firmware of `chips`, unless it is there from earlier, and the precompiled headers.
    ///
    /// # Errors
    /// Where the compiler refuses or files cannot be written.
    pub fn prepare_firmware(&self, chips: &[&Chip]) -> Result<(), DeviceError> {
        self.prepare_headers(chips)?;
        for chip in chips {
            for processor in &PROCESSORS {
                if !sealed::is_intact(&self.weakened(chip, processor)) {
                    self.build_firmware(chip, processor)?;
                }
            }
        }
        Ok(())
    }

    /// Where the weakened firmware is.
    pub(super) fn weakened(&self, chip: &Chip, processor: &Processor) -> PathBuf {
        let folder = self.cache.join("firmware").join(chip.name);
        folder.join(format!("{}_weakened.elf", processor.name))
    }

    fn build_firmware(&self, chip: &Chip, processor: &Processor) -> Result<(), DeviceError> {
        let optimization = processor.firmware_optimization;
        self.precompile(chip, processor, optimization)?;
        let place = self.weakened(chip, processor);
        let folder = place.with_file_name(processor.name);
        std::fs::create_dir_all(&folder).map_err(DeviceError::file("create", &folder))?;
        let (object, linked) = (
            folder.join("firmware.o"),
            folder.join(format!("{}.elf", processor.name)),
        );
        let standard = self.standard(chip, processor, optimization);
        let mut words = command::compile(self.toolchain, chip, processor, Unit::Firmware, &standard);
        let source = self.toolchain.source(processor.firmware_unit);
        words.extend(["-o".into(), object.clone().into(), source.into()]);
        self.run(&words, &folder, "compile", "the firmware", chip, processor)?;

        let objects = chip
            .objects_of(processor.id)
            .map_or(&[][..], |objects| objects.firmware);
        let words = command::link(self.toolchain, chip, processor, Unit::Firmware, None);
        let words = self.link_words(words, chip, objects, &object, &linked);
        self.run(&words, &folder, "link", "the firmware", chip, processor)?;

        let bytes = std::fs::read(&linked).map_err(DeviceError::file("read", &linked))?;
        let weakened = Elf::parse(&bytes)
            .and_then(|elf| elf.weakened(is_exported))
            .map_err(|error| DeviceError::Toolchain(format!("the linked firmware {} is {error}", linked.display())))?;
        let partial = partial_of(&place);
        std::fs::write(&partial, weakened).map_err(DeviceError::file("write", &partial))?;
        let kept = std::fs::rename(&partial, &place).and_then(|()| sealed::seal(&place));
        kept.map_err(DeviceError::file("write", &place))
    }
}
