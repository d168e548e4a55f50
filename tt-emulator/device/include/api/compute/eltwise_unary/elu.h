// ELU.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void elu_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("elu_tile_init"), line); }

template <TT_WIDTH>
ALWI void elu_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("elu_tile"), idst, line, param0); }

}  // namespace ckernel
