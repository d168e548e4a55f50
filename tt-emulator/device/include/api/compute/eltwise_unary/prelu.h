// PReLU with one slope.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void prelu_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("prelu_tile_init"), line); }

ALWI void prelu_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("prelu_tile"), idst, line, param0); }

}  // namespace ckernel
