// Modified Bessel function of order 1. Declared so that kernels compile that include it; the emulator does not compute
// it and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void i1_tile(uint32_t idst, TT_CALLER_LINE) { TT_REFUSED(i1_tile); }

ALWI void i1_tile_init(TT_CALLER_LINE) { TT_REFUSED(i1_tile_init); }

}  // namespace ckernel
