//! Circular buffers: the counters that a core's RISCs share, and the pointers that each RISC keeps for itself.
//!
//! As on the chip, occupancy is the difference of two 16-bit counters, and a pointer wraps only where it lands on the
//! ring's limit. The windows (pages reserved, pages waited for) exist only here: they are what the checks are about.

use std::cell::Cell;

use crate::abi::cb_pointer;
use crate::clock::Event;
use crate::data_format::DataFormat;
use crate::report::RiscName;
use crate::rules;

use super::core::bits;
use super::risc::{Risc, Wait};

/// What a program says about a circular buffer, at its address on one core.
#[derive(Clone, Debug)]
pub(crate) struct CbConfig {
    /// Kernel-visible address of the first page.
    pub base: u32,
    /// Bytes of the ring.
    pub bytes: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Pages of the ring; 0 where the core does not have this buffer.
    pub pages: u32,
    /// Format of the tiles in it.
    pub format: DataFormat,
    /// Rows of a tile.
    pub tile_rows: u32,
    /// Columns of a tile.
    pub tile_columns: u32,
    /// Whether its pages are those of a buffer: what they hold is there before the run and stays after it.
    pub on_buffer: bool,
}

impl CbConfig {
    /// A buffer that is not there.
    pub const NONE: CbConfig = CbConfig {
        base: 0,
        bytes: 0,
        page_bytes: 0,
        pages: 0,
        format: DataFormat::Float16_b,
        tile_rows: 32,
        tile_columns: 32,
        on_buffer: false,
    };
}

/// A circular buffer of a core.
pub(crate) struct CoreCb {
    pub config: CbConfig,
    received: Cell<u16>,
    acked: Cell<u16>,
    producer: Cell<Option<RiscName>>,
    consumer: Cell<Option<RiscName>>,
    /// RISCs that reserved pages or waited for some, one bit each.
    users: Cell<u8>,
}

impl CoreCb {
    pub fn new(config: CbConfig) -> CoreCb {
        CoreCb {
            config,
            received: Cell::new(0),
            acked: Cell::new(0),
            producer: Cell::new(None),
            consumer: Cell::new(None),
            users: Cell::new(0),
        }
    }

    /// Whether RISCs besides `name` use it.
    fn is_shared_with_others(&self, name: RiscName) -> bool {
        self.users.get() & !(1 << name as u8) != 0
    }

    /// Notes that a RISC uses it.
    #[inline]
    fn note_user(&self, name: RiscName) {
        self.users.set(self.users.get() | 1 << name as u8);
    }

    /// Pages that are filled.
    #[inline]
    pub fn filled(&self) -> u16 {
        self.received.get().wrapping_sub(self.acked.get())
    }

    /// Pages that are free. None where more were given back than handed over: the difference has wrapped.
    #[inline]
    pub fn free(&self) -> u32 {
        self.config.pages.saturating_sub(u32::from(self.filled()))
    }

    /// Whether its pages are those of a buffer that was filled before the run: nobody hands them over.
    fn is_filled_before(&self) -> bool {
        self.config.on_buffer && self.producer.get().is_none()
    }
}

/// What one RISC knows of a circular buffer.
#[derive(Clone, Copy, Default)]
pub(crate) struct CbView {
    /// Kernel-visible address where the next push starts.
    pub write: u32,
    /// Kernel-visible address where the next pop starts.
    pub read: u32,
    /// Pages granted by reserve and not yet pushed.
    pub reserved: u32,
    /// Pages seen by wait and not yet popped.
    pub waited: u32,
    /// Slot that the next sequential pack goes to.
    pub pack_slot: u32,
    /// Whether this RISC ever pushed.
    pub pushed: bool,
    /// Whether this RISC ever popped.
    pub popped: bool,
}

impl Risc {
    /// The configuration of circular buffer `cb` on this core.
    #[inline]
    pub fn cb(&mut self, cb: u32, line: i32) -> &CbConfig {
        self.check_cb(cb, line);
        &self.core.cbs[cb as usize].config
    }

    #[inline]
    fn check_cb(&mut self, cb: u32, line: i32) {
        if self.viewed.unbounded_shr(cb) & 1 == 0 {
            self.begin_view(cb, line);
        }
    }

