//! Calls of data movement kernels, and those that all kernels share: each finds its RISC and does one call.

use crate::abi::{DataflowApi, cb_fact, core_fact, flag};
use crate::clock::Event;
use crate::rules;

use super::super::multicast::MulticastMode;
use super::super::risc::{self, Risc, Wait, guard};
use super::super::tensor_page::Accessor;
use super::super::transfers::TransferState;
use super::super::writers::Writer;
use super::debug::{assertion, print};

pub(super) static DATAFLOW_API: DataflowApi = DataflowApi {
    argument,
    common_argument,
    core_fact,
    l1_pointer,
    cb_reserve_back,
    cb_wait_front,
    cb_push_back,
    cb_pop_front,
    cb_pages_reservable,
    cb_pages_available,
    cb_write_pointer,
    cb_read_pointer,
    cb_fact,
    noc_read,
    noc_write,
    noc_set_state,
    noc_with_state,
    read_page,
    write_page,
    page_address,
    page_beyond_tensor,
    noc_inline_write,
    noc_multicast,
    read_barrier,
    flush_writes,
    atomic_barrier,
    set_read_transaction,
    semaphore_address,
    semaphore_wait,
    semaphore_increment,
    semaphore_increment_multicast,
    poll,
    block,
    print,
    assertion,
};

extern "C" fn argument(index: u32, line: i32) -> *const u32 {
    guard(line, |risc| risc.argument(index, line))
}

extern "C" fn common_argument(index: u32, line: i32) -> *const u32 {
    guard(line, |risc| risc.common_argument(index, line))
}

extern "C" fn core_fact(fact: u32, line: i32) -> u32 {
    guard(line, |risc| {
        let core = &risc.core;
        let (x, y) = core.logical;
        let (first_x, first_y) = risc.part.kernel.first_core;
        match fact {
            core_fact::VIRTUAL_X => u32::from(core.virtual_x),
            core_fact::VIRTUAL_Y => u32::from(core.virtual_y),
            core_fact::ABSOLUTE_LOGICAL_X => x as u32,
            core_fact::ABSOLUTE_LOGICAL_Y => y as u32,
            core_fact::RELATIVE_LOGICAL_X => (x - first_x) as u32,
            core_fact::RELATIVE_LOGICAL_Y => (y - first_y) as u32,
            core_fact::L1_BASE => {
                risc.progress.tell_address();
                core.l1_base
            }
            _ => risc.violation(&rules::INTERNAL, line, format!("core fact {fact}")),
        }
    })
}

extern "C" fn l1_pointer(address: u32) -> usize {
    risc::l1_pointer(address)
}

extern "C" fn cb_reserve_back(cb: u32, pages: u32, line: i32) {
    guard(line, |risc| risc.cb_reserve_back(cb, pages, line));
}

extern "C" fn cb_wait_front(cb: u32, pages: u32, line: i32) {
    guard(line, |risc| risc.cb_wait_front(cb, pages, line));
}

extern "C" fn cb_push_back(cb: u32, pages: u32, line: i32) {
    guard(line, |risc| risc.cb_push_back(cb, pages, line));
}

extern "C" fn cb_pop_front(cb: u32, pages: u32, line: i32) {
    guard(line, |risc| risc.cb_pop_front(cb, pages, line));
}

extern "C" fn cb_pages_reservable(cb: u32, pages: u32, line: i32) -> u32 {
    guard(line, |risc| risc.cb_pages_reservable(cb, pages, line)).into()
}

extern "C" fn cb_pages_available(cb: u32, pages: u32, line: i32) -> u32 {
    guard(line, |risc| risc.cb_pages_available(cb, pages, line)).into()
}

/// An entry that tells the kernel an address in L1.
fn address(line: i32, find: impl FnOnce(&mut Risc) -> u32) -> u32 {
    guard(line, |risc| {
        risc.progress.tell_address();
        find(risc)
    })
}

extern "C" fn cb_write_pointer(cb: u32, line: i32) -> u32 {
    address(line, |risc| risc.cb_write_pointer(cb, line))
}

extern "C" fn cb_read_pointer(cb: u32, line: i32) -> u32 {
    address(line, |risc| risc.cb_read_pointer(cb, line))
}

