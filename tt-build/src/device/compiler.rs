//! Compiling and linking one kernel for one processor.

use super::DeviceError;
use super::chip::Chip;
use super::command::{self, STANDARD_HEADERS, Unit};
use super::elf::Elf;
use super::generated;
use super::kernel::DeviceKernel;
use super::processor::Processor;
use super::size::{self, Size};
use super::toolchain::Toolchain;
use crate::artifacts::write_if_changed;
use crate::error::BuildError;
use crate::sealed;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A toolchain together with what is built once for it: precompiled standard headers, and firmware to link against.
#[derive(Debug)]
pub struct DeviceCompiler<'a> {
    pub(super) toolchain: &'a Toolchain,
    pub(super) cache: PathBuf,
}

/// A compiled kernel.
#[derive(Debug, Clone)]
pub struct Object {
    /// The object file.
    pub path: PathBuf,
    /// What the compiler said although it compiled.
    pub warnings: String,
}

impl<'a> DeviceCompiler<'a> {
    /// A compiler that keeps what it builds once below `cache`, in a folder of this toolchain.
    pub fn new(toolchain: &'a Toolchain, cache: &Path) -> DeviceCompiler<'a> {
        let folder = cache.join(crate::device::digest([toolchain.identity().as_bytes()]));
        DeviceCompiler {
            toolchain,
            cache: folder,
        }
    }

    /// Precompiles the standard headers for the kernels of `chips`.
    ///
    /// # Errors
    /// Where the compiler refuses or files cannot be written.
    pub fn prepare_headers(&self, chips: &[&Chip]) -> Result<(), DeviceError> {
        for chip in chips {
            for processor in &super::PROCESSORS {
                self.precompile(chip, processor, processor.kernel_optimization)?;
            }
        }
        Ok(())
    }

    /// The standard headers as a file to include; precompiled already where they can be.
    pub(super) fn standard(&self, chip: &Chip, processor: &Processor, optimization: &str) -> PathBuf {
        let tensix = if processor.tensix { "-tensix" } else { "" };
        let variant = format!("{}{tensix}{optimization}", chip.cpu);
        self.cache.join("standard").join(variant).join("standard.h")
    }

    pub(super) fn precompile(&self, chip: &Chip, processor: &Processor, optimization: &str) -> Result<(), DeviceError> {
        let header = self.standard(chip, processor, optimization);
        let precompiled = header.with_extension("h.gch");
        if sealed::is_intact(&precompiled) {
            return Ok(());
        }
        let text: String = STANDARD_HEADERS
            .iter()
            .map(|name| format!("#include <{name}>\n"))
            .collect();
        write(&header, &text)?;
        let partial = partial_of(&precompiled);
        let words = command::language(chip, processor, optimization);
        let mut words = self.toolchain.adaptation.compile_words(words);
        words.extend(["-x".into(), "c++-header".into(), header.clone().into()]);
        words.extend(["-o".into(), partial.clone().into()]);
        let folder = header.parent().unwrap_or(Path::new("."));
        self.run(&words, folder, "compile", "the standard headers", chip, processor)?;
        let kept = std::fs::rename(&partial, &precompiled).and_then(|()| sealed::seal(&precompiled));
        kept.map_err(DeviceError::file("write", &precompiled))
    }

    /// Compiles `kernel` in `folder`, which gets the files that the JIT generates and the object.
    ///
    /// # Errors
    /// Where the compiler refuses, with its words, or files cannot be written.
    pub fn compile(
        &self,
        kernel: &DeviceKernel,
        chip: &Chip,
        processor: &Processor,
        folder: &Path,
    ) -> Result<Object, DeviceError> {
        for (name, text) in generated::files(kernel, chip) {
            write(&folder.join(name), &text)?;
        }
        let file = Path::new(&kernel.file);
        let beside = if file.is_absolute() {
            file.parent()
        } else {
            write(&folder.join(file), &kernel.source)?;
            None
        };
        let standard = self.standard(chip, processor, processor.kernel_optimization);
        let mut words = command::compile(self.toolchain, chip, processor, Unit::Kernel(kernel), &standard);
        if let Some(beside) = beside {
            let mut word = OsString::from("-I");
            word.push(beside);
            words.push(word);
        }
        let work = folder.join(processor.name);
        std::fs::create_dir_all(&work).map_err(DeviceError::file("create", &work))?;
        let path = work.join("kernel.o");
        words.extend([
            "-o".into(),
            path.clone().into(),
            self.toolchain.source(processor.kernel_unit).into(),
        ]);
        let warnings = self.run(&words, &work, "compile", &kernel.name, chip, processor)?;
        let bytes = std::fs::read(&path).map_err(DeviceError::file("read", &path))?;
        let undefined = Elf::parse(&bytes).and_then(|elf| elf.lacks("_Z11kernel_mainv"));
        let refused = |output: String| self.refused("compile", &kernel.name, chip, processor, output);
        match undefined {
            Ok(false) => Ok(Object { path, warnings }),
            Ok(true) => Err(refused("it does not define kernel_main()".into())),
            Err(error) => Err(refused(format!("the compiler wrote a file that is {error}"))),
        }
    }

    /// Links `object`, which [`DeviceCompiler::compile`] made of `kernel`, to `<processor>.elf` in its folder.
    /// [`DeviceCompiler::prepare_firmware`] must have been there before.
    ///
    /// # Errors
    /// Where the linker refuses.
    pub fn link(
        &self,
        kernel: &DeviceKernel,
        chip: &Chip,
        processor: &Processor,
        object: &Object,
    ) -> Result<PathBuf, DeviceError> {
        let firmware = self.weakened(chip, processor);
        let words = command::link(self.toolchain, chip, processor, Unit::Kernel(kernel), Some(&firmware));
        let folder = object.path.parent().unwrap_or(Path::new("."));
        let path = folder.join(format!("{}.elf", processor.name));
        let objects = chip.objects_of(processor.id).map_or(&[][..], |objects| objects.kernel);
        let words = self.link_words(words, chip, objects, &object.path, &path);
        self.run(&words, folder, "link", &kernel.name, chip, processor)?;
        Ok(path)
    }

    /// The parts of the program at `path`, which [`DeviceCompiler::link`] made of `kernel`.
    ///
    /// # Errors
    /// Where one has more bytes than it may, or the file is no such program.
    pub fn sizes(
        &self,
        kernel: &DeviceKernel,
        chip: &Chip,
        processor: &Processor,
        path: &Path,
    ) -> Result<Vec<Size>, DeviceError> {
        let sizes = size::of_program(path, |output| {
            self.refused("link", &kernel.name, chip, processor, output)
        })?;
        for size in &sizes {
            if size.bytes > size.limit {
                return Err(DeviceError::TooLarge {
                    name: kernel.name.clone(),
                    place: place(chip, processor),
                    part: size.part,
                    bytes: size.bytes,
                    limit: size.limit,
                });
            }
        }
        Ok(sizes)
    }

    /// A name for what [`DeviceCompiler::compile`] and [`DeviceCompiler::link`] make of `kernel`: another one as soon as
    /// anything that goes into it is another.
    pub fn key(&self, kernel: &DeviceKernel, chip: &Chip, processor: &Processor) -> String {
        let standard = self.standard(chip, processor, processor.kernel_optimization);
        let unit = Unit::Kernel(kernel);
        let mut words = command::compile(self.toolchain, chip, processor, unit, &standard);
        words.extend(command::link(self.toolchain, chip, processor, unit, None));
        let mut parts = vec![self.toolchain.identity(), kernel.source.clone()];
        parts.extend(words.iter().map(|word| word.to_string_lossy().into_owned()));
        parts.extend(generated::files(kernel, chip).into_iter().map(|(_, text)| text));
        crate::device::digest(parts.iter().map(|part| part.as_bytes()))
    }

    /// A command line of the linker, complete.
    pub(super) fn link_words(
        &self,
        mut words: Vec<OsString>,
        chip: &Chip,
        objects: &[&str],
        object: &Path,
        output: &Path,
    ) -> Vec<OsString> {
        let folder = self.toolchain.objects.join(chip.family);
        words.extend(objects.iter().map(|name| folder.join(name).into()));
        words.push(object.into());
        words.extend(self.toolchain.adaptation.libraries.iter().cloned());
        words.extend(["-o".into(), output.into()]);
        words
    }

    /// Runs the compiler; gives back what it said.
    pub(super) fn run(
        &self,
        words: &[OsString],
        folder: &Path,
        action: &'static str,
        name: &str,
        chip: &Chip,
        processor: &Processor,
    ) -> Result<String, DeviceError> {
        let compiler = &self.toolchain.compiler;
        let output = Command::new(compiler)
            .args(words)
            .current_dir(folder)
            // Messages are read by people and by tests, not only in the language of the machine.
            .env("LC_ALL", "C")
            .output()
            .map_err(|error| DeviceError::Toolchain(format!("cannot run {}: {error}", compiler.display())))?;
        let said = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
        if output.status.success() {
            Ok(said)
        } else {
            Err(self.refused(action, name, chip, processor, said))
        }
    }

    fn refused(
        &self,
        action: &'static str,
        name: &str,
        chip: &Chip,
        processor: &Processor,
        output: String,
    ) -> DeviceError {
        DeviceError::Refused {
            action,
            name: name.to_string(),
            place: place(chip, processor),
            output,
        }
    }
}

/// How messages name a processor of a chip.
pub(super) fn place(chip: &Chip, processor: &Processor) -> String {
    format!("{} of {}", processor.name, chip.name)
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), DeviceError> {
    write_if_changed(path, text.as_bytes()).map_err(|error| match error {
        BuildError::File { action, path, error } => DeviceError::File { action, path, error },
        other => DeviceError::Plan(other.to_string()),
    })
}

/// A name beside `path` for it while it is not complete.
pub(super) fn partial_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.partial", std::process::id()));
    path.with_file_name(name)
}
