// How a sharded tensor is cut and spread over banks, from the words of its accessor.
#pragma once

#include "api/tensor/tensor_accessor_args.h"

namespace tensor_accessor {

constexpr std::size_t MAX_RANK = 8;

// Words of an accessor, as an array: of its compile-time arguments, or of the common runtime arguments.
template <bool AtRunTime>
struct tt_emulator_words {
    std::size_t first;
    constexpr uint32_t operator[](std::size_t index) const {
        if constexpr (AtRunTime) {
            return get_common_arg_val<uint32_t>(static_cast<int>(first + index));
        } else {
            return kernel_compile_time_args[first + index];
        }
    }
};

// A sharded tensor. Extents are in pages.
template <typename Args>
class ShardedSpec {
public:
    static constexpr bool is_dram = Args::is_dram;
    static constexpr bool is_interleaved = false;
    static constexpr bool has_static_rank = !Args::rank_is_crta;
    static constexpr bool has_static_num_banks = !Args::num_banks_is_crta;
    static constexpr bool tensor_shape_static = has_static_rank && !Args::tensor_shape_is_crta;
    static constexpr bool shard_shape_static = has_static_rank && !Args::shard_shape_is_crta;
    static constexpr bool bank_coords_static = has_static_num_banks && !Args::bank_coords_is_crta;
    static constexpr bool shapes_static = tensor_shape_static && shard_shape_static;
    static constexpr bool is_static = shapes_static && bank_coords_static;
    static constexpr bool is_shard_contiguous = Args::is_shard_contiguous;
    static constexpr uint32_t rank_ct = Args::RankCT;
    static constexpr uint32_t num_banks_ct = Args::NumBanksCT;

    using Shape = std::array<uint32_t, has_static_rank ? rank_ct : MAX_RANK>;

    constexpr ShardedSpec(const Args& args) :
        args_(args), rank_(args.get_rank()), num_banks_(args.get_num_banks()), contiguous_(args.resolve_shard_contiguous()) {
        const tt_emulator_words<Args::tensor_shape_is_crta> tensor{
            Args::tensor_shape_is_crta ? args.tensor_shape_crta_offset() : Args::TensorShapeCTAOffset};
        const tt_emulator_words<Args::shard_shape_is_crta> shard{
            Args::shard_shape_is_crta ? args.shard_shape_crta_offset() : Args::ShardShapeCTAOffset};
        for (uint32_t i = rank_; i-- > 0;) {
            tensor_shape_[i] = tensor[i];
            shard_shape_[i] = shard[i];
            shard_grid_[i] = (tensor_shape_[i] + shard_shape_[i] - 1) / shard_shape_[i];
            tensor_strides_[i] = tensor_volume_;
            shard_strides_[i] = shard_volume_;
            shard_grid_strides_[i] = num_shards_;
            tensor_volume_ *= tensor_shape_[i];
            shard_volume_ *= shard_shape_[i];
            num_shards_ *= shard_grid_[i];
        }
    }

    constexpr uint32_t rank() const { return rank_; }
    constexpr uint32_t num_banks() const { return num_banks_; }
    constexpr bool resolve_shard_contiguous() const { return contiguous_; }
    constexpr const Shape& tensor_shape() const { return tensor_shape_; }
    constexpr const Shape& shard_shape() const { return shard_shape_; }
    constexpr const Shape& shard_grid() const { return shard_grid_; }
    constexpr const Shape& tensor_strides() const { return tensor_strides_; }
    constexpr const Shape& shard_strides() const { return shard_strides_; }
    constexpr const Shape& shard_grid_strides() const { return shard_grid_strides_; }
    constexpr std::size_t tensor_volume() const { return tensor_volume_; }
    constexpr std::size_t shard_volume() const { return shard_volume_; }
    constexpr std::size_t num_shards() const { return num_shards_; }

    // Coordinates of a bank: x in the high byte. Two banks share a word.
    constexpr uint16_t bank_coordinates(std::size_t bank) const {
        const tt_emulator_words<Args::bank_coords_is_crta> words{
            Args::bank_coords_is_crta ? args_.bank_coords_crta_offset() : Args::BankCoordsCTAOffset};
        return static_cast<uint16_t>(words[bank / 2] >> (bank % 2 * 16));
    }

private:
    Args args_;
    uint32_t rank_;
    uint32_t num_banks_;
    bool contiguous_;
    Shape tensor_shape_{};
    Shape shard_shape_{};
    Shape shard_grid_{};
    Shape tensor_strides_{};
    Shape shard_strides_{};
    Shape shard_grid_strides_{};
    uint32_t tensor_volume_ = 1;
    uint32_t shard_volume_ = 1;
    uint32_t num_shards_ = 1;
};

}  // namespace tensor_accessor