    /// Begins to look at a circular buffer: all pointers at its start.
    #[cold]
    fn begin_view(&mut self, cb: u32, line: i32) {
        let at = cb as usize;
        let Some(config) = self
            .core
            .cbs
            .get(at)
            .map(|cb| &cb.config)
            .filter(|config| config.pages != 0)
        else {
            self.violation(
                &rules::CB_NOT_CONFIGURED,
                line,
                format!(
                    "circular buffer {cb} is not configured on this core ({} has ids 0 to {})",
                    self.arch.text,
                    self.arch.circular_buffers - 1
                ),
            );
        };
        let view = CbView {
            read: config.base,
            write: config.base,
            ..CbView::default()
        };
        if self.views.len() <= at {
            self.views.resize(at + 1, CbView::default());
        }
        self.views[at] = view;
        self.viewed |= 1 << cb;
    }

    /// Waits until `pages` pages are free at the back.
    #[inline]
    pub fn cb_reserve_back(&mut self, cb: u32, pages: u32, line: i32) {
        self.check_cb(cb, line);
        let shared = &self.core.cbs[cb as usize];
        shared.note_user(self.name);
        if pages > shared.config.pages {
            let detail = format!(
                "cb_reserve_back({cb}, {pages}), the circular buffer has {} pages",
                shared.config.pages
            );
            self.violation(&rules::CB_RESERVE_CAPACITY, line, detail);
        }
        if shared.free() < pages {
            self.block(Wait::Back { cb, pages }, line);
        }
        let view = &mut self.views[cb as usize];
        view.reserved = view.reserved.max(pages);
        let (cb, pages) = (cb as u8, pages as u16);
        self.note(Event::Reserve { cb, pages });
    }

    /// Waits until `pages` pages are filled at the front.
    #[inline]
    pub fn cb_wait_front(&mut self, cb: u32, pages: u32, line: i32) {
        self.check_cb(cb, line);
        let shared = &self.core.cbs[cb as usize];
        shared.note_user(self.name);
        if pages > shared.config.pages {
            let detail = format!(
                "cb_wait_front({cb}, {pages}), the circular buffer has {} pages",
                shared.config.pages
            );
            self.violation(&rules::CB_WAIT_CAPACITY, line, detail);
        }
        if u32::from(shared.filled()) < pages {
            self.block(Wait::Front { cb, pages }, line);
        }
        let view = &mut self.views[cb as usize];
        view.waited = view.waited.max(pages);
        let (cb, pages) = (cb as u8, pages as u16);
        self.note(Event::Wait { cb, pages });
    }

    /// Hands `pages` reserved pages to the consumer.
    #[inline]
    pub fn cb_push_back(&mut self, cb: u32, pages: u32, line: i32) {
        self.check_cb(cb, line);
        self.require_packed(line);
        let name = self.name;
        let shared = &self.core.cbs[cb as usize];
        let producer = shared.producer.get().unwrap_or(name);
        shared.producer.set(Some(producer));
        if producer != name {
            let detail = format!("{name} pushes to circular buffer {cb}, {producer} did before");
            self.violation(&rules::CB_SECOND_PRODUCER, line, detail);
        }
        // Pages of a buffer are filled already: they may be handed over as they are where they are free.
        let has_room = pages <= shared.free();
        let as_they_are = shared.config.on_buffer && has_room;
        let reserved = self.views[cb as usize].reserved;
        if pages > reserved && !as_they_are {
            let rule = &rules::CB_PUSH_BEYOND_RESERVE;
            let detail = format!("cb_push_back({cb}, {pages}), reserved are {reserved}");
            if !has_room || !self.is_allowed(rule, line, &detail) {
                self.violation(rule, line, detail);
            }
        }
        let shared = &self.core.cbs[cb as usize];
        let view = &mut self.views[cb as usize];
        let (start, bytes) = (view.write, pages * shared.config.page_bytes);
        let limit = shared.config.base + shared.config.bytes;
        if start + bytes > limit {
            let left = (limit - start) / shared.config.page_bytes;
            let detail = format!(
                "cb_push_back({cb}, {pages}) with {left} of {} pages left before the end",
                shared.config.pages
            );
            self.violation(&rules::CB_STRADDLE, line, detail);
        }
        view.write = if start + bytes == limit {
            shared.config.base
        } else {
            start + bytes
        };
        view.reserved = view.reserved.saturating_sub(pages);
        view.pack_slot = 0;
        view.pushed = true;
        shared.received.set(shared.received.get().wrapping_add(pages as u16));
        self.counters.pages_pushed += u64::from(pages);
        self.note(Event::Push {
            cb: cb as u8,
            pages: pages as u16,
        });
        if self.transfers.has_reads() {
            self.check_pushed_reads(cb, start, bytes, line);
        }
    }

