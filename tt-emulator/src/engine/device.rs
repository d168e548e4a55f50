//! An open emulated device: its memories, its buffers, its counters.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::allowed::Allowed;
use crate::arch::{Arch, ArchName, L1_SLOT_BYTES};
use crate::settings::{self, machine_threads};

use super::copying;
use super::counters::{MAX_DRAM_BANKS, RunCounters};
use super::memory::allocator::{Allocator, Direction};
use super::memory::machine::{BufferRange, Machine, Nodes};
use super::memory::region::Region;
use super::queue::Queue;
use super::sharding::Sharding;
use super::stores::Stores;

/// Transfers between host and device of at least this many bytes are spread over threads.
const PARALLEL_BYTES: usize = 4 << 20;

/// The most bytes of DRAM, over all banks, that are kept when their buffers are freed. What lies behind them is left to the system, which
/// takes it when it needs memory: a run with new tensors would spend a fifth of its time on the faults of new pages otherwise.
const KEPT_BYTES: u64 = 64 << 20;

/// Which memory a buffer lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// DRAM banks.
    Dram,
    /// The L1 of worker cores.
    L1,
}

/// Architecture chosen for a device id, until another is chosen.
static SELECTED: Mutex<Option<HashMap<i32, ArchName>>> = Mutex::new(None);

/// Counters of the last run on a device id.
static LAST_RUN: Mutex<Option<HashMap<i32, Arc<RunCounters>>>> = Mutex::new(None);

/// The devices that are open, by id.
static OPEN: Mutex<Vec<(i32, Weak<Device>)>> = Mutex::new(Vec::new());

/// What the next launch on a device id says about its stores.
static EXPECTED: Mutex<Option<HashMap<i32, Stores>>> = Mutex::new(None);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Chooses the architecture that device `id` has when it is opened next. Without a choice it is Wormhole B0.
pub fn select_arch(id: i32, arch: ArchName) {
    locked(&SELECTED).get_or_insert_default().insert(id, arch);
}

/// The architecture that device `id` has when it is opened next: the one chosen, else the one that `TT_EMULATOR_ARCH` names,
/// which is how a host program without Rust chooses, else Wormhole B0.
///
/// # Errors
/// Where the variable names no architecture.
pub fn selected_arch(id: i32) -> Result<ArchName, String> {
    let chosen = locked(&SELECTED)
        .as_ref()
        .and_then(|selected| selected.get(&id).copied());
    match chosen {
        Some(arch) => Ok(arch),
        None => {
            let named = settings::arch().map_err(|error| error.to_string())?;
            Ok(named.unwrap_or(ArchName::WormholeB0))
        }
    }
}

/// Counters of the last run of device `id`, kept when the device is closed.
pub fn last_run_counters(id: i32) -> Option<RunCounters> {
    let last = locked(&LAST_RUN).as_ref()?.get(&id).cloned();
    last.map(Arc::unwrap_or_clone)
}

/// Makes the live DRAM buffer at `address` of device `id` read as zero; memory that does already is not touched. False where there is no
/// such buffer, or more than one device of that id: then its owner has to write zeros.
pub fn zero_dram_buffer(id: i32, address: u64) -> bool {
    let mut open: Vec<Arc<Device>> = locked(&OPEN)
        .iter()
        .filter(|(known, _)| *known == id)
        .filter_map(|(_, device)| device.upgrade())
        .collect();
    match (open.pop(), open.is_empty()) {
        (Some(device), true) => device.zero_dram_buffer(address),
        _ => false,
    }
}

/// As [`Device::set_clock`], of the device opened as `id`; nothing where there is none.
pub fn set_clock(id: i32, on: bool) {
    let open = locked(&OPEN);
    let device = open
        .iter()
        .find(|(of, _)| *of == id)
        .and_then(|(_, device)| device.upgrade());
    if let Some(device) = device {
        device.set_clock(on);
    }
}

/// Says what the next launch on device `id` through the host API stores to, which has no call for that. What two of its cores
/// store is an error of that launch, and what none stores is counted ([`RunCounters::unstored`]).
pub fn expect_stores(id: i32, stores: Stores) {
    locked(&EXPECTED).get_or_insert_default().insert(id, stores);
}

/// What was said about the next launch on device `id`.
pub(crate) fn take_expected_stores(id: i32) -> Option<Stores> {
    locked(&EXPECTED).as_mut()?.remove(&id)
}

