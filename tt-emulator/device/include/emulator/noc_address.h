// Addresses on the network on chip, and generators of them.
#pragma once

#include "emulator/types.h"

#ifndef NOC_INDEX
#define NOC_INDEX 0
#endif

constexpr uint8_t noc_index = NOC_INDEX;

// The virtual coordinates of this core, by NoC; the same on both.
struct tt_emulator_own_coordinate {
    uint32_t fact;
    uint8_t operator[](uint32_t) const { return static_cast<uint8_t>(tt_emulator_dataflow()->core_fact(fact, 0)); }
};
constexpr tt_emulator_own_coordinate my_x{TT_EMULATOR_VIRTUAL_X};
constexpr tt_emulator_own_coordinate my_y{TT_EMULATOR_VIRTUAL_Y};

// A node as it stands in addresses, and its coordinates in one.
constexpr uint64_t tt_emulator_node(uint32_t x, uint32_t y) { return static_cast<uint64_t>(y) << NOC_ADDR_NODE_ID_BITS | x; }
constexpr uint32_t tt_emulator_x(uint64_t address) {
    return address >> NOC_ADDR_LOCAL_BITS & ((1u << NOC_ADDR_NODE_ID_BITS) - 1);
}
constexpr uint32_t tt_emulator_y(uint64_t address) { return tt_emulator_x(address >> NOC_ADDR_NODE_ID_BITS); }

inline uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t noc = noc_index) {
    return tt_emulator_node(noc_x, noc_y) << NOC_ADDR_LOCAL_BITS | addr;
}

// A pointer into L1 also says whose it is, which on a chip it does not.
inline uint64_t get_noc_addr(uint32_t addr, uint8_t noc = noc_index) {
    return get_noc_addr(my_x[noc], my_y[noc], addr % TT_EMULATOR_L1_SLOT_BYTES, noc);
}

// On NoC 1 the caller passes the bottom right corner as the start.
inline uint64_t get_noc_multicast_addr(
    uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end, uint32_t noc_y_end, uint32_t addr, uint8_t noc = noc_index) {
    const uint64_t start = tt_emulator_node(noc_x_start, noc_y_start), end = tt_emulator_node(noc_x_end, noc_y_end);
    return (start << 2 * NOC_ADDR_NODE_ID_BITS | end) << NOC_ADDR_LOCAL_BITS | addr;
}

// An interleaved buffer, as the engine knows it.
struct tt_emulator_accessor {
    uint64_t base;
    uint32_t page_bytes;
    uint32_t dram;
};

template <bool DRAM>
inline uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t bank_address_offset, uint8_t noc = noc_index) {
    if constexpr (DRAM) {
        // DRAM banks lie in one column of the coordinates, in order.
        return get_noc_addr(TT_EMULATOR_DRAM_X, bank_id, bank_address_offset, noc);
    } else {
        const uint32_t x = TT_EMULATOR_WORKER_X[bank_id % TT_EMULATOR_COLUMNS];
        return get_noc_addr(x, bank_id / TT_EMULATOR_COLUMNS + TT_EMULATOR_WORKER_Y, bank_address_offset, noc);
    }
}

template <typename AddrGen>
concept tt_emulator_addrgen = requires(const AddrGen& addrgen) {
    { addrgen.get_noc_addr(uint32_t{}, uint32_t{}, uint8_t{}) };
};

template <typename AddrGen>
    requires tt_emulator_addrgen<AddrGen>
inline uint64_t get_noc_addr(
    const uint32_t id, const AddrGen& addrgen, uint32_t offset = 0, uint8_t noc = noc_index, TT_LINE_PARAM) {
    if constexpr (requires { addrgen.get_noc_addr(id, offset, noc, line); }) {
        return addrgen.get_noc_addr(id, offset, noc, line);
    } else {
        return addrgen.get_noc_addr(id, offset, noc);
    }
}

// Bytes that a transfer of a whole page of this generator moves.
template <typename AddrGen>
inline uint32_t tt_emulator_page_bytes(const AddrGen& addrgen) {
    if constexpr (requires { addrgen.get_aligned_page_size(); }) {
        return addrgen.get_aligned_page_size();
    } else if constexpr (requires { addrgen.page_size; }) {
        return addrgen.page_size;
    } else {
        return 1u << addrgen.log_base_2_of_page_size;
    }
}
