//! A program: kernels with their cores and arguments, circular buffers, semaphores. No device is known yet.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::abi::KernelEntry;
use crate::arch::{ArchName, MAX_RUNTIME_ARGS, SEMAPHORES};
use crate::data_format::DataFormat;
use crate::kernel_config::{DataMovementProcessor, KernelRole};
use crate::kernel_object::{CbDescriptor, KernelError, KernelSource};
use crate::report::{Report, RiscName};
use crate::rules;

use super::prepared::Prepared;
use super::stores::Stores;

/// Logical coordinates of a core.
pub type CoreCoord = (usize, usize);

/// A kernel of a program, compiled at most once per architecture.
pub struct Kernel {
    /// Name of the source file.
    pub file: String,
    /// Source, arguments and defines.
    pub request: KernelSource,
    /// Which RISC, and how.
    pub role: KernelRole,
    /// Upper left corner of the cores it runs on.
    pub first_core: CoreCoord,
    entries: Mutex<Vec<(ArchName, Vec<CbDescriptor>, KernelEntry)>>,
}

impl Kernel {
    /// The RISC it runs on.
    pub fn risc(&self) -> RiscName {
        match &self.role {
            KernelRole::DataMovement {
                processor: DataMovementProcessor::Brisc,
                ..
            } => RiscName::Brisc,
            KernelRole::DataMovement {
                processor: DataMovementProcessor::Ncrisc,
                ..
            } => RiscName::Ncrisc,
            KernelRole::Compute(_) => RiscName::Trisc,
        }
    }

    /// The entry, if it is known already.
    pub(crate) fn loaded_entry(&self, arch: ArchName, buffers: &[CbDescriptor]) -> Option<KernelEntry> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries
            .iter()
            .find(|(compiled, known, _)| *compiled == arch && known == buffers)
            .map(|(_, _, entry)| *entry)
    }

    /// The compiled kernel: registered ahead of time, from the cache, or compiled now. `buffers` are the circular buffers
    /// of its cores.
    pub(crate) fn entry(&self, arch: ArchName, buffers: &[CbDescriptor]) -> Result<KernelEntry, KernelError> {
        if let Some(entry) = self.loaded_entry(arch, buffers) {
            return Ok(entry);
        }
        let entry = crate::kernel_object::load(&self.request, &self.role, arch, buffers)?;
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((arch, buffers.to_vec(), entry));
        Ok(entry)
    }
}

/// A kernel in its program.
#[derive(Clone)]
pub(crate) struct ProgramKernel {
    pub kernel: Arc<Kernel>,
    pub cores: Vec<CoreCoord>,
    /// Unique arguments, in the order of the cores; none where they were not set.
    pub arguments: Vec<Option<Vec<u32>>>,
    pub common_arguments: Option<Vec<u32>>,
}

impl ProgramKernel {
    /// Where a core is among its cores.
    fn place_of(&self, core: CoreCoord) -> Option<usize> {
        self.cores.iter().position(|other| *other == core)
    }
}

/// One index of a circular buffer.
#[derive(Clone, Copy, Debug)]
pub struct CbIndex {
    /// The id on the core.
    pub id: u8,
    /// Format of its tiles.
    pub format: DataFormat,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Rows and columns of a tile.
    pub tile: (u32, u32),
}

/// A circular buffer of a program; several ids may share its memory.
#[derive(Clone, Debug)]
pub struct CircularBuffer {
    /// Cores that have it.
    pub cores: Vec<CoreCoord>,
    /// Bytes of the ring.
    pub total_bytes: u32,
    /// Its ids.
    pub indices: Vec<CbIndex>,
    /// Address of the L1 buffer it lies in, where it is not allocated by the launch.
    pub global_address: Option<u64>,
}

#[derive(Clone)]
pub(crate) struct Semaphore {
    pub id: u32,
    pub cores: Vec<CoreCoord>,
    pub initial: u32,
}

/// A program.
#[derive(Clone, Default)]
pub struct Program {
    pub(crate) kernels: Vec<ProgramKernel>,
    pub(crate) circular_buffers: Vec<CircularBuffer>,
    pub(crate) semaphores: Vec<Semaphore>,
    /// What the launch says about its stores.
    pub(crate) stores: Option<Stores>,
    /// What launches before have found out, of the kernels, circular buffers and semaphores as they are.
    pub(crate) prepared: OnceLock<Arc<Prepared>>,
}

type Checked<T> = Result<T, Box<Report>>;