    /// Gives `pages` waited pages back to the producer.
    #[inline]
    pub fn cb_pop_front(&mut self, cb: u32, pages: u32, line: i32) {
        self.check_cb(cb, line);
        let name = self.name;
        let shared = &self.core.cbs[cb as usize];
        let consumer = shared.consumer.get().unwrap_or(name);
        shared.consumer.set(Some(consumer));
        if consumer != name {
            let detail = format!("{name} pops from circular buffer {cb}, {consumer} did before");
            self.violation(&rules::CB_SECOND_CONSUMER, line, detail);
        }
        let waited = self.views[cb as usize].waited;
        if pages > waited {
            let rule = &rules::CB_POP_BEYOND_WAIT;
            let detail = format!("cb_pop_front({cb}, {pages}), waited for are {waited}");
            if !shared.is_filled_before() || !self.is_allowed(rule, line, &detail) {
                self.violation(rule, line, detail);
            }
        }
        let shared = &self.core.cbs[cb as usize];
        let view = &self.views[cb as usize];
        let (start, bytes) = (view.read, pages * shared.config.page_bytes);
        let limit = shared.config.base + shared.config.bytes;
        if start + bytes > limit {
            let left = (limit - start) / shared.config.page_bytes;
            let detail = format!(
                "cb_pop_front({cb}, {pages}) with {left} of {} pages left before the end",
                shared.config.pages
            );
            self.violation(&rules::CB_STRADDLE, line, detail);
        }
        if self.transfers.has_writes() {
            self.check_popped_writes(cb, start, bytes, line);
        }
        let shared = &self.core.cbs[cb as usize];
        let view = &mut self.views[cb as usize];
        view.read = if start + bytes == limit {
            shared.config.base
        } else {
            start + bytes
        };
        view.waited = view.waited.saturating_sub(pages);
        view.popped = true;
        shared.acked.set(shared.acked.get().wrapping_add(pages as u16));
        self.note(Event::Pop {
            cb: cb as u8,
            pages: pages as u16,
        });
    }

    /// Whether `pages` pages are free, without waiting.
    pub fn cb_pages_reservable(&mut self, cb: u32, pages: u32, line: i32) -> bool {
        self.check_cb(cb, line);
        self.core.cbs[cb as usize].note_user(self.name);
        self.core.cbs[cb as usize].free() >= pages
    }

    /// Whether `pages` pages are filled, without waiting.
    pub fn cb_pages_available(&mut self, cb: u32, pages: u32, line: i32) -> bool {
        self.check_cb(cb, line);
        self.core.cbs[cb as usize].note_user(self.name);
        u32::from(self.core.cbs[cb as usize].filled()) >= pages
    }

    /// Kernel-visible address of this RISC's write pointer.
    #[inline]
    pub fn cb_write_pointer(&mut self, cb: u32, line: i32) -> u32 {
        self.check_cb(cb, line);
        self.views[cb as usize].write
    }

    /// Kernel-visible address of this RISC's read pointer.
    #[inline]
    pub fn cb_read_pointer(&mut self, cb: u32, line: i32) -> u32 {
        self.check_cb(cb, line);
        self.views[cb as usize].read
    }

    /// Sets one of [`cb_pointer`], as kernels do that write the firmware's own record of a circular buffer.
    pub fn set_cb_pointer(&mut self, cb: u32, which: u32, value: u32, line: i32) {
        self.check_cb(cb, line);
        let config = &self.core.cbs[cb as usize].config;
        if which != cb_pointer::NEXT_PACK && !(config.base..=config.base + config.bytes).contains(&value) {
            let detail = format!("pointer of circular buffer {cb} set to {value:#x}, outside of its ring");
            self.violation(&rules::CB_WINDOW_WRAP, self.line, detail);
        }
        let view = &mut self.views[cb as usize];
        match which {
            cb_pointer::READ => view.read = value,
            cb_pointer::WRITE => view.write = value,
            _ => view.pack_slot = value,
        }
    }