extern "C" fn cb_fact(cb: u32, fact: u32, line: i32) -> u32 {
    guard(line, |risc| {
        let config = risc.cb(cb, line);
        match fact {
            cb_fact::PAGE_BYTES => config.page_bytes,
            cb_fact::PAGES => config.pages,
            cb_fact::FORMAT => config.format as u32,
            cb_fact::TILE_ROWS => config.tile_rows,
            cb_fact::TILE_COLUMNS => config.tile_columns,
            cb_fact::TILE_BYTES => config
                .format
                .tile_bytes(config.tile_rows as usize, config.tile_columns as usize)
                as u32,
            cb_fact::LIMIT => {
                let limit = config.base + config.bytes;
                risc.progress.tell_address();
                limit
            }
            _ => risc.violation(&rules::INTERNAL, line, format!("circular buffer fact {fact}")),
        }
    })
}

extern "C" fn noc_read(source: u64, destination: u32, bytes: u32, one_packet: u32, noc: u32, line: i32) {
    guard(line, |risc| {
        if one_packet != 0 {
            risc.check_burst(bytes, line);
        }
        risc.noc_read(source, destination, bytes, noc as u8, line);
    });
}

extern "C" fn noc_write(source: u32, destination: u64, bytes: u32, flags: u32, noc: u32, transaction: u32, line: i32) {
    guard(line, |risc| {
        if flags & flag::ONE_PACKET != 0 {
            risc.check_burst(bytes, line);
        }
        risc.noc_write(
            source,
            destination,
            bytes,
            noc as u8,
            flags & flag::POSTED != 0,
            transaction as u8,
            line,
        );
    });
}

extern "C" fn noc_set_state(write: u32, address: u64, bytes: u32, noc: u32, line: i32) {
    guard(line, |risc| {
        risc.check_noc(noc as u8, line);
        let state = TransferState {
            address: Some(address),
            bytes,
        };
        let states = if write != 0 {
            &mut risc.transfers.write_state
        } else {
            &mut risc.transfers.read_state
        };
        states[noc as usize] = state;
    });
}

/// The address a state gives with new low bits, and the size: `bytes`, or the stored one where that is 0.
fn stateful(risc: &mut Risc, write: bool, remote: u32, bytes: u32, noc: u32, line: i32) -> (u64, u32) {
    risc.check_noc(noc as u8, line);
    let states = if write {
        &risc.transfers.write_state
    } else {
        &risc.transfers.read_state
    };
    let state = states[noc as usize];
    let Some(address) = state.address else {
        let call = if write { "write" } else { "read" };
        risc.violation(&rules::NOC_STATE, line, format!("{call} on NoC {noc}"));
    };
    (
        (address & !0xFFFF_FFFF) | u64::from(remote),
        if bytes == 0 { state.bytes } else { bytes },
    )
}

#[allow(clippy::too_many_arguments, reason = "the call has as many")]
extern "C" fn noc_with_state(
    write: u32,
    remote: u32,
    local: u32,
    bytes: u32,
    flags: u32,
    noc: u32,
    transaction: u32,
    line: i32,
) {
    guard(line, |risc| {
        let (address, bytes) = stateful(risc, write != 0, remote, bytes, noc, line);
        if flags & flag::ONE_PACKET != 0 {
            risc.check_burst(bytes, line);
        }
        if write != 0 {
            risc.noc_write(
                local,
                address,
                bytes,
                noc as u8,
                flags & flag::POSTED != 0,
                transaction as u8,
                line,
            );
        } else {
            risc.noc_read(address, local, bytes, noc as u8, line);
        }
    });
}

#[allow(clippy::too_many_arguments, reason = "the call has as many")]
extern "C" fn read_page(
    base: u64,
    page_bytes: u32,
    dram: u32,
    page: u32,
    offset: u32,
    bytes: u32,
    destination: u32,
    noc: u32,
    line: i32,
) {
    guard(line, |risc| {
        let accessor = Accessor {
            base,
            page_bytes,
            dram: dram != 0,
        };
        risc.read_page(accessor, page, offset, bytes, destination, noc as u8, line);
    });
}

#[allow(clippy::too_many_arguments, reason = "the call has as many")]
extern "C" fn write_page(
    base: u64,
    page_bytes: u32,
    dram: u32,
    page: u32,
    offset: u32,
    bytes: u32,
    source: u32,
    flags: u32,
    noc: u32,
    line: i32,
) {
    guard(line, |risc| {
        let accessor = Accessor {
            base,
            page_bytes,
            dram: dram != 0,
        };
        risc.write_page(
            accessor,
            page,
            offset,
            bytes,
            source,
            noc as u8,
            flags & flag::POSTED != 0,
            line,
        );
    });
}

