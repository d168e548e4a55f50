//! An open device behind its lock: its buffers, its queue and its built programs.
//!
//! Buffers belong to the session, not to tensors: so closing frees everything in the right order, and a buffer that a
//! queued launch may still use lives until the queue has run, whoever dropped its tensor.

use crate::bridge::{self, Core, Memory, MeshBuffer, MeshDevice};
use crate::host_memory::Staging;
use crate::launch::{RuntimeArguments, Workload, WorkloadCache};
use crate::{Error, ErrorKind, Result};
use cxx::SharedPtr;
use std::collections::HashMap;
use tt_plan::{Bank, Shards};

/// An open device. Fields are dropped in order: programs, then buffers, then the device.
pub(crate) struct Session {
    /// Programs built for launches before.
    pub(crate) workloads: WorkloadCache,
    /// What launches before left of their temporaries, by the address of the kernel's static.
    temporaries: HashMap<usize, Vec<Temporary>>,
    buffers: HashMap<u64, SharedPtr<MeshBuffer>>,
    next_buffer: u64,
    /// Programs that lie on them.
    retired_programs: Vec<Workload>,
    /// Buffers released while launches were queued.
    retired: Vec<SharedPtr<MeshBuffer>>,
    /// Kernels that were enqueued and not waited for, each once.
    queued: Vec<&'static str>,
    /// Host memory for transfers.
    pub(crate) staging: Staging,
    mesh: SharedPtr<MeshDevice>,
}

/// The pages of a buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pages<'s> {
    /// So many, over all banks in turn.
    Interleaved(u64),
    /// Those of shards.
    InBanks(&'s Shards),
}

/// Memory of a temporary, which one launch of a kernel after the other uses: launches run in order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Temporary {
    pub(crate) buffer: u64,
    pub(crate) address: u32,
    pages: u64,
}

// SAFETY: the objects behind the pointers belong to this session alone, keep no thread-local state, and are only used
// under the lock of the device, one thread at a time.
unsafe impl Send for Session {}

impl Session {
    pub(crate) fn new(mesh: SharedPtr<MeshDevice>) -> Session {
        Session {
            workloads: WorkloadCache::default(),
            temporaries: HashMap::new(),
            buffers: HashMap::new(),
            next_buffer: 0,
            retired_programs: Vec::new(),
            retired: Vec::new(),
            queued: Vec::new(),
            staging: Staging::default(),
            mesh,
        }
    }

    /// The device, for building programs.
    pub(crate) fn mesh(&self) -> &SharedPtr<MeshDevice> {
        &self.mesh
    }

    /// A new DRAM buffer of `pages` pages, interleaved: its number and its address.
    pub(crate) fn allocate(&mut self, pages: u64, page_bytes: u32) -> Result<(u64, u32)> {
        self.allocate_in(Memory::Dram, Pages::Interleaved(pages), page_bytes)
    }

    /// A new buffer: its number and its address.
    pub(crate) fn allocate_in(&mut self, memory: Memory, pages: Pages<'_>, page_bytes: u32) -> Result<(u64, u32)> {
        let page_bytes = u64::from(page_bytes);
        let bytes = page_bytes
            * match pages {
                Pages::Interleaved(pages) => pages,
                Pages::InBanks(shards) => shards.pages() as u64,
            };
        let place = |mesh: &SharedPtr<MeshDevice>| match pages {
            Pages::Interleaved(_) => bridge::allocate(mesh, bytes, page_bytes, memory),
            Pages::InBanks(shards) => {
                let cores = shards.banks.iter().map(|bank| match *bank {
                    Bank::Dram(x) => Core { x, y: 0 },
                    Bank::L1(x, y) => Core { x, y },
                });
                let cores: Vec<Core> = cores.collect();
                // `Tiling::of` bounds pages to 32 bits, and shards are no more than pages.
                let of_bank = u32::try_from(shards.pages_of_bank()).unwrap_or(u32::MAX);
                bridge::allocate_in_banks(mesh, of_bank, page_bytes, memory, &cores)
            }
        };
        let mut buffer = place(&self.mesh);
        if buffer.is_err() && !(self.retired.is_empty() && self.temporaries.is_empty()) {
            // What was released is only held back for queued launches, and temporaries for launches to come.
            let temporaries = std::mem::take(&mut self.temporaries);
            temporaries
                .into_values()
                .flatten()
                .for_each(|temporary| self.release(temporary.buffer));
            self.finish()?;
            buffer = place(&self.mesh);
        }
        let failed = |error| {
            bridge::thrown(
                ErrorKind::Memory,
                &format!("cannot allocate {bytes} bytes on the device"),
                &error,
            )
        };
        let buffer = buffer.map_err(failed)?;
        let address = bridge::buffer_address(&buffer).map_err(failed)?;
        let address = u32::try_from(address).map_err(|_| {
            Error::new(
                ErrorKind::Memory,
                format!("the device gave the address {address}, beyond 32 bits"),
            )
        })?;
        let number = self.next_buffer;
        self.next_buffer += 1;
        self.buffers.insert(number, buffer);
        Ok((number, address))
    }