    /// The address of page `index` of those waited for.
    #[inline]
    pub fn front_page(&mut self, cb: u32, index: u32, line: i32) -> u32 {
        self.check_cb(cb, line);
        let waited = self.views[cb as usize].waited;
        if index >= waited {
            let rule = &rules::CB_FRONT_WINDOW;
            let detail = format!("page {index} of circular buffer {cb}, waited for are {waited} pages");
            if !self.core.cbs[cb as usize].is_filled_before() || !self.is_allowed(rule, line, &detail) {
                self.violation(rule, line, detail);
            }
        }
        let config = &self.core.cbs[cb as usize].config;
        let view = &self.views[cb as usize];
        let address = u64::from(view.read) + u64::from(index) * u64::from(config.page_bytes);
        if address + u64::from(config.page_bytes) > u64::from(config.base + config.bytes) {
            let detail = format!(
                "page {index} from the read pointer of circular buffer {cb} lies behind its {} pages",
                config.pages
            );
            self.violation(&rules::CB_WINDOW_WRAP, line, detail);
        }
        address as u32
    }

    /// The address of page `index` of those reserved.
    #[inline]
    pub fn back_page(&mut self, cb: u32, index: u32, line: i32) -> u32 {
        self.check_cb(cb, line);
        let reserved = self.views[cb as usize].reserved;
        if index >= reserved {
            let rule = &rules::CB_BACK_WINDOW;
            let detail = format!("page {index} of circular buffer {cb}, reserved are {reserved} pages");
            let is_free = index < self.core.cbs[cb as usize].free();
            if !is_free || !self.is_allowed(rule, line, &detail) {
                self.violation(rule, line, detail);
            }
        }
        let config = &self.core.cbs[cb as usize].config;
        let view = &self.views[cb as usize];
        let address = u64::from(view.write) + u64::from(index) * u64::from(config.page_bytes);
        if address + u64::from(config.page_bytes) > u64::from(config.base + config.bytes) {
            let detail = format!(
                "page {index} from the write pointer of circular buffer {cb} lies behind its {} pages",
                config.pages
            );
            self.violation(&rules::CB_WINDOW_WRAP, line, detail);
        }
        address as u32
    }

    /// The slot of the next sequential pack since the last push.
    #[inline]
    pub fn next_pack_slot(&mut self, cb: u32, line: i32) -> u32 {
        self.check_cb(cb, line);
        let slot = self.views[cb as usize].pack_slot;
        self.views[cb as usize].pack_slot = slot.saturating_add(1);
        slot
    }

    /// A circular buffer that this RISC waited on and never popped from, though its producer filled pages beyond those, and
    /// how many it waited for. What is produced once may stay, and pages of a buffer need not be given back.
    pub fn forgotten_wait(&self) -> Option<(usize, u32)> {
        let forgotten = |cb: &usize| {
            let (shared, view) = (&self.core.cbs[*cb], &self.views[*cb]);
            view.waited > 0
                && !view.popped
                && shared.producer.get().is_some_and(|producer| producer != self.name)
                && !shared.config.on_buffer
                && u32::from(shared.received.get()) > view.waited
        };
        if self.name == RiscName::Trisc {
            return None;
        }
        let found = bits(self.viewed).find(forgotten);
        found.map(|cb| (cb, self.views[cb].waited))
    }

    /// A circular buffer that this RISC reserved pages of and never pushed any, though other RISCs use it. To one RISC alone
    /// a circular buffer may be plain memory.
    pub fn forgotten_reserve(&self) -> Option<(usize, u32)> {
        let forgotten = |cb: &usize| {
            let (shared, view) = (&self.core.cbs[*cb], &self.views[*cb]);
            view.reserved > 0 && !view.pushed && shared.is_shared_with_others(self.name)
        };
        let found = bits(self.viewed).find(forgotten);
        found.map(|cb| (cb, self.views[cb].reserved))
    }
}
