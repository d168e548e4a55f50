// Mish.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

template <bool APPROXIMATION_MODE>
ALWI void mish_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("mish_tile_init"), line, APPROXIMATION_MODE); }

template <bool APPROXIMATION_MODE, TT_WIDTH>
ALWI void mish_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("mish_tile"), idst, line, 0, 0, 0, APPROXIMATION_MODE);
}

}  // namespace ckernel