struct Allocations {
    dram: Allocator,
    l1: Allocator,
    dram_buffers: Vec<BufferRange>,
    l1_buffers: Vec<BufferRange>,
}

/// An emulated device.
pub struct Device {
    id: i32,
    arch: &'static Arch,
    nodes: Arc<Nodes>,
    l1: Region,
    dram: Vec<Region>,
    allocations: Mutex<Allocations>,
    /// Held while a program runs.
    running: Mutex<()>,
    queue: Queue,
    accumulated: Mutex<RunCounters>,
    allowed: Allowed,
    clock: AtomicBool,
}

impl Device {
    /// Opens device `id` with the architecture chosen for it.
    pub fn open(id: i32) -> Result<Arc<Device>, String> {
        Device::open_arch(id, selected_arch(id)?)
    }

    /// Opens device `id` as an architecture, whose programs may break the rules that the environment allows.
    ///
    /// # Errors
    /// Where the environment has a setting that no run could use, or there is no memory for the device.
    pub fn open_arch(id: i32, arch: ArchName) -> Result<Arc<Device>, String> {
        Device::open_allowing(id, arch, Allowed::of_environment()?)
    }

    /// Opens device `id` as an architecture, whose programs may break these rules.
    ///
    /// # Errors
    /// As [`Device::open_arch`].
    pub fn open_allowing(id: i32, arch: ArchName, allowed: Allowed) -> Result<Arc<Device>, String> {
        settings::check().map_err(|error| error.to_string())?;
        let arch = Arch::of(arch);
        let mut l1 = Region::map_low(arch.cores() * L1_SLOT_BYTES, L1_SLOT_BYTES)
            .map_err(|error| format!("cannot map the L1 of an emulated {}: {error}", arch.text))?;
        // What lies between the end of a core's L1 and the next core's is nobody's.
        (0..arch.cores())
            .try_for_each(|core| {
                let (offset, bytes) = (core * L1_SLOT_BYTES + arch.l1_bytes, L1_SLOT_BYTES - arch.l1_bytes);
                l1.forbid(offset, bytes)
            })
            .map_err(|error| format!("cannot guard the L1 of an emulated {}: {error}", arch.text))?;
        let dram = (0..arch.dram_banks)
            .map(|_| Region::map(arch.dram_bank_bytes as usize))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| format!("cannot map the DRAM of an emulated {}: {error}", arch.text))?;
        let allocations = Allocations {
            dram: Allocator::new(arch.dram_base, arch.dram_bank_bytes, arch.dram_read_alignment as u64),
            // Buffers in L1 start where buffers in DRAM may, so that one can be read into the other; their pages do not.
            l1: Allocator::new(
                arch.l1_unreserved_base() as u64,
                arch.l1_bytes as u64,
                arch.dram_read_alignment as u64,
            ),
            dram_buffers: Vec::new(),
            l1_buffers: Vec::new(),
        };
        let device = Arc::new(Device {
            id,
            arch,
            nodes: Arc::new(Nodes::of(arch)),
            l1,
            dram,
            allocations: Mutex::new(allocations),
            running: Mutex::new(()),
            queue: Queue::default(),
            accumulated: Mutex::new(RunCounters::default()),
            allowed,
            clock: AtomicBool::new(false),
        });
        let mut open = locked(&OPEN);
        open.retain(|(_, device)| device.strong_count() > 0);
        open.push((id, Arc::downgrade(&device)));
        Ok(device)
    }

    /// Makes the live buffer at `address` read as zero; false where there is none.
    fn zero_dram_buffer(&self, address: u64) -> bool {
        let _idle = self.lock_idle();
        // Held throughout, so that the buffer stays.
        let allocations = locked(&self.allocations);
        let Some(buffer) = allocations.dram_buffers.iter().find(|buffer| buffer.base == address) else {
            return false;
        };
        let (base, end) = (buffer.base, buffer.base + buffer.bank_bytes);
        for bank in &self.dram {
            // SAFETY: the allocator gave out a range inside every bank; no program runs, and only its owner copies to it.
            unsafe { bank.zero(base as usize, (end - base) as usize) };
        }
        true
    }

    /// Takes what a freed buffer of DRAM had: what lies low stays, for the next buffer, and the rest is the system's to take.
    fn keep_or_leave(&self, range: &BufferRange) {
        let (base, end) = (range.base, range.base + range.bank_bytes);
        let kept = (self.arch.dram_base + KEPT_BYTES / self.dram.len() as u64).clamp(base, end);
        for region in &self.dram {
            // SAFETY: the allocator gave out a range inside every bank. No program runs, and the host makes no references
            // into DRAM: it copies by pointers, and not while this is the one that found the device idle.
            unsafe { region.leave(kept as usize, (end - kept) as usize) };
        }
    }

    /// Its id.
    pub fn id(&self) -> i32 {
        self.id
    }

    /// Its architecture.
    pub fn arch(&self) -> &'static Arch {
        self.arch
    }

    /// Counters of all runs since the device was opened.
    pub fn accumulated_counters(&self) -> RunCounters {
        locked(&self.accumulated).clone()
    }

    /// Turns the clock on or off for the runs that come: whether their counters have what they would take on a chip.
    pub fn set_clock(&self, on: bool) {
        self.clock.store(on, Ordering::Relaxed);
    }

    /// Whether the clock is on.
    pub(crate) fn has_clock(&self) -> bool {
        self.clock.load(Ordering::Relaxed)
    }

    /// What was enqueued.
    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Waits until nothing is enqueued and no program runs, and keeps others from starting.
    fn lock_idle(&self) -> MutexGuard<'_, ()> {
        self.wait();
        self.lock_for_run()
    }

    /// Waits until no program runs, and keeps others from starting.
    pub(crate) fn lock_for_run(&self) -> MutexGuard<'_, ()> {
        locked(&self.running)
    }

    pub(crate) fn record_run(&self, counters: Arc<RunCounters>) {
        locked(&self.accumulated).add(&counters);
        locked(&LAST_RUN).get_or_insert_default().insert(self.id, counters);
    }

    /// Lowest L1 address that a buffer takes, in every core.
    pub(crate) fn lowest_l1_buffer(&self) -> u64 {
        locked(&self.allocations).l1.lowest()
    }

    /// What the live L1 buffer around `address` takes in every core.
    pub(crate) fn l1_buffer_at(&self, address: u64) -> Option<std::ops::Range<u64>> {
        let allocations = locked(&self.allocations);
        let mut ranges = allocations
            .l1_buffers
            .iter()
            .map(|buffer| buffer.base..buffer.base + buffer.bank_bytes);
        ranges.find(|range| range.contains(&address))
    }

    /// The address map as it is now.
    ///
    /// # Safety
    /// The device must be there as long as the machine, and whoever uses the machine have it for a run ([`Device::lock_for_run`]).
    pub(crate) unsafe fn machine(&self) -> Machine {
        let allocations = locked(&self.allocations);
        let mut dram = [std::ptr::null_mut(); MAX_DRAM_BANKS];
        for (pointer, region) in dram.iter_mut().zip(&self.dram) {
            *pointer = region.start();
        }
        let buffers = (allocations.dram_buffers.clone(), allocations.l1_buffers.clone());
        // SAFETY: the regions are the device's, and of the size that the architecture has; they are there, and used by nobody
        // else, as long as the machine is, as who calls says.
        let mut machine = unsafe {
            Machine::new(
                self.arch,
                self.nodes.clone(),
                self.l1.start(),
                dram,
                buffers.0,
                buffers.1,
            )
        };
        machine.allowed = self.allowed;
        machine
    }
}

