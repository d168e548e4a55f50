// The older generators of addresses of interleaved pages, deprecated in favour of TensorAccessor.
//
// Like the accessor they round a page up to the allocator's alignment. The fast ones take the bytes from one page to the
// next from a format or a power of two.
#pragma once

#include "api/alignment.h"
#include "emulator/data_format.h"
#include "emulator/noc_address.h"
#include "noc/noc_parameters.h"

// Bytes of `index` tiles of `tile_hw` elements.
template <uint32_t tile_hw = 1024>
constexpr uint32_t MUL_WITH_TILE_SIZE(uint32_t format, uint32_t index) {
    constexpr uint32_t exponents = tile_hw == 1024 ? 64 : tile_hw == 512 ? 32 : 16;
    switch (static_cast<DataFormat>(format & 0x1F)) {
        case DataFormat::UInt8: return index * tile_hw;
        case DataFormat::UInt16:
        case DataFormat::Float16:
        case DataFormat::Float16_b: return index * tile_hw * 2;
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::Float32: return index * tile_hw * 4;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return index * (tile_hw / 4 + exponents);
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return index * (tile_hw / 2 + exponents);
        default: return index * (tile_hw + exponents);
    }
}

#include "emulator/stride_checks.h"

template <bool DRAM>
struct InterleavedAddrGen {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    const uint32_t page_size;
    const uint32_t aligned_page_size = align_power_of_2(page_size, DRAM ? DRAM_ALIGNMENT : L1_ALIGNMENT);

    std::uint64_t get_noc_addr(const uint32_t id, const uintptr_t offset = 0, uint8_t noc = noc_index, TT_LINE_PARAM) const {
        return tt_emulator_dataflow()->page_address(
            bank_base_address, aligned_page_size, DRAM, id, static_cast<uint32_t>(offset), line);
    }
};

template <bool DRAM, uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;

    std::uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0, uint8_t noc = noc_index, TT_LINE_PARAM) const {
        const uint32_t stride = MUL_WITH_TILE_SIZE<tile_hw>(static_cast<uint32_t>(data_format), 1);
        return tt_emulator_dataflow()->page_address(bank_base_address, stride, DRAM, id, offset, line);
    }
};

template <bool DRAM>
struct InterleavedPow2AddrGen {
    static constexpr bool is_dram = DRAM;
    const uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;

    std::uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0, uint8_t noc = noc_index, TT_LINE_PARAM) const {
        return tt_emulator_dataflow()->page_address(bank_base_address, 1u << log_base_2_of_page_size, DRAM, id, offset, line);
    }
};

template <bool DRAM>
struct InterleavedPow2AddrGenFast {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;

    std::uint64_t get_noc_addr(const uint32_t id, const uint32_t offset = 0, uint8_t noc = noc_index, TT_LINE_PARAM) const {
        return tt_emulator_dataflow()->page_address(bank_base_address, 1u << log_base_2_of_page_size, DRAM, id, offset, line);
    }
};
