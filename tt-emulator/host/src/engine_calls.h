// The functions that the engine (Rust, src/host/) exports to this shim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

extern "C" {

struct tt_emulator_core {
    uint32_t x;
    uint32_t y;
};

struct tt_emulator_kernel {
    const char* file;
    const char* source;
    std::size_t source_bytes;
    const char* directory;  // null for sources without a file
    uint32_t is_compute;
    uint32_t processor;
    uint32_t noc;
    uint32_t math_fidelity;
    uint32_t fp32_dest_acc_en;
    uint32_t dst_full_sync_en;
    uint32_t bfp8_pack_precise;
    uint32_t math_approx_mode;
    const uint8_t* unpack_to_dest_fp32;
    std::size_t unpack_to_dest_count;
    const uint32_t* compile_args;
    std::size_t compile_arg_count;
    const char* const* named_arg_names;
    const uint32_t* named_arg_values;
    std::size_t named_arg_count;
    const char* const* define_names;
    const char* const* define_values;
    std::size_t define_count;
    const tt_emulator_core* cores;
    std::size_t core_count;
};

struct tt_emulator_cb_index {
    uint32_t id;
    uint32_t format;
    uint32_t page_bytes;
    uint32_t tile_rows;
    uint32_t tile_columns;
};

// Text of the last failure on this thread; valid until the next call.
const char* tt_emulator_last_error();

void* tt_emulator_device_open(int32_t id);
void tt_emulator_device_close(void* device);
uint64_t tt_emulator_device_fact(const void* device, uint32_t fact);
int32_t tt_emulator_virtual_core(const void* device, uint32_t x, uint32_t y, tt_emulator_core* out);
// Facts of the architecture opened last, or chosen for device 0.
uint64_t tt_emulator_chip_fact(uint32_t fact);

void* tt_emulator_buffer_create(void* device, uint32_t is_dram, uint64_t size, uint64_t page_bytes);
// Shapes of tensor and shard in pages; shards go round the banks in turn.
void* tt_emulator_buffer_create_sharded(
    void* device,
    uint32_t is_dram,
    uint64_t page_bytes,
    std::size_t rank,
    const uint32_t* tensor,
    const uint32_t* shard,
    const uint32_t* banks,
    std::size_t bank_count);
void tt_emulator_buffer_destroy(void* buffer);
uint64_t tt_emulator_buffer_address(const void* buffer);
uint64_t tt_emulator_buffer_aligned_page(const void* buffer);
int32_t tt_emulator_buffer_write(void* buffer, const void* data, uint64_t bytes);
int32_t tt_emulator_buffer_read(void* buffer, void* data, uint64_t bytes);

void* tt_emulator_program_create();
void tt_emulator_program_destroy(void* program);
int64_t tt_emulator_create_kernel(void* program, const tt_emulator_kernel* kernel);
int64_t tt_emulator_create_circular_buffer(
    void* program,
    const tt_emulator_core* cores,
    std::size_t core_count,
    uint32_t total_bytes,
    const tt_emulator_cb_index* indices,
    std::size_t index_count,
    int64_t global_address);
// The same but for its cores.
int32_t tt_emulator_change_circular_buffer(
    void* program,
    uint64_t handle,
    uint32_t total_bytes,
    const tt_emulator_cb_index* indices,
    std::size_t index_count,
    int64_t global_address);
int64_t tt_emulator_create_semaphore(void* program, const tt_emulator_core* cores, std::size_t core_count, uint32_t initial);
int32_t tt_emulator_set_runtime_args(void* program, uint32_t kernel, tt_emulator_core core, const uint32_t* words, std::size_t count);
int32_t tt_emulator_set_common_runtime_args(void* program, uint32_t kernel, const uint32_t* words, std::size_t count);
uint32_t* tt_emulator_runtime_args(void* program, uint32_t kernel, tt_emulator_core core, std::size_t* count);
uint32_t* tt_emulator_common_runtime_args(void* program, uint32_t kernel, std::size_t* count);
// Not blocking: the program is taken as it is now, and runs after those before it while the caller goes on.
int32_t tt_emulator_launch(void* device, void* program, uint32_t blocking);
// Waits for what was enqueued, and tells if it failed.
int32_t tt_emulator_finish(void* device);
}

namespace tt::tt_metal::emulator {

enum Fact : uint32_t {
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
};

[[noreturn]] inline void fail() { throw std::runtime_error(tt_emulator_last_error()); }

// Turns a negative result into an exception.
template <typename T>
T checked(T result) {
    if (result < 0) {
        fail();
    }
    return result;
}

template <typename T>
T* checked(T* result) {
    if (result == nullptr) {
        fail();
    }
    return result;
}

}  // namespace tt::tt_metal::emulator
