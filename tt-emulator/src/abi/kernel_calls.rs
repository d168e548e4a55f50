// What kernels and the engine pass each other, defined once: the crate makes types of it (`mod.rs`), the build script the
// device header `emulator/tables.h` (`build/cpp.rs`). Enumerations cross as Metalium's numbers, lines of callers last.

tables! {
    /// Calls of data movement kernels, and those that all kernels share.
    functions DataflowApi {
        fn argument(index: u32, line: i32) -> *const u32;
        fn common_argument(index: u32, line: i32) -> *const u32;
        fn core_fact(fact: u32, line: i32) -> u32;
        /// The pointer that an address in L1, counted from its start, is on this core; what programs may not use stays as it is.
        fn l1_pointer(address: u32) -> usize;
        fn cb_reserve_back(cb: u32, pages: u32, line: i32);
        fn cb_wait_front(cb: u32, pages: u32, line: i32);
        fn cb_push_back(cb: u32, pages: u32, line: i32);
        fn cb_pop_front(cb: u32, pages: u32, line: i32);
        fn cb_pages_reservable(cb: u32, pages: u32, line: i32) -> u32;
        fn cb_pages_available(cb: u32, pages: u32, line: i32) -> u32;
        fn cb_write_pointer(cb: u32, line: i32) -> u32;
        fn cb_read_pointer(cb: u32, line: i32) -> u32;
        fn cb_fact(cb: u32, fact: u32, line: i32) -> u32;
        fn noc_read(source: u64, destination: u32, bytes: u32, one_packet: u32, noc: u32, line: i32);
        fn noc_write(source: u32, destination: u64, bytes: u32, flags: u32, noc: u32, transaction: u32, line: i32);
        fn noc_set_state(write: u32, address: u64, bytes: u32, noc: u32, line: i32);
        fn noc_with_state(write: u32, remote: u32, local: u32, bytes: u32, flags: u32, noc: u32, transaction: u32, line: i32);
        fn read_page(
            base: u64, page_bytes: u32, dram: u32, page: u32, offset: u32, bytes: u32, destination: u32, noc: u32, line: i32
        );
        fn write_page(
            base: u64, page_bytes: u32, dram: u32, page: u32, offset: u32, bytes: u32, source: u32, flags: u32, noc: u32,
            line: i32
        );
        fn page_address(base: u64, page_bytes: u32, dram: u32, page: u32, offset: u32, line: i32) -> u64;
        fn page_beyond_tensor(page: u32, pages: u32, line: i32);
        fn noc_inline_write(destination: u64, value: u32, flags: u32, noc: u32, line: i32);
        fn noc_multicast(source: u32, address: u64, bytes: u32, destinations: u32, flags: u32, noc: u32, line: i32);
        fn read_barrier(noc: u32, transaction: i32, line: i32);
        fn flush_writes(noc: u32, flags: u32, transaction: i32, line: i32);
        fn atomic_barrier(noc: u32, line: i32);
        fn set_read_transaction(noc: u32, transaction: u32, line: i32);
        fn semaphore_address(id: u32, line: i32) -> u32;
        fn semaphore_wait(address: usize, value: u32, at_least: u32, line: i32);
        fn semaphore_increment(address: u64, value: u32, posted: u32, noc: u32, line: i32);
        fn semaphore_increment_multicast(address: u64, value: u32, destinations: u32, noc: u32, line: i32);
        fn poll(line: i32);
        /// What the kernel stores from now on is the block's of this number.
        fn block(number: u32, line: i32);
        /// `DPRINT`: so many values in a format, each of a kind of `printed` and with its bits.
        fn print(format: CText, kinds: *const u32, bits: *const u64, count: u32, line: i32);
        /// `ASSERT` of what does not hold, by its text.
        fn assertion(condition: CText, line: i32);
    }

    /// Calls of compute kernels.
    functions ComputeApi {
        /// `compute_kernel_hw_startup`.
        fn hw_startup(icb0: u32, icb1: u32, ocb: u32, reverse: u32, line: i32);
        /// One of `register_step`.
        fn registers(step: u32, line: i32);
        /// `reconfig_data_format*`, `pack_reconfig_data_format`: `old_cb` is the buffer it says was used, or `NO_BUFFER`.
        fn reconfigure(side: u32, old_cb: u32, new_cb: u32, line: i32);
        /// `matmul_init`, `matmul_block_init`.
        fn matmul_init(in0: u32, in1: u32, transpose: u32, ct: u32, rt: u32, kt: u32, line: i32);
        /// `matmul_tiles`, `matmul_block`; the transposition may be `TRANSPOSITION_OF_INIT`.
        fn matmul(in0: u32, in1: u32, i0: u32, i1: u32, idst: u32, transpose: u32, ct: u32, rt: u32, kt: u32, line: i32);
        /// Inits of element-wise operations on two buffers.
        fn binary_init(op: u32, broadcast: u32, icb0: u32, icb1: u32, accumulate: u32, full: u32, line: i32);
        /// Element-wise operations on `count` pairs of tiles.
        fn binary(op: u32, broadcast: u32, icb0: u32, icb1: u32, i0: u32, i1: u32, idst: u32, row: u32, count: u32, line: i32);
        /// Inits of element-wise operations on the destination and a buffer.
        fn reuse_init(op: u32, reuse: u32, icb: u32, line: i32);
        /// Element-wise operations on the destination and a buffer.
        fn reuse(op: u32, reuse: u32, icb: u32, tile: u32, idst: u32, line: i32);
        /// `copy_init`.
        fn copy_init(icb: u32, transpose: u32, within_faces: u32, line: i32);
        /// `copy_tile`, `copy_block`.
        fn copy(icb: u32, tile: u32, idst: u32, count: u32, line: i32);
        /// `transpose_init`.
        fn transpose_init(icb: u32, line: i32);
        /// `transpose_tile`, `transpose_block`.
        fn transpose(icb: u32, tile: u32, idst: u32, count: u32, line: i32);
        /// `transpose_dest_init`.
        fn transpose_dest_init(line: i32);
        /// `transpose_dest`.
        fn transpose_dest(idst: u32, line: i32);
        /// `unary_bcast_init`.
        fn unary_bcast_init(broadcast: u32, icb: u32, line: i32);
        /// `unary_bcast`.
        fn unary_bcast(broadcast: u32, icb: u32, tile: u32, idst: u32, line: i32);
        /// `unary_bcast_uninit`.
        fn unary_bcast_uninit(broadcast: u32, icb: u32, line: i32);
        /// `reduce_init`; `NO_BUFFER` as `ocb` leaves the packer's mask.
        fn reduce_init(pool: u32, dim: u32, icb: u32, scaler: u32, ocb: u32, line: i32);
        /// `reduce_tile`, `reduce_block`.
        fn reduce(pool: u32, dim: u32, icb: u32, scaler: u32, tile: u32, scaler_tile: u32, idst: u32, count: u32, line: i32);
        /// `reduce_uninit`.
        fn reduce_uninit(line: i32);
        /// The packer's mask of a reduction: a dimension, or `NO_DIMENSION`.
        fn reduce_mask(dim: u32, line: i32);
        /// `pack_init`.
        fn pack_init(ocb: u32, line: i32);
        /// `pack_tile`, `pack_block`.
        fn pack(idst: u32, ocb: u32, out_of_order: u32, index: u32, count: u32, line: i32);
        /// `pack_reconfig_l1_acc`.
        fn pack_l1_acc(enable: u32, line: i32);
        /// `pack_relu_config`.
        fn pack_relu(mode: u32, threshold: u32, line: i32);
        /// `tilize_init`, `fast_tilize_init`.
        fn tilize_init(icb: u32, block: u32, ocb: u32, fast: u32, line: i32);
        /// `tilize_block`.
        fn tilize(icb: u32, block: u32, ocb: u32, input: u32, output: u32, line: i32);
        /// `tilize_uninit`.
        fn tilize_uninit(icb: u32, ocb: u32, line: i32);
        /// `pack_untilize_init`: copies and packs rows; `NO_BUFFER` as `icb` sets the packer only.
        fn untilize_init(icb: u32, ocb: u32, block: u32, full: u32, line: i32);
        /// `pack_untilize_block`, from tile `first` of the input and into the row of tiles that starts `output` tiles from the
        /// write pointer.
        fn untilize_block(icb: u32, ocb: u32, block: u32, full: u32, rows: u32, column: u32, first: u32, output: u32, line: i32);
        /// `pack_untilize_dest`.
        fn untilize_dest(ocb: u32, block: u32, full: u32, rows: u32, column: u32, first: u32, line: i32);
        /// `pack_untilize_uninit`.
        fn untilize_uninit(ocb: u32, line: i32);
        /// Every init of the vector unit, by the hash of its name; of `sfpu_flag` whether the packer's thread makes it.
        fn sfpu_init(name: u64, variant: u32, p0: u32, p1: u32, flags: u32, line: i32);
        /// `mailbox_write`: a word for another thread of the kernel.
        fn mailbox_write(to: u32, value: u32, line: i32);
        /// `mailbox_read`.
        fn mailbox_read(from: u32, line: i32) -> u32;
        /// Sets a pointer of a circular buffer, one of `cb_pointer`.
        fn set_cb_pointer(cb: u32, which: u32, address: u32, line: i32);
        /// A call that the emulator does not compute, by its name.
        fn refused(name: CText, line: i32);
        /// Every operation of the vector unit.
        fn sfpu(call: &SfpuCall, line: i32);
    }

    /// What the entry of a kernel is called with.
    structure Api {
        /// Data movement, circular buffers, arguments.
        dataflow: &'static DataflowApi,
        /// Unpack, math and pack.
        compute: &'static ComputeApi,
    }

    /// Facts about a core that [`DataflowApi::core_fact`] gives.
    numbers core_fact "TT_EMULATOR_" {
        VIRTUAL_X = 0,
        VIRTUAL_Y = 1,
        ABSOLUTE_LOGICAL_X = 2,
        ABSOLUTE_LOGICAL_Y = 3,
        RELATIVE_LOGICAL_X = 4,
        RELATIVE_LOGICAL_Y = 5,
        L1_BASE = 6,
    }

    /// What a value is that [`DataflowApi::print`] prints.
    numbers printed "TT_EMULATOR_PRINTED_" {
        SIGNED = 0,
        UNSIGNED = 1,
        FLOAT = 2,
        DOUBLE = 3,
        TRUTH = 4,
        LETTER = 5,
        TEXT = 6,
        OTHER = 7,
    }

    /// Facts about a circular buffer that [`DataflowApi::cb_fact`] gives.
    numbers cb_fact "TT_EMULATOR_CB_" {
        PAGE_BYTES = 0,
        PAGES = 1,
        FORMAT = 2,
        TILE_ROWS = 3,
        TILE_COLUMNS = 4,
        TILE_BYTES = 5,
        LIMIT = 6,
    }

    /// Flags of writes, flushes and multicasts.
    numbers flag "TT_EMULATOR_" {
        POSTED = 1,
        ONE_PACKET = 2,
        LOOPBACK = 4,
        LINKED = 8,
        UNTIL_LEFT = 16,
    }

    /// Which engine [`ComputeApi::reconfigure`] programs a format into.
    numbers side "TT_EMULATOR_" {
        SRC_A = 0,
        SRC_B = 1,
        PACKER = 2,
    }

    /// What stands where a call of compute kernels has no buffer, no dimension, or takes the transposition that the init had.
    numbers special "TT_EMULATOR_" {
        NO_BUFFER = 0xffff_ffff,
        NO_DIMENSION = 0xffff_ffff,
        TRANSPOSITION_OF_INIT = 2,
    }

    /// Steps of [`ComputeApi::registers`]: those of the section, of `acquire_dst` and `release_dst`, and what the packer's thread does
    /// around calls of the vector unit: it is held until math hands the section over, the unit is sent to that section, and packs wait
    /// for it.
    numbers register_step "TT_EMULATOR_REGISTERS_" {
        ACQUIRE = 0,
        COMMIT = 1,
        WAIT = 2,
        RELEASE = 3,
        ACQUIRE_SHARED = 4,
        RELEASE_SHARED = 5,
        HOLD = 6,
        AIM = 7,
        VECTOR_DONE = 8,
    }

    /// What [`ComputeApi::set_cb_pointer`] sets.
    numbers cb_pointer "TT_EMULATOR_CB_POINTER_" {
        READ = 0,
        WRITE = 1,
        NEXT_PACK = 2,
    }
}