impl Program {
    /// An empty program.
    pub fn new() -> Program {
        Program::default()
    }

    /// Says what the launch stores to: an element that two blocks store is an error then, and what none stores is counted.
    pub fn expect_stores(&mut self, stores: Option<Stores>) {
        self.stores = stores;
    }

    /// Adds a kernel on `cores`; gives its handle.
    pub fn create_kernel(&mut self, request: KernelSource, role: KernelRole, cores: Vec<CoreCoord>) -> Checked<usize> {
        let first_core = (
            cores.iter().map(|core| core.0).min().unwrap_or(0),
            cores.iter().map(|core| core.1).min().unwrap_or(0),
        );
        let kernel = Kernel {
            file: request.file.clone(),
            request,
            role,
            first_core,
            entries: Mutex::default(),
        };
        for other in &self.kernels {
            let Some(core) = other.cores.iter().find(|core| cores.contains(core)) else {
                continue;
            };
            if other.kernel.risc() == kernel.risc() {
                let detail = format!(
                    "{} and {} on {} of core {core:?}",
                    other.kernel.file,
                    kernel.file,
                    kernel.risc()
                );
                return Err(Report::launch(&rules::LAUNCH_RISC_TAKEN, detail));
            }
            if let (KernelRole::DataMovement { noc: taken, .. }, KernelRole::DataMovement { noc, .. }) =
                (&other.kernel.role, &kernel.role)
                && taken == noc
            {
                let detail = format!(
                    "{} and {} use NoC {noc} on core {core:?}",
                    other.kernel.file, kernel.file
                );
                return Err(Report::launch(&rules::LAUNCH_NOC_TAKEN, detail));
            }
        }
        self.prepared.take();
        self.kernels.push(ProgramKernel {
            kernel: Arc::new(kernel),
            arguments: vec![None; cores.len()],
            cores,
            common_arguments: None,
        });
        Ok(self.kernels.len() - 1)
    }

    /// Adds a circular buffer; gives its handle.
    pub fn create_circular_buffer(&mut self, buffer: CircularBuffer) -> Checked<usize> {
        check_circular_buffer(&buffer)?;
        for index in &buffer.indices {
            let taken = self.circular_buffers.iter().find_map(|other| {
                let same = other.indices.iter().any(|taken| taken.id == index.id);
                same.then(|| other.cores.iter().find(|core| buffer.cores.contains(core)))
                    .flatten()
            });
            if let Some(core) = taken {
                let detail = format!("circular buffer {} is created twice on core {core:?}", index.id);
                return Err(Report::launch(&rules::LAUNCH_CB_ID, detail));
            }
        }
        self.prepared.take();
        self.circular_buffers.push(buffer);
        Ok(self.circular_buffers.len() - 1)
    }

    /// Gives a circular buffer another size, other pages or another address; its cores and ids stay.
    pub fn change_circular_buffer(
        &mut self,
        handle: usize,
        total_bytes: u32,
        indices: Vec<CbIndex>,
        global_address: Option<u64>,
    ) -> Checked<()> {
        let buffer = self.circular_buffers.get_mut(handle);
        let buffer = buffer
            .ok_or_else(|| Report::launch(&rules::LAUNCH_CB_ID, format!("no circular buffer has handle {handle}")))?;
        let changed = CircularBuffer {
            cores: buffer.cores.clone(),
            total_bytes,
            indices,
            global_address,
        };
        check_circular_buffer(&changed)?;
        *buffer = changed;
        self.prepared.take();
        Ok(())
    }

    /// Adds a semaphore on `cores`; gives its id.
    pub fn create_semaphore(&mut self, cores: Vec<CoreCoord>, initial: u32) -> Checked<u32> {
        let taken = |id: &u32| {
            self.semaphores
                .iter()
                .any(|other| other.id == *id && other.cores.iter().any(|core| cores.contains(core)))
        };
        let Some(id) = (0..SEMAPHORES as u32).find(|id| !taken(id)) else {
            return Err(Report::launch(
                &rules::LAUNCH_SEMAPHORES,
                format!("all {SEMAPHORES} are taken on some core"),
            ));
        };
        self.prepared.take();
        self.semaphores.push(Semaphore { id, cores, initial });
        Ok(id)
    }

    fn kernel_mut(&mut self, kernel: usize) -> Checked<&mut ProgramKernel> {
        let count = self.kernels.len();
        self.kernels.get_mut(kernel).ok_or_else(|| {
            Report::launch(
                &rules::LAUNCH_KERNEL,
                format!("kernel {kernel}, the program has {count}"),
            )
        })
    }

