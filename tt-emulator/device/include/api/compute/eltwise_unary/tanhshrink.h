// x - tanh x.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

template <TT_WIDTH>
ALWI void tanhshrink_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("tanhshrink_tile_init"), line); }

template <TT_WIDTH>
ALWI void tanhshrink_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("tanhshrink_tile"), idst, line); }

}  // namespace ckernel