    /// Memory for the temporaries of a launch of `kernel`, of so many pages of so many bytes each: that of the launch before
    /// where it is as large.
    pub(crate) fn temporaries(&mut self, kernel: usize, sizes: &[(u64, u32)]) -> Result<Vec<Temporary>> {
        let mut kept = self.temporaries.remove(&kernel).unwrap_or_default().into_iter();
        let mut temporaries = Vec::with_capacity(sizes.len());
        for (pages, page_bytes) in sizes {
            let before = kept.next();
            if let Some(before) = before.filter(|before| before.pages == *pages) {
                temporaries.push(before);
                continue;
            }
            if let Some(before) = before {
                self.release(before.buffer);
            }
            match self.allocate(*pages, *page_bytes) {
                Ok((buffer, address)) => temporaries.push(Temporary {
                    buffer,
                    address,
                    pages: *pages,
                }),
                Err(error) => {
                    let others = temporaries.into_iter().chain(kept);
                    others.for_each(|temporary| self.release(temporary.buffer));
                    return Err(error);
                }
            }
        }
        if !temporaries.is_empty() {
            self.temporaries.insert(kernel, temporaries.clone());
        }
        Ok(temporaries)
    }

    /// Frees a buffer, once nothing queued can use it.
    pub(crate) fn release(&mut self, buffer: u64) {
        let programs = self.workloads.lying_on(buffer);
        let buffer = self.buffers.remove(&buffer);
        if !self.queued.is_empty() {
            self.retired_programs.extend(programs);
            self.retired.extend(buffer);
        }
    }

    pub(crate) fn buffer(&self, number: u64) -> Result<&SharedPtr<MeshBuffer>> {
        // Tensors hold the numbers of live buffers only.
        self.buffers
            .get(&number)
            .ok_or_else(|| Error::new(ErrorKind::Memory, "the tensor has no memory on the device"))
    }

    /// Copies pages to a buffer, `offset` bytes from its first one, after everything queued.
    pub(crate) fn write(&mut self, buffer: u64, offset: usize, bytes: &[u8]) -> Result<()> {
        self.finish()?;
        let result = bridge::write_buffer(&self.mesh, self.buffer(buffer)?, offset as u64, bytes);
        self.waited(result, || "cannot write to the device".to_owned())
    }

    /// Copies pages from a buffer, from `offset` bytes from its first one on, after everything queued.
    pub(crate) fn read(&mut self, buffer: u64, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.finish()?;
        let result = bridge::read_buffer(&self.mesh, self.buffer(buffer)?, offset as u64, bytes);
        self.waited(result, || "cannot read from the device".to_owned())
    }

    /// The compile-time words of the accessor of a buffer.
    pub(crate) fn accessor_words(&self, buffer: u64) -> Result<Vec<u32>> {
        bridge::accessor_words(self.buffer(buffer)?)
            .map_err(|error| bridge::thrown(ErrorKind::Kernel, "cannot describe a tensor to a kernel", &error))
    }

