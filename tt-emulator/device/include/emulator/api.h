// The table of functions through which kernels call the emulator's engine: mirror of src/abi.rs.
// Kernels link to nothing; the wrapper around each stores the table it is called with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/compute_abi.h"

struct tt_emulator_dataflow_api {
    const uint32_t* (*argument)(uint32_t index, int line);
    const uint32_t* (*common_argument)(uint32_t index, int line);
    uint32_t (*core_fact)(uint32_t fact, int line);
    void (*cb_reserve_back)(uint32_t cb, uint32_t pages, int line);
    void (*cb_wait_front)(uint32_t cb, uint32_t pages, int line);
    void (*cb_push_back)(uint32_t cb, uint32_t pages, int line);
    void (*cb_pop_front)(uint32_t cb, uint32_t pages, int line);
    uint32_t (*cb_pages_reservable)(uint32_t cb, uint32_t pages, int line);
    uint32_t (*cb_pages_available)(uint32_t cb, uint32_t pages, int line);
    uint32_t (*cb_write_pointer)(uint32_t cb, int line);
    uint32_t (*cb_read_pointer)(uint32_t cb, int line);
    uint32_t (*cb_fact)(uint32_t cb, uint32_t fact, int line);
    void (*noc_read)(uint64_t source, uint32_t destination, uint32_t bytes, uint32_t one_packet, uint32_t noc, int line);
    void (*noc_write)(uint32_t source, uint64_t destination, uint32_t bytes, uint32_t flags, uint32_t noc, uint32_t transaction, int line);
    void (*noc_set_state)(uint32_t write, uint64_t address, uint32_t bytes, uint32_t noc, int line);
    void (*noc_with_state)(uint32_t write, uint32_t remote, uint32_t local, uint32_t bytes, uint32_t flags, uint32_t noc, uint32_t transaction, int line);
    void (*read_page)(uint64_t base, uint32_t page_bytes, uint32_t dram, uint32_t page, uint32_t offset, uint32_t bytes, uint32_t destination, uint32_t noc, int line);
    void (*write_page)(uint64_t base, uint32_t page_bytes, uint32_t dram, uint32_t page, uint32_t offset, uint32_t bytes, uint32_t source, uint32_t flags, uint32_t noc, int line);
    uint64_t (*page_address)(uint64_t base, uint32_t page_bytes, uint32_t dram, uint32_t page, uint32_t offset, int line);
    void (*page_beyond_tensor)(uint32_t page, uint32_t pages, int line);
    void (*noc_inline_write)(uint64_t destination, uint32_t value, uint32_t flags, uint32_t noc, int line);
    void (*noc_multicast)(uint32_t source, uint64_t address, uint32_t bytes, uint32_t destinations, uint32_t flags, uint32_t noc, int line);
    void (*read_barrier)(uint32_t noc, int32_t transaction, int line);
    void (*flush_writes)(uint32_t noc, uint32_t flags, int32_t transaction, int line);
    void (*atomic_barrier)(uint32_t noc, int line);
    void (*set_read_transaction)(uint32_t noc, uint32_t transaction, int line);
    uint32_t (*semaphore_address)(uint32_t id, int line);
    void (*semaphore_wait)(uintptr_t address, uint32_t value, uint32_t at_least, int line);
    void (*semaphore_increment)(uint64_t address, uint32_t value, uint32_t posted, uint32_t noc, int line);
    void (*semaphore_increment_multicast)(uint64_t address, uint32_t value, uint32_t destinations, uint32_t noc, int line);
    void (*poll)(int line);
};

struct tt_emulator_api {
    uint32_t abi_version;
    uint32_t size;
    const tt_emulator_dataflow_api* dataflow;
    const tt_emulator_compute_api* compute;
};

static const tt_emulator_api* tt_emulator_table;

inline const tt_emulator_dataflow_api* tt_emulator_dataflow() { return tt_emulator_table->dataflow; }
inline const tt_emulator_compute_api* tt_emulator_compute() { return tt_emulator_table->compute; }

enum : uint32_t {
    TT_EMULATOR_VIRTUAL_X = 0,
    TT_EMULATOR_VIRTUAL_Y = 1,
    TT_EMULATOR_ABSOLUTE_LOGICAL_X = 2,
    TT_EMULATOR_ABSOLUTE_LOGICAL_Y = 3,
    TT_EMULATOR_RELATIVE_LOGICAL_X = 4,
    TT_EMULATOR_RELATIVE_LOGICAL_Y = 5,
    TT_EMULATOR_L1_BASE = 6,
};

enum : uint32_t {
    TT_EMULATOR_CB_PAGE_BYTES = 0,
    TT_EMULATOR_CB_PAGES = 1,
    TT_EMULATOR_CB_FORMAT = 2,
    TT_EMULATOR_CB_TILE_ROWS = 3,
    TT_EMULATOR_CB_TILE_COLUMNS = 4,
    TT_EMULATOR_CB_TILE_BYTES = 5,
    TT_EMULATOR_CB_LIMIT = 6,
};

enum : uint32_t {
    TT_EMULATOR_POSTED = 1,
    TT_EMULATOR_ONE_PACKET = 2,
    TT_EMULATOR_LOOPBACK = 4,
    TT_EMULATOR_LINKED = 8,
};

// Every device function takes the line of its caller last, so that reports can name it.
#define TT_LINE_PARAM int line = __builtin_LINE()
