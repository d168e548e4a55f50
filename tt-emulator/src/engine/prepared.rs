//! What is the same in all launches of a program on one architecture.
//!
//! Before: a program. After: its cores and circular buffers are there on the architecture, its kernels are compiled, and it is known
//! which of them a core runs. The first launch finds that out, and the program keeps it until it is changed.

use std::sync::Arc;

use crate::abi::KernelEntry;
use crate::arch::{Arch, ArchName};
use crate::compute::rules::SFPI;
use crate::kernel_object::{CbDescriptor, KernelError};
use crate::report::{Place, Report, cited};
use crate::rules;

use super::counters::{CoreCounters, RiscCounters};
use super::launch::LaunchError;
use super::program::{CbIndex, CircularBuffer, CoreCoord, Program, ProgramKernel};
use super::schedule::{OfCore, RISCS, turn};

/// A program on an architecture.
pub(crate) struct Prepared {
    arch: ArchName,
    /// The machine code of each kernel.
    pub entries: Vec<KernelEntry>,
    /// The cores that run kernels, in the order of their numbers.
    pub cores: Vec<PreparedCore>,
    /// L1 offset of every circular buffer, the same on all its cores; 0 of those that lie in L1 buffers.
    pub addresses: Vec<u32>,
    /// The core on which the others reach highest, and how high.
    pub fullest: (CoreCoord, u64),
}

/// A core that runs kernels of a program.
pub(crate) struct PreparedCore {
    /// Number in the grid, row by row.
    pub index: u16,
    pub logical: CoreCoord,
    pub kernels: OfCore,
    /// Which of the program's circular buffers it has, in their order.
    pub circular_buffers: Vec<usize>,
    /// Bit i is set where the program created semaphore i on it.
    pub semaphores: u32,
}

/// What is known of `program` on `arch`, from a launch before or found out now.
///
/// # Errors
/// Where the architecture has no such core or circular buffer, or a kernel cannot be compiled.
pub(crate) fn prepared(program: &Program, arch: &Arch) -> Result<Arc<Prepared>, LaunchError> {
    if let Some(known) = program.prepared.get().filter(|known| known.arch == arch.name) {
        return Ok(known.clone());
    }
    check_cores(program, arch)?;
    let prepared = Arc::new(Prepared::new(program, arch, compile(program, arch)?));
    // One of another architecture stays.
    let _ = program.prepared.set(prepared.clone());
    Ok(prepared)
}

impl Prepared {
    /// A checked program whose kernels have this machine code.
    pub fn new(program: &Program, arch: &Arch, entries: Vec<KernelEntry>) -> Prepared {
        let number = |(x, y): CoreCoord| y * arch.grid.0 + x;
        // By number.
        let mut cores: Vec<Option<PreparedCore>> = (0..arch.cores()).map(|_| None).collect();
        for (part, kernel) in program.kernels.iter().enumerate() {
            for (place, core) in kernel.cores.iter().enumerate() {
                let index = number(*core);
                let new = || PreparedCore {
                    index: index as u16,
                    logical: *core,
                    kernels: [None; RISCS],
                    circular_buffers: Vec::new(),
                    semaphores: 0,
                };
                let core = cores[index].get_or_insert_with(new);
                core.kernels[turn(kernel.kernel.risc())].get_or_insert((part, place));
            }
        }
        for (at, buffer) in program.circular_buffers.iter().enumerate() {
            for core in &buffer.cores {
                if let Some(core) = &mut cores[number(*core)] {
                    core.circular_buffers.push(at);
                }
            }
        }
        for semaphore in &program.semaphores {
            for core in &semaphore.cores {
                if let Some(core) = &mut cores[number(*core)] {
                    core.semaphores |= 1 << semaphore.id;
                }
            }
        }
        let (addresses, fullest) = placed(program, arch);
        Prepared {
            arch: arch.name,
            entries,
            cores: cores.into_iter().flatten().collect(),
            addresses,
            fullest,
        }
    }

    /// Counters of its cores, which have done nothing.
    pub fn counters(&self) -> Vec<CoreCounters> {
        let nothing = |core: &PreparedCore| CoreCounters {
            core: core.logical,
            counts: RiscCounters::default(),
        };
        self.cores.iter().map(nothing).collect()
    }
}

/// L1 offset of every circular buffer, above what its cores have already, and the core on which they reach highest.
fn placed(program: &Program, arch: &Arch) -> (Vec<u32>, (CoreCoord, u64)) {
    let base = arch.l1_unreserved_base() as u64;
    // By core, row by row.
    let mut ends = vec![base; arch.cores()];
    let number = |(x, y): &CoreCoord| y * arch.grid.0 + x;
    let mut place = |buffer: &CircularBuffer| {
        if buffer.global_address.is_some() {
            return 0;
        }
        let address = buffer.cores.iter().map(|core| ends[number(core)]).max().unwrap_or(base);
        let end = (address + u64::from(buffer.total_bytes)).next_multiple_of(arch.l1_alignment as u64);
        for core in &buffer.cores {
            ends[number(core)] = end;
        }
        address as u32
    };
    let addresses = program.circular_buffers.iter().map(&mut place).collect();
    let in_order = (0..arch.grid.0).flat_map(|x| (0..arch.grid.1).map(move |y| (x, y)));
    let fullest = in_order
        .map(|core| (core, ends[number(&core)]))
        .max_by_key(|(_, end)| *end);
    (addresses, fullest.unwrap_or(((0, 0), base)))
}

