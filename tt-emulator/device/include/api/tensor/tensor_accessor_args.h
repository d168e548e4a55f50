// The compile-time and common runtime words that describe a tensor to its accessor.
#pragma once

#include "api/compile_time_args.h"
#include "emulator/arguments.h"

namespace tensor_accessor {

constexpr std::size_t UNKNOWN = static_cast<std::size_t>(-1);

enum ArgConfigBits : uint32_t {
    SHARDED = 1 << 0,
    IS_DRAM = 1 << 1,
    RUNTIME_RANK = 1 << 2,
    RUNTIME_NUM_BANKS = 1 << 3,
    RUNTIME_TENSOR_SHAPE = 1 << 4,
    RUNTIME_SHARD_SHAPE = 1 << 5,
    RUNTIME_BANK_COORDS = 1 << 6,
    RUNTIME_PAGE_SIZE = 1 << 7,
};

}  // namespace tensor_accessor

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
    static constexpr uint32_t config_bits = get_compile_time_arg_val(CTA_OFFSET);
    static constexpr bool is_sharded = (config_bits & tensor_accessor::SHARDED) != 0;
    static constexpr bool is_dram = (config_bits & tensor_accessor::IS_DRAM) != 0;
    static constexpr bool page_size_is_crta = (config_bits & tensor_accessor::RUNTIME_PAGE_SIZE) != 0;

    static_assert(!is_sharded, "the emulator has interleaved tensors only: this argument describes a sharded one");

    static constexpr uint32_t AlignedPageSize = [] {
        if constexpr (page_size_is_crta) {
            return 0u;
        } else {
            return get_compile_time_arg_val(CTA_OFFSET + 1);
        }
    }();

    constexpr TensorAccessorArgs() : crta_offset_rt_(0) {}
    constexpr explicit TensorAccessorArgs(uint32_t crta_offset) : crta_offset_rt_(crta_offset) {
        static_assert(CRTA_OFFSET == tensor_accessor::UNKNOWN, "Do not pass crta_offset when CRTA_OFFSET is known");
    }

    constexpr uint32_t crta_offset() const {
        if constexpr (CRTA_OFFSET != tensor_accessor::UNKNOWN) {
            return CRTA_OFFSET;
        } else {
            return crta_offset_rt_;
        }
    }

    constexpr uint32_t get_aligned_page_size() const {
        if constexpr (page_size_is_crta) {
            return get_common_arg_val<uint32_t>(crta_offset());
        } else {
            return AlignedPageSize;
        }
    }

    static constexpr uint32_t num_compile_time_args() { return page_size_is_crta ? 1u : 2u; }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + num_compile_time_args(); }
    constexpr uint32_t num_common_runtime_args() const { return page_size_is_crta ? 1u : 0u; }
    constexpr uint32_t next_common_runtime_args_offset() const { return crta_offset() + num_common_runtime_args(); }

private:
    uint32_t crta_offset_rt_;
};