    /// Runs a workload, after everything queued, with these runtime arguments, or with those that it has. Errors say that it is of a
    /// kernel, as it is `described`.
    pub(crate) fn run(
        &mut self,
        workload: &mut Workload,
        arguments: Option<RuntimeArguments>,
        blocking: bool,
        (kernel, described): (&'static str, impl Fn() -> String),
    ) -> Result<()> {
        let doing = || format!("kernel `{}` failed", described());
        let Workload {
            workload,
            kernels,
            cores,
            arguments: before,
            lies_on: _,
        } = workload;
        if let Some(arguments) = arguments {
            // Where setting them fails, nobody knows which are set.
            let set = before.take();
            for (at, ((role, handle), (of, words))) in kernels.iter().zip(&arguments.words).enumerate() {
                debug_assert_eq!(role, of);
                let set = set.as_ref().and_then(|set| set.words.get(at));
                if set.is_some_and(|(_, set)| set == words) {
                    continue;
                }
                bridge::set_runtime_args(workload.pin_mut(), *handle, cores, words)
                    .map_err(|error| bridge::thrown(ErrorKind::Run, &doing(), &error))?;
            }
            *before = Some(arguments);
        }
        let result = bridge::enqueue_workload(&self.mesh, workload.pin_mut(), blocking);
        if blocking {
            return self.waited(result, doing);
        }
        result.map_err(|error| bridge::failed_run(&doing(), &error))?;
        if !self.queued.contains(&kernel) {
            self.queued.push(kernel);
        }
        Ok(())
    }

    /// Waits for everything queued.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let doing = match self.queued.as_slice() {
            [] => return Ok(()),
            [kernel] => format!("kernel `{kernel}`, which was enqueued, failed"),
            kernels => format!("one of the enqueued kernels `{}` failed", kernels.join("`, `")),
        };
        let result = bridge::finish(&self.mesh);
        self.waited(result, || doing)
    }

    /// After a blocking call: nothing is queued any more, unless that cannot be waited for.
    fn waited(
        &mut self,
        result: std::result::Result<(), cxx::Exception>,
        doing: impl FnOnce() -> String,
    ) -> Result<()> {
        // What failed once is not waited for again, and what was released may be what it had no room for.
        if result.is_ok() || bridge::finish(&self.mesh).is_ok() {
            self.queued.clear();
            self.retired_programs.clear();
            self.retired.clear();
        }
        result.map_err(|error| bridge::failed_run(&doing(), &error))
    }

    /// Waits, frees everything and closes the device.
    pub(crate) fn close(mut self) -> Result<()> {
        let finished = self.finish();
        self.workloads = WorkloadCache::default();
        self.temporaries.clear();
        self.buffers.clear();
        let closed = bridge::close_device(&self.mesh)
            .map_err(|error| bridge::thrown(ErrorKind::Device, "cannot close the device", &error));
        finished.and(closed)
    }
}

#[cfg(all(test, not(tt_metal_sdk)))]
mod tests {
    use crate::{Device, ErrorKind, Result};

    /// A quarter of the device's memory in tiles of `f32`.
    const PAGES: u64 = (3 << 30) / 4096;

    #[test]
    fn released_buffers_free_the_device_and_queued_launches_hold_them_back() -> Result<()> {
        let device = Device::open_named("emulator")?;
        device.core().with(|session| {
            for _ in 0..20 {
                let (buffer, _) = session.allocate(PAGES, 4096)?;
                session.release(buffer);
            }
            let buffers = [(); 3].map(|()| session.allocate(PAGES, 4096));
            assert_eq!(session.allocate(PAGES * 2, 4096).unwrap_err().kind(), ErrorKind::Memory);
            session.queued.push("copy");
            for buffer in buffers {
                session.release(buffer?.0);
            }
            assert_eq!(session.retired.len(), 3);
            // More than is free: waits for the queue and takes what it held back.
            session.allocate(PAGES * 2, 4096)?;
            assert!(session.retired.is_empty() && session.queued.is_empty());
            Ok(())
        })
    }
}