fn check_cores(program: &Program, arch: &Arch) -> Result<(), Box<Report>> {
    let kernels = program
        .kernels
        .iter()
        .map(|kernel| (kernel.kernel.file.clone(), &kernel.cores));
    let buffers = program
        .circular_buffers
        .iter()
        .map(|cb| (format!("circular buffer {}", cb.indices[0].id), &cb.cores));
    let semaphores = program
        .semaphores
        .iter()
        .map(|semaphore| (format!("semaphore {}", semaphore.id), &semaphore.cores));
    for (what, cores) in kernels.chain(buffers).chain(semaphores) {
        if let Some((x, y)) = cores.iter().find(|(x, y)| *x >= arch.grid.0 || *y >= arch.grid.1) {
            let (columns, rows) = arch.grid;
            let detail = format!(
                "{what} on core ({x},{y}); the grid of {} has {columns} columns and {rows} rows",
                arch.text
            );
            return Err(Report::launch(&rules::LAUNCH_CORE, detail));
        }
    }
    for index in program.circular_buffers.iter().flat_map(|cb| &cb.indices) {
        if usize::from(index.id) >= arch.circular_buffers {
            let detail = format!(
                "circular buffer {}; {} has ids 0 to {}",
                index.id,
                arch.text,
                arch.circular_buffers - 1
            );
            return Err(Report::launch(&rules::LAUNCH_CB_ID, detail));
        }
    }
    Ok(())
}

/// The machine code of each kernel; compiles what is not compiled yet, several kernels at a time.
fn compile(program: &Program, arch: &Arch) -> Result<Vec<KernelEntry>, LaunchError> {
    let results: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = program
            .kernels
            .iter()
            .map(|kernel| {
                let buffers = descriptors(program, &kernel.cores);
                match kernel.kernel.loaded_entry(arch.name, &buffers) {
                    Some(entry) => Err(entry),
                    None => Ok(scope.spawn(move || {
                        let entry = kernel.kernel.entry(arch.name, &buffers);
                        entry.map_err(|error| not_compiled(kernel, error))
                    })),
                }
            })
            .collect();
        let join = |handle| match handle {
            Err(entry) => Ok(entry),
            Ok(thread) => std::thread::ScopedJoinHandle::join(thread)
                .unwrap_or_else(|_| Err(LaunchError::Kernel("the kernel compiler's thread panicked".to_owned()))),
        };
        handles.into_iter().map(join).collect()
    });
    results.into_iter().collect()
}

/// Why a kernel has no machine code: a rule where it is in a language that is not emulated.
fn not_compiled(kernel: &ProgramKernel, error: KernelError) -> LaunchError {
    let KernelError::Sfpi { file, line, word } = error else {
        return LaunchError::Kernel(error.to_string());
    };
    let source = &kernel.kernel.request;
    let (code, marker) = match file == source.file {
        true => cited(&source.source, line),
        false => Default::default(),
    };
    let place = Place {
        code,
        source: marker,
        kernel: file,
        core: kernel.kernel.first_core,
        risc: kernel.kernel.risc(),
        line,
    };
    Box::new(Report {
        rule: &SFPI,
        place: Some(place),
        detail: format!("`{word}`"),
    })
    .into()
}

/// The circular buffers that some of `cores` have, by id.
fn descriptors(program: &Program, cores: &[CoreCoord]) -> Vec<CbDescriptor> {
    let here = program
        .circular_buffers
        .iter()
        .filter(|buffer| buffer.cores.iter().any(|core| cores.contains(core)));
    let describe = |index: &CbIndex| CbDescriptor {
        id: index.id,
        format: index.format,
        tile: index.tile,
    };
    let mut found: Vec<_> = here.flat_map(|buffer| buffer.indices.iter().map(describe)).collect();
    found.sort_by_key(|buffer| buffer.id);
    found.dedup_by_key(|buffer| buffer.id);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{BLACKHOLE, WORMHOLE_B0};
    use crate::data_format::DataFormat;

    fn buffer(id: u8, pages: u32) -> CircularBuffer {
        let index = CbIndex {
            id,
            format: DataFormat::Float16_b,
            page_bytes: 2048,
            tile: (32, 32),
        };
        CircularBuffer {
            cores: vec![(1, 0), (2, 3)],
            total_bytes: pages * 2048,
            indices: vec![index],
            global_address: None,
        }
    }

    #[test]
    fn a_program_is_prepared_anew_when_it_was_changed() {
        let pages = |program: &Program| {
            let prepared = prepared(program, &WORMHOLE_B0).unwrap();
            let base = WORMHOLE_B0.l1_unreserved_base() as u32;
            let before = prepared.addresses.iter().map(|address| (address - base) / 2048);
            (before.collect::<Vec<_>>(), prepared)
        };
        let mut program = Program::new();
        let first = program.create_circular_buffer(buffer(0, 2)).unwrap();
        let (before, known) = pages(&program);
        assert_eq!(before, [0]);
        assert!(Arc::ptr_eq(&known, &pages(&program).1));
        let other = prepared(&program, &BLACKHOLE).unwrap();
        assert!(!Arc::ptr_eq(&known, &other) && Arc::ptr_eq(&known, &pages(&program).1));
        program.create_circular_buffer(buffer(1, 1)).unwrap();
        assert_eq!(pages(&program).0, [0, 2]);
        let indices = buffer(0, 4).indices;
        program.change_circular_buffer(first, 4 * 2048, indices, None).unwrap();
        let (changed, known) = pages(&program);
        assert_eq!(changed, [0, 4]);
        program.create_semaphore(vec![(1, 0)], 0).unwrap();
        assert!(!Arc::ptr_eq(&known, &pages(&program).1));
    }
}
