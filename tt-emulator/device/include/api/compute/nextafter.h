// The next number toward another. Declared so that kernels compile that include it; the emulator does not compute it
// and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void nextafter_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(nextafter_binary_tile); }

ALWI void nextafter_binary_tile_init(TT_CALLER_LINE) { TT_REFUSED(nextafter_binary_tile_init); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void nextafter_bf16_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(nextafter_bf16_binary_tile); }

ALWI void nextafter_bf16_binary_tile_init(TT_CALLER_LINE) { TT_REFUSED(nextafter_bf16_binary_tile_init); }

}  // namespace ckernel
