// xIELU. Declared so that kernels compile that include it; the emulator does not compute it and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void xielu_tile(uint32_t idst, uint32_t alpha_p, uint32_t alpha_n, TT_CALLER_LINE) { TT_REFUSED(xielu_tile); }

ALWI void xielu_tile_init(TT_CALLER_LINE) { TT_REFUSED(xielu_tile_init); }

}  // namespace ckernel
