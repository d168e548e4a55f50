// Hard mish.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void hardmish_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("hardmish_tile_init"), line); }

ALWI void hardmish_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("hardmish_tile"), idst, line); }

}  // namespace ckernel
