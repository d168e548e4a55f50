//! A run of kernels in Rust, for Miri: what the engine lends out, to kernels that wait for each other within a core and across
//! cores, on two threads.
//!
//! `cargo xtask miri` runs it so; as a test among others it only holds the kernels to their result. Miri sees the scheduler,
//! the entries, circular buffers, transfers, messages and the compute engines as they are; coroutines are threads to it
//! (`coroutine_of_threads.rs`), and there are no signals.

use std::sync::Arc;

use super::launch::{Modes, build, parts};
use super::memory::machine::{Machine, Node, Nodes};
use super::prepared::Prepared;
use super::program::{CbIndex, CircularBuffer, Program};
use super::schedule::{Ending, run};
use crate::abi::{Api, ComputeApi, DataflowApi, KernelEntry, register_step};
use crate::arch::{Arch, ArchName, L1_SLOT_BYTES};
use crate::compute::Fpu;
use crate::data_format::DataFormat;
use crate::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole, MathFidelity};
use crate::kernel_object::KernelSource;

const CORES: usize = 2;
const PAGES: u32 = 3;
const PAGE: u32 = 2048;

/// Circular buffers: what the reader makes, what compute makes of it, and where the other core's comes in.
const IN: u32 = 0;
const OUT: u32 = 16;
const INBOX: u32 = 1;

fn tables(api: *const Api) -> (&'static DataflowApi, &'static ComputeApi) {
    // SAFETY: the engine calls kernels with its tables.
    let api = unsafe { &*api };
    (api.dataflow, api.compute)
}

/// The word at an address of L1, to be used as kernels do: with no call of the engine meanwhile.
fn word(address: u32) -> *mut u32 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// Two numbers in bf16 that say where they are from.
fn value(core: u32, page: u32, word: u32) -> u32 {
    let half = 0x3f80 + core * 64 + page * 8 + word % 8;
    half << 16 | half
}

extern "C" fn reader(api: *const Api) {
    let (dataflow, _) = tables(api);
    let core = (dataflow.core_fact)(crate::abi::core_fact::ABSOLUTE_LOGICAL_X, 1);
    for page in 0..PAGES {
        (dataflow.cb_reserve_back)(IN, 1, 2);
        let start = (dataflow.cb_write_pointer)(IN, 3);
        for index in 0..PAGE / 4 {
            // SAFETY: a page that is reserved.
            unsafe { word(start + index * 4).write(value(core, page, index)) };
        }
        (dataflow.cb_push_back)(IN, 1, 4);
    }
}

extern "C" fn compute(api: *const Api) {
    let (dataflow, compute) = tables(api);
    (compute.hw_startup)(IN, IN, OUT, 0, 1);
    (compute.copy_init)(IN, 0, 0, 2);
    for _ in 0..PAGES {
        (dataflow.cb_wait_front)(IN, 1, 3);
        (compute.registers)(register_step::ACQUIRE, 4);
        (compute.copy)(IN, 0, 0, 1, 5);
        (compute.registers)(register_step::COMMIT, 6);
        (dataflow.cb_pop_front)(IN, 1, 7);
        (dataflow.cb_reserve_back)(OUT, 1, 8);
        (compute.registers)(register_step::WAIT, 9);
        (compute.pack)(0, OUT, 0, 0, 1, 10);
        (compute.registers)(register_step::RELEASE, 11);
        (dataflow.cb_push_back)(OUT, 1, 12);
    }
}

/// Sends what compute made to the other core, tells it, and waits for what that one sends.
extern "C" fn writer(api: *const Api) {
    let (dataflow, _) = tables(api);
    // SAFETY: the host has set two arguments.
    let argument = |index| unsafe { (dataflow.argument)(index, 1).read() };
    let other = u64::from(argument(0)) << 32 | u64::from(argument(1));
    let semaphore = (dataflow.semaphore_address)(0, 2);
    let offset = |address: u32| u64::from(address % L1_SLOT_BYTES as u32);
    let inbox = (dataflow.cb_write_pointer)(INBOX, 3);
    for page in 0..PAGES {
        (dataflow.cb_wait_front)(OUT, 1, 4);
        let from = (dataflow.cb_read_pointer)(OUT, 5);
        (dataflow.noc_write)(from, other | offset(inbox + page * PAGE), PAGE, 0, 0, 0, 6);
        (dataflow.flush_writes)(0, 0, -1, 7);
        (dataflow.semaphore_increment)(other | offset(semaphore), 1, 0, 0, 8);
        (dataflow.atomic_barrier)(0, 9);
        (dataflow.cb_pop_front)(OUT, 1, 10);
    }
    (dataflow.semaphore_wait)(semaphore as usize, PAGES, 0, 11);
    // And back into a circular buffer of its own, by a read.
    (dataflow.noc_read)(
        other | offset(inbox),
        (dataflow.cb_read_pointer)(OUT, 12),
        PAGE,
        0,
        0,
        13,
    );
    (dataflow.read_barrier)(0, -1, 14);
}

