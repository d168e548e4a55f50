// The value between two bounds.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void clamp_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("clamp_tile_init"), line); }

ALWI void clamp_tile(uint32_t idst, uint32_t param0, uint32_t param1, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("clamp_tile"), idst, line, param0, param1); }

}  // namespace ckernel