/// A buffer of a device, interleaved over all banks or in shards; freed when dropped.
pub struct Buffer {
    device: Arc<Device>,
    kind: BufferKind,
    range: BufferRange,
    /// Bank and place in it of every page; none where pages are interleaved.
    placed: Option<Vec<(u32, u32)>>,
    size: u64,
    live: Mutex<bool>,
}

impl Buffer {
    /// Allocates `size` bytes in pages of `page_bytes`, interleaved over all banks.
    pub fn allocate(device: &Arc<Device>, kind: BufferKind, size: u64, page_bytes: u64) -> Result<Buffer, String> {
        Buffer::place(device, kind, size, page_bytes, None)
    }

    /// Allocates the pages of a tensor in shards.
    pub fn allocate_sharded(
        device: &Arc<Device>,
        kind: BufferKind,
        page_bytes: u64,
        sharding: &Sharding,
    ) -> Result<Buffer, String> {
        let banks = match kind {
            BufferKind::Dram => device.arch.dram_banks,
            BufferKind::L1 => device.arch.cores(),
        };
        sharding.check(banks)?;
        Buffer::place(device, kind, sharding.pages() * page_bytes, page_bytes, Some(sharding))
    }

    fn place(
        device: &Arc<Device>,
        kind: BufferKind,
        size: u64,
        page_bytes: u64,
        sharding: Option<&Sharding>,
    ) -> Result<Buffer, String> {
        let arch = device.arch;
        if size == 0 || page_bytes == 0 || !size.is_multiple_of(page_bytes) {
            return Err(format!(
                "a buffer of {size} bytes cannot have pages of {page_bytes} bytes: the size must be a positive multiple"
            ));
        }
        let (banks, alignment, direction) = match kind {
            BufferKind::Dram => (
                arch.dram_banks as u64,
                arch.dram_read_alignment as u64,
                Direction::BottomUp,
            ),
            BufferKind::L1 => (arch.cores() as u64, arch.l1_alignment as u64, Direction::TopDown),
        };
        let aligned = page_bytes.next_multiple_of(alignment);
        let pages = size / page_bytes;
        let rows = sharding.map_or(pages.div_ceil(banks), Sharding::pages_per_bank);
        let bank_bytes = rows * aligned;
        let taken = pages.div_ceil(rows.max(1)).min(banks);
        let narrow = |bytes: u64| u32::try_from(bytes).map_err(|_| format!("a page of {bytes} bytes is too large"));
        let (page_bytes, aligned_page_bytes) = (narrow(page_bytes)?, narrow(aligned)?);
        if kind == BufferKind::L1 {
            // Circular buffers lie below the L1 buffers that there are when a program runs.
            device.wait();
        }
        let mut allocations = locked(&device.allocations);
        let allocator = match kind {
            BufferKind::Dram => &mut allocations.dram,
            BufferKind::L1 => &mut allocations.l1,
        };
        let base = allocator.allocate(bank_bytes, direction).map_err(|largest| {
            format!(
                "out of memory: {size} bytes of {} need {bank_bytes} bytes in each of {taken} banks, the largest free range has {largest}",
                match kind {
                    BufferKind::Dram => "DRAM",
                    BufferKind::L1 => "L1",
                }
            )
        })?;
        let range = BufferRange {
            base,
            page_bytes,
            aligned_page_bytes,
            pages,
            bank_bytes,
            interleaved: sharding.is_none(),
        };
        let buffers = match kind {
            BufferKind::Dram => &mut allocations.dram_buffers,
            BufferKind::L1 => &mut allocations.l1_buffers,
        };
        let index = buffers.partition_point(|buffer| buffer.base < base);
        buffers.insert(index, range);
        drop(allocations);
        if kind == BufferKind::Dram {
            device
                .dram
                .iter()
                .for_each(|bank| bank.advise_huge(base as usize, bank_bytes as usize));
        }
        Ok(Buffer {
            device: device.clone(),
            kind,
            range,
            placed: sharding.map(|sharding| (0..pages).map(|page| sharding.place(page)).collect()),
            size,
            live: Mutex::new(true),
        })
    }

