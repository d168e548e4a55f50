//! The rules that emulated hardware holds programs to, as one table.
//!
//! A report names the rule by its code; the title says what happened, the explanation why it is wrong, the source where the
//! rule comes from. Compute rules (`EMU05xx` and up) are rows of `compute/rules.rs`.

/// A rule of the hardware.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable code, `EMU0101` ..
    pub code: &'static str,
    /// What happened, in a few words.
    pub title: &'static str,
    /// Why it is wrong.
    pub explanation: &'static str,
    /// Where the rule comes from.
    pub source: &'static str,
}

/// Declares rules as statics and collects them in one table.
macro_rules! rules {
    ($(#[$doc:meta])* $table:ident: $($name:ident = $code:literal, $title:literal, $explanation:literal, $source:literal;)*) => {
        $(
            #[doc = $title]
            pub static $name: $crate::rules::Rule = $crate::rules::Rule {
                code: $code, title: $title, explanation: $explanation, source: $source,
            };
        )*
        $(#[$doc])*
        pub static $table: &[&$crate::rules::Rule] = &[$(&$name),*];
    };
}
#[cfg(feature = "engine")]
pub(crate) use rules;

rules! {
    /// The rules of data movement, launching and scheduling.
    DATAFLOW_RULES:
    INTERNAL = "EMU0001", "internal error of the emulator",
        "The emulator itself failed while serving this call. Please report it.",
        "the emulator: its own fault";
    ARGUMENT_INDEX = "EMU0002", "runtime argument that was never set",
        "get_arg_val and get_common_arg_val read whatever lies behind the arguments that the host set.",
        "wheel tt_metal/hw/inc/hostdev/dev_msgs.h, DebugAssertRtaOutOfBounds and DebugAssertCrtaOutOfBounds";
    DEADLOCK = "EMU0003", "deadlock",
        "Nothing can run on any core and at least one RISC waits.",
        "the emulator: its scheduler has nothing left to run";
    MEMORY_FAULT = "EMU0004", "access to memory that is not there",
        "The kernel followed a pointer that does not lead to its core's L1, or ran out of stack.",
        "metalium.md 5, sizes of L1; the host's memory protection";
    KERNEL_STOPS = "EMU0020", "kernel that stops itself",
        "A RISC has nobody to stop for: a trap, abort or exit leaves the core hanging, and the host waits forever.",
        "the emulator: a fault of the host's processor, or a signal of its C library";
    DIVISION = "EMU0021", "division whose result the chip does not define",
        "A RISC-V divides 32 bits by zero (all bits set, the remainder is the dividend). In 64 bits, and where the compiler may divide in 8 or 16, nobody says what comes out.",
        "RISC-V unprivileged specification, M extension, semantics for division by zero; a fault of the host's processor";
    STORED_TWICE = "EMU0420", "element stored by two blocks",
        "Blocks run at the same time and in no order, so one of the two values is lost, and which one differs from run to run.",
        "docs/language.md, Order";
    STORED_ELSEWHERE = "EMU0421", "element read by one block that another stores",
        "Blocks run at the same time and in no order, so what is read may be what was there before the launch or what was stored.",
        "docs/language.md, Order";
    ASSERTION = "EMU0022", "assertion that does not hold",
        "ASSERT stops the core where the watcher is on, and says the line; here it always is.",
        "wheel tt_metal/hw/inc/api/debug/assert.h, assert_and_hang";
    CB_NOT_CONFIGURED = "EMU0101", "circular buffer that this core does not have",
        "A kernel may only use circular buffers that the program created on its core, and ids that the chip has.",
        "metalium.md 1.3 and 5, circular buffers per core";
    CB_RESERVE_CAPACITY = "EMU0102", "reserve of more pages than the circular buffer has",
        "cb_reserve_back waits for that many free pages, which can never come.",
        "wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, cb_reserve_back";
    CB_WAIT_CAPACITY = "EMU0103", "wait for more pages than the circular buffer has",
        "cb_wait_front waits for that many filled pages, which can never come.",
        "wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, cb_wait_front";
    CB_PUSH_BEYOND_RESERVE = "EMU0104", "push of pages that were not reserved",
        "cb_push_back hands over pages; pages that cb_reserve_back did not grant may still be read by the consumer.",
        "wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, cb_push_back";
    CB_POP_BEYOND_WAIT = "EMU0105", "pop of pages that were not waited for",
        "cb_pop_front gives pages back; pages that cb_wait_front did not see may not have been written.",
        "wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, cb_pop_front";
    CB_STRADDLE = "EMU0106", "push or pop across the end of the ring",
        "The pointer of a circular buffer wraps only when it lands on the limit; passing it corrupts L1 silently.",
        "metalium.md 1.3, ring rule; wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, cb_push_back";
    CB_SECOND_PRODUCER = "EMU0107", "second producer of a circular buffer",
        "A circular buffer has one producer RISC: each RISC keeps a write pointer of its own.",
        "hazards.md F 14 (tt-metal PR 45142); metalium.md 1.3";
    CB_SECOND_CONSUMER = "EMU0108", "second consumer of a circular buffer",
        "A circular buffer has one consumer RISC: each RISC keeps a read pointer of its own.",
        "hazards.md F 14 (tt-metal PR 45142); metalium.md 1.3";
    CB_DIRTY_RESERVE = "EMU0109", "reserved pages never pushed",
        "The kernel reserved pages of a circular buffer that other RISCs use, and never pushed any.",
        "metalium.md 8.1, dirty circular buffers";
    CB_DIRTY_WAIT = "EMU0110", "pages waited for and never popped",
        "The kernel waited on this circular buffer and never popped from it, and its producer filled more pages than those.",
        "metalium.md 8.1, dirty circular buffers";
    CB_FRONT_WINDOW = "EMU0111", "page outside what was waited for",
        "Only pages that cb_wait_front returned for are filled.",
        "wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, cb_wait_front";
    CB_BACK_WINDOW = "EMU0112", "page outside what was reserved",
        "Only pages that cb_reserve_back returned for are free to be written.",
        "wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, cb_reserve_back";
    CB_WINDOW_WRAP = "EMU0113", "page or pointer outside of the ring",
        "An index is added to the pointer without wrapping, and a pointer is what a kernel sets it to: both must stay inside \
         the circular buffer.",
        "patterns.md 0, surprise 1";
    CB_PUSH_OUTSTANDING_READ = "EMU0114", "push of pages that a read still fills",
        "Reads complete at noc_async_read_barrier; pages pushed before it may hold old data.",
        "metalium.md 1.4; wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, noc_async_read_barrier";
    CB_POP_UNFLUSHED_WRITE = "EMU0115", "pop of pages that a write still reads",
        "Writes have left the core at noc_async_writes_flushed or a barrier; pages popped before may be overwritten under the transfer.",
        "metalium.md 1.4; wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, noc_async_writes_flushed";
    NOC_COORDINATE = "EMU0201", "no core or bank at this NoC coordinate",
        "NoC coordinates are the virtual ones that worker_core_from_logical_core gives.",
        "metalium.md 1.4, virtual coordinates; wheel tt_metal/hw/inc/internal/debug/sanitize.h";
    NOC_L1_BOUNDS = "EMU0202", "transfer outside L1",
        "The range is not inside the part of L1 that programs may use.",
        "wheel tt_metal/hw/inc/internal/debug/sanitize.h, debug_valid_worker_addr";
    NOC_DRAM_BUFFER = "EMU0203", "transfer outside every live DRAM buffer",
        "The range is not inside an allocated buffer of this bank.",
        "wheel tt_metal/hw/inc/internal/debug/sanitize.h, debug_valid_dram_addr";
    NOC_PAGE_ID = "EMU0204", "page outside the buffer",
        "Page ids count from 0 to the buffer's number of pages.",
        "metalium.md 1.7; wheel tt_metal/hw/inc/api/tensor/tensor_accessor.h";
    NOC_PAGE_SIZE = "EMU0205", "page size of the accessor differs from the buffer's",
        "With another page size every page but the first is found at a wrong place.",
        "hazards.md F 1";
    NOC_PAGE_RANGE = "EMU0206", "transfer beyond the end of a page",
        "Offset and size reach beyond the page; what follows in the bank is another page.",
        "metalium.md 1.7; wheel tt_metal/hw/inc/api/tensor/tensor_accessor.h";
    NOC_ALIGNMENT = "EMU0207", "misaligned transfer",
        "Source and destination must agree modulo the alignment of the memory that is read or written; a mismatch corrupts silently.",
        "metalium.md 1.8; wheel tt_metal/hw/inc/internal/tt-1xx/*/noc/noc_parameters.h, L1_ALIGNMENT and DRAM_ALIGNMENT";
    NOC_BURST = "EMU0208", "one packet larger than the longest burst",
        "The one-packet calls do not split transfers.",
        "metalium.md 1.8; wheel tt_metal/hw/inc/internal/tt-1xx/*/noc/noc_parameters.h, NOC_MAX_BURST_SIZE";
    NOC_FOREIGN_ADDRESS = "EMU0209", "local address of another core",
        "The local side of a transfer must lie in the L1 of the core that issues it.",
        "wheel tt_metal/hw/inc/internal/debug/sanitize.h, local buffers of a transfer";
    NOC_READ_AT_END = "EMU0210", "kernel ended with reads outstanding",
        "Every read needs a noc_async_read_barrier before the kernel ends.",
        "wheel tt_metal/hw/inc/hostdev/dev_msgs.h, DebugAssertNCriscNOCReadsFlushedTripped";
    NOC_WRITE_AT_END = "EMU0211", "kernel ended with writes not flushed",
        "Every write needs a flush or a barrier before the kernel ends.",
        "wheel tt_metal/hw/inc/hostdev/dev_msgs.h, DebugAssertNCriscNOCNonpostedWritesSentTripped";
    NOC_ATOMIC_AT_END = "EMU0212", "kernel ended with semaphore increments in flight",
        "Remote increments need a noc_async_atomic_barrier before the kernel ends.",
        "wheel tt_metal/hw/inc/hostdev/dev_msgs.h, DebugAssertNCriscNOCNonpostedAtomicsFlushedTripped; metalium.md 1.6";
    NOC_INDEX = "EMU0213", "no such NoC",
        "There are two NoCs, 0 and 1.",
        "wheel tt_metal/hw/inc/internal/tt-1xx/*/noc/noc_parameters.h, NUM_NOCS";
    NOC_STATE = "EMU0214", "transfer with a state that was never set",
        "The with_state calls use what the set_state call of the same NoC stored.",
        "metalium.md 1.4, the set_state calls; wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h";
    MULTICAST_RECTANGLE = "EMU0301", "multicast rectangle that is not one",
        "NoC 0 wants the top left corner first, NoC 1 the bottom right one, and all of it worker cores.",
        "metalium.md 1.4, multicast on NoC 1; wheel tt_metal/hw/inc/internal/debug/sanitize.h";
    MULTICAST_COUNT = "EMU0302", "multicast with a wrong number of destinations",
        "num_dests must be the number of cores that receive: the rectangle, without the sender unless it is a loopback call.",
        "metalium.md 1.4; wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, noc_async_write_multicast";
    MULTICAST_LOOPBACK = "EMU0303", "loopback multicast from outside the rectangle",
        "The loopback calls count the sender, so it must lie inside the rectangle.",
        "metalium.md 1.4; wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, noc_async_write_multicast_loopback_src";
    MULTICAST_LINKED = "EMU0304", "linked multicast not closed",
        "A linked multicast must be followed by an unlinked one to the same rectangle on the same NoC.",
        "metalium.md 1.4, ordering of linked multicasts";
    SEMAPHORE_ID = "EMU0310", "semaphore that this core does not have",
        "The program created no semaphore with this id on this core.",
        "metalium.md 1.6; wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, get_semaphore";
    SEMAPHORE_ADDRESS = "EMU0311", "address that cannot be a semaphore",
        "Semaphores are words of L1, aligned to 4 bytes, inside the core's memory.",
        "metalium.md 1.6; wheel tt_metal/hw/inc/api/dataflow/dataflow_api.h, noc_semaphore_inc";
    LAUNCH_CORE = "EMU0401", "core outside the grid",
        "The compute grid is what compute_with_storage_grid_size says.",
        "metalium.md 5, logical compute grid";
    LAUNCH_RISC_TAKEN = "EMU0402", "two kernels on one RISC",
        "A core runs one kernel on each of its RISCs.",
        "metalium.md 3.2, constraints enforced";
    LAUNCH_NOC_TAKEN = "EMU0403", "two data movement kernels on one NoC",
        "In dedicated mode the two data movement kernels of a core use different NoCs.",
        "metalium.md 3.2, constraints enforced";
    LAUNCH_CB_ID = "EMU0404", "circular buffer id that cannot be",
        "Ids are those of the chip, once per core.",
        "metalium.md 3.2, constraints enforced, and 5, circular buffers per core";
    LAUNCH_CB_SIZE = "EMU0405", "circular buffer with a size that cannot be",
        "The size is a positive multiple of every page size.",
        "metalium.md 3.2, CircularBufferConfig";
    LAUNCH_L1 = "EMU0406", "not enough L1",
        "Circular buffers grow up from the unreserved base and must not reach the L1 buffers, which grow down.",
        "metalium.md 3.2, constraints enforced: circular buffers must not overlap buffers in L1";
    LAUNCH_ARGUMENTS = "EMU0407", "too many runtime arguments",
        "Unique and common arguments of a kernel share 341 words.",
        "metalium.md 1.2";
    LAUNCH_SEMAPHORES = "EMU0408", "too many semaphores",
        "A core has 16 semaphores.",
        "metalium.md 1.6 and 5, semaphores per core";
    LAUNCH_ARGUMENTS_CHANGED = "EMU0409", "runtime arguments of another count than before",
        "Once set, the number of runtime arguments of a kernel on a core stays.",
        "metalium.md 1.2";
    LAUNCH_KERNEL = "EMU0410", "no such kernel in this program",
        "Kernel handles are those that CreateKernel returned for this program.",
        "metalium.md 3.2, CreateKernel and SetRuntimeArgs";
}

/// Every rule the emulator knows.
#[cfg(feature = "engine")]
pub fn all() -> impl Iterator<Item = &'static Rule> {
    DATAFLOW_RULES.iter().chain(crate::compute::RULES).copied()
}
