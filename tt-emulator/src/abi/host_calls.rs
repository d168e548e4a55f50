// What the C++ host API (`host/src`) and the engine pass each other, defined once: the crate exports functions of it
// (`../host/mod.rs`), the build script writes the header `engine_tables.h` (`../../build/cpp.rs`).

tables! {
    opaque Device {}
    opaque Buffer {}
    opaque Program {}

    /// Values that C++ has; null and none where it has none. Only C++ makes one, of memory that is there as long as the slice is
    /// and that nobody writes meanwhile.
    template Slice {
        start: *const T,
        count: usize,
    }

    /// Values that the callee may change; null and none where there are none. Only C++ makes one, and nobody else uses them as long
    /// as the slice is there.
    template SliceMut {
        start: *mut T,
        count: usize,
    }

    /// Values that are lent to C++, which alone looks at them; null and none where there are none.
    template Lent {
        start: *mut T,
        count: usize,
    }

    /// Text, not always UTF-8. There may be none, which is not the same as an empty one.
    structure Text {
        characters: Slice<u8>,
    }

    /// Coordinates of a core.
    structure Core {
        x: u32,
        y: u32,
    }

    /// A compile-time argument by name.
    structure NamedArgument {
        name: Text,
        value: u32,
    }

    /// A define of the preprocessor.
    structure Define {
        name: Text,
        value: Text,
    }

    /// A kernel.
    structure Kernel {
        file: Text,
        source: Text,
        /// None for sources without a file.
        directory: Text,
        is_compute: bool,
        /// Of data movement kernels.
        processor: u32,
        noc: u32,
        /// Of compute kernels.
        math_fidelity: u32,
        fp32_dest_acc_en: bool,
        dst_full_sync_en: bool,
        bfp8_pack_precise: bool,
        math_approx_mode: bool,
        unpack_to_dest_fp32: Slice<u8>,
        compile_args: Slice<u32>,
        named_args: Slice<NamedArgument>,
        defines: Slice<Define>,
        cores: Slice<Core>,
    }

    /// An index of a circular buffer.
    structure CbIndex {
        id: u32,
        format: u32,
        page_bytes: u32,
        tile_rows: u32,
        tile_columns: u32,
    }

    /// Facts about a device.
    numbers device_fact "TT_EMULATOR_FACT_" {
        ARCH = 0,
        GRID_X = 1,
        GRID_Y = 2,
        L1_BYTES = 3,
        DRAM_BANKS = 4,
        DRAM_BANK_BYTES = 5,
        CLOCK_MHZ = 6,
        L1_BASE = 7,
        DRAM_BASE = 8,
        DRAM_ALIGNMENT = 9,
        L1_ALIGNMENT = 10,
        L1_UNRESERVED = 11,
        CIRCULAR_BUFFERS = 12,
        BURST = 13,
    }

    // What fails gives null or a negative number, and `tt_emulator_last_error` its text.
    calls host {
        /// Of this thread; valid until the next failure.
        fn tt_emulator_last_error() -> *const c_char;
        /// Declared for programs too, in `host/include/tt_emulator.h`.
        fn tt_emulator_select_arch(device: i32, arch: Option<CText>) -> i32;

        fn tt_emulator_device_open(id: i32) -> Option<Box<Device>>;
        fn tt_emulator_device_close(device: Box<Device>);
        fn tt_emulator_device_fact(device: &Device, fact: u32) -> u64;
        /// Of the architecture opened last, or chosen for device 0.
        fn tt_emulator_chip_fact(fact: u32) -> u64;
        fn tt_emulator_virtual_core(device: &Device, core: Core, out: &mut Core) -> i32;

        fn tt_emulator_buffer_create(device: &Device, is_dram: bool, size: u64, page_bytes: u64) -> Option<Box<Buffer>>;
        /// Shapes of tensor and shard in pages; shards go round the banks in turn.
        fn tt_emulator_buffer_create_sharded(
            device: &Device, is_dram: bool, page_bytes: u64, tensor: Slice<u32>, shard: Slice<u32>, banks: Slice<u32>
        ) -> Option<Box<Buffer>>;
        fn tt_emulator_buffer_destroy(buffer: Box<Buffer>);
        fn tt_emulator_buffer_address(buffer: &Buffer) -> u64;
        fn tt_emulator_buffer_aligned_page(buffer: &Buffer) -> u64;
        /// Whole pages, to or from so many bytes from the first one.
        fn tt_emulator_buffer_write(buffer: &Buffer, offset: u64, data: Slice<u8>) -> i32;
        fn tt_emulator_buffer_read(buffer: &Buffer, offset: u64, data: SliceMut<u8>) -> i32;

        fn tt_emulator_program_create() -> Option<Box<Program>>;
        fn tt_emulator_program_destroy(program: Box<Program>);
        fn tt_emulator_create_kernel(program: &mut Program, kernel: &Kernel) -> i64;
        fn tt_emulator_create_circular_buffer(
            program: &mut Program, cores: Slice<Core>, total_bytes: u32, indices: Slice<CbIndex>, global_address: i64
        ) -> i64;
        /// The same but for its cores.
        fn tt_emulator_change_circular_buffer(
            program: &mut Program, handle: u64, total_bytes: u32, indices: Slice<CbIndex>, global_address: i64
        ) -> i32;
        fn tt_emulator_create_semaphore(program: &mut Program, cores: Slice<Core>, initial: u32) -> i64;
        fn tt_emulator_set_runtime_args(program: &mut Program, kernel: u32, core: Core, words: Slice<u32>) -> i32;
        fn tt_emulator_set_common_runtime_args(program: &mut Program, kernel: u32, words: Slice<u32>) -> i32;
        /// They live until they are set again; null where it fails.
        fn tt_emulator_runtime_args(program: &mut Program, kernel: u32, core: Core) -> Lent<u32>;
        fn tt_emulator_common_runtime_args(program: &mut Program, kernel: u32) -> Lent<u32>;
        /// Not blocking: the program is taken as it is now, and runs after those before it while the caller goes on.
        fn tt_emulator_launch(device: &Device, program: &mut Program, blocking: bool) -> i32;
        /// Waits for what was enqueued, and tells if it failed.
        fn tt_emulator_finish(device: &Device) -> i32;
    }
}
