// Square root.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void sqrt_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("sqrt_tile_init"), line); }

template <bool FAST_APPROX = false, TT_WIDTH>
ALWI void sqrt_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("sqrt_tile"), idst, line); }

}  // namespace ckernel
