// Cube root.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void cbrt_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("cbrt_tile_init"), line); }

template <TT_WIDTH>
ALWI void cbrt_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("cbrt_tile"), idst, line); }

}  // namespace ckernel
