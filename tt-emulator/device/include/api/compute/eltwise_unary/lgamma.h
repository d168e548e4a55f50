// Logarithm of the gamma function. Declared so that kernels compile that include it; the emulator does not compute it
// and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void lgamma_stirling_tile(uint32_t idst, TT_CALLER_LINE) { TT_REFUSED(lgamma_stirling_tile); }

ALWI void lgamma_stirling_tile_init(TT_CALLER_LINE) { TT_REFUSED(lgamma_stirling_tile_init); }

ALWI void lgamma_stirling_float_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, TT_CALLER_LINE) { TT_REFUSED(lgamma_stirling_float_tile); }

ALWI void lgamma_stirling_float_tile_init(TT_CALLER_LINE) { TT_REFUSED(lgamma_stirling_float_tile_init); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void lgamma_adjusted_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t idst3, TT_CALLER_LINE) { TT_REFUSED(lgamma_adjusted_tile); }

ALWI void lgamma_adjusted_tile_init(TT_CALLER_LINE) { TT_REFUSED(lgamma_adjusted_tile_init); }

}  // namespace ckernel
