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

// The word with the number of banks also says whether shards that follow each other share a bank.
constexpr uint32_t ShardContiguousBit = 1u << 31;
constexpr uint32_t unpack_num_banks(uint32_t word) { return word & ~ShardContiguousBit; }
constexpr bool unpack_is_shard_contiguous(uint32_t word) { return (word & ShardContiguousBit) != 0; }

// A compile-time argument where it is there, else 0.
template <bool IsThere, std::size_t Index>
constexpr uint32_t tt_emulator_word_if() {
    if constexpr (IsThere) {
        return get_compile_time_arg_val(Index);
    } else {
        return 0;
    }
}

}  // namespace tensor_accessor

// Words, in this order, each among the compile-time arguments or, where the first word says so, among the common runtime
// arguments: what is where; size of a page; and for a sharded tensor: rank, number of banks, shape of the tensor, shape of a
// shard, coordinates of the banks, two to a word.
template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
    static constexpr uint32_t config_bits = get_compile_time_arg_val(CTA_OFFSET);
    static constexpr bool is_sharded = (config_bits & tensor_accessor::SHARDED) != 0;
    static constexpr bool is_dram = (config_bits & tensor_accessor::IS_DRAM) != 0;
    static constexpr bool rank_is_crta = (config_bits & tensor_accessor::RUNTIME_RANK) != 0;
    static constexpr bool num_banks_is_crta = (config_bits & tensor_accessor::RUNTIME_NUM_BANKS) != 0;
    static constexpr bool tensor_shape_is_crta = (config_bits & tensor_accessor::RUNTIME_TENSOR_SHAPE) != 0;
    static constexpr bool shard_shape_is_crta = (config_bits & tensor_accessor::RUNTIME_SHARD_SHAPE) != 0;
    static constexpr bool bank_coords_is_crta = (config_bits & tensor_accessor::RUNTIME_BANK_COORDS) != 0;
    static constexpr bool page_size_is_crta = (config_bits & tensor_accessor::RUNTIME_PAGE_SIZE) != 0;

    static_assert(
        !is_sharded || !rank_is_crta || (tensor_shape_is_crta && shard_shape_is_crta),
        "If rank is runtime, tensor_shape and shard_shape must also be runtime");
    static_assert(
        !is_sharded || !num_banks_is_crta || bank_coords_is_crta, "If num_banks is runtime, bank_coords must also be runtime");
    static_assert(!is_sharded || !page_size_is_crta, "RuntimePageSize is not supported on sharded tensors");

    static constexpr uint32_t AlignedPageSize = tensor_accessor::tt_emulator_word_if<!page_size_is_crta, CTA_OFFSET + 1>();
    static constexpr uint32_t RankCTAOffset = CTA_OFFSET + (page_size_is_crta ? 1 : 2);
    static constexpr uint32_t NumBanksCTAOffset = RankCTAOffset + (rank_is_crta ? 0 : 1);
    static constexpr uint32_t RankCT = tensor_accessor::tt_emulator_word_if<is_sharded && !rank_is_crta, RankCTAOffset>();
    static constexpr uint32_t NumBanksRawCT =
        tensor_accessor::tt_emulator_word_if<is_sharded && !num_banks_is_crta, NumBanksCTAOffset>();
    static constexpr uint32_t NumBanksCT = tensor_accessor::unpack_num_banks(NumBanksRawCT);
    static constexpr bool is_shard_contiguous = tensor_accessor::unpack_is_shard_contiguous(NumBanksRawCT);
    static constexpr uint32_t PhysicalNumBanksCT = (NumBanksCT + 1) / 2;
    static constexpr uint32_t TensorShapeCTAOffset = NumBanksCTAOffset + (num_banks_is_crta ? 0 : 1);
    static constexpr uint32_t ShardShapeCTAOffset = TensorShapeCTAOffset + (tensor_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t BankCoordsCTAOffset = ShardShapeCTAOffset + (shard_shape_is_crta ? 0 : RankCT);
    static constexpr uint32_t NumArgsCT =
        is_sharded ? BankCoordsCTAOffset + (bank_coords_is_crta ? 0 : PhysicalNumBanksCT) - CTA_OFFSET : (page_size_is_crta ? 1 : 2);

    static_assert(!is_sharded || rank_is_crta || RankCT > 0, "Rank must be greater than 0!");
    static_assert(!is_sharded || num_banks_is_crta || NumBanksCT > 0, "Number of banks must be greater than 0!");

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

    constexpr uint32_t rank_crta_offset() const { return crta_offset(); }
    constexpr uint32_t num_banks_crta_offset() const { return crta_offset() + rank_is_crta; }
    constexpr uint32_t tensor_shape_crta_offset() const { return num_banks_crta_offset() + num_banks_is_crta; }
    constexpr uint32_t shard_shape_crta_offset() const { return tensor_shape_crta_offset() + (tensor_shape_is_crta ? get_rank() : 0); }
    constexpr uint32_t bank_coords_crta_offset() const { return shard_shape_crta_offset() + (shard_shape_is_crta ? get_rank() : 0); }

    constexpr uint32_t get_rank() const {
        if constexpr (rank_is_crta) {
            return get_common_arg_val<uint32_t>(rank_crta_offset());
        } else {
            return RankCT;
        }
    }

    constexpr uint32_t get_num_banks() const {
        if constexpr (num_banks_is_crta) {
            return tensor_accessor::unpack_num_banks(get_common_arg_val<uint32_t>(num_banks_crta_offset()));
        } else {
            return NumBanksCT;
        }
    }

    constexpr bool resolve_shard_contiguous() const {
        if constexpr (num_banks_is_crta) {
            return tensor_accessor::unpack_is_shard_contiguous(get_common_arg_val<uint32_t>(num_banks_crta_offset()));
        } else {
            return is_shard_contiguous;
        }
    }

    constexpr uint32_t get_physical_num_banks() const { return (get_num_banks() + 1) / 2; }

    static constexpr uint32_t num_compile_time_args() { return NumArgsCT; }
    static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + NumArgsCT; }
    constexpr uint32_t num_common_runtime_args() const {
        if constexpr (is_sharded) {
            return bank_coords_crta_offset() + (bank_coords_is_crta ? get_physical_num_banks() : 0) - crta_offset();
        } else {
            return page_size_is_crta ? 1 : 0;
        }
    }
    constexpr uint32_t next_common_runtime_args_offset() const { return crta_offset() + num_common_runtime_args(); }

private:
    uint32_t crta_offset_rt_;
};

namespace tensor_accessor {

template <uint32_t COUNT, uint32_t CTA_OFFSET, typename... Before>
constexpr auto tt_emulator_args_tuple(std::tuple<Before...> before) {
    if constexpr (COUNT == 0) {
        return before;
    } else {
        using Args = TensorAccessorArgs<CTA_OFFSET>;
        return tt_emulator_args_tuple<COUNT - 1, Args::next_compile_time_args_offset()>(
            std::tuple_cat(before, std::make_tuple(Args())));
    }
}

}  // namespace tensor_accessor

// The arguments of several tensors whose words follow each other.
template <uint32_t NUM_TENSORS, uint32_t CTA_OFFSET>
constexpr auto make_tensor_accessor_args_tuple() {
    return tensor_accessor::tt_emulator_args_tuple<NUM_TENSORS, CTA_OFFSET>(std::tuple<>());
}
