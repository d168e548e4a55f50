// Quotients of integers as fp32. Declared so that kernels compile that include it; the emulator does not compute it and
// says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void div_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(div_int32_tile); }

ALWI void div_int32_tile_init(TT_CALLER_LINE) { TT_REFUSED(div_int32_tile_init); }

}  // namespace ckernel
