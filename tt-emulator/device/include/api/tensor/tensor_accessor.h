// Pages of a tensor by number.
#pragma once

#include "api/tensor/page.h"
#include "emulator/noc_address.h"
#include "emulator/sharding.h"

namespace tensor_accessor {

// An interleaved tensor.
template <bool IsDram>
struct InterleavedSpec {
    static constexpr bool is_dram = IsDram;
    static constexpr bool is_interleaved = true;
};

template <typename Args>
using tt_emulator_spec = std::conditional_t<Args::is_sharded, ShardedSpec<Args>, InterleavedSpec<Args::is_dram>>;

template <typename T>
constexpr bool tt_emulator_is_coordinate = requires(const T& value) { value[0]; };

}  // namespace tensor_accessor

// An interleaved tensor.
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

    // The accessor does not know how many pages there are.
    tensor_accessor::Pages<TensorAccessor> pages(uint32_t start_page_id, uint32_t end_page_id, uint8_t noc = noc_index) const {
        return {*this, start_page_id, end_page_id, noc};
    }

    // For the calls that move whole pages.
    tt_emulator_accessor emulator_accessor() const { return {bank_base_address, aligned_page_size, is_dram}; }

private:
    uint32_t bank_base_address;
    uint32_t aligned_page_size;
};

// A sharded tensor.
template <typename Args>
struct TensorAccessor<tensor_accessor::ShardedSpec<Args>> {
    using DSpec = tensor_accessor::ShardedSpec<Args>;
    static constexpr bool is_dram = DSpec::is_dram;

    TensorAccessor(const Args& args, const std::size_t bank_base_address_in, const uint32_t page_size_in = Args::AlignedPageSize) :
        dspec_(args), bank_base_address(static_cast<uint32_t>(bank_base_address_in)), aligned_page_size(page_size_in) {}

    struct PageMapping {
        std::size_t bank_id;
        std::size_t bank_page_offset;
    };

    const DSpec& dspec() const { return dspec_; }
    uint32_t get_aligned_page_size() const { return aligned_page_size; }
    uint32_t get_bank_base_address() const { return bank_base_address; }

    std::uint64_t get_noc_addr(const uint32_t page_id, const uint32_t offset = 0, uint8_t noc = noc_index, TT_LINE_PARAM) const {
        check(page_id, dspec_.tensor_volume(), line);
        return address(get_bank_and_offset(page_id), offset, noc);
    }

    template <typename Coordinate>
        requires tensor_accessor::tt_emulator_is_coordinate<Coordinate>
    std::uint64_t get_noc_addr(const Coordinate page_coord, const uint32_t offset = 0, uint8_t noc = noc_index) const {
        return address(get_bank_and_offset(page_coord), offset, noc);
    }

    std::uint64_t get_shard_noc_addr(
        const uint32_t shard_id, const uint32_t offset = 0, uint8_t noc = noc_index, TT_LINE_PARAM) const {
        check(shard_id, dspec_.num_shards(), line);
        return address(shard_place(shard_id, 0), offset, noc);
    }

    template <typename Coordinate>
        requires tensor_accessor::tt_emulator_is_coordinate<Coordinate>
    std::uint64_t get_shard_noc_addr(const Coordinate shard_coord, const uint32_t offset = 0, uint8_t noc = noc_index) const {
        uint32_t shard_id = 0;
        for (uint32_t i = 0; i < dspec_.rank(); ++i) {
            shard_id += shard_coord[i] * dspec_.shard_grid_strides()[i];
        }
        return get_shard_noc_addr(shard_id, offset, noc);
    }

    PageMapping get_bank_and_offset(uint32_t page_id) const {
        typename DSpec::Shape coordinate{};
        for (uint32_t i = dspec_.rank(); i-- > 0;) {
            coordinate[i] = page_id % dspec_.tensor_shape()[i];
            page_id /= dspec_.tensor_shape()[i];
        }
        return get_bank_and_offset(coordinate);
    }

    template <typename Coordinate>
        requires tensor_accessor::tt_emulator_is_coordinate<Coordinate>
    PageMapping get_bank_and_offset(const Coordinate page_coord) const {
        std::size_t shard = 0;
        std::size_t within = 0;
        for (uint32_t i = 0; i < dspec_.rank(); ++i) {
            shard += page_coord[i] / dspec_.shard_shape()[i] * dspec_.shard_grid_strides()[i];
            within += page_coord[i] % dspec_.shard_shape()[i] * dspec_.shard_strides()[i];
        }
        return shard_place(shard, within);
    }

    bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y, uint8_t noc = noc_index) const {
        return virtual_x == my_x[noc] && virtual_y == my_y[noc];
    }
    bool is_local_addr(const uint64_t noc_addr, uint8_t noc = noc_index) const {
        return is_local_bank(tt_emulator_x(noc_addr), tt_emulator_y(noc_addr), noc);
    }
    bool is_local_page(const uint32_t page_id, uint8_t noc = noc_index) const {
        return is_local(get_bank_and_offset(page_id).bank_id, noc);
    }
    bool is_local_shard(const uint32_t shard_id, uint8_t noc = noc_index) const {
        return is_local(shard_place(shard_id, 0).bank_id, noc);
    }

    tensor_accessor::Pages<TensorAccessor> pages(
        uint32_t start_page_id = 0, uint32_t end_page_id = 0, uint8_t noc = noc_index) const {
        return {*this, start_page_id, end_page_id == 0 ? static_cast<uint32_t>(dspec_.tensor_volume()) : end_page_id, noc};
    }

    // The pages of a shard that lie inside the tensor.
    tensor_accessor::ShardPages<TensorAccessor> shard_pages(
        uint32_t shard_id, uint32_t start_page_offset = 0, uint32_t end_page_offset = 0, uint8_t noc = noc_index) const {
        const uint32_t end = end_page_offset == 0 ? static_cast<uint32_t>(dspec_.shard_volume()) : end_page_offset;
        return {*this, shard_id, start_page_offset, end, noc};
    }

private:
    PageMapping shard_place(std::size_t shard, std::size_t within) const {
        std::size_t bank = shard % dspec_.num_banks();
        std::size_t slot = shard / dspec_.num_banks();
        if (dspec_.resolve_shard_contiguous()) {
            const std::size_t each = dspec_.num_shards() / dspec_.num_banks();
            bank = shard / each;
            slot = shard % each;
        }
        return {bank, slot * dspec_.shard_volume() + within};
    }

    bool is_local(std::size_t bank, uint8_t noc) const {
        const uint16_t xy = dspec_.bank_coordinates(bank);
        return is_local_bank(xy >> 8, xy & 0xFF, noc);
    }

    // Coordinates of an L1 bank are its core's; of a DRAM bank the x is its number.
    std::uint64_t address(const PageMapping& page, uint32_t offset, uint8_t noc) const {
        const uint16_t xy = dspec_.bank_coordinates(page.bank_id);
        const uint32_t local = bank_base_address + static_cast<uint32_t>(page.bank_page_offset) * aligned_page_size + offset;
        if constexpr (is_dram) {
            return get_noc_addr_from_bank_id<true>(xy >> 8, local, noc);
        } else {
            return ::get_noc_addr(xy >> 8, xy & 0xFF, local, noc);
        }
    }

    static void check(std::size_t id, std::size_t count, int line) {
        if (id >= count) {
            tt_emulator_dataflow()->page_beyond_tensor(static_cast<uint32_t>(id), static_cast<uint32_t>(count), line);
        }
    }

    DSpec dspec_;
    uint32_t bank_base_address;
    uint32_t aligned_page_size;
};

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, std::size_t)
    -> TensorAccessor<tensor_accessor::tt_emulator_spec<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>>;

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, std::size_t, uint32_t)
    -> TensorAccessor<tensor_accessor::tt_emulator_spec<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>>;

// Accessors of several tensors, whose addresses are runtime arguments that follow each other.
template <typename... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...>& args, uint32_t address_rt_arg_index_start) {
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        return std::make_tuple(TensorAccessor(
            std::get<Index>(args), get_arg_val<uint32_t>(static_cast<int>(address_rt_arg_index_start + Index)))...);
    }(std::index_sequence_for<Args...>());
}

// An accessor of any type, to be chosen among at run time. The accessor has to outlive it.
class AbstractTensorAccessorWrapper {
public:
    AbstractTensorAccessorWrapper() = default;

    template <typename Accessor>
    AbstractTensorAccessorWrapper(const Accessor& accessor) :
        accessor_(&accessor), address_([](const void* any, uint32_t page, uint32_t offset, uint8_t noc, int line) {
            return static_cast<const Accessor*>(any)->get_noc_addr(page, offset, noc, line);
        }) {}

    uint64_t get_noc_addr(uint32_t page_idx, uint32_t offset = 0, uint8_t noc = noc_index, TT_LINE_PARAM) const {
        return address_(accessor_, page_idx, offset, noc, line);
    }

private:
    const void* accessor_ = nullptr;
    uint64_t (*address_)(const void*, uint32_t, uint32_t, uint8_t, int) = nullptr;
};

template <typename... Accessors>
auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...>& accessors) {
    return std::apply(
        [](const Accessors&... each) {
            return std::array<AbstractTensorAccessorWrapper, sizeof...(Accessors)>{AbstractTensorAccessorWrapper(each)...};
        },
        accessors);
}

// A tensor by its pages, and by its shards.
template <typename Accessor>
struct PageView {
    const Accessor& accessor;
    explicit PageView(const Accessor& acc) : accessor(acc) {}
    uint64_t get_noc_addr(uint32_t page_id, uint32_t offset, uint8_t noc, TT_LINE_PARAM) const {
        return accessor.get_noc_addr(page_id, offset, noc, line);
    }
};

template <typename Accessor>
struct ShardView {
    const Accessor& accessor;
    explicit ShardView(const Accessor& acc) : accessor(acc) {}
    bool is_local_shard(uint32_t shard_id, uint8_t noc) const { return accessor.is_local_shard(shard_id, noc); }
    uint64_t get_noc_addr(uint32_t shard_id, uint32_t offset, uint8_t noc, TT_LINE_PARAM) const {
        return accessor.get_shard_noc_addr(shard_id, offset, noc, line);
    }
};
