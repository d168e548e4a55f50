// From row-major blocks to tiles. tilize_block takes the destination registers and packs on its own.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_init(uint32_t icb, uint32_t block, uint32_t ocb, TT_CALL_LINE) {
    tt_emulator_compute()->tilize_init(icb, block, ocb, 0, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_block(
    uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0,
    TT_CALLER_LINE) {
    tt_emulator_compute()->tilize(icb, block, ocb, input_tile_index, output_tile_index, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tilize_init_short_with_dt(uint32_t old_icb, uint32_t new_icb, uint32_t block, uint32_t ocb, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, old_icb, new_icb, line);
    tt_emulator_compute()->tilize_init(new_icb, block, ocb, 0, line);
}

ALWI void tilize_uninit(uint32_t icb, uint32_t ocb, TT_CALLER_LINE) {
    tt_emulator_compute()->tilize_uninit(icb, ocb, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init(uint32_t icb, uint32_t full_dim, uint32_t ocb, TT_CALL_LINE) {
    tt_emulator_compute()->tilize_init(icb, full_dim, ocb, 1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_block(
    uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0,
    TT_CALLER_LINE) {
    tt_emulator_compute()->tilize(icb, block, ocb, input_tile_index, output_tile_index, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_uninit(uint32_t icb, uint32_t ocb, uint32_t full_dim, TT_CALLER_LINE) {
    tt_emulator_compute()->tilize_uninit(icb, ocb, line);
}

// The remap of the destination is the same state here, so nothing is skipped.
template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb, TT_CALL_LINE) {
    fast_tilize_init<is_fp32_dest_acc_en>(icb, full_dim, ocb, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init_with_dt(uint32_t icb, uint32_t full_dim, uint32_t ocb, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, TT_EMULATOR_NO_BUFFER, icb, line);
    tt_emulator_compute()->tilize_init(icb, full_dim, ocb, 1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_tilize_init_with_dt_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb, TT_CALLER_LINE) {
    fast_tilize_init_with_dt<is_fp32_dest_acc_en>(icb, full_dim, ocb, line);
}

}  // namespace ckernel