    /// Sets the unique runtime arguments of a kernel on a core.
    pub fn set_runtime_args(&mut self, kernel: usize, core: CoreCoord, words: &[u32]) -> Checked<()> {
        let kernel = self.kernel_mut(kernel)?;
        let Some(place) = kernel.place_of(core) else {
            let detail = format!(
                "runtime arguments for {} on core {core:?}, where it does not run",
                kernel.kernel.file
            );
            return Err(Report::launch(&rules::LAUNCH_KERNEL, detail));
        };
        let common = kernel.common_arguments.as_ref().map_or(0, Vec::len);
        check_argument_count(kernel, words.len() + common)?;
        if let Some(before) = &mut kernel.arguments[place] {
            if before.len() != words.len() {
                let detail = format!(
                    "{} on core {core:?}: {} words, {} before",
                    kernel.kernel.file,
                    words.len(),
                    before.len()
                );
                return Err(Report::launch(&rules::LAUNCH_ARGUMENTS_CHANGED, detail));
            }
            before.copy_from_slice(words);
        } else {
            kernel.arguments[place] = Some(words.to_vec());
        }
        Ok(())
    }

    /// Sets the common runtime arguments of a kernel.
    pub fn set_common_runtime_args(&mut self, kernel: usize, words: &[u32]) -> Checked<()> {
        let kernel = self.kernel_mut(kernel)?;
        let unique = kernel.arguments.iter().flatten().map(Vec::len).max().unwrap_or(0);
        check_argument_count(kernel, words.len() + unique)?;
        if kernel.common_arguments.is_some() {
            let detail = format!(
                "{}: common arguments can be set once, then only changed in place",
                kernel.kernel.file
            );
            return Err(Report::launch(&rules::LAUNCH_ARGUMENTS_CHANGED, detail));
        }
        kernel.common_arguments = Some(words.to_vec());
        Ok(())
    }

    /// The unique runtime arguments of a kernel on a core, to be changed in place.
    pub fn runtime_args(&mut self, kernel: usize, core: CoreCoord) -> Checked<&mut [u32]> {
        let kernel = self.kernel_mut(kernel)?;
        let place = kernel.place_of(core);
        let file = &kernel.kernel.file;
        let words = place.and_then(|place| kernel.arguments[place].as_mut());
        let words = words.ok_or_else(|| {
            Report::launch(
                &rules::LAUNCH_KERNEL,
                format!("no runtime arguments were set for {file} on core {core:?}"),
            )
        })?;
        Ok(words.as_mut_slice())
    }

    /// The common runtime arguments of a kernel, to be changed in place.
    pub fn common_runtime_args(&mut self, kernel: usize) -> Checked<&mut [u32]> {
        let kernel = self.kernel_mut(kernel)?;
        Ok(kernel.common_arguments.get_or_insert_default().as_mut_slice())
    }
}

fn check_argument_count(kernel: &ProgramKernel, words: usize) -> Checked<()> {
    if words > MAX_RUNTIME_ARGS {
        let detail = format!(
            "{} would have {words} words, at most {MAX_RUNTIME_ARGS} fit",
            kernel.kernel.file
        );
        return Err(Report::launch(&rules::LAUNCH_ARGUMENTS, detail));
    }
    Ok(())
}

fn check_circular_buffer(buffer: &CircularBuffer) -> Checked<()> {
    if buffer.indices.is_empty() {
        return Err(Report::launch(
            &rules::LAUNCH_CB_ID,
            "a circular buffer without an index".to_owned(),
        ));
    }
    for index in &buffer.indices {
        let detail = if index.page_bytes == 0 {
            format!("circular buffer {} has no page size", index.id)
        } else if buffer.total_bytes == 0 || !buffer.total_bytes.is_multiple_of(index.page_bytes) {
            format!(
                "circular buffer {} of {} bytes in pages of {}",
                index.id, buffer.total_bytes, index.page_bytes
            )
        } else if !index.page_bytes.is_multiple_of(4) {
            format!(
                "circular buffer {} has pages of {} bytes, which is no multiple of 4",
                index.id, index.page_bytes
            )
        } else if buffer.total_bytes / index.page_bytes > u32::from(u16::MAX) {
            format!("circular buffer {} has more than {} pages", index.id, u16::MAX)
        } else {
            continue;
        };
        return Err(Report::launch(&rules::LAUNCH_CB_SIZE, detail));
    }
    Ok(())
}
