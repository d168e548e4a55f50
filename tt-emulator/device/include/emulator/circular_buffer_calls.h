// Circular buffers as free functions, for all kernels.
#pragma once

#include "emulator/data_format.h"
#include "emulator/types.h"
#include "hostdevcommon/kernel_structs.h"

inline void cb_reserve_back(int32_t operand, int32_t num_pages, TT_LINE_PARAM) {
    tt_emulator_dataflow()->cb_reserve_back(static_cast<uint32_t>(operand), static_cast<uint32_t>(num_pages), line);
}

inline void cb_push_back(const int32_t operand, const int32_t num_pages, TT_LINE_PARAM) {
    tt_emulator_dataflow()->cb_push_back(static_cast<uint32_t>(operand), static_cast<uint32_t>(num_pages), line);
}

inline void cb_wait_front(int32_t operand, int32_t num_pages, TT_LINE_PARAM) {
    tt_emulator_dataflow()->cb_wait_front(static_cast<uint32_t>(operand), static_cast<uint32_t>(num_pages), line);
}

inline void cb_pop_front(int32_t operand, int32_t num_pages, TT_LINE_PARAM) {
    tt_emulator_dataflow()->cb_pop_front(static_cast<uint32_t>(operand), static_cast<uint32_t>(num_pages), line);
}

inline bool cb_pages_reservable_at_back(int32_t operand, int32_t num_pages, TT_LINE_PARAM) {
    return tt_emulator_dataflow()->cb_pages_reservable(static_cast<uint32_t>(operand), static_cast<uint32_t>(num_pages), line) != 0;
}

inline bool cb_pages_available_at_front(int32_t operand, int32_t num_pages, TT_LINE_PARAM) {
    return tt_emulator_dataflow()->cb_pages_available(static_cast<uint32_t>(operand), static_cast<uint32_t>(num_pages), line) != 0;
}

inline std::int32_t get_tile_size(const std::int32_t operand, TT_LINE_PARAM) {
    return static_cast<std::int32_t>(tt_emulator_dataflow()->cb_fact(static_cast<uint32_t>(operand), TT_EMULATOR_CB_TILE_BYTES, line));
}

inline uint32_t get_tile_hw(const std::int32_t operand, TT_LINE_PARAM) {
    const auto* api = tt_emulator_dataflow();
    return api->cb_fact(static_cast<uint32_t>(operand), TT_EMULATOR_CB_TILE_ROWS, line) *
           api->cb_fact(static_cast<uint32_t>(operand), TT_EMULATOR_CB_TILE_COLUMNS, line);
}

inline uint32_t get_tile_num_faces(const std::int32_t operand, TT_LINE_PARAM) {
    const auto* api = tt_emulator_dataflow();
    const uint32_t rows = api->cb_fact(static_cast<uint32_t>(operand), TT_EMULATOR_CB_TILE_ROWS, line);
    const uint32_t columns = api->cb_fact(static_cast<uint32_t>(operand), TT_EMULATOR_CB_TILE_COLUMNS, line);
    return (rows + 15) / 16 * (columns / 16);
}

inline DataFormat get_dataformat(const std::int32_t operand, TT_LINE_PARAM) {
    return static_cast<DataFormat>(tt_emulator_dataflow()->cb_fact(static_cast<uint32_t>(operand), TT_EMULATOR_CB_FORMAT, line));
}

// A copy of what the firmware keeps of a circular buffer.
struct LocalCBInterface {
    uint32_t fifo_size;
    uint32_t fifo_limit;
    uint32_t fifo_page_size;
    uint32_t fifo_num_pages;
    uint32_t fifo_rd_ptr;
    uint32_t fifo_wr_ptr;
};

inline LocalCBInterface get_local_cb_interface(uint32_t cb_id, TT_LINE_PARAM) {
    const auto* api = tt_emulator_dataflow();
    const uint32_t page = api->cb_fact(cb_id, TT_EMULATOR_CB_PAGE_BYTES, line);
    const uint32_t pages = api->cb_fact(cb_id, TT_EMULATOR_CB_PAGES, line);
    return {
        page * pages,
        api->cb_fact(cb_id, TT_EMULATOR_CB_LIMIT, line),
        page,
        pages,
        api->cb_read_pointer(cb_id, line),
        api->cb_write_pointer(cb_id, line),
    };
}
