// Copies from circular buffers to destination registers.
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/reconfig_data_format.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_init(
    uint32_t cbid, uint32_t transpose = 0, uint32_t transpose_within_16x16_face = false, TT_CALL_LINE) {
    tt_emulator_compute()->copy_init(cbid, transpose, transpose_within_16x16_face, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_tile(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TT_CALLER_LINE) {
    tt_emulator_compute()->copy(in_cb_id, in_tile_index, dst_tile_index, 1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void copy_block(
    uint32_t in_cb_id, uint32_t start_in_tile_index, uint32_t start_dst_tile_index, uint32_t ntiles, TT_CALLER_LINE) {
    tt_emulator_compute()->copy(in_cb_id, start_in_tile_index, start_dst_tile_index, ntiles, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
[[deprecated("Renamed to copy_init().")]] ALWI void copy_tile_init(uint32_t cbid, TT_CALL_LINE) {
    copy_init<is_fp32_dest_acc_en>(cbid, 0, false, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
[[deprecated("Renamed to copy_init().")]] ALWI void copy_tile_to_dst_init_short(
    uint32_t cbid, uint32_t transpose = 0, uint32_t transpose_within_16x16_face = false, TT_CALL_LINE) {
    copy_init<is_fp32_dest_acc_en>(cbid, transpose, transpose_within_16x16_face, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
[[deprecated("Call reconfig_data_format_srca(old, new), then copy_init(new, transpose).")]] ALWI void
copy_tile_to_dst_init_short_with_dt(uint32_t old_cbid, uint32_t new_cbid, uint32_t transpose = 0, TT_CALL_LINE) {
    reconfig_data_format_srca(old_cbid, new_cbid, tt_caller_line(line));
    copy_init<is_fp32_dest_acc_en>(new_cbid, transpose, false, line);
}

}  // namespace ckernel
