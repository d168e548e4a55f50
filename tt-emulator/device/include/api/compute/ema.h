// Exponential moving average. Declared so that kernels compile that include it; the emulator does not compute it and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void ema_init(uint32_t alpha, uint32_t beta, TT_CALLER_LINE) { TT_REFUSED(ema_init); }

ALWI void ema_clear_previous_output(TT_CALLER_LINE) { TT_REFUSED(ema_clear_previous_output); }

ALWI void ema_tile(uint32_t input_dst_index, TT_CALLER_LINE) { TT_REFUSED(ema_tile); }

}  // namespace ckernel
