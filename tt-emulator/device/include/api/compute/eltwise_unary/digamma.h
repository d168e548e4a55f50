// Digamma function. Declared so that kernels compile that include it; the emulator does not compute it and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void digamma_tile(uint32_t idst, TT_CALLER_LINE) { TT_REFUSED(digamma_tile); }

ALWI void digamma_tile_init(TT_CALLER_LINE) { TT_REFUSED(digamma_tile_init); }

}  // namespace ckernel
