// Pages of a tensor by number.
#pragma once

#include "api/tensor/tensor_accessor_args.h"
#include "emulator/noc_address.h"

namespace tensor_accessor {

// An interleaved tensor.
template <bool IsDram>
struct InterleavedSpec {
    static constexpr bool is_dram = IsDram;
    static constexpr bool is_interleaved = true;
};

}  // namespace tensor_accessor

template <typename DSpecT>
struct TensorAccessor {
    using DSpec = DSpecT;
    static constexpr bool is_dram = DSpec::is_dram;

    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>& args, const std::size_t bank_base_address_in) :
        bank_base_address(static_cast<uint32_t>(bank_base_address_in)), aligned_page_size(args.get_aligned_page_size()) {}

    template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
    TensorAccessor(
        const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, const std::size_t bank_base_address_in, const uint32_t page_size_in) :
        bank_base_address(static_cast<uint32_t>(bank_base_address_in)), aligned_page_size(page_size_in) {}

    uint32_t get_aligned_page_size() const { return aligned_page_size; }

    std::uint64_t get_noc_addr(
        const uint32_t page_id, const uint32_t offset = 0, uint8_t noc = noc_index, TT_LINE_PARAM) const {
        return tt_emulator_dataflow()->page_address(bank_base_address, aligned_page_size, is_dram, page_id, offset, line);
    }

    uint32_t get_bank_base_address() const { return bank_base_address; }

    // For the calls that move whole pages.
    tt_emulator_accessor emulator_accessor() const { return {bank_base_address, aligned_page_size, is_dram}; }

private:
    uint32_t bank_base_address;
    uint32_t aligned_page_size;
};

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, std::size_t)
    -> TensorAccessor<tensor_accessor::InterleavedSpec<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_dram>>;

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, std::size_t, uint32_t)
    -> TensorAccessor<tensor_accessor::InterleavedSpec<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>::is_dram>>;
