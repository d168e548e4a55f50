// ln(1 + x).
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

template <bool fast_and_approx = false, TT_WIDTH>
ALWI void log1p_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("log1p_tile_init"), line, fast_and_approx); }

template <bool fast_and_approx = false, TT_WIDTH>
ALWI void log1p_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("log1p_tile"), idst, line, 0, 0, 0, fast_and_approx);
}

}  // namespace ckernel
