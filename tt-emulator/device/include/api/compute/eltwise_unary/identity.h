// x.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void identity_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("identity_tile_init"), line); }

ALWI void identity_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("identity_tile"), idst, line); }

}  // namespace ckernel
