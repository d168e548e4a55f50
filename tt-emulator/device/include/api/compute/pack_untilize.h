// From tiles to row-major blocks, by the packer.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_init(uint32_t icb, uint32_t ocb, TT_CALL_LINE) {
    tt_emulator_compute()->untilize_init(icb, ocb, block_ct_dim, full_ct_dim, line);
}

// The remap of the packer is the same state here, so nothing is skipped.
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, TT_CALL_LINE) {
    pack_untilize_init<block_ct_dim, full_ct_dim, is_fp32_dest_acc_en>(icb, ocb, line);
}

// The packer alone: destination registers are filled by other operations.
template <
    uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool narrow_row = false, uint32_t row_num_datums = 32,
    bool dense = false, bool configure_remap = true, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_dest_init(uint32_t ocb, TT_CALL_LINE) {
    static_assert(!narrow_row && row_num_datums == 32 && !dense, "the emulator untilizes whole tiles");
    tt_emulator_compute()->untilize_init(TT_EMULATOR_NO_BUFFER, ocb, block_ct_dim, full_ct_dim, line);
}

// Takes the destination registers on its own.
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_block(
    uint32_t icb, uint32_t block_rt_dim, uint32_t ocb, uint32_t block_c_index = 0, TT_CALLER_LINE) {
    tt_emulator_compute()->untilize_block(icb, ocb, block_ct_dim, full_ct_dim, block_rt_dim, block_c_index, 0, 0, line);
}

template <
    uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false, bool narrow_row = false,
    uint32_t row_num_datums = 32, uint32_t tile_dst_ct_offset = 0, bool dense = false>
ALWI void pack_untilize_dest(
    uint32_t ocb, uint32_t block_rt_dim = 1, uint32_t block_c_index = 0, uint32_t tile_dst_rt_offset = 0, TT_CALLER_LINE) {
    static_assert(!diagonal && !narrow_row && row_num_datums == 32 && !dense, "the emulator untilizes whole tiles");
    tt_emulator_compute()->untilize_dest(
        ocb, block_ct_dim, full_ct_dim, block_rt_dim, block_c_index, tile_dst_rt_offset + tile_dst_ct_offset, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_untilize_uninit(uint32_t ocb, TT_CALLER_LINE) { tt_emulator_compute()->untilize_uninit(ocb, line); }

}  // namespace ckernel
