// The derivative of tanh. Declared so that kernels compile that include it; the emulator does not compute it and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

template <bool fast_and_approx = false>
ALWI void tanh_derivative_tile_init(TT_CALLER_LINE) { TT_REFUSED(tanh_derivative_tile_init); }

template <bool fast_and_approx = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tanh_derivative_tile(uint32_t idst, TT_CALLER_LINE) { TT_REFUSED(tanh_derivative_tile); }

}  // namespace ckernel