    /// Address of the first page in every bank.
    pub fn address(&self) -> u64 {
        self.range.base
    }

    /// Bytes of the buffer.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes of a page.
    pub fn page_bytes(&self) -> u32 {
        self.range.page_bytes
    }

    /// Bytes from one page of a bank to the next.
    pub fn aligned_page_bytes(&self) -> u32 {
        self.range.aligned_page_bytes
    }

    /// Which memory it lies in.
    pub fn kind(&self) -> BufferKind {
        self.kind
    }

    /// The device it belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Gives the memory back before the buffer is dropped.
    pub fn deallocate(&self) {
        let mut live = locked(&self.live);
        if !std::mem::replace(&mut *live, false) {
            return;
        }
        let _idle = self.device.lock_idle();
        let mut allocations = locked(&self.device.allocations);
        let base = self.range.base;
        match self.kind {
            BufferKind::Dram => {
                allocations.dram.free(base);
                allocations.dram_buffers.retain(|buffer| buffer.base != base);
                self.device.keep_or_leave(&self.range);
            }
            BufferKind::L1 => {
                allocations.l1.free(base);
                allocations.l1_buffers.retain(|buffer| buffer.base != base);
            }
        }
    }

    fn page_pointer(&self, page: u64) -> *mut u8 {
        let banks = match self.kind {
            BufferKind::Dram => self.device.dram.len(),
            BufferKind::L1 => self.device.arch.cores(),
        } as u64;
        let (row, bank) = match &self.placed {
            None => (page / banks, (page % banks) as usize),
            Some(placed) => {
                let (bank, row) = placed[page as usize];
                (u64::from(row), bank as usize)
            }
        };
        let offset = (self.range.base + row * u64::from(self.range.aligned_page_bytes)) as usize;
        let start = match self.kind {
            BufferKind::Dram => self.device.dram[bank].start(),
            BufferKind::L1 => self.device.l1.start().wrapping_add(bank * L1_SLOT_BYTES),
        };
        // The allocator gave out ranges inside every bank only.
        start.wrapping_add(offset)
    }

