//! Multicast writes: one source, the same L1 offset on every worker core of a rectangle.

use crate::arch::L1_SLOT_BYTES;
use crate::clock::Event;
use crate::rules;

use super::memory::machine::{Rectangle, coordinate, local_address};
use super::risc::Risc;
use super::transfers::{MESSAGE_BYTES, Write, WriteEffect};

/// How a multicast call treats its sender, and whether more follows.
#[derive(Clone, Copy)]
pub(crate) struct MulticastMode {
    /// The sender is one of the receivers.
    pub loopback: bool,
    /// The path stays reserved for the next multicast.
    pub linked: bool,
}

impl Risc {
    /// The rectangle and L1 offset of a multicast address, with the order of corners that `noc` wants.
    fn rectangle(&mut self, address: u64, noc: u8, line: i32) -> (Rectangle, u32) {
        let [end, start] = [0, 2].map(|index| (coordinate(address, index), coordinate(address, index + 1)));
        let (low, high) = if noc == 0 { (start, end) } else { (end, start) };
        if low.0 > high.0 || low.1 > high.1 {
            let wanted = if noc == 0 {
                "the top left corner first"
            } else {
                "the bottom right corner first"
            };
            let detail = format!(
                "start ({},{}), end ({},{}) on NoC {noc}, which wants {wanted}",
                start.0, start.1, end.0, end.1
            );
            self.violation(&rules::MULTICAST_RECTANGLE, line, detail);
        }
        let rectangle = Rectangle { low, high };
        let machine = &self.core.machine;
        if !machine.is_worker(low) || !machine.is_worker(high) {
            let detail = format!(
                "({},{}) to ({},{}): a corner is no worker core",
                low.0, low.1, high.0, high.1
            );
            self.violation(&rules::MULTICAST_RECTANGLE, line, detail);
        }
        let offset = local_address(address);
        (rectangle, (offset & (L1_SLOT_BYTES as u64 - 1)) as u32)
    }

    fn check_destinations(&mut self, rectangle: Rectangle, destinations: u32, loopback: bool, line: i32) {
        let core = &self.core;
        let cores = core.machine.cores_in(rectangle).count() as u32;
        let inside = core.machine.cores_in(rectangle).any(|index| index == core.index);
        if loopback && !inside {
            let detail = format!("core at ({},{}) sends to {rectangle}", core.virtual_x, core.virtual_y);
            self.violation(&rules::MULTICAST_LOOPBACK, line, detail);
        }
        let receivers = if inside && !loopback { cores - 1 } else { cores };
        if destinations != receivers || receivers == 0 {
            let sender = if !inside {
                ""
            } else if loopback {
                ", the sender among them"
            } else {
                " without the sender"
            };
            let detail = format!("num_dests is {destinations}; {rectangle} holds {receivers} cores{sender}");
            self.violation(&rules::MULTICAST_COUNT, line, detail);
        }
    }

    /// Issues a multicast of `bytes` bytes.
    #[allow(clippy::too_many_arguments, reason = "the call has as many")]
    pub fn noc_multicast(
        &mut self,
        source: u32,
        address: u64,
        bytes: u32,
        destinations: u32,
        mode: MulticastMode,
        noc: u8,
        line: i32,
    ) {
        self.check_noc(noc, line);
        let (rectangle, offset) = self.rectangle(address, noc, line);
        self.check_destinations(rectangle, destinations, mode.loopback, line);
        let source = self.local_range(source, bytes, false, line);
        self.check_l1(u64::from(offset), bytes, true, line);
        if (source ^ offset) & (self.arch.l1_alignment as u32 - 1) != 0 {
            let detail = format!(
                "multicast from L1 address {source:#x} to {offset:#x}: they differ modulo {}",
                self.arch.l1_alignment
            );
            self.violation(&rules::NOC_ALIGNMENT, line, detail);
        }
        if let Some((open, issued)) = self.transfers.linked[noc as usize]
            && open != rectangle
        {
            let detail = format!("linked multicast of line {issued} to {open}, followed by one to {rectangle}");
            self.violation(&rules::MULTICAST_LINKED, line, detail);
        }
        self.transfers.linked[noc as usize] = mode.linked.then_some((rectangle, line));
        self.counters.noc_write_bytes[noc as usize] += u64::from(bytes);
        self.counters.multicast_bytes += u64::from(bytes) * u64::from(destinations);
        // What travels as a message is a flag.
        self.note(match bytes as usize <= MESSAGE_BYTES {
            true => Event::SignalMulticast {
                to: rectangle,
                offset,
                noc,
            },
            false => Event::Multicast {
                to: rectangle,
                bytes,
                noc,
                is_linked: mode.linked,
            },
        });
        let effect = WriteEffect::Multicast {
            source,
            rectangle,
            include_self: mode.loopback,
            offset,
            bytes,
        };
        self.issue(Write {
            effect,
            noc,
            posted: false,
            transaction: 0,
            line,
        });
    }

    /// Issues an increment of the same word of every core of a rectangle but this one.
    pub fn semaphore_increment_multicast(&mut self, address: u64, value: u32, destinations: u32, noc: u8, line: i32) {
        self.check_noc(noc, line);
        let (rectangle, offset) = self.rectangle(address, noc, line);
        self.check_destinations(rectangle, destinations, false, line);
        self.check_semaphore_offset(offset, line);
        self.note_atomic(noc, Some(line));
        self.note(Event::SignalMulticast {
            to: rectangle,
            offset,
            noc,
        });
        let effect = WriteEffect::IncrementMulticast {
            value,
            rectangle,
            offset,
        };
        self.issue(Write {
            effect,
            noc,
            posted: false,
            transaction: 0,
            line,
        });
    }
}
