// Transposition of 32x32 tiles on the way to destination registers.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void transpose_init(uint32_t icb, TT_CALL_LINE) { tt_emulator_compute()->transpose_init(icb, line); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void transpose_tile(uint32_t icb, uint32_t itile, uint32_t idst, TT_CALLER_LINE) {
    tt_emulator_compute()->transpose(icb, itile, idst, 1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void transpose_block(uint32_t icb, uint32_t start_itile, uint32_t start_idst, uint32_t ntiles, TT_CALLER_LINE) {
    tt_emulator_compute()->transpose(icb, start_itile, start_idst, ntiles, line);
}

}  // namespace ckernel