    /// The first page of a transfer of so many bytes from `offset` on.
    fn check_transfer(&self, offset: u64, bytes: usize) -> Result<u64, String> {
        let page_bytes = u64::from(self.range.page_bytes);
        let end = offset.checked_add(bytes as u64).filter(|end| *end <= self.size);
        if end.is_none_or(|end| !offset.is_multiple_of(page_bytes) || !end.is_multiple_of(page_bytes)) {
            return Err(format!(
                "a transfer of {bytes} bytes from byte {offset} on with a buffer of {} in pages of {page_bytes}",
                self.size
            ));
        }
        if !*locked(&self.live) {
            return Err("the buffer has been deallocated".to_owned());
        }
        Ok(offset / page_bytes)
    }

    fn check_whole(&self, bytes: usize) -> Result<(), String> {
        if bytes as u64 != self.size {
            return Err(format!("a transfer of {bytes} bytes with a buffer of {}", self.size));
        }
        Ok(())
    }

    /// Copies the whole buffer from the host.
    pub fn write(&self, data: &[u8]) -> Result<(), String> {
        self.check_whole(data.len())?;
        self.write_at(0, data)
    }

    /// Copies the whole buffer to the host.
    pub fn read(&self, data: &mut [u8]) -> Result<(), String> {
        self.check_whole(data.len())?;
        self.read_at(0, data)
    }

    /// Copies whole pages from the host, to `offset` bytes from the first one.
    pub fn write_at(&self, offset: u64, data: &[u8]) -> Result<(), String> {
        let first_page = self.check_transfer(offset, data.len())?;
        let _idle = self.device.lock_idle();
        let page_bytes = self.range.page_bytes as usize;
        let pages_per_part = self.pages_per_part(data.len());
        std::thread::scope(|scope| {
            let copy = move |part: usize, chunk: &[u8]| {
                for (index, page) in chunk.chunks_exact(page_bytes).enumerate() {
                    let target = self.page_pointer(first_page + (part * pages_per_part + index) as u64);
                    // SAFETY: a page of this live buffer; no program runs, and parts do not overlap.
                    unsafe { copying::stream(page.as_ptr(), target, page_bytes) };
                }
                copying::fence();
            };
            let mut parts = data.chunks(pages_per_part * page_bytes).enumerate();
            let first = parts.next();
            for (part, chunk) in parts {
                scope.spawn(move || copy(part, chunk));
            }
            if let Some((part, chunk)) = first {
                copy(part, chunk);
            }
        });
        Ok(())
    }

    /// Copies whole pages to the host, from `offset` bytes from the first one on.
    pub fn read_at(&self, offset: u64, data: &mut [u8]) -> Result<(), String> {
        let first_page = self.check_transfer(offset, data.len())?;
        let _idle = self.device.lock_idle();
        let page_bytes = self.range.page_bytes as usize;
        let pages_per_part = self.pages_per_part(data.len());
        std::thread::scope(|scope| {
            let copy = move |part: usize, chunk: &mut [u8]| {
                for (index, page) in chunk.chunks_exact_mut(page_bytes).enumerate() {
                    let number = first_page + (part * pages_per_part + index) as u64;
                    // The next page lies in another bank, where the host's own prefetcher does not look.
                    copying::prefetch(self.page_pointer((number + 1) % self.range.pages), page_bytes);
                    let source = self.page_pointer(number);
                    // SAFETY: a page of this live buffer; no program runs.
                    unsafe { copying::stream(source, page.as_mut_ptr(), page_bytes) };
                }
                copying::fence();
            };
            let mut parts = data.chunks_mut(pages_per_part * page_bytes).enumerate();
            let first = parts.next();
            for (part, chunk) in parts {
                scope.spawn(move || copy(part, chunk));
            }
            if let Some((part, chunk)) = first {
                copy(part, chunk);
            }
        });
        Ok(())
    }

    fn pages_per_part(&self, bytes: usize) -> usize {
        let threads = if bytes < PARALLEL_BYTES { 1 } else { machine_threads() };
        (bytes / self.range.page_bytes as usize).div_ceil(threads).max(1)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.deallocate();
    }
}