/// Memory for the L1 of all cores that are used, below 4 GiB as kernels have it.
struct Memory {
    #[cfg(not(miri))]
    region: super::memory::region::Region,
    #[cfg(miri)]
    slots: Vec<Slot>,
}

#[cfg(miri)]
#[repr(align(0x20_0000))]
struct Slot(#[allow(dead_code, reason = "the cores use it")] [u8; L1_SLOT_BYTES]);

impl Memory {
    #[cfg(not(miri))]
    fn new() -> Memory {
        let region = super::memory::region::Region::map_low(CORES * L1_SLOT_BYTES, L1_SLOT_BYTES).unwrap();
        Memory { region }
    }

    #[cfg(miri)]
    fn new() -> Memory {
        let slots = (0..CORES).map(|_| Slot([0; L1_SLOT_BYTES])).collect();
        Memory { slots }
    }

    /// Its start, from which kernels have their addresses.
    fn start(&mut self) -> *mut u8 {
        #[cfg(not(miri))]
        let start = self.region.start();
        #[cfg(miri)]
        let start = self.slots.as_mut_ptr().cast::<u8>();
        assert!(start.expose_provenance() < 1 << 32);
        start
    }
}

fn program(machine: &Machine) -> Program {
    let mut program = Program::new();
    let cores: Vec<_> = (0..CORES).map(|x| (x, 0)).collect();
    for (id, pages) in [(IN, 2), (OUT, 1), (INBOX, PAGES)] {
        let index = CbIndex {
            id: id as u8,
            format: DataFormat::Float16_b,
            page_bytes: PAGE,
            tile: (32, 32),
        };
        let buffer = CircularBuffer {
            cores: cores.clone(),
            total_bytes: pages * PAGE,
            indices: vec![index],
            global_address: None,
        };
        program.create_circular_buffer(buffer).unwrap();
    }
    program.create_semaphore(cores.clone(), 0).unwrap();
    let moves = |processor, noc| KernelRole::DataMovement { processor, noc };
    let roles = [
        moves(DataMovementProcessor::Ncrisc, 1),
        KernelRole::Compute(ComputeOptions {
            math_fidelity: MathFidelity::HiFi4,
            ..Default::default()
        }),
        moves(DataMovementProcessor::Brisc, 0),
    ];
    for role in roles {
        program
            .create_kernel(KernelSource::default(), role, cores.clone())
            .unwrap();
    }
    for (x, core) in cores.into_iter().enumerate() {
        let other = machine.address(Node::Core((CORES - 1 - x) as u16), 0);
        program
            .set_runtime_args(2, core, &[(other >> 32) as u32, other as u32])
            .unwrap();
    }
    program
}

#[test]
fn kernels_that_wait_for_each_other_get_what_was_sent() {
    let mut memory = Memory::new();
    let arch = Arch::of(ArchName::WormholeB0);
    let no_banks = [std::ptr::null_mut(); super::counters::MAX_DRAM_BANKS];
    // SAFETY: the memory is dropped last. It has the slots of the cores that this program uses, and no others are asked for.
    let machine = unsafe {
        Machine::new(
            arch,
            Arc::new(Nodes::of(arch)),
            memory.start(),
            no_banks,
            Vec::new(),
            Vec::new(),
        )
    };
    let machine = Arc::new(machine);
    let program = program(&machine);
    let base = arch.l1_unreserved_base() as u32;
    let addresses = [base, base + 2 * PAGE, base + 3 * PAGE];
    let entries: [KernelEntry; 3] = [reader, compute, writer];
    let modes = Modes {
        fpu: Fpu::Fast,
        clock: false,
        order: None,
    };
    let parts = parts(&program, &entries, modes);
    let prepared = Prepared::new(&program, arch, entries.to_vec());
    let mut counters = prepared.counters();
    let mut cores = build(&program, &prepared, (&addresses, &machine), &parts, &mut counters);
    let (ending, _) = run(&machine, &mut cores, (2, None), 1);
    let violated = cores.iter().flat_map(|run| &run.riscs);
    let violated: Vec<_> = violated
        .filter_map(|risc| risc.progress.violation.get())
        .map(|violation| (violation.rule.code, &violation.detail, violation.line))
        .collect();
    assert_eq!(ending, Ending::Finished, "{violated:?}");
    for core in 0..CORES as u32 {
        for page in 0..PAGES {
            for index in 0..PAGE / 4 {
                let offset = addresses[2] + page * PAGE + index * 4;
                let sent = value(CORES as u32 - 1 - core, page, index);
                assert_eq!(
                    machine.word(core as u16, offset),
                    sent,
                    "core {core}, page {page}, word {index}"
                );
            }
        }
    }
}
