// Circular buffers as free functions, for all kernels.
#pragma once

#include "emulator/data_format.h"
#include "emulator/descriptors.h"
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

// Functions that give constants where the circular buffers are known when the kernel is compiled.
#ifdef TT_EMULATOR_CIRCULAR_BUFFERS
#define TT_KNOWN_CONSTEXPR constexpr
#else
#define TT_KNOWN_CONSTEXPR
#endif

TT_KNOWN_CONSTEXPR inline std::int32_t get_tile_size(const std::int32_t operand, TT_LINE_PARAM) {
#ifdef TT_EMULATOR_CIRCULAR_BUFFERS
    if (std::is_constant_evaluated()) {
        return unpack_tile_size[static_cast<uint32_t>(operand)];
    }
#endif
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

TT_KNOWN_CONSTEXPR inline DataFormat get_dataformat(const std::int32_t operand, TT_LINE_PARAM) {
#ifdef TT_EMULATOR_CIRCULAR_BUFFERS
    if (std::is_constant_evaluated()) {
        return static_cast<DataFormat>(unpack_src_format[static_cast<uint32_t>(operand)]);
    }
#endif
    return static_cast<DataFormat>(tt_emulator_dataflow()->cb_fact(static_cast<uint32_t>(operand), TT_EMULATOR_CB_FORMAT, line));
}

// What the firmware of a RISC keeps of a circular buffer: addresses and sizes, in 16-byte units on the compute RISCs.
// The values stay in the emulator; reading or writing a member asks for it.
namespace tt_emulator {

#ifdef COMPILE_FOR_TRISC
constexpr uint32_t cb_unit_shift = 4;
#else
constexpr uint32_t cb_unit_shift = 0;
#endif

enum class CbMember : uint32_t { size, limit, page_size, num_pages, rd_ptr, wr_ptr, wr_tile_ptr };

template <CbMember member>
class CbField {
public:
    constexpr explicit CbField(uint32_t cb) : cb_(cb) {}
    constexpr CbField(const CbField&) = default;

    operator uint32_t() const {
        const auto* api = tt_emulator_dataflow();
        if constexpr (member == CbMember::size) {
            return api->cb_fact(cb_, TT_EMULATOR_CB_PAGE_BYTES, 0) * api->cb_fact(cb_, TT_EMULATOR_CB_PAGES, 0) >> cb_unit_shift;
        } else if constexpr (member == CbMember::limit) {
            return api->cb_fact(cb_, TT_EMULATOR_CB_LIMIT, 0) >> cb_unit_shift;
        } else if constexpr (member == CbMember::page_size) {
            return api->cb_fact(cb_, TT_EMULATOR_CB_PAGE_BYTES, 0) >> cb_unit_shift;
        } else if constexpr (member == CbMember::num_pages) {
            return api->cb_fact(cb_, TT_EMULATOR_CB_PAGES, 0);
        } else if constexpr (member == CbMember::rd_ptr) {
            return api->cb_read_pointer(cb_, 0) >> cb_unit_shift;
        } else {
            static_assert(member == CbMember::wr_ptr, "the emulator keeps no such number");
            return api->cb_write_pointer(cb_, 0) >> cb_unit_shift;
        }
    }

    // Pointers may be set; `fifo_wr_tile_ptr`, where the next pack in order goes, may be set to the start.
    const CbField& operator=(uint32_t value) const {
        static_assert(member >= CbMember::rd_ptr, "this member describes the circular buffer");
        constexpr uint32_t which = member == CbMember::rd_ptr   ? TT_EMULATOR_CB_POINTER_READ
                                   : member == CbMember::wr_ptr ? TT_EMULATOR_CB_POINTER_WRITE
                                                                : TT_EMULATOR_CB_POINTER_NEXT_PACK;
        tt_emulator_compute()->set_cb_pointer(cb_, which, value << cb_unit_shift, 0);
        return *this;
    }
    const CbField& operator=(const CbField& other) const { return *this = static_cast<uint32_t>(other); }
    const CbField& operator+=(uint32_t value) const { return *this = static_cast<uint32_t>(*this) + value; }
    const CbField& operator-=(uint32_t value) const { return *this = static_cast<uint32_t>(*this) - value; }

private:
    uint32_t cb_;
};

}  // namespace tt_emulator

struct LocalCBInterface {
    constexpr LocalCBInterface(uint32_t cb)
        : fifo_size(cb), fifo_limit(cb), fifo_page_size(cb), fifo_num_pages(cb), fifo_rd_ptr(cb), fifo_wr_ptr(cb), fifo_wr_tile_ptr(cb) {}

    tt_emulator::CbField<tt_emulator::CbMember::size> fifo_size;
    tt_emulator::CbField<tt_emulator::CbMember::limit> fifo_limit;
    tt_emulator::CbField<tt_emulator::CbMember::page_size> fifo_page_size;
    tt_emulator::CbField<tt_emulator::CbMember::num_pages> fifo_num_pages;
    tt_emulator::CbField<tt_emulator::CbMember::rd_ptr> fifo_rd_ptr;
    tt_emulator::CbField<tt_emulator::CbMember::wr_ptr> fifo_wr_ptr;
    tt_emulator::CbField<tt_emulator::CbMember::wr_tile_ptr> fifo_wr_tile_ptr;
};

namespace tt_emulator {

template <typename Ids>
struct CbInterfaces;

template <uint32_t... ids>
struct CbInterfaces<std::integer_sequence<uint32_t, ids...>> {
    // Without state of their own: one for each id serves all cores.
    static inline LocalCBInterface all[] = {LocalCBInterface(ids)...};
};

}  // namespace tt_emulator

inline LocalCBInterface& get_local_cb_interface(uint32_t cb_id) {
    if (cb_id >= NUM_CIRCULAR_BUFFERS) {
        // Breaks the rule about circular buffers that a core does not have, and does not return.
        tt_emulator_dataflow()->cb_fact(cb_id, TT_EMULATOR_CB_PAGES, 0);
    }
    return tt_emulator::CbInterfaces<std::make_integer_sequence<uint32_t, NUM_CIRCULAR_BUFFERS>>::all[cb_id];
}