extern "C" fn page_address(base: u64, page_bytes: u32, dram: u32, page: u32, offset: u32, line: i32) -> u64 {
    guard(line, |risc| {
        let accessor = Accessor {
            base,
            page_bytes,
            dram: dram != 0,
        };
        risc.page_address(accessor, page, offset, line)
    })
}

/// A page or shard that a sharded tensor does not have.
extern "C" fn page_beyond_tensor(page: u32, pages: u32, line: i32) {
    guard(line, |risc| {
        risc.violation(
            &rules::NOC_PAGE_ID,
            line,
            format!("{page} of a sharded tensor that has {pages}"),
        )
    });
}

extern "C" fn noc_inline_write(destination: u64, value: u32, flags: u32, noc: u32, line: i32) {
    guard(line, |risc| {
        risc.noc_inline_write(destination, value, noc as u8, flags & flag::POSTED != 0, line)
    });
}

extern "C" fn noc_multicast(source: u32, address: u64, bytes: u32, destinations: u32, flags: u32, noc: u32, line: i32) {
    guard(line, |risc| {
        if flags & flag::ONE_PACKET != 0 {
            risc.check_burst(bytes, line);
        }
        let mode = MulticastMode {
            loopback: flags & flag::LOOPBACK != 0,
            linked: flags & flag::LINKED != 0,
        };
        risc.noc_multicast(source, address, bytes, destinations, mode, noc as u8, line);
    });
}

extern "C" fn read_barrier(noc: u32, transaction: i32, line: i32) {
    guard(line, |risc| {
        let (noc, transaction) = (noc as u8, u8::try_from(transaction).ok());
        match transaction {
            Some(transaction) => risc.read_barrier_with_transaction(noc, transaction, line),
            None => risc.read_barrier(noc, line),
        }
        risc.counters.barriers += 1;
        risc.note(Event::ReadBarrier { noc, transaction });
    });
}

extern "C" fn flush_writes(noc: u32, flags: u32, transaction: i32, line: i32) {
    guard(line, |risc| {
        let noc = noc as u8;
        match u8::try_from(transaction) {
            Ok(transaction) => risc.flush_writes_with_transaction(noc, transaction, line),
            Err(_) => risc.flush_writes(noc, flags & flag::POSTED != 0, line),
        }
        risc.counters.barriers += 1;
        let until_left = flags & flag::UNTIL_LEFT != 0;
        risc.note(Event::WriteBarrier { noc, until_left });
    });
}

extern "C" fn atomic_barrier(noc: u32, line: i32) {
    guard(line, |risc| {
        risc.atomic_barrier(noc as u8, line);
        risc.counters.barriers += 1;
    });
}

extern "C" fn set_read_transaction(noc: u32, transaction: u32, line: i32) {
    guard(line, |risc| {
        risc.check_noc(noc as u8, line);
        risc.transfers.read_transaction[noc as usize] = transaction as u8;
    });
}

extern "C" fn semaphore_address(id: u32, line: i32) -> u32 {
    address(line, |risc| risc.semaphore_address(id, line))
}

extern "C" fn semaphore_wait(address: usize, value: u32, at_least: u32, line: i32) {
    guard(line, |risc| risc.semaphore_wait(address, value, at_least != 0, line));
}

extern "C" fn semaphore_increment(address: u64, value: u32, posted: u32, noc: u32, line: i32) {
    guard(line, |risc| {
        risc.semaphore_increment(address, value, noc as u8, posted != 0, line)
    });
}

extern "C" fn semaphore_increment_multicast(address: u64, value: u32, destinations: u32, noc: u32, line: i32) {
    guard(line, |risc| {
        risc.semaphore_increment_multicast(address, value, destinations, noc as u8, line)
    });
}

/// A kernel that polls memory says so by invalidating its cache: others get to run.
extern "C" fn poll(line: i32) {
    guard(line, |risc| risc.block(Wait::Delivery, line));
}

extern "C" fn block(number: u32, line: i32) {
    guard(line, |risc| {
        let machine = &risc.core.machine;
        machine
            .stores
            .watch_blocks(&machine.dram_buffers, &risc.part.kernel.file);
        risc.writer = Writer::Block(number);
    });
}
